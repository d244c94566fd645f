//! `postern init` writes a file that `check` and `serve` accept, whatever the names in the database
//! are: keys of a table to itself, several keys between two tables, names of GraphQL types and
//! fields, names that only differ in case, keywords, quotes and line ends, partitions, views and
//! functions.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::json;
use tests::TestDatabase;
use tests::binary::run;
use tests::choices::{Choices, check};
use tests::reply::Reply;

const TABLES: &[&str] = &[
    "a",
    "b",
    "order_items",
    "orderItems",
    "OrderItems",
    "a_aggregate",
    "a_by_pk",
    "aByPk",
    "a_bool_exp",
    "a_group",
    "aStream",
    "insert_a",
    "String",
    "Int",
    "query_root",
    "order_by",
    "select",
    "user",
    "jsonb_comparison_exp",
    "_and",
    "_a",
    "two words",
    "line\nend",
    "quo\"te",
    "it's",
    "1st",
    "__a",
    "größe",
    "a'''b",
    "users",
    "categories",
    "Employee",
];

const COLUMNS: &[&str] = &[
    "a",
    "b",
    "parent",
    "created_by",
    "ReportsTo",
    "user_id",
    "userId",
    "a_id",
    "users",
    "a_aggregate",
    "_and",
    "_or",
    "_not",
    "_some",
    "_every",
    "_none",
    "_exists",
    "_set",
    "_inc",
    "__typename",
    "order",
    "limit",
    "where",
    "group",
    "two words",
    "line\nend",
    "quo\"te",
    "it's",
    "1st",
    "größe",
    "a_by_a",
    "aByA",
    "aByAList",
    "categories",
    "b_list",
];

/// The types of further columns.
const TYPES: &[&str] = &["text", "jsonb", "timestamptz", "int4[]"];

/// A database and what is in it.
struct Schema {
    statements: String,
    tables: Vec<String>,
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Up to this many distinct names.
fn distinct<'n>(choices: &mut Choices<'_>, names: &'n [&'n str], most: usize) -> BTreeSet<&'n str> {
    (0..choices.below(most + 1))
        .filter_map(|_| choices.pick(names).copied())
        .collect()
}

fn schema(choices: &mut Choices<'_>) -> Schema {
    let mut statements = "CREATE SCHEMA \"s two\";\n".to_owned();
    let mut tables: Vec<(String, Vec<&str>)> = vec![];
    for name in distinct(choices, TABLES, 7) {
        let location = if choices.percent(25) {
            "\"s two\""
        } else {
            "public"
        };
        let columns: Vec<&str> = distinct(choices, COLUMNS, 6).into_iter().collect();
        let table = format!("{location}.{}", quoted(name));
        let mut parts: Vec<String> = vec!["id int4".into()];
        parts.extend(
            columns
                .iter()
                .map(|column| format!("{} int4", quoted(column))),
        );
        parts.extend(
            (0..choices.below(3)).map(|n| format!("\"t {n}\" {}", choices.pick(TYPES).unwrap())),
        );
        parts.push("PRIMARY KEY (id)".into());
        let is_partitioned = choices.percent(15);
        let ending = if is_partitioned {
            " PARTITION BY HASH (id)"
        } else {
            ""
        };
        writeln!(
            statements,
            "CREATE TABLE {table} ({}){ending};",
            parts.join(", ")
        )
        .unwrap();
        if is_partitioned {
            let partition = format!("{location}.{}", quoted(&format!("{name} part")));
            let bounds = "FOR VALUES WITH (MODULUS 1, REMAINDER 0)";
            writeln!(
                statements,
                "CREATE TABLE {partition} PARTITION OF {table} {bounds};"
            )
            .unwrap();
        }
        tables.push((table, columns));
    }
    for (table, columns) in &tables {
        for column in columns {
            if choices.percent(50)
                && let Some((target, _)) = choices.pick(&tables)
            {
                let unique = if choices.percent(20) {
                    format!("ALTER TABLE {table} ADD UNIQUE (id, {0}); ", quoted(column))
                } else {
                    String::new()
                };
                let key = quoted(column);
                writeln!(
                    statements,
                    "{unique}ALTER TABLE {table} ADD FOREIGN KEY ({key}) REFERENCES {target} (id);"
                )
                .unwrap();
                if !unique.is_empty() && columns.len() > 1 {
                    let other = quoted(columns[columns.len() - 1]);
                    if other != key {
                        let composite =
                            format!("FOREIGN KEY ({other}, {key}) REFERENCES {table} (id, {key})");
                        writeln!(statements, "ALTER TABLE {table} ADD {composite};").unwrap();
                    }
                }
            }
        }
        if choices.percent(25) {
            let view = format!("public.{}", quoted(&format!("{} of it", table.len())));
            writeln!(
                statements,
                "CREATE OR REPLACE VIEW {view} AS SELECT id FROM {table};"
            )
            .unwrap();
        }
        if choices.percent(25) {
            writeln!(
                statements,
                "CREATE OR REPLACE FUNCTION of_row(r {table}) RETURNS int4 STABLE LANGUAGE sql \
                 RETURN 1;"
            )
            .unwrap();
        }
    }
    Schema {
        statements,
        tables: tables.into_iter().map(|(table, _)| table).collect(),
    }
}

async fn accepts(database: &TestDatabase, name: &str, text: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let checked = run(&[
        "check",
        "--database-url",
        database.url(),
        "--permissions",
        path.to_str().unwrap(),
    ])
    .unwrap();
    if checked.code != Some(0) {
        return Err(format!(
            "{name} is refused by check:\n{}\n{text}",
            checked.err
        ));
    }
    let builder = tests::gateway()
        .database_url(database.url())
        .listen("127.0.0.1:0")
        .admin_secret("secret");
    let gateway = builder
        .permissions_file(&path)
        .setting("pool-size", "2")
        .start()
        .await;
    let gateway =
        gateway.map_err(|error| format!("{name} is refused by serve:\n{error}\n{text}"))?;
    let query = json!({"query": "{ __schema { queryType { fields { name } } types { name fields \
                                 { name } } } }"});
    let asked = reqwest::Client::new()
        .post(format!("{}/v1/graphql", gateway.url()))
        .header("X-Gateway-Admin-Secret", "secret");
    let reply = Reply::of(asked.json(&query)).await.unwrap().json();
    gateway.shutdown().await;
    match reply["data"]["__schema"]["types"].as_array() {
        Some(types) => {
            let names: BTreeSet<&str> = types.iter().filter_map(|of| of["name"].as_str()).collect();
            (names.len() == types.len())
                .then_some(())
                .ok_or_else(|| format!("two types have one name:\n{text}"))
        }
        None => Err(format!("{reply}\n{text}")),
    }
}

/// The grants that the file shows as comments, without their `#`.
fn with_samples(text: &str) -> String {
    let samples = ["# [table.", "# select = ", "# [function.", "# roles = "];
    let lines = text.lines().map(|line| {
        if samples.iter().any(|sample| line.starts_with(sample)) {
            line.trim_start_matches("# ")
        } else {
            line
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn first_file_of_any_database_is_accepted() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let outcome = check(20, |choices| {
        let schema = schema(choices);
        runtime
            .block_on(async {
                let made = tests::create("any_schema", &[&schema.statements]).await;
                let database = made.map_err(|error| format!("{error}\n{}", schema.statements))?;
                accepts(&database, "empty.toml", "").await?;
                let written = run(&["init", "--database-url", database.url()]).unwrap();
                let text = written.out;
                let entries = text
                    .lines()
                    .filter(|line| line.starts_with("[table."))
                    .count();
                if written.code != Some(0) || entries < schema.tables.len() {
                    return Err(format!(
                        "{entries} tables:\n{}{text}\n{}",
                        written.err, schema.statements
                    ));
                }
                accepts(&database, "permissions.toml", &text).await?;
                accepts(&database, "granted.toml", &with_samples(&text)).await
            })
            .map_err(|error| format!("{error}\n{}", schema.statements))
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
