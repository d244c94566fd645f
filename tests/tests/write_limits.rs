//! Tests limits on the rows and values of inserts and updates over HTTP: how clients see them, over
//! which requests they count, and that nothing is written. The golden cases `write_limits` have the
//! documents.

use gateway::actions::Source as Actions;
use gateway::rest::{Documents, Source as RestMap};
use permissions::SourceFile;
use reqwest::Method;
use serde_json::{Value, json};
use tests::reply::{Reply, ReplyError};
use tests::service::{ADMIN_SECRET, Service, send};

const SCHEMA: &str = "
CREATE TABLE notes (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title text NOT NULL UNIQUE,
  labels text[] NOT NULL DEFAULT '{}',
  data jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO notes (title, labels, data) VALUES ('first', '{a,b}', '{\"a\": 1}');
CREATE FUNCTION tick() RETURNS json LANGUAGE sql AS $$ SELECT json_build_object('done', true) $$;
";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"

[table.notes.role.visitor]
select = { columns = "*", rows = "true" }
insert = { columns = ["title", "labels", "data"], check = "true", max_rows = 2, max_length = { title = 10, "*" = 30 }, max_items = 3 }
update = { columns = ["title", "labels", "data"], rows = "true", max_length = { title = 10, "*" = 30 }, max_items = 3 }

[table.notes.role.guest]
select = { columns = "*", rows = "true" }
insert = { columns = ["title", "labels", "data"], check = "true", max_rows = 1 }

[role.caller]
inherits = ["visitor"]

[role.both]
inherits = ["visitor", "guest"]
"#;

const MAP: &str = r#"
[[endpoint]]
path = "notes"
operation = "AddNotes"
methods = ["POST"]
query = "mutation AddNotes($notes: [notes_insert_input!]!) { insert_notes(objects: $notes) { affected_rows } }"

[[endpoint]]
path = "note"
operation = "AddNote"
methods = ["POST"]
query = "mutation AddNote($title: String!, $labels: [String!]) { insert_notes_one(object: {title: $title, labels: $labels}) { id } }"
"#;

const ACTIONS: &str = "
[action.tick]
function = \"tick\"
roles = [\"visitor\"]
";

const TYPES: &str = "
type Mutation { tick: Ticked! }
type Ticked { done: Boolean! }
";

const INSERT: &str =
    "mutation ($notes: [notes_insert_input!]!) { insert_notes(objects: $notes) { affected_rows } }";

async fn start(profile: &str) -> Service {
    let map = RestMap::new("map.toml", MAP, Documents::Given(&[]));
    let actions = Actions {
        definitions: SourceFile::new("actions.toml", ACTIONS),
        types: SourceFile::new("actions.graphql", TYPES),
    };
    Service::builder("write_limits", &[SCHEMA])
        .permissions(PERMISSIONS)
        .profile(profile)
        .change(|builder| builder.rest_map(map).actions(actions))
        .start()
        .await
}

fn notes(titles: &[&str]) -> Value {
    let notes = titles.iter().map(|title| json!({"title": title}));
    json!({"notes": notes.collect::<Vec<_>>()})
}

fn too_many(limit: u32) -> ReplyError {
    let message = format!("the limit on rows inserted into 'notes' is {limit}");
    ReplyError::new(200, "limit-exceeded", message)
}

fn too_long(column: &str, limit: &str) -> ReplyError {
    let message = format!("the limit on the length of '{column}' is {limit}");
    ReplyError::new(200, "limit-exceeded", message)
}

fn path(reply: &Reply) -> Value {
    reply.json()["errors"][0]["extensions"]["path"].clone()
}

#[tokio::test]
async fn rows_beyond_the_limit_are_refused() {
    let service = start("gateway").await;
    // The second time, the plan is cached.
    for round in ["1", "2"] {
        let reply = service
            .ask_with("visitor", INSERT, notes(&["a", "b", "c"]))
            .await;
        assert_eq!(reply.error(), too_many(2));
        assert_eq!(path(&reply), "$.selectionSet.insert_notes.args.objects");
        let titles = [format!("a{round}"), format!("b{round}")];
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let reply = service.ask_with("visitor", INSERT, notes(&titles)).await;
        assert_eq!(
            reply.data()["insert_notes"]["affected_rows"],
            2,
            "{}",
            reply.text
        );
    }
    assert_eq!(service.value("SELECT count(*) FROM notes").await, "5");
    // The admin has no limits, and a role that inherits has those of its parent. Of parents that
    // differ it has no grant.
    let reply = service
        .ask_with("admin", INSERT, notes(&["x", "y", "z"]))
        .await;
    assert_eq!(reply.data()["insert_notes"]["affected_rows"], 3);
    let reply = service
        .ask_with("caller", INSERT, notes(&["k", "l", "m"]))
        .await;
    assert_eq!(reply.error(), too_many(2));
    let reply = service.ask_with("both", INSERT, notes(&["k"])).await;
    assert_eq!(reply.error().code, "validation-failed");
}

#[tokio::test]
async fn actions_do_not_divide_the_limit() {
    let service = start("gateway").await;
    let query = r#"mutation {
        a: insert_notes_one(object: {title: "a"}) { id }
        b: insert_notes_one(object: {title: "b"}) { id }
        tick { done }
        c: insert_notes_one(object: {title: "c"}) { id } }"#;
    let reply = service.ask("visitor", query).await;
    assert_eq!(reply.error(), too_many(2));
    assert_eq!(service.value("SELECT count(*) FROM notes").await, "1");
    let reply = service
        .ask("visitor", &query.replace("b: insert", "b: __typename #"))
        .await;
    assert_eq!(
        reply.data()["tick"],
        json!({"done": true}),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn each_operation_of_a_batch_counts_by_itself() {
    let service = start("gateway").await;
    let query = |titles: &[&str]| json!({"query": INSERT, "variables": notes(titles)});
    let batch = json!([query(&["a", "b"]), query(&["c", "d", "e"])]);
    let reply = send(service.by("visitor").json(&batch)).await.json();
    assert_eq!(reply[0]["data"]["insert_notes"]["affected_rows"], 2);
    assert_eq!(
        reply[1]["errors"][0]["extensions"]["code"],
        "limit-exceeded"
    );
}

#[tokio::test]
async fn rest_endpoints_have_the_limits() {
    let service = start("gateway").await;
    let post = async |path: &str, body: Value| {
        let request = service
            .request(Method::POST, &format!("/api/rest/{path}"))
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", "visitor");
        send(request.json(&body)).await
    };
    let reply = post("notes", notes(&["a", "b", "c"])).await;
    assert_eq!(
        (reply.status, reply.error().message),
        (400, too_many(2).message)
    );
    let reply = post("note", json!({"title": "eleven char"})).await;
    assert_eq!(
        (reply.status, reply.error().message),
        (400, too_long("title", "10 characters").message)
    );
    let labels = json!({"title": "a", "labels": ["1", "2", "3", "4"]});
    let reply = post("note", labels).await;
    assert_eq!(
        (reply.status, reply.error().message),
        (400, too_long("labels", "3 elements").message)
    );
    assert_eq!(service.value("SELECT count(*) FROM notes").await, "1");
    assert_eq!(post("notes", notes(&["a", "b"])).await.status, 200);
}

#[tokio::test]
async fn long_values_are_refused() {
    let service = start("gateway").await;
    let reply = service
        .ask_with("visitor", INSERT, notes(&["a", "eleven char"]))
        .await;
    assert_eq!(reply.error(), too_long("title", "10 characters"));
    assert_eq!(
        path(&reply),
        "$.selectionSet.insert_notes.args.objects[1].title"
    );
    let update = "mutation ($set: notes_set_input, $more: jsonb) { update_notes(where: {}, _set: \
                  $set, _append: {data: $more}) { affected_rows } }";
    let more = json!({"b": "x".repeat(40)});
    for (variables, expected) in [
        (
            json!({"set": {"title": "eleven char"}}),
            too_long("title", "10 characters"),
        ),
        (
            json!({"set": {"labels": ["1", "2", "3", "4"]}}),
            too_long("labels", "3 elements"),
        ),
        (
            json!({"set": {"data": [more.clone()]}}),
            too_long("data", "30 characters"),
        ),
        (json!({"more": more}), too_long("data", "30 characters")),
    ] {
        let reply = service.ask_with("visitor", update, variables.clone()).await;
        assert_eq!(reply.error(), expected, "{variables}");
    }
    assert_eq!(
        service
            .value("SELECT string_agg(format('%s %s %s', title, labels, data), '') FROM notes")
            .await,
        r#"first {a,b} {"a": 1}"#
    );
}

#[tokio::test]
async fn stored_values_grow_up_to_the_limit() {
    let service = start("gateway").await;
    let add = r#"mutation { update_notes(where: {}, _array_append: {labels: "c"}) { returning { labels } } }"#;
    let reply = service.ask("visitor", add).await;
    assert_eq!(
        reply.data()["update_notes"]["returning"][0]["labels"],
        json!(["a", "b", "c"]),
        "{}",
        reply.text
    );
    let reply = service.ask("visitor", add).await;
    assert_eq!(reply.error(), too_long("labels", "3 elements"));
    assert_eq!(path(&reply), "$.selectionSet.update_notes");
    let append = "mutation ($more: jsonb!) { update_notes(where: {}, _append: {data: $more}) { \
                  affected_rows } }";
    for (key, expected) in [("b", Value::from(1)), ("c", Value::Null)] {
        let more = json!({"more": {key: "x".repeat(10)}});
        let reply = service.ask_with("visitor", append, more).await;
        assert_eq!(
            reply.data()["update_notes"]["affected_rows"],
            expected,
            "{}",
            reply.text
        );
    }
}

#[tokio::test]
async fn hasura_profile_measures_text_forms_too() {
    let service = start("hasura").await;
    let query = "mutation ($labels: _text) { update_notes(where: {}, _set: {labels: $labels}) { \
                 affected_rows } }";
    let reply = service
        .ask_with("visitor", query, json!({"labels": "{a,b,c,d}"}))
        .await;
    let expected = |error: ReplyError| error.message.replace('\'', "\"");
    assert_eq!(
        (reply.error().code.as_str(), reply.error().message),
        ("limit-exceeded", expected(too_long("labels", "3 elements")))
    );
    let long = format!("{{{}}}", "x".repeat(31));
    let reply = service
        .ask_with("visitor", query, json!({"labels": long}))
        .await;
    assert_eq!(
        reply.error().message,
        expected(too_long("labels", "30 characters"))
    );
    let reply = service
        .ask_with("visitor", INSERT, notes(&["a", "b", "c"]))
        .await;
    assert_eq!(reply.error().message, expected(too_many(2)));
}
