//! Reads tracked relationships: the related table, and the pairs of columns that are equal.

use serde_json::{Map, Value};
use sql::postgres::catalog::{Catalog, ForeignKey, Table, TableId};

use crate::json_object::JsonObject;
use crate::names::{Name, key};
use crate::report::Report;

/// A relationship whose table and columns exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relationship {
    pub(crate) name: String,
    pub(crate) to: TableId,
    /// Pairs of columns that are equal, of this table and of the related one.
    pub(crate) on: Vec<(String, String)>,
    pub(crate) array: bool,
    /// Whether it has a manual configuration. Hasura shows such a relationship to one row as
    /// nullable, even where a foreign key proves that the row exists.
    pub(crate) by_hand: bool,
}

/// Reads a relationship of a table, given by its id and its key.
pub(crate) fn read(
    catalog: &Catalog,
    (own, table): (TableId, &str),
    value: &Value,
    array: bool,
    report: &mut Report,
) -> Option<Relationship> {
    let mut node = JsonObject::new(value, format!("table {table}, relationship"), report)?;
    let name = node.text("name").unwrap_or_default();
    let construct = format!("table {table}, relationship {name}");
    let using = node.object("using").cloned().unwrap_or_default();
    if node
        .text("comment")
        .is_some_and(|comment| !comment.is_empty())
    {
        report.approximated(
            format!("{construct}, comment"),
            "comments of relationships are not kept",
        );
    }
    node.finish(report);
    match leads(catalog, own, &using, &construct, report) {
        Ok((to, on)) => {
            let by_hand = using.contains_key("manual_configuration");
            Some(Relationship {
                name: name.to_owned(),
                to,
                on,
                array,
                by_hand,
            })
        }
        Err(why) => {
            report.refused(construct, why);
            None
        }
    }
}

type Target = (TableId, Vec<(String, String)>);

/// Finds the related table and the equal columns.
fn leads(
    catalog: &Catalog,
    own: TableId,
    using: &Map<String, Value>,
    construct: &str,
    report: &mut Report,
) -> Result<Target, String> {
    let mut node = JsonObject::from_map(using, construct);
    let way = match (
        node.get("foreign_key_constraint_on"),
        node.object("manual_configuration"),
    ) {
        (Some(Value::Object(fields)), None) => remote_foreign_key(
            catalog,
            own,
            JsonObject::from_map(fields, construct),
            report,
        ),
        (Some(columns), None) => own_foreign_key(catalog, own, &texts(columns)),
        (None, Some(fields)) => column_mapping(
            catalog,
            own,
            JsonObject::from_map(fields, construct),
            report,
        ),
        _ => Err("it has neither a foreign key nor a manual configuration".to_owned()),
    };
    node.finish(report);
    way
}

/// Reads a text or a list of texts.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(one) => vec![one.clone()],
        Value::Array(items) => items
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => vec![],
    }
}

fn own_foreign_key(catalog: &Catalog, own: TableId, columns: &[String]) -> Result<Target, String> {
    let table = catalog.table(own);
    let foreign = find_foreign_key(table, columns, |_| true)?;
    let to = catalog.find(&foreign.schema, &foreign.table);
    let to = to.ok_or_else(|| format!("the database shows no table `{}`", foreign.table))?;
    Ok((
        to,
        foreign
            .columns
            .iter()
            .cloned()
            .zip(foreign.references.iter().cloned())
            .collect(),
    ))
}

/// Reads `{"table": …, "column": "author_id"}` or `{"table": …, "columns": […]}`: a foreign key of
/// the other table.
fn remote_foreign_key(
    catalog: &Catalog,
    own: TableId,
    mut node: JsonObject<'_>,
    report: &mut Report,
) -> Result<Target, String> {
    let name = node
        .get("table")
        .and_then(Name::read)
        .ok_or("it names no table")?;
    let columns = [node.get("column"), node.get("columns")]
        .into_iter()
        .flatten()
        .flat_map(texts)
        .collect::<Vec<_>>();
    node.finish(report);
    let there = name
        .find(catalog)
        .ok_or_else(|| format!("there is no table `{}`", name.key()))?;
    let to_here = |foreign: &ForeignKey| catalog.find(&foreign.schema, &foreign.table) == Some(own);
    let foreign = find_foreign_key(catalog.table(there), &columns, to_here)?;
    Ok((
        there,
        foreign
            .references
            .iter()
            .cloned()
            .zip(foreign.columns.iter().cloned())
            .collect(),
    ))
}

/// Finds the only foreign key over exactly these columns.
fn find_foreign_key<'t>(
    table: &'t Table,
    columns: &[String],
    leads: impl Fn(&ForeignKey) -> bool,
) -> Result<&'t ForeignKey, String> {
    let over = |foreign: &&ForeignKey| {
        foreign.columns.len() == columns.len()
            && columns
                .iter()
                .all(|column| foreign.columns.contains(column))
    };
    let mut found = table
        .foreign_keys
        .iter()
        .filter(over)
        .filter(|foreign| leads(foreign));
    let first = found.next();
    let second = found.next();
    let columns = columns.join(", ");
    match (first, second) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(format!(
            "there is no foreign key on `{columns}` of `{}`",
            key(table)
        )),
        (Some(_), Some(_)) => Err(format!(
            "there are several foreign keys on `{columns}` of `{}`",
            key(table)
        )),
    }
}

/// Reads `{"remote_table": …, "column_mapping": {"id": "author_id"}, "insertion_order": null}`.
fn column_mapping(
    catalog: &Catalog,
    own: TableId,
    mut node: JsonObject<'_>,
    report: &mut Report,
) -> Result<Target, String> {
    let name = node
        .get("remote_table")
        .and_then(Name::read)
        .ok_or("it names no table")?;
    let mapping = node
        .object("column_mapping")
        .ok_or("it has no `column_mapping`")?;
    if node.text("insertion_order") == Some("after_parent") {
        let how = "a nested insert first writes the row whose key the other row references";
        report.approximated(format!("{}, insertion order", node.construct()), how);
    }
    node.get("insertion_order");
    node.finish(report);
    let to = name
        .find(catalog)
        .ok_or_else(|| format!("there is no table `{}`", name.key()))?;
    let pairs = mapping
        .iter()
        .map(|(own, theirs)| Some((own.clone(), theirs.as_str()?.to_owned())));
    let on: Vec<(String, String)> = pairs
        .collect::<Option<_>>()
        .ok_or("a column is not a text")?;
    let missing = |table: TableId, column: &String| match catalog.table(table).find(column) {
        Some(_) => Ok(()),
        None => Err(format!(
            "there is no column `{column}` in `{}`",
            key(catalog.table(table))
        )),
    };
    for (mine, theirs) in &on {
        missing(own, mine)?;
        missing(to, theirs)?;
    }
    if on.is_empty() {
        Err("it maps no column".to_owned())
    } else {
        Ok((to, on))
    }
}
