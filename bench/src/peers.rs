//! Who is compared: Postern, a server written by hand, PostGraphile, and pgbench, each a process of its own, over one
//! private cluster with the data of [`crate::work`]. What is started here ends when it is dropped. Everything here waits
//! where it stands; none of it is for a thread that others need.

mod bed;
mod calls;
pub mod compare;
mod exchange;
pub mod pgbench;
mod server;

use std::path::PathBuf;

pub use bed::Bed;
pub use exchange::exchange;
pub use server::{Programs, Server};

/// Connections to the database that each peer may hold.
pub const POOL: usize = 8;

/// One that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// `postern serve`.
    Postern,
    /// `bench/handwritten`, which verifies tokens.
    HandWritten,
    /// The same, leaving the token alone.
    Trusting,
    /// PostGraphile 5, in `bench/postgraphile`.
    PostGraphile,
    /// No server at all: Postgres with the statement written by hand.
    Pgbench,
}

impl Peer {
    /// Those that are compared with each other.
    pub const ALL: [Peer; 4] = [Peer::Postern, Peer::HandWritten, Peer::PostGraphile, Peer::Pgbench];

    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Peer::Postern => "postern",
            Peer::HandWritten => "handwritten",
            Peer::Trusting => "handwritten-trusting",
            Peer::PostGraphile => "postgraphile",
            Peer::Pgbench => "pgbench",
        }
    }
}

/// Why a peer does not run, or not as it should.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No cluster.
    #[error("no cluster: {0}")]
    Cluster(#[from] gateway::demo::cluster::Error),
    /// Postgres refused something.
    #[error("{doing}: {source}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// What Postgres said.
        source: tokio_postgres::Error,
    },
    /// A program or file is not there, or does not run.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A peer ended before its time, or takes no requests.
    #[error("'{peer}' does not answer; it wrote: {log}")]
    Silent {
        /// Its name.
        peer: &'static str,
        /// The end of what it wrote.
        log: String,
    },
    /// No answer, or none that could be read.
    #[error("no answer of '{peer}': {source}")]
    Exchange {
        /// Its name.
        peer: &'static str,
        /// What happened.
        source: std::io::Error,
    },
    /// A peer answered with an error.
    #[error("'{peer}' answers '{work}' with {answer}")]
    Refused {
        /// Its name.
        peer: &'static str,
        /// The name of the work.
        work: &'static str,
        /// The beginning of the answer.
        answer: String,
    },
    /// Two peers do not answer alike.
    #[error("'{one}' and '{other}' answer '{work}' differently, {place}")]
    Differ {
        /// The first peer's name.
        one: &'static str,
        /// The second peer's name.
        other: &'static str,
        /// The name of the work.
        work: &'static str,
        /// Where, and what each of them has there.
        place: String,
    },
    /// pgbench ended with an error.
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
