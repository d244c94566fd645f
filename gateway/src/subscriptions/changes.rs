//! Watches the database for writes. Once per interval it reads `pg_current_snapshot()`, whose text differs if a
//! transaction that wrote has ended since: of any database of the cluster, through any client.
//! <https://www.postgresql.org/docs/15/functions-info.html#FUNCTIONS-PG-SNAPSHOT>

use tokio::time::{Instant, MissedTickBehavior};

use super::Subscriptions;
use crate::execute::ReloadRequests;

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Intervals that have passed.
    pub(super) ticks: u64,
    /// Intervals in which a transaction wrote, or in which the database could not be reached.
    pub(super) writes: u64,
}

const SNAPSHOT: &str = "SELECT pg_current_snapshot()::text";

/// Reports changes until there are no more cohorts.
pub(super) async fn watch(subscriptions: Subscriptions, reload: ReloadRequests) {
    let interval = subscriptions.0.settings.interval;
    let mut ticks = tokio::time::interval_at(Instant::now() + interval, interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = None;
    loop {
        ticks.tick().await;
        if subscriptions.cohorts().is_empty() {
            return;
        }
        let Some(executor) = reload.latest() else { continue };
        // Without an answer everything counts as changed, so that subscribers are right as soon as it comes back.
        let snapshot = executor.database.query_text(SNAPSHOT, Instant::now() + interval * 2).await.ok();
        let has_written = snapshot.is_none() || snapshot != last;
        last = snapshot;
        subscriptions.0.settings.metrics.count_interval(has_written);
        subscriptions.0.changes.send_modify(|changes| {
            changes.ticks += 1;
            changes.writes += u64::from(has_written);
        });
    }
}
