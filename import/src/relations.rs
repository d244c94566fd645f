//! Finds which relationships the permission file must declare or hide, so that exactly the tracked
//! ones exist.
//!
//! The permission compiler derives relationships from foreign keys. So the file is compiled
//! repeatedly, each time with the declarations that were still missing, until it makes all tracked
//! relationships; the others are hidden.

use std::collections::HashMap;
use std::sync::Arc;

use permissions::SourceFile;
use sql::model::names::Convention;
use sql::model::{Model, Relation, RelationKind};
use sql::postgres::catalog::{Catalog, ForeignKey, TableId};

use crate::names::key;
use crate::relationship::Relationship;
use crate::tables::Tables;
use crate::toml_writer::TomlValue;

/// The relationship entries of each table, by name.
pub(crate) type Relations = HashMap<TableId, Vec<(String, TomlValue)>>;

/// Finds the entries. `file` writes the permission file with the entries so far, without grants.
pub(crate) fn needed(
    catalog: &Arc<Catalog>,
    tables: &Tables<'_>,
    file: impl Fn(&Relations) -> String,
) -> Relations {
    let mut declared = Relations::new();
    // A declaration may change the derived name of another relationship. Each round adds entries or
    // is the last.
    loop {
        let model = model(catalog, &file(&declared));
        let before: usize = declared.values().map(Vec::len).sum();
        for table in &tables.tracked {
            for relationship in &table.relationships {
                let entry = declared.entry(table.id).or_default();
                let known = entry.iter().any(|(name, _)| *name == relationship.name);
                if !known && !has(&model, table.id, relationship) {
                    entry.push((
                        relationship.name.clone(),
                        item(catalog, table.id, relationship),
                    ));
                }
            }
        }
        if declared.values().map(Vec::len).sum::<usize>() == before {
            hide(&model, tables, &mut declared);
            return declared;
        }
    }
}

fn model(catalog: &Arc<Catalog>, text: &str) -> Arc<Model> {
    let file = SourceFile::new("permissions.toml", text);
    let attempt = permissions::compile_partial(&file, catalog.clone(), Convention::Snake);
    attempt.permissions.map_or_else(
        || permissions::allow_all_with(catalog.clone(), Convention::Snake).model,
        |made| made.model,
    )
}

/// Whether the model has the relationship.
fn has(model: &Model, table: TableId, relationship: &Relationship) -> bool {
    let found = model
        .exposed(table)
        .and_then(|exposed| exposed.relation(&relationship.name));
    found.is_some_and(|found| same(model, table, found, relationship))
}

fn same(model: &Model, table: TableId, found: &Relation, relationship: &Relationship) -> bool {
    let own = model.table(table);
    let to = model.table(found.to);
    let named = |(mine, theirs): &(String, String)| Some((own.find(mine)?, to.find(theirs)?));
    let pairs: Option<Vec<_>> = relationship.on.iter().map(named).collect();
    let equal = pairs.is_some_and(|pairs| {
        pairs.len() == found.on.len() && pairs.iter().all(|pair| found.on.contains(pair))
    });
    let kind = match found.kind {
        RelationKind::Array => relationship.array,
        RelationKind::Object { always, .. } => {
            !(relationship.array || always && relationship.by_hand)
        }
    };
    equal && found.to == relationship.to && kind
}

/// Adds entries that hide the relationships that were not tracked.
fn hide(model: &Model, tables: &Tables<'_>, declared: &mut Relations) {
    for table in &tables.tracked {
        let relations = model
            .exposed(table.id)
            .map_or(&[][..], |exposed| &exposed.relations);
        let tracked = |relation: &&Relation| {
            table
                .relationships
                .iter()
                .any(|known| known.name == relation.name)
        };
        let hidden = relations.iter().filter(|relation| !tracked(relation));
        declared
            .entry(table.id)
            .or_default()
            .extend(hidden.map(|relation| (relation.name.clone(), TomlValue::Flag(false))));
    }
}

/// Writes the entry of a relationship: its foreign key, where that determines it.
fn item(catalog: &Catalog, own: TableId, relationship: &Relationship) -> TomlValue {
    let (mine, theirs): (Vec<String>, Vec<String>) = relationship.on.iter().cloned().unzip();
    let columns = |columns: &[String]| match columns {
        [one] => TomlValue::text(one.as_str()),
        several => TomlValue::texts(several),
    };
    let pair = |name: &str, item| (name.to_owned(), item);
    let table = pair(
        "table",
        TomlValue::text(key(catalog.table(relationship.to))),
    );
    let unique = catalog
        .table(relationship.to)
        .has_key(&theirs.iter().map(String::as_str).collect::<Vec<_>>());
    if !relationship.array
        && !relationship.by_hand
        && is_key(catalog, own, relationship.to, &mine, &theirs, true)
    {
        return TomlValue::Table(vec![pair("column", columns(&mine))]);
    }
    if relationship.array != unique && is_key(catalog, relationship.to, own, &theirs, &mine, false)
    {
        return TomlValue::Table(vec![table, pair("column", columns(&theirs))]);
    }
    let on = relationship
        .on
        .iter()
        .map(|(mine, theirs)| (mine.clone(), TomlValue::text(theirs.as_str())))
        .collect();
    let mut pairs = vec![table, pair("on", TomlValue::Table(on))];
    if !relationship.array {
        pairs.push(pair("one", TomlValue::Flag(true)));
    }
    TomlValue::Table(pairs)
}

/// Whether these columns determine exactly one foreign key of `lies_in`.
fn is_key(
    catalog: &Catalog,
    lies_in: TableId,
    to: TableId,
    columns: &[String],
    references: &[String],
    anywhere: bool,
) -> bool {
    let table = catalog.table(lies_in);
    let leads = |foreign: &ForeignKey| catalog.find(&foreign.schema, &foreign.table) == Some(to);
    let over = |foreign: &&ForeignKey| {
        foreign.columns.len() == columns.len()
            && columns
                .iter()
                .all(|column| foreign.columns.contains(column))
    };
    let meant: Vec<&ForeignKey> = table
        .foreign_keys
        .iter()
        .filter(over)
        .filter(|foreign| anywhere || leads(foreign))
        .collect();
    let pairs = |foreign: &ForeignKey| {
        let mut of_key: Vec<_> = foreign.columns.iter().zip(&foreign.references).collect();
        let mut wanted: Vec<_> = columns.iter().zip(references).collect();
        of_key.sort();
        wanted.sort();
        of_key == wanted
    };
    matches!(meant.as_slice(), [only] if leads(only) && pairs(only))
}
