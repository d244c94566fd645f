//! A path, what may be done there, and who answers. The gateway's own stand in [`crate::http::router`]; plugins bring theirs.

use std::pin::Pin;
use std::sync::Arc;

use http::Method;

use super::{ErrorFormat, HttpExchange, Response, Server};
use crate::error::Error;
pub use crate::rate_limit::RouteClass;

/// A path, what may be done there, and who does it.
#[derive(Clone)]
pub struct Route {
    /// The path.
    pub path: &'static str,
    /// The methods, `HEAD` and `OPTIONS` aside: one comes with `GET`, the other everywhere.
    pub methods: &'static [Method],
    /// In which envelope its errors are told.
    pub face: ErrorFormat,
    /// What kind of place it is.
    pub place: RouteClass,
    /// Who answers.
    pub door: Handler,
}

/// Who answers.
#[derive(Clone)]
pub enum Handler {
    /// `/v1/graphql`.
    Graphql,
    /// `/api/rest/…`: the map says which paths there are, and what may be done there.
    Rest,
    /// `/api/rest/openapi.json`.
    Description,
    /// `/mcp`, where there is a REST map.
    Mcp,
    /// `/healthz`.
    Health,
    /// `/readyz`.
    Ready,
    /// `/v1/version`.
    Version,
    /// A plugin.
    Plugin(Arc<dyn PluginHandler>),
}

/// What a plugin answers with.
pub type HandlerFuture<'a> = Pin<Box<dyn Future<Output = Result<Response, Error>> + Send + 'a>>;

/// Answers what comes to a path. What it refuses is told in the envelope of its route.
pub trait PluginHandler: Send + Sync {
    /// Answers an exchange.
    fn respond<'a>(&'a self, server: &'a Server, exchange: &'a mut HttpExchange) -> HandlerFuture<'a>;
}

impl std::fmt::Debug for Route {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Route").field("path", &self.path).finish_non_exhaustive()
    }
}
