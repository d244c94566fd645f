//! The state that handlers share: one version of everything that requests are answered with.

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

use http::HeaderMap;
use tokio::sync::watch;

use super::stream_token::StreamTokens;
use crate::auth::Authenticator;
use crate::auth::client_address::TrustedProxies;
use crate::auth::trace_context::TraceparentTrust;
use crate::config::MetricsAccess;
use crate::execute::ExecutionState;
use crate::http::allowed_hosts::AllowedHosts;
use crate::limits::Limits;
use crate::rate_limit::RateLimiter;
use crate::rest;
use crate::rest::openapi::OpenApiCache;
use crate::rest::per_role::PerRole;
use crate::rest::tools::Tools;
use crate::tls::ServerCertificate;

/// What requests are answered with: one version. A reload makes another one, and requests keep the
/// one that they began with.
#[derive(Debug)]
pub struct HandlerState {
    /// Executes requests.
    pub execution: Arc<ExecutionState>,
    /// The limits on requests, connections and time. Those of roles are in the execution.
    pub limits: Limits,
    /// The REST map.
    pub rest: Arc<rest::Map>,
    /// OpenAPI documents, one for each role.
    pub descriptions: OpenApiCache,
    /// MCP tools, one set for each role.
    pub tools: PerRole<Arc<Tools>>,
    /// Authenticates callers.
    pub authenticator: Authenticator,
    /// Enforces `[[rates]]`.
    pub rate_limiter: RateLimiter,
    /// The proxies whose `X-Forwarded-For` counts.
    pub proxies: TrustedProxies,
    /// Whose `traceparent` is followed.
    pub traceparent_trust: TraceparentTrust,
    /// Which requests `/metrics` answers.
    pub metrics: MetricsAccess,
    /// Signs the tokens of reserved event streams.
    pub stream_tokens: StreamTokens,
    /// The hosts that requests without credentials may name.
    pub hosts: AllowedHosts,
    /// The certificate of the port; without it the port speaks plain HTTP.
    pub tls: Option<ServerCertificate>,
}

impl HandlerState {
    /// Whether the `traceparent` of a request with these headers, or of a socket that it opens, is
    /// followed.
    pub fn trusts_traceparent(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> bool {
        self.traceparent_trust
            .trusts(&self.proxies, peer, self.proxies.client(peer, headers))
    }
}

/// The running version of the state.
#[derive(Debug)]
pub struct CurrentState {
    state: RwLock<Arc<HandlerState>>,
    /// Notifies open sockets that a reload has replaced the state.
    reloads: watch::Sender<()>,
}

impl CurrentState {
    /// Begins with this version.
    pub fn new(state: HandlerState) -> CurrentState {
        state.execution.reload.set_latest(&state.execution);
        CurrentState {
            state: RwLock::new(Arc::new(state)),
            reloads: watch::Sender::new(()),
        }
    }

    /// The running version.
    pub fn get(&self) -> Arc<HandlerState> {
        self.state
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Replaces `state` by the running version if a reload has begun another one; returns whether
    /// one has.
    pub fn refresh(&self, state: &mut Arc<HandlerState>) -> bool {
        let current = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let is_old = !Arc::ptr_eq(&current, state);
        if is_old {
            *state = current.clone();
        }
        is_old
    }

    /// Sets the version of later requests.
    pub fn replace(&self, state: HandlerState) {
        state.execution.reload.set_latest(&state.execution);
        let state = Arc::new(state);
        let old = {
            let mut current = self.state.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, state)
        };
        self.reloads.send_replace(());
        // Dropped outside the lock, so that no request waits while the old state is freed.
        drop(old);
    }

    /// Learns of every reload from now on.
    pub(super) fn subscribe(&self) -> watch::Receiver<()> {
        self.reloads.subscribe()
    }
}
