//! What hashing costs the gateway: one hash for each password that is tried, whoever it belongs to,
//! and a bounded number at a time. Linux counts what a process uses.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::binary::{Running, command};
use tests::reply::Reply;
use tests::service::{ADMIN_SECRET, JWT_SECRET};

use super::mailbox::Mailbox;
use super::service::{PASSWORD, assert_refused, migrated, settings};

const ADA: &str = "ada@example.org";

/// The `postern` binary with accounts, whose use of the machine Linux counts.
struct Gateway {
    running: Running,
    url: String,
    client: reqwest::Client,
    _mailbox: Mailbox,
    _database: tests::TestDatabase,
}

impl Gateway {
    async fn start() -> Gateway {
        let mailbox = Mailbox::start().await;
        let database = migrated().await;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.toml");
        let top = format!(
            "admin_secret = {ADMIN_SECRET:?}\njwt_secret = {JWT_SECRET:?}\nlisten = \"127.0.0.1:0\"\n\
             database_url = {:?}\n",
            database.url()
        );
        std::fs::write(
            &path,
            format!(
                "{top}{}",
                settings(&mailbox.url(), "accounts.verify = false")
            ),
        )
        .unwrap();
        let running =
            Running::start(command(&["serve", "--config", path.to_str().unwrap()])).unwrap();
        let ready = running
            .wait_for_line("ready", Duration::from_secs(60))
            .expect("it starts");
        let (_, address) = ready.split_once("address=").expect("an address in the log");
        let gateway = Gateway {
            url: format!("http://{}", address.split_whitespace().next().unwrap()),
            running,
            client: reqwest::Client::new(),
            _mailbox: mailbox,
            _database: database,
        };
        // A client that has signed in is spared from the limit of tries.
        let reply = gateway
            .post(
                "/v1/signup/email-password",
                json!({"email": ADA, "password": PASSWORD}),
            )
            .await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        gateway
    }

    async fn post(&self, path: &str, body: Value) -> Reply {
        let request = self.client.post(format!("{}{path}", self.url)).json(&body);
        Reply::of(request).await.unwrap()
    }

    async fn sign_in(&self, email: &str, password: &str) -> Reply {
        self.post(
            "/v1/signin/email-password",
            json!({"email": email, "password": password}),
        )
        .await
    }

    /// The time that processors have spent on it, in ticks. Other processes do not add to it.
    fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.running.id())).unwrap();
        let (_, fields) = stat.rsplit_once(')').unwrap();
        let fields: Vec<&str> = fields.split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    /// Its peak memory, in bytes.
    fn peak(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.running.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }
}

/// The measure is the work of the gateway, not the time until its response.
#[tokio::test]
async fn unknown_user_costs_one_hash() {
    let gateway = Gateway::start().await;
    let people = [
        (ADA, "a wrong password"),
        (ADA, ""),
        ("unknown", "a wrong password"),
        ("unknown", ""),
    ];
    let mut work = [0; 4];
    // In turns, so that what else the machine does slows all of them.
    for round in 0..25 {
        for ((email, password), work) in people.into_iter().zip(&mut work) {
            let email = email.replace("unknown", &format!("unknown-{round}@example.org"));
            let before = gateway.ticks();
            assert_refused(
                &gateway.sign_in(&email, password).await,
                401,
                "invalid-email-password",
            );
            *work += gateway.ticks() - before;
        }
    }
    // Without a hash it is a tenth or less; with two, double.
    let is_usual = |ticks: &u64| ticks * 5 > work[0] * 3 && ticks * 3 < work[0] * 5;
    assert!(work[0] > 0 && work.iter().all(is_usual), "{work:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hashing_is_bounded() {
    let gateway = Gateway::start().await;
    gateway.sign_in(ADA, "a wrong password").await;
    let before = gateway.peak();
    // As many hashes at once would take 4 GiB.
    let flood = join_all((0..200).map(|_| gateway.sign_in(ADA, "a wrong password")));
    let others = async {
        for _ in 0..20 {
            let reply = gateway
                .post("/v1/graphql", json!({"query": "{ __typename }"}))
                .await;
            assert_eq!(reply.status, 401, "{}", reply.text);
        }
    };
    let (replies, ()) = tokio::join!(flood, others);
    let (done, refused): (Vec<Reply>, Vec<Reply>) =
        replies.into_iter().partition(|reply| reply.status == 401);
    assert!(done.len() >= 10, "{}", done.len());
    for reply in refused {
        assert!(
            matches!(reply.status, 429 | 503),
            "{} {}",
            reply.status,
            reply.text
        );
        assert_eq!(reply.json()["status"], reply.status, "{}", reply.text);
        assert!(
            !reply.header("retry-after").is_empty(),
            "{:?}",
            reply.headers
        );
    }
    let cores = std::thread::available_parallelism().unwrap().get() as u64;
    let bound = (cores + 2) * (19 << 20) + (64 << 20);
    assert!(
        gateway.peak() - before < bound,
        "{} MiB",
        (gateway.peak() - before) >> 20
    );
    // It goes on as before.
    assert_eq!(gateway.sign_in(ADA, "a wrong password").await.status, 401);
}
