//! Runs `tests/browser/console.mjs`, which drives the console in Chromium against the demo, and
//! checks that the committed build belongs to its sources. The screenshots are kept in
//! `target/screenshots/console`.

use std::path::Path;
use std::time::Duration;

use demo::Demo;
use serde_json::Value;
use tests::program;

/// Generous, because other tests may load the machine.
const TIME: Duration = Duration::from_secs(900);

/// A dead event of a trigger of the demo, about a rights request that does not exist: delivered
/// again, it does nothing.
const DEAD: &str = "INSERT INTO postern.event_queue (id, trigger_name, kind, state, payload, attempts, finished_at)
 VALUES ('7c9e6679-7425-40de-944b-e07fc1f90ae7', 'data_subject_rights_requests_insert', 'table', 'dead',
   '{\"op\": \"INSERT\", \"data\": {\"old\": null, \"new\": {\"id\": \"00000000-0000-4000-8000-000000000000\"}}}', 10, now());
 INSERT INTO postern.event_invocation (event_id, trigger_name, attempt, milliseconds, outcome, error)
 VALUES ('7c9e6679-7425-40de-944b-e07fc1f90ae7', 'data_subject_rights_requests_insert', 10, 12, 'dead', 'canceling statement')";

#[tokio::test(flavor = "multi_thread")]
async fn console_works_in_a_browser() {
    let data = tests::demo_data::copy().unwrap();
    let folder = data.as_ref().map(|data| data.path().to_owned());
    let demo = Demo::start(folder).await.unwrap();
    let (client, connection) = tokio_postgres::connect(&demo.database_url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(async move { connection.await.ok() });
    client.batch_execute(DEAD).await.unwrap();
    let permissions = demo.permissions();
    let builder = tests::gateway()
        .plugins(demo::plugins())
        .settings(demo.settings(tests::demo_data::URL).unwrap())
        .listen("127.0.0.1:0");
    let builder = builder
        .permissions_text(&permissions.name, &permissions.text)
        .rest_map(demo.rest_map());
    let running = builder.actions(demo.actions()).start().await.unwrap();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = program::node("browser", "console.mjs").unwrap();
    command.arg(tests.join("../target/screenshots/console"));
    let facts = Value::Object(demo.facts(&running.url())).to_string();
    let text = program::run(&mut command, &facts, TIME).await.unwrap();
    let checks: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(checks.len() >= 10, "{text}");
    let failed: Vec<String> = checks
        .iter()
        .filter(|check| !check["failure"].is_null())
        .map(|check| format!("{}\n{}", check["name"], check["failure"].as_str().unwrap()))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[tokio::test]
async fn committed_builds_belong_to_their_sources() {
    for name in ["console", "dashboard"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        let script = "import('./sources.mjs').then(({ digest }) => process.stdout.write(digest()))";
        let mut command = tokio::process::Command::new("node");
        command
            .args(["--input-type=module", "-e", script])
            .current_dir(&folder);
        let sources = program::run(&mut command, "", program::SCRIPT_TIMEOUT)
            .await
            .unwrap();
        let built = std::fs::read_to_string(folder.join("dist/sources.sha256")).unwrap();
        assert_eq!(
            built.trim(),
            sources,
            "{name}/dist is of other sources; run `make {name}`"
        );
    }
}
