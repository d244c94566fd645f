//! What is counted while the gateway runs, in the form that Prometheus reads. One registry a server, so that several gateways in
//! one process do not count together.

use prometheus::{IntCounterVec, Opts, Registry, TextEncoder};

/// The counters of a server. Labels hold names from the configuration and the catalogue only: what callers send has no bound.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Requests that were over a rate, by `rate` and `mode` (`enforce`, `measure`).
    pub rate_limited: IntCounterVec,
    /// Requests that were over a bound, by `bound`, `role` and `mode`.
    pub bounded: IntCounterVec,
    /// Operations that no allow list has, by `role` and `mode`.
    pub unlisted: IntCounterVec,
    /// Events of authentication, by `event` and `outcome`.
    pub authentication: IntCounterVec,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let registry = Registry::new();
        let counter = |name: &str, help: &str, labels: &[&str]| {
            // Names are fixed and each stands once; the tests make one of these.
            #[expect(clippy::expect_used)]
            let counter = IntCounterVec::new(Opts::new(format!("postern_{name}"), help), labels).expect("a sound name");
            #[expect(clippy::expect_used)]
            registry.register(Box::new(counter.clone())).expect("a name of its own");
            counter
        };
        Metrics {
            rate_limited: counter("rate_limited_total", "Requests over a rate", &["rate", "mode"]),
            bounded: counter("bounded_total", "Requests over a bound", &["bound", "role", "mode"]),
            unlisted: counter("unlisted_total", "Operations on no allow list", &["role", "mode"]),
            authentication: counter("authentication_total", "Events of authentication", &["event", "outcome"]),
            registry,
        }
    }
}

impl Metrics {
    /// All of them as text.
    /// <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
    pub fn text(&self) -> String {
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_told() {
        let metrics = Metrics::default();
        metrics.rate_limited.with_label_values(&["sign-in", "enforce"]).inc();
        let text = metrics.text();
        assert!(text.contains("postern_rate_limited_total{mode=\"enforce\",rate=\"sign-in\"} 1"), "{text}");
    }
}
