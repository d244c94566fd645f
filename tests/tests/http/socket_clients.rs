//! Tests the public clients of GraphQL over WebSocket and over server-sent events, unchanged from npm.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::service::{SECRET, Service};

const CLIENTS: [&str; 4] = ["graphql-ws", "subscriptions-transport-ws", "graphql-sse", "graphql-sse single"];

const AUTHORS: &str = "{ authors(order_by: {id: asc}) { id } }";

/// What a client in `tests/sockets` reports of these operations.
async fn run(client: &str, service: &Service, headers: &Value, operations: &[Value]) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sockets");
    assert!(folder.join("node_modules").is_dir(), "the clients are missing; `scripts/setup.sh tests` installs them");
    let mut command = tokio::process::Command::new("node");
    command.arg(folder.join("client.mjs")).arg(client).arg(service.url("/v1/graphql")).kill_on_drop(true);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let request = json!({"headers": headers, "operations": operations}).to_string();
    input.write_all(request.as_bytes()).await.unwrap();
    drop(input);
    let finished = tokio::time::timeout(std::time::Duration::from_secs(60), child.wait_with_output()).await;
    let output = finished.expect("the client ends").unwrap();
    assert!(output.status.success(), "{client}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn reader() -> Value {
    json!({"X-Gateway-Admin-Secret": SECRET, "X-Gateway-Role": "reader"})
}

#[tokio::test(flavor = "multi_thread")]
async fn public_clients_run_queries_and_mutations() {
    for (index, client) in CLIENTS.into_iter().enumerate() {
        let service = Service::start().await;
        let id = 20 + index;
        let operations = [
            json!({"query": AUTHORS}),
            json!({
                "query": "mutation New($id: Int!) { insert_articles_one(object: {id: $id, author_id: 1, title: \"t\"}) { id } }",
                "operationName": "New", "variables": {"id": id},
            }),
            json!({"query": "{ ratios { ratio } }"}),
            json!({"query": AUTHORS}),
        ];
        let results = run(client, &service, &reader(), &operations).await;
        let authors = json!({"data": {"authors": [{"id": 1}, {"id": 2}]}});
        assert_eq!(results[0], json!({"results": [authors], "completed": true}), "{client}");
        assert_eq!(results[1]["results"], json!([{"data": {"insert_articles_one": {"id": id}}}]), "{client}");
        // graphql-ws reports the errors by themselves, the others as a result.
        let failed = &results[2];
        let error = if failed["errors"].is_array() { &failed["errors"][0] } else { &failed["results"][0]["errors"][0] };
        assert_eq!(error["extensions"]["code"], "data-exception", "{client}: {failed}");
        assert_eq!(results[3]["results"], json!([authors]), "{client}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn public_clients_report_refused_credentials() {
    let service = Service::start().await;
    let results = run("graphql-ws", &service, &json!({}), &[json!({"query": AUTHORS})]).await;
    assert_eq!(results[0]["errors"][0]["code"], 4403, "{results}");
}

#[tokio::test(flavor = "multi_thread")]
async fn public_clients_run_subscriptions() {
    let service = Service::start().await;
    for client in CLIENTS {
        let subscription = json!({"query": format!("subscription {AUTHORS}")});
        let results = run(client, &service, &reader(), &[subscription.clone(), subscription]).await;
        let authors = json!({"data": {"authors": [{"id": 1}, {"id": 2}]}});
        assert_eq!(
            (&results[0]["results"], &results[1]["results"]),
            (&json!([authors]), &json!([authors])),
            "{client}"
        );
    }
}
