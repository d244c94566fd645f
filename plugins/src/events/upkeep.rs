//! Work on the queue besides deliveries: removes what is older than the retention, measures what is
//! pending, and finds events whose turn nothing has announced.

use std::time::Duration;

use pg::{Completion, Database, DatabaseError};
use tokio::time::Instant;

use super::metrics::EventMetrics;
use super::registry;
use super::worker::{Version, Versions};

/// Removes some delivered events, and some invocations. What another gateway is removing is left to
/// it.
const REMOVE: [&str; 2] = [
    "WITH old AS MATERIALIZED (
       SELECT e.id FROM postern.event_queue e
       WHERE e.state = 'delivered' AND e.finished_at < now() - make_interval(secs => $1::float8)
       ORDER BY e.finished_at LIMIT 5000 FOR UPDATE SKIP LOCKED
     ), removed AS (DELETE FROM postern.event_queue e WHERE e.id = ANY (ARRAY(SELECT old.id FROM old)) RETURNING 1)
     SELECT count(*)::text FROM removed",
    "WITH old AS MATERIALIZED (
       SELECT i.id FROM postern.event_invocation i
       WHERE i.at < now() - make_interval(secs => $1::float8) ORDER BY i.at LIMIT 5000 FOR UPDATE SKIP LOCKED
     ), removed AS (DELETE FROM postern.event_invocation i WHERE i.id = ANY (ARRAY(SELECT old.id FROM old)) RETURNING 1)
     SELECT count(*)::text FROM removed",
];

/// Makes waiting events due that wait for none, because an operator has deleted the older one. The
/// index has the oldest ones first.
const UNBLOCK: &str = "
UPDATE postern.event_queue q SET due_at = now()
WHERE q.id = ANY (ARRAY(
  SELECT w.id FROM json_array_elements_text($1::json) AS t (name)
  CROSS JOIN LATERAL (
    SELECT e.id, e.ordering_key, e.sequence FROM postern.event_queue e
    WHERE e.state = 'pending' AND e.trigger_name = t.name AND e.due_at = 'infinity' LIMIT 10000
  ) w
  WHERE NOT EXISTS (
    SELECT FROM postern.event_queue o
    WHERE o.state = 'pending' AND o.trigger_name = t.name AND o.ordering_key = w.ordering_key AND o.sequence < w.sequence
  )
))";

/// Counts the pending and the dead events of a trigger, up to a limit, and says for how many
/// seconds the first event has been due that no worker has.
const COUNT: &str = "
SELECT (SELECT count(*) FROM (
          SELECT FROM postern.event_queue e WHERE e.state = 'pending' AND e.trigger_name = $1 LIMIT 100000) p)
       || ' ' ||
       (SELECT count(*) FROM (
          SELECT FROM postern.event_queue e WHERE e.state = 'dead' AND e.trigger_name = $1 LIMIT 100000) d)
       || ' ' ||
       coalesce((SELECT extract(epoch FROM now() - e.due_at)::float8 FROM postern.event_queue e
          WHERE e.state = 'pending' AND e.trigger_name = $1 AND e.due_at <= now()
            AND (e.leased_until IS NULL OR e.leased_until <= now())
          ORDER BY e.due_at LIMIT 1), 0)";

/// How often events are counted, and after how many counts the other work is done.
const COUNT_INTERVAL: Duration = Duration::from_secs(15);
const COUNTS_PER_CLEANUP: u64 = 4;

/// The time limit of a statement.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Works for as long as the gateway runs.
pub(super) async fn run(versions: Versions, metrics: &EventMetrics) {
    let mut ticks = tokio::time::interval(COUNT_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for round in 0_u64.. {
        ticks.tick().await;
        let Some(version) = versions.borrow().clone() else {
            continue;
        };
        if let Err(fault) = count(&version, metrics).await {
            tracing::debug!(cause = %fault, "cannot count events");
            continue;
        }
        if round % COUNTS_PER_CLEANUP == 0
            && version.has_registry
            && let Err(fault) = registry::renew(
                &version.database,
                &version.triggers,
                Instant::now() + STATEMENT_TIMEOUT,
            )
            .await
        {
            tracing::debug!(cause = %fault, "cannot renew the names of triggers");
        }
        if round % COUNTS_PER_CLEANUP == 0
            && version.settings.deliver
            && let Err(fault) = tidy(&version).await
        {
            tracing::warn!(cause = %fault, "cannot remove old events");
        }
    }
}

async fn count(version: &Version, metrics: &EventMetrics) -> Result<(), DatabaseError> {
    for name in version.triggers.by_name.keys() {
        let parameters = [Some(name.to_string())];
        let counts = version
            .database
            .query_scalar(COUNT, &parameters, Instant::now() + STATEMENT_TIMEOUT)
            .await?;
        let counts: Vec<&str> = counts.split(' ').collect();
        if let [pending, dead, overdue] = counts.as_slice() {
            metrics
                .pending
                .with_label_values(&[name])
                .set(pending.parse().unwrap_or_default());
            metrics
                .dead
                .with_label_values(&[name])
                .set(dead.parse().unwrap_or_default());
            metrics
                .overdue
                .with_label_values(&[name])
                .set(overdue.parse().unwrap_or_default());
        }
    }
    Ok(())
}

async fn tidy(version: &Version) -> Result<(), DatabaseError> {
    let seconds = version.settings.retention().as_secs().to_string();
    for statement in REMOVE {
        while write(&version.database, statement, &seconds)
            .await?
            .is_some_and(|removed| removed == "5000")
        {}
    }
    let names: Vec<&str> = version
        .triggers
        .by_name
        .keys()
        .map(|name| &**name)
        .collect();
    write(
        &version.database,
        UNBLOCK,
        &serde_json::json!(names).to_string(),
    )
    .await
    .map(drop)
}

/// Runs a statement with one parameter, and returns the text of its row if it has one.
async fn write(
    database: &Database,
    statement: &str,
    parameter: &str,
) -> Result<Option<String>, DatabaseError> {
    let parameters = [vec![Some(parameter.to_owned())]];
    let rows = database
        .write(
            &[statement],
            &parameters,
            Completion::Commit,
            Instant::now() + STATEMENT_TIMEOUT,
        )
        .await;
    let rows = rows.map_err(|failed| failed.fault)?;
    let row = rows.first().and_then(|rows| rows.first());
    Ok(row.and_then(|row| pg::RowColumns::new(row).text()))
}
