//! Starts a gateway over the map and the database of the REST tests, and sends messages to it.

use gateway::Gateway;
use gateway::config::Settings;
use gateway::rest::{Documents, Source};
use gateway::server::GatewayHandle;
use jsonwebtoken::{EncodingKey, Header};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

const SECRET: &str = "open sesame";
pub(super) const KEY: &str = "a key of thirty-two bytes, or more";
pub(super) const MAP: &str = include_str!("../rest/map.toml");
/// The owner of thing 1.
const ADA: &str = "00000000-0000-0000-0000-00000000000a";

const SCHEMA: &str = include_str!("../rest/service.sql");
const PERMISSIONS: &str = include_str!("../rest/service.toml");

/// A running gateway.
pub(super) struct Service {
    pub(super) running: GatewayHandle,
    pub(super) client: reqwest::Client,
    pub(super) database: TestDatabase,
}

impl Service {
    /// Starts a gateway with the map of the REST tests.
    pub(super) async fn start() -> Service {
        Service::with(MAP, &[]).await
    }

    /// Starts a gateway with any map and further settings.
    pub(super) async fn with(map: &str, settings: &[(&str, &str)]) -> Service {
        Service::set(
            map,
            Settings::from_text("gateway.toml", "").unwrap(),
            settings,
        )
        .await
    }

    /// Starts a gateway with any map, a settings file, and further settings.
    pub(super) async fn set(map: &str, file: Settings, settings: &[(&str, &str)]) -> Service {
        let database = tests::create("mcp", &[SCHEMA]).await.unwrap();
        let jwt = json!({"type": "HS256", "key": KEY}).to_string();
        let usual = [
            ("admin-secret", SECRET),
            ("jwt-secret", jwt.as_str()),
            ("listen", "127.0.0.1:0"),
        ];
        let builder = Gateway::builder().settings(file);
        let all = usual.iter().chain(settings);
        let builder = all.fold(builder, |builder, (name, value)| {
            builder.setting(name, value)
        });
        let builder = builder
            .database_url(database.url())
            .permissions_text("service.toml", PERMISSIONS);
        let builder = match map {
            "" => builder,
            map => builder.rest_map(Source::new("map.toml", map, Documents::Given(&[]))),
        };
        let running = builder.start().await.unwrap();
        Service {
            running,
            client: reqwest::Client::new(),
            database,
        }
    }

    /// A request to a path without credentials.
    pub(super) fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.running.url()))
    }

    /// A message without credentials.
    pub(super) fn post(&self, message: &Value) -> RequestBuilder {
        self.ask(Method::POST, "/mcp").json(message)
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
        .header("X-Gateway-Admin-Secret", SECRET)
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
    jsonwebtoken::encode(
        &Header::default(),
        &claims,
        &EncodingKey::from_secret(KEY.as_bytes()),
    )
    .unwrap()
}

/// Sends a request; fails without a response.
pub(super) async fn send(request: RequestBuilder) -> Reply {
    Reply::of(request)
        .await
        .expect("the connection was dropped without an answer")
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
