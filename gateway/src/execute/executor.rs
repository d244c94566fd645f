//! What requests are executed with: one version of catalog, permissions and caches.

use std::sync::Arc;

use super::engine::Engine;
use super::read_cache::ReadCache;
use super::reload_requests::ReloadRequests;
use crate::database::Database;
use crate::limits::LimitsByRole;
use crate::limits::memory::MemoryBudget;
use crate::trusted_documents::TrustedDocuments;

/// Executes requests. A reload makes another one, and requests keep the one that they began with.
#[derive(Debug)]
pub struct Executor {
    /// Catalog, access and plans.
    pub engine: Arc<Engine>,
    /// The pool of connections.
    pub database: Database,
    /// Persisted documents, allow lists and automatic persisted queries.
    pub documents: TrustedDocuments,
    /// The limits of each role.
    pub limits: LimitsByRole,
    /// Answers of reads that other requests may share.
    pub reads: ReadCache,
    /// Requests a reload when the database has changed.
    pub reload: ReloadRequests,
    /// The memory budget of values and answers.
    pub memory: MemoryBudget,
}
