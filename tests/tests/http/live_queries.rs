//! Tests live queries over WebSockets: every subscriber gets its own result, at once and after each
//! change, and nothing without one.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use gateway::migrations;
use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;

use super::service::{PERMISSIONS, SCHEMA, Service, send};
use super::websocket_client::{PATIENCE, TRANSPORT, WebSocket};

/// Shorter than the default, so that the tests wait less.
const INTERVAL: (&str, &str) = ("subscription-interval", "0.2");

/// Within this time a subscriber has the result of a write.
const SOON: Duration = Duration::from_secs(2);

/// A silence of this length spans several intervals.
const SILENCE: Duration = Duration::from_millis(900);

const TITLES: &str = "subscription { articles(order_by: {id: asc}) { id title author_id } }";

impl WebSocket {
    /// A socket of a role with a user id.
    pub(super) async fn of(service: &Service, role: &str, user: u32) -> WebSocket {
        let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
        let headers = json!({"X-Gateway-Admin-Secret": ADMIN_SECRET, "X-Gateway-Role": role, "X-Gateway-User-Id": user.to_string()});
        socket.init(&json!({ "headers": headers })).await;
        assert_eq!(socket.message().await, json!({"type": "connection_ack"}));
        socket
    }

    pub(super) async fn subscribe(&mut self, id: &str, query: &str, variables: &Value) {
        let payload = json!({"query": query, "variables": variables});
        self.send(&json!({"type": "subscribe", "id": id, "payload": payload}))
            .await;
    }

    /// The `data` of the next result of an operation.
    pub(super) async fn result(&mut self, id: &str) -> Value {
        let message = self.message().await;
        assert_eq!(
            (&message["type"], &message["id"]),
            (&json!("next"), &json!(id)),
            "{message}"
        );
        message["payload"]["data"].clone()
    }

    /// Whether no message arrives for a while.
    pub(super) async fn is_silent(&mut self) -> bool {
        tokio::time::timeout(SILENCE, self.message()).await.is_err()
    }
}

pub(super) async fn run(service: &Service, sql: &str) {
    service
        .database
        .connect()
        .await
        .unwrap()
        .batch_execute(sql)
        .await
        .unwrap();
}

fn ids(data: &Value, field: &str) -> Vec<i64> {
    data[field]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_i64().unwrap())
        .collect()
}

#[tokio::test]
async fn live_query_sends_its_result_at_once_and_after_each_change() {
    let service = Service::with(&[INTERVAL]).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.start("1", TITLES).await;
    assert_eq!(ids(&socket.result("1").await, "articles"), [1, 2, 3]);
    let began = Instant::now();
    run(&service, "INSERT INTO articles VALUES (4, 2, 'fourth')").await;
    assert_eq!(ids(&socket.result("1").await, "articles"), [1, 2, 3, 4]);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    run(
        &service,
        "UPDATE articles SET size = 9; CREATE TABLE other (id int); INSERT INTO other VALUES (1)",
    )
    .await;
    assert!(socket.is_silent().await, "no selected value has changed");
    run(&service, "BEGIN; DELETE FROM articles; ROLLBACK").await;
    assert!(socket.is_silent().await);
    socket.send(&json!({"type": "complete", "id": "1"})).await;
    run(&service, "DELETE FROM articles WHERE id = 4").await;
    assert!(socket.is_silent().await);
}

#[tokio::test]
async fn subscribers_get_the_rows_of_their_own_rule_and_variables() {
    let service = Service::with(&[INTERVAL]).await;
    let query = "subscription ($title: String!) { articles(where: {title: {_neq: $title}}, \
                 order_by: {id: asc}) { id author_id } }";
    let mut sockets = Vec::new();
    for user in [1, 2, 3, 1, 2] {
        let mut socket = WebSocket::of(&service, "author", user).await;
        for title in ["first", "third", "none"] {
            socket
                .subscribe(title, query, &json!({ "title": title }))
                .await;
        }
        sockets.push((user, socket));
    }
    let writes = [
        "SELECT 1",
        "UPDATE articles SET author_id = 2 WHERE id = 1",
        "UPDATE articles SET title = 'none' WHERE id = 2",
        "INSERT INTO authors VALUES (3, 'Cy'); INSERT INTO articles VALUES (5, 3, 'fifth'), (6, \
         1, 'sixth')",
        "DELETE FROM articles WHERE author_id = 2",
    ];
    let mut last: HashMap<(usize, &str), Value> = HashMap::new();
    for write in writes {
        run(&service, write).await;
        for (number, (user, socket)) in sockets.iter_mut().enumerate() {
            for title in ["first", "third", "none"] {
                let request = json!({"query": query.replacen("subscription", "query", 1), "variables": {"title": title}});
                let own = service
                    .by("author")
                    .header("X-Gateway-User-Id", user.to_string())
                    .json(&request);
                let expected = send(own).await.json()["data"].clone();
                while last.get(&(number, title)) != Some(&expected) {
                    let message = socket.message().await;
                    assert_eq!(message["type"], "next", "{message}");
                    let title = ["first", "third", "none"]
                        .into_iter()
                        .find(|title| message["id"] == *title)
                        .unwrap();
                    let data = message["payload"]["data"].clone();
                    let rows = data["articles"].as_array().unwrap();
                    assert!(
                        rows.iter().all(|row| row["author_id"] == *user),
                        "{user}: {rows:?}"
                    );
                    last.insert((number, title), data);
                }
            }
        }
    }
}

#[tokio::test]
async fn equal_subscriptions_share_statements_and_idle_ones_run_none() {
    let service = Service::with(&[INTERVAL]).await;
    let mut sockets = Vec::new();
    for user in 0..40 {
        let mut socket = WebSocket::of(&service, "author", user % 4 + 1).await;
        socket.start("1", TITLES).await;
        socket.result("1").await;
        sockets.push(socket);
    }
    let count = async |name: &str| {
        let metrics = service.metrics().await;
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix(&format!("postern_{name} ")))
            .unwrap();
        line.parse::<f64>().unwrap()
    };
    assert_eq!(
        (
            count("subscribers").await,
            count("subscription_cohorts").await
        ),
        (40.0, 1.0)
    );
    run(&service, "INSERT INTO articles VALUES (4, 1, 'fourth')").await;
    for socket in sockets.iter_mut().step_by(4) {
        assert_eq!(ids(&socket.result("1").await, "articles"), [1, 2, 4]);
    }
    tokio::time::sleep(SILENCE).await;
    let before = count("subscription_statements_total").await;
    tokio::time::sleep(SILENCE).await;
    let idle = count("subscription_statements_total").await - before;
    // Other tests of the cluster write too, which moves the snapshot: one statement for each
    // interval at most.
    assert!(idle <= 6.0, "{idle} statements");
    drop(sockets);
    let end = Instant::now() + PATIENCE;
    while count("subscribers").await > 0.0 || count("subscription_cohorts").await > 0.0 {
        assert!(Instant::now() < end);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn failing_parameters_end_one_subscriber_and_not_those_beside_it() {
    let service = Service::with(&[INTERVAL]).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let query = "subscription ($id: Int!) { ratios(where: {id: {_eq: $id}}) { id ratio } }";
    for id in [1, 2, 7] {
        socket
            .subscribe(&id.to_string(), query, &json!({ "id": id }))
            .await;
    }
    let mut ends = HashMap::new();
    for _ in 0..3 {
        let message = socket.message().await;
        ends.insert(message["id"].as_str().unwrap().to_owned(), message);
    }
    assert_eq!(
        ends["1"]["payload"][0]["extensions"]["code"], "data-exception",
        "{:?}",
        ends["1"]
    );
    assert_eq!(
        ends["2"]["payload"]["data"],
        json!({"ratios": [{"id": 2, "ratio": 10}]})
    );
    assert_eq!(ends["7"]["payload"]["data"], json!({"ratios": []}));
    run(&service, "INSERT INTO authors VALUES (7, 'Eve')").await;
    assert_eq!(
        socket.result("7").await,
        json!({"ratios": [{"id": 7, "ratio": 1}]})
    );
}

#[tokio::test]
async fn query_that_reads_the_clock_runs_without_a_write() {
    let schema = format!(
        "{SCHEMA} CREATE VIEW clock AS SELECT 1 AS id, extract(epoch FROM \
                          clock_timestamp())::int AS at;"
    );
    let permissions = format!(
        "{PERMISSIONS}\n[table.clock.role.reader]\nselect = {{ columns = \
                               \"*\", rows = \"true\" }}\n"
    );
    let service = Service::of_tables(&schema, &permissions, "subscription_interval = 0.2\n").await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.start("1", "subscription { clock { at } }").await;
    let first = socket.result("1").await;
    assert_ne!(socket.result("1").await, first);
}

#[tokio::test]
async fn notification_of_a_trigger_updates_before_the_interval_ends() {
    let service = Service::with(&[("subscription-interval", "3600")]).await;
    run(&service, &plugins::migration_script()).await;
    run(&service, migrations::NOTIFY_WRITES).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.start("1", TITLES).await;
    socket.result("1").await;
    // The gateway begins to listen with the first subscription.
    let listens = "SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN %postern_write%' AND \
                   datname = current_database()";
    let client = service.database.connect().await.unwrap();
    let end = Instant::now() + PATIENCE;
    while client.query(listens, &[]).await.unwrap().is_empty() {
        assert!(Instant::now() < end, "it does not listen");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let began = Instant::now();
    run(&service, "UPDATE articles SET title = 'new' WHERE id = 1").await;
    assert_eq!(socket.result("1").await["articles"][0]["title"], "new");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    run(&service, "UPDATE authors SET name = 'other'").await;
    assert!(socket.is_silent().await, "another table");
}

#[tokio::test]
async fn subscriptions_outlive_the_loss_of_their_connections() {
    let service = Service::with(&[INTERVAL]).await;
    let mut socket = WebSocket::of(&service, "author", 1).await;
    socket.start("1", TITLES).await;
    assert_eq!(ids(&socket.result("1").await, "articles"), [1, 2]);
    for round in 0..3 {
        let client = service.database.connect().await.unwrap();
        let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        client.execute(kill, &[]).await.unwrap();
        client
            .batch_execute(&format!(
                "UPDATE articles SET title = 'round {round}' WHERE id = 1"
            ))
            .await
            .unwrap();
        let began = Instant::now();
        assert_eq!(
            socket.result("1").await["articles"][0]["title"],
            format!("round {round}")
        );
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn subscription_has_one_root_field_and_is_refused_by_post() {
    let service = Service::start().await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    for (query, message) in [
        (
            "subscription { articles { id } authors { id } }",
            "a subscription must select only one root field",
        ),
        (
            "subscription { __typename }",
            "a subscription must not select an introspection field as its root field",
        ),
        (
            "subscription { secrets { id } }",
            "field 'secrets' not found in type: 'subscription_root'",
        ),
    ] {
        socket.start("1", query).await;
        let error = socket.message().await;
        assert_eq!(
            (&error["type"], &error["payload"][0]["message"]),
            (&json!("error"), &json!(message)),
            "{query}"
        );
    }
    let reply = service.ask(TITLES).await.json();
    assert_eq!(reply["errors"][0]["extensions"]["code"], "not-supported");
}

#[tokio::test]
async fn stream_delivers_each_row_once_in_the_order_of_its_cursor() {
    let service = Service::with(&[INTERVAL]).await;
    run(&service, "UPDATE articles SET size = 5").await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    // All rows have equal cursors, which the key tells apart.
    let query = "subscription { articles_stream(batch_size: 2, cursor: [{initial_value: {size: \
                 4}, ordering: ASC}]) { id size } }";
    socket.start("1", query).await;
    assert_eq!(ids(&socket.result("1").await, "articles_stream"), [1, 2]);
    assert_eq!(ids(&socket.result("1").await, "articles_stream"), [3]);
    assert!(socket.is_silent().await);
    run(
        &service,
        "INSERT INTO articles (id, author_id, title, size) SELECT g, 1, 'more', 5 + g \
                   / 10 FROM generate_series(10, 24) g",
    )
    .await;
    let mut seen = Vec::new();
    while seen.len() < 15 {
        let batch = ids(&socket.result("1").await, "articles_stream");
        assert!((1..=2).contains(&batch.len()), "{batch:?}");
        seen.extend(batch);
    }
    assert_eq!(seen, (10..25).collect::<Vec<i64>>());
    run(
        &service,
        "INSERT INTO articles (id, author_id, title, size) VALUES (30, 1, 'behind', \
                   1); UPDATE articles SET title = 'x'",
    )
    .await;
    assert!(socket.is_silent().await, "rows behind the position");
    let mut late = WebSocket::of(&service, "author", 1).await;
    let query = "subscription { articles_stream(batch_size: 50, cursor: {initial_value: {id: \
                 21}, ordering: DESC}, where: {title: {_eq: \"x\"}}) { id } }";
    late.start("1", query).await;
    let own = ids(&late.result("1").await, "articles_stream");
    assert_eq!(own, [20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 2, 1]);
    let refused = [
        ("[]", "validation-failed"),
        (
            "[{initial_value: {id: 1}}, {initial_value: {id: 2}}]",
            "limit-exceeded",
        ),
        ("{initial_value: {born: \"now\"}}", "validation-failed"),
    ];
    for (cursor, code) in refused {
        socket
            .start(
                "2",
                &format!(
                    "subscription {{ articles_stream(batch_size: 1, cursor: {cursor}) {{ id }} }}"
                ),
            )
            .await;
        let error = socket.message().await;
        assert_eq!(error["payload"][0]["extensions"]["code"], code, "{error}");
    }
    socket
        .start(
            "2",
            "subscription { authors_stream(batch_size: 1, cursor: {initial_value: {born: \
                     \"now\"}}) { id } }",
        )
        .await;
    assert_eq!(
        socket.message().await["payload"][0]["extensions"]["code"],
        "constraint-violation"
    );
}

#[tokio::test]
async fn reload_ends_what_is_no_longer_allowed_and_continues_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("service.toml");
    std::fs::write(&file, PERMISSIONS).unwrap();
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let builder = tests::gateway()
        .database_url(database.url())
        .permissions_file(&file);
    let builder = builder
        .setting("listen", "127.0.0.1:0")
        .setting("admin-secret", ADMIN_SECRET)
        .setting(INTERVAL.0, INTERVAL.1);
    let running = builder.start().await.unwrap();
    let service = Service::from_parts(running, database);
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket
        .start(
            "1",
            "subscription { articles(order_by: {id: asc}) { id title } }",
        )
        .await;
    socket.result("1").await;
    socket
        .start("2", "subscription { authors(order_by: {id: asc}) { id } }")
        .await;
    assert_eq!(ids(&socket.result("2").await, "authors"), [1, 2]);
    let stream =
        "subscription { articles_stream(batch_size: 5, cursor: {initial_value: {id: 0}}) { id } }";
    socket.start("3", stream).await;
    assert_eq!(ids(&socket.result("3").await, "articles_stream"), [1, 2, 3]);
    let narrow = PERMISSIONS.replacen(
        "[table.articles.role.reader]\nselect = { columns = \"*\"",
        "[table.articles.role.reader]\nselect = { columns = [\"id\", \"author_id\"]",
        1,
    );
    assert_ne!(narrow, PERMISSIONS);
    std::fs::write(&file, narrow).unwrap();
    service.gateway.reload().await.unwrap();
    let error = socket.message().await;
    assert_eq!(
        (&error["type"], &error["id"]),
        (&json!("error"), &json!("1")),
        "{error}"
    );
    assert_eq!(
        error["payload"][0]["extensions"]["code"],
        "validation-failed"
    );
    assert!(socket.is_silent().await, "equal results are not sent again");
    run(
        &service,
        "INSERT INTO authors VALUES (3, 'Cy'); INSERT INTO articles VALUES (9, 3, 'ninth')",
    )
    .await;
    let mut results = HashMap::new();
    for _ in 0..2 {
        let message = socket.message().await;
        results.insert(
            message["id"].as_str().unwrap().to_owned(),
            message["payload"]["data"].clone(),
        );
    }
    assert_eq!(ids(&results["2"], "authors"), [1, 2, 3]);
    assert_eq!(ids(&results["3"], "articles_stream"), [9]);
}

#[tokio::test]
async fn slow_parameters_end_and_do_not_stop_those_beside_them() {
    let schema = format!(
        "{SCHEMA} CREATE FUNCTION wait(seconds int) RETURNS int LANGUAGE sql \
                          IMMUTABLE AS 'SELECT 1 FROM (SELECT pg_sleep(seconds)) AS s'; \
                          CREATE TABLE waits (id int PRIMARY KEY, seconds int); INSERT INTO \
                          waits VALUES (1, 0), (2, 60); \
                          CREATE VIEW waiting AS SELECT id, wait(seconds) AS waited FROM waits;"
    );
    let permissions = format!(
        "{PERMISSIONS}\n[table.waiting.role.reader]\nselect = {{ columns = \
                               \"*\", rows = \"true\" }}\n"
    );
    let service = Service::of_tables(
        &schema,
        &permissions,
        "subscription_interval = 0.2\ntime_limit = 4\n",
    )
    .await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let query = "subscription ($id: Int!) { waiting(where: {id: {_eq: $id}}) { id waited } }";
    for id in [1, 2, 3] {
        socket
            .subscribe(&id.to_string(), query, &json!({ "id": id }))
            .await;
    }
    let mut ends = HashMap::new();
    for _ in 0..3 {
        let message = socket.message().await;
        ends.insert(
            message["id"].as_str().unwrap().to_owned(),
            message["type"].clone(),
        );
    }
    assert_eq!(json!(ends), json!({"1": "next", "2": "error", "3": "next"}));
    run(&service, "INSERT INTO waits VALUES (3, 0)").await;
    assert_eq!(
        socket.result("3").await,
        json!({"waiting": [{"id": 3, "waited": 1}]})
    );
}
