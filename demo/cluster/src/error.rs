//! Why a cluster does not start.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::npm::NPM_PACKAGE;

/// How long a cluster may take to start.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Why a cluster could not be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The programs of Postgres were not found.
    #[error(
        "no programs of Postgres found (`postgres` and `initdb` on PATH, in `pg_config --bindir`, in \
         /usr/lib/postgresql/*/bin, in Homebrew's folders, in node_modules); install them with \
         `apt-get install postgresql` or `brew install postgresql@17`, or take those of npm: `npx \
         --package=postern --package={NPM_PACKAGE} postern demo`"
    )]
    NoBinaries,
    /// This process is root, and there is no other user to run the server.
    #[error(
        "postgres does not run as root, and there is neither a user `postgres` nor a user `nobody`"
    )]
    NoUser,
    /// The server's user cannot enter the folder of the programs, and they could not be copied.
    #[error(
        "the user that Postgres runs as cannot read its programs in `{}`, and they could not be \
         copied; install them in a folder that all users can read",
        .0.display()
    )]
    Unreadable(PathBuf),
    /// The data folder has contents that are not a cluster of Postern's.
    #[error("the folder `{}` is not empty and holds no cluster made by postern", .0.display())]
    NotOurs(PathBuf),
    /// A file or folder could not be created, read or given to the server's user.
    #[error("`{}`: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The server ended before it was ready.
    #[error("postgres did not start; the end of its log:\n{log}")]
    Failed {
        /// The last lines of its log.
        log: String,
    },
    /// The server was not ready in time.
    #[error("postgres was not ready after {} seconds; the end of its log:\n{log}", TIME_LIMIT.as_secs())]
    Slow {
        /// The last lines of its log.
        log: String,
    },
}

impl Error {
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::File { path, source }
    }
}
