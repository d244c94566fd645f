//! Tests required rows: they are checked before anything else, no row is read or written unless the
//! required row is visible, and another caller's row cannot be distinguished from one that does not
//! exist.

use std::sync::Arc;
use std::time::Duration;

use permissions::SourceFile;
use pg::{Completion, Database, DatabaseError, Settings};
use serde_json::json;
use sql::model::access::Access;
use sql::postgres::catalog;
use sql::postgres::catalog::Catalog;
use sql::{Cause, TranslationKind};
use tests::TestDatabase;
use tests::request::{Failure, Request};
use tokio::time::Instant;
use tokio_postgres::Client;

/// Reading `loud` advances a sequence, which no rollback undoes.
const SCHEMA: &str = "CREATE TABLE clubs (id uuid PRIMARY KEY, owner int NOT NULL); \
                      CREATE TABLE members (id int PRIMARY KEY, club uuid NOT NULL REFERENCES \
                      clubs, name text NOT NULL); \
                      CREATE SEQUENCE readings; \
                      CREATE VIEW loud AS SELECT id, name, nextval('readings') AS reading FROM \
                      members; \
                      INSERT INTO clubs SELECT ('00000000-0000-0000-0000-00000000000' || \
                      n)::uuid, n FROM generate_series(1, 2) n; \
                      INSERT INTO members SELECT n, ('00000000-0000-0000-0000-00000000000' || 1 \
                      + n % 2)::uuid, 'm' || n \
                      FROM generate_series(1, 10) n";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
user = "int"
[table.clubs.role.user]
select = { columns = ["id"], rows = "owner = session.user" }
[table.members.role.user]
select = { columns = "*", rows = "true", aggregates = true }
insert = { columns = "*", check = "true" }
[table.members.relation]
others = { table = "members", on = { club = "club" } }
[table.loud]
key = ["id"]
connection = true
[table.loud.role.user]
select = { columns = "*", rows = "true", aggregates = true }
"#;

const OWN: &str = "00000000-0000-0000-0000-000000000001";
const FOREIGN: &str = "00000000-0000-0000-0000-000000000002";
const NOBODYS: &str = "00000000-0000-0000-0000-000000000003";

/// Each kind of root field that reads, alone, combined, and with nested lists.
const QUERIES: [&str; 7] = [
    "{ loud(limit: 3, order_by: {id: asc}) { reading } }",
    "{ loud_by_pk(id: 1) { reading } }",
    "{ loud_aggregate { aggregate { max { reading } } } }",
    "{ loud_connection(first: 2, order_by: {id: asc}) { nodes { reading } } }",
    "{ a: loud { reading } b: loud(limit: 1) { reading } }",
    "{ members(limit: 2) { others { name } } loud { reading } }",
    "{ a: loud_aggregate { nodes { reading } } __typename }",
];

struct Place {
    database: TestDatabase,
    client: Client,
    access: Arc<Access>,
}

impl Place {
    async fn start() -> Place {
        let database = tests::create("required", &[SCHEMA]).await.unwrap();
        let client = database.connect().await.unwrap();
        let text = client
            .query_one(catalog::QUERY, &[])
            .await
            .unwrap()
            .get::<_, String>(0);
        let catalog = Arc::new(Catalog::decode(&text).unwrap());
        let file = SourceFile::new("permissions.toml", PERMISSIONS);
        let permissions = permissions::compile(&file, catalog).unwrap_or_else(|problems| {
            panic!("{}", permissions::render(&problems, &file, false));
        });
        let access = permissions.role("user").unwrap().clone();
        Place {
            database,
            client,
            access,
        }
    }

    async fn number(&self, query: &str) -> i64 {
        self.client.query_one(query, &[]).await.unwrap().get(0)
    }
}

fn requiring(document: &str, club: &str) -> Request {
    let request = Request::new(document)
        .session("user", "1")
        .variables(json!({ "club": club }));
    Request {
        requires: Some(("clubs".into(), "club".into())),
        ..request
    }
}

#[tokio::test]
async fn required_row_is_checked_before_any_row_is_read() {
    let location = Place::start().await;
    for query in QUERIES {
        for club in [FOREIGN, NOBODYS] {
            let outcome = requiring(query, club)
                .answer(&location.client, &location.access)
                .await;
            match outcome {
                Err(Failure::Request(error)) => {
                    assert_eq!((error.cause, error.path.as_str()), (Cause::Required, "$"));
                }
                other => panic!("{query}: {other:?}"),
            }
        }
    }
    assert_eq!(
        location
            .number("SELECT last_value FROM readings WHERE is_called UNION ALL SELECT 0 LIMIT 1")
            .await,
        0
    );
    for query in QUERIES {
        let required = requiring(query, OWN)
            .answer(&location.client, &location.access)
            .await
            .unwrap();
        location
            .client
            .batch_execute("ALTER SEQUENCE readings RESTART")
            .await
            .unwrap();
        assert!(required.starts_with('{'), "{query}: {required}");
    }
}

#[tokio::test]
async fn nothing_is_written_without_the_required_row() {
    let location = Place::start().await;
    let settings = Settings {
        url: location.database.url().into(),
        pool_size: 1,
        statements: 50,
        time_limit: Duration::from_secs(20),
        ..Settings::default()
    };
    let pool = Database::connect(&settings).await.unwrap();
    let document = format!(
        "mutation {{ insert_members_one(object: {{id: 77, club: \"{OWN}\", \
                            name: \"x\"}}) {{ id }} }}"
    );
    for (club, written) in [(FOREIGN, false), (NOBODYS, false), (OWN, true)] {
        let request = requiring(&document, club);
        let translated = request.translate(&location.access).unwrap();
        let TranslationKind::Mutation(mutation) = &translated.translation.kind else {
            panic!("{translated:?}")
        };
        let texts: Vec<&str> = mutation
            .steps
            .iter()
            .map(|step| step.statement.text.as_str())
            .collect();
        let bound = mutation.steps.iter().map(|step| {
            request
                .bind(&step.statement, &translated.variables)
                .unwrap()
        });
        let bound: Vec<_> = bound.collect();
        let deadline = Instant::now() + Duration::from_secs(20);
        let outcome = pool
            .write(&texts, &bound, Completion::Commit, deadline)
            .await;
        match outcome.map_err(|failed| failed.fault) {
            Ok(_) => assert!(written),
            Err(DatabaseError::Refused(refusal)) => {
                let alarm = mutation.steps[0].statement.alarm(&refusal.message).unwrap();
                assert_eq!((written, &alarm.cause), (false, &Cause::Required));
            }
            Err(other) => panic!("{other:?}"),
        }
        assert_eq!(
            location
                .number("SELECT count(*) FROM members WHERE id = 77")
                .await,
            i64::from(written)
        );
    }
}
