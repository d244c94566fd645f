//! The values that requests are executed with: one version of catalog, permissions and caches, and
//! the connection pool.

use std::sync::Arc;

use http::HeaderMap;
use tokio::time::Instant;

use super::raised_errors::RaisedErrors;
use super::read_cache::ReadCache;
use super::reload_requests::ReloadRequests;
use super::replica_routing::ReplicaRouting;
use super::schema_version::SchemaVersion;
use super::schema_work::SchemaWork;
use crate::actions::Handlers;
use crate::auth::session::Session;
use crate::database::Database;
use crate::limits::memory::MemoryBudget;
use crate::limits::{LimitsByRole, ShareKey};
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
