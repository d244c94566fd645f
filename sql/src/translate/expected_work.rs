//! What the planner expects of a translation, for the limits of roles. The gateway asks Postgres;
//! this file keeps the answers with the translation.
//!
//! One estimate holds for any values of the variables, if even without their limits the work is
//! within those of the role. Otherwise each estimate holds for [limits and
//! offsets](crate::statement::Statement::row_counts) up to certain numbers.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// The planner's estimate for the statements of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpectedWork {
    /// Estimated rows, including those of nested lists.
    pub rows: f64,
    /// Estimated cost, in the planner's units.
    pub cost: f64,
}

/// The planner's estimates for a translation.
#[derive(Debug, Default)]
pub struct ExpectedWorkCache {
    for_any_values: OnceLock<ExpectedWork>,
    by_counts: Mutex<Vec<CountedWork>>,
}

/// An estimate for certain limits and offsets.
#[derive(Clone, Debug)]
pub struct CountedWork {
    /// The numbers in the order of the statements and their parameters; none for no limit.
    pub counts: Vec<Option<u64>>,
    /// The estimate.
    pub work: ExpectedWork,
    /// The response keys to the list with the most rows, if it is known: `parent.child`.
    pub largest_list: Option<String>,
    /// Whether a table that the statements read has no statistics.
    pub lacks_statistics: bool,
    /// When the planner was asked.
    pub asked: Instant,
}

/// The most estimates that are kept for a translation.
const MAX_ESTIMATES: usize = 64;

impl ExpectedWorkCache {
    /// The estimate that holds for any values of the variables.
    pub fn for_any_values(&self) -> Option<ExpectedWork> {
        self.for_any_values.get().copied()
    }

    /// Sets the estimate that holds for any values of the variables.
    pub fn set_for_any_values(&self, work: ExpectedWork) {
        let _ = self.for_any_values.set(work);
    }

    /// The estimate for these limits and offsets.
    pub fn for_counts(&self, counts: &[Option<u64>]) -> Option<CountedWork> {
        self.lock()
            .iter()
            .find(|entry| entry.counts == counts)
            .cloned()
    }

    /// Keeps an estimate, in place of an older one for the same limits and offsets.
    pub fn insert(&self, work: CountedWork) {
        let mut entries = self.lock();
        entries.retain(|entry| entry.counts != work.counts);
        if entries.len() == MAX_ESTIMATES {
            entries.remove(0);
        }
        entries.push(work);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<CountedWork>> {
        self.by_counts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
