//! Starts a gateway with a REST map over a small database, and sends requests to it.

use gateway::Gateway;
use gateway::config::Settings;
use gateway::rest::{Documents, Source};
use gateway::server::{Builder, GatewayHandle, StartError};
use jsonwebtoken::{EncodingKey, Header};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

pub(super) const SECRET: &str = "open sesame";
pub(super) const MAP: &str = include_str!("map.toml");
/// The owner of thing 1.
pub(super) const ADA: &str = "00000000-0000-0000-0000-00000000000a";

const SCHEMA: &str = include_str!("service.sql");
pub(super) const PERMISSIONS: &str = include_str!("service.toml");
const KEY: &str = "a key of thirty-two bytes, or more";

/// A running gateway.
pub(super) struct Service {
    pub(super) running: GatewayHandle,
    pub(super) database: TestDatabase,
    pub(super) client: reqwest::Client,
}

/// A map with these endpoints.
pub(super) fn source(map: &str) -> Source {
    Source::new("map.toml", map, Documents::Given(&[]))
}

impl Service {
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
        let database = tests::create("rest", &[SCHEMA, objects]).await.unwrap();
        let file = Settings::from_text("gateway.toml", "").unwrap();
        let builder = builder(&database, file, &[]);
        let builder =
            builder.permissions_text("service.toml", &format!("{PERMISSIONS}\n{permissions}"));
        let running = builder.rest_map(source(map)).start().await.unwrap();
        Service {
            running,
            database,
            client: reqwest::Client::new(),
        }
    }

    async fn of(map: &str, settings: &[(&str, &str)], file: &str) -> Service {
        let database = tests::create("rest", &[SCHEMA]).await.unwrap();
        let file = Settings::from_text("gateway.toml", file).unwrap();
        let running = builder(&database, file, settings)
            .rest_map(source(map))
            .start()
            .await
            .unwrap();
        Service {
            running,
            database,
            client: reqwest::Client::new(),
        }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}/api/rest/{path}", self.running.url())
    }

    /// A request without credentials.
    pub(super) fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    /// A request as a role, with the admin secret.
    pub(super) fn by(&self, role: &str, method: Method, path: &str) -> RequestBuilder {
        let request = self
            .ask(method, path)
            .header("X-Gateway-Admin-Secret", SECRET)
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

/// A builder of a gateway over a database that has not been started.
pub(super) fn builder(
    database: &TestDatabase,
    file: Settings,
    settings: &[(&str, &str)],
) -> Builder {
    let jwt = json!({"type": "HS256", "key": KEY}).to_string();
    let usual = [
        ("admin-secret", SECRET),
        ("jwt-secret", jwt.as_str()),
        ("listen", "127.0.0.1:0"),
    ];
    let all = usual.iter().chain(settings);
    let builder = all.fold(
        Gateway::builder().settings(file),
        |builder, (name, value)| builder.setting(name, value),
    );
    builder
        .database_url(database.url())
        .permissions_text("service.toml", PERMISSIONS)
}

/// The report about a map's errors.
pub(super) async fn faults(map: Source) -> String {
    faults_over(map, "").await
}

/// The report about a map's errors over further objects in the database.
pub(super) async fn faults_over(map: Source, objects: &str) -> String {
    let database = tests::create("rest", &[SCHEMA, objects]).await.unwrap();
    match builder(&database, Settings::default(), &[])
        .rest_map(map)
        .start()
        .await
    {
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

/// Fails unless the reply is an error in the REST error format.
#[track_caller]
pub(super) fn refused(reply: &Reply, status: u16, message: &str) {
    let expected = json!({"status": "error", "message": message, "data": null});
    assert_eq!(
        (reply.status, reply.json()),
        (status, expected),
        "{}",
        reply.text
    );
    assert_eq!(
        reply.header("content-type"),
        "application/json; charset=utf-8"
    );
}
