//! Lists the GraphQL names of everything a role can use beside the database's names, as data and as
//! a Markdown page. It walks [`crate::schema`], which requests are validated with, so it includes
//! new kinds of fields and types without changes here.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use crate::model::access::Access;
use crate::model::names::RootKind;
use crate::model::{ExposedTable, Relation, Root};
use crate::postgres::catalog::{ColumnId, TableId};
use crate::schema::{BuiltIn, FieldDefinition, Meaning, Object, Schema, TypeKey, TypeRef};

mod page;

/// All names in a role's schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// The role.
    pub role: String,
    /// The tables that the role may read or write, in the order of the catalog.
    pub tables: Vec<TableNames>,
    /// Root fields that belong to no table.
    pub fields: Vec<FieldName>,
    /// Types that belong to no table, by name: scalars, comparisons, orders.
    pub types: Vec<String>,
}

/// The names of a table and of its fields and types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableNames {
    /// The table's name in the permission file: `t`, or `s.t` outside `public`.
    pub table: String,
    /// The naming convention for names that the permission file does not set.
    pub convention: &'static str,
    /// Its name in GraphQL, from which the names of root fields are derived.
    pub name: String,
    /// The object type of its rows.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Its root fields, one entry for each kind.
    pub roots: Vec<RootNames>,
    /// Its columns.
    pub columns: Vec<ColumnName>,
    /// Its relationships.
    pub relations: Vec<RelationName>,
    /// Other fields of its object type.
    pub fields: Vec<FieldName>,
    /// The types whose names are derived from the table's name.
    pub types: Vec<String>,
}

/// A root field of one kind: its name and its aliases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RootNames {
    /// The key of the kind in the permission file: `insert_one`.
    pub kind: &'static str,
    /// The name of the root field.
    pub name: String,
    /// Its aliases.
    pub aliases: Vec<String>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnName {
    /// Its name in the database.
    pub column: String,
    /// Its name in GraphQL.
    pub name: String,
    /// Its type in GraphQL.
    #[serde(rename = "type")]
    pub type_name: String,
}

/// A relationship.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RelationName {
    /// The name of its field.
    pub name: String,
    /// The related table's name in the permission file.
    pub to: String,
    /// The type of the field.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The name of its aggregate field.
    pub aggregate: Option<String>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldName {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_name: String,
}

impl Reference {
    /// Collects the names of a role's schema.
    pub fn new(access: &Access) -> Reference {
        let schema = Schema::new(access);
        let subscriptions = schema.fields(Object::Subscription).into_iter();
        let streams = subscriptions.filter(
            |field| matches!(field.meaning, Meaning::Root(root) if root.kind == RootKind::Stream),
        );
        let fields = schema
            .fields(Object::Query)
            .into_iter()
            .chain(schema.fields(Object::Mutation))
            .chain(streams);
        let (roots, others): (Vec<_>, Vec<_>) =
            fields.partition(|field| matches!(field.meaning, Meaning::Root(_)));
        let roots: Vec<&Root> = roots.iter().filter_map(root).collect();
        let mut types = types(schema);
        let tables = schema.tables().map(|exposed| {
            let own = types.remove(&Some(exposed.table)).unwrap_or_default();
            table(schema, exposed, &roots, own)
        });
        let tables = tables.collect();
        let fields = others.iter().map(|field| named(schema, field)).collect();
        Reference {
            role: access.role().to_owned(),
            tables,
            fields,
            types: types.remove(&None).unwrap_or_default(),
        }
    }
}

fn root<'a>(field: &FieldDefinition<'a>) -> Option<&'a Root> {
    match field.meaning {
        Meaning::Root(root) => Some(root),
        _ => None,
    }
}

fn table(
    schema: Schema<'_>,
    exposed: &ExposedTable,
    roots: &[&Root],
    types: Vec<String>,
) -> TableNames {
    let mut columns = Vec::new();
    let mut relations = Vec::<RelationName>::new();
    let mut fields = Vec::new();
    for field in schema.fields(Object::Row(exposed.table)) {
        match field.meaning {
            Meaning::Column(column) => {
                let column = schema
                    .model()
                    .table(exposed.table)
                    .column(column)
                    .name
                    .clone();
                let FieldName { name, type_name } = named(schema, &field);
                columns.push(ColumnName {
                    column,
                    name,
                    type_name,
                });
            }
            Meaning::Object(relation) | Meaning::Array(relation) => {
                relations.push(related(schema, relation, &field));
            }
            Meaning::Aggregate(relation)
                if relations.iter().any(|known| known.name == relation.name) =>
            {
                let known = relations
                    .iter_mut()
                    .filter(|known| known.name == relation.name);
                known.for_each(|known| known.aggregate = Some(field.name.to_owned()));
            }
            _ => fields.push(named(schema, &field)),
        }
    }
    columns.extend(written(schema, exposed.table, &columns));
    let own: Vec<&Root> = roots
        .iter()
        .copied()
        .filter(|root| root.table == exposed.table)
        .collect();
    TableNames {
        table: key(schema, exposed.table),
        convention: exposed.convention.key(),
        name: exposed.name.clone(),
        type_name: exposed.type_name.clone(),
        roots: RootKind::ALL
            .iter()
            .filter_map(|(kind, key)| called(*kind, key, &own))
            .collect(),
        columns,
        relations,
        fields,
        types,
    }
}

/// The columns that the role may write but not read.
fn written(schema: Schema<'_>, table: TableId, read: &[ColumnName]) -> Vec<ColumnName> {
    let entry = schema.model().table(table);
    let both = schema
        .insertable_columns(table)
        .into_iter()
        .chain(schema.updatable_columns(table));
    let mut columns: Vec<_> = both
        .map(|(id, name)| (id, entry.column(id).name.as_str(), name))
        .collect();
    columns.sort_unstable();
    columns.dedup();
    columns.retain(|(_, column, _)| read.iter().all(|known| known.column != *column));
    let column = |(id, column, name): (ColumnId, &str, &str)| ColumnName {
        column: column.to_owned(),
        name: name.to_owned(),
        type_name: schema.written(TypeRef::nullable(schema.column_named(table, id))),
    };
    columns.into_iter().map(column).collect()
}

/// The names of the root fields of a kind. The first is the one from the convention or from `root`
/// in the permission file.
fn called(kind: RootKind, key: &'static str, roots: &[&Root]) -> Option<RootNames> {
    let mut names = roots
        .iter()
        .filter(|root| root.kind == kind)
        .map(|root| root.name.clone());
    Some(RootNames {
        kind: key,
        name: names.next()?,
        aliases: names.collect(),
    })
}

fn related(schema: Schema<'_>, relation: &Relation, field: &FieldDefinition<'_>) -> RelationName {
    let FieldName { name, type_name } = named(schema, field);
    RelationName {
        name,
        to: key(schema, relation.to),
        type_name,
        aggregate: None,
    }
}

fn named(schema: Schema<'_>, field: &FieldDefinition<'_>) -> FieldName {
    FieldName {
        name: field.name.to_owned(),
        type_name: schema.written(field.r#type),
    }
}

/// The table's name in the permission file.
fn key(schema: Schema<'_>, table: TableId) -> String {
    let entry = schema.model().table(table);
    match entry.schema.as_str() {
        "public" => entry.name.clone(),
        schema => format!("{schema}.{}", entry.name),
    }
}

/// Groups the names of all reachable types by the table whose name they begin with. Row types are
/// left out.
fn types(schema: Schema<'_>) -> BTreeMap<Option<TableId>, Vec<String>> {
    let mut by_table: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (name, named) in reached(schema) {
        let built_in = BuiltIn::ALL.iter().any(|(_, built_in)| *built_in == name);
        if !built_in
            && !matches!(
                named,
                TypeKey::Object(
                    Object::Row(_) | Object::Query | Object::Mutation | Object::Subscription
                )
            )
        {
            // If `authors` and `authors_aggregate` are both tables, `authors_aggregate_fields`
            // belongs to the longer name.
            let of = schema
                .tables()
                .filter(|exposed| exposed.suffix(&name).is_some());
            let of = of
                .max_by_key(|exposed| exposed.types.len())
                .map(|exposed| exposed.table);
            by_table.entry(of).or_default().push(name);
        }
    }
    by_table.values_mut().for_each(|names| names.sort());
    by_table
}

fn reached(schema: Schema<'_>) -> Vec<(String, TypeKey)> {
    let mutation = schema.has_mutations().then_some(Object::Mutation);
    let subscription = schema.has_subscriptions().then_some(Object::Subscription);
    let roots = std::iter::once(Object::Query)
        .chain(mutation)
        .chain(subscription);
    let mut found: Vec<_> = roots
        .map(|root| (schema.name(TypeKey::Object(root)), TypeKey::Object(root)))
        .collect();
    let mut seen: HashSet<String> = found.iter().map(|(name, _)| name.clone()).collect();
    let mut next = 0;
    while let Some((_, named)) = found.get(next).cloned() {
        next += 1;
        for named in mentioned(schema, named) {
            let name = schema.name(named);
            if seen.insert(name.clone()) {
                found.push((name, named));
            }
        }
    }
    found
}

/// The types of the fields and arguments of a type.
fn mentioned(schema: Schema<'_>, named: TypeKey) -> Vec<TypeKey> {
    match named {
        TypeKey::Object(object) => {
            let all = |field: FieldDefinition<'_>| {
                let arguments = field
                    .arguments
                    .into_iter()
                    .map(|argument| argument.r#type.named);
                std::iter::once(field.r#type.named)
                    .chain(arguments)
                    .collect::<Vec<_>>()
            };
            schema.fields(object).into_iter().flat_map(all).collect()
        }
        TypeKey::Input(input) => schema
            .input_fields(input)
            .into_iter()
            .map(|field| field.r#type.named)
            .collect(),
        TypeKey::Enum(_) | TypeKey::BuiltIn(_) | TypeKey::Scalar(_) | TypeKey::ActionScalar(_) => {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::names::Convention;
    use crate::testing::{admin, reader};

    /// `make bless CASE=snapshots` rewrites the page.
    #[test]
    fn the_page_shows_every_name() {
        let pages = [
            admin(Convention::GraphqlDefault),
            reader(
                Convention::Snake,
                &[
                    ("articles", &["id", "title"], true),
                    ("authors", &["id", "name"], false),
                ],
            ),
        ];
        let found = pages
            .map(|access| Reference::new(&access).page())
            .join("\n");
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/introspection/reference/page.md"
        );
        if crate::testing::is_blessed() {
            std::fs::write(path, &found).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), found);
    }

    #[test]
    fn hidden_tables_and_columns_are_not_named() {
        let access = reader(Convention::Camel, &[("articles", &["id"], false)]);
        let text = serde_json::to_string(&Reference::new(&access)).unwrap();
        for hidden in ["author", "title", "ggregate", "secret"] {
            assert!(!text.contains(hidden), "{hidden}: {text}");
        }
        assert!(text.contains("articles_bool_exp"), "{text}");
    }
}
