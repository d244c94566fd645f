//! A route: a path, its methods and the handler that answers it. [`crate::http::router`] lists the gateway's own
//! routes; plugins add theirs through [`PluginHandler`].

use std::pin::Pin;
use std::sync::Arc;

use http::Method;

use super::{ErrorFormat, HttpExchange, Response, Server};
use crate::error::Error;
pub use crate::rate_limit::RouteClass;

/// A path, its methods and its handler.
#[derive(Clone)]
pub struct Route {
    /// The path.
    pub path: &'static str,
    /// The methods, without `HEAD` and `OPTIONS`: `HEAD` comes with `GET`, `OPTIONS` with every route.
    pub methods: &'static [Method],
    /// The format of the route's errors.
    pub error_format: ErrorFormat,
    /// The class of the route, which decides the limits that apply to it.
    pub class: RouteClass,
    /// The handler.
    pub handler: Handler,
}

/// What answers a route.
#[derive(Clone)]
pub enum Handler {
    /// `/v1/graphql`.
    Graphql,
    /// `/api/rest/…`: the REST map lists the paths and their methods.
    Rest,
    /// `/api/rest/openapi.json`.
    Description,
    /// `/mcp`, if there is a REST map.
    Mcp,
    /// `/healthz`.
    Health,
    /// `/readyz`.
    Ready,
    /// `/v1/version`.
    Version,
    /// A plugin's handler.
    Plugin(Arc<dyn PluginHandler>),
}

/// The future of a plugin's response.
pub type HandlerFuture<'a> = Pin<Box<dyn Future<Output = Result<Response, Error>> + Send + 'a>>;

/// Answers the requests to a plugin's route. An error is sent in the route's format.
pub trait PluginHandler: Send + Sync {
    /// Answers an exchange.
    fn respond<'a>(&'a self, server: &'a Server, exchange: &'a mut HttpExchange) -> HandlerFuture<'a>;
}

impl std::fmt::Debug for Route {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Route").field("path", &self.path).finish_non_exhaustive()
    }
}
