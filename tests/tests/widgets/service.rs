//! The demo, as a browser and as the admin reach it.

use demo::Demo;
use gateway::config::Settings;
use gateway::server::GatewayHandle;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tests::reply::Reply;

/// The running demo.
pub(super) struct Service {
    pub(super) facts: Map<String, Value>,
    pub(super) http: reqwest::Client,
    _running: GatewayHandle,
    demo: Demo,
    // Removed after the demo has ended.
    _data: Option<TempDir>,
}

impl Service {
    pub(super) async fn start() -> Service {
        let data = tests::demo_data::copy().unwrap();
        let folder = data.as_ref().map(|data| data.path().to_owned());
        let demo = Demo::start(folder).await.unwrap();
        let permissions = demo.permissions();
        let builder = tests::gateway()
            .plugins(demo::plugins())
            .settings(demo.settings(tests::demo_data::URL).unwrap())
            .listen("127.0.0.1:0");
        let builder = builder
            .permissions_text(&permissions.name, &permissions.text)
            .rest_map(demo.rest_map());
        let builder = builder.actions(demo.actions());
        let running = builder.start().await.unwrap();
        Service {
            facts: demo.facts(&running.url()),
            http: reqwest::Client::new(),
            _running: running,
            demo,
            _data: data,
        }
    }

    /// Starts another gateway over the demo, whose widgets only pages of this origin may embed.
    /// Returns its URL too.
    pub(super) async fn start_for_origin(&self, origin: &str) -> (GatewayHandle, String) {
        let text = self.demo.settings_text(tests::demo_data::URL);
        let text = text.replacen("origins = [\"*\"]", &format!("origins = [\"{origin}\"]"), 1);
        let permissions = self.demo.permissions();
        let builder = tests::gateway()
            .plugins(demo::plugins())
            .settings(Settings::from_text("gateway.toml", &text).unwrap());
        let builder = builder
            .database_url(&self.demo.database_url())
            .admin_secret(self.fact("admin_secret"));
        let builder = builder
            .jwt_secret(self.fact("jwt_secret"))
            .listen("127.0.0.1:0");
        let builder = builder
            .permissions_text(&permissions.name, &permissions.text)
            .actions(self.demo.actions());
        let running = builder.start().await.unwrap();
        let url = running.url();
        (running, url)
    }

    /// The key that signs identities.
    pub(super) fn identity_key(&self) -> &str {
        self.demo.identity_key()
    }

    /// A fact of line 1.
    pub(super) fn fact(&self, name: &str) -> &str {
        self.facts[name].as_str().unwrap()
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.fact("url"))
    }

    /// The answer to a request for a session by a page of this origin.
    pub(super) async fn session_from(&self, origin: Option<&str>, body: &Value) -> Reply {
        let request = self.http.post(self.url("/v1/widgets/session")).json(body);
        let request = match origin {
            Some(origin) => request.header("Origin", origin),
            None => request,
        };
        Reply::of(request).await.unwrap()
    }

    /// A session for a body, by a browser that sends this Global Privacy Control signal.
    pub(super) async fn session_with_signal(&self, signal: Option<&str>, body: &Value) -> Value {
        let request = self.http.post(self.url("/v1/widgets/session")).json(body);
        let request = match signal {
            Some(signal) => request.header("Sec-GPC", signal),
            None => request,
        };
        let reply = Reply::of(request).await.unwrap();
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    }

    /// A session of a visitor.
    pub(super) async fn visitor(&self, secret: &str) -> Value {
        let body = json!({"controllerId": self.fact("data_controller_id"), "visitor": secret});
        let reply = self.session_from(None, &body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    }

    /// The answer to a document in a session.
    pub(super) async fn ask(&self, session: &Value, query: &str) -> Value {
        self.ask_with(session, query, &json!({})).await
    }

    /// The answer to a document with variables in a session.
    pub(super) async fn ask_with(&self, session: &Value, query: &str, variables: &Value) -> Value {
        let request = self
            .http
            .post(self.url("/v1/graphql"))
            .json(&json!({"query": query, "variables": variables}));
        let request = request.bearer_auth(session["accessToken"].as_str().unwrap());
        let request = request.header(
            session["roleHeader"].as_str().unwrap(),
            session["role"].as_str().unwrap(),
        );
        Reply::of(request).await.unwrap().json()
    }

    /// The one text that a statement returns.
    pub(super) async fn database(&self, statement: &str) -> String {
        let (client, connection) =
            tokio_postgres::connect(&self.demo.database_url(), tokio_postgres::NoTls)
                .await
                .unwrap();
        tokio::spawn(async move { connection.await.ok() });
        client.query_one(statement, &[]).await.unwrap().get(0)
    }
}
