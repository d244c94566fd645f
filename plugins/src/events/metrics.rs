//! The metrics of event triggers and schedules, labelled by the name of the trigger.

use prometheus::core::Collector;
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts};

use gateway::telemetry::metrics::DURATION_BUCKETS;

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
        .buckets(DURATION_BUCKETS.to_vec());
        let pending = Opts::new(
            "postern_events_pending",
            "Events that are not delivered yet",
        );
        let dead = Opts::new("postern_events_dead", "Events that were given up");
        EventMetrics {
            deliveries: IntCounterVec::new(deliveries, &["trigger", "outcome"])
                .expect("a sound name"),
            lag: HistogramVec::new(lag, &["trigger"]).expect("a sound name"),
            pending: IntGaugeVec::new(pending, &["trigger"]).expect("a sound name"),
            dead: IntGaugeVec::new(dead, &["trigger"]).expect("a sound name"),
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
        ]
    }
}
