//! Reads tracked tables: their names, relationships and computed fields, resolved in the catalog.
//!
//! [`crate::grants`] reads their permissions once every table is known.

use std::collections::HashMap;

use serde_json::Value;
use sql::model::names::{Convention, RootKind, is_graphql};
use sql::postgres::catalog::{Catalog, Function, Table, TableId};

use crate::json_object::JsonObject;
use crate::names::{self, Name, key};
use crate::relationship::{self, Relationship};
use crate::report::Report;

/// All tracked tables, in the order of the metadata.
#[derive(Debug, Default)]
pub(crate) struct Tables<'v> {
    pub(crate) tracked: Vec<Tracked<'v>>,
    places: HashMap<TableId, usize>,
}

/// A tracked table.
#[derive(Debug)]
pub(crate) struct Tracked<'v> {
    pub(crate) id: TableId,
    /// The table's name in the permission file and in the report.
    pub(crate) key: String,
    /// Whether its name, or its custom name in the metadata, is valid in GraphQL.
    pub(crate) exposed: bool,
    pub(crate) name: Option<String>,
    pub(crate) is_enum: bool,
    pub(crate) columns: Vec<(String, String)>,
    pub(crate) comment: Option<String>,
    pub(crate) comments: Vec<(String, String)>,
    pub(crate) roots: Vec<(RootKind, String)>,
    pub(crate) relationships: Vec<Relationship>,
    pub(crate) computed: Vec<Computed>,
    /// The permissions of each action, not interpreted.
    pub(crate) permissions: Vec<(Action, &'v Value)>,
    pub(crate) events: &'v [Value],
}

/// The action that a permission allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Action {
    Select,
    Insert,
    Update,
    Delete,
}

/// A computed field.
#[derive(Clone, Debug)]
pub(crate) struct Computed {
    pub(crate) name: String,
    pub(crate) function: Name,
    pub(crate) row: Option<String>,
    pub(crate) session: Option<String>,
}

/// The keys of custom root fields in the metadata.
const ROOTS: [(&str, RootKind); 11] = [
    ("select", RootKind::List),
    ("select_by_pk", RootKind::One),
    ("select_aggregate", RootKind::Aggregate),
    ("select_stream", RootKind::Stream),
    ("insert", RootKind::Insert),
    ("insert_one", RootKind::InsertOne),
    ("update", RootKind::Update),
    ("update_by_pk", RootKind::UpdateOne),
    ("update_many", RootKind::UpdateMany),
    ("delete", RootKind::Delete),
    ("delete_by_pk", RootKind::DeleteOne),
];

impl<'v> Tables<'v> {
    /// Reads the tables of a source.
    pub(crate) fn read(catalog: &Catalog, tables: &'v [Value], report: &mut Report) -> Tables<'v> {
        let mut found = Tables::default();
        for value in tables {
            let Some(tracked) = read_table(catalog, value, report) else {
                continue;
            };
            if found
                .places
                .insert(tracked.id, found.tracked.len())
                .is_some()
            {
                report.refused(format!("table {}", tracked.key), "it is defined twice");
                continue;
            }
            found.tracked.push(tracked);
        }
        found.drop_untracked(catalog, report);
        found
    }

    /// Looks up a relationship by name.
    pub(crate) fn relationship(&self, table: TableId, name: &str) -> Option<&Relationship> {
        self.find(table)?
            .relationships
            .iter()
            .find(|relationship| relationship.name == name)
    }

    /// Looks up a computed field by name.
    pub(crate) fn computed(&self, table: TableId, name: &str) -> Option<&Computed> {
        self.find(table)?
            .computed
            .iter()
            .find(|computed| computed.name == name)
    }

    /// Looks up a tracked table by id.
    pub(crate) fn find(&self, table: TableId) -> Option<&Tracked<'v>> {
        self.places
            .get(&table)
            .and_then(|index| self.tracked.get(*index))
    }

    /// Removes relationships and computed fields that lead to tables that are not tracked, and
    /// reports them as refused.
    fn drop_untracked(&mut self, catalog: &Catalog, report: &mut Report) {
        let places = &self.places;
        for table in &mut self.tracked {
            let Tracked {
                key: own,
                relationships,
                computed,
                ..
            } = table;
            computed.retain(|computed| {
                let construct = format!("table {own}, computed field {}", computed.name);
                let returned = computed
                    .function(catalog)
                    .ok()
                    .and_then(|function| names::returned(catalog, function));
                let tracked = returned.is_none_or(|table| places.contains_key(&table));
                if tracked {
                    report.carried(construct);
                } else {
                    report.refused(construct, "the table whose rows it returns is not tracked");
                }
                tracked
            });
            relationships.retain(|relationship| {
                let tracked = places.contains_key(&relationship.to);
                let construct = format!("table {own}, relationship {}", relationship.name);
                if tracked {
                    report.carried(construct);
                } else {
                    let other = key(catalog.table(relationship.to));
                    report.refused(construct, format!("the table `{other}` is not tracked"));
                }
                tracked
            });
        }
    }
}

impl Action {
    /// Every action, with the key of its permissions in the metadata.
    pub(crate) const ALL: [(Action, &'static str); 4] = [
        (Action::Select, "select_permissions"),
        (Action::Insert, "insert_permissions"),
        (Action::Update, "update_permissions"),
        (Action::Delete, "delete_permissions"),
    ];

    /// Whether Postgres supports the action on the table or view, by the bits of
    /// `pg_relation_is_updatable`.
    pub(crate) fn is_possible(self, table: &Table) -> bool {
        let needed = match self {
            Action::Select => 0,
            Action::Insert => 8,
            Action::Update => 4,
            Action::Delete => 16,
        };
        table.updatable & needed == needed
    }

    /// The key in the permission file.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Action::Select => "select",
            Action::Insert => "insert",
            Action::Update => "update",
            Action::Delete => "delete",
        }
    }
}

impl Computed {
    /// Looks the function up in the catalog.
    pub(crate) fn function<'c>(&self, catalog: &'c Catalog) -> Result<&'c Function, String> {
        names::function(catalog, &self.function)
    }

    /// The index of the argument that takes the row.
    pub(crate) fn row_argument(&self, function: &Function) -> Option<usize> {
        match &self.row {
            None => (!function.arguments.is_empty()).then_some(0),
            Some(row) => function
                .arguments
                .iter()
                .position(|argument| argument.name.as_ref() == Some(row)),
        }
    }
}

fn read_table<'v>(catalog: &Catalog, value: &'v Value, report: &mut Report) -> Option<Tracked<'v>> {
    let mut node = JsonObject::new(value, "table", report)?;
    let Some(name) = node.get("table").and_then(Name::read) else {
        report.refused("table", format!("it has no name: {value}"));
        return None;
    };
    let key = name.key();
    let construct = format!("table {key}");
    let Some(id) = name.find(catalog) else {
        report.refused(construct, "the database has no such table");
        return None;
    };
    let mut node = JsonObject::from_map(value.as_object()?, construct.clone());
    node.get("table");
    report.carried(construct.clone());
    let mut tracked = Tracked {
        id,
        key,
        exposed: true,
        name: None,
        is_enum: node.flag("is_enum"),
        columns: vec![],
        comment: None,
        comments: vec![],
        roots: vec![],
        relationships: vec![],
        computed: vec![],
        permissions: vec![],
        events: node.list("event_triggers"),
    };
    let table = catalog.table(id);
    if let Some(fields) = node.object("configuration") {
        read_configuration(
            &mut tracked,
            table,
            JsonObject::from_map(fields, construct.clone()),
            report,
        );
    }
    tracked.roots.retain(|(kind, _)| {
        let possible = can_have(table, *kind);
        if !possible {
            report.approximated(
                format!("{construct}, name of `{}`", kind.key()),
                "the table has no such root field",
            );
        }
        possible
    });
    let default = || Convention::Snake.table(&table.schema, &table.name);
    tracked.exposed = is_graphql(&tracked.name.clone().unwrap_or_else(default));
    if !tracked.exposed {
        report.approximated(
            construct.clone(),
            "its name is not valid in GraphQL, and it has no other: it is not exposed",
        );
    }
    for (key, array) in [
        ("object_relationships", false),
        ("array_relationships", true),
    ] {
        for value in node.list(key) {
            let found = relationship::read(catalog, (id, &tracked.key), value, array, report);
            tracked.relationships.extend(found);
        }
    }
    let computed = node.list("computed_fields").iter();
    tracked.computed = computed
        .filter_map(|value| read_computed(catalog, &tracked.key, value, report))
        .collect();
    for (action, key) in Action::ALL {
        tracked
            .permissions
            .extend(node.list(key).iter().map(|value| (action, value)));
    }
    for value in node.list("remote_relationships") {
        let name = value["name"].as_str().unwrap_or("?");
        report.refused(
            format!("{construct}, remote relationship {name}"),
            "Postern serves one database alone",
        );
    }
    node.finish(report);
    Some(tracked)
}

/// Whether a table can have a root field of this kind. The permission file refuses names of others.
fn can_have(table: &Table, kind: RootKind) -> bool {
    let action = match kind {
        RootKind::Insert | RootKind::InsertOne => Action::Insert,
        RootKind::Update | RootKind::UpdateOne | RootKind::UpdateMany => Action::Update,
        RootKind::Delete | RootKind::DeleteOne => Action::Delete,
        _ => Action::Select,
    };
    let by_key = matches!(
        kind,
        RootKind::One | RootKind::UpdateOne | RootKind::DeleteOne
    );
    action.is_possible(table) && (!by_key || table.primary_key().is_some())
}

fn read_configuration(
    tracked: &mut Tracked<'_>,
    table: &Table,
    mut node: JsonObject<'_>,
    report: &mut Report,
) {
    tracked.name = node.text("custom_name").map(str::to_owned);
    let construct = node.construct().to_owned();
    if let Some(names) = node.object("custom_column_names") {
        let named = names
            .iter()
            .filter_map(|(column, name)| Some((column.clone(), name.as_str()?.to_owned())));
        tracked.columns = named.collect();
    }
    for (column, config) in node.object("column_config").into_iter().flatten() {
        let mut config =
            match JsonObject::new(config, format!("{construct}, column {column}"), report) {
                Some(config) => config,
                None => continue,
            };
        if let Some(name) = config.text("custom_name") {
            tracked.columns.retain(|(known, _)| known != column);
            tracked.columns.push((column.clone(), name.to_owned()));
        }
        let comment = config
            .text("comment")
            .filter(|_| table.find(column).is_some());
        tracked
            .comments
            .extend(comment.map(|comment| (column.clone(), comment.to_owned())));
        config.finish(report);
    }
    tracked.columns.retain(|(column, _)| {
        let known = table.find(column).is_some();
        if !known {
            report.refused(
                format!("{construct}, name of column {column}"),
                "the table has no such column",
            );
        }
        known
    });
    if let Some(fields) = node.object("custom_root_fields") {
        let mut node = JsonObject::from_map(fields, format!("{construct}, custom root fields"));
        for (key, kind) in ROOTS {
            let name = node
                .get(key)
                .and_then(|value| value.as_str().or_else(|| value["name"].as_str()));
            tracked
                .roots
                .extend(name.map(|name| (kind, name.to_owned())));
            if node
                .get(key)
                .is_some_and(|value| value["comment"].is_string())
            {
                report.approximated(format!("{construct}, comment of `{key}`"), COMMENTS);
            }
        }
        node.finish(report);
    }
    tracked.comment = node.text("comment").map(str::to_owned);
    node.finish(report);
}

const COMMENTS: &str = "descriptions are the comments of the database (COMMENT ON)";

fn read_computed(
    catalog: &Catalog,
    table: &str,
    value: &Value,
    report: &mut Report,
) -> Option<Computed> {
    let mut node = JsonObject::new(value, format!("table {table}, computed field"), report)?;
    let name = node.text("name").unwrap_or_default().to_owned();
    let construct = format!("table {table}, computed field {name}");
    let mut definition = JsonObject::from_map(node.object("definition")?, construct.clone());
    let function = definition.get("function").and_then(Name::read);
    let text = |definition: &mut JsonObject<'_>, key| definition.text(key).map(str::to_owned);
    let row = text(&mut definition, "table_argument");
    let session = text(&mut definition, "session_argument");
    definition.finish(report);
    if node
        .text("comment")
        .is_some_and(|comment| !comment.is_empty())
    {
        report.approximated(format!("{construct}, comment"), COMMENTS);
    }
    node.finish(report);
    let Some(function) = function else {
        report.refused(construct, "it names no function");
        return None;
    };
    let computed = Computed {
        name,
        function,
        row,
        session,
    };
    if let Err(why) = computed.function(catalog) {
        report.refused(construct, why);
        return None;
    }
    Some(computed)
}
