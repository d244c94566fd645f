//! The names of the triggers in the database, by which `postern.enqueue_event` refuses events of
//! triggers that no settings have. Each gateway writes its names when it starts or reloads, and
//! renews them while it runs: during a rollout the names of old and new settings are known. Events
//! whose trigger was removed wait for a day, in case it comes back.

use pg::{Completion, Database, DatabaseError, RowColumns};
use serde_json::{Value, json};
use tokio_postgres::Client;

use super::trigger::Triggers;

/// The version of the schema `postern` that has the names.
pub(super) const MIN_SCHEMA_VERSION: usize = 10;

const REGISTER: &str = "
INSERT INTO postern.event_trigger AS t (name, is_manual, seen_at)
SELECT r.name, r.is_manual, now() FROM json_to_recordset($1::text::json) AS r (name text, is_manual boolean) ORDER BY r.name
ON CONFLICT (name) DO UPDATE SET is_manual = excluded.is_manual, seen_at = excluded.seen_at";

/// The triggers with pending events that no settings have, and how many events wait for each, up to
/// a limit. The index of due events is read once for each name.
const ORPHANS: &str = "
WITH RECURSIVE waiting AS (
  (SELECT q.trigger_name AS name FROM postern.event_queue q WHERE q.state = 'pending' ORDER BY q.trigger_name LIMIT 1)
  UNION ALL
  SELECT (SELECT q.trigger_name FROM postern.event_queue q
          WHERE q.state = 'pending' AND q.trigger_name > w.name ORDER BY q.trigger_name LIMIT 1)
  FROM waiting w WHERE w.name IS NOT NULL
)
SELECT coalesce(json_agg(json_build_object('name', w.name, 'count', (
  SELECT count(*) FROM (SELECT FROM postern.event_queue q WHERE q.state = 'pending' AND q.trigger_name = w.name LIMIT 100000) c
))), '[]')::text
FROM waiting w
WHERE w.name IS NOT NULL AND NOT EXISTS (SELECT FROM postern.event_trigger_current t WHERE t.name = w.name)";

/// Gives up events that have waited for a day for a trigger that no settings have had for a day.
const GIVE_UP: &str = "
WITH old AS MATERIALIZED (
  SELECT q.id FROM postern.event_queue q
  WHERE q.state = 'pending' AND q.trigger_name = $1 AND q.created_at < now() - interval '1 day'
    AND (q.leased_until IS NULL OR q.leased_until <= now())
    AND NOT EXISTS (SELECT FROM postern.event_trigger t WHERE t.name = $1 AND t.seen_at > now() - interval '1 day')
  LIMIT 5000 FOR UPDATE SKIP LOCKED
), dead AS (
  UPDATE postern.event_queue q SET state = 'dead', finished_at = now(), lease = NULL, leased_until = NULL
  WHERE q.id = ANY (ARRAY(SELECT old.id FROM old)) RETURNING q.id, q.trigger_name, q.attempts
), logged AS (
  INSERT INTO postern.event_invocation (event_id, trigger_name, attempt, milliseconds, outcome, error)
  SELECT d.id, d.trigger_name, d.attempts, 0, 'dead', 'no settings have the trigger' FROM dead d RETURNING 1
)
SELECT count(*)::text FROM logged";

/// The names as `REGISTER` reads them.
fn names(triggers: &Triggers) -> String {
    let names = triggers
        .by_name
        .values()
        .map(|trigger| json!({"name": trigger.name, "is_manual": trigger.is_manual}));
    Value::from_iter(names).to_string()
}

/// Writes the names of triggers at a start, a reload or `postern migrate`.
pub(super) async fn register(
    client: &Client,
    triggers: &Triggers,
) -> Result<(), tokio_postgres::Error> {
    client
        .execute(REGISTER, &[&names(triggers)])
        .await
        .map(drop)
}

/// Writes them again, and reports events that wait for triggers that no settings have.
pub(super) async fn renew(
    database: &Database,
    triggers: &Triggers,
    deadline: tokio::time::Instant,
) -> Result<(), DatabaseError> {
    let written = database
        .write(
            &[REGISTER],
            &[vec![Some(names(triggers))]],
            Completion::Commit,
            deadline,
        )
        .await;
    written.map_err(|failed| failed.fault)?;
    let orphans = database.query_scalar(ORPHANS, &[], deadline).await?;
    let orphans: Vec<Value> = serde_json::from_str(&orphans).unwrap_or_default();
    for orphan in orphans {
        let trigger = orphan["name"].as_str().unwrap_or_default().to_owned();
        tracing::warn!(
            trigger,
            events = orphan["count"].as_u64(),
            "events wait for a trigger that no settings have"
        );
        let rows = database
            .write(
                &[GIVE_UP],
                &[vec![Some(trigger.clone())]],
                Completion::Commit,
                deadline,
            )
            .await;
        let rows = rows.map_err(|failed| failed.fault)?;
        let count = rows
            .first()
            .and_then(|rows| RowColumns::new(rows.first()?).text())
            .unwrap_or_default();
        if count != "0" {
            tracing::warn!(
                trigger,
                events = count,
                "events are dead, because no settings had their trigger for a day"
            );
        }
    }
    Ok(())
}
