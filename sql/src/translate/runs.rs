//! What earlier runs of a translation have shown: the usual length of the response, and whether the
//! statement may run together with those of other requests. The gateway records it and decides by
//! it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The length of recent responses in bytes, so that the next one gets a buffer of the right size at
/// once.
#[derive(Debug, Default)]
pub struct ResponseLength(AtomicUsize);

/// Whether a statement runs together with those of other requests. It does once it has run alone a
/// few times and is known to be short.
#[derive(Debug)]
pub struct Grouping {
    /// How many more times the statement runs alone.
    alone: AtomicU32,
    is_short: OnceLock<bool>,
}

/// What is known about the grouping of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupingState {
    /// It runs alone for now.
    Alone,
    /// It has run often enough to find out whether it is short. Only one caller gets this, until
    /// [`Grouping::decide`] or many runs later.
    Undecided,
    /// It runs together with others.
    Grouped,
}

/// The capacity for the shortest responses, in bytes.
const MIN_CAPACITY: usize = 256;

/// How often a statement runs before anyone asks whether it is short.
const FIRST_RUNS: u32 = 3;

/// How often a statement runs alone after it took long in a group, or a read failed.
const SUSPENDED_RUNS: u32 = 1000;

impl ResponseLength {
    /// The capacity at which the buffer for the next response begins, between 256 bytes and 64 KiB.
    pub fn capacity(&self) -> usize {
        self.usual().clamp(MIN_CAPACITY, 64 << 10)
    }

    /// The usual length, with some room; 0 before the first response.
    pub fn usual(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Records the length of a response. One that fits and fills half of the usual length changes
    /// nothing, so that processors seldom write what others read.
    pub fn record(&self, bytes: usize) {
        let capacity = self.usual().max(MIN_CAPACITY);
        if bytes > capacity || bytes < capacity / 2 && capacity > MIN_CAPACITY {
            self.0.store(bytes + bytes / 8, Ordering::Relaxed);
        }
    }
}

impl Default for Grouping {
    fn default() -> Grouping {
        Grouping {
            alone: AtomicU32::new(FIRST_RUNS),
            is_short: OnceLock::new(),
        }
    }
}

impl Grouping {
    /// How the next run goes. Counts the runs that have to be alone.
    pub fn next_run(&self) -> GroupingState {
        let count_down = |runs: u32| runs.checked_sub(1);
        match self.is_short.get() {
            Some(false) => GroupingState::Alone,
            // In the usual case nothing is written.
            Some(true) if self.alone.load(Ordering::Relaxed) == 0 => GroupingState::Grouped,
            Some(true) => {
                let _ = self
                    .alone
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, count_down);
                GroupingState::Alone
            }
            None if self
                .alone
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, count_down)
                .is_ok() =>
            {
                GroupingState::Alone
            }
            None if self.alone.swap(SUSPENDED_RUNS, Ordering::Relaxed) == 0 => {
                GroupingState::Undecided
            }
            None => GroupingState::Alone,
        }
    }

    /// Records whether the statement is short.
    pub fn decide(&self, is_short: bool) {
        self.alone.store(0, Ordering::Relaxed);
        // A decision that another caller has made is as good.
        let _ = self.is_short.set(is_short);
    }

    /// Lets the statement run alone for a while: in a group it failed, took long, or returned much.
    pub fn suspend(&self) {
        self.alone.store(SUSPENDED_RUNS, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_follows_the_responses() {
        let length = ResponseLength::default();
        assert_eq!(length.capacity(), 256);
        length.record(100);
        assert_eq!(length.capacity(), 256);
        length.record(4000);
        assert_eq!(length.capacity(), 4500);
        length.record(3000);
        assert_eq!(length.capacity(), 4500);
        length.record(1000);
        assert_eq!(length.capacity(), 1125);
        length.record(10 << 20);
        assert_eq!(length.capacity(), 64 << 10);
        length.record(1 << 20);
        assert_eq!((length.capacity(), length.usual()), (64 << 10, 9 << 17));
        length.record(600 << 10);
        assert_eq!(length.usual(), 9 << 17);
        length.record(100);
        assert_eq!(length.capacity(), 256);
    }

    #[test]
    fn short_statement_is_shared_after_the_first_runs() {
        let grouping = Grouping::default();
        let runs: Vec<_> = (0..=FIRST_RUNS).map(|_| grouping.next_run()).collect();
        assert_eq!(runs[..3], [GroupingState::Alone; 3]);
        assert_eq!(runs[3], GroupingState::Undecided);
        assert_eq!(
            grouping.next_run(),
            GroupingState::Alone,
            "the decision is being made"
        );
        grouping.decide(true);
        assert_eq!(grouping.next_run(), GroupingState::Grouped);
        grouping.suspend();
        assert!((0..SUSPENDED_RUNS).all(|_| grouping.next_run() == GroupingState::Alone));
        assert_eq!(grouping.next_run(), GroupingState::Grouped);
    }

    #[test]
    fn long_statement_always_runs_alone() {
        let grouping = Grouping::default();
        grouping.decide(false);
        assert!((0..10).all(|_| grouping.next_run() == GroupingState::Alone));
    }

    #[test]
    fn lost_decision_is_made_again() {
        let grouping = Grouping::default();
        let undecided = |runs: u32| {
            (0..runs)
                .filter(|_| grouping.next_run() == GroupingState::Undecided)
                .count()
        };
        assert_eq!(
            (
                undecided(FIRST_RUNS + 1),
                undecided(SUSPENDED_RUNS),
                undecided(1)
            ),
            (1, 0, 1)
        );
    }
}
