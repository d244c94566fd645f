//! The metrics of requests by the caller's role. The permission file bounds the number of roles;
//! all others share the empty label. The limits of a role hold its series, so a request resolves no
//! label.

use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec};

use super::maker::Maker;
use super::routes::ALERTED_ERRORS;

/// Requests by role.
#[derive(Debug)]
pub struct RequestsByRole {
    /// By `role` and `code`.
    requests: IntCounterVec,
    durations: HistogramVec,
}

/// The metrics of one role.
#[derive(Debug)]
pub struct RoleMetrics {
    role: Box<str>,
    succeeded: IntCounter,
    requests: IntCounterVec,
    durations: Histogram,
}

/// Fewer buckets than those of routes: there may be many roles. The quotient of `_sum` and time is
/// the mean number of requests of the role at a time.
const BUCKETS: [f64; 6] = [0.005, 0.025, 0.1, 0.5, 2.5, 10.0];

impl RequestsByRole {
    pub(super) fn new(make: &Maker) -> RequestsByRole {
        RequestsByRole {
            requests: make.counters(
                "role_requests_total",
                "Requests, and operations on sockets, of a role",
                &["role", "code"],
            ),
            durations: make.histograms_with(
                "role_request_duration_seconds",
                "Time from the head of a request of a role to its response",
                &["role"],
                &BUCKETS,
            ),
        }
    }

    /// The metrics of a role, which exist from here on.
    pub fn of_role(&self, role: &str) -> RoleMetrics {
        for (_, code) in ALERTED_ERRORS {
            self.requests.with_label_values(&[role, code]);
        }
        RoleMetrics {
            role: role.into(),
            succeeded: self.requests.with_label_values(&[role, ""]),
            requests: self.requests.clone(),
            durations: self.durations.with_label_values(&[role]),
        }
    }
}

impl RoleMetrics {
    /// Counts a request that was answered.
    pub fn count_request(&self, code: &str, seconds: f64) {
        self.count(code);
        self.durations.observe(seconds);
    }

    /// Counts an operation on a socket that has ended. Subscriptions are open for as long as their
    /// clients want, so their time says nothing.
    pub fn count(&self, code: &str) {
        if code.is_empty() {
            self.succeeded.inc();
        } else {
            self.requests.with_label_values(&[&*self.role, code]).inc();
        }
    }
}
