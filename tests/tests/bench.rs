//! Tests `postern bench`: translation without a gateway, and operations sent to one. No duration is
//! checked.

use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::TestDatabase;
use tests::binary::{Finished, run};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const SCHEMA: &str =
    "CREATE TABLE notes (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner int NOT NULL, text text);
    INSERT INTO notes (owner, text) SELECT 1 + g % 2, 'note ' || g FROM generate_series(1, 10) g;";

const PERMISSIONS: &str = r#"
naming = { convention = "snake" }
session = { owner = "int" }
role.owner = { dry_run = true }

[table.notes.role.owner]
select = { columns = "*", rows = "owner = session.owner", aggregates = true }
insert = { columns = ["text"], check = "true", preset = { owner = "session.owner" } }
"#;

const SECRET: &str = "a secret";

const DOCUMENT: &str =
    "query Newest($n: Int!) { notes(order_by: {id: desc}, limit: $n) { id text } }
    query Count { notes_aggregate { aggregate { count } } }";

const MUTATION: &str = "mutation Add { insert_notes_one(object: {text: \"new\"}) { id } }";

/// A running gateway and a folder of files.
struct Place {
    database: TestDatabase,
    folder: TempDir,
    gateway: GatewayHandle,
}

impl Place {
    async fn new(server_timing: &str) -> Place {
        let database = tests::create("bench", &[SCHEMA]).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let permissions = folder.path().join("permissions.toml");
        std::fs::write(&permissions, PERMISSIONS).unwrap();
        let builder = tests::gateway()
            .database_url(database.url())
            .admin_secret(SECRET)
            .listen("127.0.0.1:0");
        let builder = builder
            .permissions_file(&permissions)
            .setting("server-timing", server_timing);
        let running = builder.start().await.unwrap();
        Place {
            database,
            folder,
            gateway: running,
        }
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }

    /// Runs a short bench against the gateway, as owner 1.
    async fn bench(&self, arguments: &[&str]) -> Finished {
        let url = self.gateway.url();
        let usual = [
            "bench",
            "--url",
            &url,
            "--admin-secret",
            SECRET,
            "--role",
            "owner",
            "--session",
            "owner=1",
        ];
        let all: Vec<String> = usual
            .iter()
            .chain(&["--seconds", "0.4"])
            .chain(arguments)
            .map(|&a| a.to_owned())
            .collect();
        tokio::task::spawn_blocking(move || {
            run(&all.iter().map(String::as_str).collect::<Vec<_>>()).unwrap()
        })
        .await
        .unwrap()
    }

    async fn notes(&self) -> i64 {
        let client = self.database.connect().await.unwrap();
        client
            .query_one("SELECT count(*) FROM notes", &[])
            .await
            .unwrap()
            .get(0)
    }
}

fn read(finished: &Finished) -> Value {
    serde_json::from_str(&finished.out)
        .unwrap_or_else(|_| panic!("no JSON: {}{}", finished.out, finished.err))
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

#[tokio::test(flavor = "multi_thread")]
async fn bench_measures_each_operation_of_a_document() {
    let location = Place::new("true").await;
    let document = location.file("notes.graphql", DOCUMENT);
    let variables = location.file("variables.json", r#"[{"n": 1}, {"n": 2}, {"n": 5}]"#);
    let finished = location
        .bench(&[
            "--clients",
            "3",
            "--variables",
            &variables,
            "--json",
            &document,
        ])
        .await;
    assert_eq!(finished.code, Some(0), "{}", finished.err);
    let report = read(&finished);
    assert_eq!(
        (&report["clients"], &report["rate"], &report["seconds"]),
        (&json!(3), &Value::Null, &json!(0.4))
    );
    for (index, name) in ["Newest", "Count"].into_iter().enumerate() {
        let operation = &report["operations"][index];
        assert_eq!(operation["operation"], json!(name));
        for figures in [operation, &operation["alone"]] {
            assert!(
                number(&figures["requests"]) > 3.0 && figures["errors"] == json!(0),
                "{figures}"
            );
            let [p50, p99, max] = ["p50_us", "p99_us", "max_us"].map(|key| number(&figures[key]));
            assert!(0.0 < p50 && p50 <= p99 && p99 <= max, "{figures}");
            let share = number(&figures["stages"]["run_share"]);
            assert!(0.0 < share && share < 1.0, "{figures}");
        }
        let counted = number(&operation["per_second"]) * 0.4;
        assert!(
            (counted - number(&operation["requests"])).abs() < 2.0,
            "{operation}"
        );
    }
    let drawn = location
        .bench(&["--variables", &variables, "--operation", "Count", &document])
        .await;
    assert!(
        drawn.out.contains("share of run")
            && drawn.out.contains(" Count ")
            && !drawn.out.contains("Newest")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fixed_rate_sends_that_many_requests() {
    let location = Place::new("false").await;
    let document = location.file(
        "notes.graphql",
        "{ notes_aggregate { aggregate { count } } }",
    );
    let finished = location
        .bench(&["--rate", "50", "--clients", "4", "--json", &document])
        .await;
    assert_eq!(finished.code, Some(0), "{}", finished.err);
    let operation = &read(&finished)["operations"][0];
    let sent = number(&operation["requests"]) + number(&operation["unsent"]);
    assert!((19.0..=21.0).contains(&sent), "{operation}");
    assert_eq!(operation["stages"], Value::Null);
    let drawn = location.bench(&[&document]).await;
    assert!(
        drawn.out.contains("start it with --server-timing"),
        "{}",
        drawn.out
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mutations_need_an_option_to_run() {
    let location = Place::new("false").await;
    let document = location.file("add.graphql", MUTATION);
    let refused = location.bench(&[&document]).await;
    assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""));
    assert!(
        refused.err.contains("--mutations") && refused.err.contains("--dry-run"),
        "{}",
        refused.err
    );
    let undone = location.bench(&["--dry-run", "--json", &document]).await;
    assert_eq!(undone.code, Some(0), "{}{}", undone.out, undone.err);
    assert!(number(&read(&undone)["operations"][0]["requests"]) > 0.0);
    assert_eq!(location.notes().await, 10);
    let written = location
        .bench(&["--mutations", "--clients", "2", "--json", &document])
        .await;
    assert_eq!(written.code, Some(0), "{}", written.err);
    let operation = &read(&written)["operations"][0];
    let counted = number(&operation["requests"]) + number(&operation["alone"]["requests"]);
    // Requests during the warm-ups write rows but are not counted.
    assert!(
        counted > 2.0 && location.notes().await - 10 > counted as i64,
        "{operation}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn bench_reports_errors_and_exits_with_1() {
    let location = Place::new("false").await;
    let document = location.file("notes.graphql", DOCUMENT);
    let finished = location.bench(&["--json", &document]).await;
    assert_eq!(finished.code, Some(1));
    let report = read(&finished);
    assert!(
        report["operations"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["error"].as_str().unwrap_or("").contains("'n'"))
    );
    let url = location.gateway.url();
    let stranger = run(&[
        "bench",
        "--url",
        &url,
        "--seconds",
        "0.2",
        "--operation",
        "Count",
        &document,
    ])
    .unwrap();
    assert_eq!(stranger.code, Some(1));
    assert!(
        stranger.err.contains("the gateway answers 401"),
        "{}",
        stranger.err
    );
    let nobody = run(&["bench", "--url", "http://127.0.0.1:1", &document]).unwrap();
    assert_eq!(nobody.code, Some(1));
    assert!(
        nobody.err.contains("cannot connect to 127.0.0.1:1"),
        "{}",
        nobody.err
    );
    assert_eq!(run(&["bench", &document]).unwrap().code, Some(2));
}

/// The figures of the first operation are reported although the gateway goes away before the next.
#[tokio::test(flavor = "multi_thread")]
async fn figures_survive_a_gateway_that_goes_away() {
    // One connection tries the first operation, one measures it alone, two measure it together.
    let server = Fake::start(4, FINE).await;
    let finished = server
        .bench("query A { a } query B { b }", &["--clients", "2", "--json"])
        .await;
    assert_eq!(finished.code, Some(1), "{}", finished.err);
    let operations = read(&finished)["operations"].clone();
    assert!(
        number(&operations[0]["requests"]) > 1.0 && operations[0]["errors"] == json!(0),
        "{operations}"
    );
    assert!(
        operations[1]["error"]
            .as_str()
            .unwrap()
            .contains("cannot connect to"),
        "{operations}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_with_a_single_client_are_reported() {
    let response = |connection: usize| {
        if connection == 1 {
            r#"{"errors":[{"message":"alone"}]}"#
        } else {
            FINE(connection)
        }
    };
    let finished = Fake::start(usize::MAX, response)
        .await
        .bench("query A { a }", &["--clients", "2"])
        .await;
    assert_eq!(finished.code, Some(1), "{}", finished.err);
    assert!(
        finished
            .err
            .contains("with one client alone the first error was 200 {\"errors\""),
        "{}",
        finished.err
    );
    assert!(
        !finished.err.contains(": the first error"),
        "{}",
        finished.err
    );
}

/// A server that accepts a limited number of connections and answers every request on them.
struct Fake(String);

/// The response on a connection, by the connection's number.
type Responder = fn(usize) -> &'static str;

const FINE: Responder = |_| r#"{"data":{}}"#;

impl Fake {
    async fn start(connections: usize, responder: Responder) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            for index in 0..connections {
                let (mut stream, _) = listener.accept().await.unwrap();
                tokio::spawn(async move {
                    let mut buffer = [0; 4096];
                    while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                        let body = responder(index);
                        let response = format!(
                            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
                            body.len()
                        );
                        stream.write_all(response.as_bytes()).await.unwrap();
                    }
                });
            }
        });
        Fake(url)
    }

    async fn bench(&self, document: &str, arguments: &[&str]) -> Finished {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.graphql");
        std::fs::write(&path, document).unwrap();
        let mut all = ["bench", "--url", &self.0, "--seconds", "0.4"]
            .map(str::to_owned)
            .to_vec();
        all.extend(arguments.iter().map(|&argument| argument.to_owned()));
        all.push(path.to_string_lossy().into_owned());
        let run = move || run(&all.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        tokio::task::spawn_blocking(run).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn translation_is_measured_with_and_without_a_database() {
    let location = Place::new("false").await;
    let document = location.file("q.graphql", DOCUMENT);
    let broken = location.file("broken.graphql", "{ absent }");
    let permissions = location
        .folder
        .path()
        .join("permissions.toml")
        .to_string_lossy()
        .into_owned();
    let catalog = run(&["catalog", "--database-url", location.database.url()]).unwrap();
    let catalog = location.file("catalog.json", &catalog.out);
    let usual = [
        "bench",
        "--permissions",
        &permissions,
        "--role",
        "owner",
        "--repetitions",
        "30",
    ];
    let bench = |more: &[&str]| run(&[&usual, more].concat()).unwrap();
    let offline = ["--catalog", &catalog];
    for source in [&offline, &["--database-url", location.database.url()]] {
        let finished =
            bench(&[source, &["--session", "owner=1", "--json", &document][..]].concat());
        assert_eq!(finished.code, Some(0), "{}", finished.err);
        let report = read(&finished);
        assert_eq!(report["operations"].as_array().unwrap().len(), 2);
        for step in [
            "parse",
            "validate",
            "select",
            "plan_and_render",
            "cold",
            "cached",
        ] {
            let step = &report["operations"][0][step];
            assert!(
                number(&step["p50_us"]) > 0.0 && step["repetitions"] == json!(30),
                "{report}"
            );
        }
    }
    let strange = bench(&[&offline, &["--json", &document, &broken][..]].concat());
    let report = read(&strange);
    assert_eq!(
        (strange.code, &report["operations"][2]["error"].is_string()),
        (Some(1), &true),
        "{report}"
    );
    assert!(
        report["operations"][0]["cached"]["error"]
            .as_str()
            .unwrap()
            .contains("'owner'"),
        "{report}"
    );
    let drawn = bench(&[&offline, &["--session", "owner=1", &document][..]].concat());
    assert!(
        drawn.out.lines().count() == 3 && drawn.out.contains("plan and render"),
        "{}",
        drawn.out
    );
}
