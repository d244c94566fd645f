//! Reloads that the gateway starts itself when a request or a notification of Postgres reports that
//! the schema has changed since the catalog was read, and with `--watch` when a file changes.
//!
//! ```text
//! request ── outdated ──▶ ReloadRequests ──▶ one reload at a time, with pauses ──▶ request, on the new catalog
//! NOTIFY ──────────────▶
//! ```

use std::sync::Arc;
use std::time::Duration;

use pg::{Database, ListenerEvent};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::execute::schema_version::CatalogDigest;
use crate::execute::{ExecutionState, ReloadRequests};
use crate::server::file_watch::{self, FileWatch};
use crate::server::reload::Reloader;

/// The channel on which the event trigger of `postern migrate --watch-schema` notifies of changes.
pub const CHANNEL: &str = "postern_reload";

/// The pause after a reload that changed something, and the longest pause. It doubles with each
/// reload that failed or changed nothing, so that requests which fail for another reason cannot
/// keep the gateway busy with reloads.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// How often a database without the event trigger is checked again, and how long that may take.
const RETRY_DELAYS: (Duration, Duration) = (Duration::from_secs(300), Duration::from_secs(5));

/// Whether the database has the event trigger that notifies of changes.
const WATCHED: &str = "SELECT (count(*) > 0)::text FROM pg_catalog.pg_event_trigger WHERE \
                       evtname = 'postern_reload' AND evtenabled <> 'D'";

/// Starts reloading on request, until the sender is dropped. It runs on its own thread, which
/// compiles permissions while the others answer requests.
pub(crate) fn start(
    requests: ReloadRequests,
    reloader: Arc<Reloader>,
    files: Option<FileWatch>,
) -> std::io::Result<oneshot::Sender<()>> {
    let (stop, mut stopped) = oneshot::channel();
    let runtime = tokio::runtime::Handle::current();
    let run = move || {
        runtime.block_on(async {
            tokio::select! {
                _ = &mut stopped => {}
                () = run(&requests, &reloader) => {}
                () = listen(&requests) => {}
                () = watch(&reloader, files) => {}
            }
        });
    };
    std::thread::Builder::new()
        .name("reload".into())
        .spawn(run)?;
    Ok(stop)
}

async fn watch(reloader: &Reloader, files: Option<FileWatch>) {
    match files {
        Some(files) => file_watch::run(reloader, files).await,
        None => std::future::pending().await,
    }
}

async fn run(requests: &ReloadRequests, reloader: &Reloader) {
    let mut pause = PAUSES.0;
    loop {
        requests.next().await;
        tracing::info!("the database has changed since its catalog was read: reloading");
        let has_changed = match reloader.reload_catalog().await {
            Ok(reloaded) => {
                reloaded.log();
                reloaded.has_changed()
            }
            Err(error) => {
                tracing::error!("not reloaded, the running version stays: {error}");
                false
            }
        };
        pause = if has_changed {
            PAUSES.0
        } else {
            (pause * 2).min(PAUSES.1)
        };
        requests.finish(pause);
    }
}

/// Listens for notifications, if the database sends them.
async fn listen(requests: &ReloadRequests) {
    // Without a running version the process ends.
    while let Some(execution) = requests.latest() {
        let database = execution.database.clone();
        let watched = database
            .query_text(WATCHED, Instant::now() + RETRY_DELAYS.1)
            .await;
        if !database.has_sessions() || !watched.is_ok_and(|watched| watched == "true") {
            // After a reload the event trigger may exist.
            let _ = tokio::time::timeout(RETRY_DELAYS.0, requests.replaced(&execution)).await;
            continue;
        }
        tokio::select! {
            () = listen_to(&database, requests) => {}
            () = moved(requests, execution) => {
                tracing::info!("the gateway uses another database, to whose notifications of \
                                schema changes it listens now");
                requests.request();
            }
        }
    }
}

async fn listen_to(database: &Database, requests: &ReloadRequests) {
    let mut listener = database.listen(CHANNEL);
    loop {
        match listener.next().await {
            ListenerEvent::Notification(_) => requests.request(),
            // Changes since the catalog was read, before the gateway listened, sent no
            // notification.
            ListenerEvent::Connected if is_current(database, requests).await => {}
            ListenerEvent::Connected => requests.request(),
            ListenerEvent::Lost(cause) => {
                tracing::warn!(%cause, "the connection for notifications of schema changes was \
                                        lost");
            }
        }
    }
}

/// Whether the running version has the catalog as it is now.
async fn is_current(database: &Database, requests: &ReloadRequests) -> bool {
    let now = CatalogDigest::read(database).await;
    requests
        .latest()
        .is_some_and(|execution| now.is_ok_and(|now| now == execution.schema.catalog_digest))
}

/// Waits for a reload that leads to another database than this version's. The versions are not
/// held.
async fn moved(requests: &ReloadRequests, mut running: Arc<ExecutionState>) {
    let database = running.database.clone();
    while running.database.is_same_place(&database) {
        running = requests.replaced(&running).await;
    }
}
