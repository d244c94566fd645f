//! How the server handles slow, large and disconnected clients, on a real Postgres. Requests are
//! written as bytes, because no client library would send them.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use cluster::{Cluster, Options};
use gateway::server::GatewayHandle;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const VIEWS: &str = "
    CREATE VIEW slow AS SELECT g AS id, pg_sleep(0.5)::text AS s FROM generate_series(1, 100) g;
    CREATE VIEW wide AS SELECT g AS id, repeat('x', 1000) AS s FROM generate_series(1, 5000) g;
    CREATE VIEW late_fault AS SELECT g AS id, 1 / (4000 - g) AS n, repeat('x', 1000) AS s FROM generate_series(1, 5000) g;";

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A database with these views, created once; the cluster ends with the process.
async fn url() -> String {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    static MADE: tokio::sync::OnceCell<()> = tokio::sync::OnceCell::const_new();
    let url = CLUSTER
        .get_or_init(|| Cluster::start(Options::default()).unwrap())
        .url("postgres");
    let make = || async {
        let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        client.batch_execute(VIEWS).await.unwrap();
    };
    MADE.get_or_init(make).await;
    url
}

/// Waits until a statement of the view `slow` runs.
async fn until_slow_runs() {
    let (client, connection) = tokio_postgres::connect(&url().await, tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let runs = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    let end = Instant::now() + PATIENCE;
    while client.query(runs, &[]).await.unwrap().is_empty() {
        assert!(Instant::now() < end, "no statement runs");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn gateway(settings: &[(&str, &str)]) -> GatewayHandle {
    let builder = tests::gateway()
        .database_url(&url().await)
        .admin_secret("s")
        .listen("127.0.0.1:0");
    let builder = settings.iter().fold(builder, |builder, (name, value)| {
        builder.setting(name, value)
    });
    builder.start().await.unwrap()
}

fn post(body: &str) -> String {
    format!(
        "POST /v1/graphql HTTP/1.1\r\nHost: h\r\nX-Gateway-Admin-Secret: s\r\nContent-Type: \
         application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Sends bytes and reads until the server closes the connection.
async fn send(address: SocketAddr, bytes: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    // A reset also ends the connection.
    let _ = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut response))
        .await
        .expect("no end");
    String::from_utf8_lossy(&response).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_without_a_request_are_dropped() {
    let running = gateway(&[("header-timeout", "0.3")]).await;
    for beginning in ["", "PRI", "POST /v1/graphql HTTP/1.1\r\nHost: h\r\n"] {
        let began = Instant::now();
        assert_eq!(send(running.address(), beginning).await, "", "{beginning}");
        assert!(began.elapsed() < Duration::from_secs(3), "{beginning}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_and_endless_bodies_are_rejected() {
    let running = gateway(&[("body-timeout", "0.3"), ("body-limit", "1000")]).await;
    let head = "POST /v1/graphql HTTP/1.1\r\nHost: h\r\nX-Gateway-Admin-Secret: \
                s\r\nContent-Type: application/json\r\n";
    let stalled = send(
        running.address(),
        &format!("{head}Content-Length: 50\r\n\r\n{{\"q"),
    )
    .await;
    assert!(
        stalled.starts_with("HTTP/1.1 408 ") && stalled.contains("\"limit-exceeded\""),
        "{stalled}"
    );
    let part = format!("100\r\n{}\r\n", " ".repeat(256));
    let endless = format!(
        "{head}Transfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
        part.repeat(9)
    );
    let chunked = send(running.address(), &endless).await;
    assert!(
        chunked.starts_with("HTTP/1.1 413 ") && chunked.contains("limit of 1000 bytes"),
        "{chunked}"
    );
    let announced = send(
        running.address(),
        &format!("{head}Expect: 100-continue\r\nContent-Length: 5000\r\n\r\n"),
    )
    .await;
    assert!(announced.starts_with("HTTP/1.1 413 "), "{announced}");
}

#[tokio::test(flavor = "multi_thread")]
async fn late_request_gets_504_with_its_limit() {
    let running = gateway(&[("time-limit", "0.4"), ("pool-size", "1")]).await;
    let late = send(running.address(), &post(r#"{"query":"{ slow { id s } }"}"#)).await;
    assert!(
        late.starts_with("HTTP/1.1 504 ") && late.contains("limit of 0.4 seconds"),
        "{late}"
    );
    let next = send(
        running.address(),
        &post(r#"{"query":"{ wide(limit: 1) { id } }"}"#),
    )
    .await;
    assert!(next.ends_with(r#"{"data":{"wide":[{"id":1}]}}"#), "{next}");
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnected_client_cancels_its_statement() {
    let running = gateway(&[("pool-size", "1")]).await;
    let mut stream = TcpStream::connect(running.address()).await.unwrap();
    stream
        .write_all(post(r#"{"query":"{ slow { id s } }"}"#).as_bytes())
        .await
        .unwrap();
    until_slow_runs().await;
    drop(stream);
    let began = Instant::now();
    let next = send(
        running.address(),
        &post(r#"{"query":"{ wide(limit: 1) { id } }"}"#),
    )
    .await;
    assert!(next.contains(r#"{"wide":[{"id":1}]}"#), "{next}");
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn long_response_is_streamed_and_cut_off_by_a_late_error() {
    let running = gateway(&[]).await;
    let long = send(running.address(), &post(r#"{"query":"{ wide { id s } }"}"#)).await;
    assert!(
        long.contains("transfer-encoding: chunked") && long.ends_with("]}}\r\n0\r\n\r\n"),
        "{}",
        long.len()
    );
    assert_eq!(long.matches("\"id\":").count(), 5000);
    let cut = send(
        running.address(),
        &post(r#"{"query":"{ lateFault { id n s } }"}"#),
    )
    .await;
    assert!(
        cut.starts_with("HTTP/1.1 200 ") && cut.len() > 1 << 20,
        "{}",
        cut.len()
    );
    assert!(
        !cut.ends_with("0\r\n\r\n"),
        "a client must not take it for whole"
    );
    let early = send(
        running.address(),
        &post(r#"{"query":"{ lateFault(where: {id: {_eq: 4000}}) { n } }"}"#),
    )
    .await;
    assert!(
        early.contains(r#""message":"division by zero","extensions":{"code":"data-exception""#),
        "{early}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_finishes_running_requests_and_accepts_no_new_connections() {
    let running = gateway(&[]).await;
    let address = running.address();
    let request = post(r#"{"query":"{ slow(limit: 2) { id s } }"}"#);
    let response = tokio::spawn(async move { send(address, &request).await });
    let idle = TcpStream::connect(address).await.unwrap();
    until_slow_runs().await;
    running.shutdown().await;
    assert!(TcpStream::connect(address).await.is_err());
    let response_value = response.await.unwrap();
    assert!(
        response_value.ends_with(r#"{"data":{"slow":[{"id":1,"s":""},{"id":2,"s":""}]}}"#),
        "{response_value}"
    );
    drop(idle);
}

#[tokio::test(flavor = "multi_thread")]
async fn request_ids_methods_and_paths() {
    let running = gateway(&[("server-timing", "true")]).await;
    let get = |head: &str| {
        format!("{head} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Request-Id: mine-1\r\n\r\n")
    };
    let known = [
        ("GET /healthz", "HTTP/1.1 200 ", r#"{"status":"ok"}"#),
        ("GET /readyz", "HTTP/1.1 200 ", r#"{"status":"ready"}"#),
        (
            "DELETE /healthz",
            "HTTP/1.1 405 ",
            r#""message":"this path takes GET, HEAD, OPTIONS only""#,
        ),
        (
            "GET /",
            "HTTP/1.1 404 ",
            r#""message":"no such path: GraphQL is at /v1/graphql, REST"#,
        ),
        (
            "GET /v1/graphql?query={wide{id}}",
            "HTTP/1.1 400 ",
            "a foreign page cannot send",
        ),
    ];
    for (head, status, text) in known {
        let response = send(running.address(), &get(head)).await;
        assert!(
            response.starts_with(status) && response.contains(text),
            "{response}"
        );
        assert!(response.contains("x-request-id: mine-1\r\n"), "{response}");
    }
    let secret = "GET /v1/graphql?query=mutation{a} HTTP/1.1\r\nHost: h\r\nConnection: \
                  close\r\nX-Gateway-Admin-Secret: s\r\n\r\n";
    let mutation = send(running.address(), secret).await;
    assert!(
        mutation.starts_with("HTTP/1.1 405 ") && mutation.contains("allow: POST\r\n"),
        "{mutation}"
    );
    let timed = send(
        running.address(),
        &post(r#"{"query":"{ wide(limit: 1) { id } }"}"#),
    )
    .await;
    assert!(timed.contains("server-timing: plan;dur="), "{timed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn response_over_the_limit_is_rejected_or_cut_off() {
    let wide = r#"{"query":"{ wide { id s } }"}"#;
    let small = gateway(&[("answer-limit", "500000")]).await;
    let response = send(small.address(), &post(wide)).await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(
        response.contains("limit-exceeded") && response.contains("500000 bytes"),
        "{response}"
    );
    assert!(!response.contains("\"data\""), "{response}");
    // More than is buffered: the beginning has been sent when the limit is exceeded.
    let large = gateway(&[("answer-limit", "3000000")]).await;
    let response_value = send(large.address(), &post(wide)).await;
    assert!(
        response_value.len() < 4_000_000 && !response_value.ends_with("0\r\n\r\n"),
        "{} bytes",
        response_value.len()
    );
    let enough = gateway(&[]).await;
    assert!(
        send(enough.address(), &post(wide))
            .await
            .ends_with("0\r\n\r\n")
    );
}
