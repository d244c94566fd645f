//! Tests `postern import hasura --verify`: recorded requests are sent to two running gateways, and
//! the places where their answers differ are shown. A gateway in the Hasura dialect stands for
//! Hasura.

use std::path::Path;

use gateway::server::GatewayHandle;
use serde_json::{Value as Json, json};
use tests::TestDatabase;
use tests::binary::{self, Finished};

const SECRET: &str = "open sesame, please";

const SCHEMA: &str = "CREATE TABLE author (id int PRIMARY KEY, name text NOT NULL); \
    INSERT INTO author VALUES (1, 'Ada'), (2, 'Bob'), (3, 'Cyd')";

fn metadata() -> String {
    let select = json!({"role": "user", "permission": {"columns": ["id", "name"], "filter": {"id": {"_lt": 3}}}});
    let insert = json!({"role": "user", "permission": {"columns": ["id", "name"], "check": {}}});
    let table = json!({
        "table": {"schema": "public", "name": "author"}, "select_permissions": [select], "insert_permissions": [insert],
    });
    let configuration =
        json!({"connection_info": {"database_url": {"from_env": "PG_DATABASE_URL"}}});
    let source = json!({"name": "default", "kind": "postgres", "tables": [table], "configuration": configuration});
    json!({"version": 3, "sources": [source]}).to_string()
}

const REQUESTS: &str = r#"{"query": "{ author(order_by: {id: asc}) { id name } }", "headers": {"X-Hasura-Admin-Secret": "SECRET", "X-Hasura-Role": "user"}}
{"path": "/v1/graphql", "method": "POST", "headers": {"X-Hasura-Admin-Secret": "SECRET"}, "body": {"query": "query One($id: Int!) { author_by_pk(id: $id) { name } }", "variables": {"id": 3}}}
{"query": "mutation { insert_author_one(object: {id: 9, name: \"Joe\"}) { id } }", "headers": {"X-Hasura-Admin-Secret": "SECRET", "X-Hasura-Role": "user"}}
{"query": "{ author { nothing } }", "headers": {"X-Hasura-Admin-Secret": "SECRET", "X-Hasura-Role": "user"}}
"#;

/// Imports the metadata, and verifies the requests against a server if there is one.
fn import(
    database: &TestDatabase,
    folder: &Path,
    against: Option<&str>,
    further: &[&str],
) -> Finished {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let metadata = file("metadata.json", &metadata());
    let requests = file("requests.jsonl", &REQUESTS.replace("SECRET", SECRET));
    let out = folder.join("out").display().to_string();
    let mut arguments = vec![
        "import",
        "hasura",
        "--metadata",
        &metadata,
        "--out",
        &out,
        "--force",
    ];
    arguments.extend(["--database-url", database.url(), "--admin-secret", SECRET]);
    arguments.extend(
        against
            .into_iter()
            .flat_map(|url| ["--verify", requests.as_str(), "--against", url]),
    );
    arguments.extend(further);
    binary::run(&arguments).unwrap()
}

/// The server that stands for Hasura, with the imported permission file after a change.
async fn hasura(
    database: &TestDatabase,
    folder: &Path,
    change: impl Fn(&str) -> String,
) -> GatewayHandle {
    let imported = std::fs::read_to_string(folder.join("out/permissions.toml")).unwrap();
    let builder = tests::gateway()
        .setting("profile", "hasura")
        .admin_secret(SECRET)
        .listen("127.0.0.1:0");
    let builder = builder
        .database_url(database.url())
        .permissions_text("permissions.toml", &change(&imported));
    builder.start().await.unwrap()
}

async fn authors(database: &TestDatabase) -> i64 {
    database
        .connect()
        .await
        .unwrap()
        .query_one("SELECT count(*) FROM author", &[])
        .await
        .unwrap()
        .get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_answers_are_no_difference() {
    let database = tests::create("verify", &[SCHEMA]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(import(&database, folder.path(), None, &[]).code, Some(0));
    let hasura = hasura(&database, folder.path(), str::to_owned).await;
    let found = import(&database, folder.path(), Some(&hasura.url()), &[]);
    let summary = "3 of 4 requests are answered the same; 1 that may write were not sent \
                   (--mutations sends them)";
    assert!(found.out.contains(summary), "{}{}", found.out, found.err);
    assert_eq!(found.code, Some(0), "{}", found.out);
    assert_eq!(authors(&database).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn differing_answers_are_shown_and_fail() {
    let database = tests::create("verify", &[SCHEMA]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(import(&database, folder.path(), None, &[]).code, Some(0));
    // It shows the role a row less.
    let changed = |text: &str| {
        let text = text.replace("< 3", "< 2");
        assert!(text.contains("< 2"), "{text}");
        text
    };
    let hasura = hasura(&database, folder.path(), changed).await;
    let url = hasura.url();
    let found = import(&database, folder.path(), Some(&url), &[]);
    let difference = "line 1, /v1/graphql: $.data.author\n  Hasura:  \
                      [{\"id\":1,\"name\":\"Ada\"}]\n  Postern: \
                      [{\"id\":1,\"name\":\"Ada\"},{\"id\":2,\"name\":\"Bob\"}]\n";
    assert!(found.out.contains(difference), "{}{}", found.out, found.err);
    assert!(
        found.out.contains("2 of 4 requests are answered the same"),
        "{}",
        found.out
    );
    assert_eq!(found.code, Some(1));
    // As JSON, with mutations: the second server to insert the row finds it there.
    let found = import(
        &database,
        folder.path(),
        Some(&url),
        &["--mutations", "--json"],
    );
    let report: Json = found
        .out
        .lines()
        .last()
        .and_then(|line| serde_json::from_str(line).ok())
        .unwrap_or_default();
    assert_eq!(
        (&report["requests"], &report["skipped"]),
        (&json!(4), &json!(0)),
        "{}{}",
        found.out,
        found.err
    );
    let lines: Vec<&Json> = report["different"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["line"])
        .collect();
    assert_eq!(lines, [1, 3], "{report}");
    assert_eq!(found.code, Some(1));
    assert_eq!(authors(&database).await, 4);
    // A server that does not answer is a difference too.
    drop(hasura);
    let found = import(&database, folder.path(), Some("http://127.0.0.1:1"), &[]);
    assert!(
        found.out.contains("line 1, /v1/graphql: Hasura: "),
        "{}{}",
        found.out,
        found.err
    );
    assert_eq!(found.code, Some(1));
}
