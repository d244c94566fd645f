//! Exemplars: for each bucket of a histogram the trace of the last traced request that fell into
//! it. From a slow bucket on a board they lead to a trace. Requests that are not traced do not
//! touch them.
//! <https://prometheus.io/docs/specs/om/open_metrics_spec/#exemplars>

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::maker::DURATION_BUCKETS;

/// A traced request in a bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exemplar {
    pub(super) trace_id: u128,
    pub(super) seconds: f64,
    pub(super) at: SystemTime,
}

/// The exemplars of one histogram with [`DURATION_BUCKETS`]; the last bucket has no upper bound.
#[derive(Debug, Default)]
pub(super) struct Exemplars(Mutex<[Option<Exemplar>; DURATION_BUCKETS.len() + 1]>);

/// The exemplars of all histograms, by the name of the metric and the value of its label.
#[derive(Debug, Default)]
pub(super) struct ExemplarIndex(Mutex<HashMap<(&'static str, String), Arc<Exemplars>>>);

impl Exemplars {
    /// Keeps a request that has just ended as the exemplar of its bucket.
    pub(super) fn record(&self, seconds: f64, trace_id: u128) {
        let bucket = DURATION_BUCKETS.partition_point(|bound| *bound < seconds);
        let exemplar = Exemplar {
            trace_id,
            seconds,
            at: SystemTime::now(),
        };
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = buckets.get_mut(bucket) {
            *kept = Some(exemplar);
        }
    }

    /// The exemplar of the bucket with this upper bound.
    pub(super) fn of_bucket(&self, upper_bound: f64) -> Option<Exemplar> {
        let bucket = DURATION_BUCKETS.partition_point(|bound| *bound < upper_bound);
        let buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.get(bucket).copied().flatten()
    }
}

impl Exemplar {
    /// When it was recorded, in seconds since 1970.
    pub(super) fn timestamp(&self) -> f64 {
        let since = self.at.duration_since(SystemTime::UNIX_EPOCH);
        since.unwrap_or(Duration::ZERO).as_secs_f64()
    }
}

impl ExemplarIndex {
    /// The exemplars of a histogram, empty ones at first.
    pub(super) fn add(&self, metric: &'static str, label: &str) -> Arc<Exemplars> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry((metric, label.to_owned())).or_default().clone()
    }

    pub(super) fn find(&self, metric: &'static str, label: &str) -> Option<Arc<Exemplars>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(metric, label.to_owned())).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_keeps_its_last_traced_request() {
        let exemplars = Exemplars::default();
        for (seconds, trace_id) in [(0.004, 1), (0.005, 2), (99.0, 3)] {
            exemplars.record(seconds, trace_id);
        }
        let trace = |bound| exemplars.of_bucket(bound).map(|exemplar| exemplar.trace_id);
        assert_eq!(
            (
                trace(0.0025),
                trace(0.005),
                trace(30.0),
                trace(f64::INFINITY)
            ),
            (None, Some(2), None, Some(3))
        );
    }
}
