//! Tests the gateway behind a federated router: the schema of the subgraph, `_entities` under the caller's rules, and
//! Apollo's composition and router, unchanged from npm.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;
use std::process::Command;

use gateway::Gateway;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

const SECRET: &str = "open sesame, please";

const SCHEMA: &str = "
CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL, team int NOT NULL, secret text);
CREATE TABLE seats (hall text, number int, price numeric NOT NULL, PRIMARY KEY (hall, number));
CREATE TABLE hidden (id int PRIMARY KEY, name text);
CREATE TABLE keyless (name text);
INSERT INTO users SELECT g, 'u' || g || '@example.com', g % 2, 'hush' FROM generate_series(1, 10) g;
INSERT INTO seats VALUES ('a', 1, 10.50), ('a', 2, 11), ('b', 1, 12);
INSERT INTO hidden VALUES (1, 'x');
";

const PERMISSIONS: &str = r#"
[session]
team = "int4"

[table.users.role.member]
select = { columns = ["id", "email", "team"], rows = "team = session.team" }

[table.seats.role.member]
select = { columns = "*", rows = "true" }

[table.keyless.role.member]
select = { columns = "*", rows = "true" }
"#;

struct Service {
    running: GatewayHandle,
    client: reqwest::Client,
    _database: TestDatabase,
}

impl Service {
    async fn start(settings: &[(&str, &str)]) -> Service {
        let database = tests::create("federation", &[SCHEMA]).await.unwrap();
        let usual = [("admin-secret", SECRET), ("listen", "127.0.0.1:0")];
        let all = usual.iter().chain(settings);
        let builder = all.fold(Gateway::builder(), |builder, (name, value)| builder.setting(name, value));
        let builder = builder.database_url(database.url()).permissions_text("permissions.toml", PERMISSIONS);
        Service { running: builder.start().await.unwrap(), client: reqwest::Client::new(), _database: database }
    }

    fn headers() -> [(&'static str, &'static str); 3] {
        [("x-gateway-admin-secret", SECRET), ("x-gateway-role", "member"), ("x-gateway-team", "1")]
    }

    async fn send(&self, query: &str, variables: &Value) -> Value {
        let body = json!({"query": query, "variables": variables});
        let sent = self.client.post(format!("{}/v1/graphql", self.running.url())).json(&body);
        let sent = Service::headers().into_iter().fold(sent, |sent, (name, value)| sent.header(name, value));
        Reply::of(sent).await.unwrap().json()
    }

    async fn entities(&self, selection: &str, representations: &Value) -> Value {
        let query = format!("query($r: [_Any!]!) {{ _entities(representations: $r) {{ {selection} }} }}");
        self.send(&query, &json!({"r": representations})).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_has_the_keys_that_the_role_can_read() {
    let service = Service::start(&[("federation", "true")]).await;
    let answer = service.send("{ _service { sdl } __typename }", &json!({})).await;
    assert_eq!(answer["data"]["__typename"], "query_root");
    let sdl = answer["data"]["_service"]["sdl"].as_str().unwrap();
    assert!(sdl.starts_with("extend schema @link("), "{sdl}");
    for line in ["type users @key(fields: \"id\") {", "type seats @key(fields: \"hall number\") {", "type keyless {"] {
        assert!(sdl.contains(line), "{line}\n{sdl}");
    }
    assert!(!sdl.contains("hidden") && !sdl.contains("secret"), "{sdl}");
}

#[tokio::test(flavor = "multi_thread")]
async fn entities_stand_in_order_under_the_callers_rules() {
    let service = Service::start(&[("federation", "true")]).await;
    let representations = json!([
        {"__typename": "users", "id": 9}, {"__typename": "seats", "hall": "b", "number": 1},
        {"__typename": "users", "id": 2}, {"__typename": "users", "id": 1}, {"__typename": "users", "id": 404},
        {"__typename": "seats", "hall": "a", "number": 1}, {"__typename": "users", "id": 9}
    ]);
    let selection = "__typename ... on users { email } ... on seats { price }";
    let user = |email: &str| json!({"__typename": "users", "email": email});
    let seat = |price: Value| json!({"__typename": "seats", "price": price});
    // User 2 is of another team, and looks like one that does not exist.
    let answer = service.entities(selection, &representations).await;
    let expected = json!([
        user("u9@example.com"),
        seat(answer["data"]["_entities"][1]["price"].clone()),
        null,
        user("u1@example.com"),
        null,
        seat(answer["data"]["_entities"][5]["price"].clone()),
        user("u9@example.com")
    ]);
    assert_eq!(answer["data"]["_entities"], expected);
    assert_eq!(answer["data"]["_entities"][1]["price"].to_string().trim_matches('"'), "12");
    assert_eq!(service.entities(selection, &json!([])).await, json!({"data": {"_entities": []}}));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_hidden_is_found_and_malformed_requests_are_refused() {
    let service = Service::start(&[("federation", "true")]).await;
    let code = |answer: &Value| answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned();
    for name in ["hidden", "nothing"] {
        let answer = service.entities("__typename", &json!([{"__typename": name, "id": 1}])).await;
        assert_eq!(code(&answer), "validation-failed", "{answer}");
        assert_eq!(answer["errors"][0]["message"], format!("unknown type '{name}'"));
    }
    let hidden = service.entities("... on users { secret }", &json!([{"__typename": "users", "id": 1}])).await;
    assert_eq!(hidden["errors"][0]["message"], "field 'secret' not found in type: 'users'", "{hidden}");
    for representation in
        [json!({"__typename": "users"}), json!({"id": 1}), json!(1), json!({"__typename": "users", "id": {}})]
    {
        let answer = service.entities("... on users { id }", &json!([representation])).await;
        assert_eq!(code(&answer), "bad-request", "{answer}");
    }
    let wrong = service.entities("... on users { id }", &json!([{"__typename": "users", "id": "x"}])).await;
    assert_eq!(code(&wrong), "constraint-violation", "{wrong}");
    let deep = service.entities("... on users { id } } }", &json!([{"__typename": "users", "id": 1}])).await;
    assert_eq!(code(&deep), "parse-failed", "{deep}");
    let off = Service::start(&[]).await;
    let answer = off.entities("... on users { id }", &json!([{"__typename": "users", "id": 1}])).await;
    assert_eq!(code(&answer), "validation-failed", "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn apollos_router_composes_and_asks_the_gateway() {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "federation"].iter().collect();
    assert!(folder.join("node_modules").is_dir(), "the router is missing; `scripts/setup.sh tests` installs it");
    let service = Service::start(&[("federation", "true")]).await;
    let headers =
        Value::Object(Service::headers().into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect());
    let mut node = Command::new("node");
    node.current_dir(&folder).arg("router.mjs").arg(format!("{}/v1/graphql", service.running.url()));
    node.arg(headers.to_string());
    let output = tokio::task::spawn_blocking(move || node.output()).await.unwrap().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let answers: Value = serde_json::from_slice(&output.stdout).unwrap();
    let user = |id: u64| json!({"id": id, "email": format!("u{id}@example.com")});
    // User 4 is of another team, 404 does not exist.
    let found = &answers["throughReviews"]["data"]["topReviews"];
    assert_eq!(found[0], json!({"stars": 4, "user": user(9)}), "{answers}");
    assert_eq!(found[1], json!({"stars": 1, "user": user(1)}), "{answers}");
    // `email` is not null in the schema, so the router answers null for the whole user.
    assert!(found[2]["user"].is_null() && found[3]["user"].is_null(), "{answers}");
    let rows = json!([{"id": 1, "reviews": [{"stars": 1}]}, {"id": 3, "reviews": [{"stars": 3}]}]);
    assert_eq!(answers["throughRows"]["data"]["users"], rows, "{answers}");
    // All users of the first answer were one request.
    let entities =
        answers["sent"].as_array().unwrap().iter().filter(|sent| sent["query"].to_string().contains("_entities"));
    assert_eq!(entities.count(), 1, "{answers}");
}
