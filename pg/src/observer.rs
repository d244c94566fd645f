//! What the pool reports to its owner, such as for metrics.

use crate::memory_limit::MemoryLimit;

/// Is told what the pool does. Each method does nothing unless it is implemented, and should return
/// at once: requests wait for it.
pub trait Observer: std::fmt::Debug + Send + Sync {
    /// A request got no connection, because the queue is full.
    fn queue_is_full(&self) {}

    /// A request got no connection within the maximum time in the queue.
    fn queue_time_is_over(&self) {}

    /// A group of short reads was sent.
    fn group_was_sent(&self) {}

    /// A short read got its rows from a group.
    fn read_was_grouped(&self) {}

    /// A query is sent to a server: a replica by its host and port, or `primary`.
    fn query_is_routed(&self, _server: &str) {}

    /// A replica failed to answer a query.
    fn replica_has_failed(&self, _replica: &str) {}

    /// A replica is this many seconds behind the primary.
    fn replica_lags(&self, _replica: &str, _seconds: f64) {}

    /// Whether a replica gets queries, after it was asked for its position.
    fn replica_was_judged(&self, _replica: &str, _is_usable: bool) {}

    /// This many hosts of the database accept writes.
    fn primary_candidates(&self, _count: usize) {}

    /// This host of the database is the one to write to now; none if there is none.
    fn primary_changed(&self, _host: Option<&str>) {}

    /// The clock of this machine is this many seconds ahead of the database's.
    fn clock_offset(&self, _seconds: f64) {}

    /// A reservation of memory did not fit.
    fn memory_was_refused(&self, _limit: MemoryLimit) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
