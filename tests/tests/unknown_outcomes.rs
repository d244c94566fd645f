//! Tests mutations whose connection is lost while they run: the answer says that the outcome is
//! unknown, by every transport, and invites nobody to send them again.

use std::ops::Deref;

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::service;

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

struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    async fn start(profile: &str) -> Service {
        let builder = service::Service::builder("unknown_outcomes", &[SCHEMA]);
        let builder = builder.permissions(PERMISSIONS).profile(profile);
        Service(builder.start().await)
    }

    async fn ask(&self, headers: &[(&str, &str)], body: &Value) -> Reply {
        let request = headers.iter().fold(self.by("r"), |request, (name, value)| {
            request.header(*name, *value)
        });
        service::send(request.json(body)).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_mutations_have_an_unknown_outcome_and_no_time_to_try_again() {
    let message =
        "the outcome is unknown: the connection to the database was lost while the mutation ran";
    for (profile, prefix) in [("gateway", "X-Gateway-"), ("hasura", "X-Hasura-")] {
        let service = Service::start(profile).await;
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
                let ReplyError {
                    code,
                    message: found,
                    ..
                } = reply.error();
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
            reply.error().code,
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
