//! Tests the sharing of connections: no role and no client takes all of them, waiting requests take
//! turns, and a client that disconnects occupies none.

use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::binary;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::service::{PERMISSIONS, SCHEMA, Service, send};
use super::socket::Socket;
use super::token;

/// The number of statements that sleep at the moment.
async fn sleeping(service: &Service) -> i64 {
    asleep(&service.database).await
}

async fn asleep(database: &tests::TestDatabase) -> i64 {
    let client = database.connect().await.unwrap();
    let query = "SELECT count(*) FROM pg_stat_activity \
                 WHERE datname = current_database() AND state = 'active' AND wait_event = \
                 'PgSleep'";
    client.query_one(query, &[]).await.unwrap().get(0)
}

/// The value of a series without labels.
async fn gauge(service: &Service, name: &str) -> f64 {
    let text = service.metrics().await;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
        .expect(name);
    line.parse().unwrap()
}

const SLOW: &str = r#"{"query":"{ slow { slept } }"}"#;

/// Sends long-running requests without waiting for their responses.
async fn flood(service: &Service, requests: usize, headers: &str) -> Vec<Socket> {
    let mut sockets = Vec::new();
    for _ in 0..requests {
        let mut socket = Socket::connect(service.address()).await;
        socket.post(headers, SLOW.as_bytes()).await;
        sockets.push(socket);
    }
    sockets
}

fn is_unavailable(reply: &Reply) {
    reply.assert_error(
        503,
        "unavailable",
        "too many requests wait for the database",
    );
    assert_eq!(reply.header("retry-after"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_role_cannot_use_all_connections() {
    let service = Service::with(&[("pool-size", "4"), ("queue-timeout", "0.3")]).await;
    let flood = flood(&service, 20, "").await;
    until("three statements run", async || {
        sleeping(&service).await == 3
    })
    .await;
    // Requests that wait behind them fail; the other roles share the one connection left.
    is_unavailable(&service.ask("{ authors { id } }").await);
    for _ in 0..20 {
        let visitor = service
            .by("visitor")
            .json(&json!({"query": "{ authors { name } }"}));
        assert_eq!(send(visitor).await.status, 200);
    }
    assert_eq!(sleeping(&service).await, 3);
    assert!(
        service
            .metrics()
            .await
            .contains("postern_pool_refused_total{cause=\"time\"}")
    );
    drop(flood);
    until("all are cancelled", async || sleeping(&service).await == 0).await;
    service.is_well().await;
}

/// A request of the role `author` with a token.
fn as_author(service: &Service, user: &str, address: &str, query: &str) -> RequestBuilder {
    let signed = token::changed(|claims| claims["gateway"]["x-gateway-user-id"] = user.into());
    let request = service
        .post()
        .bearer_auth(signed)
        .header("X-Forwarded-For", address);
    request.json(&json!({"query": query}))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_cannot_use_all_connections_of_its_role() {
    let text = "pool_size = 6\nqueue_timeout = 0.3\ntrusted_proxies = [\"127.0.0.1\"]\n";
    let permissions = format!(
        "{PERMISSIONS}\n[table.slow.role.author]\nselect = {{ columns = \"*\", rows = \"true\" }}\n"
    );
    let service = Service::of_tables(SCHEMA, &permissions, text).await;
    let slow = "{ slow { slept } }";
    let quick = "{ articles { id } }";
    // One address with many users, and one user with many addresses.
    for of in [
        |n: usize| (n.to_string(), "192.0.2.1".to_owned()),
        |n| ("1".to_owned(), format!("192.0.2.{}", n + 1)),
    ] {
        let flood: Vec<_> = (1..=12)
            .map(|n| {
                let (user, address) = of(n);
                tokio::spawn(as_author(&service, &user, &address, slow).send())
            })
            .collect();
        until("four statements run", async || {
            sleeping(&service).await == 4
        })
        .await;
        let (user, address) = of(1);
        is_unavailable(&send(as_author(&service, &user, &address, quick)).await);
        for n in 0..20 {
            let other = as_author(&service, &format!("10{n}"), "198.51.100.7", quick);
            assert_eq!(
                send(other).await.status,
                200,
                "others of the role are served"
            );
        }
        assert_eq!(sleeping(&service).await, 4);
        flood.into_iter().for_each(|request| request.abort());
        until("all are cancelled", async || sleeping(&service).await == 0).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_of_a_role_are_configurable() {
    let text = "pool_size = 5\nqueue_timeout = 0.3\n[bounds.role.reader]\nconnections = 1\n";
    let service = Service::of_file(text).await;
    let _flood = flood(&service, 3, "").await;
    until("one statement runs", async || sleeping(&service).await == 1).await;
    is_unavailable(&service.ask("{ authors { id } }").await);
    assert_eq!(
        send(
            service
                .by("visitor")
                .json(&json!({"query": "{ authors { name } }"}))
        )
        .await
        .status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn full_queue_drops_a_request_of_the_longest_line() {
    let service = Service::with(&[
        ("pool-size", "1"),
        ("queue-limit", "4"),
        ("time-limit", "20"),
    ])
    .await;
    let mut running = flood(&service, 1, "").await;
    until("it runs", async || sleeping(&service).await == 1).await;
    let waiting = flood(&service, 4, "").await;
    until("four wait", async || {
        gauge(&service, "postern_pool_waiting").await == 4.0
    })
    .await;
    is_unavailable(&service.ask("{ authors { id } }").await);
    let visitor = service
        .by("visitor")
        .json(&json!({"query": "{ authors { name } }"}));
    let visitor = tokio::spawn(send(visitor));
    until("one gave way", async || {
        service
            .metrics()
            .await
            .contains("postern_pool_refused_total{cause=\"full\"} 2")
    })
    .await;
    assert_eq!(gauge(&service, "postern_pool_waiting").await, 4.0);
    drop((running.pop(), waiting));
    assert_eq!(visitor.await.unwrap().status, 200);
}

/// HTTP/2 frames: the preface, a POST request, and the frame that cancels it.
mod frames {
    pub(super) fn of(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    }

    fn literal(name: &str, value: &str) -> Vec<u8> {
        let name_length = u8::try_from(name.len()).unwrap();
        let value_length = u8::try_from(value.len()).unwrap();
        [
            &[0, name_length],
            name.as_bytes(),
            &[value_length],
            value.as_bytes(),
        ]
        .concat()
    }

    pub(super) fn preface() -> Vec<u8> {
        [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &of(4, 0, 0, &[])].concat()
    }

    pub(super) fn post(stream: u32, secret: &str, body: &[u8]) -> Vec<u8> {
        let headers = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", "/v1/graphql"),
            (":authority", "x"),
            ("content-type", "application/json"),
            ("x-gateway-admin-secret", secret),
            ("x-gateway-role", "reader"),
        ];
        let block: Vec<u8> = headers
            .iter()
            .flat_map(|(name, value)| literal(name, value))
            .collect();
        [of(1, 4, stream, &block), of(0, 1, stream, body)].concat()
    }

    /// `RST_STREAM` with the error code for cancelling.
    pub(super) fn reset(stream: u32) -> Vec<u8> {
        of(3, 0, stream, &8_u32.to_be_bytes())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnected_client_frees_its_place_and_connection() {
    let service = Service::with(&[
        ("pool-size", "1"),
        ("time-limit", "60"),
        ("queue-timeout", "60"),
    ])
    .await;
    let waiting = async |number: f64| {
        until("so many wait", async || {
            gauge(&service, "postern_pool_waiting").await == number
        })
        .await;
    };
    let batch = format!("[{SLOW},{SLOW}]");
    for body in [SLOW, &batch] {
        let mut first = Socket::connect(service.address()).await;
        first.post("", body.as_bytes()).await;
        until("it runs", async || sleeping(&service).await == 1).await;
        let mut second = Socket::connect(service.address()).await;
        second.post("", body.as_bytes()).await;
        waiting(1.0).await;
        drop(second);
        waiting(0.0).await;
        drop(first);
        until("nothing runs", async || sleeping(&service).await == 0).await;
    }
    // Streams of a connection that stays open.
    let mut socket = Socket::connect(service.address()).await;
    socket.send(frames::preface()).await;
    socket
        .send(frames::post(1, ADMIN_SECRET, SLOW.as_bytes()))
        .await;
    until("it runs", async || sleeping(&service).await == 1).await;
    socket
        .send(frames::post(3, ADMIN_SECRET, batch.as_bytes()))
        .await;
    waiting(1.0).await;
    socket.send(frames::reset(3)).await;
    waiting(0.0).await;
    assert_eq!(sleeping(&service).await, 1);
    socket.send(frames::reset(1)).await;
    until("nothing runs", async || sleeping(&service).await == 0).await;
    service.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_are_cancelled_when_the_gateway_is_killed() {
    let sleeper =
        format!("{SCHEMA}\nCREATE VIEW sleeper AS SELECT 1 AS id, pg_sleep(600)::text AS slept;");
    let database = tests::create("sharing", &[&sleeper]).await.unwrap();
    let serve = [
        "serve",
        "--database-url",
        database.url(),
        "--listen",
        "127.0.0.1:0",
        "--admin-secret",
        ADMIN_SECRET,
    ];
    let gateway = binary::Running::start(binary::command(&serve)).unwrap();
    let ready = gateway
        .wait_for_line("ready", Duration::from_secs(20))
        .expect("it is not ready");
    let (_, address) = ready.split_once("address=").expect("no address in the log");
    let url = format!(
        "http://{}/v1/graphql",
        address.split_whitespace().next().unwrap()
    );
    let request = reqwest::Client::new()
        .post(url)
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
    let request = tokio::spawn(
        request
            .json(&json!({"query": "{ sleeper { slept } }"}))
            .send(),
    );
    until("it runs", async || asleep(&database).await == 1).await;
    gateway.signal("KILL").unwrap();
    until("Postgres has noticed", async || {
        asleep(&database).await == 0
    })
    .await;
    assert!(request.await.unwrap().is_err());
}

#[tokio::test]
async fn total_size_of_patterns_is_limited() {
    let service = Service::start().await;
    let message = "the limit on bytes of a request's patterns is 16384";
    let many = |condition: &str, times: usize| vec![condition; times].join(", ");
    let conditions = |all: &str| {
        format!("query ($p: String!) {{ articles(where: {{_and: [{all}]}}) {{ id }} }}")
    };
    let written = |all: &str| format!("{{ articles(where: {{_and: [{all}]}}) {{ id }} }}");
    let pattern = |bytes: usize| json!({"p": "%a".repeat(bytes / 2)});
    let ask = async |document: &str, variables: Value| service.ask_with(document, variables).await;
    for operator in ["_like", "_nilike", "_similar", "_iregex"] {
        let one = format!("{{title: {{{operator}: $p}}}}");
        assert_eq!(ask(&conditions(&one), json!({"p": "a"})).await.status, 200);
        ask(&conditions(&one), pattern(16_400))
            .await
            .assert_error(400, "limit-exceeded", message);
        ask(&conditions(&many(&one, 20)), pattern(1000))
            .await
            .assert_error(400, "limit-exceeded", message);
        let literal = format!("{{title: {{{operator}: \"{}\"}}}}", "%a".repeat(500));
        service
            .ask(&written(&many(&literal, 20)))
            .await
            .assert_error(400, "limit-exceeded", message);
    }
    let search = "{title: {_fts: {query: $p}}}";
    ask(&conditions(&many(search, 20)), pattern(1000))
        .await
        .assert_error(400, "limit-exceeded", message);
    // Many short patterns count too; values that are not patterns do not.
    let short = written(&many("{title: {_like: \"%\"}}", 1000));
    service
        .ask(&short)
        .await
        .assert_error(400, "limit-exceeded", message);
    let keys: Vec<String> = (0..10_000)
        .map(|n| format!("00000000-0000-0000-0000-{n:012}"))
        .collect();
    let list = "query ($k: [uuid!]) { articles(where: {key: {_in: $k}}) { id } }";
    assert_eq!(
        ask(list, json!({"k": keys})).await.data(),
        json!({"articles": [{"id": 1}]})
    );
    let long = json!({"p": "x".repeat(100_000)});
    assert_eq!(
        ask(&conditions("{title: {_eq: $p}}"), long).await.data(),
        json!({"articles": []})
    );
    assert!(
        service
            .metrics()
            .await
            .contains("postern_bounded_total{bound=\"patterns\",mode=\"enforce\",role=\"reader\"}")
    );
}

#[tokio::test]
async fn pattern_limits_apply_by_role_and_can_be_measured() {
    let service = Service::of_file(
        "[bounds]\npatterns = 40\n[bounds.role.visitor]\npatterns = 10\nmode = \"measure\"\n",
    )
    .await;
    let document = "query ($p: String) { authors(where: {name: {_like: $p}}) { name } }";
    let ask = async |role: &str, bytes: usize| {
        send(
            service
                .by(role)
                .json(&json!({"query": document, "variables": {"p": "a".repeat(bytes)}})),
        )
        .await
    };
    assert_eq!(ask("reader", 24).await.data(), json!({"authors": []}));
    ask("reader", 25).await.assert_error(
        400,
        "limit-exceeded",
        "the limit on bytes of a request's patterns is 40",
    );
    assert_eq!(ask("visitor", 20).await.status, 200);
    assert_eq!(ask("admin", 1000).await.status, 200);
    let text = service.metrics().await;
    assert!(
        text.contains(
            "postern_bounded_total{bound=\"patterns\",mode=\"measure\",role=\"visitor\"} 1"
        ),
        "{text}"
    );
}
