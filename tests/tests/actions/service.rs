//! Starts a gateway with actions over a small database, and sends requests to it.

use gateway::Gateway;
use gateway::actions::{ActionError, ActionInput, Source};
use gateway::config::Settings;
use gateway::server::{Builder, GatewayHandle, StartError};
use permissions::SourceFile;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

use crate::http::elsewhere::Elsewhere;

pub(super) const SECRET: &str = "open sesame";
pub(super) const SCHEMA: &str = include_str!("service.sql");
pub(super) const PERMISSIONS: &str = include_str!("service.toml");
pub(super) const TYPES: &str = include_str!("actions.graphql");

/// The definitions of the actions, which a web service at this URL answers.
pub(super) fn definitions(url: &str) -> String {
    format!(
        r#"
[action.report]
as = "query"
handler = "{url}/report"
roles = ["reader"]
retries = 1

[action.login]
handler = "{url}/login"
roles = ["reader", "author", "visitor"]
forward_client_headers = true
headers = [{{ name = "X-Key", value = "secret of the handler" }}]
circuit_breaker = {{ failures = 2, seconds = 30 }}
timeout = 2

[action.people]
function = "whole"
roles = ["reader", "author"]

[action.rename]
function = "public.rename_author"
roles = ["reader", "author"]

[action.greet]
roles = ["reader"]

[action.slowly]
handler = "{url}/slowly"
asynchronous = true
roles = ["reader", "author"]

[type.Token.relation.author]
table = "authors"
on = {{ author_id = "id" }}
one = true

[type.Token.relation.articles]
table = "articles"
on = {{ author_id = "author_id" }}

[type.Key.relation.articles]
table = "public.articles"
on = {{ author_id = "author_id" }}
"#
    )
}

/// A running gateway.
pub(super) struct Service {
    pub(super) running: GatewayHandle,
    pub(super) database: TestDatabase,
    pub(super) client: reqwest::Client,
}

/// The texts of both files.
pub(super) fn source(definitions: &str, types: &str) -> Source {
    Source {
        definitions: SourceFile::new("actions.toml", definitions),
        types: SourceFile::new("actions.graphql", types),
    }
}

/// A builder with the actions, over a database with the log of actions.
pub(super) async fn builder(
    definitions: &str,
    types: &str,
    settings: &str,
) -> (Builder, TestDatabase) {
    let database = tests::create("actions", &[SCHEMA]).await.unwrap();
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    gateway::database::migrations::migrate(&client, &gateway::plugins::migrations())
        .await
        .unwrap();
    let builder =
        Gateway::builder().settings(Settings::from_text("gateway.toml", settings).unwrap());
    let builder = builder
        .database_url(database.url())
        .admin_secret(SECRET)
        .listen("127.0.0.1:0");
    let builder = builder
        .permissions_text("service.toml", PERMISSIONS)
        .actions(source(definitions, types));
    let builder = builder.action("greet", |call: ActionInput| async move {
        match call.arguments["name"].as_str() {
            Some("nobody") => Err(ActionError::new("who is that?").with_code("unknown-name")),
            name => Ok(json!({"text": format!("Hello, {}", name.unwrap_or_default())})),
        }
    });
    (builder, database)
}

impl Service {
    /// Starts a gateway with the usual actions.
    pub(super) async fn start(handler: &Elsewhere) -> Service {
        Service::with(&definitions(&handler.url("")), TYPES, "").await
    }

    /// Starts a gateway with any declarations and settings.
    pub(super) async fn with(definitions: &str, types: &str, settings: &str) -> Service {
        let (builder, database) = builder(definitions, types, settings).await;
        let running = builder.start().await.unwrap();
        Service {
            running,
            database,
            client: reqwest::Client::new(),
        }
    }

    /// Where the gateway listens.
    pub(super) fn address(&self) -> std::net::SocketAddr {
        self.running.address()
    }

    /// A POST to the GraphQL endpoint as a role, as user 1.
    pub(super) fn by(&self, role: &str) -> RequestBuilder {
        let request = self
            .client
            .post(format!("{}/v1/graphql", self.running.url()));
        let request = request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", role);
        request.header("X-Gateway-User-Id", "1")
    }

    /// Sends a document as a role.
    pub(super) async fn ask(&self, role: &str, query: &str) -> Reply {
        self.ask_with(role, query, json!({})).await
    }

    /// Sends a document with variables as a role.
    pub(super) async fn ask_with(&self, role: &str, query: &str, variables: Value) -> Reply {
        Reply::of(
            self.by(role)
                .json(&json!({"query": query, "variables": variables})),
        )
        .await
        .unwrap()
    }

    /// One value of the database.
    pub(super) async fn value(&self, sql: &str) -> String {
        let client = self.database.connect().await.unwrap();
        client
            .query_one(&format!("SELECT ({sql})::text"), &[])
            .await
            .unwrap()
            .get::<_, Option<String>>(0)
            .unwrap_or_default()
    }
}

/// The report about faults of declarations.
pub(super) async fn faults(definitions: &str, types: &str) -> String {
    let (builder, _database) = builder(definitions, types, "").await;
    match builder.start().await {
        Err(error @ StartError::Actions { .. }) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it started"),
    }
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
