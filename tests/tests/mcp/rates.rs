//! Tests rate limits on tools: the limit of a REST path cannot be bypassed through MCP.

use serde_json::{Value, json};
use tests::service::JWT_KEY;

use super::service::{MAP, Service, by, call, send, token};

async fn service(rules: &str) -> Service {
    Service::set(MAP, rules, &[]).await
}

fn rule(name: &str, per: &str, more: &str) -> String {
    format!("[[rates]]\nname = \"{name}\"\nper = [{per}]\nrate = 2\nevery = 3600\n{more}\n")
}

async fn statuses(service: &Service, times: usize, message: &Value) -> Vec<u16> {
    let mut statuses = vec![];
    for _ in 0..times {
        statuses.push(send(by(service.post(message), "reader")).await.status);
    }
    statuses
}

async fn rest(service: &Service, path: &str) -> u16 {
    send(by(
        service.request(reqwest::Method::GET, &format!("/api/rest/{path}")),
        "reader",
    ))
    .await
    .status
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_count_as_requests() {
    let service = service(&rule("all", "\"address\"", "")).await;
    assert_eq!(rest(&service, "names").await, 200);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(statuses(&service, 1, &list).await, [200]);
    let reply = send(by(service.post(&call("Names", &json!({}))), "reader")).await;
    let error = &reply.json()["error"];
    assert_eq!(
        (reply.status, &error["data"]["code"]),
        (429, &json!("rate-limited")),
        "{}",
        reply.text
    );
    assert!(!reply.header("retry-after").is_empty() && !reply.header("ratelimit").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn rate_limit_of_a_path_applies_to_its_tool() {
    for per in ["\"address\"", "\"role\"", ""] {
        let service = service(&rule("names", per, "paths = [\"/api/rest/names\"]")).await;
        assert_eq!(rest(&service, "names").await, 200, "{per}");
        assert_eq!(
            statuses(&service, 3, &call("Names", &json!({}))).await,
            [200, 429, 429],
            "{per}"
        );
        assert_eq!(rest(&service, "names").await, 429, "{per}");
        assert_eq!(
            statuses(&service, 3, &call("One", &json!({"id": 1}))).await,
            [200, 200, 200],
            "{per}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_tool_calls_count_at_both_paths() {
    let cookie =
        json!({"type": "HS256", "key": JWT_KEY, "header": {"type": "Cookie", "name": "session"}})
            .to_string();
    let rename = call("Rename", &json!({"id": 1, "name": "x"}));
    for path in ["/mcp", "/api/rest/rename"] {
        let file = format!(
            "[[rates]]\nname = \"r\"\nper = [\"address\"]\nplaces = \
                            [\"refused-requests\"]\npaths = [\"{path}\"]\nrate = 1\nevery = \
                            3600\n"
        );
        let service = Service::set(MAP, &file, &[("jwt-secret", &cookie)]).await;
        let mut statuses = vec![];
        for _ in 0..3 {
            let request = service
                .post(&rename)
                .header("Cookie", format!("session={}", token()));
            statuses.push(send(request).await.status);
        }
        assert_eq!(statuses, [401, 429, 429], "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn per_endpoint_limits_count_tool_calls() {
    let service = service(&rule(
        "each",
        "\"endpoint\"",
        "paths = [\"/api/rest/names\", \"/api/rest/one\"]",
    ))
    .await;
    assert_eq!(
        statuses(&service, 3, &call("Names", &json!({}))).await,
        [200, 200, 429]
    );
    assert_eq!(
        statuses(&service, 3, &call("One", &json!({"id": 1}))).await,
        [200, 200, 429]
    );
    // A rule that names both paths counts a call once.
    let service = self::service(&rule(
        "both",
        "\"address\"",
        "paths = [\"/mcp\", \"/api/rest/names\"]",
    ))
    .await;
    assert_eq!(
        statuses(&service, 3, &call("Names", &json!({}))).await,
        [200, 200, 429]
    );
}
