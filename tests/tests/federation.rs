//! Tests the gateway behind a federated router: the schema of the subgraph, `_entities` under the
//! caller's rules, and Apollo's composition and router, unchanged from npm.

use std::ops::Deref;

use gateway::config::Settings;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::program;
use tests::service::{self, ADMIN_SECRET};

use crate::types::samples;

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

struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    async fn start(settings: &[(&str, &str)]) -> Service {
        Service::with(Settings::default(), settings).await
    }

    async fn with(file: Settings, settings: &[(&str, &str)]) -> Service {
        let builder = service::Service::builder("federation", &[SCHEMA]);
        let builder = builder.permissions(PERMISSIONS).file(file);
        Service(builder.settings(settings).start().await)
    }

    fn headers() -> [(&'static str, &'static str); 3] {
        [
            ("x-gateway-admin-secret", ADMIN_SECRET),
            ("x-gateway-role", "member"),
            ("x-gateway-team", "1"),
        ]
    }

    async fn send(&self, query: &str, variables: &Value) -> Value {
        self.post(&json!({"query": query, "variables": variables}))
            .await
    }

    async fn post(&self, body: &Value) -> Value {
        let request = self.0.by_session("member", &[("Team", "1")]);
        service::send(request.json(body)).await.json()
    }

    async fn entities(&self, selection: &str, representations: &Value) -> Value {
        let query =
            format!("query($r: [_Any!]!) {{ _entities(representations: $r) {{ {selection} }} }}");
        self.send(&query, &json!({"r": representations})).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_has_the_keys_that_the_role_can_read() {
    let service = Service::start(&[("federation", "true")]).await;
    let response = service
        .send("{ _service { sdl } __typename }", &json!({}))
        .await;
    assert_eq!(response["data"]["__typename"], "query_root");
    let sdl = response["data"]["_service"]["sdl"].as_str().unwrap();
    assert!(sdl.starts_with("extend schema @link("), "{sdl}");
    for line in [
        "type users @key(fields: \"id\") {",
        "type seats @key(fields: \"hall number\") {",
        "type keyless {",
    ] {
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
    let response = service.entities(selection, &representations).await;
    let expected = json!([
        user("u9@example.com"),
        seat(response["data"]["_entities"][1]["price"].clone()),
        null,
        user("u1@example.com"),
        null,
        seat(response["data"]["_entities"][5]["price"].clone()),
        user("u9@example.com")
    ]);
    assert_eq!(response["data"]["_entities"], expected);
    assert_eq!(
        response["data"]["_entities"][1]["price"]
            .to_string()
            .trim_matches('"'),
        "12"
    );
    assert_eq!(
        service.entities(selection, &json!([])).await,
        json!({"data": {"_entities": []}})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_hidden_is_found_and_malformed_requests_are_refused() {
    let service = Service::start(&[("federation", "true")]).await;
    let code = |response: &Value| {
        response["errors"][0]["extensions"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    for name in ["hidden", "nothing"] {
        let response_value = service
            .entities("__typename", &json!([{"__typename": name, "id": 1}]))
            .await;
        assert_eq!(
            code(&response_value),
            "validation-failed",
            "{response_value}"
        );
        assert_eq!(
            response_value["errors"][0]["message"],
            format!("unknown type '{name}'")
        );
    }
    let hidden = service
        .entities(
            "... on users { secret }",
            &json!([{"__typename": "users", "id": 1}]),
        )
        .await;
    assert_eq!(
        hidden["errors"][0]["message"], "field 'secret' not found in type: 'users'",
        "{hidden}"
    );
    for representation in [
        json!({"__typename": "users"}),
        json!({"id": 1}),
        json!(1),
        json!({"__typename": "users", "id": {}}),
    ] {
        let reply_body = service
            .entities("... on users { id }", &json!([representation]))
            .await;
        assert_eq!(code(&reply_body), "bad-request", "{reply_body}");
    }
    let wrong = service
        .entities(
            "... on users { id }",
            &json!([{"__typename": "users", "id": "x"}]),
        )
        .await;
    assert_eq!(code(&wrong), "constraint-violation", "{wrong}");
    let deep = service
        .entities(
            "... on users { id } } }",
            &json!([{"__typename": "users", "id": 1}]),
        )
        .await;
    assert_eq!(code(&deep), "parse-failed", "{deep}");
    let off = Service::start(&[]).await;
    let answer = off
        .entities(
            "... on users { id }",
            &json!([{"__typename": "users", "id": 1}]),
        )
        .await;
    assert_eq!(code(&answer), "validation-failed", "{answer}");
}

/// For each type the stored key, and other ways to write it.
const SPELLINGS: &[(&str, &str, &[&str])] = &[
    ("numeric", "1.50", &["1.5", "1.50", "\"1.500\"", "15e-1"]),
    ("numeric(6,2)", "1.50", &["1.5", "\"1.5\""]),
    (
        "uuid",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        &[
            "\"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11\"",
            "\"{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}\"",
            "\"a0eebc999c0b4ef8bb6d6bb9bd380a11\"",
        ],
    ),
    (
        "timestamptz",
        "2024-01-01T12:00:00Z",
        &[
            "\"2024-01-01T12:00:00Z\"",
            "\"2024-01-01T12:00:00.000Z\"",
            "\"2024-01-01T13:00:00+01:00\"",
            "\"2024-01-01 12:00:00+00\"",
        ],
    ),
    (
        "timestamp",
        "2024-01-01T12:00:00",
        &["\"2024-01-01 12:00:00\"", "\"2024-01-01T12:00:00.000\""],
    ),
    ("date", "2024-01-05", &["\"2024-1-5\"", "\"2024-01-05\""]),
    ("ext.citext", "AbC", &["\"abc\"", "\"ABC\""]),
    ("char(5)", "ab", &["\"ab\"", "\"ab   \""]),
    ("varchar(5)", "ab", &["\"ab\""]),
    ("inet", "10.0.0.1", &["\"10.0.0.1/32\"", "\"10.0.0.1\""]),
    ("bytea", "\\xdead", &["\"\\\\xDEAD\"", "\"\\\\xde ad\""]),
    (
        "macaddr",
        "08:00:2b:01:02:03",
        &["\"08-00-2b-01-02-03\"", "\"0800.2b01.0203\""],
    ),
    ("interval", "24:00:00", &["\"1 day\"", "\"24 hours\""]),
    ("int4range", "[1,5)", &["\"[1,4]\"", "\"[1,5)\""]),
    ("bigint", "5", &["5", "\"5\"", "\"05\""]),
    ("int", "5", &["5"]),
    ("float8", "0.1", &["1e-1", "\"1e-1\"", "0.10"]),
    ("bool", "true", &["true"]),
    (
        "jsonb",
        "{\"a\": 1.0, \"b\": [2]}",
        &["{\"b\":[2],\"a\":1}", "{\"a\": 1.00, \"b\": [2]}"],
    ),
    ("mood", "calm", &["\"calm\""]),
];

/// A service as the admin sees it, over these tables.
async fn of_admin(schema: &[&str], settings: &[(&str, &str)]) -> Service {
    let builder = service::Service::builder("federation", schema).permissions("");
    let builder = builder.setting("federation", "true").settings(settings);
    Service(builder.start().await)
}

impl Service {
    async fn as_admin(&self, query: &str, variables: &Value) -> Value {
        let reply = self.0.ask_with("admin", query, variables.clone()).await;
        reply.json()
    }

    /// The entities of one type with these keys, by the JSON of each: the number of each row.
    async fn numbers(&self, name: &str, keys: &[String]) -> Value {
        let representations: Vec<String> = keys
            .iter()
            .map(|key| format!("{{\"__typename\": \"{name}\", \"k\": {key}}}"))
            .collect();
        let query = format!(
            "query ($r: [_Any!]!) {{ _entities(representations: $r) {{ ... on {name} {{ n }} }} }}"
        );
        let body = format!(
            "{{\"query\": {}, \"variables\": {{\"r\": [{}]}}}}",
            json!(query),
            representations.join(",")
        );
        let request = self.0.by("admin").body(body);
        let request = request.header("content-type", "application/json");
        service::send(request).await.json()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_found_by_every_spelling_of_their_key() {
    let mut script = samples::SETUP.to_owned() + "CREATE TYPE mood AS ENUM ('calm', 'wild');";
    for (number, (sql, stored, _)) in SPELLINGS.iter().enumerate() {
        script += &format!(
            "CREATE TABLE s{number} (k {sql} PRIMARY KEY, n int); INSERT INTO s{number} VALUES ('{stored}', 7);
             CREATE DOMAIN d{number} AS {sql};
             CREATE TABLE t{number} (k d{number} PRIMARY KEY, n int); INSERT INTO t{number} VALUES ('{stored}', 7);"
        );
    }
    for settings in [
        &[][..],
        &[("profile", "hasura")],
        &[("stringify-numbers", "true")],
    ] {
        let service = of_admin(&[&script], settings).await;
        let mut faults = vec![];
        for (number, (sql, _, spellings)) in SPELLINGS.iter().enumerate() {
            for table in ["s", "t"] {
                let keys: Vec<String> = spellings
                    .iter()
                    .map(|spelling| (*spelling).to_owned())
                    .collect();
                let response = service.numbers(&format!("{table}{number}"), &keys).await;
                if response["data"]["_entities"] != json!(vec![json!({"n": 7}); keys.len()]) {
                    faults.push(format!("{sql} ({table}): {response}"));
                }
            }
        }
        assert!(
            faults.is_empty(),
            "{settings:?}: {} faults\n{}",
            faults.len(),
            faults.join("\n")
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_several_columns_are_found_together() {
    let script = "CREATE TABLE seats (hall text, price numeric, at timestamptz, n int, PRIMARY KEY (hall, price, at));
        INSERT INTO seats VALUES ('a', 1.50, '2024-01-01T12:00:00Z', 1), ('a', 2, '2024-01-01T12:00:00Z', 2),
          ('b', 1.5, '2024-01-01T12:00:00Z', 3), ('b', 2.0, '2024-01-02T12:00:00Z', 4);";
    let service = of_admin(&[script], &[]).await;
    let key = |hall: &str, price: Value, at: &str| json!({"__typename": "seats", "hall": hall, "price": price, "at": at});
    let representations = json!([
        key("b", json!(2), "2024-01-02T13:00:00+01:00"),
        key("a", json!(1.5), "2024-01-01T12:00:00.000Z"),
        // Each value is one of some row, but no row has them together.
        key("a", json!(1.5), "2024-01-02T12:00:00Z"),
        key("b", json!("1.500"), "2024-01-01 12:00:00+00"),
        key("b", json!(2), "2024-01-02T12:00:00Z"),
    ]);
    let query = "query ($r: [_Any!]!) { _entities(representations: $r) { ... on seats { n } } }";
    let response = service
        .as_admin(query, &json!({"r": representations}))
        .await;
    let expected = json!([{"n": 4}, {"n": 1}, null, {"n": 3}, {"n": 4}]);
    assert_eq!(response["data"]["_entities"], expected, "{response}");
}

/// A table for every type that may be a primary key: `@key` says which can be asked for, and of
/// those every row is found by its key as it is sent.
#[tokio::test(flavor = "multi_thread")]
async fn rows_are_found_by_keys_of_every_type() {
    let database = tests::create("federation", &[samples::SETUP])
        .await
        .unwrap();
    let client = database.connect().await.unwrap();
    let mut tables: Vec<(String, String)> = vec![];
    for row in client.query(samples::TYPES, &[]).await.unwrap() {
        let sql: String = row.get(0);
        let name: String = row.get(2);
        let Some(values) = samples::of(&name).filter(|_| !samples::EMPTY.contains(&name.as_str()))
        else {
            continue;
        };
        for (kind, suffix) in [("", "plain"), ("[]", "list")] {
            let table = format!("k{}{suffix}", tables.len());
            let create = format!("CREATE TABLE {table} (k {sql}{kind} PRIMARY KEY, n serial)");
            // Types without an order cannot be keys.
            if client.batch_execute(&create).await.is_err() {
                continue;
            }
            let mut script = String::new();
            for value in values {
                let value = if value.starts_with("ROW(") {
                    format!("{value}::{sql}")
                } else {
                    format!("'{}'::{sql}", value.replace('\'', "''"))
                };
                let value = if kind.is_empty() {
                    value
                } else {
                    format!("ARRAY[{value}]::{sql}[]")
                };
                script +=
                    &format!("INSERT INTO {table} (k) VALUES ({value}) ON CONFLICT DO NOTHING; ");
            }
            // So can arrays of such types not be, which Postgres notices when they are compared.
            if client.batch_execute(&script).await.is_err() {
                client
                    .batch_execute(&format!("DROP TABLE {table}"))
                    .await
                    .unwrap();
                continue;
            }
            tables.push((table, format!("{sql}{kind}")));
        }
    }
    let builder = service::Service::builder("federation", &[]).permissions("");
    let builder = builder.setting("federation", "true");
    let service = Service(builder.start_over(database).await.unwrap());
    let sdl = service.as_admin("{ _service { sdl } }", &json!({})).await;
    let sdl = sdl["data"]["_service"]["sdl"].as_str().unwrap();
    let mut found = 0;
    let mut without = 0;
    let mut faults = vec![];
    for (table, sql) in &tables {
        let rows = service
            .as_admin(&format!("{{ {table} {{ k n }} }}"), &json!({}))
            .await;
        let rows = rows["data"][table]
            .as_array()
            .unwrap_or_else(|| panic!("{sql}: {rows}"))
            .clone();
        let keys: Vec<String> = rows.iter().map(|row| row["k"].to_string()).collect();
        let response = service.numbers(table, &keys).await;
        if !sdl.contains(&format!("type {table} @key(fields: \"k\") {{")) {
            without += 1;
            if response["errors"][0]["message"] != format!("unknown type '{table}'") {
                faults.push(format!("{sql} has no @key: {response}"));
            }
            continue;
        }
        let expected: Vec<Value> = rows.iter().map(|row| json!({"n": row["n"]})).collect();
        if response["data"]["_entities"] != json!(expected) {
            faults.push(format!("{sql}: {response} for {keys:?}"));
        }
        found += keys.len();
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(
        found > 250 && without > 60,
        "{found} keys, {without} types without"
    );
}

const DOCUMENT: &str =
    "query Users($r: [_Any!]!) { _entities(representations: $r) { ... on users { email } } }";

/// Starts a service with this `[operations]`, and a list with the document of a router.
async fn with_list(operations: &str) -> Service {
    let folder = tempfile::tempdir().unwrap();
    let list = format!("[[collection]]\nroles = [\"member\"]\nqueries = ['{DOCUMENT}']\n");
    std::fs::write(folder.path().join("list.toml"), list).unwrap();
    let text = format!("federation = true\n[operations]\nallow_list = \"list.toml\"\n{operations}");
    let file = folder.path().join("gateway.toml");
    Service::with(
        Settings::from_text(file.to_str().unwrap(), &text).unwrap(),
        &[],
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn allow_lists_hold_the_documents_of_the_router() {
    let variables = json!({"r": [{"__typename": "users", "id": 1}]});
    let service = "{ _service { sdl } }";
    let other = DOCUMENT.replace("email", "email id");
    let message = |response: &Value| {
        response["errors"][0]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let enforced = with_list("mode = \"enforce\"\n").await;
    assert_eq!(
        message(&enforced.send(service, &json!({})).await),
        "query is not allowed"
    );
    assert_eq!(
        message(&enforced.send(&other, &variables).await),
        "query is not allowed"
    );
    let listed = enforced.send(DOCUMENT, &variables).await;
    assert_eq!(
        listed["data"]["_entities"],
        json!([{"email": "u1@example.com"}]),
        "{listed}"
    );
    // Nothing is read by fields beside those of the list.
    let more = format!(
        "{} users {{ id }} }}",
        DOCUMENT.trim_end().trim_end_matches('}')
    );
    assert_eq!(
        message(&enforced.send(&more, &variables).await),
        "query is not allowed"
    );
    let open = with_list("mode = \"enforce\"\nintrospection = true\n").await;
    assert!(open.send(service, &json!({})).await["data"]["_service"]["sdl"].is_string());
    assert_eq!(
        message(
            &open
                .send("{ _service { sdl } users { id } }", &json!({}))
                .await
        ),
        "query is not allowed"
    );
    assert_eq!(
        message(&open.send(&other, &variables).await),
        "query is not allowed"
    );
    let logged = with_list("mode = \"log\"\n").await;
    assert!(logged.send(service, &json!({})).await["data"]["_service"]["sdl"].is_string());
    let metrics = logged.metrics().await;
    assert!(
        metrics.contains("postern_unlisted_total{mode=\"log\",role=\"member\"} 1"),
        "{metrics}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn router_may_send_hashes_in_place_of_documents() {
    let service = Service::start(&[("federation", "true")]).await;
    let digest = |text: &str| {
        Sha256::digest(text)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let hash = |text: &str| json!({"persistedQuery": {"version": 1, "sha256Hash": digest(text)}});
    let variables = json!({"r": [{"__typename": "users", "id": 1}]});
    let by_hash = json!({"variables": variables, "extensions": hash(DOCUMENT)});
    let unknown = service.post(&by_hash).await;
    assert_eq!(
        unknown["errors"][0]["message"], "PersistedQueryNotFound",
        "{unknown}"
    );
    let both = json!({"query": DOCUMENT, "variables": variables, "extensions": hash(DOCUMENT)});
    for body in [both, by_hash] {
        let response = service.post(&body).await;
        assert_eq!(
            response["data"]["_entities"],
            json!([{"email": "u1@example.com"}]),
            "{response}"
        );
    }
    let wrong = json!({"query": DOCUMENT, "variables": variables, "extensions": hash("{ a }")});
    assert_eq!(
        service.post(&wrong).await["errors"][0]["message"],
        "provided sha does not match query"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn apollos_router_composes_and_asks_the_gateway() {
    let service = Service::start(&[("federation", "true")]).await;
    let headers = Value::Object(
        Service::headers()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect(),
    );
    let mut command = program::node("federation", "router.mjs").unwrap();
    command
        .arg(format!("{}/v1/graphql", service.gateway.url()))
        .arg(headers.to_string());
    let responses = program::run_json(&mut command, "").await.unwrap();
    let user = |id: u64| json!({"id": id, "email": format!("u{id}@example.com")});
    // User 4 is of another team, 404 does not exist.
    let found = &responses["throughReviews"]["data"]["topReviews"];
    assert_eq!(
        found[0],
        json!({"stars": 4, "user": user(9)}),
        "{responses}"
    );
    assert_eq!(
        found[1],
        json!({"stars": 1, "user": user(1)}),
        "{responses}"
    );
    // `email` is not null in the schema, so the router answers null for the whole user.
    assert!(
        found[2]["user"].is_null() && found[3]["user"].is_null(),
        "{responses}"
    );
    let rows = json!([{"id": 1, "reviews": [{"stars": 1}]}, {"id": 3, "reviews": [{"stars": 3}]}]);
    assert_eq!(
        responses["throughRows"]["data"]["users"], rows,
        "{responses}"
    );
    // All users of the first answer were one request.
    let entities = responses["sent"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|sent| sent["query"].to_string().contains("_entities"));
    assert_eq!(entities.count(), 1, "{responses}");
}
