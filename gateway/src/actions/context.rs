//! The context of an action's call: the caller, and what a handler needs to answer.

use http::HeaderMap;
use pg::memory::MemoryBudget;
use pg::{Database, Requester};
use sql::model::access::Access;
use tokio::time::Instant;

use crate::auth::session::Session;

/// A call's context.
#[derive(Clone, Copy, Debug)]
pub struct ActionContext<'c> {
    /// The action's name.
    pub name: &'c str,
    /// The id of an asynchronous call.
    pub id: Option<&'c str>,
    /// Whether the action may change something, so that a call must not be repeated.
    pub is_mutation: bool,
    /// The path of the field in the request, for errors.
    pub path: &'c str,
    /// The caller.
    pub session: &'c Session,
    /// The access of the caller's role.
    pub access: &'c Access,
    /// The text of the document.
    pub query: &'c str,
    /// The client's headers, if a handler gets them.
    pub headers: Option<&'c HeaderMap>,
    /// Whether what a function of the database writes is undone.
    pub dry_run: bool,
    /// The database.
    pub database: &'c Database,
    /// For whom connections are taken.
    pub requester: &'c Requester,
    /// The memory budget.
    pub memory: MemoryBudget,
    /// When the request times out.
    pub deadline: Instant,
}
