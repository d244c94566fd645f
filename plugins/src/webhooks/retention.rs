//! Removes the contents of old deliveries. What has not been processed stays: operators see it
//! among the dead events. The rows stay too, with the ids, so that a delivery that is sent again is
//! recognized for ever.

use std::time::Duration;

use pg::{Completion, Database, DatabaseError, RowColumns};
use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior};

use super::settings::Services;
use gateway::http::App;
use gateway::plugin::Prepared;

/// Erases some deliveries. What another gateway is erasing is left to it.
const ERASE: &str = "
WITH old AS MATERIALIZED (
  SELECT o.id FROM json_to_recordset($1::json) AS s (service text, seconds float8, processed boolean) CROSS JOIN LATERAL (
    SELECT d.id FROM postern.webhook_delivery d
    WHERE d.service = s.service AND d.erased_at IS NULL AND d.received_at < now() - make_interval(secs => s.seconds)
      AND (d.processed_at IS NOT NULL OR NOT s.processed)
    ORDER BY d.received_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  ) o
), erased AS (
  UPDATE postern.webhook_delivery d SET erased_at = now(), body = '', headers = '{}', sender = '{}', address = NULL
  WHERE d.id = ANY (ARRAY(SELECT old.id FROM old)) RETURNING 1
)
SELECT count(*)::text FROM erased";

/// How often old deliveries are looked for.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);

/// The time limit of a statement.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

const DAY_SECONDS: u64 = 86_400;

/// Works for as long as the gateway runs.
pub(super) async fn run(app: &App, current: &Prepared<Services>) {
    let mut ticks = tokio::time::interval(CLEANUP_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut has_failed = false;
    loop {
        ticks.tick().await;
        let Some(services) = current.get().filter(|services| !services.all().is_empty()) else {
            continue;
        };
        let database = app.state().execution.database.clone();
        match erase(&database, &services).await {
            Ok(()) => has_failed = false,
            Err(fault) if !std::mem::replace(&mut has_failed, true) => {
                tracing::warn!(cause = %fault, "cannot remove the contents of old webhooks");
            }
            Err(_) => {}
        }
    }
}

async fn erase(database: &Database, services: &Services) -> Result<(), DatabaseError> {
    let services = services.all().iter().map(|service| {
        let seconds = service.retention_days * DAY_SECONDS;
        let processed = service.function.is_some();
        json!({"service": service.name, "seconds": seconds, "processed": processed})
    });
    let parameters = [vec![Some(Value::from_iter(services).to_string())]];
    loop {
        let rows = database
            .write(
                &[ERASE],
                &parameters,
                Completion::Commit,
                Instant::now() + STATEMENT_TIMEOUT,
            )
            .await;
        let rows = rows.map_err(|failed| failed.fault)?;
        let count = rows
            .first()
            .and_then(|rows| rows.first())
            .and_then(|row| RowColumns::new(row).text());
        if count.is_none_or(|count| count == "0") {
            return Ok(());
        }
    }
}
