//! Statements on the queue: workers claim events, and record what came of them. Any number of
//! gateways share the queue.
//!
//! A claim takes due events whose row no other transaction holds, and leases them for a while. If
//! the worker is gone by then, the next claim takes them again. A lease changes no indexed column,
//! so that Postgres updates the row in place; claims pass over the leased events at the beginning
//! of the index, which are no more than are being delivered. An event waits for older ones of its
//! trigger and ordering key: a claim that meets such an event sets its time to infinity, and
//! recording the older event's end sets it back. So claims read the index of due events alone, also
//! if a million events wait for one.

use pg::{Completion, Database, DatabaseError, Parameters, RowColumns};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::{Duration, Instant};

/// Claims events. The planner cannot know how few rows a claim takes; arrays of their ids make it
/// use the primary key however large the table is. An older event that is being recorded as
/// finished cannot be locked; the event that waits for it then stays due. The payloads of one claim
/// have at most 8 MiB together, or are one: they are held in memory.
const CLAIM: &str = "
WITH wanted AS MATERIALIZED (
  SELECT w.trigger_name, w.most, w.lease
  FROM json_to_recordset($1::json) AS w (trigger_name text, most int, lease float8)
), candidate AS MATERIALIZED (
  SELECT q.id, q.trigger_name, q.ordering_key, q.sequence, q.due_at, q.bytes
  FROM wanted w CROSS JOIN LATERAL (
    SELECT e.id, e.trigger_name, e.ordering_key, e.sequence, e.due_at, octet_length(e.payload::text) AS bytes
    FROM postern.event_queue e
    WHERE e.state = 'pending' AND e.trigger_name = w.trigger_name AND e.due_at <= now()
      AND (e.leased_until IS NULL OR e.leased_until <= now())
    ORDER BY e.due_at LIMIT w.most FOR UPDATE SKIP LOCKED
  ) q
), judged AS MATERIALIZED (
  SELECT c.*, c.ordering_key IS NOT NULL AND EXISTS (
    SELECT FROM postern.event_queue o
    WHERE o.state = 'pending' AND o.trigger_name = c.trigger_name AND o.ordering_key = c.ordering_key
      AND o.sequence < c.sequence
  ) AS waits, sum(c.bytes) OVER (ORDER BY c.due_at, c.sequence, c.id) AS total
  FROM candidate c
), waiting AS MATERIALIZED (
  SELECT j.id FROM judged j CROSS JOIN LATERAL (
    SELECT FROM postern.event_queue o
    WHERE o.state = 'pending' AND o.trigger_name = j.trigger_name AND o.ordering_key = j.ordering_key
      AND o.sequence < j.sequence
    ORDER BY o.sequence LIMIT 1 FOR SHARE SKIP LOCKED
  ) o
  WHERE j.waits
), marked AS (
  UPDATE postern.event_queue q SET due_at = 'infinity' WHERE q.id = ANY (ARRAY(SELECT w.id FROM waiting w)) RETURNING q.id
), claimed AS (
  UPDATE postern.event_queue q
  SET lease = $2::uuid, attempts = q.attempts + 1,
      leased_until = now() + make_interval(secs => (SELECT w.lease FROM wanted w WHERE w.trigger_name = q.trigger_name))
  -- The events that wait are marked first: their locks skip rows that the same statement has changed.
  WHERE q.id = ANY (ARRAY(SELECT j.id FROM judged j WHERE NOT j.waits AND (j.total <= 8388608 OR j.total = j.bytes))) AND (SELECT count(*) FROM marked) IS NOT NULL
  RETURNING q.*
)
SELECT json_build_object(
  'events', coalesce((SELECT json_agg(json_build_object(
    'id', c.id, 'trigger', c.trigger_name, 'kind', c.kind, 'payload', c.payload, 'session', c.session_variables,
    'trace', c.trace_context, 'attempt', c.attempts, 'created_at', to_char(c.created_at, 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),
    'lag', extract(epoch FROM now() - (SELECT j.due_at FROM judged j WHERE j.id = c.id))::float8)
    ORDER BY c.sequence) FROM claimed c), '[]'),
  'marked', (SELECT count(*) FROM marked),
  'full', EXISTS (SELECT FROM candidate c JOIN wanted w ON w.trigger_name = c.trigger_name
                  GROUP BY w.trigger_name, w.most HAVING count(*) >= w.most)
    OR EXISTS (SELECT FROM judged j WHERE j.total > 8388608 AND j.total > j.bytes),
  'next', (SELECT extract(epoch FROM min(d.due_at) - now())::float8 FROM wanted w CROSS JOIN LATERAL (
    SELECT e.due_at FROM postern.event_queue e
    WHERE e.state = 'pending' AND e.trigger_name = w.trigger_name AND e.due_at > now() AND e.due_at < 'infinity'
    ORDER BY e.due_at LIMIT 1
  ) d)
)::text";

/// Records the ends of attempts, unless the lease has passed to another worker, and logs the
/// attempts.
const RECORD: &str = "
WITH ended AS (
  SELECT * FROM json_to_recordset($1::json) AS o (id uuid, lease uuid, trigger_name text, attempt int, outcome text,
    pause float8, milliseconds int, status int, error text, response text)
), recorded AS (
  UPDATE postern.event_queue q SET
    state = CASE o.outcome WHEN 'retry' THEN 'pending' ELSE o.outcome END,
    due_at = CASE o.outcome WHEN 'retry' THEN now() + make_interval(secs => o.pause) ELSE q.due_at END,
    finished_at = CASE WHEN o.outcome <> 'retry' THEN now() END,
    lease = NULL, leased_until = NULL
  FROM ended o WHERE q.id = o.id AND q.lease = o.lease AND q.state = 'pending'
)
INSERT INTO postern.event_invocation (event_id, trigger_name, attempt, milliseconds, outcome, status, error, response)
SELECT o.id, o.trigger_name, o.attempt, o.milliseconds, o.outcome, o.status, o.error, o.response FROM ended o";

/// Makes the oldest event of the key due, for each event that has ended. It runs after [`RECORD`]
/// in the same transaction, so that it sees what claims have marked before they released the lock
/// on the event.
const RELEASE: &str = "
UPDATE postern.event_queue q SET due_at = now()
FROM (
  SELECT DISTINCT f.trigger_name, f.ordering_key
  FROM json_to_recordset($1::json) AS o (id uuid, outcome text)
  JOIN postern.event_queue f ON f.id = o.id
  WHERE o.outcome <> 'retry' AND f.ordering_key IS NOT NULL
) k CROSS JOIN LATERAL (
  SELECT e.id FROM postern.event_queue e
  WHERE e.state = 'pending' AND e.trigger_name = k.trigger_name AND e.ordering_key = k.ordering_key
  ORDER BY e.sequence LIMIT 1
) oldest
WHERE q.id = oldest.id AND q.due_at = 'infinity'";

/// The time limit of a statement on the queue.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(20);

/// How many events of a trigger to claim, and for how long.
#[derive(Debug, Serialize)]
pub(super) struct Wanted<'t> {
    pub(super) trigger_name: &'t str,
    pub(super) most: usize,
    /// Seconds.
    pub(super) lease: f64,
}

/// The result of a claim.
#[derive(Debug, Deserialize)]
pub(super) struct Claimed {
    pub(super) events: Vec<Event>,
    /// Events that were found to wait for older ones.
    pub(super) marked: u64,
    /// Whether a trigger had as many due events as were wanted, so that there may be more.
    pub(super) full: bool,
    /// In how many seconds the next event is due.
    pub(super) next: Option<f64>,
}

/// A claimed event.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    pub(super) id: String,
    pub(super) trigger: String,
    pub(super) kind: EventKind,
    pub(super) payload: Box<RawValue>,
    pub(super) session: Option<Box<RawValue>>,
    pub(super) trace: Option<Box<RawValue>>,
    /// The number of this attempt, from 1.
    pub(super) attempt: u32,
    pub(super) created_at: String,
    /// Seconds from when it was due.
    pub(super) lag: f64,
}

/// What has caused an event.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum EventKind {
    /// A change of a row.
    Table,
    /// `postern.enqueue_event`.
    Manual,
    /// A schedule, or `postern.schedule_event`.
    Schedule,
    /// An inbound webhook.
    Webhook,
}

/// The end of an attempt.
#[derive(Debug, Serialize)]
pub(super) struct Ended {
    pub(super) id: String,
    /// The worker.
    pub(super) lease: String,
    pub(super) trigger_name: String,
    pub(super) attempt: u32,
    pub(super) outcome: Outcome,
    /// Seconds until the next attempt.
    pub(super) pause: f64,
    pub(super) milliseconds: i32,
    pub(super) status: Option<u16>,
    pub(super) error: Option<String>,
    pub(super) response: Option<String>,
    /// What the log may say of the error: no text of the receiver and no value.
    #[serde(skip)]
    pub(super) cause: Option<String>,
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Delivered,
    Retry,
    Dead,
}

impl Outcome {
    /// The word in the log and in metrics.
    pub(super) fn word(self) -> &'static str {
        match self {
            Outcome::Delivered => "delivered",
            Outcome::Retry => "retry",
            Outcome::Dead => "dead",
        }
    }
}

/// Claims events for a worker.
pub(super) async fn claim(
    database: &Database,
    wanted: &[Wanted<'_>],
    worker: &str,
) -> Result<Claimed, DatabaseError> {
    let parameters = vec![Some(json(&wanted)?), Some(worker.to_owned())];
    let rows = database
        .write(&[CLAIM], &[parameters], Completion::Commit, deadline())
        .await;
    let rows = rows.map_err(|failed| failed.fault)?;
    let text = rows
        .first()
        .and_then(|rows| rows.first())
        .and_then(|row| RowColumns::new(row).text());
    let text = text.ok_or_else(|| DatabaseError::Protocol("a claim without a result".into()))?;
    serde_json::from_str(&text)
        .map_err(|error| DatabaseError::Protocol(format!("the result of a claim: {error}")))
}

/// Records the ends of attempts in one transaction.
pub(super) async fn record(database: &Database, ended: &[Ended]) -> Result<(), DatabaseError> {
    let parameters = vec![Some(json(&ended)?)];
    let parameters = [parameters.clone(), parameters];
    let written = database
        .write(
            &[RECORD, RELEASE],
            &parameters,
            Completion::Commit,
            deadline(),
        )
        .await;
    written.map(drop).map_err(|failed| failed.fault)
}

/// Calls a function with an event and records the event as delivered, in one transaction: the
/// function's changes are committed together with the record, so they happen once. A worker whose
/// lease has passed to another calls nothing.
pub(super) async fn call(
    database: &Database,
    statement: &str,
    argument: String,
    ended: &Ended,
    deadline: Instant,
) -> Result<(), DatabaseError> {
    let call = vec![
        Some(ended.id.clone()),
        Some(ended.lease.clone()),
        Some(argument),
    ];
    let record = vec![Some(json(&[ended])?)];
    let parameters: [Parameters; 3] = [call, record.clone(), record];
    let written = database
        .write(
            &[statement, RECORD, RELEASE],
            &parameters,
            Completion::Commit,
            deadline,
        )
        .await;
    written.map(drop).map_err(|failed| failed.fault)
}

fn deadline() -> Instant {
    Instant::now() + STATEMENT_TIMEOUT
}

fn json(value: &impl Serialize) -> Result<String, DatabaseError> {
    serde_json::to_string(value).map_err(|error| DatabaseError::Protocol(error.to_string()))
}
