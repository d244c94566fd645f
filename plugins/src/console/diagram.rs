//! The tables, columns and relations of a role, for the schema's diagram. It has the names that
//! introspection shows the role, and no others.

use std::fmt::Write as _;

use bytes::Bytes;
use serde_json::{Value, json};
use sql::model::ExposedTable;
use sql::model::access::Access;
use sql::postgres::catalog::TableKind;
use sql::schema::{Meaning, Object, Schema};

use gateway::error::Error;
use gateway::execute::schema_work::{SLICE_BYTES, SchemaWork};

/// The diagram of a role that may introspect its schema, as JSON. It is written table by table.
pub(super) async fn write_diagram(access: &Access, mut work: SchemaWork) -> Result<Bytes, Error> {
    if !access.introspects() {
        return Err(Error::RoleNotAllowed);
    }
    let schema = Schema::new(access);
    let exposed: Vec<&ExposedTable> = schema.readable().map(|(exposed, _)| exposed).collect();
    let mut tables = exposed.into_iter().peekable();
    let mut out = format!("{{\"role\":{},\"tables\":[", Value::from(access.role()));
    while tables.peek().is_some() {
        // A string that grows holds its bytes twice.
        work.reserve(3 * (out.len() + SLICE_BYTES))?;
        let end = out.len() + SLICE_BYTES;
        work.slice(|| {
            while out.len() < end
                && let Some(exposed) = tables.next()
            {
                let separator = if tables.peek().is_some() { "," } else { "" };
                // Writing into a string does not fail.
                let _ = write!(out, "{}{separator}", table(&schema, exposed));
            }
        })
        .await?;
    }
    out.push_str("]}");
    Ok(work.into_reservation().hold(out.into_bytes()))
}

fn table(schema: &Schema<'_>, exposed: &ExposedTable) -> Value {
    let keys = schema.key_columns(exposed.table).unwrap_or_default();
    let mut columns = vec![];
    let mut relations = vec![];
    for field in schema.fields(Object::Row(exposed.table)) {
        let target = |relation: &sql::model::Relation| {
            schema
                .model()
                .exposed(relation.to)
                .map(|to| to.name.clone())
        };
        match field.meaning {
            Meaning::Column(column) => columns.push(json!({
                "name": field.name, "type": schema.written(field.r#type),
                "key": keys.iter().any(|(key, _)| *key == column),
            })),
            Meaning::Object(relation) => {
                relations.push(json!({"name": field.name, "to": target(relation), "many": false}));
            }
            Meaning::Array(relation) => {
                relations.push(json!({"name": field.name, "to": target(relation), "many": true}));
            }
            _ => {}
        }
    }
    let is_result = schema.model().table(exposed.table).kind == TableKind::Result;
    json!({
        "name": exposed.name, "type": exposed.type_name, "result": is_result, "columns": columns, "relations": relations,
    })
}
