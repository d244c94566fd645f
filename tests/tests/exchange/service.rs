//! Starts a gateway with the token exchange over its own database, and sends requests to it.

use std::ops::Deref;

use gateway::server::Builder;
use pg::Database;
use plugins::token_exchange::{Expires, NewToken, Store};
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::service::{self, ServiceBuilder};
use tokio::time::Instant;
use tokio_postgres::Client;

/// Tables and rows.
pub(super) const SCHEMA: &str = include_str!("service.sql");

/// The permission file.
pub(super) const PERMISSIONS: &str = include_str!("service.toml");

/// The setting with the query of users.
pub(super) const USERS: &str = "users = \"SELECT id, email, default_role, allowed_roles, claims, \
                                display_name FROM accounts WHERE id = $1\"\n";

/// The setting with the roles that may create tokens.
pub(super) const TOKEN_ROLES: &str = "token_roles = [\"author\", \"reader\"]\n";

/// Settings that switch off the rate limits on signing in.
pub(super) const NO_RATES: &str = "[[rates]]\nname = \"sign-in\"\nmode = \
                                   \"off\"\n[[rates]]\nname = \"authentication\"\nmode = \
                                   \"off\"\n";

/// The error message for an invalid personal access token.
pub(super) const NO_TOKEN: &str = "Invalid personal access token";

/// The error message for an invalid refresh token.
pub(super) const NO_REFRESH: &str = "Invalid or expired refresh token";

/// A running gateway with the token exchange.
pub(super) struct Service {
    service: service::Service,
    /// A connection for statements of the tests.
    pub(super) sql: Client,
    store: Database,
}

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.service
    }
}

impl Service {
    /// Starts a gateway with the usual settings.
    pub(super) async fn start() -> Service {
        Service::with("").await
    }

    /// Starts a gateway with further settings in `[token_exchange]`.
    pub(super) async fn with(settings: &str) -> Service {
        let exchange = format!("[token_exchange]\n{USERS}{TOKEN_ROLES}{settings}\n{NO_RATES}");
        Service::of(&exchange, &[]).await
    }

    /// Starts a gateway with this settings file and these settings.
    pub(super) async fn of(file: &str, settings: &[(&str, &str)]) -> Service {
        let service = service_builder(file).settings(settings).start().await;
        let sql = service.database.connect().await.unwrap();
        Service::new(service, sql)
    }

    fn new(service: service::Service, sql: Client) -> Service {
        let store = service.gateway.app().state().execution.database.clone();
        Service {
            service,
            sql,
            store,
        }
    }

    /// Starts another gateway over the same database, reached by another URL.
    pub(super) async fn with_url(&self, url: &str, file: &str) -> Service {
        let other_url = url.to_owned();
        let other = service_builder(file).change(move |builder| builder.database_url(&other_url));
        let sql = self.database.connect().await.unwrap();
        Service::new(other.start().await, sql)
    }

    /// Creates a personal access token of a user, with all of the user's roles.
    pub(super) async fn token(&self, user: &str) -> String {
        self.new_token(user, None, Expires::Never).await
    }

    /// Creates a personal access token of a user.
    pub(super) async fn new_token(
        &self,
        user: &str,
        roles: Option<&[&str]>,
        expires: Expires,
    ) -> String {
        let deadline = Instant::now() + std::time::Duration::from_secs(20);
        let store = Store {
            database: &self.store,
            address: None,
            request: None,
            deadline,
        };
        let roles = roles.map(|roles| roles.iter().map(|role| (*role).to_owned()).collect());
        store
            .create_token(&NewToken {
                user,
                name: "test",
                roles,
                expires,
            })
            .await
            .unwrap()
            .1
    }

    /// Sends a POST with a body to a path.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Reply {
        service::send(self.request(Method::POST, path).json(body)).await
    }

    /// Sends a POST with a bearer token.
    pub(super) async fn post_as(&self, path: &str, token: &str, body: &Value) -> Reply {
        let request = self.request(Method::POST, path).bearer_auth(token);
        service::send(request.json(body)).await
    }

    /// Sends a GET to a path with a bearer token.
    pub(super) async fn get_as(&self, path: &str, token: &str) -> Reply {
        service::send(self.get(path).bearer_auth(token)).await
    }

    /// The response to signing in with a token.
    pub(super) async fn sign_in(&self, token: &str) -> Reply {
        self.post("/v1/signin/pat", &json!({"personalAccessToken": token}))
            .await
    }

    /// Signs in with a valid token and returns the session.
    pub(super) async fn session(&self, token: &str) -> Value {
        let reply = self.sign_in(token).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()["session"].clone()
    }

    /// The response to refreshing.
    pub(super) async fn refresh(&self, token: &str) -> Reply {
        self.post("/v1/token", &json!({"refreshToken": token}))
            .await
    }

    /// Sends a GraphQL query.
    pub(super) async fn ask(&self, token: &str, role: &str, query: &str) -> Reply {
        let request = self.service.post().bearer_auth(token);
        let request = request.header("X-Gateway-Role", role);
        service::send(request.json(&json!({"query": query}))).await
    }

    /// The rows of the audit table, oldest first: event, outcome, reason.
    pub(super) async fn events(&self) -> Vec<String> {
        let rows = "SELECT concat_ws(' ', event, outcome, reason) FROM \
                    postern.authentication_event ORDER BY id";
        let rows = self.sql.query(rows, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// The counter of an event with this outcome.
    pub(super) fn counted(&self, event: &str, outcome: &str) -> u64 {
        self.gateway
            .app()
            .metrics
            .authentication
            .with_label_values(&[event, outcome])
            .get()
    }
}

/// A database with the schema that the exchange needs.
pub(super) async fn migrated() -> TestDatabase {
    service_builder("").create_database().await
}

/// A gateway over a database that exists, which has not been started.
pub(super) fn builder(database: &TestDatabase, file: &str, settings: &[(&str, &str)]) -> Builder {
    let builder = service_builder(file).settings(settings);
    builder.gateway_builder(database.url())
}

fn service_builder(file: &str) -> ServiceBuilder {
    let migrations = plugins::migration_script();
    let builder = service::Service::builder("exchange", &[SCHEMA, &migrations]);
    builder.permissions(PERMISSIONS).settings_file(file)
}

/// The text of a member.
#[track_caller]
pub(super) fn text(value: &Value, name: &str) -> String {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("no `{name}` in {value}"))
        .to_owned()
}
