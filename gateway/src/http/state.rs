//! The state that handlers share: one version of everything that requests are answered with.

use std::net::SocketAddr;
use std::sync::Arc;

use http::HeaderMap;

use crate::auth::Authenticator;
use crate::auth::client_address::TrustedProxies;
use crate::auth::trace_context::TraceparentTrust;
use crate::config::MetricsAccess;
use crate::execute::Executor;
use crate::http::allowed_hosts::AllowedHosts;
use crate::rate_limit::RateLimiter;
use crate::rest;
use crate::rest::openapi::OpenApiCache;
use crate::rest::per_role::PerRole;
use crate::rest::tools::Tools;
use crate::tls::server::ServerCertificate;

/// What requests are answered with. A reload makes another one, and requests keep the one that they began with.
#[derive(Debug)]
pub struct HandlerState {
    /// Executes requests.
    pub executor: Arc<Executor>,
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
    /// The hosts that requests without credentials may name.
    pub hosts: AllowedHosts,
    /// The certificate of the port; without it the port speaks plain HTTP.
    pub tls: Option<ServerCertificate>,
}

impl HandlerState {
    /// Whether the `traceparent` of a request with these headers, or of a socket that it opens, is followed.
    pub fn trusts_traceparent(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> bool {
        self.traceparent_trust.trusts(&self.proxies, peer, self.proxies.client(peer, headers))
    }
}
