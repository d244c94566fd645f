//! How a transport has a request executed.

use tokio::time::Instant;

use super::read_cache::CachePolicy;
use super::replica_routing::ReadSource;
use crate::telemetry::execution_record::ExecutionRecord;

/// Which operations a transport accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedOperations {
    /// Queries.
    Queries,
    /// Queries and mutations.
    All,
    /// Subscriptions.
    Subscriptions,
    /// Operations of every kind.
    Any,
}

/// How a request is executed.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionOptions<'r> {
    /// The operations that the transport accepts.
    pub operations: AllowedOperations,
    /// Whether the response is buffered, because it becomes a part of another one. Otherwise a long
    /// response is streamed.
    pub buffered: bool,
    /// Which cached answers the transport accepts; the settings may allow more.
    pub cache: CachePolicy,
    /// From where queries may read.
    pub source: ReadSource,
    /// When the request times out.
    pub deadline: Instant,
    /// Where stages, rows and statements are recorded.
    pub record: Option<&'r ExecutionRecord>,
}

impl<'r> ExecutionOptions<'r> {
    /// Options with these operations and this deadline: streamed, cached only as the settings say,
    /// read from the primary, and not recorded.
    pub fn new(operations: AllowedOperations, deadline: Instant) -> ExecutionOptions<'r> {
        let cache = CachePolicy::default();
        let source = ReadSource::default();
        ExecutionOptions {
            operations,
            buffered: false,
            cache,
            source,
            deadline,
            record: None,
        }
    }

    /// The options with a record.
    pub fn recorded(self, record: &'r ExecutionRecord) -> ExecutionOptions<'r> {
        ExecutionOptions {
            record: Some(record),
            ..self
        }
    }
}
