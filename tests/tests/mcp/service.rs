//! Starts a gateway over the map and the database of the REST tests, and sends messages to it.

use std::ops::Deref;

use gateway::rest::{Documents, Source};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::reply::Reply;
pub(super) use tests::service::send;
use tests::service::{self, ADMIN_SECRET};

pub(super) const MAP: &str = include_str!("../rest/map.toml");
/// The owner of thing 1.
const ADA: &str = "00000000-0000-0000-0000-00000000000a";

const SCHEMA: &str = include_str!("../rest/service.sql");
const PERMISSIONS: &str = include_str!("../rest/service.toml");

/// A running gateway, and messages to it.
pub(super) struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    /// Starts a gateway with the map of the REST tests.
    pub(super) async fn start() -> Service {
        Service::with(MAP, &[]).await
    }

    /// Starts a gateway with any map and further settings.
    pub(super) async fn with(map: &str, settings: &[(&str, &str)]) -> Service {
        Service::set(map, "", settings).await
    }

    /// Starts a gateway with any map, a settings file, and further settings.
    pub(super) async fn set(map: &str, file: &str, settings: &[(&str, &str)]) -> Service {
        let builder = service::Service::builder("mcp", &[SCHEMA]).permissions(PERMISSIONS);
        let mut builder = builder.settings_file(file).settings(settings);
        if !map.is_empty() {
            let source = Source::new("map.toml", map, Documents::Given(&[]));
            builder = builder.change(|builder| builder.rest_map(source));
        }
        Service(builder.start().await)
    }

    /// A message without credentials.
    pub(super) fn post(&self, message: &Value) -> RequestBuilder {
        self.request(Method::POST, "/mcp").json(message)
    }

    /// Sends a message as a role, with the admin secret.
    pub(super) async fn say(&self, role: &str, message: &Value) -> Reply {
        send(by(self.post(message), role)).await
    }

    /// Calls a tool.
    pub(super) async fn call(&self, role: &str, name: &str, arguments: &Value) -> Reply {
        self.say(role, &call(name, arguments)).await
    }

    /// The tools of a role, by name.
    pub(super) async fn tools(&self, role: &str) -> Vec<Value> {
        let reply = self
            .say(
                role,
                &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
            )
            .await;
        reply.json()["result"]["tools"]
            .as_array()
            .cloned()
            .unwrap_or_else(|| panic!("{role}: {}", reply.text))
    }
}

/// Adds the admin secret, a role, and Ada's session value to a request.
pub(super) fn by(request: RequestBuilder, role: &str) -> RequestBuilder {
    let request = request
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .header("X-Gateway-Role", role);
    request.header("X-Gateway-Owner-Id", ADA)
}

/// The message that calls a tool.
pub(super) fn call(name: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

/// A token of the owner, who may also be visitor.
pub(super) fn token() -> String {
    let claims = json!({
        "exp": 4_000_000_000_u64,
        "gateway": {
            "x-gateway-default-role": "owner", "x-gateway-allowed-roles": ["owner", "visitor"],
            "x-gateway-owner-id": ADA,
        },
    });
    service::token(&claims)
}

/// Fails unless the reply is a tool's result with this data, structured and as text.
#[track_caller]
pub(super) fn is(reply: &Reply, data: &Value) {
    let result = result(reply);
    assert_eq!(
        (&result["structuredContent"], &result["isError"]),
        (data, &json!(false)),
        "{}",
        reply.text
    );
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    assert_eq!(
        serde_json::from_str::<Value>(text).ok().as_ref(),
        Some(data),
        "{}",
        reply.text
    );
}

/// Fails unless the reply is a tool's result with this error and no data.
#[track_caller]
pub(super) fn failed(reply: &Reply, code: &str, message: &str) {
    let content = json!([{"type": "text", "text": message}]);
    assert_eq!(
        result(reply),
        json!({"content": content, "isError": true, "_meta": {"code": code}}),
        "{}",
        reply.text
    );
}

/// Fails unless the whole request is refused with this JSON-RPC error.
#[track_caller]
pub(super) fn refused(reply: &Reply, status: u16, number: i64, code: &str, message: &str) {
    let error = json!({"code": number, "message": message, "data": {"code": code}});
    assert_eq!(
        (reply.status, reply.json()),
        (status, json!({"jsonrpc": "2.0", "error": error})),
        "{}",
        reply.text
    );
    assert_eq!(
        reply.header("content-type"),
        "application/json; charset=utf-8"
    );
    assert_eq!(reply.header("cache-control"), "no-store");
}

/// Fails unless the reply says that the tool does not exist.
#[track_caller]
pub(super) fn unknown(reply: &Reply, name: &str) {
    let error = json!({"code": -32602, "message": format!("Unknown tool: {name}"), "data": {"code": "bad-request"}});
    let expected = json!({"jsonrpc": "2.0", "id": 7, "error": error});
    assert_eq!(
        (reply.status, reply.json()),
        (200, expected),
        "{}",
        reply.text
    );
}

#[track_caller]
fn result(reply: &Reply) -> Value {
    let mut message = reply.json();
    assert_eq!(
        (reply.status, &message["jsonrpc"], &message["id"]),
        (200, &json!("2.0"), &json!(7)),
        "{}",
        reply.text
    );
    assert_eq!(
        reply.header("content-type"),
        "application/json; charset=utf-8"
    );
    message["result"].take()
}
