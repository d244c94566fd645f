//! The incidents of `docs/monitoring.md`: each is provoked against a real Postgres, and its cause
//! is found in the log, the metrics and the traces alone, by the words of its row on the page.

use std::net::TcpListener;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::binary::{self, Running};
use tests::certificates::{Authority, Wanted};
use tests::reply::Reply;
use tests::service::{ADMIN_SECRET, JWT_SECRET, token};
use tests::standby::{Standby, primary};
use tests::wait::until;

use crate::docs::read;
use crate::telemetry::collector::Collector;

const SCHEMA: &str = "
CREATE TABLE notes (id int PRIMARY KEY, body text, private text);
CREATE TABLE other (id int PRIMARY KEY);
INSERT INTO notes SELECT g, 'note ' || g, '' FROM generate_series(1, 20) g;
CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(0.4)::text AS waited;
";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[table.notes.role.member]
select = { columns = ["id", "body", "private"], rows = "true" }
insert = { columns = ["id", "body"], check = "true" }
[table.other.role.member]
select = { columns = "*", rows = "true" }
[table.slow]
key = ["id"]
[table.slow.role.member]
select = { columns = "*", rows = "true" }
[table.slow.role.report]
select = { columns = "*", rows = "true" }
[table.other.role.guest]
select = { columns = "*", rows = "true" }
"#;

/// How long a line of the log may take to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends requests to a gateway.
#[derive(Clone)]
struct Requests {
    url: String,
    client: reqwest::Client,
}

impl Requests {
    /// Sends a document as a role.
    async fn ask(&self, role: &str, query: &str) -> Reply {
        let request = self
            .client
            .post(format!("{}/v1/graphql", self.url))
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", role);
        Reply::of(request.json(&json!({ "query": query })))
            .await
            .unwrap()
    }
}

/// A gateway as operators run it: a process whose log is JSON.
struct Watched {
    process: Running,
    requests: Requests,
    incident: String,
    database: Option<TestDatabase>,
    _folder: tempfile::TempDir,
}

impl Watched {
    /// Starts a gateway over a new database for an incident of the page.
    async fn start(incident: &str, file: &str) -> Watched {
        let migrations = plugins::migration_script();
        let scripts = [SCHEMA, migrations.as_str()];
        let database = tests::create("incident", &scripts).await.unwrap();
        let url = database.url().to_owned();
        let mut watched = Watched::start_over(&url, incident, file);
        watched.database = Some(database);
        watched
    }

    fn start_over(database_url: &str, incident: &str, file: &str) -> Watched {
        let mut watched = Watched::launch(database_url, incident, file);
        watched.wait_until_ready();
        watched
    }

    /// Starts a gateway without waiting for its line `ready`.
    fn launch(database_url: &str, incident: &str, file: &str) -> Watched {
        let page = read("docs/monitoring.md");
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| {incident} |")));
        let incident = row
            .unwrap_or_else(|| panic!("no row of {incident}"))
            .to_owned();
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let file = write("gateway.toml", file);
        let permissions = write("permissions.toml", PERMISSIONS);
        let mut command = binary::command(&["serve", "--config", &file]);
        command
            .args(["--database-url", database_url, "--listen", "127.0.0.1:0"])
            .args(["--permissions", &permissions, "--log-format", "json"])
            .args(["--admin-secret", ADMIN_SECRET, "--jwt-secret", JWT_SECRET]);
        Watched {
            process: Running::start(command).unwrap(),
            requests: Requests {
                url: String::new(),
                client: reqwest::Client::new(),
            },
            incident,
            database: None,
            _folder: folder,
        }
    }

    fn wait_until_ready(&mut self) {
        let ready = self.line_with("\"message\":\"ready\"");
        ready["url"]
            .as_str()
            .unwrap()
            .clone_into(&mut self.requests.url);
    }

    fn database(&self) -> &TestDatabase {
        self.database.as_ref().unwrap()
    }

    async fn run(&self, sql: &str) {
        let client = self.database().connect().await.unwrap();
        client.batch_execute(sql).await.unwrap();
    }

    async fn ask(&self, role: &str, query: &str) -> Reply {
        self.requests.ask(role, query).await
    }

    /// What a client gets that checks certificates.
    async fn ask_strictly(&self) -> reqwest::Result<reqwest::Response> {
        let path = format!("{}/healthz", self.requests.url);
        self.requests.client.get(path).send().await
    }

    /// The value of a series, as Prometheus reads it; none if it does not exist.
    async fn metric(&self, series: &str) -> Option<f64> {
        let text = self
            .requests
            .client
            .get(format!("{}/metrics", self.requests.url))
            .send();
        let text = text.await.unwrap().text().await.unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.map(|value| value.parse().unwrap())
    }

    /// Waits until a series fulfils a condition.
    async fn until_metric(&self, series: &str, holds: impl Fn(f64) -> bool) {
        until(series, async || {
            self.metric(series).await.is_some_and(&holds)
        })
        .await;
    }

    /// The next line of the log with this text, which the incident's row has.
    fn line(&self, text: &str) -> Value {
        self.names(text);
        self.line_with(text)
    }

    fn line_with(&self, text: &str) -> Value {
        let line = self.process.wait_for_line(text, PATIENCE);
        let line = line.unwrap_or_else(|| panic!("no line with {text}"));
        serde_json::from_str(&line).unwrap()
    }

    /// The row of the page has this word.
    fn names(&self, word: &str) {
        assert!(self.incident.contains(word), "{word}: {}", self.incident);
    }
}

fn number(line: &Value, field: &str) -> f64 {
    line[field].as_f64().unwrap_or(0.0)
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_query_is_found_by_operation_stage_and_trace() {
    let collector = Collector::start("200 OK").await;
    let file = format!("otlp_endpoint = \"{}\"", collector.url);
    let gateway = Watched::start("slow query", &file).await;
    gateway.ask("member", "query Quick { notes { id } }").await;
    gateway
        .ask("member", "query Slow { slow { waited } }")
        .await;
    let sum = async |operation: &str| {
        let series = format!("postern_operation_duration_seconds_sum{{operation=\"{operation}\"}}");
        gateway.metric(&series).await.unwrap()
    };
    assert!(sum("Slow").await > 3.0 * sum("Quick").await);
    gateway.names("`run_ms`");
    gateway.names("`wait_ms`");
    let line = gateway.line_with("\"operation\":\"Slow\"");
    assert!(
        number(&line, "run_ms") > 300.0 && number(&line, "wait_ms") < 100.0,
        "{line}"
    );
    gateway.names("its trace has the SQL");
    let trace_id = line["trace_id"].as_str().unwrap();
    let spans = collector
        .trace_of(|span| span.trace == trace_id && span.name == "postgresql")
        .await;
    let statement = spans.iter().find(|span| span.name == "postgresql").unwrap();
    assert!(statement.attributes["db.query.text"].contains("\"slow\""));
    assert!(
        collector
            .spans()
            .iter()
            .all(|span| !span.name.contains("/metrics")),
        "probes are not traced"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn lock_is_told_from_a_full_pool_by_the_time_of_stages() {
    let file = "pool_size = 2\nread_group_connections = 0\ntime_limit = 2";
    let gateway = Watched::start("lock on a table", file).await;
    // Planned before the lock: Postgres' planner waits for locks, too.
    gateway.ask("member", "query Locked { notes { id } }").await;
    gateway.line_with("\"operation\":\"Locked\"");
    let holder = gateway.database().connect().await.unwrap();
    holder
        .batch_execute("BEGIN; LOCK TABLE notes")
        .await
        .unwrap();
    let asked = (0..5).map(|_| {
        let requests = gateway.requests.clone();
        tokio::spawn(async move {
            requests
                .ask("member", "query Locked { notes { id } }")
                .await
        })
    });
    let asked: Vec<_> = asked.collect();
    gateway.names("PosternPoolExhausted");
    gateway
        .until_metric("postern_pool_waiting", |waiting| waiting >= 2.0)
        .await;
    gateway.names("`pg_stat_activity` names the lock");
    gateway
        .database()
        .until(
            "count(*) >= 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = \
             current_database()",
        )
        .await;
    for reply in join_all(asked).await {
        assert_eq!(reply.unwrap().status, 504);
    }
    let lines: Vec<Value> = (0..5)
        .map(|_| gateway.line_with("\"operation\":\"Locked\""))
        .collect();
    gateway.names("lines with 504 and `run_ms` without `wait_ms`");
    let holds = |line: &&Value| number(line, "run_ms") > 1500.0 && number(line, "wait_ms") < 500.0;
    let waits = |line: &&Value| number(line, "wait_ms") > 1500.0;
    assert!(lines.iter().any(|line| holds(&line)), "{lines:#?}");
    assert!(lines.iter().filter(waits).count() >= 2, "{lines:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn role_that_exhausts_the_pool_is_the_busiest() {
    let file = "pool_size = 2\nread_group_connections = 0";
    let gateway = Watched::start("pool exhausted", file).await;
    let asked = (0..6).map(|_| {
        let requests = gateway.requests.clone();
        tokio::spawn(async move {
            requests
                .ask("report", "query Report { slow { waited } }")
                .await
        })
    });
    let asked: Vec<_> = asked.collect();
    gateway
        .until_metric("postern_pool_waiting", |waiting| waiting >= 2.0)
        .await;
    gateway.ask("member", "query Other { other { id } }").await;
    join_all(asked).await;
    gateway.names("the role with most requests at a time");
    let busy = async |role: &str| {
        let series = format!("postern_role_request_duration_seconds_sum{{role=\"{role}\"}}");
        gateway.metric(&series).await.unwrap()
    };
    assert!(busy("report").await > 2.0 * busy("member").await);
    gateway.names("`wait_ms` is nearly all of `run_ms`");
    // The last one has waited for all others of its role.
    let mut reports = (0..6).map(|_| gateway.line_with("\"operation\":\"Report\""));
    let waits = |line: Value| number(&line, "wait_ms") > 0.6 * number(&line, "run_ms");
    assert!(reports.any(waits));
}

#[tokio::test(flavor = "multi_thread")]
async fn role_that_hammers_is_counted_by_its_name() {
    let file = "[[rates]]\nname = \"guests\"\nper = [\"role\"]\nroles = [\"guest\"]\nrate = 5";
    let gateway = Watched::start("a role hammers", file).await;
    gateway.ask("member", "query Usual { other { id } }").await;
    for _ in 0..20 {
        gateway.ask("guest", "query Much { other { id } }").await;
    }
    let requests = async |role: &str, code: &str| {
        let series = format!("postern_role_requests_total{{code=\"{code}\",role=\"{role}\"}}");
        gateway.metric(&series).await.unwrap()
    };
    gateway.names("`postern_role_requests_total` names the role");
    assert!(requests("guest", "rate-limited").await >= 10.0);
    assert_eq!(requests("member", "").await, 1.0);
    let series = "postern_rate_limited_total{mode=\"enforce\",rate=\"guests\"}";
    assert!(gateway.metric(series).await.unwrap() >= 10.0);
    gateway.names("`code=\"rate-limited\"` and the rate");
    let line = gateway.line_with("\"code\":\"rate-limited\"");
    assert_eq!(line["role"], "guest");
    assert!(
        line["reason"].as_str().unwrap().contains("guests"),
        "{line}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn renamed_column_is_left_out_with_its_place() {
    let gateway = Watched::start("a column was renamed", "").await;
    gateway.ask("member", "{ notes { private } }").await;
    gateway
        .run("ALTER TABLE notes RENAME private TO hidden")
        .await;
    gateway.ask("member", "{ notes { private } }").await;
    let line = gateway.line("left out, because the database has changed");
    let message = line["message"].as_str().unwrap();
    gateway.names("with file, line and name");
    assert!(
        message.contains("permissions.toml:") && message.contains("private"),
        "{message}"
    );
    gateway
        .until_metric("postern_left_out{part=\"permissions\"}", |left_out| {
            left_out >= 1.0
        })
        .await;
    gateway.names("other operations go on");
    let other = gateway.ask("member", "{ other { id } }").await;
    assert_eq!((other.status, other.text.contains("errors")), (200, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_flood_is_refused_with_its_cause() {
    let file = "memory_limit = 16777216\nbody_limit = 4000000\npool_size = 2";
    let gateway = Watched::start("memory flood", file).await;
    let body = "x".repeat(2_000_000);
    let asked = (100..124).map(|id| {
        let requests = gateway.requests.clone();
        let query = format!(
            "mutation Flood {{ insert_notes_one(object: {{id: {id}, body: \"{body}\"}}) {{ id }} }}"
        );
        tokio::spawn(async move { requests.ask("member", &query).await.status })
    });
    let asked: Vec<_> = asked.collect();
    let statuses: Vec<u16> = join_all(asked)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(statuses.contains(&503), "{statuses:?}");
    gateway.names("`code=\"unavailable\"` and a `cause` that names the memory");
    let line = gateway.line_with("\"code\":\"unavailable\"");
    assert!(line["cause"].as_str().unwrap().contains("memory"), "{line}");
    assert!(
        gateway
            .metric("postern_memory_refused_total")
            .await
            .unwrap()
            > 0.0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn replica_that_is_behind_is_named_with_its_lag() {
    let primary = primary(&[]).unwrap();
    let url = primary.url("postgres");
    let sql = tests::database::connect(&url).await.unwrap();
    sql.batch_execute(SCHEMA).await.unwrap();
    let Some(standby) = Standby::start(&primary).unwrap() else {
        eprintln!("skipped: this installation of Postgres has no `pg_basebackup`");
        return;
    };
    let replica = standby.cluster.as_ref().unwrap().url("postgres");
    let file = format!("replica_url = [\"{replica}\"]\n[replicas]\nmax_lag = 1");
    let gateway = Watched::start_over(&url, "replica behind", &file);
    let name = replica
        .split(['@', '/'])
        .find(|part| part.starts_with("127."))
        .unwrap();
    let usable = format!("postern_replica_usable{{replica=\"{name}\"}}");
    gateway.until_metric(&usable, |usable| usable == 1.0).await;
    let on_standby = tests::database::connect(&replica).await.unwrap();
    on_standby
        .batch_execute("SELECT pg_wal_replay_pause()")
        .await
        .unwrap();
    sql.batch_execute("UPDATE notes SET body = 'late'")
        .await
        .unwrap();
    gateway.until_metric(&usable, |usable| usable == 0.0).await;
    let line = gateway.line("the replica gets no queries");
    gateway.names("with the seconds as `cause`");
    assert!(line["cause"].as_str().unwrap().contains("behind"), "{line}");
    assert_eq!(line["replica"], name);
    let lag = format!("postern_replica_lag_seconds{{replica=\"{name}\"}}");
    assert!(gateway.metric(&lag).await.unwrap() > 0.5);
    assert_eq!(gateway.ask("member", "{ notes { id } }").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn wal_of_the_own_slot_is_measured_until_the_slot_is_dropped() {
    let file = "subscription_slot_lag = 4000000\nsubscription_slot_interval = 0.2\n\
                instance_id = \"Gateway 1\"";
    // A cluster of its own: other tests write WAL, too.
    let primary = primary(&[]).unwrap();
    let url = primary.url("postgres");
    let sql = tests::database::connect(&url).await.unwrap();
    sql.batch_execute(SCHEMA).await.unwrap();
    sql.batch_execute("CREATE PUBLICATION postern FOR TABLE notes, other")
        .await
        .unwrap();
    let gateway = Watched::start_over(&url, "WAL held by a slot", file);
    let request = gateway
        .requests
        .client
        .post(format!("{}/v1/graphql", gateway.requests.url))
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .header("X-Gateway-Role", "member")
        .header("Accept", "text/event-stream");
    let query = json!({"query": "subscription { notes(limit: 1) { body } }"});
    let _stream = request.json(&query).send().await.unwrap();
    let replication = "postern_subscription_source{source=\"replication\"}";
    gateway
        .until_metric(replication, |source| source == 1.0)
        .await;
    let begun = gateway.line_with("logical replication has begun");
    let slot = begun["slot"].as_str().unwrap();
    assert!(slot.starts_with("postern_gateway_1_"), "{slot}");
    let named = "SELECT FROM pg_stat_activity WHERE application_name = 'postern Gateway 1'";
    assert!(!sql.query(named, &[]).await.unwrap().is_empty());
    // An open transaction keeps the slot from letting go of the WAL that others write.
    let old = tests::database::connect(&url).await.unwrap();
    old.batch_execute("BEGIN; INSERT INTO other VALUES (90)")
        .await
        .unwrap();
    let write = |bytes: u32| {
        format!("SELECT pg_logical_emit_message(false, 'filler', repeat('x', {bytes}))")
    };
    sql.batch_execute(&write(2_000_000)).await.unwrap();
    gateway.names("PosternSlotRetainsWal");
    gateway
        .until_metric("postern_replication_slot_retained_bytes", |bytes| {
            bytes > 1e6
        })
        .await;
    sql.batch_execute(&write(4_000_000)).await.unwrap();
    let line = gateway.line("logical replication was lost");
    gateway.names("the slot is so many bytes behind");
    assert!(
        line["cause"]
            .as_str()
            .unwrap()
            .contains("bytes of WAL behind"),
        "{line}"
    );
    gateway
        .until_metric(replication, |source| source == 0.0)
        .await;
    assert_eq!(
        gateway.metric("postern_replication_expected").await,
        Some(1.0)
    );
    assert_eq!(
        gateway.metric("postern_replication_losses_total").await,
        Some(1.0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn token_storm_is_refused_with_its_reason_and_then_limited() {
    let gateway = Watched::start("token storm", "").await;
    let path = format!("{}/v1/graphql", gateway.requests.url);
    let valid = token(&json!({"exp": 4_000_000_000_u64}));
    let (signed, _) = valid.rsplit_once('.').unwrap();
    let forged = format!("{signed}.{}", "A".repeat(43));
    let mut statuses = vec![];
    for _ in 0..700 {
        let request = gateway.requests.client.post(&path).bearer_auth(&forged);
        statuses.push(
            request
                .json(&json!({"query": "{ x }"}))
                .send()
                .await
                .unwrap()
                .status(),
        );
        if statuses.last().is_some_and(|status| *status == 429) {
            break;
        }
    }
    assert_eq!(
        (statuses[0].as_u16(), statuses.pop().unwrap().as_u16()),
        (401, 429)
    );
    gateway.names("`reason` of lines with 401");
    let line = gateway.line_with("\"status\":401");
    assert_eq!(line["reason"], "JWSInvalidSignature", "{line}");
    let refused = "postern_authentication_total{event=\"refused\",outcome=\"failure\"}";
    assert_eq!(gateway.metric(refused).await, Some(statuses.len() as f64));
    gateway.names("429 follows from the rate that counts them");
    assert!(gateway.line_with("\"status\":429")["reason"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn webhook_that_is_down_leaves_a_line_for_each_dead_event() {
    // A port on which nothing listens.
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let file = format!(
        "[event.note_written]\ntable = \"notes\"\ninsert = true\nwebhook = \"http://{address}/\"\n\
         retry_conf = {{ num_retries = 1, interval_sec = 0 }}"
    );
    let gateway = Watched::start("webhook down", &file).await;
    let deliveries = |outcome: &str| {
        format!("postern_event_deliveries_total{{outcome=\"{outcome}\",trigger=\"note_written\"}}")
    };
    assert_eq!(gateway.metric(&deliveries("dead")).await, Some(0.0));
    gateway
        .run("INSERT INTO notes VALUES (30, 'a secret text', '')")
        .await;
    let retried = gateway.line("events are not delivered and are tried again");
    assert_eq!(retried["trigger"], "note_written");
    let line = gateway.line("an event was given up");
    gateway.names("with trigger, status and cause");
    assert_eq!(
        (&line["trigger"], &line["attempts"]),
        (&json!("note_written"), &json!(2))
    );
    assert!(
        line["event"].is_string() && line["cause"].is_string(),
        "{line}"
    );
    assert!(!line.to_string().contains("secret text"), "{line}");
    assert_eq!(gateway.metric(&deliveries("dead")).await, Some(1.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_clock_refuses_tokens_as_expired() {
    let gateway = Watched::start("clock skew", "").await;
    gateway.names("postern_clock_offset_seconds");
    let offset = "postern_clock_offset_seconds{server=\"primary\"}";
    gateway
        .until_metric(offset, |seconds| seconds.abs() < 2.0)
        .await;
    let expired = token(&json!({
        "exp": 1_700_000_000,
        "gateway": {"x-gateway-default-role": "member", "x-gateway-allowed-roles": ["member"]},
    }));
    let path = format!("{}/v1/graphql", gateway.requests.url);
    let request = gateway.requests.client.post(path).bearer_auth(expired);
    let reply = Reply::of(request.json(&json!({"query": "{ notes { id } }"})))
        .await
        .unwrap();
    assert_eq!(reply.status, 401);
    gateway.names("JWTExpired");
    assert_eq!(gateway.line_with("\"status\":401")["reason"], "JWTExpired");
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_certificate_is_named_with_its_file_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority").unwrap();
    let expired = Wanted {
        names: &["127.0.0.1"],
        until: 2020,
        ..Wanted::default()
    };
    let pair = authority.sign("port", expired).unwrap();
    let file = format!(
        "tls_cert = \"{}\"\ntls_key = \"{}\"\n",
        pair.certificate.display(),
        pair.key.display()
    );
    let database = tests::create("incident", &[SCHEMA]).await.unwrap();
    let mut gateway = Watched::launch(database.url(), "certificate expired", &file);
    let line = gateway.line("the certificate of the port has expired");
    assert_eq!(line["level"], "ERROR");
    assert_eq!(line["file"], pair.certificate.display().to_string());
    assert!(
        line["not_after"]
            .as_str()
            .unwrap()
            .starts_with("2020-01-01"),
        "{line}"
    );
    gateway.wait_until_ready();
    // A client that checks certificates leaves during the handshake.
    let strict = gateway.ask_strictly().await;
    assert!(strict.is_err_and(|error| error.is_connect()));
    gateway.requests.client = reqwest::Client::builder()
        .danger_accept_invalid_certs(true)
        .build()
        .unwrap();
    let seconds = gateway
        .metric("postern_tls_certificate_not_after_seconds")
        .await;
    assert_eq!(seconds, Some(1_577_836_800.0));
    let failed = "postern_tls_handshakes_failed_total";
    gateway.names(failed);
    gateway.until_metric(failed, |count| count >= 1.0).await;
}
