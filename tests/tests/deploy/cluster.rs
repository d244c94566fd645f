//! Starts `deploy/cluster/cluster.sh` on loopback: three servers of Postgres, three gateways and
//! HAProxy. A replica, a gateway and the primary are killed under load; no read fails, and no
//! acknowledged write is lost.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tests::binary;
use tests::program::haproxy;
use tests::reply::Reply;
use tests::wait::until;
use tokio::task::JoinHandle;

/// The balancer, three gateways and three servers of Postgres, from one port on.
const PORTS: u16 = 7;

/// A running cluster; it ends with its input.
struct ClusterScript {
    process: Child,
    /// The folder of its files, which it makes and removes.
    data: PathBuf,
    _parent: tempfile::TempDir,
    port: u16,
    secret: String,
    http: reqwest::Client,
}

/// The first of several free ports, below those that the system gives to clients.
fn free_ports() -> u16 {
    let is_free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
    let first = u16::try_from(20_000 + std::process::id() % 5_000).unwrap();
    (first..32_000)
        .step_by(PORTS.into())
        .find(|first| (*first..*first + PORTS).all(is_free))
        .expect("free ports")
}

impl ClusterScript {
    fn command(data: &Path, port: u16) -> Command {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/cluster/cluster.sh");
        let mut command = Command::new(script);
        let programs = cluster::find_binaries().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("{}:{path}", programs.display()))
            .env("DATA", data)
            .env("PORT", port.to_string())
            .env("POSTERN", binary::path());
        command
    }

    fn start() -> ClusterScript {
        // Postgres runs as another user if this one is root.
        let parent = tempfile::Builder::new()
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .tempdir()
            .unwrap();
        let data = parent.path().join("cluster");
        let port = free_ports();
        let mut process = Self::command(&data, port)
            .arg("up")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        if !line.starts_with("ready") {
            let mut error = String::new();
            let _ = process.stderr.take().unwrap().read_to_string(&mut error);
            panic!("the cluster does not start: {line}{error}");
        }
        let secret = std::fs::read_to_string(data.join("admin_secret")).unwrap();
        ClusterScript {
            process,
            data,
            _parent: parent,
            port,
            secret,
            http: reqwest::Client::new(),
        }
    }

    /// Runs a command of the script and returns its output.
    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Self::command(&self.data, self.port);
        let output = command.args(arguments).stdin(Stdio::null());
        let output = tokio::task::block_in_place(|| output.output().unwrap());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn by(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        request
            .header("X-Gateway-Admin-Secret", &self.secret)
            .header("X-Gateway-Role", "user")
    }

    /// A query by GET, which the balancer may send to another gateway.
    fn read(&self) -> reqwest::RequestBuilder {
        let get = self
            .http
            .get(format!("http://127.0.0.1:{}/v1/graphql", self.port))
            .query(&[("query", "{ notes(limit: 1) { id } }")])
            .header("X-Requested-With", "test");
        self.by(get)
    }

    /// The id of a new row, if the write was acknowledged.
    async fn write(&self) -> Option<i64> {
        let post = self
            .http
            .post(format!("http://127.0.0.1:{}/v1/graphql", self.port));
        let insert = "mutation { insert_notes_one(object: {body: \"x\"}) { id } }";
        let reply = Reply::of(self.by(post).json(&json!({"query": insert}))).await;
        reply.ok()?.data()["insert_notes_one"]["id"].as_i64()
    }

    /// The sum of a metric over the gateways that run.
    async fn metric(&self, name: &str) -> f64 {
        let mut sum = 0.0;
        for gateway in 1..=3 {
            let get = self
                .http
                .get(format!("http://127.0.0.1:{}/metrics", self.port + gateway));
            let text = Reply::of(get)
                .await
                .map_or(String::new(), |reply| reply.text);
            sum += text
                .lines()
                .filter(|line| line.starts_with(name))
                .filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok())
                .sum::<f64>();
        }
        sum
    }

    async fn until_usable(&self, replicas: f64) {
        until("the gateways know which replicas are usable", async || {
            self.metric("postern_replica_usable").await == replicas
        })
        .await;
    }
}

impl Drop for ClusterScript {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Readers, until they are stopped.
struct Readers {
    stop: Arc<AtomicBool>,
    read: Arc<AtomicUsize>,
    tasks: Vec<JoinHandle<Vec<String>>>,
}

impl Readers {
    fn start(cluster: &ClusterScript) -> Readers {
        let stop = Arc::<AtomicBool>::default();
        let read = Arc::<AtomicUsize>::default();
        let reader = |_| {
            let request = cluster.read();
            let stop = stop.clone();
            let read = read.clone();
            tokio::spawn(async move {
                let mut failed = vec![];
                while !stop.load(Ordering::Relaxed) {
                    match Reply::of(request.try_clone().unwrap()).await {
                        Ok(reply) if !reply.data().is_null() => {
                            read.fetch_add(1, Ordering::Relaxed);
                        }
                        Ok(reply) => failed.push(format!("{}: {}", reply.status, reply.text)),
                        Err(error) => failed.push(format!("{error:?}")),
                    }
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                failed
            })
        };
        Readers {
            tasks: (0..4).map(reader).collect(),
            stop,
            read,
        }
    }

    /// Waits for this number of further reads.
    async fn until_read(&self, count: usize) {
        let end = self.read.load(Ordering::Relaxed) + count;
        until("reads go on", async || {
            self.read.load(Ordering::Relaxed) >= end
        })
        .await;
    }

    /// Stops the readers. Returns what became of reads that failed, with their number.
    async fn stop(self) -> BTreeMap<String, usize> {
        self.stop.store(true, Ordering::Relaxed);
        let mut failed = BTreeMap::new();
        for task in self.tasks {
            for failure in task.await.unwrap() {
                *failed.entry(failure).or_default() += 1;
            }
        }
        failed
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cluster_answers_every_read_while_its_parts_are_killed() {
    let has = |program: &str| cluster::find_binaries().unwrap().join(program).is_file();
    if haproxy().is_none()
        || !["psql", "pg_basebackup", "pg_rewind"]
            .iter()
            .all(|name| has(name))
    {
        eprintln!("skipped: programs of Postgres or HAProxy are missing");
        return;
    }
    let cluster = tokio::task::block_in_place(ClusterScript::start);
    // Each gateway has two replicas; the third server in the list is the primary.
    cluster.until_usable(6.0).await;
    let readers = Readers::start(&cluster);
    let mut acknowledged = vec![];
    acknowledged.extend(cluster.write().await);
    readers.until_read(50).await;

    cluster.run(&["kill", "db-3"]);
    cluster.until_usable(3.0).await;
    acknowledged.extend(cluster.write().await);
    readers.until_read(50).await;
    cluster.run(&["start", "db-3"]);
    cluster.until_usable(6.0).await;

    cluster.run(&["kill", "gateway-2"]);
    readers.until_read(100).await;
    acknowledged.extend(cluster.write().await);
    cluster.run(&["start", "gateway-2"]);
    cluster.until_usable(6.0).await;
    assert_eq!(acknowledged.len(), 3);

    cluster.run(&["kill", "db-1"]);
    cluster.run(&["promote", "db-2"]);
    until("a write is acknowledged by the new primary", async || {
        let written = cluster.write().await;
        acknowledged.extend(written);
        written.is_some()
    })
    .await;
    // The former primary follows the new one.
    cluster.run(&["start", "db-1"]);
    cluster.until_usable(6.0).await;
    let status = cluster.run(&["status"]);
    for (server, state) in [
        ("db-1", "replica"),
        ("db-2", "primary"),
        ("db-3", "replica"),
    ] {
        let line = status.lines().find(|line| line.starts_with(server));
        assert!(line.is_some_and(|line| line.ends_with(state)), "{status}");
    }
    assert_eq!(readers.stop().await, BTreeMap::new());
    let query = json!({"query": "{ notes { id } }"});
    let post = cluster
        .http
        .post(format!("http://127.0.0.1:{}/v1/graphql", cluster.port));
    let rows = Reply::of(cluster.by(post).json(&query))
        .await
        .unwrap()
        .data();
    let ids: Vec<i64> = rows["notes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["id"].as_i64())
        .collect();
    for id in acknowledged {
        assert!(ids.contains(&id), "{id} is lost: {ids:?}");
    }
}
