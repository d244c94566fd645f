//! Listens to the triggers of `postern migrate --notify-writes`, through which Postgres notifies the gateway of each table
//! that a transaction has written to, as soon as it has committed.

use std::time::Duration;

use tokio::time::Instant;

use super::super::{Subscriptions, Wake};
use crate::config::SubscriptionSource;
use crate::execute::ReloadRequests;

/// The channel on which the triggers send the OIDs of tables.
const CHANNEL: &str = "postern_write";

/// Whether the database has such triggers.
const HAS_TRIGGERS: &str = "SELECT (EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgname = 'postern_notify_write' \
     AND tgenabled <> 'D'))::text";

/// How long after the loss of the listening connection a new one is made, and how often a database without triggers is
/// checked again.
const AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Listens for notifications, if the database has triggers.
pub(super) async fn listen(subscriptions: &Subscriptions, reload: &ReloadRequests) {
    loop {
        let Some(executor) = reload.latest() else { return std::future::pending().await };
        let listening = async {
            let database = &executor.database;
            let soon = Instant::now() + AGAIN.0;
            if !database.has_sessions()
                || !database.query_text(HAS_TRIGGERS, soon).await.is_ok_and(|found| found == "true")
            {
                return tokio::time::sleep(AGAIN.1).await;
            }
            let notified = |payload: &str| {
                let Ok(oid) = payload.parse() else { return };
                subscriptions.0.settings.metrics.notified.inc();
                subscriptions.wake(Wake::Table(oid));
            };
            subscriptions.show_source(SubscriptionSource::Triggers, true);
            let lost = database.listen(CHANNEL, notified).await;
            subscriptions.show_source(SubscriptionSource::Triggers, false);
            tracing::warn!(cause = %lost, "the connection for notifications of writes was lost");
            tokio::time::sleep(AGAIN.0).await;
        };
        // A reload may change the database.
        tokio::select! {
            () = listening => {}
            _ = reload.replaced(&executor) => {}
        }
    }
}
