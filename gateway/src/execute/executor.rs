//! The values that requests are executed with: one version of catalog, permissions and caches, and the connection pool.

use std::sync::Arc;

use http::HeaderMap;
use tokio::time::Instant;

use super::engine::Engine;
use super::raised_errors::RaisedErrors;
use super::read_cache::ReadCache;
use super::reload_requests::ReloadRequests;
use super::replica_routing::ReplicaRouting;
use super::schema_work::SchemaWork;
use crate::actions::Handlers;
use crate::auth::session::{AuthKind, Session};
use crate::database::Database;
use crate::limits::memory::MemoryBudget;
use crate::limits::{LimitsByRole, ShareKey, address_key};
use crate::trusted_documents::TrustedDocuments;

/// Executes requests. A reload makes a new executor; a running request keeps the one it began with.
#[derive(Debug)]
pub struct Executor {
    /// Catalog, access and plans.
    pub engine: Arc<Engine>,
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

impl Executor {
    /// Work on the schema of a caller's role until the deadline.
    pub fn schema_work(&self, session: &Session, deadline: Instant) -> SchemaWork {
        let limits = self.limits.for_role(session.role());
        let address = session.client().filter(|_| session.caller() != AuthKind::Trusted).and_then(address_key);
        let caller = ShareKey { role: Some(limits.role_key()), user: session.user(), address };
        SchemaWork::new(self.engine.schemas.slots().clone(), caller, deadline, limits.enforced.time, self.memory)
    }

    /// A copy of the client's headers, if the handler of an action gets them.
    pub fn client_headers(&self, headers: &HeaderMap) -> Option<Arc<HeaderMap>> {
        self.actions.forwards_headers().then(|| Arc::new(headers.clone()))
    }
}
