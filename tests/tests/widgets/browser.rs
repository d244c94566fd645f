//! Runs `tests/browser/run.mjs`, which drives the widgets in Chromium against the demo, and the
//! type checker. The screenshots, of each tab in three languages, at three widths and in both
//! colour schemes, are kept in `target/screenshots`.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tests::program;

use super::service::Service;

/// Generous, because other tests may load the machine.
const TIME: Duration = Duration::from_secs(600);

#[tokio::test(flavor = "multi_thread")]
async fn widgets_work_in_a_browser() {
    run("behaviour", 35).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn widgets_look_right_in_a_browser() {
    run("looks", 17).await;
}

/// Runs the checks of a part, of which there are at least so many.
async fn run(part: &str, least: usize) {
    let service = Service::start().await;
    let (_listed, listed_url) = service.start_for_origin("https://shop.example").await;
    let screenshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/screenshots");
    let mut facts = service.facts.clone();
    facts.insert("identity_key".into(), service.identity_key().into());
    let cookie_key = service
        .database("SELECT encode(consent_cookie_key(), 'hex')")
        .await;
    facts.insert("consent_cookie_key".into(), cookie_key.into());
    facts.insert("listed_url".into(), listed_url.into());
    let mut command = program::node("browser", "run.mjs").unwrap();
    let text = program::run(
        command.arg(screenshots).arg(part),
        &Value::Object(facts).to_string(),
        TIME,
    )
    .await
    .unwrap();
    let checks: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(checks.len() >= least, "{text}");
    let failed: Vec<String> = checks
        .iter()
        .filter(|check| !check["failure"].is_null())
        .map(|check| format!("{}\n{}", check["name"], check["failure"].as_str().unwrap()))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[tokio::test]
async fn modules_have_no_type_errors() {
    let mut compiler = program::node("browser", "node_modules/typescript/bin/tsc").unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../widgets/tsconfig.json");
    program::run(
        compiler.arg("--project").arg(project),
        "",
        program::SCRIPT_TIMEOUT,
    )
    .await
    .unwrap();
}
