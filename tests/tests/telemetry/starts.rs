//! What operators see of starts and reloads: errors of a start as JSON, a level of the log and
//! limits that change while requests run, and a schema of a newer program.

use std::time::Duration;

use serde_json::{Value, json};
use tests::TestDatabase;
use tests::binary::{self, Running};
use tests::service::ADMIN_SECRET;

const PATIENCE: Duration = Duration::from_secs(20);

/// The lines of a start that fails, each of which has to be JSON.
fn failed_start(arguments: &[&str]) -> Vec<Value> {
    let finished = binary::run(arguments).unwrap();
    assert_eq!(finished.code, Some(1), "{}", finished.err);
    let lines = finished.err.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_a_start_are_json_whatever_the_error_is() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let away = [
        "serve",
        "--log-format",
        "json",
        "--insecure",
        "--database-url",
    ];
    let lines = failed_start(&[&away[..], &["postgres://127.0.0.1:9/x"]].concat());
    let last = lines.last().unwrap();
    assert_eq!(last["level"], "ERROR");
    assert!(
        last["message"]
            .as_str()
            .unwrap()
            .starts_with("not started: error: "),
        "{last}"
    );

    // The file that says how to log has a fault itself.
    let file = write(
        "gateway.toml",
        "log_format = \"json\"\nno_setting = 1\nnor_this = 2\n",
    );
    let lines = failed_start(&["serve", "--config", &file]);
    let last = lines.last().unwrap();
    assert!(
        last["message"].as_str().unwrap().contains("no_setting"),
        "{last}"
    );
    assert!(
        last["detail"].as_str().unwrap().contains("nor_this"),
        "{last}"
    );

    // A diagnostic is drawn on several lines, of which the message is the first.
    let database = tests::create("starts", &["CREATE TABLE notes (id int)"])
        .await
        .unwrap();
    let permissions = write(
        "permissions.toml",
        "[table.notes.role.user]\nselect = { columns = [\"nothing\"], rows = \"true\" }\n",
    );
    let arguments = [&away[..], &[database.url(), "--permissions", &permissions]].concat();
    let lines = failed_start(&arguments);
    let last = lines.last().unwrap();
    assert!(!last["message"].as_str().unwrap().contains('\n'), "{last}");
    assert!(
        last["detail"].as_str().unwrap().contains("nothing"),
        "{last}"
    );
}

async fn running(database: &TestDatabase, file: &str) -> (Running, String) {
    let arguments = ["serve", "--config", file, "--database-url", database.url()];
    let process = Running::start(binary::command(&arguments)).unwrap();
    let ready = process
        .wait_for_line(" ready ", PATIENCE)
        .expect("a line `ready`");
    let url = ready
        .split(" url=")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    (process, url.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn level_of_the_log_and_limits_change_at_a_reload() {
    let database = tests::create("starts", &["CREATE TABLE notes (id int)"])
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gateway.toml").display().to_string();
    let write = |settings: &str| {
        let common = format!("listen = \"127.0.0.1:0\"\nadmin_secret = \"{ADMIN_SECRET}\"\n");
        std::fs::write(&file, common + settings).unwrap();
    };
    write("");
    let (process, url) = running(&database, &file).await;
    let send = async |query: &str| {
        let request = reqwest::Client::new().post(format!("{url}/v1/graphql"));
        let request = request.header("X-Gateway-Admin-Secret", ADMIN_SECRET);
        let sent = request
            .json(&json!({ "query": query }))
            .send()
            .await
            .unwrap();
        sent.status().as_u16()
    };
    let long = format!("{{ notes {{ id }} }} # {}", "x".repeat(1000));
    assert_eq!(send(&long).await, 200);
    let line = process.wait_for_line(" answered ", PATIENCE).unwrap();
    assert!(!line.contains(" sql="), "{line}");
    write("log_level = \"debug\"\nbody_limit = 500\ntime_limit = 7\nmemory_limit = 33554432\n");
    process.signal("HUP").unwrap();
    let reloaded = process.wait_for_line("reloaded ", PATIENCE);
    assert!(reloaded.is_some());
    assert_eq!(send("{ notes { id } }").await, 200);
    let line = process.wait_for_line(" answered ", PATIENCE).unwrap();
    assert!(line.contains(" sql="), "{line}");
    assert_eq!(send(&long).await, 413);
    let metrics = reqwest::get(format!("{url}/metrics")).await.unwrap();
    let metrics = metrics.text().await.unwrap();
    assert!(
        metrics.contains("postern_memory_limit_bytes 33554432\n"),
        "{metrics}"
    );
    write("log_level = \"off\"\n");
    process.signal("HUP").unwrap();
    tests::wait::until("the body limit is the usual one", async || {
        send(&long).await == 200
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_of_a_newer_program_is_named_at_the_start() {
    let migrations = plugins::migration_script();
    let newer = "INSERT INTO postern.migration (version) VALUES (99)";
    let database = tests::create("starts", &[&migrations, newer])
        .await
        .unwrap();
    let arguments = [
        "serve",
        "--insecure",
        "--listen",
        "127.0.0.1:0",
        "--database-url",
    ];
    let command = binary::command(&[&arguments[..], &[database.url()]].concat());
    let process = Running::start(command).unwrap();
    let line = process
        .wait_for_line("is of a newer program", PATIENCE)
        .unwrap();
    let known = gateway::migrations::NEWEST_VERSION;
    assert!(
        line.contains(&format!("version=99 known={known}")),
        "{line}"
    );
    let migrated = binary::run(&["migrate", "--database-url", database.url()]).unwrap();
    let expected = format!("version 99, of a newer program; this one knows versions up to {known}");
    assert!(migrated.err.contains(&expected), "{}", migrated.err);
}
