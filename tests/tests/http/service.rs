//! Starts a gateway over its own small database, and sends requests to it.

use std::net::SocketAddr;
use std::time::Duration;

use gateway::Gateway;
use gateway::config::Settings;
use gateway::http::sockets::SocketLimits;
use gateway::server::{Builder, GatewayHandle};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::wait::until;

use crate::http::token;

/// The admin secret.
pub(super) const SECRET: &str = "open sesame";

/// Tables and rows.
pub(super) const SCHEMA: &str = include_str!("service.sql");

/// The permission file.
pub(super) const PERMISSIONS: &str = include_str!("service.toml");

/// A running gateway.
pub(super) struct Service {
    /// The gateway.
    pub(super) running: GatewayHandle,
    /// Its database.
    pub(super) database: TestDatabase,
    /// The HTTP client.
    pub(super) client: reqwest::Client,
}

impl Service {
    /// Starts a gateway with the admin secret, the key of [`token::SECRET`] and logging switched
    /// off.
    pub(super) async fn start() -> Service {
        Service::with(&[]).await
    }

    /// Starts a gateway with further settings, or other values of the usual ones.
    pub(super) async fn with(settings: &[(&str, &str)]) -> Service {
        Service::of(SCHEMA, settings).await
    }

    /// Starts a gateway with these limits of sockets.
    pub(super) async fn with_sockets(limits: SocketLimits, settings: &[(&str, &str)]) -> Service {
        let database = tests::create("front", &[SCHEMA]).await.unwrap();
        let usual = [
            ("admin-secret", SECRET),
            ("jwt-secret", token::SECRET),
            ("listen", "127.0.0.1:0"),
        ];
        let all = usual.iter().chain(settings);
        let builder = all.fold(Gateway::builder(), |builder, (name, value)| {
            builder.setting(name, value)
        });
        let running = start(builder.database_url(database.url()).socket_limits(limits)).await;
        Service {
            running,
            database,
            client: reqwest::Client::new(),
        }
    }

    /// Starts a gateway over another database.
    pub(super) async fn of(schema: &str, settings: &[(&str, &str)]) -> Service {
        let database = tests::create("front", &[schema]).await.unwrap();
        let usual = [
            ("admin-secret", SECRET),
            ("jwt-secret", token::SECRET),
            ("listen", "127.0.0.1:0"),
        ];
        let all = usual.iter().chain(settings);
        let builder = all.fold(Gateway::builder(), |builder, (name, value)| {
            builder.setting(name, value)
        });
        let running = start(builder.database_url(database.url())).await;
        Service {
            running,
            database,
            client: reqwest::Client::new(),
        }
    }

    /// Starts a gateway with the tables of a settings file.
    pub(super) async fn of_file(text: &str) -> Service {
        Service::of_tables(SCHEMA, PERMISSIONS, text).await
    }

    /// Starts a gateway over another database, with other permissions and the tables of a settings
    /// file.
    pub(super) async fn of_tables(schema: &str, permissions: &str, text: &str) -> Service {
        let database = tests::create("front", &[schema]).await.unwrap();
        let file = Settings::from_text("gateway.toml", text).unwrap();
        let usual = [
            ("admin-secret", SECRET),
            ("jwt-secret", token::SECRET),
            ("listen", "127.0.0.1:0"),
        ];
        let builder = Gateway::builder()
            .settings(file)
            .database_url(database.url());
        let builder = usual.iter().fold(builder, |builder, (name, value)| {
            builder.setting(name, value)
        });
        let running = builder
            .permissions_text("service.toml", permissions)
            .start()
            .await
            .unwrap();
        Service {
            running,
            database,
            client: reqwest::Client::new(),
        }
    }

    /// Starts a gateway whose only authentication settings are these.
    pub(super) async fn only(settings: &[(&str, &str)]) -> Service {
        let database = tests::create("front", &[SCHEMA]).await.unwrap();
        let all = [("listen", "127.0.0.1:0")];
        let all = all.iter().chain(settings);
        let builder = all.fold(Gateway::builder(), |builder, (name, value)| {
            builder.setting(name, value)
        });
        let running = start(builder.database_url(database.url())).await;
        Service {
            running,
            database,
            client: reqwest::Client::new(),
        }
    }

    /// The address that it listens on.
    pub(super) fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// The URL of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.running.url())
    }

    /// A GET of a path.
    pub(super) fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(self.url(path))
    }

    /// A POST to the GraphQL endpoint without a body.
    pub(super) fn post(&self) -> RequestBuilder {
        self.client.post(self.url("/v1/graphql"))
    }

    /// A POST to the GraphQL endpoint as the role `reader`, with the admin secret.
    pub(super) fn reader(&self) -> RequestBuilder {
        self.by("reader")
    }

    /// A POST to the GraphQL endpoint as any role, with the admin secret.
    pub(super) fn by(&self, role: &str) -> RequestBuilder {
        self.post()
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", role)
    }

    /// Sends a query as `reader` for a user, with variables.
    pub(super) fn by_user(
        &self,
        user: impl std::fmt::Display + Copy,
        query: &str,
        variables: &Value,
    ) -> RequestBuilder {
        let request = self.reader().header("X-Gateway-User-Id", user.to_string());
        request.json(&json!({"query": query, "variables": variables}))
    }

    /// Waits until all connections of the gateway are back in its pool.
    pub(super) async fn until_idle(&self) {
        until("no connection is in use", async || {
            let client = self.database.connect().await.unwrap();
            let active = "SELECT count(*) FROM pg_stat_activity WHERE application_name = \
                          'postern' AND state <> 'idle' \
                          AND datname = current_database()";
            client
                .query_one(active, &[])
                .await
                .unwrap()
                .get::<_, i64>(0)
                == 0
        })
        .await;
    }

    /// Ends all connections of the gateway to Postgres, again and again for half a second.
    pub(super) async fn lose_connections(&self) {
        for _ in 0..10 {
            self.database.end_gateway_connections().await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The text of the metrics.
    pub(super) async fn metrics(&self) -> String {
        let reply = send(self.get("/metrics")).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.text
    }

    /// Sends a query as `reader`.
    pub(super) async fn ask(&self, query: &str) -> Reply {
        self.ask_with(query, json!({})).await
    }

    /// Sends a query as `reader`, with variables.
    pub(super) async fn ask_with(&self, query: &str, variables: Value) -> Reply {
        send(
            self.reader()
                .json(&json!({"query": query, "variables": variables})),
        )
        .await
    }

    /// Sends a body with the JSON media type as `reader`.
    pub(super) async fn body(&self, body: impl Into<reqwest::Body>) -> Reply {
        send(
            self.reader()
                .header("Content-Type", "application/json")
                .body(body),
        )
        .await
    }

    /// Sends a query as `reader` with the media type that gives every error its own status.
    pub(super) async fn ask_strictly(&self, query: &str) -> Reply {
        let media = "application/graphql-response+json";
        send(
            self.reader()
                .header("Accept", media)
                .json(&json!({"query": query})),
        )
        .await
    }

    /// Fails unless the service still responds, on the connection used last and on a new one.
    pub(super) async fn is_well(&self) {
        let expected = json!({"authors": [{"id": 1}, {"id": 2}]});
        let query = json!({"query": "{ authors(order_by: {id: asc}) { id } }"});
        assert_eq!(
            self.ask("{ authors(order_by: {id: asc}) { id } }")
                .await
                .data(),
            expected
        );
        let other = reqwest::Client::new()
            .post(self.url("/v1/graphql"))
            .header("X-Gateway-Admin-Secret", SECRET);
        assert_eq!(send(other.json(&query)).await.data(), expected);
    }
}

/// A gauge or a counter without labels, by its name after `postern_`.
pub(super) async fn gauge(gateway: &GatewayHandle, name: &str) -> f64 {
    let reply = send(reqwest::Client::new().get(format!("{}/metrics", gateway.url()))).await;
    let line = reply
        .text
        .lines()
        .find_map(|line| line.strip_prefix(&format!("postern_{name} ")));
    line.unwrap_or_else(|| panic!("no {name} in {}", reply.text))
        .parse()
        .unwrap()
}

/// Waits until no subscription and no work of one is left.
pub(super) async fn until_no_subscriptions(gateway: &GatewayHandle) {
    until("no subscription is left", async || {
        gauge(gateway, "subscribers").await == 0.0
            && gauge(gateway, "subscription_cohorts").await == 0.0
    })
    .await;
}

/// Sends a request; fails without a response.
pub(super) async fn send(request: RequestBuilder) -> Reply {
    Reply::of(request)
        .await
        .expect("the connection was dropped without an answer")
}

async fn start(builder: Builder) -> GatewayHandle {
    builder
        .permissions_text("service.toml", PERMISSIONS)
        .start()
        .await
        .unwrap()
}

/// Fails unless the reply is this error.
#[track_caller]
pub(super) fn refused(reply: &Reply, status: u16, code: &str, message: &str) {
    assert_eq!(
        reply.error(),
        (status, code.to_owned(), message.to_owned()),
        "{}",
        reply.text
    );
    assert!(reply.is_sound_error(), "{}", reply.text);
}
