//! Why a run fails.

use std::net::SocketAddr;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No requests, no clients, or an invalid rate or time.
    #[error("a load needs calls, clients, and a rate and time above zero")]
    Nothing,
    /// The server accepts no connection.
    #[error("cannot connect to {address}: {cause}")]
    Connect {
        /// The server's address.
        address: SocketAddr,
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// The thread or its runtime could not be created.
    #[error("cannot start the load: {0}")]
    Start(std::io::Error),
    /// The thread ended without a result.
    #[error("the load ended before its time")]
    Lost,
}
