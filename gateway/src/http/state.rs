//! The state that handlers share: one version of everything that requests are answered with.

use std::sync::Arc;

use crate::auth::Authenticator;
use crate::auth::client_address::TrustedProxies;
use crate::config::MetricsAccess;
use crate::execute::Executor;
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
    /// Which requests `/metrics` answers.
    pub metrics: MetricsAccess,
    /// The certificate of the port; without it the port speaks plain HTTP.
    pub tls: Option<ServerCertificate>,
}
