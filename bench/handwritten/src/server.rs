//! What the requests share.

use deadpool_postgres::Pool;

use crate::callers::Callers;

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) pool: Pool,
    pub(crate) callers: Callers,
}
