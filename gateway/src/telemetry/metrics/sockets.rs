//! The metrics of WebSockets and event streams. Both are labelled by their `transport`: the
//! subprotocol, or `event-stream`.

use prometheus::{IntCounterVec, IntGauge, IntGaugeVec};

use super::maker::Maker;

/// The metrics of WebSockets, event streams and the operations on them.
#[derive(Debug)]
pub struct SocketMetrics {
    /// Open WebSockets and event streams, by `transport`.
    pub open: IntGaugeVec,
    /// WebSockets that the gateway has closed, by close `code`.
    pub closes: IntCounterVec,
    /// Messages over WebSockets, by `direction` (`received`, `sent`).
    pub messages: IntCounterVec,
    /// Running operations, by `transport`.
    pub running: IntGaugeVec,
    /// Operations that have ended, by `transport` and error `code`.
    pub operations: IntCounterVec,
}

/// An open WebSocket or event stream, counted until it is dropped.
#[derive(Debug)]
pub struct OpenSocket(IntGauge);

impl SocketMetrics {
    pub(super) fn new(make: &Maker) -> SocketMetrics {
        SocketMetrics {
            open: make.gauges(
                "sockets_open",
                "Open WebSockets and event streams",
                &["transport"],
            ),
            closes: make.counters(
                "socket_closes_total",
                "WebSockets that the gateway has closed",
                &["code"],
            ),
            messages: make.counters(
                "socket_messages_total",
                "Messages over WebSockets",
                &["direction"],
            ),
            running: make.gauges(
                "socket_operations",
                "Operations that run on WebSockets and event streams",
                &["transport"],
            ),
            operations: make.counters(
                "socket_operations_total",
                "Operations on WebSockets and event streams that have ended",
                &["transport", "code"],
            ),
        }
    }
}

impl OpenSocket {
    /// Counts a socket as open.
    pub fn new(metrics: &SocketMetrics, transport: &str) -> OpenSocket {
        let open = metrics.open.with_label_values(&[transport]);
        open.inc();
        OpenSocket(open)
    }
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        self.0.dec();
    }
}
