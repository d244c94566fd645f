//! The metrics of event triggers and schedules, labelled by the name of the trigger.

use prometheus::core::Collector;
use prometheus::{GaugeVec, HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts};

use super::queue::Outcome;

/// The buckets of the lag, in seconds: an alert watches for five minutes.
const LAG_BUCKETS: [f64; 11] = [
    0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0,
];

/// The metrics of event triggers and schedules.
#[derive(Debug)]
pub(super) struct EventMetrics {
    /// Attempts to deliver, by `trigger` and `outcome` (`delivered`, `retry`, `dead`).
    pub(super) deliveries: IntCounterVec,
    /// Seconds from the time that an event is due to the claim, by `trigger`.
    pub(super) lag: HistogramVec,
    /// Pending events of all gateways, by `trigger`; counted up to a limit.
    pub(super) pending: IntGaugeVec,
    /// Events that were given up and not removed yet, by `trigger`; counted up to a limit.
    pub(super) dead: IntGaugeVec,
    /// For how many seconds the first pending event has been due, by `trigger`. It also grows
    /// while no gateway claims events.
    pub(super) overdue: GaugeVec,
}

// Names are constants; the tests make one of each.
#[expect(clippy::expect_used)]
impl Default for EventMetrics {
    fn default() -> EventMetrics {
        let deliveries = Opts::new(
            "postern_event_deliveries_total",
            "Attempts to deliver events",
        );
        let lag = HistogramOpts::new(
            "postern_event_lag_seconds",
            "Time from when an event is due to its claim",
        )
        .buckets(LAG_BUCKETS.to_vec());
        let pending = Opts::new(
            "postern_events_pending",
            "Events that are not delivered yet",
        );
        let dead = Opts::new("postern_events_dead", "Events that were given up");
        let overdue = Opts::new(
            "postern_event_overdue_seconds",
            "For how long the first event that is not being delivered has been due",
        );
        EventMetrics {
            deliveries: IntCounterVec::new(deliveries, &["trigger", "outcome"])
                .expect("a sound name"),
            lag: HistogramVec::new(lag, &["trigger"]).expect("a sound name"),
            pending: IntGaugeVec::new(pending, &["trigger"]).expect("a sound name"),
            dead: IntGaugeVec::new(dead, &["trigger"]).expect("a sound name"),
            overdue: GaugeVec::new(overdue, &["trigger"]).expect("a sound name"),
        }
    }
}

impl EventMetrics {
    /// The metrics, to be registered.
    pub(super) fn collectors(&self) -> Vec<Box<dyn Collector>> {
        vec![
            Box::new(self.deliveries.clone()),
            Box::new(self.lag.clone()),
            Box::new(self.pending.clone()),
            Box::new(self.dead.clone()),
            Box::new(self.overdue.clone()),
        ]
    }

    /// Makes the series of a trigger, at zero.
    pub(super) fn declare(&self, trigger: &str) {
        for outcome in [Outcome::Delivered, Outcome::Retry, Outcome::Dead] {
            self.deliveries
                .with_label_values(&[trigger, outcome.word()]);
        }
        self.lag.with_label_values(&[trigger]);
        self.pending.with_label_values(&[trigger]);
        self.dead.with_label_values(&[trigger]);
        self.overdue.with_label_values(&[trigger]);
    }
}
