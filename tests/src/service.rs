//! A gateway over a database of its own, and the requests that tests send to it. Tests that need
//! more keep their own type around a [`Service`].

#![expect(
    clippy::panic,
    reason = "a service that does not start is a failed test"
)]

use std::net::SocketAddr;

use gateway::config::Settings;
use gateway::server::{Builder, GatewayHandle, StartError};
use jsonwebtoken::{EncodingKey, Header};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::TestDatabase;
use crate::reply::Reply;
use crate::wait::until;

/// The admin secret of all services.
pub const ADMIN_SECRET: &str = "open sesame, please";

/// The key that tokens are signed with.
pub const JWT_KEY: &str = "a key of thirty-two bytes, or more";

/// The setting `jwt_secret` with [`JWT_KEY`].
pub const JWT_SECRET: &str = r#"{"type":"HS256","key":"a key of thirty-two bytes, or more"}"#;

/// A running gateway and its database, which is dropped after it.
pub struct Service {
    /// The gateway.
    pub gateway: GatewayHandle,
    /// Its database.
    pub database: TestDatabase,
    /// The HTTP client that sends all requests.
    pub client: reqwest::Client,
    header_prefix: &'static str,
}

/// What a [`Service`] is started with.
pub struct ServiceBuilder {
    database_name: &'static str,
    scripts: Vec<String>,
    permissions: Option<String>,
    settings_file: Settings,
    has_credentials: bool,
    settings: Vec<(String, String)>,
    changes: Vec<Box<dyn FnOnce(Builder) -> Builder + Send>>,
    header_prefix: &'static str,
}

impl ServiceBuilder {
    /// Runs a further script in the database.
    pub fn script(mut self, sql: &str) -> ServiceBuilder {
        self.scripts.push(sql.to_owned());
        self
    }

    /// The text of the permission file.
    pub fn permissions(mut self, toml: &str) -> ServiceBuilder {
        self.permissions = Some(toml.to_owned());
        self
    }

    /// The text of the settings file.
    pub fn settings_file(self, toml: &str) -> ServiceBuilder {
        let file = Settings::from_text("gateway.toml", toml);
        self.file(file.unwrap_or_else(|error| panic!("{error}")))
    }

    /// The settings file.
    pub fn file(mut self, file: Settings) -> ServiceBuilder {
        self.settings_file = file;
        self
    }

    /// Leaves out the admin secret and the key of tokens.
    pub fn without_credentials(mut self) -> ServiceBuilder {
        self.has_credentials = false;
        self
    }

    /// A setting by its name on the command line. The profile decides the prefix of headers too.
    pub fn setting(mut self, name: &str, value: &str) -> ServiceBuilder {
        if name == "profile" && value == "hasura" {
            self.header_prefix = "X-Hasura-";
        }
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Several settings by their names on the command line.
    pub fn settings(self, settings: &[(&str, &str)]) -> ServiceBuilder {
        settings
            .iter()
            .fold(self, |builder, (name, value)| builder.setting(name, value))
    }

    /// The profile.
    pub fn profile(self, profile: &str) -> ServiceBuilder {
        self.setting("profile", profile)
    }

    /// Changes the gateway's own builder, after everything else.
    pub fn change(
        mut self,
        change: impl FnOnce(Builder) -> Builder + Send + 'static,
    ) -> ServiceBuilder {
        self.changes.push(Box::new(change));
        self
    }

    /// Starts the gateway.
    pub async fn start(self) -> Service {
        self.try_start()
            .await
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Starts the gateway, or returns why it refuses.
    pub async fn try_start(self) -> Result<Service, StartError> {
        let database = self.create_database().await;
        self.start_over(database).await
    }

    /// Creates the database alone.
    pub async fn create_database(&self) -> TestDatabase {
        let scripts: Vec<&str> = self.scripts.iter().map(String::as_str).collect();
        crate::create(self.database_name, &scripts)
            .await
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Starts the gateway over a database that exists.
    pub async fn start_over(self, database: TestDatabase) -> Result<Service, StartError> {
        let header_prefix = self.header_prefix;
        let gateway = self.gateway_builder(database.url()).start().await?;
        Ok(Service {
            gateway,
            database,
            client: reqwest::Client::new(),
            header_prefix,
        })
    }

    /// The gateway's own builder, for a database at this URL.
    pub fn gateway_builder(self, database_url: &str) -> Builder {
        let mut builder = crate::gateway()
            .settings(self.settings_file)
            .setting("listen", "127.0.0.1:0");
        if self.has_credentials {
            builder = builder
                .setting("admin-secret", ADMIN_SECRET)
                .setting("jwt-secret", JWT_SECRET);
        }
        for (name, value) in &self.settings {
            builder = builder.setting(name, value);
        }
        builder = builder.database_url(database_url);
        if let Some(permissions) = &self.permissions {
            builder = builder.permissions_text("service.toml", permissions);
        }
        self.changes
            .into_iter()
            .fold(builder, |builder, change| change(builder))
    }
}

impl Service {
    /// A builder of a service over a new database, in which these scripts were run.
    pub fn builder(database_name: &'static str, scripts: &[&str]) -> ServiceBuilder {
        ServiceBuilder {
            database_name,
            scripts: scripts.iter().map(|script| (*script).to_owned()).collect(),
            permissions: None,
            settings_file: Settings::default(),
            has_credentials: true,
            settings: Vec::new(),
            changes: Vec::new(),
            header_prefix: "X-Gateway-",
        }
    }

    /// A service of a gateway that was started by other means.
    pub fn from_parts(gateway: GatewayHandle, database: TestDatabase) -> Service {
        Service {
            gateway,
            database,
            client: reqwest::Client::new(),
            header_prefix: "X-Gateway-",
        }
    }

    /// The gateway and its database, which outlives it.
    pub fn into_parts(self) -> (GatewayHandle, TestDatabase) {
        (self.gateway, self.database)
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.gateway.address()
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.gateway.url())
    }

    /// A request to a path without credentials.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    /// A GET of a path without credentials.
    pub fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    /// A POST to the GraphQL endpoint without credentials and without a body.
    pub fn post(&self) -> RequestBuilder {
        self.request(Method::POST, "/v1/graphql")
    }

    /// A POST to the GraphQL endpoint as a role, with the admin secret.
    pub fn by(&self, role: &str) -> RequestBuilder {
        let prefix = self.header_prefix;
        self.post()
            .header(format!("{prefix}Admin-Secret"), ADMIN_SECRET)
            .header(format!("{prefix}Role"), role)
    }

    /// A POST to the GraphQL endpoint as a role with session values, by names without the prefix.
    pub fn by_session(&self, role: &str, session: &[(&str, &str)]) -> RequestBuilder {
        let prefix = self.header_prefix;
        session
            .iter()
            .fold(self.by(role), |request, (name, value)| {
                request.header(format!("{prefix}{name}"), *value)
            })
    }

    /// Sends a document as a role.
    pub async fn ask(&self, role: &str, query: &str) -> Reply {
        self.ask_with(role, query, json!({})).await
    }

    /// Sends a document with variables as a role.
    pub async fn ask_with(&self, role: &str, query: &str, variables: Value) -> Reply {
        send(
            self.by(role)
                .json(&json!({"query": query, "variables": variables})),
        )
        .await
    }

    /// Runs SQL in the database.
    pub async fn run(&self, sql: &str) {
        let client = self.database.connect().await.unwrap_or_else(fail);
        client.batch_execute(sql).await.unwrap_or_else(fail);
    }

    /// The text of an SQL expression's value; empty if it is null.
    pub async fn value(&self, sql: &str) -> String {
        let client = self.database.connect().await.unwrap_or_else(fail);
        let row = client
            .query_one(&format!("SELECT ({sql})::text"), &[])
            .await
            .unwrap_or_else(fail);
        row.get::<_, Option<String>>(0).unwrap_or_default()
    }

    /// The text of the metrics.
    pub async fn metrics(&self) -> String {
        let reply = send(self.get("/metrics")).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.text
    }

    /// Waits until all connections of the gateway are back in its pool.
    pub async fn until_idle(&self) {
        let active = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'postern' \
                      AND state <> 'idle' AND datname = current_database()";
        until("no connection is in use", async || {
            self.value(active).await == "0"
        })
        .await;
    }
}

/// Sends a request; fails without a response.
pub async fn send(request: RequestBuilder) -> Reply {
    Reply::of(request)
        .await
        .unwrap_or_else(|error| panic!("the connection was dropped without a response: {error}"))
}

/// A token with these claims, signed with [`JWT_KEY`].
pub fn token(claims: &Value) -> String {
    let key = EncodingKey::from_secret(JWT_KEY.as_bytes());
    jsonwebtoken::encode(&Header::default(), claims, &key).unwrap_or_else(|error| panic!("{error}"))
}

fn fail<T>(error: impl std::fmt::Debug) -> T {
    panic!("{error:?}")
}
