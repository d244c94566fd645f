//! The tables, columns and relations of a role, for the schema's diagram. It has the names that introspection shows the
//! role, and no others.

use serde_json::{Value, json};
use sql::model::access::Access;
use sql::postgres::catalog::TableKind;
use sql::schema::{Meaning, Object, Schema};

use crate::error::Error;

/// The diagram of a role that may introspect its schema.
pub(super) fn of(access: &Access) -> Result<Value, Error> {
    if !access.introspects() {
        return Err(Error::RoleNotAllowed);
    }
    let schema = Schema::new(access);
    let tables = schema.readable().map(|(exposed, _)| {
        let keys = schema.key_columns(exposed.table).unwrap_or_default();
        let (mut columns, mut relations) = (vec![], vec![]);
        for field in schema.fields(Object::Row(exposed.table)) {
            let target = |relation: &sql::model::Relation| schema.model().exposed(relation.to).map(|to| to.name.clone());
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
    });
    Ok(json!({"role": access.role(), "tables": tables.collect::<Vec<_>>()}))
}
