//! `postern check` reports all faults of event triggers together, each drawn on its line.

use std::path::Path;

use tests::binary;

use super::service::migrated;

const FILE: &str = r#"[event.unknown_table]
table = "ordres"
insert = true
webhook = "http://localhost/"

[event.a_view]
table = "order_list"
insert = { columns = ["id"] }
webhook = "ftp://localhost/"

[event.columns]
table = "orders"
insert = { columns = ["id", "plase"], payload = "*" }
update = { columns = ["id", 7] }
order_by = ["custumer"]
webhook = "http://localhost/"
function = "note"

[event.targets]
table = "orders"
delete = "yes"
function = "nothing"

[event.parameters]
manual = true
function = "two"
headers = [{ name = "a", value = "b" }]

[event."no name"]
table = "orders"

[event.delivery]
manual = true
webhook = "{{NOWHERE}}/x"
headers = [{ name = "Host", value = "x" }, { name = "a b", value = "c" }, { name = "c" }]
secrets = [{ value = "whsec_short" }]
statuses = { 4xx = "dead", 999 = "retry", 500 = "maybe" }
retry_conf = { num_retries = -1, interval_sec = 1, retry_interval_seconds = 2, timeout = 3 }
request_transform = { version = 2 }

[cron.bad]
schedule = "61 * * * *"
timezone = "Europe/Nowhere"
function = "note"

[cron.never]
schedule = "0 0 30 2 *"
missed = "some"
function = "note"

[cron.delivery]
webhook = "http://localhost/"

[trigger.x]
"#;

#[tokio::test(flavor = "multi_thread")]
async fn all_faults_are_drawn_on_the_file() {
    let database = migrated().await;
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("gateway.toml");
    let events = folder.path().join("events.toml");
    std::fs::write(&events, FILE).unwrap();
    std::fs::write(&settings, "[events]\nfiles = [\"events.toml\"]\n").unwrap();
    let path = settings.to_str().unwrap().to_owned();
    let url = database.url().to_owned();
    let run = move || binary::run(&["check", "--config", &path, "--database-url", &url]);
    let finished = tokio::task::spawn_blocking(run).await.unwrap().unwrap();
    assert_eq!(finished.code, Some(1));
    let drawn = finished
        .err
        .replace(&format!("{}/", folder.path().display()), "");
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/events/faults.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&expected, &drawn).unwrap();
    }
    assert_eq!(drawn, std::fs::read_to_string(&expected).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn imported_triggers_are_read() {
    let schema = include_str!("../../import/schema.sql");
    let database = tests::create("events", &[schema, &plugins::migration_script()])
        .await
        .unwrap();
    let imported = Path::new(env!("CARGO_MANIFEST_DIR")).join("import/out");
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("gateway.toml");
    let files = ["events.toml", "cron.toml"].map(|name| format!("{:?}", imported.join(name)));
    std::fs::write(
        &settings,
        format!("[events]\nfiles = [{}]\n", files.join(", ")),
    )
    .unwrap();
    let path = settings.to_str().unwrap().to_owned();
    let url = database.url().to_owned();
    let run = move || binary::run(&["check", "--config", &path, "--database-url", &url]);
    let finished = tokio::task::spawn_blocking(run).await.unwrap().unwrap();
    assert_eq!(finished.code, Some(0), "{}", finished.err);
    assert!(
        finished
            .err
            .contains("the environment variable `AUTHOR_HOOK` is not set"),
        "{}",
        finished.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_table_of_the_settings_is_a_fault() {
    let database = migrated().await;
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("gateway.toml");
    std::fs::write(&settings, "[evnets]\nfiles = []\n").unwrap();
    let path = settings.to_str().unwrap().to_owned();
    let url = database.url().to_owned();
    let run = move || binary::run(&["check", "--config", &path, "--database-url", &url]);
    let finished = tokio::task::spawn_blocking(run).await.unwrap().unwrap();
    assert_eq!(finished.code, Some(1));
    assert!(
        finished
            .err
            .contains("line 1: `evnets` is not a setting; did you mean `events`?"),
        "{}",
        finished.err
    );
}
