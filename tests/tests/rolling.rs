//! Two gateways behind HAProxy are replaced one after the other under load, and no request fails:
//! taken out of the balancer by an operator, or by the balancer itself during `--shutdown-delay`.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gateway::server::GatewayHandle;
use serde_json::json;
use tests::TestDatabase;
use tests::binary::{self, Running};
use tests::program::haproxy;
use tests::reply::Reply;
use tests::wait::until;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::task::{JoinHandle, JoinSet};

const SCHEMA: &str = "CREATE TABLE notes (id int PRIMARY KEY, body text); INSERT INTO notes \
                      VALUES (1, 'one'); \
                      CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL); INSERT INTO \
                      counter VALUES (1, 0)";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[table.notes.role.user]
select = { columns = "*", rows = "true" }
[table.counter.role.user]
select = { columns = "*", rows = "true" }
update = { columns = ["n"], rows = "true" }
"#;

const SECRET: &str = "open sesame, please";

/// Requests per second, of which each tenth writes, and the most at a time: a machine that is too
/// slow sends fewer.
const RATE: u64 = 500;
const AT_ONCE: usize = 100;

const PATIENCE: Duration = Duration::from_secs(30);

fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

async fn start(database: &TestDatabase, port: u16) -> GatewayHandle {
    let builder = tests::gateway()
        .database_url(database.url())
        .admin_secret(SECRET);
    let builder = builder
        .listen(&format!("127.0.0.1:{port}"))
        .permissions_text("rolling.toml", PERMISSIONS);
    builder.start().await.unwrap()
}

/// HAProxy with the settings of `deploy/compose/haproxy.cfg`, faster checks and other addresses.
struct HaProxy {
    child: Child,
    folder: tempfile::TempDir,
}

impl HaProxy {
    fn start(program: &PathBuf, port: u16, gateways: [u16; 2]) -> HaProxy {
        let deployed = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/compose/haproxy.cfg");
        let deployed = std::fs::read_to_string(deployed).unwrap();
        let (before, resolvers) = deployed.split_once("resolvers docker").unwrap();
        let (_, defaults) = resolvers.split_once("defaults").unwrap();
        let checks = "default-server check inter 1s fall 2 rise 1 resolvers docker init-addr none";
        assert!(defaults.contains(checks) && defaults.contains("server gateway-1"));
        // The machine may permit fewer files.
        let text = format!("{before}defaults{defaults}")
            .replace(
                checks,
                "timeout check 5s\n    default-server check inter 300ms fall 3 rise 1",
            )
            .replace(
                "server gateway-1 gateway-1:8080",
                &format!("server a 127.0.0.1:{}", gateways[0]),
            )
            .replace(
                "server gateway-2 gateway-2:8080",
                &format!("server b 127.0.0.1:{}", gateways[1]),
            )
            .replace("maxconn 20000", "maxconn 2000")
            .replace("bind :8080", &format!("bind 127.0.0.1:{port}"));
        let folder = tempfile::tempdir().unwrap();
        let socket = format!(
            "global\n    stats socket {} level admin\n",
            folder.path().join("admin").display()
        );
        let text = text.replacen("global\n", &socket, 1);
        let file = folder.path().join("haproxy.cfg");
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new(program);
        command
            .arg("-db")
            .arg("-f")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        HaProxy {
            child: command.spawn().unwrap(),
            folder,
        }
    }
}

impl HaProxy {
    /// Runs a command of HAProxy's and returns its answer.
    async fn run(&self, command: &str) -> String {
        let mut socket = UnixStream::connect(self.folder.path().join("admin"))
            .await
            .unwrap();
        socket
            .write_all(format!("{command}\n").as_bytes())
            .await
            .unwrap();
        let mut response = String::new();
        socket.read_to_string(&mut response).await.unwrap();
        response.trim().to_owned()
    }

    /// The requests that a server has, and its status.
    async fn server(&self, server: &str) -> (String, String) {
        let statistics = self.run("show stat").await;
        let line = statistics
            .lines()
            .find(|line| line.starts_with(&format!("gateways,{server},")))
            .unwrap_or_default();
        let field = |index: usize| line.split(',').nth(index).unwrap_or_default().to_owned();
        (field(4), field(17))
    }

    /// Sends no more requests to a server, and waits until the last one is answered.
    async fn drain(&self, server: &str) {
        assert_eq!(
            self.run(&format!("set server gateways/{server} state drain"))
                .await,
            ""
        );
        until("the server has no requests", async || {
            self.server(server).await.0 == "0"
        })
        .await;
    }

    /// Waits until the balancer has found by itself that a server is not ready, and the last
    /// request is answered.
    async fn until_unlisted(&self, server: &str) {
        let is_unlisted = async || self.server(server).await == ("0".to_owned(), "DOWN".to_owned());
        until("the server is taken out", is_unlisted).await;
    }
}

impl Drop for HaProxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The requests that the gateway at this URL has answered.
async fn answered(url: &str) -> f64 {
    let get = reqwest::Client::new().get(format!("{url}/metrics"));
    let text = Reply::of(get)
        .await
        .map(|reply| reply.text)
        .unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| line.starts_with("postern_requests_total{") && line.contains("graphql"));
    lines
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok())
        .sum()
}

/// Requests to the balancer, until they are stopped.
struct Load {
    stop: Arc<AtomicBool>,
    writes: Arc<AtomicUsize>,
    began: Instant,
    /// How many were sent, and what became of those that failed.
    task: JoinHandle<(u64, Vec<String>)>,
}

impl Load {
    /// Waits until the balancer at this port has a gateway, and starts.
    async fn start(port: u16) -> Load {
        let http = reqwest::Client::new();
        until("the balancer has a gateway", async || {
            http.get(format!("http://127.0.0.1:{port}/readyz"))
                .send()
                .await
                .is_ok_and(|reply| reply.status() == 200)
        })
        .await;
        let stop = Arc::<AtomicBool>::default();
        let writes = Arc::<AtomicUsize>::default();
        let task = tokio::spawn(send(http, port, stop.clone(), writes.clone()));
        Load {
            stop,
            writes,
            began: Instant::now(),
            task,
        }
    }

    /// Stops the requests. Not one has failed, and each write is done once.
    async fn ends_without_failures(self, database: &TestDatabase) {
        self.stop.store(true, Ordering::Relaxed);
        let (sent, failed) = self.task.await.unwrap();
        eprintln!(
            "{sent} requests in {:.1} s, {} failed",
            self.began.elapsed().as_secs_f64(),
            failed.len()
        );
        assert_eq!(failed, Vec::<String>::new(), "of {sent}");
        let sql = database.connect().await.unwrap();
        let counted: i32 = sql
            .query_one("SELECT n FROM counter", &[])
            .await
            .unwrap()
            .get(0);
        assert_eq!(
            usize::try_from(counted).unwrap(),
            self.writes.load(Ordering::Relaxed),
            "each write is done once"
        );
    }
}

async fn send(
    http: reqwest::Client,
    port: u16,
    stop: Arc<AtomicBool>,
    writes: Arc<AtomicUsize>,
) -> (u64, Vec<String>) {
    let url = format!("http://127.0.0.1:{port}/v1/graphql");
    let mut running = JoinSet::<Result<(), String>>::new();
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    let mut sent = 0;
    let mut failed = Vec::<String>::new();
    while !stop.load(Ordering::Relaxed) {
        ticks.tick().await;
        for _ in 0..RATE / 50 {
            while running.len() >= AT_ONCE {
                failed.extend(
                    running
                        .join_next()
                        .await
                        .and_then(|outcome| outcome.unwrap().err()),
                );
            }
            let is_write = sent % 10 == 9;
            let query = if is_write {
                "mutation { update_counter_by_pk(pk_columns: {id: 1}, _inc: {n: 1}) { id } }"
            } else {
                "{ notes_by_pk(id: 1) { body } }"
            };
            let post = http
                .post(&url)
                .header("X-Gateway-Admin-Secret", SECRET)
                .header("X-Gateway-Role", "user");
            let post = post.json(&json!({"query": query}));
            let writes = writes.clone();
            running.spawn(async move {
                let reply = Reply::of(post)
                    .await
                    .map_err(|error| format!("{error:?}"))?;
                let is_answer = reply.status == 200 && !reply.data().is_null();
                writes.fetch_add(usize::from(is_write && is_answer), Ordering::Relaxed);
                if is_answer {
                    Ok(())
                } else {
                    Err(format!("{}: {}", reply.status, reply.text))
                }
            });
            sent += 1;
        }
    }
    while let Some(outcome) = running.join_next().await {
        failed.extend(outcome.unwrap().err());
    }
    (sent, failed)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn event_streams_meet_their_operations_behind_the_balancer() {
    let Some(program) = haproxy() else { return };
    let database = tests::create("streams", &[SCHEMA]).await.unwrap();
    let ports = [free_port(), free_port()];
    let _gateways = [
        start(&database, ports[0]).await,
        start(&database, ports[1]).await,
    ];
    let port = free_port();
    let _balancer = HaProxy::start(&program, port, ports);
    let http = reqwest::Client::new();
    let url = format!("http://127.0.0.1:{port}");
    until("the balancer has a gateway", async || {
        let ready = http.get(format!("{url}/readyz")).send().await;
        ready.is_ok_and(|reply| reply.status() == 200)
    })
    .await;
    let request = |method: reqwest::Method| {
        let request = http.request(method, format!("{url}/v1/graphql"));
        request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "user")
    };
    // By chance one in 4,096 runs would pass without the balancer's choice.
    for turn in 0..12 {
        let reserved = Reply::of(request(reqwest::Method::PUT)).await.unwrap();
        assert_eq!(reserved.status, 201, "{}", reserved.text);
        let with_token = |request: reqwest::RequestBuilder| match turn % 2 {
            0 => request.header("X-GraphQL-Event-Stream-Token", &reserved.text),
            _ => request.query(&[("token", &reserved.text)]),
        };
        let opened =
            with_token(request(reqwest::Method::GET)).header("Accept", "text/event-stream");
        let mut stream = opened.send().await.unwrap();
        assert_eq!(stream.status(), 200);
        let body = json!({
            "query": "{ notes_by_pk(id: 1) { body } }", "extensions": {"operationId": "1"}
        });
        let sent =
            request(reqwest::Method::POST).header("X-GraphQL-Event-Stream-Token", &reserved.text);
        let sent = Reply::of(sent.json(&body)).await.unwrap();
        assert_eq!(sent.status, 202, "{}", sent.text);
        let mut read = String::new();
        while !read.contains("event: complete") {
            let part = tokio::time::timeout(PATIENCE, stream.chunk()).await;
            read += std::str::from_utf8(&part.unwrap().unwrap().unwrap()).unwrap();
        }
        assert!(
            read.contains(r#"{"data":{"notes_by_pk":{"body":"one"}}}"#),
            "{read}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rolling_restart_fails_no_request() {
    let Some(program) = haproxy() else { return };
    let database = tests::create("rolling", &[SCHEMA]).await.unwrap();
    let ports = [free_port(), free_port()];
    let mut gateways = [
        Some(start(&database, ports[0]).await),
        Some(start(&database, ports[1]).await),
    ];
    let port = free_port();
    let balancer = HaProxy::start(&program, port, ports);
    let load = Load::start(port).await;
    for (index, port) in ports.into_iter().enumerate() {
        let old = gateways[index].take().unwrap();
        until("the gateway has requests", async || {
            answered(&old.url()).await > 100.0
        })
        .await;
        let name = ["a", "b"][index];
        balancer.drain(name).await;
        old.shutdown().await;
        let new = start(&database, port).await;
        assert_eq!(
            balancer
                .run(&format!("set server gateways/{name} state ready"))
                .await,
            ""
        );
        until("the new gateway has requests", async || {
            answered(&new.url()).await > 100.0
        })
        .await;
        gateways[index] = Some(new);
    }
    load.ends_without_failures(&database).await;
}

/// A gateway that runs as a process, because it gets signals.
fn spawn(database: &TestDatabase, permissions: &str, port: u16, delay: &str) -> (Running, String) {
    let listen = format!("127.0.0.1:{port}");
    let files = [
        "serve",
        "--database-url",
        database.url(),
        "--permissions",
        permissions,
        "--admin-secret",
        SECRET,
    ];
    let settings = [
        "--listen",
        &listen,
        "--shutdown-delay",
        delay,
        "--log-level",
        "debug",
    ];
    let arguments: Vec<&str> = files.into_iter().chain(settings).collect();
    let process = Running::start(binary::command(&arguments)).unwrap();
    process
        .wait_for_line(" ready ", PATIENCE)
        .expect("the gateway is ready");
    (process, format!("http://{listen}"))
}

/// Nothing informs the balancer: it sees that `/readyz` fails, while the gateway still serves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restart_with_a_shutdown_delay_fails_no_request() {
    let Some(program) = haproxy() else { return };
    let database = tests::create("rolling", &[SCHEMA]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let permissions = folder.path().join("rolling.toml");
    std::fs::write(&permissions, PERMISSIONS).unwrap();
    let permissions = permissions.to_str().unwrap();
    let ports = [free_port(), free_port()];
    // A second signal ends the delay, so that its length does not matter.
    let mut gateways = ports.map(|port| spawn(&database, permissions, port, "600"));
    let port = free_port();
    let balancer = HaProxy::start(&program, port, ports);
    let load = Load::start(port).await;
    let http = reqwest::Client::new();
    for (index, name) in ["a", "b"].into_iter().enumerate() {
        let (old, url) = &mut gateways[index];
        until("the gateway has requests", async || {
            answered(url).await > 100.0
        })
        .await;
        old.signal("TERM").unwrap();
        balancer.until_unlisted(name).await;
        let get = async |path: &str| Reply::of(http.get(format!("{url}{path}"))).await.unwrap();
        let ready = get("/readyz").await;
        let alive = get("/healthz").await;
        assert_eq!(
            (ready.status, ready.json()["status"].as_str(), alive.status),
            (503, Some("ending"), 200)
        );
        let post = http
            .post(format!("{url}/v1/graphql"))
            .header("X-Gateway-Admin-Secret", SECRET);
        let served = Reply::of(post.json(&json!({"query": "{ notes { id } }"})))
            .await
            .unwrap();
        assert_eq!(
            served.data(),
            json!({"notes": [{"id": 1}]}),
            "{}",
            served.text
        );
        let line = old
            .wait_for_line("path=\"/readyz\" status=503", PATIENCE)
            .unwrap();
        assert!(line.contains("DEBUG"), "{line}");
        old.signal("TERM").unwrap();
        assert_eq!(
            old.wait(PATIENCE).unwrap().and_then(|status| status.code()),
            Some(0)
        );
        gateways[index] = spawn(&database, permissions, ports[index], "600");
        let url = &gateways[index].1;
        until("the new gateway has requests", async || {
            answered(url).await > 100.0
        })
        .await;
    }
    load.ends_without_failures(&database).await;
    for (delay, signal) in [("0.2", "TERM"), ("600", "INT")] {
        let (mut process, _) = spawn(&database, permissions, free_port(), delay);
        process.signal(signal).unwrap();
        assert_eq!(
            process
                .wait(PATIENCE)
                .unwrap()
                .and_then(|status| status.code()),
            Some(0),
            "{signal}"
        );
    }
}
