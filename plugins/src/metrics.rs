//! `GET /metrics`: the metrics in Prometheus' text format, or in OpenMetrics' with exemplars, with
//! the access that the settings allow.

use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{self, AUTHORIZATION, CACHE_CONTROL, HeaderName, HeaderValue, VARY};
use http::{HeaderMap, Method, StatusCode};

use gateway::auth::bearer;
use gateway::config::{MetricsAccess, Secrets};
use gateway::error::{Error, PluginFault, catalogue};
use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::state::HandlerState;
use gateway::http::{ErrorFormat, HttpExchange, Response, json, media};
use gateway::plugin::Plugin;
use gateway::telemetry::metrics::Readings;

/// The plugin that serves the metrics.
#[derive(Debug)]
pub(super) struct Metrics;

/// Why a request may not read the metrics.
enum AccessError {
    /// A wrong secret.
    WrongSecret,
    /// A request from another machine without a configured secret.
    Elsewhere,
}

impl From<AccessError> for Error {
    fn from(error: AccessError) -> Error {
        let fault = match error {
            AccessError::WrongSecret => {
                let message = "invalid metrics secret";
                PluginFault::new(catalogue::UNAUTHENTICATED, message, "wrong metrics secret")
                    .recorded_as(message)
            }
            AccessError::Elsewhere => PluginFault::new(
                catalogue::FORBIDDEN,
                "metrics without a secret are answered to the gateway's own machine alone",
                "metrics are for the gateway's own machine",
            ),
        };
        fault.into()
    }
}

/// The media type that asks for exemplars, without its version.
const OPEN_METRICS: &str = "application/openmetrics-text";

const METHODS: &[Method] = &[Method::GET];

/// Headers that proxies add.
const FORWARDED_BY: [HeaderName; 5] = [
    header::FORWARDED,
    header::VIA,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-real-ip"),
];

impl Plugin for Metrics {
    fn name(&self) -> &'static str {
        "metrics"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let error_format = ErrorFormat::Rest;
        let class = RouteClass::Metrics;
        vec![Route {
            path: "/metrics",
            methods: METHODS,
            error_format,
            class,
            handler: Handler::Plugin(self),
        }]
    }
}

impl PluginHandler for Metrics {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            let state = exchange.app.state();
            match &state.metrics {
                MetricsAccess::Secret(secrets) => check(secrets, &exchange.headers)?,
                MetricsAccess::Loopback
                    if !is_local(exchange.connection.peer, &exchange.headers) =>
                {
                    return Err(AccessError::Elsewhere.into());
                }
                MetricsAccess::Loopback
                    if !state.hosts.contains_all(&exchange.headers, &exchange.uri) =>
                {
                    return Err(Error::HostNotAllowed);
                }
                MetricsAccess::Loopback | MetricsAccess::Open => {}
            }
            let readings = readings(&state);
            let metrics = &exchange.app.metrics;
            let (media, text) = if media::prefers(&exchange.headers, OPEN_METRICS) {
                (media::OPEN_METRICS, metrics.open_metrics(&readings))
            } else {
                let text = metrics.text(&readings);
                let text = text.map_err(|cause| Error::Internal(cause.to_string()))?;
                (media::METRICS, text)
            };
            let mut response = json(StatusCode::OK, media, text.into_bytes());
            let headers = response.headers_mut();
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            headers.insert(VARY, HeaderValue::from_static("Accept"));
            Ok::<Response, Error>(response)
        })
    }
}

fn readings(state: &HandlerState) -> Readings {
    let execution = &state.execution;
    let pool = execution.database.pool();
    let (documents, plans) = execution.schema.plans.len();
    let (responses, answer_bytes) = execution.reads.len();
    Readings {
        pool_limit: pool.limit,
        pool_open: pool.open,
        pool_idle: pool.idle,
        pool_waiting: pool.waiting,
        memory_reserved: execution.memory.used(),
        memory_limit: execution.memory.limit(),
        documents,
        plans,
        responses,
        answer_bytes,
        tokens: state.authenticator.cached_tokens(),
        rate_store: state.rate_limiter.store_is_available(),
    }
}

/// Whether a request comes from the gateway's own machine and not through a proxy on it. Only the
/// peer of the connection counts; forwarding headers never make a request local.
fn is_local(peer: Option<SocketAddr>, headers: &HeaderMap) -> bool {
    let is_loopback = peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    is_loopback && !FORWARDED_BY.iter().any(|name| headers.contains_key(name))
}

fn check(secrets: &Secrets, headers: &HeaderMap) -> Result<(), Error> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (first, None) = (given.next().ok_or(Error::NoAuthorization)?, given.next()) else {
        return Err(Error::HeaderTwice(AUTHORIZATION.as_str().to_owned()));
    };
    match bearer(first) {
        Ok(token) if secrets.accept(token) => Ok(()),
        _ => Err(AccessError::WrongSecret.into()),
    }
}

#[cfg(test)]
mod tests {
    use gateway::config::Secret;

    use super::*;

    #[test]
    fn only_direct_loopback_requests_are_local() {
        let local = |peer: &str, name: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static("127.0.0.1"));
            is_local(Some(peer.parse().unwrap()), &headers)
        };
        assert!(
            local("127.0.0.1:1", "host")
                && local("[::1]:1", "host")
                && local("[::ffff:127.0.0.1]:1", "host")
        );
        for peer in [
            "192.0.2.1:1",
            "[2001:db8::1]:1",
            "[::ffff:192.0.2.1]:1",
            "0.0.0.0:1",
        ] {
            assert!(
                !local(peer, "host") && !local(peer, "x-forwarded-for"),
                "{peer}"
            );
        }
        for name in ["x-forwarded-for", "forwarded", "via", "x-real-ip"] {
            assert!(!local("127.0.0.1:1", name), "{name}");
        }
        assert!(!is_local(None, &HeaderMap::new()));
    }

    #[test]
    fn metrics_secret_is_a_bearer_token() {
        let checked = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, HeaderValue::from_static(value));
            }
            check(&Secret::new("open sesame").into(), &headers).map_err(|error| error.message())
        };
        let wrong = Err("invalid metrics secret".to_owned());
        assert_eq!(checked(&["Bearer open sesame"]), Ok(()));
        assert_eq!(checked(&["bearer  open sesame"]), Ok(()));
        assert_eq!(checked(&["Bearer open sesam"]), wrong);
        assert_eq!(checked(&["Basic open sesame"]), wrong);
        assert_eq!(checked(&["open sesame"]), wrong);
        assert_eq!(
            checked(&[]),
            Err("No authorization header provided".to_owned())
        );
        assert!(checked(&["Bearer open sesame", "Bearer open sesame"]).is_err());
    }
}
