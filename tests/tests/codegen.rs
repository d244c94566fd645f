//! Runs graphql-codegen and gql.tada, from npm, on the schemas of the demo and of Chinook: neither
//! finds a type that it does not know. Tests of arrays as lists and of enums as well.

use std::time::Duration;

use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::binary::{self, Running};
use tests::program;
use tests::reply::Reply;

const SCHEMA: &str = include_str!("../codegen/chinook.sql");

async fn chinook(profile: &str, permissions: &str) -> (GatewayHandle, TestDatabase) {
    let database = tests::create("chinook", &[SCHEMA]).await.unwrap();
    let builder = tests::gateway()
        .database_url(database.url())
        .admin_secret("secret")
        .listen("127.0.0.1:0");
    let builder = builder
        .permissions_text("permissions.toml", permissions)
        .setting("profile", profile);
    (builder.start().await.unwrap(), database)
}

async fn ask(running: &GatewayHandle, query: &str, variables: &Value) -> Reply {
    let post = reqwest::Client::new().post(format!("{}/v1/graphql", running.url()));
    let post = post
        .header("X-Gateway-Admin-Secret", "secret")
        .header("X-Hasura-Admin-Secret", "secret");
    Reply::of(post.json(&json!({"query": query, "variables": variables})))
        .await
        .unwrap()
}

/// What the generators find in the schema of a gateway.
async fn generated(url: &str, headers: &Value) -> Value {
    let mut command = program::node("codegen", "types.mjs").unwrap();
    program::run_json(command.arg(url).arg(headers.to_string()), "")
        .await
        .unwrap()
}

const ENUMS: &str = "[naming]\nenums = \"graphql\"\n[table.review.role.user]\nselect = { columns \
                     = \"*\", rows = \"true\" }\n";

#[tokio::test(flavor = "multi_thread")]
async fn generators_know_every_type_of_chinook() {
    let (running, _database) = chinook("gateway", ENUMS).await;
    let found = generated(&running.url(), &json!({"X-Gateway-Admin-Secret": "secret"})).await;
    assert_eq!(
        (&found["codegen"], &found["tada"]),
        (&json!([]), &json!([]))
    );
    assert!(found["fields"].as_u64().unwrap() > 60, "{found}");
    let has = |list: &str, entry: &str| found[list].as_array().unwrap().contains(&entry.into());
    assert!(
        has("lists", "review.tags: [String!]!") && has("lists", "review.scores: [Int!]"),
        "{found}"
    );
    assert!(
        has("lists", "review.moods: [mood!]") && has("enums", "review.mood: mood"),
        "{found}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn generators_know_every_type_of_the_demo() {
    let data = tests::demo_data::copy().unwrap();
    let mut command = binary::command(&["demo", "--listen", "127.0.0.1:0"]);
    if let Some(data) = &data {
        command.arg("--data-dir").arg(data.path());
    }
    let demo = Running::start(command).unwrap();
    let facts: Value =
        serde_json::from_str(&demo.line(Duration::from_secs(60)).expect("the demo")).unwrap();
    let text = |name: &str| facts[name].as_str().unwrap().to_owned();
    let found = generated(
        &text("url"),
        &json!({"X-Gateway-Admin-Secret": text("admin_secret")}),
    )
    .await;
    assert_eq!(
        (&found["codegen"], &found["tada"]),
        (&json!([]), &json!([]))
    );
    assert!(found["fields"].as_u64().unwrap() > 100, "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn arrays_take_variables_declared_either_way() {
    for (profile, permissions) in [
        ("gateway", "[naming]\nconvention = \"snake\"\n"),
        ("hasura", "[naming]\n"),
    ] {
        let (running, _database) = chinook(profile, permissions).await;
        for declared in ["[String!]", "[String!]!", "_text"] {
            let query = format!(
                "query($tags: {declared}) {{ review(where: {{tags: {{_eq: $tags}}}}) {{ tags }} }}"
            );
            let reply = ask(&running, &query, &json!({"tags": ["rock", "loud"]})).await;
            assert_eq!(
                reply.data(),
                json!({"review": [{"tags": ["rock", "loud"]}]}),
                "{profile} {declared}: {}",
                reply.text
            );
        }
        let types = "{ __type(name: \"review\") { fields { name type { kind name ofType { kind \
                     name ofType { kind ofType { name } } } } } } }";
        let fields = ask(&running, types, &json!({})).await.data()["__type"]["fields"].clone();
        let of = |name: &str| {
            fields
                .as_array()
                .unwrap()
                .iter()
                .find(|field| field["name"] == name)
                .unwrap()["type"]
                .clone()
        };
        match profile {
            "gateway" => assert_eq!(of("scores")["kind"], "LIST"),
            _ => assert_eq!(
                (&of("scores")["kind"], &of("scores")["name"]),
                (&json!("SCALAR"), &json!("_int4"))
            ),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn enums_of_postgres_are_enums_where_the_file_says_so() {
    let (running, _database) = chinook("gateway", ENUMS).await;
    let rows = json!({"review": [{"mood": "LOUD"}]});
    assert_eq!(
        ask(
            &running,
            "{ review(where: {mood: {_eq: LOUD}}) { mood } }",
            &json!({})
        )
        .await
        .data(),
        rows
    );
    assert_eq!(
        ask(
            &running,
            "{ review(where: {mood: {_in: [LOUD, CALM]}}) { mood } }",
            &json!({})
        )
        .await
        .data(),
        rows
    );
    let declared = "query($mood: mood!) { review(where: {mood: {_eq: $mood}}) { mood } }";
    assert_eq!(
        ask(&running, declared, &json!({"mood": "LOUD"}))
            .await
            .data(),
        rows
    );
    for (query, variables) in [
        ("{ review(where: {mood: {_eq: WILD}}) { mood } }", json!({})),
        (
            "{ review(where: {mood: {_eq: \"LOUD\"}}) { mood } }",
            json!({}),
        ),
        (declared, json!({"mood": "WILD"})),
    ] {
        assert!(
            ask(&running, query, &variables).await.is_sound_error(),
            "{query}"
        );
    }
    let values = ask(
        &running,
        "{ __type(name: \"mood\") { kind enumValues { name } } }",
        &json!({}),
    )
    .await
    .data();
    assert_eq!(
        values["__type"],
        json!({"kind": "ENUM", "enumValues": [{"name": "CALM"}, {"name": "LOUD"}]})
    );
}
