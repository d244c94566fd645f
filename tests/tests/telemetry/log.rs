//! The lines of the log: why requests were refused, what they cost, and no value that a client has
//! sent.

use std::time::Duration;

use serde_json::{Value, json};
use tests::TestDatabase;
use tests::binary::{self, Running};
use tests::service::ADMIN_SECRET;

use super::service::{PERMISSIONS, SCHEMA};

pub(super) const KEY: &str = "a key of thirty-two bytes, or more";
pub(super) const START: Duration = Duration::from_secs(60);
pub(super) const PECULIAR: &str = "a_word_that_no_log_knows";

/// A gateway as a process, whose log is read.
pub(super) struct Process {
    pub(super) gateway: Running,
    pub(super) url: String,
    ready: Value,
    pub(super) client: reqwest::Client,
    pub(super) database: TestDatabase,
    _files: tempfile::TempDir,
}

impl Process {
    async fn start(level: &str) -> Process {
        Process::with(level, PERMISSIONS, "").await
    }

    /// Starts a gateway with a permission file and further settings.
    pub(super) async fn with(level: &str, permissions_text: &str, settings: &str) -> Process {
        let database = tests::create("log", &[SCHEMA]).await.unwrap();
        let files = tempfile::tempdir().unwrap();
        let permissions = files.path().join("permissions.toml");
        std::fs::write(&permissions, permissions_text).unwrap();
        let config = files.path().join("gateway.toml");
        std::fs::write(&config, settings).unwrap();
        let jwt = json!({"type": "HS256", "key": KEY}).to_string();
        let mut command =
            binary::command(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
        command.args([
            "--log-level",
            level,
            "--database-url",
            database.url(),
            "--admin-secret",
            ADMIN_SECRET,
        ]);
        command
            .args(["--jwt-secret", &jwt, "--permissions"])
            .arg(&permissions)
            .arg("--config")
            .arg(&config);
        let running = Running::start(command).unwrap();
        let ready: Value =
            serde_json::from_str(&running.wait_for_line("\"ready\"", START).unwrap()).unwrap();
        let url = ready["url"].as_str().unwrap().to_owned();
        Process {
            gateway: running,
            url,
            ready,
            client: reqwest::Client::new(),
            database,
            _files: files,
        }
    }

    /// Sends a request with these headers, and returns its line of the log.
    pub(super) async fn line(&self, request: &Value, headers: &[(&str, &str)]) -> Value {
        let sent = self
            .client
            .post(format!("{}/v1/graphql", self.url))
            .json(request);
        let sent = headers
            .iter()
            .fold(sent, |sent, (name, value)| sent.header(*name, *value));
        sent.send().await.unwrap();
        self.answered()
    }

    async fn by_member(&self, request: &Value) -> Value {
        let headers = [
            ("x-gateway-admin-secret", ADMIN_SECRET),
            ("x-gateway-role", "member"),
            ("x-gateway-team", "1"),
        ];
        self.line(request, &headers).await
    }

    pub(super) fn answered(&self) -> Value {
        let line = self.gateway.wait_for_line("\"answered\"", START).unwrap();
        assert!(!line.contains(PECULIAR), "{line}");
        serde_json::from_str(&line).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_has_its_reason() {
    let process = Process::start("info").await;
    let query = |query: &str| json!({ "query": query });
    let line = process
        .line(
            &query("{ users { id } }"),
            &[("authorization", "Bearer x.y.z")],
        )
        .await;
    assert_eq!(
        (&line["status"], &line["reason"]),
        (&json!(401), &json!("malformed token"))
    );
    let line = process
        .line(
            &query("{ users { id } }"),
            &[("x-gateway-admin-secret", PECULIAR)],
        )
        .await;
    assert_eq!(line["reason"], "wrong admin secret");
    let line = process
        .by_member(&query(&format!("{{ users {{ {PECULIAR} }} }}")))
        .await;
    assert_eq!(
        (&line["reason"], &line["role"]),
        (
            &json!("FieldsOnCorrectType in users at 1:11"),
            &json!("member")
        )
    );
    let hash = line["hash"].as_str().unwrap().to_owned();
    assert_eq!(hash.len(), 16);
    let deep = format!(
        "{{ {} }}",
        (0..60)
            .map(|n| format!("a{n}: users {{ id }}"))
            .collect::<Vec<_>>()
            .join(" ")
    );
    let line = process.by_member(&query(&deep)).await;
    assert!(
        line["reason"]
            .as_str()
            .unwrap()
            .starts_with("the limit on "),
        "{line}"
    );
    let write =
        "mutation Add($e: String!) { insertUsersOne(object: {id: 77, email: $e, team: 1}) { id } }";
    let write =
        json!({"query": write, "variables": {"e": "u1@example.com"}, "operationName": "Add"});
    let line = process.by_member(&write).await;
    assert_eq!(
        (&line["sqlstate"], &line["constraint"]),
        (&json!("23505"), &json!("users_email_key"))
    );
    assert_eq!(
        (&line["operation"], &line["level"]),
        (&json!("Add"), &json!("WARN"))
    );
    let check = json!({"query": format!("mutation {{ insertUsersOne(object: {{id: 78, email: \
                                         \"{PECULIAR}\", team: 0}}) {{ id }} }}")});
    assert_eq!(process.by_member(&check).await["reason"], "PermissionCheck");
    let missing = [
        ("x-gateway-admin-secret", ADMIN_SECRET),
        ("x-gateway-role", "member"),
    ];
    assert_eq!(
        process.line(&query("{ users { id } }"), &missing).await["reason"],
        "MissingSessionValue team"
    );
    let ghost = [
        ("x-gateway-admin-secret", ADMIN_SECRET),
        ("x-gateway-role", "ghost"),
    ];
    let line = process.line(&query("{ users { id } }"), &ghost).await;
    assert_eq!(
        (&line["unknown_role"], &line["role"]),
        (&json!(true), &Value::Null)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn line_has_the_work_of_a_request_and_no_sql() {
    let process = Process::start("info").await;
    let line = process
        .by_member(&json!({"query": "{ users { id email } }"}))
        .await;
    assert_eq!(
        (&line["rows"], &line["level"], &line["sql"]),
        (&json!(5), &json!("INFO"), &Value::Null)
    );
    assert!(line["bytes"].as_u64().unwrap() > 100, "{line}");
    for stage in ["plan_ms", "bind_ms", "wait_ms", "run_ms"] {
        assert!(line[stage].as_f64().is_some(), "{stage}: {line}");
    }
    assert!(
        line["run_ms"].as_f64() >= line["wait_ms"].as_f64(),
        "{line}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn debug_log_has_sql_without_values_and_probes() {
    let process = Process::start("debug").await;
    let line = process
        .by_member(&json!({"query": format!("{{ users(where: {{email: {{_neq: \
                                             \"{PECULIAR}\"}}}}) {{ id }} }}")}))
        .await;
    assert!(
        line["sql"]
            .as_str()
            .unwrap()
            .contains("FROM \"public\".\"users\""),
        "{line}"
    );
    process
        .client
        .get(format!("{}/healthz", process.url))
        .send()
        .await
        .unwrap();
    let line = process.answered();
    assert_eq!(
        (&line["path"], &line["level"]),
        (&json!("/healthz"), &json!("DEBUG"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_are_no_lines_of_the_usual_log() {
    let process = Process::start("info").await;
    for path in ["/healthz", "/readyz", "/metrics", "/v1/version"] {
        process
            .client
            .get(format!("{}{path}", process.url))
            .send()
            .await
            .unwrap();
    }
    assert_eq!(process.answered()["path"], "/v1/version");
}

#[tokio::test(flavor = "multi_thread")]
async fn line_at_the_start_says_what_is_served_and_what_is_off() {
    let process = Process::start("info").await;
    let ready = &process.ready;
    assert_eq!(
        (&ready["tables"], &ready["endpoints"], &ready["tls"]),
        (&json!(1), &json!(0), &json!(false))
    );
    assert!(
        ready["roles"].as_u64() >= Some(1) && ready["postgres"].as_str().unwrap().contains('.'),
        "{ready}"
    );
    assert!(ready["subscriptions"].as_str().is_some(), "{ready}");
    assert_eq!(ready["off"], "rest-map,cors,tls,traces");
}
