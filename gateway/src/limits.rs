//! How much a caller may ask for: the limits, those of each role, and what is said when one is exceeded. Each is applied where
//! the thing it bounds is read: bodies in [`crate::http`], documents in `sql`, time in [`crate::execute`].

mod kind;
mod role_limits;
mod config;
pub mod memory;

use std::time::Duration;

pub use config::LimitsConfig;
pub use kind::LimitKind;
pub use role_limits::{LimitsByRole, RoleLimits};

/// The limits of a gateway, or of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Requests in a batch.
    pub batch: usize,
    /// Bytes of an answer.
    pub answer: usize,
    /// From the head of a request to the end of its statement, which waits for the client where the answer is long.
    pub time: Duration,
    /// Until the head of a request is complete.
    pub header_time: Duration,
    /// Between two pieces of a body.
    pub body_time: Duration,
    /// A connection without a request.
    pub idle_time: Duration,
    /// Waiting for running requests when the server stops.
    pub drain_time: Duration,
    /// Rows that the planner expects of a request, those of lists within rows among them.
    pub rows: usize,
    /// Work that the planner expects of a request, in its own units.
    pub cost: usize,
    /// Bytes a second that a client has to take of an answer that holds a connection.
    pub read_rate: usize,
    /// Connections of the pool that requests of one role may hold.
    pub connections: usize,
    /// Bytes of patterns and searches in the conditions of a request.
    pub patterns: usize,
    /// What a document may hold.
    pub document: sql::graphql::document::Limits,
}

/// A limit that was exceeded, with its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitExceeded {
    /// [`Limits::body`].
    #[error("the body is larger than the limit of {0} bytes")]
    Body(usize),
    /// What a compressed body may become, beside [`Limits::body`]: so many times as long.
    #[error("the body inflates to more than the limit of {0} times its length")]
    Inflation(usize),
    /// What may stand before a body.
    #[error("the head of the request is larger than the limit of {0} bytes")]
    Head(usize),
    /// [`Limits::batch`].
    #[error("the batch holds more requests than the limit of {0}")]
    Batch(usize),
    /// [`Limits::answer`].
    #[error("the answer is larger than the limit of {0} bytes")]
    Answer(usize),
    /// [`Limits::rows`].
    #[error("the request asks for more rows than the limit of {0}, as far as the database can tell beforehand")]
    Rows(usize),
    /// [`Limits::cost`].
    #[error("the request costs more than the limit of {0}, as far as the database can tell beforehand")]
    Cost(usize),
    /// [`Limits::time`].
    #[error("the request took longer than the limit of {} seconds", .0.as_secs_f64())]
    Time(Duration),
    /// [`Limits::read_rate`].
    #[error("the answer was taken more slowly than the limit of {0} bytes a second")]
    ReadRate(usize),
    /// [`Limits::body_time`], or [`Limits::time`] for all of it.
    #[error("the body did not arrive within the limit of {} seconds", .0.as_secs_f64())]
    BodyTime(Duration),
}

impl Limits {
    /// Bytes of a request's values, each counted as often as it is sent to Postgres: a multiple of what a body may hold, but
    /// no more than Postgres takes in one message.
    pub fn values(&self) -> usize {
        self.body.saturating_mul(4).clamp(VALUES, 512 << 20)
    }
}

/// The least that they may have, whatever the bodies.
const VALUES: usize = 64 << 20;

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body: 2 * 1024 * 1024,
            batch: 50,
            answer: 64 * 1024 * 1024,
            time: Duration::from_secs(30),
            header_time: Duration::from_secs(10),
            body_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(75),
            drain_time: Duration::from_secs(30),
            rows: 1_000_000,
            cost: 10_000_000,
            read_rate: 64 << 10,
            connections: 9,
            patterns: 16 << 10,
            document: sql::graphql::document::Limits::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_limit_and_its_value() {
        assert_eq!(LimitExceeded::Body(10).to_string(), "the body is larger than the limit of 10 bytes");
        let time = LimitExceeded::Time(Duration::from_millis(1500));
        assert_eq!(time.to_string(), "the request took longer than the limit of 1.5 seconds");
    }
}
