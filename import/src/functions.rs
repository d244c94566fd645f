//! Converts tracked functions into `[function.…]` sections of the permission file.

use serde_json::Value;
use sql::model::names::Convention;
use sql::postgres::catalog::{Catalog, Function as Declared, Volatility};

use crate::json_object::JsonObject;
use crate::names::{self, Name};
use crate::report::Report;
use crate::tables::Tables;
use crate::toml_writer::TomlValue;

/// A function's section: its key and its pairs.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) key: String,
    pub(crate) pairs: Vec<(String, TomlValue)>,
}

/// Whether roles that may select a query function's result table may call the function without a
/// permission of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FunctionPermissions {
    /// They may. This is Hasura's default.
    #[default]
    Inferred,
    /// Only roles with a permission on the function may.
    Explicit,
}

/// Reads the functions of a source.
pub(crate) fn read(
    catalog: &Catalog,
    tables: &Tables<'_>,
    functions: &[Value],
    permissions: FunctionPermissions,
    report: &mut Report,
) -> Vec<Function> {
    functions
        .iter()
        .filter_map(|value| read_one(catalog, tables, value, permissions, report))
        .collect()
}

fn read_one(
    catalog: &Catalog,
    tables: &Tables<'_>,
    value: &Value,
    permissions: FunctionPermissions,
    report: &mut Report,
) -> Option<Function> {
    let mut node = JsonObject::new(value, "function", report)?;
    let Some(name) = node.get("function").and_then(Name::read) else {
        report.refused("function", format!("it has no name: {value}"));
        return None;
    };
    let construct = format!("function {}", name.key());
    let mut node = JsonObject::from_map(value.as_object()?, construct.clone());
    node.get("function");
    let found = match callable(catalog, tables, &name) {
        Ok(found) => found,
        Err(why) => {
            report.refused(construct, why);
            return None;
        }
    };
    let named: Vec<String> = node
        .list("permissions")
        .iter()
        .filter_map(|value| value["role"].as_str())
        .map(str::to_owned)
        .collect();
    if node
        .text("comment")
        .is_some_and(|comment| !comment.is_empty())
    {
        let how = "descriptions are the comments of the database (COMMENT ON)";
        report.approximated(format!("{construct}, comment"), how);
    }
    let volatile = found.volatility == Volatility::Volatile;
    let mut pairs = vec![];
    let mut mutation = volatile;
    if let Some(fields) = node.object("configuration") {
        let mut configuration = JsonObject::from_map(fields, construct.clone());
        let exposed = configuration.text("exposed_as");
        mutation = exposed.map_or(volatile, |exposed| exposed == "mutation");
        name_it(&mut pairs, &mut configuration, found, mutation, report);
        push(&mut pairs, "as", exposed.filter(|_| mutation != volatile));
        push(
            &mut pairs,
            "session",
            configuration.text("session_argument"),
        );
        configuration.finish(report);
    }
    let of_table = names::returned(catalog, found).is_some();
    let inferred = permissions == FunctionPermissions::Inferred && !mutation && of_table;
    pairs.push((
        "roles".to_owned(),
        if inferred {
            TomlValue::text("select")
        } else {
            TomlValue::texts(&named)
        },
    ));
    node.finish(report);
    report.carried(construct);
    Some(Function {
        key: name.key(),
        pairs,
    })
}

/// Returns the function, if it returns a scalar or rows of a tracked table.
fn callable<'c>(
    catalog: &'c Catalog,
    tables: &Tables<'_>,
    name: &Name,
) -> Result<&'c Declared, String> {
    let found = names::function(catalog, name)?;
    match names::returned(catalog, found) {
        Some(table) if tables.find(table).is_none() => {
            Err("the table whose rows it returns is not tracked".to_owned())
        }
        _ => Ok(found),
    }
}

fn push(pairs: &mut Vec<(String, TomlValue)>, key: &str, text: Option<&str>) {
    pairs.extend(text.map(|text| (key.to_owned(), TomlValue::text(text))));
}

/// Adds the names of the root fields. Hasura derives the aggregate's name from the function's own
/// or custom name, never from the name of the other root field.
fn name_it(
    pairs: &mut Vec<(String, TomlValue)>,
    configuration: &mut JsonObject<'_>,
    found: &Declared,
    mutation: bool,
    report: &mut Report,
) {
    let custom = configuration.text("custom_name");
    let mut name = custom;
    let mut aggregate = None;
    if let Some(fields) = configuration.object("custom_root_fields") {
        let mut roots = JsonObject::from_map(fields, configuration.construct());
        let list = roots.text("function");
        let own = || Convention::Snake.table(&found.schema, &found.name);
        let made = list.map(|_| format!("{}_aggregate", custom.map_or_else(own, str::to_owned)));
        aggregate = roots.text("function_aggregate").map(str::to_owned).or(made);
        name = list.or(custom);
        roots.finish(report);
    }
    push(pairs, "name", name);
    push(
        pairs,
        "aggregate",
        aggregate.as_deref().filter(|_| found.set && !mutation),
    );
}
