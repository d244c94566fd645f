//! Tests the memory of the process: a flood of the largest allowed requests keeps it within its
//! limit; each gets a response or `Retry-After`, and other callers are served meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::binary::{self, Running};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::service::{SCHEMA, Service, send};

const PATIENCE: Duration = Duration::from_secs(60);

/// The limit on the peak memory of the process, in bytes. The configured memory limit is 256 MiB.
const BOUND: u64 = 512 << 20;

/// The `postern` binary over a database.
struct Gateway {
    gateway: Running,
    address: String,
    _database: tests::TestDatabase,
}

impl Gateway {
    async fn start() -> Gateway {
        let text = format!(
            "{SCHEMA}\nCREATE VIEW many AS SELECT g AS id, repeat('x', 90) AS \
                            text FROM generate_series(1, 7000) g;"
        );
        let database = tests::create("memory", &[&text]).await.unwrap();
        let serve = [
            "serve",
            "--database-url",
            database.url(),
            "--listen",
            "127.0.0.1:0",
            "--admin-secret",
            ADMIN_SECRET,
        ];
        let running = Running::start(binary::command(&serve)).unwrap();
        let ready = running
            .wait_for_line("ready", PATIENCE)
            .expect("it is not ready");
        let (_, address) = ready.split_once("address=").expect("no address in the log");
        let address = address.split_whitespace().next().unwrap().to_owned();
        Gateway {
            gateway: running,
            address,
            _database: database,
        }
    }

    fn post(&self) -> reqwest::RequestBuilder {
        let url = format!("http://{}/v1/graphql", self.address);
        reqwest::Client::new()
            .post(url)
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("Content-Type", "application/json")
    }

    /// Its peak memory, in bytes.
    fn peak(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.gateway.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// Sends a body and reads no response.
    async fn send(&self, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let head = format!(
            "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nX-Gateway-Admin-Secret: \
             {ADMIN_SECRET}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        stream
    }

    /// Sends small requests one after the other until the flood is over. Each has to succeed.
    async fn is_served_until(&self, over: &AtomicBool) -> usize {
        let mut answered = 0;
        while !over.load(Ordering::Relaxed) {
            let small = json!({"query": "{ authors(order_by: {id: asc}) { id } }"});
            let reply = send(self.post().json(&small)).await;
            assert_eq!(
                reply.data(),
                json!({"authors": [{"id": 1}, {"id": 2}]}),
                "{}",
                reply.text
            );
            answered += 1;
        }
        answered
    }
}

/// A body whose single value is used for `times` parameters.
fn repeated(times: usize) -> String {
    let conditions = vec!["{name: {_eq: $v}}"; times].join(", ");
    let query =
        format!("query ($v: String!) {{ authors(where: {{_or: [{conditions}]}}) {{ id }} }}");
    json!({"query": query, "variables": {"v": "x".repeat(1_900_000)}}).to_string()
}

/// A body with many values that take up more memory than their text.
fn short_values(value: &str) -> String {
    let list = vec![value; 1_900_000 / (value.len() + 1)].join(",");
    format!(
        r#"{{"query":"query ($v: jsonb!) {{ articles(where: {{body: {{_eq: $v}}}}) {{ id }} }}","variables":{{"v":[{list}]}}}}"#
    )
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn flood_of_largest_requests_leaves_memory_for_others() {
    let gateway = Gateway::start().await;
    let over = AtomicBool::new(false);
    let flood = async {
        let bodies = [
            repeated(33),
            short_values("0"),
            short_values(r#"{"":0}"#),
            short_values("[0]"),
        ];
        let requests = (0..32).map(|n| {
            let body = bodies[n % bodies.len()].clone();
            async {
                Reply::of(gateway.post().body(body))
                    .await
                    .expect("an answer")
            }
        });
        let replies = futures_util::future::join_all(requests).await;
        over.store(true, Ordering::Relaxed);
        replies
    };
    let (replies, served) = tokio::join!(flood, gateway.is_served_until(&over));
    for reply in &replies {
        assert!(
            matches!(reply.status, 200 | 503),
            "{} {:.300}",
            reply.status,
            reply.text
        );
        if reply.status == 503 {
            assert_eq!(
                (reply.error().code.as_str(), reply.header("retry-after")),
                ("unavailable", "1")
            );
        }
    }
    assert!(
        replies.iter().any(|reply| reply.status == 200),
        "none of them was answered"
    );
    assert!(served > 0);
    let peak = gateway.peak();
    assert!(peak < BOUND, "{} MiB", peak >> 20);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn unread_batch_responses_leave_memory_for_others() {
    let gateway = Gateway::start().await;
    let query = json!({"query": "{ many { id text } }"});
    let batch = Value::from(vec![query; 50]).to_string();
    let over = AtomicBool::new(false);
    let flood = async {
        let requests = (0..24).map(|_| gateway.send(&batch));
        let mut streams = futures_util::future::join_all(requests).await;
        // Waits until each response has begun.
        for stream in &mut streams {
            let mut begin = [0; 12];
            tokio::time::timeout(PATIENCE, stream.read_exact(&mut begin))
                .await
                .unwrap()
                .unwrap();
            assert_eq!(
                &begin,
                b"HTTP/1.1 200",
                "{}",
                String::from_utf8_lossy(&begin)
            );
        }
        over.store(true, Ordering::Relaxed);
        streams
    };
    let (streams, served) = tokio::join!(flood, gateway.is_served_until(&over));
    assert!(served > 0);
    let peak = gateway.peak();
    assert!(peak < BOUND, "{} MiB", peak >> 20);
    drop(streams);
}

#[tokio::test(flavor = "multi_thread")]
async fn reserved_memory_is_released() {
    let service = Service::with(&[("memory-limit", "30000000")]).await;
    let name = json!({"v": "x".repeat(900_000)});
    let document = |times: usize| {
        // Each value of a list is sent by itself; conditions with one variable share it.
        let values = vec!["$v"; times].join(", ");
        format!("query ($v: String!) {{ authors(where: {{name: {{_in: [{values}]}}}}) {{ id }} }}")
    };
    assert_eq!(
        service.ask_with(&document(5), name.clone()).await.data(),
        json!({"authors": []})
    );
    let refused = service.ask_with(&document(40), name.clone()).await;
    // It would not fit either if there were no other requests.
    let message = "the request needs more memory than one request may have; all of them together \
                   have 30000000 bytes";
    refused.assert_error(200, "limit-exceeded", message);
    assert!(!refused.headers.contains_key("retry-after"));
    // A mutation is refused before it writes anything.
    let more = (0..40)
        .map(|n| format!("{{id: {}, author_id: 1, title: $v}}", 1000 + n))
        .collect::<Vec<_>>()
        .join(", ");
    let insert = |rows: &str| {
        format!(
            "mutation ($v: String!) {{ insert_articles(objects: [{rows}]) {{ affected_rows }} }}"
        )
    };
    service
        .ask_with(&insert(&more), name.clone())
        .await
        .assert_error(200, "limit-exceeded", message);
    let written = service
        .ask_with(&insert("{id: 900, author_id: 1, title: $v}"), name)
        .await;
    assert_eq!(
        written.data(),
        json!({"insert_articles": {"affected_rows": 1}})
    );
    assert_eq!(
        service
            .ask("{ articles_aggregate { aggregate { count } } }")
            .await
            .data()["articles_aggregate"]["aggregate"]["count"],
        4
    );
    service.is_well().await;
    let end = Instant::now() + PATIENCE;
    while service.gateway.app().memory.used() > 0 {
        assert!(
            Instant::now() < end,
            "{} bytes stay reserved",
            service.gateway.app().memory.used()
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(
        service
            .metrics()
            .await
            .contains("postern_memory_refused_total")
    );
}
