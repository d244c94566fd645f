//! Why a pool could not be created.

use crate::conninfo::error::ConninfoError;
use crate::tls::TlsError;

/// Why the pool could not be created.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The connection parameters are invalid.
    #[error(transparent)]
    Parameters(#[from] ConninfoError),
    /// The certificates or keys for TLS are invalid.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A pooler in transaction mode passes prepared statements on, and nothing bypasses it.
    #[error(
        "the database at {location} is behind a pooler in transaction mode that keeps no \
             prepared statements; set \
             `--direct-url` to the URL of the database itself, or `max_prepared_statements` of \
             PgBouncer from version 1.21 on, \
             or `--pooler session` if it is in session mode"
    )]
    Pooler {
        /// Host and port.
        location: String,
    },
    /// No server accepted the first connection.
    #[error("cannot connect to the database at {location}: {cause}")]
    Refused {
        /// Host and port.
        location: String,
        /// The error reported by the server or the operating system.
        cause: String,
    },
}
