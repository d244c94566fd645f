//! Starts a gateway with a REST map over a small database, and sends requests to it.

use std::ops::Deref;

use gateway::rest::{Documents, Source};
use gateway::server::{Builder, GatewayHandle, StartError};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
pub(super) use tests::service::send;
use tests::service::{self, ADMIN_SECRET, ServiceBuilder};

pub(super) const MAP: &str = include_str!("map.toml");
/// The owner of thing 1.
pub(super) const ADA: &str = "00000000-0000-0000-0000-00000000000a";

const SCHEMA: &str = include_str!("service.sql");
pub(super) const PERMISSIONS: &str = include_str!("service.toml");

/// A running gateway, and requests to its endpoints.
pub(super) struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

/// A map with these endpoints.
pub(super) fn source(map: &str) -> Source {
    Source::new("map.toml", map, Documents::Given(&[]))
}

impl Service {
    /// A service of a gateway that was started by other means.
    pub(super) fn from_parts(gateway: GatewayHandle, database: TestDatabase) -> Service {
        Service(service::Service::from_parts(gateway, database))
    }

    /// Starts a gateway with the map beside this file.
    pub(super) async fn start() -> Service {
        Service::with(MAP, &[]).await
    }

    /// Starts a gateway with any map and further settings.
    pub(super) async fn with(map: &str, settings: &[(&str, &str)]) -> Service {
        Service::of(map, settings, "").await
    }

    /// Starts a gateway with the map and tables of a settings file.
    pub(super) async fn of_file(file: &str) -> Service {
        Service::of(MAP, &[], file).await
    }

    /// Starts a gateway with any map, further objects in the database, and further permissions.
    pub(super) async fn over(map: &str, objects: &str, permissions: &str) -> Service {
        let builder = builder(source(map)).script(objects);
        let builder = builder.permissions(&format!("{PERMISSIONS}\n{permissions}"));
        Service(builder.start().await)
    }

    async fn of(map: &str, settings: &[(&str, &str)], file: &str) -> Service {
        let builder = builder(source(map)).settings_file(file).settings(settings);
        Service(builder.start().await)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}/api/rest/{path}", self.gateway.url())
    }

    /// A request without credentials.
    pub(super) fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    /// A request as a role, with the admin secret.
    pub(super) fn by(&self, role: &str, method: Method, path: &str) -> RequestBuilder {
        let request = self
            .ask(method, path)
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", role);
        request.header("X-Gateway-Owner-Id", ADA)
    }

    /// Sends a GET as reader.
    pub(super) async fn get(&self, path: &str) -> Reply {
        send(self.by("reader", Method::GET, path)).await
    }

    /// Sends a POST with a JSON body as reader.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Reply {
        send(self.by("reader", Method::POST, path).json(body)).await
    }
}

/// A gateway with a map that has not been started.
pub(super) fn builder(map: Source) -> ServiceBuilder {
    let builder = service::Service::builder("rest", &[SCHEMA]).permissions(PERMISSIONS);
    builder.change(|builder| builder.rest_map(map))
}

/// A gateway whose settings name the map that has not been started.
pub(super) fn from_files(database: &TestDatabase, settings: &[(&str, &str)]) -> Builder {
    let builder = service::Service::builder("rest", &[]).permissions(PERMISSIONS);
    builder.settings(settings).gateway_builder(database.url())
}

/// The report about a map's errors.
pub(super) async fn faults(map: Source) -> String {
    faults_over(map, "").await
}

/// The report about a map's errors over further objects in the database.
pub(super) async fn faults_over(map: Source, objects: &str) -> String {
    match builder(map).script(objects).try_start().await {
        Err(error @ StartError::RestMap { .. }) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it started"),
    }
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

/// Fails unless the reply is this object with the JSON media type.
#[track_caller]
pub(super) fn is(reply: &Reply, expected: &Value) {
    assert_eq!(
        (reply.status, &reply.json()),
        (200, expected),
        "{}",
        reply.text
    );
    assert_eq!(
        reply.header("content-type"),
        "application/json; charset=utf-8"
    );
}
