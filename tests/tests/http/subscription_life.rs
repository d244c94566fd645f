//! Tests subscriptions over time: reloads while they run, parameters that take long, clients that
//! do not read, and what is counted of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use gateway::config::Settings;
use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::service::{PERMISSIONS, SCHEMA, Service, gauge, until_no_subscriptions};
use super::token;
use super::websocket_client::{LEGACY, PATIENCE, TRANSPORT, WebSocket};

/// Within this time a subscriber has the result of a write.
const SOON: Duration = Duration::from_secs(2);

const INTERVAL: (&str, &str) = ("subscription-interval", "0.2");

const AUTHORS: &str = "{ authors(order_by: {id: asc}) { id } }";

impl WebSocket {
    async fn subscribe_with(&mut self, id: &str, query: &str, variables: &Value) {
        let payload = json!({"query": query, "variables": variables});
        self.send(&json!({"type": "subscribe", "id": id, "payload": payload}))
            .await;
    }

    /// The `data` of the next result of this operation. Results of others are skipped.
    async fn next_of(&mut self, id: &str) -> Value {
        loop {
            let message = self.message().await;
            assert_eq!(message["type"], "next", "{message}");
            if message["id"] == id {
                return message["payload"]["data"].clone();
            }
        }
    }
}

async fn run(service: &Service, sql: &str) {
    service
        .database
        .connect()
        .await
        .unwrap()
        .batch_execute(sql)
        .await
        .unwrap();
}

/// Starts a gateway whose setting for tokens is in the returned text, which each reload reads.
async fn with_changing_secret() -> (Service, Arc<Mutex<String>>) {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let secret = Arc::new(Mutex::new(token::SECRET.to_owned()));
    let read = secret.clone();
    let url = database.url().to_owned();
    let settings = move || {
        let mut settings = Settings::from_text("gateway.toml", "subscription_interval = 0.2\n")?;
        settings.set("database-url", &url)?;
        settings.set("listen", "127.0.0.1:0")?;
        settings.set("admin-secret", ADMIN_SECRET)?;
        settings.set("jwt-secret", &read.lock().unwrap())?;
        Ok(settings)
    };
    let builder = tests::gateway()
        .settings_from(settings)
        .permissions_text("service.toml", PERMISSIONS);
    let service = Service::from_parts(builder.start().await.unwrap(), database);
    (service, secret)
}

/// A socket with a token, acknowledged.
async fn with_token(service: &Service, protocol: &str) -> WebSocket {
    let mut socket = WebSocket::open(service.address(), Some(protocol), &[]).await;
    socket
        .init(&json!({"headers": {"Authorization": format!("Bearer {}", token::good())}}))
        .await;
    assert_eq!(socket.message().await["type"], "connection_ack");
    socket
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_closes_connections_whose_credentials_no_longer_hold() {
    let (service, secret) = with_changing_secret().await;
    let mut idle = with_token(&service, TRANSPORT).await;
    let mut legacy = with_token(&service, LEGACY).await;
    assert_eq!(legacy.message().await["type"], "ka");
    let mut busy = with_token(&service, TRANSPORT).await;
    busy.start("1", &format!("subscription {AUTHORS}")).await;
    busy.next_of("1").await;
    let mut admin = WebSocket::reader(&service, TRANSPORT).await;
    let mut fresh = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
    let stream = service
        .post()
        .bearer_auth(token::good())
        .header("Accept", "text/event-stream");
    let stream = stream
        .json(&json!({"query": format!("subscription {AUTHORS}")}))
        .send()
        .await
        .unwrap();
    assert_eq!(stream.status(), 200);

    // The same secret: everything goes on.
    let old = Arc::downgrade(&service.gateway.app().state());
    service.gateway.reload().await.unwrap();
    until("nothing holds the replaced state", async || {
        old.strong_count() == 0
    })
    .await;
    idle.start("1", AUTHORS).await;
    assert_eq!(idle.next_of("1").await["authors"], json!([{"id": 1}]));
    assert_eq!(idle.message().await["type"], "complete");

    let other = token::SECRET.replace("a key of", "no key of");
    *secret.lock().unwrap() = other;
    service.gateway.reload().await.unwrap();
    for socket in [&mut idle, &mut busy] {
        assert_eq!(socket.closed().await.0, 4403);
    }
    assert_eq!(legacy.message().await["type"], "connection_error");
    assert_eq!(legacy.closed().await.0, 4403);
    let events = tokio::time::timeout(PATIENCE, stream.text())
        .await
        .expect("the stream goes on")
        .unwrap();
    assert!(
        events.contains("authors") && !events.contains("errors") && !events.contains("complete"),
        "{events}"
    );
    until_no_subscriptions(&service.gateway).await;
    admin.start("1", AUTHORS).await;
    admin.next_of("1").await;
    fresh
        .init(&json!({"X-Gateway-Admin-Secret": ADMIN_SECRET}))
        .await;
    assert_eq!(fresh.message().await["type"], "connection_ack");
}

#[tokio::test]
async fn reload_ends_a_stream_whose_order_has_changed() {
    let schema = format!(
        "{SCHEMA} CREATE TABLE events (id int PRIMARY KEY, code int NOT NULL \
                          UNIQUE, at int NOT NULL); \
                          INSERT INTO events SELECT g, 100 - g, 1 FROM generate_series(1, 4) g;"
    );
    let permissions = format!(
        "{PERMISSIONS}\n[table.events.role.reader]\nselect = {{ columns = \
                               \"*\", rows = \"true\" }}\n"
    );
    let service = Service::of_tables(&schema, &permissions, "subscription_interval = 0.2\n").await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let stream =
        "subscription { events_stream(batch_size: 2, cursor: {initial_value: {at: 0}}) { id } }";
    socket.start("1", stream).await;
    for expected in [json!([{"id": 1}, {"id": 2}]), json!([{"id": 3}, {"id": 4}])] {
        assert_eq!(socket.next_of("1").await["events_stream"], expected);
    }
    run(
        &service,
        "ALTER TABLE events DROP CONSTRAINT events_pkey, ADD PRIMARY KEY (code)",
    )
    .await;
    service.gateway.reload().await.unwrap();
    // With the values of the old key for the new one, all rows would come again.
    let error = socket.message().await;
    assert_eq!(
        (&error["type"], &error["id"]),
        (&json!("error"), &json!("1")),
        "{error}"
    );
    assert_eq!(
        error["payload"][0]["message"],
        "the cursor for 'cursor' was not made for this list and order"
    );
}

#[tokio::test]
async fn batch_size_of_zero_is_refused() {
    let service = Service::start().await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let stream = |size: &str| {
        format!(
            "articles_stream(batch_size: {size}, cursor: {{initial_value: {{id: 0}}}}) {{ id }}"
        )
    };
    for size in [0, -1] {
        let literal = format!("subscription {{ {} }}", stream(&size.to_string()));
        let variable = format!("subscription ($size: Int!) {{ {} }}", stream("$size"));
        for query in [literal, variable] {
            socket
                .subscribe_with("1", &query, &json!({ "size": size }))
                .await;
            let error = socket.message().await;
            assert_eq!(
                error["payload"][0]["extensions"]["code"], "constraint-violation",
                "{query}: {error}"
            );
        }
    }
    // Many sizes become a parameter of one statement, which refuses as well.
    let query = format!("subscription ($size: Int!) {{ {} }}", stream("$size"));
    for size in (1..40).chain([0]) {
        socket
            .subscribe_with(&size.to_string(), &query, &json!({ "size": size }))
            .await;
        let message = socket.message().await;
        let is_refused = message["payload"][0]["extensions"]["code"] == "constraint-violation";
        assert_eq!(is_refused, size == 0, "{message}");
        while size > 0
            && size < 3
            && socket.message().await["payload"]["data"]["articles_stream"][0]["id"] != 3
        {}
        socket
            .send(&json!({"type": "complete", "id": size.to_string()}))
            .await;
    }
}

#[tokio::test]
async fn slow_parameters_do_not_delay_those_beside_them() {
    let schema = format!(
        "{SCHEMA} CREATE FUNCTION wait(seconds float8) RETURNS int LANGUAGE sql \
                          IMMUTABLE AS 'SELECT 1 FROM (SELECT pg_sleep(seconds)) AS s'; \
                          CREATE TABLE waits (id int PRIMARY KEY, seconds float8, note text); \
                          INSERT INTO waits VALUES (1, 0, 'a'), (2, 3.5, 'a'), (3, 0, 'a'); \
                          CREATE VIEW waiting AS SELECT id, note, wait(seconds) AS waited FROM \
                          waits;"
    );
    let permissions = format!(
        "{PERMISSIONS}\n[table.waiting.role.reader]\nselect = {{ columns = \
                               \"*\", rows = \"true\" }}\n"
    );
    let service = Service::of_tables(&schema, &permissions, "subscription_interval = 0.2\n").await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let query = "subscription ($id: Int!) { waiting(where: {id: {_eq: $id}}) { note waited } }";
    for id in [1, 2, 3] {
        socket
            .subscribe_with(&id.to_string(), query, &json!({ "id": id }))
            .await;
    }
    let mut first = HashMap::new();
    while first.len() < 3 {
        let message = socket.message().await;
        assert_eq!(message["type"], "next", "{message}");
        first.insert(
            message["id"].as_str().unwrap().to_owned(),
            message["payload"]["data"].clone(),
        );
    }
    assert_eq!(first["2"], json!({"waiting": [{"note": "a", "waited": 1}]}));
    assert_eq!(
        gauge(&service.gateway, "subscription_cohorts").await,
        2.0,
        "the slow one is alone"
    );
    for note in ["b", "c"] {
        run(&service, &format!("UPDATE waits SET note = '{note}'")).await;
        let began = Instant::now();
        let mut left = vec!["1", "3"];
        while !left.is_empty() {
            let message = socket.message().await;
            let is_new = message["payload"]["data"]["waiting"][0]["note"] == note;
            left.retain(|id| message["id"] != *id || !is_new);
        }
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    }
    while socket.next_of("2").await["waiting"][0]["note"] != "c" {}
    // Another subscriber of the same parameters joins it.
    let mut other = WebSocket::reader(&service, TRANSPORT).await;
    other.subscribe_with("2", query, &json!({ "id": 2 })).await;
    until("it has joined", async || {
        gauge(&service.gateway, "subscribers").await == 4.0
    })
    .await;
    assert_eq!(gauge(&service.gateway, "subscription_cohorts").await, 2.0);
    drop((socket, other));
    until_no_subscriptions(&service.gateway).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_that_wait_for_a_slow_client_reserve_memory() {
    let schema = format!(
        "{SCHEMA} CREATE TABLE pages (id int PRIMARY KEY, text text); \
         INSERT INTO pages SELECT g, repeat('x', 2000000) FROM generate_series(1, 20) g;"
    );
    let permissions = format!(
        "{PERMISSIONS}\n[table.pages.role.reader]\nselect = {{ columns = \
                               \"*\", rows = \"true\" }}\n"
    );
    let settings =
        "subscription_interval = 0.2\nmemory_limit = 20971520\nsocket_queue_limit = 1073741824\n";
    let service = Service::of_tables(&schema, &permissions, settings).await;
    let query = "subscription ($id: Int!) { pages(where: {id: {_eq: $id}}) { id text } }";
    let mut slow = WebSocket::reader(&service, TRANSPORT).await;
    for id in 1..=20 {
        slow.subscribe_with(&id.to_string(), query, &json!({ "id": id }))
            .await;
    }
    // What the connection does not take is reserved, and what has no room waits to be made.
    let reserved = async || gauge(&service.gateway, "memory_reserved_bytes").await;
    until("the results are reserved", async || reserved().await > 8e6).await;
    let refused = async || gauge(&service.gateway, "memory_refused_total").await;
    until("there is no room for more", async || refused().await > 0.0).await;

    // Others are served: small results at once, and large ones when there is room.
    let mut other = WebSocket::reader(&service, TRANSPORT).await;
    other.start("1", &format!("subscription {AUTHORS}")).await;
    other.next_of("1").await;
    run(&service, "INSERT INTO authors VALUES (3, 'Cy')").await;
    let began = Instant::now();
    assert_eq!(
        other.next_of("1").await["authors"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    other.subscribe_with("2", query, &json!({"id": 20})).await;
    drop(slow);
    assert_eq!(other.next_of("2").await["pages"][0]["id"], 20);
    drop(other);
    until_no_subscriptions(&service.gateway).await;
    until("everything is released", async || {
        reserved().await < 100_000.0
    })
    .await;
}

#[tokio::test]
async fn operations_on_sockets_look_documents_up_once_and_count_unlisted_ones() {
    let service =
        Service::of_file("subscription_interval = 0.2\n[operations]\nmode = \"log\"\n").await;
    let metrics = &service.gateway.app().metrics;
    let lookups = || metrics.plans.hits.get() + metrics.plans.misses.get();
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    for (number, query) in [AUTHORS, AUTHORS, &format!("subscription {AUTHORS}")]
        .into_iter()
        .enumerate()
    {
        let before = lookups();
        let id = number.to_string();
        socket.start(&id, query).await;
        socket.next_of(&id).await;
        assert_eq!(lookups() - before, 1, "{query}");
        assert_eq!(
            metrics.unlisted.with_label_values(&["reader", "log"]).get(),
            number as u64 + 1,
            "{query}"
        );
        if number < 2 {
            assert_eq!(socket.message().await["type"], "complete");
        }
    }
    assert!(socket.stream.next().await.is_some());
}

#[tokio::test]
async fn limits_of_sockets_are_settings() {
    let limits = [
        ("socket-limit", "2"),
        ("socket-operation-limit", "1"),
        ("socket-message-rate", "50"),
        ("socket-init-timeout", "0.3"),
        ("socket-keep-alive", "0.4"),
        INTERVAL,
    ];
    let service = Service::with(&limits).await;
    let mut late = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
    assert_eq!(late.closed().await.0, 4408);
    drop(late);
    until("the place is free", async || {
        service
            .metrics()
            .await
            .contains("postern_sockets_open{transport=\"graphql-transport-ws\"} 0")
    })
    .await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.start("1", &format!("subscription {AUTHORS}")).await;
    socket.next_of("1").await;
    socket.start("2", AUTHORS).await;
    assert_eq!(
        socket.message().await["payload"][0]["extensions"]["code"],
        "limit-exceeded"
    );
    let began = Instant::now();
    for _ in 0..160 {
        socket.send(&json!({"type": "ping"})).await;
    }
    for _ in 0..160 {
        assert_eq!(socket.message().await, json!({"type": "pong"}));
    }
    assert!(
        began.elapsed() > Duration::from_millis(900),
        "{:?}",
        began.elapsed()
    );
    let mut legacy = WebSocket::reader(&service, LEGACY).await;
    assert_eq!(legacy.message().await, json!({"type": "ka"}));
    let stream = tokio::net::TcpStream::connect(service.address())
        .await
        .unwrap();
    let third =
        tokio_tungstenite::client_async(format!("ws://{}/v1/graphql", service.address()), stream)
            .await;
    assert!(third.unwrap_err().to_string().contains("429"));
}
