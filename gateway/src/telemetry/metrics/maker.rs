//! Makes the metrics of all files of this folder.

use prometheus::core::Collector;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    Registry,
};

/// The buckets of durations, in seconds. A read by key takes less than a millisecond; no request
/// takes longer than a minute.
pub const DURATION_BUCKETS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0,
];

/// Makes and registers metrics, with the gateway's prefix before each name.
pub(super) struct Maker(pub(super) Registry);

// Names are constants and each is registered once; the tests make one of each.
#[expect(clippy::expect_used)]
impl Maker {
    /// Registers a metric.
    pub(super) fn register<C: Collector + Clone + 'static>(
        &self,
        made: prometheus::Result<C>,
    ) -> C {
        let made = made.expect("a sound name");
        self.0
            .register(Box::new(made.clone()))
            .expect("a name, or labels, of its own");
        made
    }

    pub(super) fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.register(IntCounterVec::new(options(name, help), labels))
    }

    pub(super) fn counter(&self, name: &str, help: &str) -> IntCounter {
        self.register(IntCounter::with_opts(options(name, help)))
    }

    pub(super) fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
        self.register(IntGaugeVec::new(options(name, help), labels))
    }

    pub(super) fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.register(IntGauge::with_opts(options(name, help)))
    }

    pub(super) fn histogram(&self, name: &str, help: &str) -> Histogram {
        let options = HistogramOpts::from(options(name, help)).buckets(DURATION_BUCKETS.to_vec());
        self.register(Histogram::with_opts(options))
    }

    pub(super) fn histograms(&self, name: &str, help: &str, labels: &[&str]) -> HistogramVec {
        self.histograms_with(name, help, labels, &DURATION_BUCKETS)
    }

    pub(super) fn histograms_with(
        &self,
        name: &str,
        help: &str,
        labels: &[&str],
        buckets: &[f64],
    ) -> HistogramVec {
        let options = HistogramOpts::from(options(name, help)).buckets(buckets.to_vec());
        self.register(HistogramVec::new(options, labels))
    }

    /// Counters whose values of the label are known: they exist, at zero, from the start, because a
    /// series that begins with 1 has no increase.
    pub(super) fn known_counters(
        &self,
        name: &str,
        help: &str,
        label: &str,
        values: &[&str],
    ) -> IntCounterVec {
        let counters = self.counters(name, help, &[label]);
        for value in values {
            counters.with_label_values(&[value]);
        }
        counters
    }

    /// Gauges whose values of the label are known.
    pub(super) fn known_gauges(
        &self,
        name: &str,
        help: &str,
        label: &str,
        values: &[&str],
    ) -> IntGaugeVec {
        let gauges = self.gauges(name, help, &[label]);
        for value in values {
            gauges.with_label_values(&[value]);
        }
        gauges
    }

    /// One of several counters with the same name and different values of the label `outcome`.
    pub(super) fn outcome(&self, name: &str, help: &str, outcome: &str) -> IntCounter {
        self.labelled(name, help, "outcome", outcome)
    }

    pub(super) fn labelled(&self, name: &str, help: &str, label: &str, value: &str) -> IntCounter {
        self.register(IntCounter::with_opts(
            options(name, help).const_label(label, value),
        ))
    }
}

/// Metrics of the process, and the description of the target, keep their standard names.
pub(super) fn options(name: &str, help: &str) -> Opts {
    let prefix = if name.starts_with("process_") || name == "target_info" {
        ""
    } else {
        "postern_"
    };
    Opts::new(format!("{prefix}{name}"), help)
}
