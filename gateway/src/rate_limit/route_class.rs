//! The classes of routes that rate limits apply to.

/// What kind of place a path is: what limits hold there follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RouteClass {
    /// Requests to the engine, by GraphQL or by a named query.
    Requests,
    /// Signing in, and what belongs to it.
    Authentication,
    /// What is counted of the gateway, of which failures alone are limited.
    Metrics,
    /// Questions about the gateway itself, which have no limit.
    Operations,
}
