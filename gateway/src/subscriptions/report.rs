//! What runs at the moment, for the console.

use std::sync::Arc;

use crate::execute::live_query::RunPolicy;

/// A cohort and its subscribers.
#[derive(Clone, Debug)]
pub struct CohortReport {
    /// The role of the subscribers.
    pub role: String,
    /// The name of the operation of one of them, if it has one.
    pub operation: Option<String>,
    /// The document of that subscriber.
    pub document: String,
    /// The number of subscribers.
    pub subscribers: usize,
    /// The number of different lists of parameters.
    pub parameter_lists: usize,
    /// Whether it is a stream and not a live query.
    pub is_stream: bool,
    /// Whether it serves a single list of parameters, because that takes long.
    pub is_slow: bool,
    /// How it is run; none if that is not known yet.
    pub policy: Option<Arc<RunPolicy>>,
}
