//! Reads one value of a gateway's metrics.

use gateway::http::App;
use gateway::telemetry::metrics::Readings;

/// The value of a metric, such as `postern_webhooks_total{outcome="stored",service="orders"}`; zero
/// if it is not there yet.
pub fn metric(app: &App, name: &str) -> u64 {
    let text = app.metrics.text(&Readings::default()).unwrap_or_default();
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}
