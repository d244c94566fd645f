//! Tests responses that are sent while their statement runs: a client that does not read pauses the
//! statement, and one that disconnects ends it.

use std::ops::Deref;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::service::{self, ADMIN_SECRET};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A million rows, a hundred megabytes, generated while they are read.
const SCHEMA: &str = "CREATE VIEW rows AS
  SELECT a * 1000 + b AS id, repeat('x', 90) AS text FROM generate_series(0, 999) a, generate_series(0, 999) b";

const PATIENCE: Duration = Duration::from_secs(30);

struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    async fn start() -> Service {
        Service::with(&[("time-limit", "120")]).await
    }

    async fn with(settings: &[(&str, &str)]) -> Service {
        let builder = service::Service::builder("stream", &[SCHEMA]);
        let builder = builder.setting("answer-limit", "1000000000");
        Service(builder.settings(settings).start().await)
    }

    /// Requests all rows and reads `bytes` bytes of the response.
    async fn begin(&self, bytes: usize) -> TcpStream {
        let mut stream = TcpStream::connect(self.gateway.address()).await.unwrap();
        let body = json!({"query": "{ rows { id text } }"}).to_string();
        let head = format!(
            "POST /v1/graphql HTTP/1.1\r\nHost: t\r\nX-Gateway-Admin-Secret: {ADMIN_SECRET}\r\nContent-Type: \
             application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut read = vec![0; bytes];
        stream.read_exact(&mut read).await.unwrap();
        assert!(read.starts_with(b"HTTP/1.1 200"));
        stream
    }

    /// The wait event of the statement that reads the rows; `None` if it does not run.
    async fn waits(&self) -> Option<String> {
        let query = "SELECT coalesce(wait_event, '') FROM pg_stat_activity WHERE \
                     application_name = 'postern' \
                     AND datname = current_database() AND state = 'active' AND query LIKE \
                     '%\"rows\"%'";
        let rows = self
            .database
            .connect()
            .await
            .unwrap()
            .query(query, &[])
            .await
            .unwrap();
        rows.first().map(|row| row.get(0))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statement_pauses_while_the_client_does_not_read() {
    let service = Service::start().await;
    let stream = service.begin(1 << 16).await;
    let end = Instant::now() + PATIENCE;
    // Without backpressure the statement would end before it is observed ten times.
    let mut blocked = 0;
    while blocked < 10 {
        assert!(
            Instant::now() < end,
            "the statement goes on though no client reads"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
        match service.waits().await.as_deref() {
            Some("ClientWrite") => blocked += 1,
            Some(_) => blocked = 0,
            None => panic!("the statement has ended though no client has read its rows"),
        }
    }
    // After the client disconnects, the statement has to end.
    drop(stream);
    while service.waits().await.is_some() {
        assert!(
            Instant::now() < end,
            "the statement goes on though its client is gone"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (connections, free) = service.gateway.app().state().execution.database.size();
    assert!(connections >= free, "{connections} {free}");
}

#[tokio::test(flavor = "multi_thread")]
async fn million_rows_arrive_completely() {
    let service = Service::start().await;
    let mut response = reqwest::Client::new()
        .post(format!("{}/v1/graphql", service.gateway.url()))
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .json(&json!({"query": "{ rows { id text } }"}))
        .send()
        .await
        .unwrap();
    // The rows are counted by their closing braces, so that the test buffers no more of them than
    // the gateway.
    let mut rows = 0;
    let mut bytes = 0;
    let mut last = Vec::new();
    while let Some(part) = response.chunk().await.unwrap() {
        rows += part.iter().filter(|byte| **byte == b'}').count();
        bytes += part.len();
        last = part.to_vec();
    }
    assert_eq!(
        (rows, &last[last.len() - 3..]),
        (1_000_000 + 2, &b"]}}"[..])
    );
    assert!(bytes > 100_000_000, "{bytes}");
    let few: Value = reqwest::Client::new()
        .post(format!("{}/v1/graphql", service.gateway.url()))
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .json(&json!({"query": "{ rows(limit: 10000) { id } }"}))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(few["data"]["rows"].as_array().map(Vec::len), Some(10_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_client_frees_its_connection_at_the_time_limit() {
    let service = Service::with(&[("time-limit", "2"), ("pool-size", "1")]).await;
    let mut stream = service.begin(1 << 16).await;
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let trickle = tokio::spawn(async move {
        let mut few = vec![0; 1 << 10];
        while stopped.try_recv().is_err() {
            assert!(stream.read(&mut few).await.unwrap() > 0);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        stream
    });
    let end = Instant::now() + PATIENCE;
    let client = reqwest::Client::new();
    loop {
        let few = client
            .post(format!("{}/v1/graphql", service.gateway.url()))
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
        let few: Value = few
            .json(&json!({"query": "{ rows(limit: 1) { id } }"}))
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        if few["data"]["rows"].as_array().map(Vec::len) == Some(1) {
            break;
        }
        assert!(
            Instant::now() < end,
            "the slow client still has the only connection"
        );
    }
    stop.send(()).unwrap();
    // The data in transit arrives, and then the connection is aborted.
    let mut rest = Vec::new();
    let read = trickle.await.unwrap().read_to_end(&mut rest).await;
    assert!(
        read.is_err() || !rest.ends_with(b"0\r\n\r\n"),
        "an answer that was cut off looks whole"
    );
    assert!(rest.len() < 50_000_000, "{}", rest.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_do_not_read_free_their_connections() {
    // Neither the time limit nor the idle timeout applies here.
    let limits = [
        ("time-limit", "600"),
        ("idle-timeout", "600"),
        ("pool-size", "3"),
        ("queue-timeout", "60"),
    ];
    let service = Service::with(&limits).await;
    let one = service.begin(1 << 16).await;
    let two = service.begin(1 << 16).await;
    let end = Instant::now() + PATIENCE;
    while service.waits().await.is_some() {
        assert!(
            Instant::now() < end,
            "a statement waits for a client that does not read"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for mut stream in [one, two] {
        let mut rest = Vec::new();
        let read = stream.read_to_end(&mut rest).await;
        assert!(
            read.is_err() || !rest.ends_with(b"0\r\n\r\n"),
            "an answer that was cut off looks whole"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn buffered_response_frees_its_connection_before_it_is_read() {
    let service = Service::with(&[
        ("time-limit", "600"),
        ("pool-size", "1"),
        ("read-rate", "1000000000"),
    ])
    .await;
    let mut stream = TcpStream::connect(service.gateway.address()).await.unwrap();
    let body = json!({"query": "{ rows(limit: 100000) { id text } }"}).to_string();
    let head = format!(
        "POST /v1/graphql HTTP/1.1\r\nHost: t\r\nX-Gateway-Admin-Secret: {ADMIN_SECRET}\r\nContent-Type: \
         application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut first = vec![0; 1 << 10];
    stream.read_exact(&mut first).await.unwrap();
    let few = json!({"query": "{ rows(limit: 1) { id } }"});
    let client = reqwest::Client::new().post(format!("{}/v1/graphql", service.gateway.url()));
    let few: Value = client
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .json(&few)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(few["data"]["rows"].as_array().map(Vec::len), Some(1));
    let reserved = service.gateway.app().memory.used();
    assert!(reserved > 1 << 20, "{reserved}");
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(
        rest.ends_with(b"0\r\n\r\n") && rest.len() > 10_000_000,
        "{}",
        rest.len()
    );
    let end = Instant::now() + PATIENCE;
    while service.gateway.app().memory.used() > 0 {
        assert!(
            Instant::now() < end,
            "{} bytes stay reserved",
            service.gateway.app().memory.used()
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
