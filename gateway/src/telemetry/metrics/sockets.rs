//! The metrics of WebSockets and event streams. Both are labelled by their `transport`: the
//! subprotocol, or `event-stream`.

use prometheus::{IntCounterVec, IntGauge, IntGaugeVec};

use super::maker::Maker;

/// The transports: subprotocols of WebSockets, and event streams.
const TRANSPORTS: [&str; 3] = ["graphql-transport-ws", "graphql-ws", "event-stream"];

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
        let operations = make.counters(
            "socket_operations_total",
            "Operations on WebSockets and event streams that have ended",
            &["transport", "code"],
        );
        for transport in TRANSPORTS {
            operations.with_label_values(&[transport, ""]);
        }
        SocketMetrics {
            open: make.known_gauges(
                "sockets_open",
                "Open WebSockets and event streams",
                "transport",
                &TRANSPORTS,
            ),
            closes: make.counters(
                "socket_closes_total",
                "WebSockets that the gateway has closed",
                &["code"],
            ),
            messages: make.known_counters(
                "socket_messages_total",
                "Messages over WebSockets",
                "direction",
                &["received", "sent"],
            ),
            running: make.known_gauges(
                "socket_operations",
                "Operations that run on WebSockets and event streams",
                "transport",
                &TRANSPORTS,
            ),
            operations,
        }
    }

    /// Makes the series of these close codes, at zero.
    pub fn declare_closes(&self, codes: &[u16]) {
        for code in codes {
            self.closes.with_label_values(&[code.to_string()]);
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
