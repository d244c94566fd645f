//! The webhook plugin: takes the events that other services send, verifies who sent them, and
//! stores the raw bytes before it acknowledges them. The event queue then calls the SQL function of
//! the service. Services are declared in `[webhook.NAME]`; other names are answered with 404.

mod database_check;
mod delivery_id;
mod digest;
mod fault;
mod hmac_signature;
mod jwe_token;
mod legacy_key;
mod method_reader;
mod received;
mod refusal;
mod retention;
mod secret;
mod secret_method;
mod sender_query;
mod settings;
mod signing_keys;
mod standard_signature;
mod store;
mod stripe_signature;
mod verification;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CACHE_CONTROL;
use http::{HeaderValue, Method, StatusCode};
use permissions::Diagnostic;
use pg::{Database, deadline};
use prometheus::core::Collector;
use prometheus::{IntCounterVec, Opts};
use serde_json::json;
use tokio::time::Instant;

use delivery_id::DeliveryIdSource;
use gateway::config::{Config, ConfigTables};
use gateway::error::Error;
use gateway::http::route::{self, Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::{App, ErrorFormat, HttpExchange, Response, media};
use gateway::limits::{LimitExceeded, Limits};
use gateway::plugin::{
    BackgroundTask, CheckFuture, Migration, Plugin, PluginError, PluginReport, PrepareFuture,
    Prepared, Shutdown,
};
use gateway::request;
use received::Received;
use refusal::{ReceiveError, Refusal};
use settings::{Service, Services};
use store::Delivery;
use verification::VerifiedSender;

use fault::Fault;
pub use jwe_token::encrypt_token;

/// The plugin.
#[derive(Debug)]
pub struct Webhooks {
    services: Prepared<Services>,
    /// Deliveries, by `service` and `outcome`.
    deliveries: IntCounterVec,
}

// The name is a constant; the tests make one.
#[expect(clippy::expect_used)]
impl Default for Webhooks {
    fn default() -> Webhooks {
        let deliveries = Opts::new("postern_webhooks_total", "Inbound webhooks");
        Webhooks {
            services: Prepared::default(),
            deliveries: IntCounterVec::new(deliveries, &["service", "outcome"])
                .expect("a sound name"),
        }
    }
}

/// The versions of the deliveries' table.
const MIGRATIONS: &[Migration] = &[
    Migration::OfSchema {
        version: 4,
        sql: include_str!("webhooks/migrations/webhooks.sql"),
    },
    Migration::OfSchema {
        version: 6,
        sql: include_str!("webhooks/migrations/retention.sql"),
    },
    Migration::OfSchema {
        version: 9,
        sql: include_str!("webhooks/migrations/webhook_senders.sql"),
    },
];

/// The paths; the parameter is the name of the service.
const PATHS: [&str; 2] = [
    "/api/v1/integrations/{service}/event",
    "/v1/integrations/{service}/event",
];

/// The parameter in the paths.
const SERVICE_PARAMETER: &str = "{service}";

/// The outcomes of deliveries whose sender is verified: a new one, a known one, and one that could
/// not be stored.
const OUTCOMES: [&str; 3] = ["stored", "repeated", "failed"];

const POST: &[Method] = &[Method::POST];

/// The time limit for checking the declarations with the database.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

impl Plugin for Webhooks {
    fn name(&self) -> &'static str {
        "webhooks"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let route = |path| {
            let handler = Handler::Plugin(Arc::new(PathHandler {
                webhooks: self.clone(),
                path,
            }));
            Route {
                path,
                methods: POST,
                error_format: ErrorFormat::Rest,
                class: RouteClass::Webhooks,
                handler,
            }
        };
        PATHS.map(route).into()
    }

    fn sections(&self) -> &'static [&'static str] {
        &["webhook", "webhooks"]
    }

    fn migrations(&self) -> &'static [Migration] {
        MIGRATIONS
    }

    fn metrics(&self) -> Vec<Box<dyn Collector>> {
        vec![Box::new(self.deliveries.clone())]
    }

    fn check<'a>(&'a self, config: &'a Config, database: &'a Database) -> CheckFuture<'a> {
        Box::pin(async move {
            let (services, problems) = match read(&config.sections, database).await? {
                Ok(services) => (services, vec![]),
                Err(problems) => (vec![], problems),
            };
            let without_https = services
                .iter()
                .filter(|service| service.require_https && !may_see_https(config));
            Ok(PluginReport {
                problems: problems.iter().map(Diagnostic::to_text).collect(),
                plain_notes: without_https.map(unreachable_note).collect(),
                ..PluginReport::default()
            })
        })
    }

    fn start(self: Arc<Self>, app: Arc<App>, mut shutdown: Shutdown) -> Option<BackgroundTask> {
        Some(Box::pin(async move {
            tokio::select! {
                () = retention::run(&app, &self.services) => {}
                () = shutdown.requested() => {}
            }
        }))
    }

    fn prepare<'a>(&'a self, config: &'a Config, database: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            let services = read(&config.sections, database).await?;
            let services = services.map_err(|problems| PluginError::NotReady {
                plugin: self.name(),
                cause: drawn(&problems),
            })?;
            for service in &services {
                self.declare_series(&service.name);
            }
            Ok(self.services.activation(Some(Services::new(services))))
        })
    }
}

impl Webhooks {
    /// Makes the series of a service, at zero.
    fn declare_series(&self, service: &str) {
        let refusals = Refusal::ALL.map(Refusal::name);
        for outcome in OUTCOMES.into_iter().chain(refusals) {
            self.deliveries.with_label_values(&[service, outcome]);
        }
    }
}

/// The triggers of the event queue that have deliveries for SQL functions: one for each service
/// with a function, called `webhook:` and the name of the service. Each calls [`PROCESS`] with its
/// events.
pub fn triggers(config: &Config) -> Vec<String> {
    let services =
        settings::read(&config.sections, &|name| std::env::var(name).ok()).unwrap_or_default();
    services.iter().filter_map(Service::trigger).collect()
}

/// Schema and name of the SQL function that processes an event of the queue. It takes one argument
/// of the type `json`.
pub const PROCESS: (&str, &str) = ("postern", "process_webhook");

/// Reads the services and judges them.
async fn read(
    sections: &ConfigTables,
    database: &Database,
) -> Result<Result<Vec<Service>, Vec<Diagnostic<Fault>>>, PluginError> {
    let services = match settings::read(sections, &|name| std::env::var(name).ok()) {
        Ok(services) if services.is_empty() => return Ok(Ok(services)),
        Ok(services) => services,
        Err(problems) => return Ok(Err(problems)),
    };
    let client = database.admin_client(Instant::now() + CHECK_TIMEOUT).await;
    let client = client.map_err(|fault| PluginError::NotReady {
        plugin: "webhooks",
        cause: fault.to_string(),
    })?;
    let problems = database_check::check(&services, &client).await;
    Ok(if problems.is_empty() {
        Ok(services)
    } else {
        Err(problems)
    })
}

/// Whether requests can arrive by HTTPS: the gateway has a certificate, or trusts a proxy.
fn may_see_https(config: &Config) -> bool {
    config.tls_cert.is_some() || !config.trusted_proxies.is_empty()
}

fn unreachable_note(service: &Service) -> String {
    format!(
        "the webhook `{}` requires HTTPS and refuses every request: set `tls_cert` and `tls_key`, \
         or name the proxy that has the certificate in `trusted_proxies`",
        service.name
    )
}

fn drawn(problems: &[Diagnostic<Fault>]) -> String {
    let drawn: Vec<String> = problems
        .iter()
        .map(|problem| problem.render(false))
        .collect();
    format!("the declarations have faults\n\n{}", drawn.join("\n\n"))
}

/// The handler of one path.
struct PathHandler {
    webhooks: Arc<Webhooks>,
    path: &'static str,
}

impl PluginHandler for PathHandler {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            // An unknown service is refused before the body is read.
            let service = self.service(exchange)?;
            let answered = self.receive(exchange, &service).await;
            let outcome = match &answered {
                Ok(Receipt { is_new: true, .. }) => OUTCOMES[0],
                Ok(Receipt { is_new: false, .. }) => OUTCOMES[1],
                Err(ReceiveError::Unverified(refusal)) => refusal.name(),
                Err(_) => OUTCOMES[2],
            };
            self.webhooks
                .deliveries
                .with_label_values(&[service.name.as_str(), outcome])
                .inc();
            let request_id = exchange.id.as_str();
            let service = service.name.as_str();
            let address = exchange.client().map(|address| address.to_string());
            let address = address.as_deref();
            match &answered {
                Ok(receipt) => {
                    let delivery = receipt.id.as_str();
                    let methods = receipt.sender.methods.as_str();
                    tracing::info!(request_id, service, outcome, methods, address, "webhook");
                    tracing::debug!(target: "values", request_id, delivery, "webhook");
                }
                Err(_) => tracing::warn!(request_id, service, outcome, address, "webhook"),
            }
            match answered {
                Ok(receipt) => Ok(receipt.response()),
                Err(ReceiveError::Unverified(refusal)) => {
                    Err(refusal.into_error(self.path.replace(SERVICE_PARAMETER, service)))
                }
                Err(ReceiveError::Failed(error)) => Err(*error),
            }
        })
    }
}

impl PathHandler {
    fn service(&self, exchange: &HttpExchange) -> Result<Arc<Service>, Error> {
        let name = route::parameter(self.path, exchange.path()).ok_or(Error::NotFound)?;
        let services = self.webhooks.services.get();
        services
            .and_then(|services| services.find(name))
            .ok_or(Error::NotFound)
    }

    /// Reads, verifies and stores a delivery.
    async fn receive(
        &self,
        exchange: &mut HttpExchange,
        service: &Service,
    ) -> Result<Receipt, ReceiveError> {
        if service.require_https && !exchange.is_https() {
            return Err(Refusal::NotHttps.into());
        }
        let deadline = Instant::from_std(exchange.started) + exchange.app.state().limits.time;
        let body = read_body(exchange, service, deadline).await?;
        // The settings may have been reloaded while the body arrived.
        let service = self.service(exchange)?;
        let state = exchange.app.state();
        exchange.reserve_query()?;
        let parameters = request::parameters(exchange.query())?;
        let now = jsonwebtoken::get_current_timestamp();
        let received = Received {
            headers: &exchange.headers,
            parameters: &parameters,
            body: &body,
            now,
        };
        let database = &state.execution.database;
        let sender = service
            .verification
            .verify(&received, database, deadline)
            .await?;
        // Only a body whose sender is known is parsed, so nobody else takes the memory for it.
        if matches!(service.delivery_id, DeliveryIdSource::Json(_)) {
            exchange.reserve_values(&body)?;
        }
        let received = Received {
            headers: &exchange.headers,
            parameters: &parameters,
            body: &body,
            now,
        };
        let id = service.delivery_id.id(&received);
        let address = exchange.client().map(|address| address.to_string());
        let delivery = Delivery {
            service: &service,
            id: &id,
            received,
            sender: &sender,
            address,
            request: &exchange.id,
        };
        let is_new = delivery.store(database, deadline).await?;
        Ok(Receipt { id, is_new, sender })
    }
}

/// Reads the raw bytes of a body within the service's limit.
async fn read_body(
    exchange: &mut HttpExchange,
    service: &Service,
    deadline: Instant,
) -> Result<Bytes, Error> {
    let limits = Limits {
        body: service.body_limit,
        ..exchange.app.state().limits.clone()
    };
    let read = exchange
        .body
        .read_raw(&exchange.headers, &limits, &mut exchange.memory);
    let late = || LimitExceeded::BodyTime(limits.time);
    deadline::timeout_at(deadline, read)
        .await
        .ok_or_else(late)?
}

/// A delivery that is stored.
struct Receipt {
    id: String,
    /// Whether this request stored it, and not one before.
    is_new: bool,
    sender: VerifiedSender,
}

impl Receipt {
    fn response(&self) -> Response {
        let message = if self.is_new {
            "event received"
        } else {
            "event received before"
        };
        let response_value =
            json!({"status": "success", "message": message, "data": {"deliveryId": self.id}});
        let mut response = gateway::http::json(
            StatusCode::OK,
            media::JSON,
            gateway::http::object(&response_value),
        );
        response
            .headers_mut()
            .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}
