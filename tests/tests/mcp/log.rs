//! Tests the log of tool calls: one line per message, and nothing that clients write in it.

use std::time::Duration;

use serde_json::{Value, json};
use tests::binary::{self, Running};

use super::service::{call, send};

const START: Duration = Duration::from_secs(60);
const PECULIAR: &str = "a-word-that-no-log-knows";

#[tokio::test(flavor = "multi_thread")]
async fn each_message_is_one_log_line_without_its_content() {
    let command = binary::command(&["demo", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    let child = Running::start(command).unwrap();
    let facts: Value = serde_json::from_str(&child.line(START).unwrap()).unwrap();
    let url = facts["url"].as_str().unwrap();
    let client = reqwest::Client::new();
    let say = |message: &Value| {
        let request = client.post(format!("{url}/mcp")).json(message);
        send(request.header(
            "X-Gateway-Admin-Secret",
            facts["admin_secret"].as_str().unwrap(),
        ))
    };
    let about = json!({"name": PECULIAR, "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": PECULIAR}}),
        json!({"jsonrpc": "2.0", "id": PECULIAR, "method": PECULIAR}),
        call(
            "AnswerFAQ",
            &json!({"dataControllerId": facts["data_controller_id"], "question": PECULIAR}),
        ),
        call(PECULIAR, &json!({})),
    ];
    for message in &messages {
        say(message).await;
    }
    assert_eq!(
        send(client.get(format!("{url}/v1/version"))).await.status,
        200
    );
    let mut lines: Vec<Value> = vec![];
    loop {
        let line = child.wait_for_line("{\"", START).unwrap();
        assert!(!line.contains(PECULIAR), "{line}");
        // The summary contains commands with JSON that are not log lines.
        let Ok(line) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        if line.to_string().contains("/v1/version") {
            break;
        }
        lines.push(line);
    }
    let answered: Vec<&Value> = lines.iter().filter(|line| line["path"] == "/mcp").collect();
    assert_eq!(answered.len(), messages.len(), "{lines:?}");
    assert_eq!(answered[2]["code"], "bad-request");
    assert_eq!(
        (&answered[3]["operation"], &answered[3]["role"]),
        (&json!("AnswerFAQ"), &json!("admin"))
    );
    assert_eq!(
        (&answered[4]["code"], &answered[4]["operation"]),
        (&json!("bad-request"), &Value::Null)
    );
    assert!(
        lines.iter().all(|line| !line.to_string().contains("rmcp")),
        "{lines:?}"
    );
}
