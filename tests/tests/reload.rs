//! Tests reloading: what `SIGHUP` and changed files change, what they leave unchanged, and that
//! running requests are not disturbed.

mod healing;
mod watch;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gateway::config::Settings;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::TestDatabase;
use tests::binary;
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::wait::until;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const SCHEMA: &str = include_str!("http/service.sql");
const SECRET: &str = "open sesame";
const PATIENCE: Duration = Duration::from_secs(20);

const NARROW: &str = "[naming]\nconvention = \"snake\"\n\n\
    [table.authors.role.reader]\nselect = { columns = [\"id\"], rows = \"true\" }\n";
const WIDE: &str = "[naming]\nconvention = \"snake\"\n\n\
    [table.authors.role.reader]\nselect = { columns = \"*\", rows = \"true\", aggregates = true }\n\
    [table.articles.role.reader]\nselect = { columns = \"*\", rows = \"true\" }\n\
    [table.brief.role.reader]\nselect = { columns = \"*\", rows = \"true\" }\n\
    [table.flood.role.reader]\nselect = { columns = \"*\", rows = \"true\" }\n";

/// A database, a permission file, and a client for the gateway that serves both.
struct Place {
    database: TestDatabase,
    folder: TempDir,
    client: reqwest::Client,
}

impl Place {
    async fn new(permissions: &str) -> Place {
        Place::with(SCHEMA, permissions).await
    }

    async fn with(schema: &str, permissions: &str) -> Place {
        let database = tests::create("reload", &[schema]).await.unwrap();
        let location = Place {
            database,
            folder: tempfile::tempdir().unwrap(),
            client: reqwest::Client::new(),
        };
        location.write("permissions.toml", permissions);
        location
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    async fn run(&self, sql: &str) {
        self.database
            .connect()
            .await
            .unwrap()
            .batch_execute(sql)
            .await
            .unwrap();
    }

    /// Starts a gateway in this process.
    async fn gateway(&self) -> GatewayHandle {
        let builder = tests::gateway()
            .database_url(self.database.url())
            .listen("127.0.0.1:0")
            .admin_secret(SECRET);
        builder
            .setting("pool-size", "4")
            .permissions_file(self.path("permissions.toml"))
            .start()
            .await
            .unwrap()
    }

    /// Starts the binary with the permission file, waits until it is ready, and returns its URL.
    fn serve(&self, arguments: &[&str]) -> (binary::Running, String) {
        let permissions = self.path("permissions.toml").to_string_lossy().into_owned();
        self.serve_as(&[&["--permissions", &permissions], arguments].concat())
    }

    /// Starts the binary with no other settings than these.
    fn serve_as(&self, arguments: &[&str]) -> (binary::Running, String) {
        let mut command = binary::command(&[
            "serve",
            "--database-url",
            self.database.url(),
            "--listen",
            "127.0.0.1:0",
        ]);
        command.args(arguments);
        let running = binary::Running::start(command).unwrap();
        let ready = running
            .wait_for_line("ready", PATIENCE)
            .expect("it is not ready");
        let (_, address) = ready.split_once("address=").expect("no address in the log");
        let address = address.split_whitespace().next().unwrap().to_owned();
        (running, format!("http://{address}"))
    }

    async fn ask(&self, url: &str, query: &str) -> Reply {
        self.ask_by(url, SECRET, query).await
    }

    async fn ask_by(&self, url: &str, secret: &str, query: &str) -> Reply {
        let request = self.client.post(format!("{url}/v1/graphql"));
        let request = request
            .header("X-Gateway-Admin-Secret", secret)
            .header("X-Gateway-Role", "reader");
        Reply::of(request.json(&json!({"query": query})))
            .await
            .expect("the connection was dropped without an answer")
    }
}

impl Place {
    /// Sends a request without credentials.
    async fn ask_unnamed(&self, url: &str) -> Reply {
        let request = self
            .client
            .post(format!("{url}/v1/graphql"))
            .json(&json!({"query": "{ authors { id } }"}));
        Reply::of(request)
            .await
            .expect("the connection was dropped without an answer")
    }
}

#[track_caller]
fn hidden(reply: &Reply, field: &str) {
    let ReplyError { code, message, .. } = reply.error();
    assert_eq!(code, "validation-failed", "{}", reply.text);
    assert!(
        message.contains(&format!("field '{field}' not found")),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_applies_changed_grants() {
    let location = Place::new(NARROW).await;
    let running = location.gateway().await;
    hidden(
        &location.ask(&running.url(), "{ authors { name } }").await,
        "name",
    );
    location.write("permissions.toml", WIDE);
    let reloaded = running.reload().await.unwrap();
    assert!(
        reloaded.permissions && reloaded.changed == 0 && reloaded.added == 0,
        "{reloaded:?}"
    );
    let reply = location
        .ask(&running.url(), "{ authors(order_by: {id: asc}) { name } }")
        .await;
    assert_eq!(
        reply.data(),
        json!({"authors": [{"name": "Ada"}, {"name": "Bob"}]})
    );
    location.write("permissions.toml", NARROW);
    running.reload().await.unwrap();
    hidden(
        &location.ask(&running.url(), "{ authors { name } }").await,
        "name",
    );
}

/// Only `/readyz` changes during the delay.
#[tokio::test(flavor = "multi_thread")]
async fn reload_during_the_shutdown_delay_is_applied() {
    let location = Place::new(NARROW).await;
    let (mut running, url) = location.serve(&["--admin-secret", SECRET, "--shutdown-delay", "600"]);
    running.signal("TERM").unwrap();
    running
        .wait_for_line("no longer ready", PATIENCE)
        .expect("the delay does not begin");
    location.write("permissions.toml", WIDE);
    running.signal("HUP").unwrap();
    let has_names =
        async || location.ask(&url, "{ authors { name } }").await.json()["data"].is_object();
    until("the wide file is applied", has_names).await;
    let ready = Reply::of(location.client.get(format!("{url}/readyz")))
        .await
        .unwrap();
    assert_eq!(
        (ready.status, ready.json()["status"].as_str()),
        (503, Some("ending"))
    );
    running.signal("TERM").unwrap();
    assert_eq!(
        running
            .wait(PATIENCE)
            .unwrap()
            .and_then(|status| status.code()),
        Some(0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_shows_new_columns_and_tables() {
    let location = Place::new(WIDE).await;
    let running = location.gateway().await;
    hidden(
        &location.ask(&running.url(), "{ authors { rank } }").await,
        "rank",
    );
    location
        .run(
            "ALTER TABLE authors ADD rank int NOT NULL DEFAULT 7; CREATE TABLE prizes (id int \
              PRIMARY KEY)",
        )
        .await;
    location.write(
        "permissions.toml",
        &format!(
            "{WIDE}[table.prizes.role.reader]\nselect = {{ columns = \"*\", rows = \"true\" }}\n"
        ),
    );
    let reloaded = running.reload().await.unwrap();
    assert_eq!(
        (reloaded.added, reloaded.changed, reloaded.removed),
        (1, 1, 0),
        "{reloaded:?}"
    );
    assert_eq!((reloaded.tables, reloaded.roles), (7, 2), "{reloaded:?}");
    let reply = location
        .ask(
            &running.url(),
            "{ authors(limit: 1) { rank } prizes { id } }",
        )
        .await;
    assert_eq!(
        reply.data(),
        json!({"authors": [{"rank": 7}], "prizes": []})
    );
    // Dropped columns also disappear from grants with `*`.
    location.write("permissions.toml", WIDE);
    location
        .run("ALTER TABLE authors DROP rank; DROP TABLE prizes")
        .await;
    assert_eq!(running.reload().await.unwrap().removed, 1);
    hidden(
        &location.ask(&running.url(), "{ authors { rank } }").await,
        "rank",
    );
    hidden(
        &location.ask(&running.url(), "{ prizes { id } }").await,
        "prizes",
    );
}

/// Names in rules are resolved with the search path that the database has when the rules are
/// loaded.
#[tokio::test(flavor = "multi_thread")]
async fn reload_applies_a_changed_search_path_to_rules() {
    let rule = "EXISTS (SELECT FROM chosen c WHERE c.id = authors.id)";
    let permissions = NARROW.replace("rows = \"true\"", &format!("rows = \"{rule}\""));
    let location = Place::new(&permissions).await;
    let name = location.database.name();
    location
        .run(&format!(
            "CREATE SCHEMA one; CREATE TABLE one.chosen AS SELECT 1 AS id; \
             CREATE SCHEMA two; CREATE TABLE two.chosen AS SELECT 2 AS id; \
             ALTER DATABASE {name} SET search_path = one, public"
        ))
        .await;
    let running = location.gateway().await;
    let query = "{ authors { id } }";
    assert_eq!(
        location.ask(&running.url(), query).await.data(),
        json!({"authors": [{"id": 1}]})
    );
    location
        .run(&format!(
            "ALTER DATABASE {name} SET search_path = two, public"
        ))
        .await;
    // Until the reload, every connection uses the old search path.
    assert_eq!(
        location.ask(&running.url(), query).await.data(),
        json!({"authors": [{"id": 1}]})
    );
    running.reload().await.unwrap();
    for _ in 0..6 {
        assert_eq!(
            location.ask(&running.url(), query).await.data(),
            json!({"authors": [{"id": 2}]})
        );
    }
}

/// Tables change under the running version in ways after which Postgres refuses to run prepared
/// statements.
#[tokio::test(flavor = "multi_thread")]
async fn no_request_fails_during_a_reload() {
    let place = Arc::new(Place::new(WIDE).await);
    let running = place.gateway().await;
    let ended = Arc::new(AtomicBool::new(false));
    let answered = Arc::new(AtomicUsize::new(0));
    let ask = |query: &'static str, expected: Value| {
        let place = place.clone();
        let url = running.url();
        let ended = ended.clone();
        let answered = answered.clone();
        tokio::spawn(async move {
            while !ended.load(Ordering::Relaxed) {
                let reply = place.ask(&url, query).await;
                assert_eq!(reply.data(), expected, "{}", reply.text);
                answered.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    let names = json!({"authors": [{"name": "Ada", "articles": [{"id": 1}, {"id": 2}]}]});
    let mut tasks = vec![ask("{ brief { id } }", json!({"brief": [{"id": 1}]}))];
    for _ in 0..3 {
        let query =
            "{ authors(where: {id: {_eq: 1}}) { name articles(order_by: {id: asc}) { id } } }";
        tasks.push(ask(query, names.clone()));
        tasks.push(ask(
            "{ articles(where: {id: {_eq: 3}}) { title } }",
            json!({"articles": [{"title": "third"}]}),
        ));
    }
    for round in 0..8 {
        let names = if round % 2 == 0 {
            "varchar(40)"
        } else {
            "text"
        };
        place
            .run(&format!(
                "ALTER TABLE authors ALTER name TYPE {names}, ADD extra{round} int; \
                           CREATE TABLE new{round} (id int)"
            ))
            .await;
        place
            .run(&format!("ALTER TABLE articles ALTER title TYPE {names}"))
            .await;
        let before = answered.load(Ordering::Relaxed);
        let reloaded = running.reload().await.unwrap();
        assert_eq!((reloaded.added, reloaded.changed), (1, 2), "{reloaded:?}");
        until("answers by the new version", async || {
            answered.load(Ordering::Relaxed) > before + 5
        })
        .await;
    }
    ended.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn old_version_is_dropped_after_its_last_request() {
    let place = Arc::new(Place::new(WIDE).await);
    let running = place.gateway().await;
    let old = Arc::downgrade(&running.app().state().execution.schema);
    let client_place = place.clone();
    let url = running.url();
    let slow = tokio::spawn(async move { client_place.ask(&url, "{ brief { id } }").await });
    place.database.until_waiting(1, "PgSleep").await;
    place.write("permissions.toml", NARROW);
    running.reload().await.unwrap();
    assert!(
        old.upgrade().is_some() && !slow.is_finished(),
        "the request should still be running"
    );
    hidden(
        &place.ask(&running.url(), "{ brief { id } }").await,
        "brief",
    );
    assert_eq!(slow.await.unwrap().data(), json!({"brief": [{"id": 1}]}));
    until("the old version is dropped", async || {
        old.upgrade().is_none()
    })
    .await;
    let mut versions = vec![];
    for _ in 0..20 {
        versions.push(Arc::downgrade(&running.app().state().execution.schema));
        running.reload().await.unwrap();
    }
    until("all are dropped", async || {
        versions.iter().all(|version| version.upgrade().is_none())
    })
    .await;
    let watching = place.database.connect().await.unwrap();
    let count = "SELECT count(*) FROM pg_stat_activity \
                 WHERE datname = current_database() AND application_name = 'postern'";
    until("their connections are closed", async || {
        watching
            .query_one(count, &[])
            .await
            .unwrap()
            .get::<_, i64>(0)
            <= 4
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_reload_keeps_the_running_version_and_is_logged() {
    let location = Place::new(WIDE).await;
    let (running, url) = location.serve(&["--admin-secret", SECRET]);
    let faulty = WIDE.replace("[table.articles.", "[table.articels.");
    for (text, messages) in [
        (
            faulty.as_str(),
            vec![
                "not reloaded",
                "permissions.toml:6",
                "did you mean `articles`",
            ],
        ),
        ("[table\n", vec!["not reloaded", "permissions.toml:1"]),
        (
            &WIDE.replace("\"*\", rows = \"true\" }", "\"*\", rows = \"id = 'x'\" }"),
            vec!["not reloaded", "permissions.toml:7"],
        ),
    ] {
        location.write("permissions.toml", text);
        running.signal("HUP").unwrap();
        for part in messages {
            running
                .wait_for_line(part, PATIENCE)
                .unwrap_or_else(|| panic!("no {part:?} in the log"));
        }
        assert_eq!(
            location
                .ask(&url, "{ articles(limit: 1) { id } }")
                .await
                .data(),
            json!({"articles": [{"id": 1}]})
        );
    }
    std::fs::remove_file(location.path("permissions.toml")).unwrap();
    running.signal("HUP").unwrap();
    running
        .wait_for_line("cannot read", PATIENCE)
        .expect("nothing is said of a file that is gone");
    location.write("permissions.toml", NARROW);
    running.signal("HUP").unwrap();
    running
        .wait_for_line("reloaded", PATIENCE)
        .expect("it does not reload");
    hidden(&location.ask(&url, "{ articles { id } }").await, "articles");
}

#[tokio::test(flavor = "multi_thread")]
async fn removing_the_unauthorized_role_fails_the_reload() {
    let location = Place::new(NARROW).await;
    let builder = tests::gateway()
        .database_url(location.database.url())
        .listen("127.0.0.1:0")
        .admin_secret(SECRET);
    let builder = builder
        .setting("unauthorized-role", "reader")
        .permissions_file(location.path("permissions.toml"));
    let running = builder.start().await.unwrap();
    assert_eq!(location.ask_unnamed(&running.url()).await.status, 200);
    location.write(
        "permissions.toml",
        &NARROW.replace("role.reader", "role.writer"),
    );
    let error = running.reload().await.unwrap_err().to_string();
    assert_eq!(
        error,
        "`--unauthorized-role`: the permission file has no role `reader`"
    );
    assert!(location.ask_unnamed(&running.url()).await.data()["authors"].is_array());
}

#[tokio::test(flavor = "multi_thread")]
async fn last_of_many_signals_is_applied() {
    let location = Place::new(NARROW).await;
    let (mut running, url) = location.serve(&["--admin-secret", SECRET]);
    for round in 0..40 {
        location.write(
            "permissions.toml",
            if round % 2 == 0 { NARROW } else { WIDE },
        );
        running.signal("HUP").unwrap();
    }
    until("the last file holds", async || {
        !location
            .ask(&url, "{ authors { name } }")
            .await
            .data()
            .is_null()
    })
    .await;
    // Signals that arrive during a reload cause one more reload. Reloads run one after another, so
    // when the next file holds, none is left that could apply an earlier one.
    location.write("permissions.toml", NARROW);
    running.signal("HUP").unwrap();
    until("the next file holds", async || {
        location
            .ask(&url, "{ authors { name } }")
            .await
            .data()
            .is_null()
    })
    .await;
    running.signal("HUP").unwrap();
    running.signal("TERM").unwrap();
    assert_eq!(
        running
            .wait(PATIENCE)
            .unwrap()
            .and_then(|status| status.code()),
        Some(0),
        "it ends while it reloads"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_changes_secrets_but_not_fixed_settings() {
    let location = Place::new(WIDE).await;
    location.write(
        "gateway.toml",
        "admin_secret = \"first\"\nanswer_limit = 1000000\n",
    );
    let config = location.path("gateway.toml").to_string_lossy().into_owned();
    let (running, url) = location.serve(&["--config", &config]);
    let query = "{ authors(limit: 1) { id } }";
    assert_eq!(location.ask_by(&url, "first", query).await.status, 200);
    location.write(
        "gateway.toml",
        "admin_secret = \"second\"\nanswer_limit = 20\ndrain_timeout = 10\n",
    );
    running.signal("HUP").unwrap();
    running
        .wait_for_line("setting=\"drain_timeout\"", PATIENCE)
        .expect("nothing is said of the setting that waits");
    assert_eq!(location.ask_by(&url, "first", query).await.status, 401);
    let ReplyError { code, message, .. } = location.ask_by(&url, "second", query).await.error();
    assert_eq!(code, "limit-exceeded");
    assert!(message.contains("20 bytes"), "{message}");
    // Settings without secret and key are refused, as at the start.
    location.write("gateway.toml", "answer_limit = 20\n");
    running.signal("HUP").unwrap();
    running
        .wait_for_line("not reloaded", PATIENCE)
        .expect("a gateway that is open to all");
    assert_eq!(
        location
            .ask_by(&url, "second", "{ __typename }")
            .await
            .status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_cannot_enable_insecure() {
    let location = Place::new(WIDE).await;
    location.write("gateway.toml", "admin_secret = \"first\"\n");
    let config = location.path("gateway.toml").to_string_lossy().into_owned();
    let (running, url) = location.serve(&["--config", &config]);
    location.write(
        "gateway.toml",
        "admin_secret = \"second\"\ninsecure = true\n",
    );
    running.signal("HUP").unwrap();
    running
        .wait_for_line("setting=\"insecure\"", PATIENCE)
        .expect("nothing is said of the setting that waits");
    assert_eq!(
        location
            .ask_by(&url, "second", "{ authors { id } }")
            .await
            .status,
        200
    );
    assert_eq!(location.ask_unnamed(&url).await.status, 401);
    // A gateway started as insecure can disable that by a reload.
    let (running, url) = location.serve(&["--config", &config]);
    assert_eq!(location.ask_unnamed(&url).await.status, 200);
    running.signal("HUP").unwrap();
    running
        .wait_for_line("every caller is admin", PATIENCE)
        .expect("a reload does not warn");
    running
        .wait_for_line(" reloaded ", PATIENCE)
        .expect("it does not reload");
    location.write("gateway.toml", "admin_secret = \"second\"\n");
    running.signal("HUP").unwrap();
    running
        .wait_for_line(" reloaded ", PATIENCE)
        .expect("it does not reload");
    assert_eq!(location.ask_unnamed(&url).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn removing_the_permission_file_setting_is_logged() {
    let location = Place::new(WIDE).await;
    location.write("gateway.toml", "permissions = \"permissions.toml\"\n");
    let config = location.path("gateway.toml").to_string_lossy().into_owned();
    let (running, url) = location.serve_as(&["--config", &config, "--admin-secret", SECRET]);
    hidden(&location.ask(&url, "{ prizes { id } }").await, "prizes");
    location.write("gateway.toml", "");
    running.signal("HUP").unwrap();
    running
        .wait_for_line("no permission file", PATIENCE)
        .expect("a reload does not warn");
}

/// The applied settings and the list of those that wait for a restart come from one read.
#[tokio::test(flavor = "multi_thread")]
async fn settings_are_read_once_per_reload() {
    let location = Place::new(WIDE).await;
    let url = location.database.url().to_owned();
    let permissions = location.path("permissions.toml");
    let read = Arc::new(AtomicUsize::new(0));
    let counted = read.clone();
    let gather = move || {
        let turn = counted.fetch_add(1, Ordering::Relaxed);
        let text = format!(
            "admin_secret = \"secret {turn}\"\ndrain_timeout = {}\nlisten = \"127.0.0.1:0\"\n",
            10 + turn
        );
        let mut settings = Settings::from_text("gateway.toml", &text)?;
        settings.set("database-url", &url)?;
        settings.set("permissions", &permissions.to_string_lossy())?;
        Ok(settings)
    };
    let running = tests::gateway()
        .settings_from(gather)
        .start()
        .await
        .unwrap();
    assert_eq!(running.reload().await.unwrap().waiting, ["drain_timeout"]);
    assert_eq!(read.load(Ordering::Relaxed), 2);
    assert_eq!(
        location
            .ask_by(&running.url(), "secret 1", "{ authors { id } }")
            .await
            .status,
        200
    );
}

/// The secret was valid when the head arrived, but no longer when the body is complete.
#[tokio::test(flavor = "multi_thread")]
async fn request_is_authorized_when_its_body_is_complete() {
    let location = Place::new(WIDE).await;
    let url = location.database.url().to_owned();
    let permissions = location.path("permissions.toml");
    let secret = Arc::new(Mutex::new("first"));
    let current_secret = secret.clone();
    let gather = move || {
        let mut settings = Settings::default();
        for (name, value) in [
            ("admin-secret", *current_secret.lock().unwrap()),
            ("database-url", &url),
            ("listen", "127.0.0.1:0"),
        ] {
            settings.set(name, value)?;
        }
        settings.set("permissions", &permissions.to_string_lossy())?;
        Ok(settings)
    };
    let running = tests::gateway()
        .settings_from(gather)
        .start()
        .await
        .unwrap();
    let begun = Begun::new(&running, "first").await;
    let other = Begun::new(&running, "first").await;
    let same = Begun::new(&running, "first").await;
    assert!(same.end().await.contains("\"Ada\""));
    location.write("permissions.toml", NARROW);
    running.reload().await.unwrap();
    let response = begun.end().await;
    assert!(response.contains("field 'name' not found"), "{response}");
    *secret.lock().unwrap() = "second";
    running.reload().await.unwrap();
    let response = other.end().await;
    assert!(response.starts_with("HTTP/1.1 401 "), "{response}");
}

/// A request whose body is not complete.
struct Begun(TcpStream);

const BODY: &str = r#"{"query": "{ authors { name } }"}"#;

impl Begun {
    /// Sends the head, and waits until the gateway has processed it.
    async fn new(running: &GatewayHandle, secret: &str) -> Begun {
        let state = running.app().state();
        let before = Arc::strong_count(&state);
        let mut stream = TcpStream::connect(running.address()).await.unwrap();
        let head = format!(
            "POST /v1/graphql HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: \
             application/json\r\n\
             X-Gateway-Admin-Secret: {secret}\r\nX-Gateway-Role: reader\r\nContent-Length: \
             {}\r\n\r\n{{",
            BODY.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        until("the head is looked at", async || {
            Arc::strong_count(&state) > before
        })
        .await;
        Begun(stream)
    }

    /// Sends the rest, and returns the response.
    async fn end(mut self) -> String {
        self.0.write_all(&BODY.as_bytes()[1..]).await.unwrap();
        let mut response = String::new();
        self.0.read_to_string(&mut response).await.unwrap();
        response
    }
}

impl Place {
    /// Sends `POST /v1/reload` with this admin secret, or without one.
    async fn post_reload(&self, url: &str, secret: Option<&str>) -> Reply {
        let request = self.client.post(format!("{url}/v1/reload"));
        let request = secret.iter().fold(request, |request, secret| {
            request.header("X-Gateway-Admin-Secret", *secret)
        });
        Reply::of(request).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_by_http_answers_with_the_report_or_the_faults() {
    let location = Place::new(NARROW).await;
    let running = location.gateway().await;
    let url = running.url();
    location.write("permissions.toml", WIDE);
    let reply = location.post_reload(&url, Some(SECRET)).await;
    let report = reply.json();
    assert_eq!(
        (reply.status, &report["status"]),
        (200, &json!("ok")),
        "{}",
        reply.text
    );
    assert_eq!(
        (
            &report["permissions_changed"],
            &report["added"],
            &report["next_start"]
        ),
        (&json!(true), &json!(0), &json!([]))
    );
    assert!(report["ms"].as_f64().is_some_and(|ms| ms > 0.0), "{report}");
    assert_eq!(
        location
            .ask(&url, "{ authors(limit: 1) { name } }")
            .await
            .data(),
        json!({"authors": [{"name": "Ada"}]})
    );
    location.write(
        "permissions.toml",
        &format!(
            "{WIDE}[table.authrs.role.reader]\nselect = {{ columns = \"*\", rows = \"true\" }}\n"
        ),
    );
    let reply = location.post_reload(&url, Some(SECRET)).await;
    let fault = &reply.json()["problems"][0];
    assert_eq!(
        (reply.status, &fault["file"], &fault["line"]),
        (409, &json!("permissions.toml"), &json!(12)),
        "{}",
        reply.text
    );
    assert_eq!(
        (&fault["code"], reply.json()["data"].is_null()),
        (&json!("unknown-table"), true),
        "{}",
        reply.text
    );
    assert_eq!(
        location
            .ask(&url, "{ authors(limit: 1) { name } }")
            .await
            .status,
        200,
        "the running version stays"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_by_http_needs_the_admin_secret_and_is_limited_like_sign_in() {
    let location = Place::new(NARROW).await;
    let running = location.gateway().await;
    let url = running.url();
    let get = Reply::of(location.client.get(format!("{url}/v1/reload")))
        .await
        .unwrap();
    assert_eq!((get.status, get.header("allow")), (405, "POST, OPTIONS"));
    assert_eq!(location.post_reload(&url, None).await.status, 401);
    let mut wrong = vec![];
    for _ in 0..12 {
        wrong.push(location.post_reload(&url, Some("guessed")).await.status);
    }
    assert_eq!((wrong[0], wrong[11]), (401, 429), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_in_the_permission_file_are_read_from_the_environment() {
    let location =
        Place::new(&NARROW.replace("\"id\"", "\"${POSTERN_TEST_CLUSTER_COLUMN}\"")).await;
    let permissions = location
        .path("permissions.toml")
        .to_string_lossy()
        .into_owned();
    let arguments = [
        "check",
        "--database-url",
        location.database.url(),
        "--permissions",
        &permissions,
    ];
    let checked = binary::run(&arguments).unwrap();
    assert_eq!(checked.code, Some(1), "{}", checked.err);
    assert!(
        checked
            .err
            .contains("variable `POSTERN_TEST_CLUSTER_COLUMN` is not set"),
        "{}",
        checked.err
    );
    assert!(
        checked.err.contains("permissions.toml:5"),
        "{}",
        checked.err
    );
}

/// The port of a listener that has been closed again.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

#[tokio::test(flavor = "multi_thread")]
async fn start_waits_for_the_database_and_answers_health_checks() {
    let location = Place::new(NARROW).await;
    let config: tokio_postgres::Config = location.database.url().parse().unwrap();
    let host = match &config.get_hosts()[0] {
        tokio_postgres::config::Host::Tcp(host) => host.clone(),
        other => panic!("{other:?}"),
    };
    let target = format!("{host}:{}", config.get_ports()[0]);
    // The database is behind a port that nothing listens on yet.
    let away = free_port();
    let own = free_port();
    let database = location
        .database
        .url()
        .replace(&target, &format!("127.0.0.1:{away}"));
    assert!(
        database.contains(&away.to_string()),
        "the URL has host and port"
    );
    let listen = format!("127.0.0.1:{own}");
    let mut command = binary::command(&["serve", "--database-url", &database, "--listen", &listen]);
    command.args(["--admin-secret", SECRET, "--wait-for-database", "60"]);
    let running = binary::Running::start(command).unwrap();
    running
        .wait_for_line("waiting for the database", PATIENCE)
        .expect("it does not wait");
    let url = format!("http://{listen}");
    let get = async |path: &str| {
        Reply::of(location.client.get(format!("{url}{path}")))
            .await
            .unwrap()
    };
    assert_eq!(
        (get("/healthz").await.status, get("/readyz").await.status),
        (200, 503)
    );
    let refused = location.ask(&url, "{ authors { id } }").await;
    assert_eq!(
        (refused.error().code.as_str(), refused.header("retry-after")),
        ("unavailable", "1"),
        "{}",
        refused.text
    );
    let health = |arguments: &[&str]| {
        binary::run(&[&["health", "--listen", &listen], arguments].concat())
            .unwrap()
            .code
    };
    assert_eq!((health(&[]), health(&["--ready"])), (Some(0), Some(1)));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", away))
        .await
        .unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let target = target.clone();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(target).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    running
        .wait_for_line("ready", PATIENCE)
        .expect("it is not ready");
    assert_eq!(
        (get("/readyz").await.status, health(&["--ready"])),
        (200, Some(0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_arrive_during_the_start_wait_for_the_gateway() {
    let location = Place::new(NARROW).await;
    let config: tokio_postgres::Config = location.database.url().parse().unwrap();
    let target = format!("127.0.0.1:{}", config.get_ports()[0]);
    // The database answers once a request waits.
    let (answers, mut may_answer) = tokio::sync::watch::channel(false);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let slow = listener.local_addr().unwrap().to_string();
    tokio::spawn({
        let target = target.clone();
        async move {
            while let Ok((mut client, _)) = listener.accept().await {
                may_answer.wait_for(|may| *may).await.unwrap();
                let target = target.clone();
                tokio::spawn(async move {
                    let mut server = TcpStream::connect(target).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
            }
        }
    });
    let database = location.database.url().replace(&target, &slow);
    assert!(database.contains(&slow), "the URL has host and port");
    let listen = format!("127.0.0.1:{}", free_port());
    let mut command = binary::command(&["serve", "--database-url", &database, "--listen", &listen]);
    command.args(["--admin-secret", SECRET, "--wait-for-database", "60"]);
    let running = binary::Running::start(command).unwrap();
    let url = format!("http://{listen}");
    until("the port is open", async || {
        location
            .client
            .get(format!("{url}/healthz"))
            .send()
            .await
            .is_ok()
    })
    .await;
    let started = std::time::Instant::now();
    let (held, ()) = tokio::join!(location.ask(&url, "{ __typename }"), async {
        // Health checks do not wait behind it.
        let ready = location.client.get(format!("{url}/readyz")).send().await;
        assert_eq!(ready.unwrap().status(), 503);
        answers.send_replace(true);
    });
    assert_eq!(
        held.data(),
        json!({"__typename": "query_root"}),
        "{}",
        held.text
    );
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    running
        .wait_for_line("ready", PATIENCE)
        .expect("it is not ready");
}

#[tokio::test(flavor = "multi_thread")]
async fn start_gives_up_when_the_database_stays_away() {
    let url = format!("postgres://nobody@127.0.0.1:{}/x", free_port());
    let own = format!("127.0.0.1:{}", free_port());
    let arguments = [
        "serve",
        "--database-url",
        &url,
        "--listen",
        &own,
        "--insecure",
        "--wait-for-database",
        "1",
    ];
    let ended = binary::run(&arguments).unwrap();
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(
        ended.err.contains("cannot connect to the database"),
        "{}",
        ended.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_get_a_page_and_others_the_answer_of_an_unknown_path() {
    let location = Place::new(NARROW).await;
    let running = location.gateway().await;
    let get = async |accept: &str| {
        Reply::of(
            location
                .client
                .get(format!("{}/", running.url()))
                .header("Accept", accept),
        )
        .await
        .unwrap()
    };
    let page = get("text/html,application/xhtml+xml,*/*;q=0.8").await;
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, "text/html; charset=utf-8")
    );
    let policy = page.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none';") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert!(
        page.text.contains("href=\"/readyz\"") && !page.text.contains("/mcp"),
        "{}",
        page.text
    );
    for accept in ["*/*", "application/json"] {
        let other = get(accept).await;
        assert_eq!(
            (other.status, &other.json()["status"]),
            (404, &json!("error")),
            "{}",
            other.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_applies_limits_of_sockets_and_names_settings_that_wait_as_the_file_does() {
    let location = Place::new(WIDE).await;
    location.write("gateway.toml", "socket_limit = 1\n");
    let config = location.path("gateway.toml").to_string_lossy().into_owned();
    let (_running, url) = location.serve(&["--config", &config, "--admin-secret", SECRET]);
    let open = async || {
        let request = location
            .client
            .put(format!("{url}/v1/graphql"))
            .header("X-Gateway-Admin-Secret", SECRET);
        Reply::of(request.header("Accept", "text/event-stream"))
            .await
            .unwrap()
            .status
    };
    assert_eq!((open().await, open().await), (201, 429));
    location.write(
        "gateway.toml",
        "socket_limit = 2\nsocket_operation_limit = 5\ntrace_ratio = 0.5\n",
    );
    let report = location.post_reload(&url, Some(SECRET)).await.json();
    assert_eq!(report["next_start"], json!([]), "{report}");
    assert_eq!((open().await, open().await), (201, 429));
    location.write(
        "gateway.toml",
        "socket_limit = 1\nmemory_limit = 33554432\nserver_timing = true\n",
    );
    let report = location.post_reload(&url, Some(SECRET)).await.json();
    assert_eq!(report["next_start"], json!(["server_timing"]), "{report}");
    assert_eq!(open().await, 429);
}
