//! What all requests share: the settings that only a start changes, the metrics, the running
//! subscriptions and sockets, and the [`HandlerState`] that a reload replaces.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderMap;
use http::header::ORIGIN;
use pg::memory::MemoryBudget;

use super::cors::Cors;
use super::sockets::Sockets;
use super::state::{CurrentState, HandlerState};
use crate::config::dialect::Profile;
use crate::subscriptions::Subscriptions;
use crate::telemetry::metrics::Metrics;
use crate::telemetry::refusals::Refusals;
use crate::telemetry::traces::Tracer;

/// What all requests of a gateway share.
#[derive(Debug)]
pub struct App {
    /// The running version of what a reload replaces.
    pub current: CurrentState,
    /// Whether response bodies are compressed.
    pub compression: bool,
    /// The web origins that browsers may send requests from.
    pub cors: Cors,
    /// The web origins of pages that send requests with tokens of plugins, and no cookies.
    pub token_cors: Cors,
    /// Whether responses carry `Server-Timing`.
    pub server_timing: bool,
    /// Whether those to callers with the admin secret do, for a page of a plugin.
    pub admin_timing: bool,
    /// Whether errors use the gateway's own format or Hasura's.
    pub profile: Profile,
    /// The process's metrics.
    pub metrics: Arc<Metrics>,
    /// Callers who were refused because of a token or a secret.
    pub refusals: Refusals,
    /// The memory that all requests share.
    pub memory: MemoryBudget,
    /// The running subscriptions.
    pub subscriptions: Subscriptions,
    /// The open WebSockets and event streams.
    pub sockets: Sockets,
    /// Sends traces; none if traces are off.
    pub tracer: Option<Tracer>,
    /// Whether clients get the details of errors and the SQL of their requests.
    pub dev: bool,
    /// Whether `_service` and `_entities` are answered.
    pub federation: bool,
    /// Whether the gateway is about to end: `/readyz` answers 503, so that balancers send no more
    /// requests.
    pub is_ending: AtomicBool,
}

impl App {
    /// The running version. An exchange takes it once and keeps it; after it has waited for the
    /// client it may have to [renew](super::Caller::renew) it.
    pub fn state(&self) -> Arc<HandlerState> {
        self.current.get()
    }

    /// Whether the gateway is about to end.
    pub fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Records that a caller was refused because of a token or a secret: in the metrics, the log
    /// and the audit table.
    pub fn record_refusal(
        &self,
        path: &str,
        reason: &str,
        address: Option<IpAddr>,
        request_id: &str,
    ) {
        self.metrics
            .authentication
            .with_label_values(&["refused", "failure"])
            .inc();
        self.refusals.record(path, reason, address, request_id);
    }

    /// The policy for a request: that of tokens of plugins for its origins, unless the other one
    /// has the origin as well.
    pub fn cors_for(&self, headers: &HeaderMap) -> &Cors {
        let is_listed = |cors: &Cors| {
            headers
                .get(ORIGIN)
                .is_some_and(|origin| cors.allows(origin))
        };
        if !is_listed(&self.cors) && is_listed(&self.token_cors) {
            &self.token_cors
        } else {
            &self.cors
        }
    }

    /// Whether the policy depends on the request's origin, because pages with tokens of plugins
    /// have another one.
    pub fn has_cors_by_origin(&self) -> bool {
        self.cors != Cors::Any && self.token_cors != Cors::Closed
    }
}
