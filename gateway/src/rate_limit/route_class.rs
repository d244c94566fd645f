//! The classes of routes that rate limits apply to.

/// The class of a route, which decides the limits that apply to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RouteClass {
    /// Requests to the engine: GraphQL, REST endpoints and MCP.
    Requests,
    /// Authentication, such as signing in.
    Authentication,
    /// Webhooks that other services send.
    Webhooks,
    /// Sessions of widgets on web sites.
    Widgets,
    /// The metrics, where only failed requests are limited.
    Metrics,
    /// Health and version of the gateway, which have no rate limit.
    Operations,
}
