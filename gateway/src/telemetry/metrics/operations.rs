//! Metrics by the name of the operation. Clients choose the names, so only the first ones get a
//! label of their own.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use foldhash::fast::RandomState;
use prometheus::{Histogram, HistogramVec, IntCounterVec};

use super::maker::Maker;

/// The duration and the outcome of operations, by their names.
#[derive(Debug)]
pub struct OperationMetrics {
    /// Operations by `operation` and `code`.
    outcomes: IntCounterVec,
    durations: HistogramVec,
    /// The names that have a label, with their histograms.
    known: RwLock<HashMap<Box<str>, Histogram, RandomState>>,
    other: Histogram,
    /// How many names get a label.
    limit: std::sync::atomic::AtomicUsize,
}

/// The label of all further names.
const OTHER: &str = "other";

impl OperationMetrics {
    pub(super) fn new(make: &Maker) -> OperationMetrics {
        let durations = make.histograms(
            "operation_duration_seconds",
            "Time from the head of a request to its response",
            &["operation"],
        );
        OperationMetrics {
            outcomes: make.counters(
                "operations_total",
                "Operations answered",
                &["operation", "code"],
            ),
            other: durations.with_label_values(&[OTHER]),
            durations,
            known: RwLock::default(),
            limit: 0.into(),
        }
    }

    /// Sets how many names get a label of their own. With 0, nothing is counted.
    pub fn set_limit(&self, names: usize) {
        self.limit
            .store(names, std::sync::atomic::Ordering::Relaxed);
    }

    /// Counts an operation that was answered.
    pub fn observe(&self, name: &str, code: &str, seconds: f64) {
        let limit = self.limit.load(std::sync::atomic::Ordering::Relaxed);
        if limit == 0 {
            return;
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(histogram) = known.get(name) {
            histogram.observe(seconds);
            return self.outcomes.with_label_values(&[name, code]).inc();
        }
        let has_room = known.len() < limit;
        drop(known);
        // A name that no valid request has used is a client's invention, or a mistake.
        if has_room && code.is_empty() {
            let histogram = self.durations.with_label_values(&[name]);
            histogram.observe(seconds);
            self.known
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(name.into(), histogram);
            return self.outcomes.with_label_values(&[name, code]).inc();
        }
        self.other.observe(seconds);
        self.outcomes.with_label_values(&[OTHER, code]).inc();
    }
}

#[cfg(test)]
mod tests {
    use prometheus::Registry;

    use super::*;

    #[test]
    fn names_beyond_the_limit_share_a_label() {
        let metrics = OperationMetrics::new(&Maker(Registry::new()));
        metrics.observe("off", "", 0.1);
        metrics.set_limit(2);
        for (name, code) in [
            ("a", ""),
            ("wrong", "validation-failed"),
            ("b", ""),
            ("c", ""),
            ("a", "unavailable"),
        ] {
            metrics.observe(name, code, 0.1);
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
        assert_eq!(metrics.other.get_sample_count(), 2);
    }
}
