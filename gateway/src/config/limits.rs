//! The limits of a gateway as the settings give them. [`crate::limits`] applies the table `[bounds]` to them for each role.

use std::time::Duration;

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
