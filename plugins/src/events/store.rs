//! The queue for operators: lists, shows, replays and removes events, for `postern events` and the
//! console.

use pg::{Completion, Database, DatabaseError, RowColumns};
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use super::idle::ANNOUNCE;

/// Access to the queue on behalf of a command.
#[derive(Debug)]
pub struct EventStore<'a> {
    /// The database.
    pub database: &'a Database,
    /// The deadline of the statements.
    pub deadline: Instant,
}

/// Which events to list or replay.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Those in this state: `pending`, `delivered` or `dead`.
    pub state: Option<String>,
    /// Those of this trigger.
    pub trigger: Option<String>,
    /// At most so many, the newest first.
    pub limit: usize,
}

const LIST: &str = "
SELECT coalesce(json_agg(json_build_object('id', e.id, 'trigger', e.trigger_name, 'kind', e.kind, 'state', e.state,
  'attempts', e.attempts, 'created_at', e.created_at, 'due_at', CASE WHEN e.due_at < 'infinity' THEN e.due_at END,
  'delivering', e.lease IS NOT NULL AND coalesce(e.leased_until > now(), false), 'waits', e.due_at = 'infinity',
  'finished_at', e.finished_at, 'ordering_key', e.ordering_key, 'error', e.error)), '[]')::text
FROM (
  SELECT q.*, (SELECT coalesce(i.error, i.status::text) FROM postern.event_invocation i
               WHERE i.event_id = q.id AND i.outcome <> 'delivered' ORDER BY i.id DESC LIMIT 1) AS error
  FROM postern.event_queue q
  WHERE ($1::text IS NULL OR q.state = $1) AND ($2::text IS NULL OR q.trigger_name = $2)
  ORDER BY q.sequence DESC LIMIT $3::int8
) e";

const COUNTS: &str = "
SELECT coalesce(json_agg(json_build_object('trigger', c.trigger_name, 'state', c.state, 'count', c.count)
  ORDER BY c.trigger_name, c.state), '[]')::text
FROM (SELECT trigger_name, state, count(*) FROM postern.event_queue GROUP BY trigger_name, state) c";

const SHOW: &str = "
SELECT coalesce((SELECT json_build_object('id', e.id, 'trigger', e.trigger_name, 'kind', e.kind, 'state', e.state,
  'attempts', e.attempts, 'created_at', e.created_at, 'due_at', CASE WHEN e.due_at < 'infinity' THEN e.due_at END,
  'finished_at', e.finished_at, 'ordering_key', e.ordering_key, 'deduplication_key', e.deduplication_key,
  'payload', e.payload, 'session_variables', e.session_variables, 'trace_context', e.trace_context,
  'invocations', (SELECT coalesce(json_agg(json_build_object('attempt', i.attempt, 'at', i.at, 'outcome', i.outcome,
     'milliseconds', i.milliseconds, 'status', i.status, 'error', i.error, 'response', i.response) ORDER BY i.id), '[]')
     FROM postern.event_invocation i WHERE i.event_id = e.id))
FROM postern.event_queue e WHERE e.id = $1::uuid), 'null')::text";

/// Makes events pending again that fulfil a condition, and counts them.
fn replay(condition: &str) -> String {
    format!(
        "WITH replayed AS (
           UPDATE postern.event_queue
           SET state = 'pending', attempts = 0, due_at = now(), finished_at = NULL, lease = NULL, leased_until = NULL
           WHERE {condition} RETURNING 1
         ), announced AS (SELECT {ANNOUNCE} FROM replayed LIMIT 1)
         SELECT (SELECT count(*) FROM replayed)::text || left((SELECT count(*) FROM announced)::text, 0)"
    )
}

/// An event that is being delivered is left alone.
const OF_ID: &str =
    "id = $1::uuid AND (lease IS NULL OR leased_until IS NULL OR leased_until <= now())";

const DEAD: &str = "state = 'dead' AND trigger_name = $1";

/// The age of a pending event counts from its creation. Those that are being delivered stay.
const PURGE: &str = "
WITH purged AS (
  DELETE FROM postern.event_queue
  WHERE state = $1 AND ($3::text IS NULL OR trigger_name = $3)
    AND coalesce(finished_at, created_at) <= now() - make_interval(secs => $2::float8)
    AND (state <> 'pending' OR leased_until IS NULL OR leased_until <= now())
  RETURNING id, kind, payload
), contents AS (
  -- Nothing will process them any more.
  UPDATE postern.webhook_delivery d SET erased_at = now(), body = '', headers = '{}', sender = '{}', address = NULL
  FROM purged p WHERE p.kind = 'webhook' AND d.id = (p.payload ->> 'delivery')::uuid
), log AS (DELETE FROM postern.event_invocation i USING purged p WHERE i.event_id = p.id)
SELECT count(*)::text FROM purged";

const SCHEDULE: &str = "
SELECT postern.schedule_event($1, coalesce($2::timestamptz, now()), $3::json, $4)::text";

impl EventStore<'_> {
    /// The events of a filter, the newest first, as objects.
    pub async fn list(&self, filter: &EventFilter) -> Result<Vec<Value>, DatabaseError> {
        let parameters = [
            filter.state.clone(),
            filter.trigger.clone(),
            Some(filter.limit.to_string()),
        ];
        let text = self
            .database
            .query_scalar(LIST, &parameters, self.deadline)
            .await?;
        read(&text)
    }

    /// How many events there are of each trigger in each state, as objects.
    pub async fn counts(&self) -> Result<Vec<Value>, DatabaseError> {
        read(
            &self
                .database
                .query_scalar(COUNTS, &[], self.deadline)
                .await?,
        )
    }

    /// An event with its payload and its invocations; `None` if there is none.
    pub async fn show(&self, id: Uuid) -> Result<Option<Value>, DatabaseError> {
        let text = self
            .database
            .query_scalar(SHOW, &[Some(id.to_string())], self.deadline)
            .await?;
        read(&text)
    }

    /// Makes an event pending again, with all its attempts before it; false if there is none, or it
    /// is being delivered.
    pub async fn replay(&self, id: Uuid) -> Result<bool, DatabaseError> {
        Ok(self
            .write(&replay(OF_ID), vec![Some(id.to_string())])
            .await?
            == "1")
    }

    /// Makes all dead events of a trigger pending again; returns how many.
    pub async fn replay_dead(&self, trigger: &str) -> Result<String, DatabaseError> {
        self.write(&replay(DEAD), vec![Some(trigger.to_owned())])
            .await
    }

    /// Removes events that have been `delivered` or `dead` for this many seconds, or `pending` ones
    /// that were made so long ago; returns how many.
    pub async fn purge(
        &self,
        state: &str,
        seconds: u64,
        trigger: Option<&str>,
    ) -> Result<String, DatabaseError> {
        let parameters = vec![
            Some(state.to_owned()),
            Some(seconds.to_string()),
            trigger.map(str::to_owned),
        ];
        self.write(PURGE, parameters).await
    }

    /// Adds an event that is delivered once, at a time that Postgres reads, or now; returns its id.
    pub async fn schedule(
        &self,
        trigger: &str,
        at: Option<&str>,
        payload: &str,
        key: Option<&str>,
    ) -> Result<String, DatabaseError> {
        let parameters = [Some(trigger), at, Some(payload), key];
        self.write(
            SCHEDULE,
            parameters.map(|text| text.map(str::to_owned)).into(),
        )
        .await
    }

    /// Runs a statement that returns one text.
    async fn write(
        &self,
        statement: &str,
        parameters: Vec<Option<String>>,
    ) -> Result<String, DatabaseError> {
        let rows = self
            .database
            .write(
                &[statement],
                &[parameters],
                Completion::Commit,
                self.deadline,
            )
            .await;
        let rows = rows.map_err(|failed| failed.fault)?;
        let row = rows.first().and_then(|rows| rows.first());
        let text = row.and_then(|row| RowColumns::new(row).text());
        text.ok_or_else(|| {
            DatabaseError::Protocol("a statement on the queue without a result".into())
        })
    }
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, DatabaseError> {
    serde_json::from_str(text)
        .map_err(|error| DatabaseError::Protocol(format!("events of the queue: {error}")))
}
