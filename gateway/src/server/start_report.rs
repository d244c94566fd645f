//! The line of the log that says what a gateway serves once it is ready, and what is off.

use std::net::SocketAddr;
use std::time::Duration;

use crate::config::{Config, SubscriptionSource};
use crate::http::App;
use crate::subscriptions::source::ChosenSource;

/// What a start has found out.
pub(super) struct Started<'s> {
    pub(super) source: &'s ChosenSource,
    /// The gateway's name among those of the service.
    pub(super) instance: &'s str,
    pub(super) address: SocketAddr,
    pub(super) url: &'s str,
    pub(super) time: Duration,
}

/// Logs that the gateway is ready.
pub(super) fn log(app: &App, config: &Config, started: &Started<'_>) {
    let Started {
        source,
        instance,
        address,
        url,
        time,
    } = *started;
    let state = app.state();
    let execution = &state.execution;
    let ms = time.as_micros() as f64 / 1000.0;
    let tables = execution.schema.permissions.model.tables().count();
    let roles = execution.schema.permissions.roles().count();
    let endpoints = state.rest.endpoints().count();
    let actions = execution.actions.declared().actions.len();
    let postgres = postgres_version(execution.schema.catalog.server_version);
    let tls = state.tls.is_some();
    let subscriptions = source_name(source.source);
    let host = execution.database.primary_host();
    let off = switched_off(app, config).join(",");
    let off = Some(off.as_str()).filter(|off| !off.is_empty());
    tracing::info!(
        instance,
        %address,
        %url,
        ms,
        tables,
        roles,
        endpoints,
        actions,
        postgres,
        host = host.map(|host| &**host),
        tls,
        subscriptions,
        off,
        "ready"
    );
}

/// What could serve or protect requests and is not set, by the words of the settings.
fn switched_off(app: &App, config: &Config) -> Vec<&'static str> {
    let state = app.state();
    let parts = [
        ("permissions", !state.execution.schema.has_file),
        ("rest-map", state.rest.is_empty()),
        ("rates", state.rate_limiter.rules().next().is_none()),
        ("cors", config.cors_origins.is_empty()),
        ("tls", state.tls.is_none()),
        ("traces", app.tracer.is_none()),
        ("compression", !config.compression),
        ("authentication", config.insecure),
    ];
    parts
        .into_iter()
        .filter(|(_, is_off)| *is_off)
        .map(|(name, _)| name)
        .collect()
}

fn source_name(source: SubscriptionSource) -> &'static str {
    match source {
        SubscriptionSource::Auto => "auto",
        SubscriptionSource::Replication => "replication",
        SubscriptionSource::Triggers => "triggers",
        SubscriptionSource::Snapshot => "snapshot",
    }
}

/// `15.18` of 150018.
fn postgres_version(number: u32) -> String {
    format!("{}.{}", number / 10_000, number % 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_has_major_and_minor_number() {
        assert_eq!(postgres_version(150_018), "15.18");
    }
}
