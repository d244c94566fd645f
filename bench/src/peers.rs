//! Starts the programs that are compared: Postern, a server written by hand, PostGraphile, and
//! pgbench, each in its own process, over one private cluster with the data of [`crate::work`].
//! Dropping a value ends its process. All functions block; do not call them on an async runtime's
//! thread.

mod bed;
mod calls;
pub mod compare;
mod exchange;
pub mod pgbench;
mod server;

use std::path::PathBuf;

pub use bed::{Bed, DURABLE};
pub use exchange::exchange;
pub use server::{Programs, Server, end, send_signal};

/// The size of each peer's connection pool.
pub const POOL_SIZE: usize = 8;

/// A program that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// `postern serve`.
    Postern,
    /// `postern serve` with `set_role`: a policy of Postgres decides which rows a user sees.
    Policies,
    /// `bench/handwritten`, which verifies tokens.
    HandWritten,
    /// `bench/handwritten`, without verifying tokens.
    Trusting,
    /// PostGraphile 5, in `bench/postgraphile`.
    PostGraphile,
    /// No server: pgbench runs the hand-written statement on Postgres.
    Pgbench,
}

impl Peer {
    /// The peers that are compared with each other.
    pub const ALL: [Peer; 4] = [
        Peer::Postern,
        Peer::HandWritten,
        Peer::PostGraphile,
        Peer::Pgbench,
    ];

    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Peer::Postern => "postern",
            Peer::Policies => "postern-policies",
            Peer::HandWritten => "handwritten",
            Peer::Trusting => "handwritten-trusting",
            Peer::PostGraphile => "postgraphile",
            Peer::Pgbench => "pgbench",
        }
    }
}

/// Why a peer does not run, or does not work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The cluster does not start.
    #[error("no cluster: {0}")]
    Cluster(#[from] cluster::Error),
    /// Postgres returned an error.
    #[error("{doing}: {source}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// The error of Postgres.
        source: tokio_postgres::Error,
    },
    /// A program or file is missing, or a program cannot be run.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// Its path.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A peer exited early or accepts no requests.
    #[error("'{peer}' does not answer; it wrote: {log}")]
    Silent {
        /// Its name.
        peer: &'static str,
        /// The end of its output.
        log: String,
    },
    /// The response is missing or cannot be parsed.
    #[error("no answer of '{peer}': {source}")]
    Exchange {
        /// Its name.
        peer: &'static str,
        /// What happened.
        source: std::io::Error,
    },
    /// A peer responded with an error.
    #[error("'{peer}' answers '{work}' with {response}")]
    Refused {
        /// Its name.
        peer: &'static str,
        /// The name of the work.
        work: &'static str,
        /// The beginning of the response.
        response: String,
    },
    /// Two peers give different responses.
    #[error("'{one}' and '{other}' answer '{work}' differently, {location}")]
    Differ {
        /// The first peer's name.
        one: &'static str,
        /// The second peer's name.
        other: &'static str,
        /// The name of the work.
        work: &'static str,
        /// Where they differ, and both values.
        location: String,
    },
    /// pgbench exited with an error.
    #[error("pgbench: {0}")]
    Pgbench(String),
    /// A token could not be signed.
    #[error("no token: {0}")]
    Token(#[from] jsonwebtoken::errors::Error),
}

impl Error {
    fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, source }
    }

    fn doing(doing: &'static str) -> impl FnOnce(tokio_postgres::Error) -> Error {
        move |source| Error::Database { doing, source }
    }
}
