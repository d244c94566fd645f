//! The values that requests are executed with: one version of catalog, permissions and caches, and
//! the connection pool.
//!
//! A statement that names a column that no longer exists, or result types other than the encoders
//! expect, needs another version. The request that found the change asks for a reload by
//! [`ReloadRequests`], waits for it and runs once more. `server::auto_reload` reloads.

use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use http::HeaderMap;
use pg::Database;
use pg::memory::MemoryBudget;
use pg::sharing::ShareKey;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::raised_errors::RaisedErrors;
use super::read_cache::ReadCache;
use super::replica_routing::ReplicaRouting;
use super::schema_version::SchemaVersion;
use super::schema_work::SchemaWork;
use crate::actions::Handlers;
use crate::auth::session::Session;
use crate::limits::LimitsByRole;
use crate::trusted_documents::TrustedDocuments;

/// What requests are executed with. A reload makes a new one; a running request keeps its own.
#[derive(Debug)]
pub struct ExecutionState {
    /// Catalog, access and plans.
    pub schema: Arc<SchemaVersion>,
    /// The handlers of actions.
    pub actions: Arc<Handlers>,
    /// The pool of connections.
    pub database: Database,
    /// The replicas that queries may read from, and which queries.
    pub replicas: Option<ReplicaRouting>,
    /// Persisted documents, allow lists and automatic persisted queries.
    pub documents: TrustedDocuments,
    /// The limits of each role.
    pub limits: LimitsByRole,
    /// Cached reads and statements in flight.
    pub reads: ReadCache,
    /// Requests a reload when the schema has changed.
    pub reload: ReloadRequests,
    /// Which errors that functions raise clients see.
    pub raised_errors: RaisedErrors,
    /// The memory budget of values and responses.
    pub memory: MemoryBudget,
}

impl ExecutionState {
    /// Whether there are several servers, so that log and traces name the one that answers.
    pub(super) fn has_several_servers(&self) -> bool {
        self.replicas.is_some() || self.database.has_several_hosts()
    }
}

/// Requests reloads. Clones share one queue; requests that arrive before the next reload begins
/// count as one.
#[derive(Clone, Debug, Default)]
pub struct ReloadRequests(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    requested: Notify,
    rounds: watch::Sender<Rounds>,
    latest: RwLock<Weak<ExecutionState>>,
    /// Counts the executors so far.
    versions: watch::Sender<u64>,
}

/// The number of reloads so far.
#[derive(Clone, Copy, Debug, Default)]
struct Rounds {
    done: u64,
    /// The earliest time at which the next reload begins.
    next: Option<Instant>,
}

/// A request does not wait for a reload that begins later than this.
const MAX_WAIT: Duration = Duration::from_secs(3);

impl ExecutionState {
    /// Work on the schema of a caller's role until the deadline.
    pub fn schema_work(&self, session: &Session, deadline: Instant) -> SchemaWork {
        let limits = self.limits.for_role(session.role());
        let slots = self.schema.schema_types.slots().clone();
        SchemaWork::new(
            slots,
            self.share_key(session),
            deadline,
            limits.enforced.time,
            self.memory_of(session),
        )
    }

    /// What a caller is counted by where a limited thing is shared.
    pub fn share_key(&self, session: &Session) -> ShareKey {
        session.share_key(self.limits.for_role(session.role()).role_key())
    }

    /// The memory budget for what this caller reserves.
    pub fn memory_of(&self, session: &Session) -> MemoryBudget {
        self.memory.for_caller(self.share_key(session))
    }

    /// A copy of the client's headers, if the handler of an action gets them.
    pub fn client_headers(&self, headers: &HeaderMap) -> Option<Arc<HeaderMap>> {
        self.actions
            .forwards_headers()
            .then(|| Arc::new(headers.clone()))
    }
}

impl ReloadRequests {
    /// Requests a reload without waiting for it.
    pub fn request(&self) {
        self.0.requested.notify_one();
    }

    /// Waits for a reload that begins from now on, or takes one that ended after the request got
    /// its state. Returns the new state, or none if no reload ends before the deadline, the
    /// next one begins too late, or the reload failed.
    pub async fn reloaded(
        &self,
        state: &ExecutionState,
        deadline: Instant,
    ) -> Option<Arc<ExecutionState>> {
        let mut rounds = self.0.rounds.subscribe();
        if let Some(newer) = self.newer(state) {
            return Some(newer);
        }
        self.request();
        let next = rounds.borrow_and_update().next;
        if next.is_some_and(|next| next > Instant::now() + MAX_WAIT) {
            return None;
        }
        // After a failed reload the running version stays.
        let _ = tokio::time::timeout_at(deadline, rounds.changed()).await;
        self.newer(state)
    }

    fn newer(&self, state: &ExecutionState) -> Option<Arc<ExecutionState>> {
        let latest = self.latest()?;
        (!std::ptr::eq(Arc::as_ptr(&latest), state)).then_some(latest)
    }

    /// Sets the state of the running version.
    pub fn set_latest(&self, state: &Arc<ExecutionState>) {
        *self
            .0
            .latest
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(state);
        self.0.versions.send_modify(|versions| *versions += 1);
    }

    /// The state of the running version, unless the process ends.
    pub fn latest(&self) -> Option<Arc<ExecutionState>> {
        self.0
            .latest
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .upgrade()
    }

    /// Waits until a reload has replaced this state, and returns the new one.
    pub async fn replaced(&self, state: &ExecutionState) -> Arc<ExecutionState> {
        let mut versions = self.0.versions.subscribe();
        loop {
            if let Some(newer) = self.newer(state) {
                return newer;
            }
            // There are no more reloads once the sender is dropped.
            if versions.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits for the next request, and then until the pause after the last reload is over.
    pub async fn next(&self) {
        self.0.requested.notified().await;
        let next = self.0.rounds.borrow().next;
        if let Some(next) = next {
            tokio::time::sleep_until(next).await;
        }
    }

    /// Wakes the requests that wait for the reload that has ended; the next one begins after the
    /// pause at the earliest.
    pub fn finish(&self, pause: Duration) {
        let next = Some(Instant::now() + pause);
        self.0.rounds.send_modify(|rounds| {
            *rounds = Rounds {
                done: rounds.done + 1,
                next,
            }
        });
    }

    /// Waits for the next reload to end.
    pub fn ended(&self) -> impl Future<Output = ()> + use<> {
        let mut rounds = self.0.rounds.subscribe();
        async move {
            // There are no more reloads once the sender is dropped.
            if rounds.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}
