//! Tests rate limits that gateways share through a Redis server started by the test.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tests::reply::Reply;
use tests::{TestDatabase, binary};

use super::service::{PERMISSIONS, SCHEMA, SECRET, Service, count, query, send};

const PATIENCE: Duration = Duration::from_secs(30);
const PASSWORD: &str = "a-word-for-redis";
const RULES: &str = "[[rates]]\nname = \"all\"\nper = [\"address\"]\nrate = 1\nevery = \
                     3600\nburst = 40\n\
                     [[rates]]\nname = \"user\"\nper = [\"session.user_id\"]\nrate = 5\nevery = \
                     3600\n";

/// A Redis server. Dropping it stops it.
struct Redis {
    child: Child,
    port: u16,
    folder: TempDir,
    encrypted: bool,
}

impl Redis {
    fn start() -> Redis {
        Redis::on(free_port(), tempfile::tempdir().unwrap(), false)
    }

    fn encrypted() -> Redis {
        let folder = tempfile::tempdir().unwrap();
        certify(folder.path());
        Redis::on(free_port(), folder, true)
    }

    fn on(port: u16, folder: TempDir, encrypted: bool) -> Redis {
        let mut command = Command::new("redis-server");
        command.args([
            "--save",
            "",
            "--appendonly",
            "no",
            "--bind",
            "127.0.0.1",
            "--requirepass",
            PASSWORD,
        ]);
        command
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let number = port.to_string();
        if encrypted {
            command
                .args([
                    "--port",
                    "0",
                    "--tls-port",
                    &number,
                    "--tls-auth-clients",
                    "no",
                ])
                .args([
                    "--tls-cert-file",
                    "server.crt",
                    "--tls-key-file",
                    "server.key",
                    "--tls-ca-cert-file",
                    "authority.crt",
                ])
        } else {
            command.args(["--port", &number])
        };
        let child = command
            .spawn()
            .expect("`redis-server` is missing; `scripts/setup.sh tests` installs it");
        let redis = Redis {
            child,
            port,
            folder,
            encrypted,
        };
        let end = Instant::now() + PATIENCE;
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "redis-server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        redis
    }

    fn url(&self) -> String {
        let scheme = if self.encrypted { "rediss" } else { "redis" };
        format!("{scheme}://:{PASSWORD}@localhost:{}/0", self.port)
    }

    /// Stops it, and returns its port and folder for another server.
    fn stop(mut self) -> (u16, TempDir) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        (
            self.port,
            std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap()),
        )
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// Creates an authority, and a server certificate that it signs.
fn certify(folder: &Path) {
    let openssl = |arguments: &str| {
        let output = Command::new("openssl")
            .args(arguments.split(' '))
            .current_dir(folder)
            .output();
        let output = output.expect("`openssl` is missing; `scripts/setup.sh tests` installs it");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    std::fs::write(
        folder.join("names"),
        "subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n",
    )
    .unwrap();
    openssl(
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout authority.key \
             -out authority.crt",
    );
    openssl("req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr");
    openssl(
        "x509 -req -in server.csr -CA authority.crt -CAkey authority.key -CAcreateserial \
             -days 2 -extfile names -out server.crt",
    );
}

/// Two gateways over one database.
async fn two(redis: &Redis) -> (TestDatabase, Service, Service) {
    let database = tests::create("rates", &[SCHEMA]).await.unwrap();
    let file = format!("redis_url = \"{}\"\n{RULES}", redis.url());
    let one = Service::over(&database, &file).await;
    let other = Service::over(&database, &file).await;
    (database, one, other)
}

async fn at_once(count: usize, services: &[&Service]) -> Vec<u16> {
    let all = services
        .iter()
        .cycle()
        .take(count)
        .map(|service| Reply::of(service.reader()));
    futures_util::future::join_all(all)
        .await
        .into_iter()
        .map(|reply| reply.unwrap().status)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gateways_share_the_limit_on_guesses() {
    let redis = Redis::start();
    let database = tests::create("rates", &[SCHEMA]).await.unwrap();
    let rule = "[[rates]]\nname = \"refused\"\nrate = 20\nevery = 3600\n";
    let file = format!("redis_url = \"{}\"\n{rule}", redis.url());
    let one = Service::over(&database, &file).await;
    let other = Service::over(&database, &file).await;
    for _ in 0..5 {
        let statuses = at_once(15, &[&one, &other]).await;
        assert_eq!(
            count(&statuses, 200),
            15,
            "what succeeds is given back before it is answered"
        );
    }
    let guesses = [&one, &other].into_iter().cycle().take(120);
    let guesses =
        guesses.map(|service| Reply::of(service.post().header("X-Gateway-Admin-Secret", "guess")));
    let statuses: Vec<u16> = futures_util::future::join_all(guesses)
        .await
        .into_iter()
        .map(|reply| reply.unwrap().status)
        .collect();
    assert_eq!((count(&statuses, 401), count(&statuses, 429)), (20, 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gateways_share_a_limit() {
    let redis = Redis::start();
    let (_database, one, other) = two(&redis).await;
    let statuses = at_once(120, &[&one, &other]).await;
    assert_eq!(
        (count(&statuses, 200), count(&statuses, 429)),
        (40, 80),
        "{}",
        redis.port
    );
    let reply = send(other.reader()).await;
    assert_eq!(
        (reply.status, reply.header("ratelimit-policy")),
        (429, "\"all\";q=40;w=144000")
    );
    assert!(
        reply.header("retry-after").parse::<u64>().unwrap() > 3000,
        "{}",
        reply.header("retry-after")
    );
    assert_eq!(
        one.counted("all", "enforce") + other.counted("all", "enforce"),
        81
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_batches_work_through_redis() {
    let redis = Redis::start();
    let (_database, one, other) = two(&redis).await;
    assert_eq!(
        send(one.author(1)).await.header("ratelimit"),
        "\"user\";r=4;t=720"
    );
    assert!(
        send(other.author(1))
            .await
            .header("ratelimit")
            .starts_with("\"user\";r=3;t=")
    );
    let batch = |service: &Service, size: usize| service.author(1).json(&vec![query(); size]);
    let refused = send(batch(&one, 4)).await;
    assert!(
        refused.status == 429 && refused.header("ratelimit").starts_with("\"user\";r=3;t="),
        "{:?}",
        refused.headers
    );
    let reply = send(batch(&one, 3)).await;
    assert!(
        reply.status == 200 && reply.header("ratelimit").starts_with("\"user\";r=0;t="),
        "{:?}",
        reply.headers
    );
    assert_eq!(send(other.author(1)).await.status, 429);
    assert_eq!(send(other.author(2)).await.status, 200);
    assert_eq!(send(batch(&one, 50)).await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn gateways_count_alone_while_redis_is_unavailable() {
    let redis = Redis::start();
    let (_database, one, other) = two(&redis).await;
    assert_eq!(at_once(2, &[&one, &other]).await, [200, 200]);
    let (port, folder) = redis.stop();
    let alone = at_once(50, &[&one]).await;
    // Requests in progress when the server stops may have been counted there.
    assert!(
        (40..=50).contains(&count(&alone, 200)) && count(&alone, 503) == 0,
        "{alone:?}"
    );
    assert_eq!(send(other.reader()).await.status, 200);
    let _redis = Redis::on(port, folder, false);
    // The new server starts with empty counts: requests succeed again once the gateway has
    // reconnected.
    let end = Instant::now() + PATIENCE;
    while send(one.reader()).await.status != 200 {
        assert!(Instant::now() < end, "the server is not found again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unresponsive_redis_delays_requests_only_briefly() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let service = Service::with(&format!(
        "redis_url = \"redis://localhost:{port}\"\n{RULES}"
    ))
    .await;
    let statuses = service.statuses(41, || service.reader()).await;
    assert_eq!((count(&statuses, 200), count(&statuses, 429)), (40, 1));
    drop(silent);
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_is_reached_by_tls_and_its_password_is_not_logged() {
    let redis = Redis::encrypted();
    let database = tests::create("rates", &[SCHEMA]).await.unwrap();
    let path = |name: &str| redis.folder.path().join(name);
    std::fs::write(path("gateway.toml"), RULES).unwrap();
    std::fs::write(path("permissions.toml"), PERMISSIONS).unwrap();
    let serve = |authority: &str| {
        let mut command =
            binary::command(&["serve", "--listen", "127.0.0.1:0", "--log-level", "debug"]);
        let variables = [
            ("DATABASE_URL", database.url()),
            ("ADMIN_SECRET", SECRET),
            ("REDIS_URL", &redis.url()),
        ];
        command.envs(variables.map(|(name, value)| (format!("POSTERN_{name}"), value)));
        command.args(["--config", path("gateway.toml").to_str().unwrap()]);
        command.args(["--permissions", path("permissions.toml").to_str().unwrap()]);
        command.env("SSL_CERT_FILE", path(authority));
        binary::Running::start(command).unwrap()
    };
    let one = serve("authority.crt");
    let other = serve("authority.crt");
    for running in [&one, &other] {
        assert!(
            running
                .wait_for_line("rate limits are shared through Redis", PATIENCE)
                .is_some()
        );
    }
    let urls: Vec<String> = [&one, &other].iter().map(|running| url(running)).collect();
    let client = reqwest::Client::new();
    let mut found = vec![];
    for index in 0..44 {
        let request = client
            .post(format!("{}/v1/graphql", urls[index % 2]))
            .json(&query());
        let request = request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader");
        found.push(send(request).await.status);
    }
    assert_eq!((count(&found, 200), count(&found, 429)), (40, 4));
    // Another authority's certificate is refused, and the log line about it does not contain the
    // password.
    let wary = serve("names");
    let line = wary
        .wait_for_line("Redis cannot be reached", PATIENCE)
        .expect("it has reached a server that it cannot know");
    assert!(!line.contains(PASSWORD), "{line}");
}

/// The gateway's URL, from its log.
fn url(running: &binary::Running) -> String {
    let ready = running
        .wait_for_line("ready", PATIENCE)
        .expect("it is not ready");
    let (_, address) = ready.split_once("address=").expect("no address in the log");
    format!("http://{}", address.split_whitespace().next().unwrap())
}
