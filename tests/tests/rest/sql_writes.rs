//! Tests named SQL that writes, or calls functions that may write: roles, dry runs, and errors.

use reqwest::Method;
use serde_json::{Value, json};
use tests::reply::Reply;

use super::service::{ADA, Service, is, send, token};

const FUNCTIONS: &str = "
CREATE TABLE notes (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, thing int NOT NULL, text text UNIQUE, by_whom text);
CREATE FUNCTION noted() RETURNS text LANGUAGE sql VOLATILE AS
  'INSERT INTO notes (thing, text) VALUES (1, ''told'') RETURNING text';
CREATE FUNCTION signed() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN NEW.by_whom = current_setting(''app.owner'', true); RETURN NEW; END';
CREATE TRIGGER signed BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION signed();
";

const MAP: &str = r#"
[[endpoint]]
path = "note"
operation = "Note"
methods = ["GET", "POST"]
single = "rows"
unchecked = true
roles = ["owner"]
sql = "INSERT INTO notes (thing, text) SELECT id, :text FROM things WHERE id = :id RETURNING id, thing, notes.by_whom"

[[endpoint]]
path = "note-of"
methods = ["POST"]
unchecked = true
roles = ["owner"]
require = { table = "owners", parameter = "owner" }
sql = "INSERT INTO notes (thing, text) VALUES (:id, DEFAULT)"

[[endpoint]]
path = "upsert"
methods = ["POST"]
unchecked = true
roles = ["owner"]
sql = """
INSERT INTO notes AS n (thing, text) VALUES (:thing, :text)
ON CONFLICT (text) DO UPDATE SET thing = excluded.thing + n.thing WHERE n.thing < 100
RETURNING *"""

[[endpoint]]
path = "update"
methods = ["PATCH"]
unchecked = true
roles = ["owner"]
sql = "UPDATE notes n SET (thing, text) = (n.thing + :more, t.name) FROM things t WHERE n.thing = t.id RETURNING n.thing, t.name"

[[endpoint]]
path = "delete"
methods = ["DELETE"]
unchecked = true
roles = ["owner"]
sql = "DELETE FROM public.notes USING things WHERE things.id = notes.thing AND 1 / (whole - 2) = 0"

[[endpoint]]
path = "moved"
methods = ["POST"]
unchecked = true
roles = ["owner"]
sql = """
WITH gone AS (DELETE FROM notes WHERE text = :text RETURNING thing),
  added AS (INSERT INTO notes (thing, text) SELECT thing + 1, 'moved' FROM gone RETURNING id)
SELECT g.thing, (SELECT count(*) FROM added) AS added FROM gone g"""

[[endpoint]]
path = "enclosed"
methods = ["POST"]
unchecked = true
roles = ["owner"]
sql = "(WITH gone AS (DELETE FROM notes WHERE text = :text RETURNING id, thing) SELECT thing FROM gone)"

[[endpoint]]
path = "enclosed-and-sorted"
methods = ["POST"]
unchecked = true
roles = ["owner"]
require = { table = "owners", parameter = "owner" }
sql = "((WITH gone AS (DELETE FROM notes RETURNING id, thing) SELECT id, thing FROM gone)) ORDER BY thing DESC LIMIT 2"

[[endpoint]]
path = "merge"
methods = ["POST"]
unchecked = true
roles = ["owner"]
sql = """
MERGE INTO notes n USING (SELECT id, name FROM things) t ON n.thing = t.id
WHEN MATCHED AND n.text IS NULL THEN UPDATE SET text = t.name
WHEN MATCHED THEN DO NOTHING
WHEN NOT MATCHED THEN INSERT (thing, text) VALUES (t.id, DEFAULT)"""

[[endpoint]]
path = "locked"
methods = ["POST"]
unchecked = true
roles = ["owner"]
single = "rows"
sql = "SELECT t.id FROM things t WHERE id > :id ORDER BY id LIMIT 5 FOR UPDATE OF t SKIP LOCKED"

[[endpoint]]
path = "noted"
methods = ["GET"]
unchecked = true
roles = ["owner", "visitor"]
sql = "SELECT noted() AS told, count(*) AS things FROM things"
"#;

async fn start() -> Service {
    Service::over(
        MAP,
        FUNCTIONS,
        "[settings]\n\"app.owner\" = \"session.owner_id\"\n",
    )
    .await
}

/// The rows of `notes`.
async fn notes(service: &Service) -> Value {
    let client = service.database.connect().await.unwrap();
    let query = "SELECT coalesce(json_agg(json_build_array(thing, text) ORDER BY id), \
                 '[]')::text FROM notes";
    serde_json::from_str(client.query_one(query, &[]).await.unwrap().get(0)).unwrap()
}

async fn write(service: &Service, method: Method, path: &str, body: &Value) -> Reply {
    send(service.ask(method, path).bearer_auth(token()).json(body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_read_under_the_rules_and_write_the_table() {
    let service = start().await;
    let note = |id: i32, text: &str| json!({"id": id, "text": text});
    is(
        &write(&service, Method::POST, "note", &note(1, "one")).await,
        &json!([{"id": 1, "thing": 1, "by_whom": ADA}]),
    );
    // Another owner's thing cannot be read.
    is(
        &write(&service, Method::POST, "note", &note(2, "two")).await,
        &json!([]),
    );
    assert_eq!(notes(&service).await, json!([[1, "one"]]));

    let upsert = write(
        &service,
        Method::POST,
        "upsert",
        &json!({"thing": 5, "text": "one"}),
    )
    .await;
    assert_eq!(upsert.json()["rows"][0]["thing"], 6, "{}", upsert.text);
    let client = service.database.connect().await.unwrap();
    client
        .batch_execute(
            "UPDATE notes SET thing = 1; INSERT INTO notes (thing, text) VALUES (2, 'b')",
        )
        .await
        .unwrap();
    let updated = write(&service, Method::PATCH, "update", &json!({"more": 0})).await;
    is(
        &updated,
        &json!({"rows": [{"thing": 1, "name": "a/b + ü"}]}),
    );
    // The statement does not divide by values in rows that a rule hides.
    is(
        &write(&service, Method::DELETE, "delete", &json!({})).await,
        &json!({"rows": []}),
    );
    assert_eq!(notes(&service).await, json!([[2, "b"]]));
    let moved = write(&service, Method::POST, "moved", &json!({"text": "b"})).await;
    is(&moved, &json!({"rows": [{"thing": 2, "added": 1}]}));
    assert_eq!(notes(&service).await, json!([[3, "moved"]]));
    is(
        &write(&service, Method::POST, "merge", &json!({})).await,
        &json!({"rows": []}),
    );
    is(
        &write(&service, Method::POST, "merge", &json!({})).await,
        &json!({"rows": []}),
    );
    assert_eq!(notes(&service).await, json!([[3, "moved"], [1, "a/b + ü"]]));
    is(
        &write(&service, Method::POST, "locked", &json!({"id": 0})).await,
        &json!([{"id": 1}]),
    );
    // `SKIP LOCKED` skips a row that another session has locked, so the statement does lock rows.
    let holder = service.database.connect().await.unwrap();
    holder
        .batch_execute("BEGIN; SELECT FROM things WHERE id = 1 FOR UPDATE")
        .await
        .unwrap();
    is(
        &write(&service, Method::POST, "locked", &json!({"id": 0})).await,
        &json!([]),
    );
}

/// Postgres ignores parentheses around a whole statement.
#[tokio::test(flavor = "multi_thread")]
async fn parenthesized_statements_can_write() {
    let service = start().await;
    let client = service.database.connect().await.unwrap();
    client
        .batch_execute(
            "INSERT INTO notes (thing, text) SELECT n, 't' || n FROM generate_series(1, 4) n",
        )
        .await
        .unwrap();
    let one = write(&service, Method::POST, "enclosed", &json!({"text": "t1"})).await;
    is(&one, &json!({"rows": [{"thing": 1}]}));
    assert_eq!(
        notes(&service).await,
        json!([[2, "t2"], [3, "t3"], [4, "t4"]])
    );
    let rest = write(
        &service,
        Method::POST,
        "enclosed-and-sorted",
        &json!({"owner": ADA}),
    )
    .await;
    is(
        &rest,
        &json!({"rows": [{"id": 4, "thing": 4}, {"id": 3, "thing": 3}]}),
    );
    assert_eq!(notes(&service).await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_named_roles_may_call_unchecked_endpoints() {
    let service = start().await;
    let body = json!({"id": 1, "text": "x"});
    for role in ["reader", "visitor"] {
        let reply = send(service.by(role, Method::POST, "note").json(&body)).await;
        reply.assert_envelope(403, "User does not have required role permissions");
    }
    assert_eq!(
        send(service.by("admin", Method::POST, "note").json(&body))
            .await
            .status,
        200
    );
    let described = send(service.by("reader", Method::GET, "openapi.json"))
        .await
        .json();
    assert_eq!(described["paths"], json!({}));
    let described = send(service.by("owner", Method::GET, "openapi.json"))
        .await
        .json();
    assert_eq!(
        described["paths"]["/api/rest/note"]["post"]["tags"],
        json!(["mutations"])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unchecked_statements_are_mutations() {
    let service = start().await;
    // A foreign page could make a browser send this request.
    let by_get = send(service.ask(Method::GET, "noted")).await;
    assert_eq!(by_get.status, 401, "{}", by_get.text);
    let first = send(service.ask(Method::GET, "noted").bearer_auth(token())).await;
    is(&first, &json!({"rows": [{"told": "told", "things": 1}]}));
    assert_eq!(
        (first.header("cache-control"), first.headers.get("etag")),
        ("no-store", None)
    );
    let head = send(service.ask(Method::HEAD, "noted").bearer_auth(token())).await;
    assert_eq!(head.status, 405);
    // The second time a unique constraint is violated, with the error message of mutations.
    let again = send(service.ask(Method::GET, "noted").bearer_auth(token())).await;
    // The role has no grant on the table, so the constraint is not named.
    let violation = "Uniqueness violation. duplicate key value violates a unique constraint";
    again.assert_envelope(400, violation);
    assert_eq!(notes(&service).await, json!([[1, "told"]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn required_row_is_checked_before_writing() {
    let service = start().await;
    let body = |owner: &str| json!({"owner": owner, "id": 1});
    for owner in [
        "00000000-0000-0000-0000-00000000000b",
        "00000000-0000-0000-0000-00000000000c",
    ] {
        let reply = write(&service, Method::POST, "note-of", &body(owner)).await;
        reply.assert_envelope(403, "the required row is not visible");
    }
    assert_eq!(notes(&service).await, json!([]));
    is(
        &write(&service, Method::POST, "note-of", &body(ADA)).await,
        &json!({"rows": []}),
    );
    assert_eq!(notes(&service).await, json!([[1, null]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn dry_runs_are_rolled_back() {
    let service = start().await;
    for (path, method, body) in [
        ("note", Method::POST, json!({"id": 1, "text": "x"})),
        ("merge", Method::POST, json!({})),
        ("noted", Method::GET, Value::Null),
    ] {
        let request = service
            .by("admin", method, path)
            .header("X-Gateway-Dry-Run", "true");
        let request = if body.is_null() {
            request
        } else {
            request.json(&body)
        };
        let reply = send(request).await;
        assert_eq!(
            (reply.status, reply.header("x-gateway-dry-run")),
            (200, "true"),
            "{path} {}",
            reply.text
        );
    }
    assert_eq!(notes(&service).await, json!([]));
    // The role needs the permission to do dry runs.
    let request = service
        .ask(Method::POST, "note")
        .bearer_auth(token())
        .header("X-Gateway-Dry-Run", "true");
    let reply = send(request.json(&json!({"id": 1, "text": "x"}))).await;
    assert_eq!(reply.status, 403, "{}", reply.text);
}
