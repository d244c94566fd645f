//! Tests Nhost's public JavaScript client, unchanged from npm: it signs in with a personal access token and refreshes.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::exchange::service::Service;

#[tokio::test(flavor = "multi_thread")]
async fn nhosts_client_signs_in_and_refreshes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("nhost");
    assert!(folder.join("node_modules").is_dir(), "Nhost's client is missing; `scripts/setup.sh tests` installs it");
    let service = Service::start().await;
    let token = service.token("1").await;
    let mut command = tokio::process::Command::new("node");
    command.arg(folder.join("client.mjs")).arg(service.running.url()).arg(&token);
    let command = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let finished = tokio::time::timeout(std::time::Duration::from_secs(60), command).await;
    let output = finished.expect("the client ends").expect("`node` can be run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let done: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        done,
        serde_json::json!({"passed": ["signInPAT", "refreshToken", "refreshSession", "getUser", "verifyToken",
        "graphql", "createPAT", "getJWKs", "signOut", "refused"]}),
        "{stderr}"
    );
}
