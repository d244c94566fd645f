//! Starts a gateway over its own small database, and sends requests to it.

use std::ops::Deref;
use std::time::Duration;

use gateway::http::sockets::SocketLimits;
use gateway::server::GatewayHandle;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
pub(super) use tests::service::send;
use tests::service::{self, ADMIN_SECRET, ServiceBuilder};
use tests::wait::until;

/// Tables and rows.
pub(super) const SCHEMA: &str = include_str!("service.sql");

/// The permission file.
pub(super) const PERMISSIONS: &str = include_str!("service.toml");

/// A running gateway, and requests to it as the role `reader`.
pub(super) struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

/// A gateway over these tables.
pub(super) fn builder(schema: &str) -> ServiceBuilder {
    service::Service::builder("front", &[schema]).permissions(PERMISSIONS)
}

impl Service {
    /// A service of a gateway that was started by other means.
    pub(super) fn from_parts(gateway: GatewayHandle, database: TestDatabase) -> Service {
        Service(service::Service::from_parts(gateway, database))
    }

    /// The gateway and its database, which outlives it.
    pub(super) fn into_parts(self) -> (GatewayHandle, TestDatabase) {
        self.0.into_parts()
    }

    /// Starts a gateway with logging switched off.
    pub(super) async fn start() -> Service {
        Service::with(&[]).await
    }

    /// Starts a gateway with further settings, or other values of the usual ones.
    pub(super) async fn with(settings: &[(&str, &str)]) -> Service {
        Service::of(SCHEMA, settings).await
    }

    /// Starts a gateway with these limits of sockets.
    pub(super) async fn with_sockets(limits: SocketLimits, settings: &[(&str, &str)]) -> Service {
        let builder = builder(SCHEMA).settings(settings);
        let builder = builder.change(move |builder| builder.socket_limits(limits));
        Service(builder.start().await)
    }

    /// Starts a gateway over another database.
    pub(super) async fn of(schema: &str, settings: &[(&str, &str)]) -> Service {
        Service(builder(schema).settings(settings).start().await)
    }

    /// Starts a gateway with the tables of a settings file.
    pub(super) async fn of_file(text: &str) -> Service {
        Service::of_tables(SCHEMA, PERMISSIONS, text).await
    }

    /// Starts a gateway over another database, with other permissions and the tables of a settings
    /// file.
    pub(super) async fn of_tables(schema: &str, permissions: &str, text: &str) -> Service {
        let builder = builder(schema).permissions(permissions);
        Service(builder.settings_file(text).start().await)
    }

    /// Starts a gateway whose only authentication settings are these.
    pub(super) async fn only(settings: &[(&str, &str)]) -> Service {
        let builder = builder(SCHEMA).without_credentials();
        Service(builder.settings(settings).start().await)
    }

    /// A POST to the GraphQL endpoint as the role `reader`, with the admin secret.
    pub(super) fn reader(&self) -> RequestBuilder {
        self.by("reader")
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

    /// Ends all connections of the gateway to Postgres, again and again for half a second.
    pub(super) async fn lose_connections(&self) {
        for _ in 0..10 {
            self.database.end_gateway_connections().await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
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
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
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
