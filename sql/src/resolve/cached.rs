//! Hasura's directive `@cached(ttl: 60, refresh: false)` of a query: how long its answer may be
//! cached. Only Hasura's dialect knows it; [`super::rules`] validates it, and the gateway caches.

use std::time::Duration;

use async_graphql_parser::types::OperationDefinition;
use async_graphql_value::Value;
use serde_json::Value as Json;

use super::input::json;
use crate::graphql::variables::Variables;

/// The name of the directive.
pub(super) const CACHED: &str = "cached";
/// The argument with the seconds for which the answer is cached.
pub(super) const TTL: &str = "ttl";
/// The argument that makes the query run although there is a cached answer.
pub(super) const REFRESH: &str = "refresh";

/// The most seconds for which an answer is cached, as in Hasura Cloud.
const MOST_SECONDS: u64 = 300;

/// What a query says about caching its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cached {
    /// How long the answer may be cached.
    pub ttl: Duration,
    /// Whether the query runs although there is a cached answer, which it replaces.
    pub refresh: bool,
}

impl Cached {
    /// The seconds for which an answer is cached by default, as in Hasura Cloud.
    pub const DEFAULT_SECONDS: u64 = 60;
}

/// Whether an operation has the directive.
pub(super) fn is_cached(operation: &OperationDefinition) -> bool {
    operation
        .directives
        .iter()
        .any(|directive| directive.node.name.node == CACHED)
}

/// The directive of an operation under the variables of a request.
pub(super) fn cached(operation: &OperationDefinition, variables: &Variables) -> Option<Cached> {
    let directive = operation
        .directives
        .iter()
        .find(|directive| directive.node.name.node == CACHED)?;
    let argument = |name: &str| {
        let (_, value) = directive
            .node
            .arguments
            .iter()
            .find(|(known, _)| known.node == name)?;
        match &value.node {
            Value::Variable(name) => variables.get(name).cloned(),
            literal => Some(json(literal)),
        }
    };
    let seconds = match argument(TTL) {
        None | Some(Json::Null) => Cached::DEFAULT_SECONDS,
        Some(seconds) => seconds.as_u64().unwrap_or_default().min(MOST_SECONDS),
    };
    let refresh = argument(REFRESH)
        .and_then(|refresh| refresh.as_bool())
        .unwrap_or_default();
    Some(Cached {
        ttl: Duration::from_secs(seconds),
        refresh,
    })
}
