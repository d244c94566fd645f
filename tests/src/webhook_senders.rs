//! Signs webhooks with the libraries of the services that send them, unchanged from npm.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

/// What a library adds to a request.
#[derive(Clone, Debug, Deserialize)]
pub struct Signed {
    /// Headers.
    pub headers: BTreeMap<String, String>,
    /// Query parameters.
    pub query: BTreeMap<String, String>,
}

/// Time enough for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Signs a body, given what its kind needs: `{"kind": "stripe", "secret": "…"}`.
pub async fn sign(delivery: Value, body: &[u8]) -> Result<Signed, String> {
    let mut signed = sign_all(vec![(delivery, body.to_vec())]).await?;
    signed.pop().ok_or_else(|| "nothing is signed".to_owned())
}

/// Signs several bodies in one process.
pub async fn sign_all(deliveries: Vec<(Value, Vec<u8>)>) -> Result<Vec<Signed>, String> {
    let deliveries: Vec<Value> = deliveries
        .into_iter()
        .map(|(mut delivery, body)| {
            delivery["body"] = json!(STANDARD.encode(body));
            delivery
        })
        .collect();
    let signed = run("sign.mjs", &[], &json!(deliveries)).await?;
    serde_json::from_value(signed).map_err(|error| error.to_string())
}

/// Sends a delivery over HTTP/2. Returns the status and the body of the response.
pub async fn send_by_http2(url: &str, headers: &Value, body: &str) -> Result<Value, String> {
    run("http2.mjs", &[url], &json!({"headers": headers, "body": body})).await
}

/// Runs a script with JSON as its input and its output.
async fn run(script: &str, arguments: &[&str], input: &Value) -> Result<Value, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("webhooks");
    if !folder.join("node_modules").is_dir() {
        return Err("the senders' libraries are missing; `scripts/setup.sh tests` installs them".to_owned());
    }
    let mut command = tokio::process::Command::new("node");
    command.arg(folder.join(script)).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn().map_err(|error| format!("`node` cannot be run: {error}"))?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    stdin.write_all(input.to_string().as_bytes()).await.map_err(|error| error.to_string())?;
    drop(stdin);
    let ended = tokio::time::timeout(PATIENCE, child.wait_with_output()).await;
    let output = ended.map_err(|_| "the script takes too long")?.map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())
}
