//! The metrics of event triggers and schedules, labelled by the name of the trigger.

use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};

use super::Maker;

/// The metrics of event triggers and schedules.
#[derive(Debug)]
pub struct EventMetrics {
    /// Attempts to deliver, by `trigger` and `outcome` (`delivered`, `retry`, `dead`).
    pub deliveries: IntCounterVec,
    /// Seconds from the time that an event is due to the claim, by `trigger`.
    pub lag: HistogramVec,
    /// Pending events of all gateways, by `trigger`; counted up to a limit.
    pub pending: IntGaugeVec,
    /// Events that were given up and not removed yet, by `trigger`; counted up to a limit.
    pub dead: IntGaugeVec,
}

impl EventMetrics {
    pub(super) fn new(make: &Maker) -> EventMetrics {
        EventMetrics {
            deliveries: make.counters(
                "event_deliveries_total",
                "Attempts to deliver events",
                &["trigger", "outcome"],
            ),
            lag: make.histograms(
                "event_lag_seconds",
                "Time from when an event is due to its claim",
                &["trigger"],
            ),
            pending: make.gauges(
                "events_pending",
                "Events that are not delivered yet",
                &["trigger"],
            ),
            dead: make.gauges("events_dead", "Events that were given up", &["trigger"]),
        }
    }
}
