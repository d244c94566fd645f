//! The transactions that replication has reported and that other sessions may not see yet. A
//! subscriber that joins after the report runs its first statement perhaps before the change is
//! visible, and the change is not reported again.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::snapshot::Snapshot;

/// Reported transactions, without those that are known to have ended.
#[derive(Debug, Default)]
pub(super) struct RecentCommits(Mutex<VecDeque<u32>>);

/// The most transactions that are kept. A snapshot removes those that have ended, every ten seconds
/// at least.
const MAX_TRANSACTIONS: usize = 1 << 17;

impl RecentCommits {
    /// Adds a transaction that replication has reported.
    pub(super) fn add(&self, xid: u32) {
        let mut commits = self.commits();
        if commits.len() == MAX_TRANSACTIONS {
            commits.pop_front();
        }
        commits.push_back(xid);
    }

    /// Removes the transactions that have ended.
    pub(super) fn remove_ended(&self, snapshot: &Snapshot) {
        self.commits().retain(|xid| !snapshot.has_ended(*xid));
    }

    pub(super) fn clear(&self) {
        self.commits().clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.commits().is_empty()
    }

    /// The ids of the transactions.
    pub(super) fn xids(&self) -> Vec<u32> {
        self.commits().iter().copied().collect()
    }

    fn commits(&self) -> MutexGuard<'_, VecDeque<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
