//! All cohorts of a process: found by their translations, and woken when the database has changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use sql::postgres::catalog::Oid;

use super::cohort::{Cohort, CohortKey, Wake};
use super::cohort_context::CohortContext;
use super::coverage::Coverage;
use super::report::CohortReport;
use super::settings::SubscriptionSettings;
use crate::config::SubscriptionSource;

/// The cohorts of a process.
#[derive(Debug)]
pub(super) struct CohortRegistry {
    pub(super) context: CohortContext,
    cohorts: Mutex<Cohorts>,
    /// The changes that replication reports while it runs.
    coverage: RwLock<Option<Arc<Coverage>>>,
    /// Held while a replication starts.
    pub(super) starting: Arc<tokio::sync::Mutex<()>>,
    /// The sources that work, of [`SOURCES`].
    working_sources: Mutex<[bool; SOURCES.len()]>,
}

/// The cohorts by what distinguishes them.
#[derive(Debug, Default)]
pub(super) struct Cohorts {
    pub(super) by_translation: HashMap<CohortKey, Arc<Cohort>>,
    /// How many of them serve a slow list of parameters.
    pub(super) slow: usize,
    /// Whether a task watches the database for them.
    pub(super) is_watched: bool,
}

/// The sources of changes with their names in the metrics, the best one first.
const SOURCES: [(SubscriptionSource, &str); 3] = [
    (SubscriptionSource::Replication, "replication"),
    (SubscriptionSource::Triggers, "triggers"),
    (SubscriptionSource::Snapshot, "snapshot"),
];

impl CohortRegistry {
    pub(super) fn new(settings: SubscriptionSettings) -> CohortRegistry {
        CohortRegistry {
            context: CohortContext::new(settings),
            cohorts: Mutex::default(),
            coverage: RwLock::default(),
            starting: Arc::default(),
            working_sources: Mutex::default(),
        }
    }

    /// The cohorts that have subscribers, in no order.
    pub(super) fn report(&self) -> Vec<CohortReport> {
        let cohorts: Vec<Arc<Cohort>> = self.cohorts().by_translation.values().cloned().collect();
        cohorts
            .iter()
            .filter_map(|cohort| cohort.report())
            .collect()
    }

    /// Removes a cohort that has no subscribers. Returns false if one has joined meanwhile.
    pub(super) fn remove_if_empty(&self, cohort: &Arc<Cohort>) -> bool {
        let mut cohorts = self.cohorts();
        if !cohort.is_empty() {
            return false;
        }
        let key = cohort.key();
        if cohorts
            .by_translation
            .get(&key)
            .is_some_and(|known| Arc::ptr_eq(known, cohort))
        {
            cohorts.by_translation.remove(&key);
            cohorts.slow -= usize::from(key.1.is_some());
            self.context.settings.metrics.cohorts.dec();
            self.context.count_cohort_change();
        }
        true
    }

    /// Wakes the cohorts whose results may have changed. Those whose changes replication reports
    /// are not woken by others.
    pub(super) fn wake(&self, wake: Wake) {
        let metrics = &self.context.settings.metrics;
        let counter = match wake {
            Wake::Clock => &metrics.woken_by_clock,
            Wake::Write => &metrics.woken_by_snapshot,
            Wake::Table(_) => &metrics.woken_by_notification,
            Wake::Everything => &metrics.woken_by_replication,
        };
        let coverage = self.coverage();
        for cohort in self.cohorts().by_translation.values() {
            let is_covered = || {
                coverage
                    .as_ref()
                    .is_some_and(|coverage| cohort.is_covered(coverage))
            };
            // A covered stream may have to give slow clients their next turn.
            let wake = match wake {
                Wake::Table(_) if is_covered() => continue,
                Wake::Write if is_covered() => Wake::Clock,
                wake => wake,
            };
            if cohort.wake(wake) {
                counter.inc();
            }
        }
    }

    /// Whether a cohort has changes that replication does not report.
    pub(super) fn has_uncovered(&self) -> bool {
        let Some(coverage) = self.coverage() else {
            return true;
        };
        self.cohorts()
            .by_translation
            .values()
            .any(|cohort| !cohort.is_covered(&coverage))
    }

    /// The cohorts that read a table, or one of its parents.
    pub(super) fn readers(&self, table: Oid, parents: &[Oid]) -> Vec<Weak<Cohort>> {
        let cohorts = self.cohorts();
        let readers = cohorts
            .by_translation
            .values()
            .filter(|cohort| cohort.reads(table, parents));
        readers.map(Arc::downgrade).collect()
    }

    /// Has all cohorts find out again what they read.
    pub(super) fn forget_policies(&self) {
        self.cohorts()
            .by_translation
            .values()
            .for_each(|cohort| cohort.forget_policy());
        self.context.count_cohort_change();
    }

    pub(super) fn coverage(&self) -> Option<Arc<Coverage>> {
        self.coverage
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn set_coverage(&self, coverage: Option<Arc<Coverage>>) {
        *self
            .coverage
            .write()
            .unwrap_or_else(PoisonError::into_inner) = coverage;
    }

    /// Shows in the metrics the best source that works.
    pub(super) fn show_source(&self, source: SubscriptionSource, works: bool) {
        let mut working = self
            .working_sources
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for ((known, _), working) in SOURCES.iter().zip(working.iter_mut()) {
            if *known == source {
                *working = works;
            }
        }
        let best = working.iter().position(|works| *works);
        for (index, (_, name)) in SOURCES.iter().enumerate() {
            self.context
                .settings
                .metrics
                .source
                .with_label_values(&[name])
                .set(i64::from(best == Some(index)));
        }
    }

    /// Whether there is nothing to watch for any more.
    pub(super) fn stop_if_empty(&self) -> bool {
        let mut cohorts = self.cohorts();
        cohorts.is_watched = !cohorts.by_translation.is_empty();
        !cohorts.is_watched
    }

    pub(super) fn cohorts(&self) -> MutexGuard<'_, Cohorts> {
        self.cohorts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cohorts {
    /// How many cohorts serve a slow list of parameters that keeps the database busy. Idle ones
    /// need no place.
    pub(super) fn busy_slow(&self) -> usize {
        if self.slow == 0 {
            0
        } else {
            self.by_translation
                .values()
                .filter(|cohort| cohort.is_busy_with_slow())
                .count()
        }
    }
}
