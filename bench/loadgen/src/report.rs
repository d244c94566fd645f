//! What a run measures.

use std::time::{Duration, Instant};

use crate::histogram::Histogram;
use crate::response::{Response, Timing};

/// The measurements of a run after the warm-up.
#[derive(Clone, Debug, Default)]
pub struct LoadReport {
    /// The number of responses, including errors.
    pub requests: u64,
    /// The number of all responses, including those of the warm-up and after the end; the divisor
    /// for a server's CPU time.
    pub served: u64,
    /// The number of errors: a status other than 200, a response with `errors`, a broken
    /// connection.
    pub errors: u64,
    /// The number of requests that were due and not sent, because all clients were waiting until
    /// the end.
    pub unsent: u64,
    /// The time from the end of the warm-up to the last counted response.
    pub elapsed: Duration,
    /// The total bytes of the response bodies.
    pub bytes: u64,
    /// The times from sending a request, or at a fixed rate from when it was due, to the last byte.
    /// An unsent request counts with the time it waited.
    pub latencies: Histogram,
    /// The sum of the server's `Server-Timing` values.
    pub timing: Timing,
    /// The first error.
    pub first_error: Option<String>,
}

impl LoadReport {
    /// Successful responses per second.
    pub fn throughput(&self) -> f64 {
        self.requests.saturating_sub(self.errors) as f64
            / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    pub(crate) fn record_response(&mut self, response: &Response, latency: Duration) {
        self.requests += 1;
        self.bytes += response.length();
        self.latencies.record(latency);
        if let Some(timing) = response.timing() {
            self.timing.add(timing);
        }
        if response.is_error() {
            self.errors += 1;
            self.first_error
                .get_or_insert_with(|| response.describe_failure());
        }
    }

    pub(crate) fn record_failure(&mut self, why: &str, latency: Duration) {
        self.requests += 1;
        self.errors += 1;
        self.latencies.record(latency);
        self.first_error.get_or_insert_with(|| why.to_owned());
    }

    pub(crate) fn record_end(&mut self, counted_from: Instant) {
        self.elapsed = self.elapsed.max(counted_from.elapsed());
    }
}
