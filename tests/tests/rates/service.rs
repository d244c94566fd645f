//! Starts a gateway with rate limits, and sends requests to it.

use std::sync::Arc;

use gateway::config::Settings;
use gateway::error::Error;
use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::{ErrorFormat, HttpExchange};
use gateway::plugin::Plugin;
use gateway::server::{Builder, GatewayHandle};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

pub(super) const SECRET: &str = "open sesame";
pub(super) const KEY: &str = "a key of thirty-two bytes, or more";
pub(super) const SCHEMA: &str = include_str!("../http/service.sql");
pub(super) const PERMISSIONS: &str = include_str!("../http/service.toml");

/// A running gateway.
pub(super) struct Service {
    pub(super) gateway: GatewayHandle,
    pub(super) client: reqwest::Client,
    /// Its database, unless another value owns it.
    pub(super) _database: Option<TestDatabase>,
}

impl Service {
    /// Starts a gateway with the settings of a file.
    pub(super) async fn with(file: &str) -> Service {
        let database = tests::create("rates", &[SCHEMA]).await.unwrap();
        let service = Service::over(&database, file).await;
        Service {
            _database: Some(database),
            ..service
        }
    }

    /// Starts a gateway over an existing database.
    pub(super) async fn over(database: &TestDatabase, file: &str) -> Service {
        let running = builder(database, settings(file)).start().await.unwrap();
        Service {
            gateway: running,
            client: reqwest::Client::new(),
            _database: None,
        }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.gateway.url())
    }

    /// A request to the GraphQL endpoint without credentials.
    pub(super) fn post(&self) -> RequestBuilder {
        self.client.post(self.url("/v1/graphql")).json(&query())
    }

    /// A request to the GraphQL endpoint as `reader`, with the admin secret.
    pub(super) fn reader(&self) -> RequestBuilder {
        self.post()
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader")
    }

    /// A request to the GraphQL endpoint as an author, with a token.
    pub(super) fn author(&self, id: u32) -> RequestBuilder {
        self.post().bearer_auth(token(id))
    }

    /// The statuses of `count` requests, sent one after the other.
    pub(super) async fn statuses(
        &self,
        count: usize,
        request: impl Fn() -> RequestBuilder,
    ) -> Vec<u16> {
        let mut statuses = vec![];
        for _ in 0..count {
            statuses.push(send(request()).await.status);
        }
        statuses
    }

    /// The counter of a rule in a mode.
    pub(super) fn counted(&self, rate: &str, mode: &str) -> u64 {
        self.gateway
            .app()
            .metrics
            .rate_limited
            .with_label_values(&[rate, mode])
            .get()
    }
}

/// A builder of a gateway over a database that has not been started.
pub(super) fn builder(database: &TestDatabase, settings: Settings) -> Builder {
    let builder = tests::gateway()
        .settings(settings)
        .database_url(database.url())
        .listen("127.0.0.1:0");
    let secret = json!({"type": "HS256", "key": KEY}).to_string();
    let builder = builder.admin_secret(SECRET).jwt_secret(&secret);
    builder
        .permissions_text("service.toml", PERMISSIONS)
        .plugin(Arc::new(Doors))
}

pub(super) fn settings(file: &str) -> Settings {
    Settings::from_text("gateway.toml", file).unwrap()
}

pub(super) fn query() -> Value {
    json!({"query": "{ authors { id } }"})
}

pub(super) async fn send(request: RequestBuilder) -> Reply {
    Reply::of(request)
        .await
        .expect("the connection was dropped without an answer")
}

/// A token of an author.
pub(super) fn token(id: u32) -> String {
    let claims = json!({"exp": 4_000_000_000_u64, "gateway": {
        "x-gateway-default-role": "author", "x-gateway-allowed-roles": ["author", "reader"],
        "x-gateway-user-id": id.to_string(),
    }});
    let key = jsonwebtoken::EncodingKey::from_secret(KEY.as_bytes());
    jsonwebtoken::encode(&jsonwebtoken::Header::default(), &claims, &key).unwrap()
}

/// How often a status occurs.
pub(super) fn count(statuses: &[u16], status: u16) -> usize {
    statuses.iter().filter(|one| **one == status).count()
}

/// A plugin with paths beside `/v1/graphql`: one that counts as a request, and one that signs
/// callers in who send the right `X-Word`.
#[derive(Debug)]
struct Doors;

pub(super) const NAMED: &str = "/named";
pub(super) const SIGN_IN: &str = "/sign-in";

impl Plugin for Doors {
    fn name(&self) -> &'static str {
        "doors"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let door = Handler::Plugin(self);
        let route = |path, route_class| Route {
            path,
            methods: &[Method::POST],
            error_format: ErrorFormat::Rest,
            class: route_class,
            handler: door.clone(),
        };
        vec![
            route(NAMED, RouteClass::Requests),
            route(SIGN_IN, RouteClass::Authentication),
        ]
    }
}

impl PluginHandler for Doors {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            if exchange.path() == SIGN_IN
                && exchange
                    .headers
                    .get("x-word")
                    .is_none_or(|word| word != "friend")
            {
                Err(Error::NoAuthorization)
            } else {
                Ok(gateway::http::health::health())
            }
        })
    }
}
