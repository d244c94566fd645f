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
    let (mut last, mut has_failed) = (None, true);
    loop {
        ticks.tick().await;
        if subscriptions.stop_if_empty() {
            return;
        }
        let Some(executor) = reload.latest() else { continue };
        let snapshot = executor.database.query_text(SNAPSHOT, Instant::now() + interval * 2).await;
        let Ok(snapshot) = snapshot else {
            // What was written meanwhile is seen as soon as the database answers again.
            has_failed = true;
            subscriptions.wake(Wake::Clock);
            continue;
        };
        let has_written = std::mem::take(&mut has_failed) || last.as_ref() != Some(&snapshot);
        last = Some(snapshot);
        subscriptions.wake(if has_written { Wake::Write } else { Wake::Clock });
    }
}

/// Listens for the notifications of triggers, if the database has any.
async fn listen(subscriptions: &Subscriptions, reload: &ReloadRequests) {
    loop {
        let Some(executor) = reload.latest() else { return std::future::pending().await };
        let listening = async {
            let database = &executor.database;
            let soon = Instant::now() + AGAIN.0;
            if !database.query_text(HAS_TRIGGERS, soon).await.is_ok_and(|found| found == "true") {
                return tokio::time::sleep(AGAIN.1).await;
            }
            let notified =
                |payload: &str| payload.parse().into_iter().for_each(|oid| subscriptions.wake(Wake::Table(oid)));
            let lost = database.listen(CHANNEL, notified).await;
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
