//! Starts the worker of asynchronous actions, which takes the running version for each of its
//! rounds.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::actions::worker::{self, AccessOf, Work};
use crate::auth::session::Session;
use crate::http::App;

/// The running worker. Dropping it drops the calls that it makes; another gateway takes them up.
#[derive(Debug)]
pub(crate) struct ActionWorker {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl ActionWorker {
    /// Starts the worker.
    pub(crate) fn start(app: &Arc<App>) -> ActionWorker {
        let drain = app.state().limits.drain_time;
        let app = Arc::downgrade(app);
        let current = move || {
            let app = app.upgrade()?;
            let state = app.state();
            let execution = &state.execution;
            execution.actions.has_asynchronous().then(|| {
                let schema = execution.schema.clone();
                let access: AccessOf = Arc::new(move |session: &Session| schema.access(session));
                let work = Work {
                    handlers: execution.actions.clone(),
                    database: execution.database.clone(),
                    memory: execution.memory,
                    prefix: state.authenticator.policy().header_prefix.as_str().into(),
                    profile: app.profile,
                };
                (work, access)
            })
        };
        let (stop, stopped) = oneshot::channel();
        // A sender that was dropped stops the worker, too.
        let stopped = async { drop(stopped.await) };
        ActionWorker {
            stop: Some(stop),
            task: tokio::spawn(worker::run(current, stopped, drain)),
        }
    }

    /// Takes no more calls, and waits until those that run have ended or were given back.
    pub(crate) async fn end(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        // A panic in it has been logged.
        let _ = (&mut self.task).await;
    }
}

impl Drop for ActionWorker {
    fn drop(&mut self) {
        self.task.abort();
    }
}
