//! What happened with a token, for the log and the counters. The audit table is told by the statements themselves.

use crate::http::{HttpExchange, Server};

/// What happened. No secret stands in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event<'a> {
    /// What it is called: `sign-in`.
    pub(super) event: &'static str,
    /// Why it failed; none where it did not.
    pub(super) reason: Option<&'a str>,
    /// Whose token it was, where that is known.
    pub(super) user: Option<&'a str>,
}

impl Event<'_> {
    /// Counts it, and writes a line about it.
    pub(super) fn record(self, server: &Server, exchange: &HttpExchange) {
        let Event { event, reason, user } = self;
        let outcome = if reason.is_none() { "success" } else { "failure" };
        server.metrics.authentication.with_label_values(&[event, outcome]).inc();
        let address = exchange.client().map(|address| address.to_string());
        let (address, request_id) = (address.as_deref(), exchange.id.as_str());
        match reason {
            None => tracing::info!(request_id, event, outcome, user, address, "authentication"),
            Some(_) => tracing::warn!(request_id, event, outcome, reason, user, address, "authentication"),
        }
    }
}
