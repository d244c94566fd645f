//! Metrics by the name of the operation. Clients choose the names, so only the first ones get a
//! label of their own.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::fast::RandomState;
use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec};

use super::exemplars::{ExemplarIndex, Exemplars};
use super::maker::Maker;

/// The name of the histogram of operations.
pub(super) const OPERATION_DURATION: &str = "postern_operation_duration_seconds";

/// The duration and the outcome of operations, by their names.
#[derive(Debug)]
pub struct OperationMetrics {
    /// Operations by `operation` and `code`.
    outcomes: IntCounterVec,
    durations: HistogramVec,
    /// The names that have a label.
    known: RwLock<HashMap<Box<str>, NamedOperation, RandomState>>,
    other: NamedOperation,
    /// How many names get a label.
    limit: std::sync::atomic::AtomicUsize,
    exemplars: Arc<ExemplarIndex>,
}

/// The metrics of one name.
#[derive(Debug)]
struct NamedOperation {
    succeeded: IntCounter,
    durations: Histogram,
    exemplars: Arc<Exemplars>,
}

/// The label of all further names.
const OTHER: &str = "other";

impl OperationMetrics {
    pub(super) fn new(make: &Maker, exemplars: Arc<ExemplarIndex>) -> OperationMetrics {
        let durations = make.histograms(
            "operation_duration_seconds",
            "Time from the head of a request to its response",
            &["operation"],
        );
        let outcomes = make.counters(
            "operations_total",
            "Operations answered",
            &["operation", "code"],
        );
        OperationMetrics {
            other: named(OTHER, &outcomes, &durations, &exemplars),
            outcomes,
            durations,
            known: RwLock::default(),
            limit: 0.into(),
            exemplars,
        }
    }

    /// Gives these names labels of their own, as far as there is room, whatever names clients
    /// invent: those of documents and endpoints that are known in advance.
    pub fn reserve<'n>(&self, names: impl Iterator<Item = &'n str>) {
        let limit = self.limit.load(std::sync::atomic::Ordering::Relaxed);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            if known.len() >= limit {
                return;
            }
            if !known.contains_key(name) {
                known.insert(name.into(), self.named(name));
            }
        }
    }

    fn named(&self, name: &str) -> NamedOperation {
        named(name, &self.outcomes, &self.durations, &self.exemplars)
    }

    /// Sets how many names get a label of their own. With 0, nothing is counted.
    pub fn set_limit(&self, names: usize) {
        self.limit
            .store(names, std::sync::atomic::Ordering::Relaxed);
    }

    /// Counts an operation that was answered, with its trace if it was traced.
    pub fn observe(&self, name: &str, code: &str, seconds: f64, trace_id: Option<u128>) {
        let limit = self.limit.load(std::sync::atomic::Ordering::Relaxed);
        if limit == 0 {
            return;
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(named) = known.get(name) {
            return self.count(named, name, code, seconds, trace_id);
        }
        let has_room = known.len() < limit;
        drop(known);
        // A name that no valid request has used is a client's invention, or a mistake.
        if has_room && code.is_empty() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            let named = known.entry(name.into()).or_insert_with(|| self.named(name));
            return self.count(named, name, code, seconds, trace_id);
        }
        self.count(&self.other, OTHER, code, seconds, trace_id);
    }

    fn count(
        &self,
        named: &NamedOperation,
        name: &str,
        code: &str,
        seconds: f64,
        trace_id: Option<u128>,
    ) {
        named.durations.observe(seconds);
        if let Some(trace_id) = trace_id {
            named.exemplars.record(seconds, trace_id);
        }
        if code.is_empty() {
            named.succeeded.inc();
        } else {
            self.outcomes.with_label_values(&[name, code]).inc();
        }
    }
}

fn named(
    name: &str,
    outcomes: &IntCounterVec,
    durations: &HistogramVec,
    exemplars: &ExemplarIndex,
) -> NamedOperation {
    NamedOperation {
        succeeded: outcomes.with_label_values(&[name, ""]),
        durations: durations.with_label_values(&[name]),
        exemplars: exemplars.add(OPERATION_DURATION, name),
    }
}

#[cfg(test)]
mod tests {
    use prometheus::Registry;

    use super::*;

    #[test]
    fn names_beyond_the_limit_share_a_label() {
        let metrics = OperationMetrics::new(&Maker(Registry::new()), Arc::default());
        metrics.observe("off", "", 0.1, None);
        metrics.set_limit(2);
        for (name, code) in [
            ("a", ""),
            ("wrong", "validation-failed"),
            ("b", ""),
            ("c", ""),
            ("a", "unavailable"),
        ] {
            metrics.observe(name, code, 0.1, None);
        }
        let count =
            |name: &str, code: &str| metrics.outcomes.with_label_values(&[name, code]).get();
        assert_eq!(
            (count("a", ""), count("a", "unavailable"), count("b", "")),
            (1, 1, 1)
        );
        assert_eq!(
            (count(OTHER, ""), count(OTHER, "validation-failed")),
            (1, 1)
        );
        assert_eq!(metrics.other.durations.get_sample_count(), 2);
    }

    #[test]
    fn reserved_names_have_a_label_before_invented_ones() {
        let metrics = OperationMetrics::new(&Maker(Registry::new()), Arc::default());
        metrics.set_limit(2);
        metrics.reserve(["Checkout", "Checkout", "Orders", "Late"].into_iter());
        for name in ["invented", "Checkout", "Late"] {
            metrics.observe(name, "", 0.1, None);
        }
        let count = |name: &str| metrics.outcomes.with_label_values(&[name, ""]).get();
        assert_eq!((count("Checkout"), count(OTHER)), (1, 2));
    }
}
