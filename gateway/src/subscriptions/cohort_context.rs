//! What all cohorts of a process share.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::recent_commits::RecentCommits;
use super::settings::SubscriptionSettings;
use super::snapshot::{CURRENT_SNAPSHOT, Snapshot};
use pg::Database;

/// What all cohorts of a process share.
#[derive(Debug)]
pub(super) struct CohortContext {
    pub(super) settings: SubscriptionSettings,
    /// The turns of slow lists of parameters.
    pub(super) slow: Semaphore,
    /// The transactions that replication has reported and that may not be visible yet.
    pub(super) recent_commits: RecentCommits,
    /// Counts the cohorts that have come, gone, or found out what they read.
    cohort_changes: AtomicU64,
}

/// How many statements of slow lists of parameters run at the same time.
const SLOW_AT_ONCE: usize = 4;

impl CohortContext {
    pub(super) fn new(settings: SubscriptionSettings) -> CohortContext {
        CohortContext {
            settings,
            slow: Semaphore::new(SLOW_AT_ONCE),
            recent_commits: RecentCommits::default(),
            cohort_changes: AtomicU64::new(0),
        }
    }

    pub(super) fn count_cohort_change(&self) {
        self.cohort_changes.fetch_add(1, Ordering::Release);
    }

    pub(super) fn cohort_changes(&self) -> u64 {
        self.cohort_changes.load(Ordering::Acquire)
    }

    /// Whether a transaction that replication has reported may not be visible yet.
    pub(super) async fn has_invisible_commits(&self, database: &Database) -> bool {
        if self.recent_commits.is_empty() {
            return false;
        }
        let reported = self.recent_commits.xids();
        let snapshot = database
            .query_text(CURRENT_SNAPSHOT, Instant::now() + self.settings.interval)
            .await;
        match snapshot.ok().as_deref().and_then(Snapshot::parse) {
            Some(snapshot) => {
                self.recent_commits.remove_ended(&snapshot);
                reported.iter().any(|xid| !snapshot.has_ended(*xid))
            }
            None => true,
        }
    }
}
