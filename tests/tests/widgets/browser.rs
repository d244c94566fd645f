//! Runs `tests/browser/run.mjs`, which drives the widgets in Chromium against the demo, and the type checker. The
//! screenshots are kept in `target/screenshots`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt;

use super::service::Service;

/// Generous, because other tests may load the machine.
const TIME: Duration = Duration::from_secs(600);

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("browser");
    assert!(folder.join("node_modules").is_dir(), "its packages are missing; `scripts/setup.sh tests` installs them");
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn widgets_work_in_a_browser() {
    let service = Service::start().await;
    let (_listed, listed_url) = service.start_for_origin("https://shop.example").await;
    let screenshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/screenshots");
    let mut command = tokio::process::Command::new("node");
    command.arg(folder().join("run.mjs")).arg(screenshots).kill_on_drop(true);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut facts = service.facts.clone();
    facts.insert("identity_key".into(), service.identity_key().into());
    let cookie_key = service.database("SELECT encode(consent_cookie_key(), 'hex')").await;
    facts.insert("consent_cookie_key".into(), cookie_key.into());
    facts.insert("listed_url".into(), listed_url.into());
    input.write_all(Value::Object(facts).to_string().as_bytes()).await.unwrap();
    drop(input);
    let output = tokio::time::timeout(TIME, child.wait_with_output()).await.expect("the browser ends").unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let checks: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(output.status.success() && checks.len() >= 20, "{text}{}", String::from_utf8_lossy(&output.stderr));
    let failed: Vec<String> = checks
        .iter()
        .filter(|check| !check["failure"].is_null())
        .map(|check| format!("{}\n{}", check["name"], check["failure"].as_str().unwrap()))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn modules_have_no_type_errors() {
    let compiler = folder().join("node_modules/typescript/bin/tsc");
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../widgets/tsconfig.json");
    let output = std::process::Command::new("node").arg(compiler).arg("--project").arg(project).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
