//! Starts the worker of asynchronous actions, which takes the running version for each of its rounds.

use std::sync::Arc;

use tokio::task::AbortHandle;

use crate::actions::worker::{self, AccessOf, Work};
use crate::auth::session::Session;
use crate::http::Server;

/// Starts the worker. It ends with the server.
pub(crate) fn start(server: &Arc<Server>) -> AbortHandle {
    let server = Arc::downgrade(server);
    let current = move || {
        let server = server.upgrade()?;
        let state = server.state();
        let executor = &state.executor;
        executor.actions.has_asynchronous().then(|| {
            let engine = executor.engine.clone();
            let access: AccessOf = Arc::new(move |session: &Session| engine.access(session));
            let work = Work {
                handlers: executor.actions.clone(),
                database: executor.database.clone(),
                memory: executor.memory,
                prefix: state.authenticator.policy().header_prefix.as_str().into(),
                profile: server.profile,
            };
            (work, access)
        })
    };
    tokio::spawn(worker::run(current)).abort_handle()
}
