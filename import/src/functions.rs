//! Tracked functions.

use serde_json::Value;
use sql::catalog::{Catalog, Volatility};

use crate::names::{self, Name};
use crate::node::Node;
use crate::report::Report;
use crate::tables::Tables;
use crate::toml_text::Item;

/// A function, as the permission file has it.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) key: String,
    pub(crate) pairs: Vec<(String, Item)>,
}

/// Whether roles that may select the result may call a query function without more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FunctionPermissions {
    /// They may, which is the default of Hasura.
    #[default]
    Inferred,
    /// Only roles that are named may.
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
    functions.iter().filter_map(|value| read_one(catalog, tables, value, permissions, report)).collect()
}

fn read_one(
    catalog: &Catalog,
    tables: &Tables<'_>,
    value: &Value,
    permissions: FunctionPermissions,
    report: &mut Report,
) -> Option<Function> {
    let mut node = Node::new(value, "function", report)?;
    let Some(name) = node.get("function").and_then(Name::read) else {
        report.refused("function", format!("it has no name: {value}"));
        return None;
    };
    let construct = format!("function {}", name.key());
    let mut node = Node::of(value.as_object()?, construct.clone());
    node.get("function");
    let found = names::function(catalog, &name).and_then(|found| match names::returned(catalog, found) {
        Some(table) if tables.find(table).is_none() => Err("the table whose rows it returns is not tracked".to_owned()),
        _ => Ok(found),
    });
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            report.refused(construct, why);
            return None;
        }
    };
    let roles: Vec<String> =
        node.list("permissions").iter().filter_map(|value| value["role"].as_str()).map(str::to_owned).collect();
    if node.text("comment").is_some_and(|comment| !comment.is_empty()) {
        report.approximated(
            format!("{construct}, comment"),
            "descriptions are the comments of the database (COMMENT ON)",
        );
    }
    let mut pairs = vec![];
    let mut add = |key: &str, text: Option<&str>| {
        pairs.extend(text.map(|text| (key.to_owned(), Item::text(text))));
    };
    let volatile = found.volatility == Volatility::Volatile;
    let mut mutation = volatile;
    if let Some(fields) = node.object("configuration") {
        let mut configuration = Node::of(fields, construct.clone());
        let mut roots = configuration.object("custom_root_fields").map(|fields| Node::of(fields, construct.clone()));
        let mut root = |key| roots.as_mut().and_then(|roots| roots.text(key));
        let (list, aggregate) = (root("function"), root("function_aggregate"));
        let custom = configuration.text("custom_name");
        add("name", list.or(custom));
        // Made from the custom name, not from that of the root field.
        let made = custom.filter(|_| list.is_some()).map(|custom| format!("{custom}_aggregate"));
        let plain = list.filter(|_| custom.is_none() && !volatile).map(|_| format!("{}_aggregate", found.name));
        add("aggregate", aggregate.or(made.as_deref()).or(plain.as_deref()));
        if let Some(exposed) = configuration.text("exposed_as") {
            mutation = exposed == "mutation";
            add("as", Some(exposed).filter(|_| mutation != volatile));
        }
        add("session", configuration.text("session_argument"));
        if let Some(roots) = roots {
            roots.finish(report);
        }
        configuration.finish(report);
    }
    let inferred = permissions == FunctionPermissions::Inferred && !mutation;
    let roles = if inferred { Item::text("select") } else { Item::texts(&roles) };
    pairs.push(("roles".to_owned(), roles));
    node.finish(report);
    report.carried(construct);
    Some(Function { key: name.key(), pairs })
}
