//! Authentication events in the log and the metrics. The rows of the audit table are inserted by
//! [`super::statements`].

use gateway::http::HttpExchange;

/// The names of all events.
pub(crate) const EVENTS: [&str; 4] = ["sign-in", "refresh", "sign-out", "token-created"];

/// An authentication event. It contains no secrets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    /// Its name: `sign-in`.
    pub(crate) event: &'static str,
    /// Why it failed; `None` for success.
    pub(crate) reason: Option<&'a str>,
    /// The user of the token, if known.
    pub(crate) user: Option<&'a str>,
}

impl Event<'_> {
    /// Increments the counter and logs the event.
    pub(crate) fn record(self, exchange: &HttpExchange) {
        let Event {
            event,
            reason,
            user,
        } = self;
        let outcome = if reason.is_none() {
            "success"
        } else {
            "failure"
        };
        exchange
            .app
            .metrics
            .authentication
            .with_label_values(&[event, outcome])
            .inc();
        let address = exchange.client().map(|address| address.to_string());
        let address = address.as_deref();
        let request_id = exchange.id.as_str();
        match reason {
            None => tracing::info!(request_id, event, outcome, user, address, "authentication"),
            Some(_) => tracing::warn!(
                request_id,
                event,
                outcome,
                reason,
                user,
                address,
                "authentication"
            ),
        }
    }
}
