//! Starts a gateway with actions over a small database, and sends requests to it.

use std::ops::Deref;

use gateway::actions::{ActionError, ActionInput, Source};
use gateway::server::{GatewayHandle, StartError};
use permissions::SourceFile;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::service::{self, ServiceBuilder};

use crate::http::elsewhere::Elsewhere;

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

/// A running gateway, and requests to it as user 1.
pub(super) struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

/// The texts of both files.
pub(super) fn source(definitions: &str, types: &str) -> Source {
    Source {
        definitions: SourceFile::new("actions.toml", definitions),
        types: SourceFile::new("actions.graphql", types),
    }
}

/// A gateway with the actions that has not been started, over a database with the log of actions.
pub(super) fn builder(definitions: &str, types: &str, settings: &str) -> ServiceBuilder {
    let source = source(definitions, types);
    let migrations = plugins::migration_script();
    let builder = service::Service::builder("actions", &[SCHEMA, &migrations]);
    let builder = builder.permissions(PERMISSIONS).settings_file(settings);
    builder.change(|builder| builder.actions(source).action("greet", greet))
}

async fn greet(call: ActionInput) -> Result<Value, ActionError> {
    match call.arguments["name"].as_str() {
        Some("nobody") => Err(ActionError::new("who is that?").with_code("unknown-name")),
        name => Ok(json!({"text": format!("Hello, {}", name.unwrap_or_default())})),
    }
}

impl Service {
    /// The gateway and its database, which outlives it.
    pub(super) fn into_parts(self) -> (GatewayHandle, TestDatabase) {
        self.0.into_parts()
    }

    /// Starts a gateway with the usual actions.
    pub(super) async fn start(handler: &Elsewhere) -> Service {
        Service::with(&definitions(&handler.url("")), TYPES, "").await
    }

    /// Starts a gateway with any declarations and settings.
    pub(super) async fn with(definitions: &str, types: &str, settings: &str) -> Service {
        Service::start_of(builder(definitions, types, settings)).await
    }

    /// Starts a gateway.
    pub(super) async fn start_of(builder: ServiceBuilder) -> Service {
        Service(builder.start().await)
    }

    /// A POST to the GraphQL endpoint as a role, as user 1.
    pub(super) fn by(&self, role: &str) -> RequestBuilder {
        self.by_session(role, &[("User-Id", "1")])
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
}

/// The report about faults of declarations.
pub(super) async fn faults(definitions: &str, types: &str) -> String {
    match builder(definitions, types, "").try_start().await {
        Err(error @ StartError::Actions { .. }) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it started"),
    }
}
