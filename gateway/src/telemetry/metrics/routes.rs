//! The metrics of requests by their route. Each route resolves its series once, so that a request
//! that succeeds adds to two atomic counters.

use std::sync::Arc;

use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec};

use super::exemplars::Exemplars;

/// The name of the histogram of requests.
pub(super) const REQUEST_DURATION: &str = "postern_request_duration_seconds";

/// The metrics of a route.
#[derive(Debug)]
pub struct RouteMetrics {
    path: Box<str>,
    /// Requests that were answered with 200 and without an error.
    succeeded: IntCounter,
    /// All of them, by `route`, `status` and `code`.
    requests: IntCounterVec,
    durations: Histogram,
    exemplars: Arc<Exemplars>,
}

/// The errors that alerts watch for, by status and code. Their series exist from the start: a
/// counter that begins with 1 has no increase. The catalogue of errors has them.
pub const ALERTED_ERRORS: [(&str, &str); 5] = [
    ("401", "access-denied"),
    ("429", "rate-limited"),
    ("500", "unexpected"),
    ("503", "unavailable"),
    ("504", "limit-exceeded"),
];

impl RouteMetrics {
    /// The metrics of a route, which exist from here on.
    pub(super) fn new(
        path: &str,
        requests: &IntCounterVec,
        durations: &HistogramVec,
        exemplars: Arc<Exemplars>,
    ) -> RouteMetrics {
        for (status, code) in ALERTED_ERRORS {
            requests.with_label_values(&[path, status, code]);
        }
        RouteMetrics {
            path: path.into(),
            succeeded: requests.with_label_values(&[path, "200", ""]),
            requests: requests.clone(),
            durations: durations.with_label_values(&[path]),
            exemplars,
        }
    }

    /// The path of the route.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Counts a request that was answered, with its trace if it was traced.
    pub fn count(&self, status: u16, code: &str, seconds: f64, trace_id: Option<u128>) {
        if status == 200 && code.is_empty() {
            self.succeeded.inc();
        } else {
            let status = status.to_string();
            self.requests
                .with_label_values(&[&*self.path, status.as_str(), code])
                .inc();
        }
        self.durations.observe(seconds);
        if let Some(trace_id) = trace_id {
            self.exemplars.record(seconds, trace_id);
        }
    }
}
