//! Fixture for unit tests: a small catalog with authors and articles, a table that cannot be sorted
//! and one with secrets.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Value as Json, json};

use crate::error::Error;
use crate::graphql::document::{Limits, parse};
use crate::model::access::{Access, Columns, Grants, Rule, Select};
use crate::model::names::{Convention, RootKind};
use crate::model::{ExposedTable, Model, Relation, RelationKind, Root};
use crate::postgres::catalog::{Catalog, ColumnId, Table, TableId};
use crate::resolve::Operation;

/// Whether the tests rewrite their snapshots: `make bless CASE=snapshots`.
pub(crate) fn is_blessed() -> bool {
    std::env::var("POSTERN_BLESS").is_ok_and(|part| matches!(part.as_str(), "snapshots" | "all"))
}

/// The catalog: `authors`, `articles`, `attachments` (without a sortable column) and `secrets`.
pub(crate) fn catalog() -> Arc<Catalog> {
    let tables = json!([
        table(
            "articles",
            None,
            &[
                ("id", 2950, false, None),
                ("title", 25, false, Some("what it is called")),
                ("body", 25, true, Some("the whole text")),
                ("author_id", 23, false, None),
                ("rating", 1700, true, None),
                ("published", 16, false, None),
                ("tags", 1009, true, None),
                ("views", 20, false, None),
            ]
        ),
        table(
            "attachments",
            None,
            &[
                ("data", 3802, false, None),
                ("article_id", 2950, false, None)
            ]
        ),
        table(
            "authors",
            Some("people who \"\"\"write\"\"\""),
            &[
                ("id", 23, false, None),
                ("name", 25, false, Some("as printed")),
                ("email", 25, true, Some("never shown")),
                ("born", 1184, true, None),
                ("mood", 16390, true, None),
                ("height", 701, true, None),
            ]
        ),
        table(
            "secrets",
            Some("not for everybody"),
            &[("id", 23, false, None), ("author_id", 23, false, None)]
        ),
    ]);
    let document = json!({
        "server_version": 150018, "database": "press", "search_path": ["public"],
        "tables": tables, "types": types(), "functions": [],
    });
    Arc::new(Catalog::decode(&document.to_string()).unwrap())
}

fn table(name: &str, comment: Option<&str>, columns: &[(&str, u32, bool, Option<&str>)]) -> Json {
    let key = columns.iter().any(|(name, ..)| *name == "id");
    let columns = columns.iter().map(|(name, oid, nullable, comment)| {
        json!({
            "name": name, "type": oid, "nullable": nullable, "default": null, "generated": null,
            "identity": null, "deterministic": *name != "body", "comment": comment,
        })
    });
    let keys = if key {
        json!([{"name": format!("{name}_pkey"), "primary": true, "columns": ["id"]}])
    } else {
        json!([])
    };
    json!({
        "schema": "public", "name": name, "kind": "table", "comment": comment, "estimated_rows": -1.0,
        "updatable": 28, "columns": columns.collect::<Vec<_>>(), "keys": keys, "foreign_keys": [],
    })
}

fn types() -> Json {
    let built_in = |oid: u32, name: &str, category: char, ordered: bool| {
        json!({
            "oid": oid, "schema": "pg_catalog", "name": name, "category": category, "binary": true,
            "ordered": ordered, "kind": "base", "comment": null,
        })
    };
    json!([
        built_in(16, "bool", 'B', true),
        built_in(20, "int8", 'N', true),
        built_in(23, "int4", 'N', true),
        built_in(25, "text", 'S', true),
        built_in(701, "float8", 'N', true),
        {"oid": 1009, "schema": "pg_catalog", "name": "_text", "category": "A", "binary": true, "ordered": true,
         "kind": {"array": 25}, "comment": null},
        built_in(1184, "timestamptz", 'D', true),
        built_in(1700, "numeric", 'N', true),
        built_in(2950, "uuid", 'U', true),
        built_in(3802, "jsonb", 'U', false),
        {"oid": 16390, "schema": "public", "name": "mood", "category": "E", "binary": true, "ordered": true,
         "kind": {"enum": ["happy", "sad"]}, "comment": "how somebody feels"},
    ])
}

/// A model that exposes every table, with all names made by the convention.
pub(crate) fn model(convention: Convention) -> Arc<Model> {
    let catalog = catalog();
    let tables: Vec<_> = catalog
        .table_ids()
        .map(|(id, table)| exposed(&catalog, id, table, convention))
        .collect();
    let kinds = RootKind::ALL.map(|(kind, _)| kind).into_iter();
    let kinds = kinds.filter(|kind| !matches!(kind, RootKind::Connection | RootKind::Stream));
    let roots = tables.iter().flat_map(|exposed| {
        let root = |kind| Root {
            name: convention.root(kind, &exposed.name),
            kind,
            table: exposed.table,
            input: None,
        };
        kinds.clone().map(root)
    });
    let articles = catalog.find("public", "articles").unwrap();
    let alias = Root {
        name: "publish".into(),
        kind: RootKind::InsertOne,
        table: articles,
        input: Some("manuscript_input".into()),
    };
    let roots = roots.chain([alias]).collect();
    Arc::new(Model::new(catalog, tables, roots))
}

fn exposed(catalog: &Catalog, id: TableId, table: &Table, convention: Convention) -> ExposedTable {
    let name = convention.table(&table.schema, &table.name);
    let columns = table
        .columns
        .iter()
        .map(|column| Some(convention.column(&column.name)))
        .collect();
    let relations = relations(catalog, table, convention);
    let types = convention.types(&name);
    ExposedTable {
        comment: None,
        comments: Default::default(),
        groups: true,
        connection: true,
        table: id,
        convention,
        type_name: types.clone(),
        types,
        name,
        columns,
        relations,
        computed: vec![],
    }
}

fn relations(catalog: &Catalog, from: &Table, convention: Convention) -> Vec<Relation> {
    let all = [
        ("articles", "author", "author_id", "authors", "id", false),
        (
            "attachments",
            "article",
            "article_id",
            "articles",
            "id",
            false,
        ),
        (
            "articles",
            "attachments",
            "id",
            "attachments",
            "article_id",
            true,
        ),
        ("authors", "articles", "id", "articles", "author_id", true),
        ("authors", "secrets", "id", "secrets", "author_id", true),
    ];
    let own = all.into_iter().filter(|(table, ..)| *table == from.name);
    let relation = |(_, name, column, to, other, many): (&str, &str, &str, &str, &str, bool)| {
        let to = catalog.find("public", to).unwrap();
        let name = convention.column(name);
        Relation {
            aggregate: many.then(|| convention.aggregate(&name)),
            connection: None,
            name,
            to,
            on: vec![(
                from.find(column).unwrap(),
                catalog.table(to).find(other).unwrap(),
            )],
            kind: if many {
                RelationKind::Array
            } else {
                RelationKind::Object {
                    unique: true,
                    always: true,
                }
            },
        }
    };
    own.map(relation).collect()
}

/// The role `admin`.
pub(crate) fn admin(convention: Convention) -> Access {
    Access::admin(model(convention))
}

/// A role that may read the listed columns of the listed tables; the flag allows aggregates.
pub(crate) fn reader(convention: Convention, tables: &[(&str, &[&str], bool)]) -> Access {
    let model = model(convention);
    let grants = tables.iter().map(|(table, columns, aggregates)| {
        let id = model.catalog().find("public", table).unwrap();
        let select = select(model.table(id), columns, *aggregates);
        (
            id,
            Box::new(Grants {
                select: Some(select),
                ..Grants::default()
            }),
        )
    });
    let grants: HashMap<_, _> = grants.collect();
    Access::new("reader", model, grants)
}

/// A role with these grants.
pub(crate) fn granted(
    convention: Convention,
    grants: impl FnOnce(&Model) -> Vec<(TableId, Grants)>,
) -> Access {
    let model = model(convention);
    let grants = grants(&model)
        .into_iter()
        .map(|(table, grants)| (table, Box::new(grants)))
        .collect();
    Access::new("writer", model, grants)
}

fn select(table: &Table, names: &[&str], aggregates: bool) -> Select {
    let mut columns = Columns::default();
    names
        .iter()
        .for_each(|name| columns.insert(find(table, name)));
    let mut select = Select::new(columns, Rule::everything());
    select.aggregates = aggregates.then(Default::default);
    select
}

fn find(table: &Table, name: &str) -> ColumnId {
    table
        .find(name)
        .unwrap_or_else(|| panic!("no column {name}"))
}

/// Validates the document against the role's schema.
pub(crate) fn validate(access: &Access, document: &str) -> Result<Operation, Error> {
    Operation::validate(access, Arc::new(parse(document, &Limits::default())?), None)
}

/// Polls a future that never waits until it is ready.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
