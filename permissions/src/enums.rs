//! Enum tables: tables whose rows are the values of a GraphQL enum. The permission file declares
//! them; a query reads their rows at load.

use sql::model::names::is_graphql;
use sql::postgres::catalog::{Catalog, ColumnId, EnumValue, Table, TableId};
use sql::postgres::types::{Family, Scalar, quoted};

use crate::exposure::Entries;
use crate::fault::Fault;
use crate::file::File;
use crate::report::Report;
use crate::table_names::key;

/// Maximum number of values; more rows are data, not an enum.
const MAX_VALUES: usize = 5_000;

/// The columns of an enum table that provide values and descriptions.
struct Shape {
    value: ColumnId,
    description: Option<ColumnId>,
}

/// The statement that reads the values of a file's enum tables; `None` if it has none.
///
/// ```sql
/// SELECT json_build_array(json_build_object('schema', 'public', 'table', 'colors', 'values', (
///   SELECT coalesce(json_agg(json_build_object('value', v.value, 'description', v.description) ORDER BY v.value),
///                   '[]')
///   FROM (SELECT …) v)))::text
/// ```
pub(crate) fn query(file: &File, catalog: &Catalog) -> Option<String> {
    let declared = file.tables.iter().filter(|entry| entry.is_enum.is_some());
    let mut tables: Vec<TableId> = declared
        .filter_map(|entry| catalog.find_written(&entry.key.value))
        .collect();
    tables.sort_unstable();
    tables.dedup();
    let tables = tables.into_iter().map(|id| catalog.table(id));
    let each: Vec<String> = tables
        .filter_map(|table| Some(rows(table, &shape(catalog, table).ok()?)))
        .collect();
    (!each.is_empty()).then(|| format!("SELECT json_build_array({})::text", each.join(", ")))
}

fn rows(table: &Table, shape: &Shape) -> String {
    let column = |id: ColumnId| format!("{}::text", quoted(&table.column(id).name));
    let value = column(shape.value);
    let description = shape.description.map_or_else(|| "NULL".to_owned(), column);
    let from = format!("{}.{}", quoted(&table.schema), quoted(&table.name));
    format!(
        "json_build_object('schema', {}, 'table', {}, 'values', (SELECT \
         coalesce(json_agg(json_build_object('value', v.value, \
         'description', v.description) ORDER BY v.value COLLATE \"C\"), '[]') FROM (SELECT \
         {value} AS value, {description} AS \
         description FROM {from} LIMIT {}) v))",
        literal(&table.schema),
        literal(&table.name),
        MAX_VALUES + 1
    )
}

fn literal(text: &str) -> String {
    let escape = if text.contains('\\') { "E" } else { "" };
    format!(
        "{escape}'{}'",
        text.replace('\\', "\\\\").replace('\'', "''")
    )
}

/// The enum tables of a file, with their value columns. Reports tables that cannot be enums, and
/// values that are not valid in GraphQL.
pub(crate) fn checked(
    catalog: &Catalog,
    entries: &Entries<'_>,
    report: &mut Report<'_>,
) -> Vec<(TableId, ColumnId)> {
    let mut tables = vec![];
    for (id, entry) in entries {
        let Some(span) = &entry.is_enum else { continue };
        let table = catalog.table(*id);
        let name = key(table);
        match shape(catalog, table)
            .and_then(|shape| obstacle(table, entry.exposed).map_or(Ok(shape), Err))
        {
            Ok(shape) => tables.push((*id, shape.value)),
            Err(reason) => {
                report.add(
                    Fault::EnumTable {
                        table: name,
                        reason,
                    },
                    span,
                );
                continue;
            }
        }
        let values = table.enum_values.iter().flatten();
        for value in values.filter(|value| !is_valid_value(value)) {
            let help = "an enum's value has letters, digits and underscores, and is none of \
                        `true`, `false` and `null`";
            let fault = Fault::EnumValue {
                value: value.value.clone(),
                table: name.clone(),
            };
            report.add_with(fault, span, Some(help.to_owned()));
        }
    }
    tables.sort_unstable();
    tables
}

fn shape(catalog: &Catalog, table: &Table) -> Result<Shape, &'static str> {
    let is_text = |id: ColumnId| {
        let scalar = Scalar::from_oid(catalog, table.column(id).r#type);
        scalar.family == Family::Text
    };
    let key = table.primary_key().ok_or("it has no primary key")?;
    let [name] = key.columns.as_slice() else {
        return Err("its primary key has several columns");
    };
    let value = table.find(name).ok_or("it has no primary key")?;
    if !is_text(value) {
        return Err("its primary key is not text");
    }
    let description = table
        .column_ids()
        .map(|(id, _)| id)
        .find(|id| *id != value && is_text(*id));
    Ok(Shape { value, description })
}

fn obstacle(table: &Table, exposed: bool) -> Option<&'static str> {
    match table.enum_values.as_ref().map(Vec::len) {
        _ if !exposed => Some("it is not exposed"),
        None => Some("its values are not known; `postern catalog --permissions <file>` saves them"),
        Some(0) => Some("it has no rows, and an enum has at least one value"),
        Some(number) if number > MAX_VALUES => Some("it has more than 5000 rows"),
        Some(_) => None,
    }
}

fn is_valid_value(value: &EnumValue) -> bool {
    is_graphql(&value.value) && !matches!(value.value.as_str(), "true" | "false" | "null")
}
