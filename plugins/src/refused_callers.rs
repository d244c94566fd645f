//! The plugin that stores refused callers in the audit table `postern.authentication_event`, if the
//! database has it. The log has them at once; the table has them within a second, and after an
//! outage of the database.

use std::sync::Arc;
use std::time::Duration;

use pg::{Completion, Database, DatabaseError};
use serde_json::{Value, json};
use tokio::time::Instant;

use gateway::http::App;
use gateway::plugin::{BackgroundTask, Plugin, Shutdown};
use gateway::telemetry::refusals::Refusal;

/// The plugin.
#[derive(Debug)]
pub(super) struct RefusedCallers;

/// How often refusals are stored.
const STORE_INTERVAL: Duration = Duration::from_secs(1);

/// The pause after a failure of the database.
const RETRY_DELAY: Duration = Duration::from_secs(10);

/// The time limit of a statement.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(5);

const EXISTS: &str = "SELECT (to_regclass('postern.authentication_event') IS NOT NULL)::text";

const STORE: &str = "
INSERT INTO postern.authentication_event (event, outcome, reason, address, request_id)
SELECT 'refused', 'failure', r.path || ': ' || r.reason || CASE WHEN r.count > 1 THEN ' (' || r.count || ' times)' ELSE '' END,
       r.address, r.request_id
FROM json_to_recordset($1::json) AS r (path text, reason text, address text, request_id text, count int8)";

impl Plugin for RefusedCallers {
    fn name(&self) -> &'static str {
        "refused callers"
    }

    fn start(self: Arc<Self>, app: Arc<App>, mut shutdown: Shutdown) -> Option<BackgroundTask> {
        Some(Box::pin(async move {
            let mut pause = STORE_INTERVAL;
            loop {
                let is_last = tokio::select! {
                    () = tokio::time::sleep(pause) => false,
                    () = shutdown.requested() => true,
                };
                let refusals = app.refusals.take();
                if !refusals.is_empty() {
                    pause = STORE_INTERVAL;
                    let database = app.state().execution.database.clone();
                    if let Err(fault) = store(&database, &refusals).await {
                        tracing::warn!(cause = %fault, refusals = refusals.len(), "refused \
                             callers are not in the audit table");
                        app.refusals.put_back(refusals);
                        pause = RETRY_DELAY;
                    }
                }
                if is_last {
                    return;
                }
            }
        }))
    }
}

/// Stores refusals. Without the table there is nothing to do: the log has them.
async fn store(database: &Database, refusals: &[Refusal]) -> Result<(), DatabaseError> {
    if database
        .query_text(EXISTS, Instant::now() + STATEMENT_TIMEOUT)
        .await?
        != "true"
    {
        return Ok(());
    }
    let rows: Value = refusals
        .iter()
        .map(|Refusal { path, reason, address, request_id, count }| {
            let address = address.map(|address| address.to_string());
            json!({"path": path, "reason": reason, "address": address, "request_id": request_id, "count": count})
        })
        .collect();
    let parameters = [vec![Some(rows.to_string())]];
    let written = database
        .write(
            &[STORE],
            &parameters,
            Completion::Commit,
            Instant::now() + STATEMENT_TIMEOUT,
        )
        .await;
    written.map(drop).map_err(|failed| failed.fault)
}
