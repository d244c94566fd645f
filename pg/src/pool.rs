//! The pool behind a [`Database`](crate::Database): the queue for its connections, the groups in
//! which short reads run, the upkeep of idle connections, and the clients for its owner's work.

pub(crate) mod admin_pool;
pub(crate) mod group_schedule;
pub(crate) mod grouped_reads;
pub(crate) mod queue;
pub(crate) mod upkeep;

/// The current size and use of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolState {
    /// The maximum number of connections.
    pub limit: usize,
    /// The number of open connections.
    pub open: usize,
    /// The number of open connections that are not in use.
    pub idle: usize,
    /// The number of requests that wait for a connection.
    pub waiting: usize,
}
