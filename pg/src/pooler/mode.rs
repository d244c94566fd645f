//! What the settings say about a connection pooler.

/// Whether a connection pooler stands between the client and Postgres, and when it changes the
/// server's session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoolerMode {
    /// A pooler is detected, and treated as one in transaction mode.
    #[default]
    Auto,
    /// There is no pooler.
    None,
    /// A pooler that gives each client a session of its own.
    Session,
    /// A pooler that may give each transaction another session.
    Transaction,
}
