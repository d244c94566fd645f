//! Reloads that the gateway starts by itself, when the database turns out to have changed since its catalog was read: a
//! statement names a column that is gone, Postgres describes other types than the encoders are made for, or a notification
//! comes. Requests that were refused for it wait for the reload and are run once more.
//!
//! ```text
//! request ── refused ──▶ wish ──▶ one reload at a time, with pauses between ──▶ request, on the new catalog
//! NOTIFY  ─────────────▶
//! ```

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use crate::execute::HandlerState;
use crate::http::Server;
use crate::server::reload::Reloader;

/// The channel on which `postern migrate --watch-schema` has Postgres notify of changes.
pub const CHANNEL: &str = "postern_reload";

/// Asks for reloads. Clones ask the same task.
#[derive(Clone, Debug, Default)]
pub struct AutoReload(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    server: OnceLock<Weak<Server>>,
    wished: Notify,
    rounds: watch::Sender<ReloadCounts>,
}

/// The reloads so far.
#[derive(Clone, Copy, Debug, Default)]
struct ReloadCounts {
    done: u64,
    /// When the next one may begin.
    next: Option<Instant>,
}

/// The pause after a reload that has changed something, and the longest one. It doubles with each reload that has failed or
/// changed nothing, so that requests which fail for another reason cannot keep the gateway busy with reloads.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// A request does not wait for a reload that begins later than that.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long after the loss of the connection that listens there is another, and how often a database without the event
/// trigger is looked at again.
const AGAIN: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(300));

/// Whether the database notifies of changes.
const WATCHED: &str = "SELECT (count(*) > 0)::text FROM pg_catalog.pg_event_trigger WHERE evtname = 'postern_reload' AND evtenabled <> 'D'";

impl AutoReload {
    /// Asks for a reload, and does not wait for it. Wishes that come before it begins are one.
    pub fn request(&self) {
        self.0.wished.notify_one();
    }

    /// What requests are answered with after a reload that begins from now on, or that has taken place since a request got
    /// `parts`. None where there is no reload before the deadline, soon enough, or it changes nothing.
    pub async fn reloaded(&self, parts: &HandlerState, deadline: Instant) -> Option<Arc<HandlerState>> {
        let mut rounds = self.0.rounds.subscribe();
        if let Some(newer) = self.newer(parts) {
            return Some(newer);
        }
        self.request();
        let next = rounds.borrow_and_update().next;
        if next.is_some_and(|next| next > Instant::now() + PATIENCE) {
            return None;
        }
        // A failed reload leaves the running version.
        let _ = tokio::time::timeout_at(deadline, rounds.changed()).await;
        self.newer(parts)
    }

    fn newer(&self, parts: &HandlerState) -> Option<Arc<HandlerState>> {
        let current = self.0.server.get()?.upgrade()?.answering();
        (!std::ptr::eq(Arc::as_ptr(&current), parts)).then_some(current)
    }

    /// Reloads whenever that is wished for, until the sender is dropped. On a thread of its own, which compiles permissions
    /// while the others answer requests.
    pub(crate) fn start(self, server: &Arc<Server>, reloader: Arc<Reloader>) -> std::io::Result<oneshot::Sender<()>> {
        // There is one for each gateway, so it was not set before.
        let _ = self.0.server.set(Arc::downgrade(server));
        let (stop, mut stopped) = oneshot::channel();
        let runtime = tokio::runtime::Handle::current();
        let run = move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = &mut stopped => {}
                    () = self.run(&reloader) => {}
                    () = self.listen() => {}
                }
            });
        };
        std::thread::Builder::new().name("reload".into()).spawn(run)?;
        Ok(stop)
    }

    async fn run(&self, reloader: &Reloader) {
        let mut pause = PAUSES.0;
        loop {
            self.0.wished.notified().await;
            let next = self.0.rounds.borrow().next;
            if let Some(next) = next {
                tokio::time::sleep_until(next).await;
            }
            tracing::info!("the database has changed since its catalog was read: reloading");
            let has_changed = match reloader.reload().await {
                Ok(reloaded) => {
                    reloaded.log();
                    reloaded.has_changed()
                }
                Err(error) => {
                    tracing::error!("not reloaded, the running version stays: {error}");
                    false
                }
            };
            pause = if has_changed { PAUSES.0 } else { (pause * 2).min(PAUSES.1) };
            let next = Some(Instant::now() + pause);
            self.0.rounds.send_modify(|rounds| *rounds = ReloadCounts { done: rounds.done + 1, next });
        }
    }

    /// Listens for notifications, where the database is made to send them.
    async fn listen(&self) {
        let mut rounds = self.0.rounds.subscribe();
        loop {
            let Some(server) = self.0.server.get().and_then(Weak::upgrade) else { return };
            let database = server.answering().database.clone();
            drop(server);
            let asked = database.query_text(WATCHED, Instant::now() + AGAIN.0).await;
            if asked.is_ok_and(|watched| watched == "true") {
                let lost = database.listen(CHANNEL, || self.request()).await;
                tracing::warn!(cause = %lost, "no longer notified of changes of the database");
                tokio::time::sleep(AGAIN.0).await;
                // What changed meanwhile was not notified of.
                self.request();
                continue;
            }
            // A reload may find the event trigger.
            let _ = tokio::time::timeout(AGAIN.1, rounds.changed()).await;
        }
    }
}
