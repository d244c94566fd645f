//! Finds out when the database was written to, and wakes the cohorts that may have other results now.
//!
//! Once per interval it reads `pg_current_snapshot()`, whose text differs if a transaction that wrote has ended since: of
//! any database of the cluster, through any client. Where `postern migrate --notify-writes` has installed its triggers,
//! Postgres also notifies the gateway of each table that a transaction wrote to, as soon as it has committed.
//! <https://www.postgresql.org/docs/15/functions-info.html#FUNCTIONS-PG-SNAPSHOT>

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};

use super::{Subscriptions, Wake};
use crate::execute::ReloadRequests;

const SNAPSHOT: &str = "SELECT pg_current_snapshot()::text";

/// The channel on which the triggers of `postern migrate --notify-writes` send the OIDs of tables.
const CHANNEL: &str = "postern_write";

/// Whether the database has such triggers.
const HAS_TRIGGERS: &str = "SELECT (EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgname = 'postern_notify_write' \
     AND tgenabled <> 'D'))::text";

/// How long after the loss of the listening connection a new one is made, and how often a database without triggers is
/// checked again.
const AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Wakes cohorts until there are none.
pub(super) async fn watch(subscriptions: Subscriptions, reload: ReloadRequests) {
    tokio::select! {
        () = compare_snapshots(&subscriptions, &reload) => {}
        () = listen(&subscriptions, &reload) => {}
    }
}

/// Compares snapshots at the end of each interval. Returns when there are no more cohorts.
async fn compare_snapshots(subscriptions: &Subscriptions, reload: &ReloadRequests) {
    let interval = subscriptions.0.settings.interval;
    let mut ticks = tokio::time::interval_at(Instant::now() + interval, interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = None;
    loop {
        ticks.tick().await;
        if subscriptions.stop_if_empty() {
            return;
        }
        let Some(executor) = reload.latest() else { continue };
        // Without an answer everything counts as changed, so that subscribers are right as soon as it comes back.
        let snapshot = executor.database.query_text(SNAPSHOT, Instant::now() + interval * 2).await.ok();
        let has_written = snapshot.is_none() || snapshot != last;
        last = snapshot;
        subscriptions.wake(if has_written { Wake::Write } else { Wake::Clock });
    }
}

/// Listens for the notifications of triggers, if the database has any.
async fn listen(subscriptions: &Subscriptions, reload: &ReloadRequests) {
    loop {
        let Some(executor) = reload.latest() else { return };
        let database = executor.database.clone();
        let soon = Instant::now() + AGAIN.0;
        drop(executor);
        if database.query_text(HAS_TRIGGERS, soon).await.is_ok_and(|found| found == "true") {
            let notified =
                |payload: &str| payload.parse().into_iter().for_each(|oid| subscriptions.wake(Wake::Table(oid)));
            let lost = database.listen(CHANNEL, notified).await;
            tracing::warn!(cause = %lost, "no longer notified of writes; subscriptions are updated at intervals");
            tokio::time::sleep(AGAIN.0).await;
        } else {
            tokio::time::sleep(AGAIN.1).await;
        }
    }
}
