//! A log that nobody reads: requests, probes and the end of the process do not wait for it.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use tests::binary;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::service::SCHEMA;

/// A gateway whose standard error is a pipe that is open for reading, and is not read.
struct Stalled {
    child: Child,
    url: String,
    client: reqwest::Client,
    reader: File,
    _folder: tempfile::TempDir,
    _database: tests::TestDatabase,
}

impl Stalled {
    async fn start() -> Stalled {
        let database = tests::create("stalled", &[SCHEMA]).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("log");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        // Opened for both, so that opening waits for no other side.
        let reader = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&pipe)
            .unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let listen = format!("127.0.0.1:{port}");
        let mut command = binary::command(&[
            "serve",
            "--listen",
            &listen,
            "--database-url",
            database.url(),
            "--admin-secret",
            ADMIN_SECRET,
        ]);
        let log = OpenOptions::new().write(true).open(&pipe).unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let url = format!("http://{listen}");
        let stalled = Stalled {
            child,
            url,
            client: reqwest::Client::new(),
            reader,
            _folder: folder,
            _database: database,
        };
        until("the gateway is ready", async || {
            stalled.status("/readyz").await == Some(200)
        })
        .await;
        stalled
    }

    async fn status(&self, path: &str) -> Option<u16> {
        let request = self
            .client
            .get(format!("{}{path}", self.url))
            .timeout(Duration::from_secs(4));
        request
            .send()
            .await
            .ok()
            .map(|response| response.status().as_u16())
    }

    async fn lost(&self) -> u64 {
        let text = Reply::of(self.client.get(format!("{}/metrics", self.url)))
            .await
            .unwrap()
            .text;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("postern_log_lines_lost_total "));
        line.unwrap().parse().unwrap()
    }

    /// Sends requests until lines are lost; all are answered.
    async fn fill(&self) {
        let id = "x".repeat(100);
        let one = async || {
            let request = self
                .client
                .post(format!("{}/v1/graphql", self.url))
                .timeout(Duration::from_secs(20));
            let request = request
                .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
                .header("X-Request-Id", &id);
            request
                .json(&json!({"query": "{ __typename }"}))
                .send()
                .await
                .unwrap()
                .status()
                .as_u16()
        };
        let end = Instant::now() + Duration::from_secs(120);
        while self.lost().await == 0 {
            assert!(Instant::now() < end, "no line is lost");
            let statuses = join_all((0..200).map(|_| one())).await;
            assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
        }
    }
}

impl Drop for Stalled {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_and_the_end_do_not_wait_for_the_reader_of_the_log() {
    let mut stalled = Stalled::start().await;
    stalled.fill().await;
    assert_eq!(
        (
            stalled.status("/healthz").await,
            stalled.status("/readyz").await
        ),
        (Some(200), Some(200))
    );
    let began = Instant::now();
    Command::new("kill")
        .arg(stalled.child.id().to_string())
        .status()
        .unwrap();
    let end = began + Duration::from_secs(30);
    let ended = loop {
        if let Some(status) = stalled.child.try_wait().unwrap() {
            break status;
        }
        assert!(
            Instant::now() < end,
            "the process waits for the reader of its log"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(ended.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_lines_are_reported_once_the_log_is_read() {
    let stalled = Stalled::start().await;
    stalled.fill().await;
    let reader = BufReader::new(stalled.reader.try_clone().unwrap());
    let found = tokio::task::spawn_blocking(move || {
        reader
            .lines()
            .map_while(Result::ok)
            .find(|line| line.contains("log lines were lost"))
            .unwrap_or_default()
    });
    let line = tokio::time::timeout(Duration::from_secs(30), found)
        .await
        .unwrap()
        .unwrap();
    assert!(line.contains("lines="), "{line}");
}
