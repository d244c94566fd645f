//! Signs webhooks with the libraries of the services that send them, unchanged from npm.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::program;

/// What a library adds to a request.
#[derive(Clone, Debug, Deserialize)]
pub struct Signed {
    /// Headers.
    pub headers: BTreeMap<String, String>,
    /// Query parameters.
    pub query: BTreeMap<String, String>,
}

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
    run(
        "http2.mjs",
        &[url],
        &json!({"headers": headers, "body": body}),
    )
    .await
}

/// Runs a script with JSON as its input and its output.
async fn run(script: &str, arguments: &[&str], input: &Value) -> Result<Value, String> {
    let mut command = program::node("webhooks", script)?;
    program::run_json(command.args(arguments), &input.to_string()).await
}
