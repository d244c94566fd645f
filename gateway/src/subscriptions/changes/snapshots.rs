//! Reads `pg_current_snapshot()` once per interval. Its text differs if a transaction that wrote
//! has ended since: of any database of the cluster, through any client.
//! <https://www.postgresql.org/docs/15/functions-info.html#FUNCTIONS-PG-SNAPSHOT>

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};

use super::super::cohort::Wake;
use super::super::cohort_registry::CohortRegistry;
use super::super::coverage::Coverage;
use super::super::snapshot::CURRENT_SNAPSHOT;
use crate::execute::{ExecutionState, ReloadRequests};

/// The longest time after which it is noticed that there are no more cohorts.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Compares snapshots at the end of each interval. Returns when there are no more cohorts.
pub(super) async fn compare(registry: &CohortRegistry, reload: &ReloadRequests) {
    let interval = registry.context.settings.interval;
    let mut ticks = tokio::time::interval_at(Instant::now() + interval, interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = LastSnapshot::default();
    loop {
        while tokio::time::timeout(CHECK_INTERVAL, ticks.tick())
            .await
            .is_err()
        {
            if registry.stop_if_empty() {
                return;
            }
        }
        if registry.stop_if_empty() {
            return;
        }
        let wake = match reload.latest() {
            Some(execution) if registry.has_uncovered() => last.compare(registry, &execution).await,
            _ => Wake::Clock,
        };
        registry.wake(wake);
        last.settle();
    }
}

/// The snapshot of the interval before.
#[derive(Debug, Default)]
struct LastSnapshot {
    text: Option<String>,
    /// The replication that had begun before the snapshot was read.
    coverage: Option<Arc<Coverage>>,
}

impl LastSnapshot {
    /// Reads a snapshot and compares it with the last one.
    async fn compare(&mut self, registry: &CohortRegistry, execution: &ExecutionState) -> Wake {
        let interval = registry.context.settings.interval;
        let metrics = &registry.context.settings.metrics;
        self.coverage = registry.coverage();
        let snapshot = execution
            .database
            .query_text(CURRENT_SNAPSHOT, Instant::now() + interval * 2)
            .await;
        // After a failure, what was written meanwhile is seen as soon as the database answers
        // again.
        let before = std::mem::replace(&mut self.text, snapshot.ok());
        let has_changed = self.text.is_some() && self.text != before;
        let (counter, wake) = if has_changed {
            (&metrics.written, Wake::Write)
        } else {
            (&metrics.unchanged, Wake::Clock)
        };
        counter.inc();
        wake
    }

    /// Passes the snapshot to the replication, once cohorts were woken with it.
    fn settle(&mut self) {
        if let (Some(coverage), Some(snapshot)) = (self.coverage.take(), &self.text) {
            coverage.settle(snapshot);
        }
    }
}
