//! Listens to the triggers of `postern migrate --notify-writes`, through which Postgres notifies
//! the gateway of each table that a transaction has written to, as soon as it has committed.

use std::time::Duration;

use pg::{Database, ListenerEvent};
use tokio::time::Instant;

use super::super::cohort::Wake;
use super::super::cohort_registry::CohortRegistry;
use crate::config::SubscriptionSource;
use crate::execute::ReloadRequests;

/// The channel on which the triggers send the OIDs of tables.
const CHANNEL: &str = "postern_write";

/// Whether the database has such triggers.
const HAS_TRIGGERS: &str = "SELECT (EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgname = \
                            'postern_notify_write' \
                            AND tgenabled <> 'D'))::text";

/// How often a database without triggers is checked again, and how long that may take.
const RETRY_DELAYS: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(1));

/// Listens for notifications, if the database has triggers.
pub(super) async fn listen(registry: &CohortRegistry, reload: &ReloadRequests) {
    loop {
        let Some(execution) = reload.latest() else {
            return std::future::pending().await;
        };
        let listening = async {
            let database = &execution.database;
            let soon = Instant::now() + RETRY_DELAYS.1;
            if !database.has_sessions()
                || !database
                    .query_text(HAS_TRIGGERS, soon)
                    .await
                    .is_ok_and(|found| found == "true")
            {
                return tokio::time::sleep(RETRY_DELAYS.0).await;
            }
            listen_to(database, registry).await;
        };
        // A reload may change the database.
        tokio::select! {
            () = listening => {}
            _ = reload.replaced(&execution) => {}
        }
        registry.show_source(SubscriptionSource::Triggers, false);
    }
}

async fn listen_to(database: &Database, registry: &CohortRegistry) {
    let mut listener = database.listen(CHANNEL);
    loop {
        match listener.next().await {
            ListenerEvent::Connected => {
                registry.show_source(SubscriptionSource::Triggers, true);
            }
            ListenerEvent::Notification(payload) => {
                let Ok(oid) = payload.parse() else { continue };
                registry.context.settings.metrics.notified.inc();
                registry.wake(Wake::Table(oid));
            }
            ListenerEvent::Lost(cause) => {
                registry.show_source(SubscriptionSource::Triggers, false);
                tracing::warn!(%cause, "the connection for notifications of writes was lost");
            }
        }
    }
}
