//! The number of files and sockets that the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Config;

/// Descriptors beside those of sockets and of the pool: files, the log, pipes, other connections.
const RESERVE: usize = 100;

/// Raises the limit to the most that the process may set.
pub(super) fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return;
    }
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    // macOS refuses more than its own maximum; then the limit stays as it was.
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "cannot raise the limit of open files");
    }
}

/// Logs a warning if one client's sockets and the pools do not fit.
pub(super) fn warn_if_few(config: &Config) {
    let pools = config.pool_size * (1 + config.replica_url.len());
    let needed = config.socket_limit + pools + RESERVE;
    let Some(limit) = getrlimit(Resource::Nofile).current else {
        return;
    };
    if limit < needed as u64 {
        tracing::warn!(
            limit,
            needed,
            "the process may open fewer files than `--socket-limit` and `--pool-size` need; raise \
             its limit (`ulimit -n`, `LimitNOFILE=`), or lower `--socket-limit`"
        );
    }
}
