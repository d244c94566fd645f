//! Tests mutations whose connection is lost while they run: the answer says that the outcome is
//! unknown, by every transport, and invites nobody to send them again.

use gateway::Gateway;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

/// An insert of a note with this text, or a call, ends the connection.
const SCHEMA: &str = "
    CREATE TABLE notes (id int PRIMARY KEY, body text);
    CREATE FUNCTION end_connection() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END';
    CREATE TRIGGER end_connection AFTER INSERT ON notes FOR EACH ROW WHEN (NEW.body = 'lost')
        EXECUTE FUNCTION end_connection();
    CREATE FUNCTION lose(id int) RETURNS SETOF notes VOLATILE LANGUAGE sql
        AS 'INSERT INTO notes VALUES (id, ''lost'') RETURNING *';";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[role.r]
dry_run = true
[function.lose]
as = "mutation"
roles = ["r"]
[table.notes.role.r]
select = { columns = "*", rows = "true" }
insert = { columns = "*", check = "true" }
"#;

struct Service {
    running: GatewayHandle,
    prefix: &'static str,
    client: reqwest::Client,
    _database: TestDatabase,
}

impl Service {
    async fn start(profile: &str, prefix: &'static str) -> Service {
        let database = tests::create("unknown_outcomes", &[SCHEMA]).await.unwrap();
        let builder = Gateway::builder()
            .database_url(database.url())
            .admin_secret("secret")
            .listen("127.0.0.1:0");
        let builder = builder
            .permissions_text("permissions.toml", PERMISSIONS)
            .setting("profile", profile);
        let running = builder.start().await.unwrap();
        Service {
            running,
            prefix,
            client: reqwest::Client::new(),
            _database: database,
        }
    }

    async fn ask(&self, headers: &[(&str, &str)], body: &Value) -> Reply {
        let mut post = self
            .client
            .post(format!("{}/v1/graphql", self.running.url()));
        post = post
            .header(format!("{}Admin-Secret", self.prefix), "secret")
            .header(format!("{}Role", self.prefix), "r");
        for (name, value) in headers {
            post = post.header(*name, *value);
        }
        Reply::of(post.json(body)).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_mutations_have_an_unknown_outcome_and_no_time_to_try_again() {
    let message =
        "the outcome is unknown: the connection to the database was lost while the mutation ran";
    for (profile, prefix) in [("gateway", "X-Gateway-"), ("hasura", "X-Hasura-")] {
        let service = Service::start(profile, prefix).await;
        let mutations = [
            "mutation { insert_notes_one(object: {id: 1, body: \"lost\"}) { id } }",
            "mutation { insert_notes(objects: [{id: 1, body: \"a\"}, {id: 2, body: \"lost\"}]) { \
             affected_rows } }",
            "mutation { lose(args: {id: 3}) { id } }",
            "mutation { a: insert_notes_one(object: {id: 4, body: \"x\"}) { id } b: lose(args: \
             {id: 5}) { id } }",
        ];
        for query in mutations {
            for (accept, status) in [
                ("application/json", 200),
                ("application/graphql-response+json", 500),
            ] {
                let reply = service
                    .ask(&[("accept", accept)], &json!({"query": query}))
                    .await;
                let (_, code, found) = reply.error();
                assert_eq!(
                    (code.as_str(), found.as_str()),
                    ("outcome-unknown", message),
                    "{query}"
                );
                assert_eq!(reply.header("retry-after"), "", "{query}");
                assert!(
                    profile == "hasura" || reply.status == status,
                    "{accept} {query}: {}",
                    reply.status
                );
            }
        }
        let batch = service
            .ask(
                &[],
                &json!([{"query": mutations[0]}, {"query": "{ notes { id } }"}]),
            )
            .await;
        assert!(
            batch.text.contains("outcome-unknown") && batch.header("retry-after").is_empty(),
            "{}",
            batch.text
        );
        let dry_run = format!("{prefix}Dry-Run");
        let reply = service
            .ask(&[(&dry_run, "true")], &json!({"query": mutations[0]}))
            .await;
        assert_eq!(
            reply.error().1,
            "unavailable",
            "a dry run commits nothing: {}",
            reply.text
        );
        let kept = service
            .ask(&[], &json!({"query": "{ notes { id } }"}))
            .await;
        assert_eq!(kept.data()["notes"], json!([]), "{profile}");
    }
}
