//! A route: a path, its methods and the handler that answers it. [`crate::http::router`] lists the
//! gateway's own routes; plugins add theirs through [`PluginHandler`].

use std::pin::Pin;
use std::sync::Arc;

use http::Method;

use super::error_response::ErrorFormat;
use super::exchange::HttpExchange;
use super::pages::PageFilter;
use super::response::Response;
use crate::error::Error;
pub use crate::rate_limit::RouteClass;

/// A path, its methods and its handler.
#[derive(Clone)]
pub struct Route {
    /// The path. A plugin's path may have one parameter, a whole segment in braces:
    /// `/things/{name}/event`. Metrics, logs and rate limits name the path as it is written here.
    pub path: &'static str,
    /// The methods, without `HEAD` and `OPTIONS`: `HEAD` comes with `GET`, `OPTIONS` with every
    /// route.
    pub methods: &'static [Method],
    /// The format of the route's errors.
    pub error_format: ErrorFormat,
    /// The class of the route, which decides the limits that apply to it.
    pub class: RouteClass,
    /// The handler.
    pub handler: Handler,
}

impl Route {
    /// Whether the route answers a path in which its parameter has a value.
    pub fn has_parameter_in(&self, path: &str) -> bool {
        parameter(self.path, path).is_some()
    }
}

/// The value that a path, still percent-encoded, has for the parameter of a route's path; `None` if
/// the path is not one of the route, or the route's path has no parameter.
pub fn parameter<'p>(route_path: &str, path: &'p str) -> Option<&'p str> {
    let (before, rest) = route_path.split_once('{')?;
    let (_, after) = rest.split_once('}')?;
    let value = path.strip_prefix(before)?.strip_suffix(after)?;
    (!value.is_empty() && !value.contains('/')).then_some(value)
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
    /// `/v1/openapi.json`, if plugins describe paths.
    PluginDescription,
    /// `/mcp`, if there is a REST map.
    Mcp,
    /// `/healthz`.
    Health,
    /// `/readyz`.
    Ready,
    /// `/v1/version`.
    Version,
    /// `/`, for browsers.
    Index,
    /// Pages and files of a plugin.
    Pages(PageFilter),
    /// A plugin's handler.
    Plugin(Arc<dyn PluginHandler>),
}

/// The future of a plugin's response.
pub type HandlerFuture<'a> = Pin<Box<dyn Future<Output = Result<Response, Error>> + Send + 'a>>;

/// Answers the requests to a plugin's route. An error is sent in the route's format.
pub trait PluginHandler: Send + Sync {
    /// Answers an exchange. Its [`app`](HttpExchange::app) has the state that requests share.
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a>;

    /// Whether it checks the origin of requests itself, so that pages of every origin may read the
    /// response.
    fn checks_origin(&self) -> bool {
        false
    }
}

impl std::fmt::Debug for Route {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Route")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_is_one_whole_segment() {
        let value = |path| parameter("/things/{name}/event", path);
        assert_eq!(value("/things/a/event"), Some("a"));
        assert_eq!(value("/things/a%2Fb/event"), Some("a%2Fb"));
        for other in [
            "/things//event",
            "/things/event",
            "/things/a/b/event",
            "/things/a/event/",
            "/thing/a/event",
            "",
        ] {
            assert_eq!(value(other), None, "{other}");
        }
        assert_eq!(parameter("/things", "/things"), None);
    }
}
