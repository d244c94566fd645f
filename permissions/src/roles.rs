//! The roles of a permission file, compiled.

use std::sync::Arc;

use indexmap::IndexMap;
use sql::model::access::Access;

/// The roles by name, in file order. Each request looks up one.
pub(crate) type Roles = IndexMap<String, Role, foldhash::fast::RandomState>;

/// The compiled access of a role.
#[derive(Debug)]
pub(crate) struct Role {
    /// For callers who are not backends.
    pub(crate) plain: Arc<Access>,
    /// For backends; the same `Arc` as `plain` if no grant is `backend_only`.
    pub(crate) backend: Arc<Access>,
}
