//! Starts a gateway with the token exchange over its own database, and sends requests to it.

use gateway::Gateway;
use gateway::config::Settings;
use gateway::database::Database;
use gateway::plugins::token_exchange::{Expires, NewToken, Store};
use gateway::server::{Builder, GatewayHandle};
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tokio::time::Instant;
use tokio_postgres::Client;

/// Tables and rows.
pub(super) const SCHEMA: &str = include_str!("service.sql");

/// The permission file.
pub(super) const PERMISSIONS: &str = include_str!("service.toml");

/// The admin secret.
pub(super) const SECRET: &str = "open sesame";

/// The key that signs tokens.
pub(super) const KEY: &str = r#"{"type":"HS256","key":"a key of thirty-two bytes, or more"}"#;

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

/// A running gateway.
pub(super) struct Service {
    /// The gateway.
    pub(super) running: GatewayHandle,
    /// Its database.
    pub(super) database: TestDatabase,
    /// A connection for statements of the tests.
    pub(super) sql: Client,
    /// The HTTP client.
    pub(super) client: reqwest::Client,
    store: Database,
}

impl Service {
    /// Starts a gateway with the usual settings.
    pub(super) async fn start() -> Service {
        Service::with("").await
    }

    /// Starts a gateway with further settings in `[token_exchange]`.
    pub(super) async fn with(settings: &str) -> Service {
        Service::of(
            &format!("[token_exchange]\n{USERS}{TOKEN_ROLES}{settings}\n{NO_RATES}"),
            &[],
        )
        .await
    }

    /// Starts a gateway with this settings file and these settings.
    pub(super) async fn of(file: &str, settings: &[(&str, &str)]) -> Service {
        let database = migrated().await;
        let running = builder(&database, file, settings).start().await.unwrap();
        let sql = database.connect().await.unwrap();
        let store = running.app().state().execution.database.clone();
        Service {
            running,
            database,
            sql,
            client: reqwest::Client::new(),
            store,
        }
    }

    /// Starts another gateway over the same database, reached by another URL.
    pub(super) async fn with_url(&self, url: &str, file: &str) -> Service {
        let database = tests::create("exchange", &[]).await.unwrap();
        let running = builder(&database, file, &[("database-url", url)])
            .database_url(url)
            .start()
            .await
            .unwrap();
        let sql = self.database.connect().await.unwrap();
        let store = running.app().state().execution.database.clone();
        Service {
            running,
            database,
            sql,
            client: reqwest::Client::new(),
            store,
        }
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
        Reply::of(
            self.client
                .post(format!("{}{path}", self.running.url()))
                .json(body),
        )
        .await
        .unwrap()
    }

    /// Sends a POST with a bearer token.
    pub(super) async fn post_as(&self, path: &str, token: &str, body: &Value) -> Reply {
        let post = self
            .client
            .post(format!("{}{path}", self.running.url()))
            .bearer_auth(token);
        Reply::of(post.json(body)).await.unwrap()
    }

    /// Sends a GET to a path with a bearer token.
    pub(super) async fn get_as(&self, path: &str, token: &str) -> Reply {
        Reply::of(
            self.client
                .get(format!("{}{path}", self.running.url()))
                .bearer_auth(token),
        )
        .await
        .unwrap()
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
        let post = self
            .client
            .post(format!("{}/v1/graphql", self.running.url()))
            .bearer_auth(token);
        Reply::of(
            post.header("X-Gateway-Role", role)
                .json(&json!({"query": query})),
        )
        .await
        .unwrap()
    }

    /// The rows of the audit table, oldest first: event, outcome, reason.
    pub(super) async fn events(&self) -> Vec<String> {
        let rows = "SELECT concat_ws(' ', event, outcome, reason) FROM \
                    postern.authentication_event ORDER BY id";
        let rows = self.sql.query(rows, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// Runs a query that returns one value, as text.
    pub(super) async fn value(&self, query: &str) -> String {
        let row = self
            .sql
            .query_one(&format!("SELECT ({query})::text"), &[])
            .await
            .unwrap();
        row.get::<_, Option<String>>(0).unwrap_or_default()
    }

    /// The counter of an event with this outcome.
    pub(super) fn counted(&self, event: &str, outcome: &str) -> u64 {
        self.running
            .app()
            .metrics
            .authentication
            .with_label_values(&[event, outcome])
            .get()
    }
}

/// Creates a database with the schema that the exchange needs.
pub(super) async fn migrated() -> TestDatabase {
    tests::create("exchange", &[SCHEMA, &gateway::plugins::migration_script()])
        .await
        .unwrap()
}

/// A builder of a gateway that has not been started.
pub(super) fn builder(database: &TestDatabase, file: &str, settings: &[(&str, &str)]) -> Builder {
    let usual = [
        ("admin-secret", SECRET),
        ("jwt-secret", KEY),
        ("listen", "127.0.0.1:0"),
    ];
    let builder = Gateway::builder().settings(Settings::from_text("gateway.toml", file).unwrap());
    let all = usual.iter().chain(settings);
    let builder = all.fold(builder, |builder, (name, value)| {
        builder.setting(name, value)
    });
    builder
        .database_url(database.url())
        .permissions_text("service.toml", PERMISSIONS)
}

/// The text of a member.
#[track_caller]
pub(super) fn text(value: &Value, name: &str) -> String {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("no `{name}` in {value}"))
        .to_owned()
}

/// Fails unless the reply is this error in the error format of the exchange.
#[track_caller]
pub(super) fn refused(reply: &Reply, status: u16, message: &str) {
    let envelope = json!({"status": "error", "message": message, "data": null});
    assert_eq!(
        (reply.status, reply.json()),
        (status, envelope),
        "{}",
        reply.text
    );
}
