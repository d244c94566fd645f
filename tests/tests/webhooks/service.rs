//! Starts a gateway with services that send webhooks, and sends deliveries to it.

use std::collections::BTreeMap;
use std::ops::Deref;

use gateway::server::{Builder, GatewayHandle};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::service::{self, ServiceBuilder};
use tests::webhook_senders::{Signed, sign};
use tokio_postgres::Client;

/// The function that processes deliveries, and the query of keys.
pub(super) const SCHEMA: &str = include_str!("service.sql");

/// The declarations.
pub(super) const SETTINGS: &str = include_str!("service.toml");

/// The secret of the services that sign with a text.
pub(super) const SECRET: &str = "a secret of the shop, 32 bytes..";

/// The secret of the services that sign by Standard Webhooks.
pub(super) const WHSEC: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The secret of the services that send tokens.
pub(super) const TOKEN_SECRET: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/// The message for a signature that is not the one of the body.
pub(super) const INVALID: &str = "invalid signature";

/// The message for a wrong time, token or key.
pub(super) const UNVERIFIED: &str = "verification failed";

/// The message for a missing header.
pub(super) const MISSING: &str = "missing signature header";

/// A running gateway to which services send webhooks.
pub(super) struct Service {
    service: service::Service,
    /// A connection for statements of the tests.
    pub(super) sql: Client,
}

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.service
    }
}

/// A request to a service, which a test may change before it is sent.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    pub(super) service: &'static str,
    pub(super) headers: Vec<(String, String)>,
    pub(super) query: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

impl Service {
    /// A service of a gateway that was started by other means.
    pub(super) fn from_parts(
        gateway: GatewayHandle,
        database: TestDatabase,
        sql: Client,
    ) -> Service {
        let service = service::Service::from_parts(gateway, database);
        Service { service, sql }
    }

    pub(super) async fn start() -> Service {
        Service::with("").await
    }

    /// Starts a gateway with further settings.
    pub(super) async fn with(settings: &str) -> Service {
        let builder = service_builder(&format!("{SETTINGS}\n{settings}"));
        let service = builder.start().await;
        let sql = service.database.connect().await.unwrap();
        Service { service, sql }
    }

    /// Starts a gateway with further tables and settings.
    pub(super) async fn with_schema(schema: &str, settings: &str) -> Service {
        let builder = service_builder(&format!("{SETTINGS}\n{settings}")).script(schema);
        let service = builder.start().await;
        let sql = service.database.connect().await.unwrap();
        Service { service, sql }
    }

    /// Replaces the gateway by another one over its database.
    pub(super) fn set_gateway(&mut self, gateway: GatewayHandle) {
        self.service.gateway = gateway;
    }

    pub(super) fn url(&self, service: &str) -> String {
        self.service
            .url(&format!("/api/v1/integrations/{service}/event"))
    }

    /// The request of a delivery.
    pub(super) fn request(&self, delivery: &Delivery) -> RequestBuilder {
        let mut request = self
            .client
            .post(self.url(delivery.service))
            .query(&delivery.query);
        for (name, value) in &delivery.headers {
            request = request.header(name, value);
        }
        request.body(delivery.body.clone())
    }

    pub(super) async fn send(&self, delivery: &Delivery) -> Reply {
        Reply::of(self.request(delivery)).await.unwrap()
    }

    /// The number of stored deliveries, and of events in the queue.
    pub(super) async fn counts(&self) -> (i64, i64) {
        let query = "SELECT (SELECT count(*) FROM postern.webhook_delivery), (SELECT count(*) \
                     FROM postern.event_queue)";
        let row = self.sql.query_one(query, &[]).await.unwrap();
        (row.get(0), row.get(1))
    }

    /// The counter of a service's outcome.
    pub(super) fn counted(&self, service: &str, outcome: &str) -> u64 {
        let labels = format!("outcome=\"{outcome}\",service=\"{service}\"");
        let name = format!("postern_webhooks_total{{{labels}}}");
        tests::metric(self.gateway.app(), &name)
    }

    /// Processes the events in the queue, as its workers do. Returns the errors.
    pub(super) async fn process(&self) -> Vec<String> {
        let events = self
            .sql
            .query(
                "SELECT payload::text FROM postern.event_queue ORDER BY sequence",
                &[],
            )
            .await
            .unwrap();
        let mut errors = vec![];
        for event in events {
            let event: String = event.get(0);
            let processed = self
                .sql
                .execute("SELECT postern.process_webhook($1::text::json)", &[&event])
                .await;
            errors.extend(
                processed
                    .err()
                    .map(|error| error.as_db_error().unwrap().message().to_owned()),
            );
        }
        errors
    }
}

impl Delivery {
    /// A delivery with what a sender's library adds.
    pub(super) fn new(service: &'static str, signed: Signed, body: &[u8]) -> Delivery {
        let headers = signed.headers.into_iter().collect();
        Delivery {
            service,
            headers,
            query: signed.query,
            body: body.to_owned(),
        }
    }

    /// A delivery of the shop, signed as Shopify signs.
    pub(super) async fn shop(body: &[u8]) -> Delivery {
        let kind = json!({"kind": "hmac", "header": "X-Shopify-Hmac-Sha256", "secret": SECRET});
        Delivery::signed("shop", kind, body).await
    }

    /// A delivery of a service, signed by a library.
    pub(super) async fn signed(service: &'static str, kind: Value, body: &[u8]) -> Delivery {
        Delivery::new(service, sign(kind, body).await.unwrap(), body)
    }

    /// Adds a header.
    pub(super) fn header(mut self, name: &str, value: &str) -> Delivery {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Removes a header.
    pub(super) fn without(mut self, name: &str) -> Delivery {
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Replaces a header.
    pub(super) fn with(self, name: &str, value: &str) -> Delivery {
        self.without(name).header(name, value)
    }

    /// The value of a header.
    pub(super) fn value(&self, name: &str) -> String {
        let found = self
            .headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.unwrap_or_else(|| panic!("no {name}")).1.clone()
    }

    /// Replaces a query parameter.
    pub(super) fn parameter(mut self, name: &str, value: &str) -> Delivery {
        self.query.insert(name.to_owned(), value.to_owned());
        self
    }
}

/// A database with the gateway's tables and the service's functions.
pub(super) async fn migrated() -> TestDatabase {
    service_builder("").create_database().await
}

/// A gateway over a database that exists, which has not been started.
pub(super) fn builder(database: &TestDatabase, file: &str) -> Builder {
    service_builder(file).gateway_builder(database.url())
}

fn service_builder(file: &str) -> ServiceBuilder {
    let migrations = plugins::migration_script();
    service::Service::builder("webhooks", &[&migrations, SCHEMA]).settings_file(file)
}

/// Fails unless the delivery is acknowledged.
#[track_caller]
pub(super) fn accepted(reply: &Reply) {
    assert_eq!(
        (reply.status, &reply.json()["status"]),
        (200, &json!("success")),
        "{}",
        reply.text
    );
}
