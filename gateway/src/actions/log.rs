//! The table `postern.action_log`: the calls of asynchronous actions and what became of them. Any number of gateways
//! share it: a call is claimed by one of them for a while, and by another one if the first does not finish it.

use std::time::Duration;

use serde_json::{Map, Value, json};
use sql::statement::SessionValues;
use tokio::time::Instant;

use super::context::ActionContext;
use crate::auth::claims_set::SessionClaims;
use crate::auth::session::Session;
use crate::database::{Database, DatabaseError};
use crate::error::Error;

/// The calls of asynchronous actions.
#[derive(Debug)]
pub(super) struct ActionLog;

/// A call that was claimed.
#[derive(Clone, Debug)]
pub(super) struct ClaimedCall {
    pub(super) id: String,
    pub(super) action: String,
    pub(super) input: Map<String, Value>,
    /// The session values by the names of headers, and the claims of the token as [`CLAIMS`].
    pub(super) session: Map<String, Value>,
    pub(super) query: String,
}

/// How long a claim holds. A gateway that was killed loses its claims after this time.
pub(super) const LEASE: Duration = Duration::from_secs(120);

/// The member of a stored session with the claims of its token. Headers with session values have other names, because
/// of their prefix.
pub(super) const CLAIMS: &str = "claims";

const ENQUEUE: &str = "INSERT INTO postern.action_log (action, input, session, request_query) \
                       VALUES ($1::text, $2::text::jsonb, $3::text::jsonb, $4::text) RETURNING id::text";

const OUTCOME: &str = "SELECT coalesce((SELECT json_build_object('id', l.id, 'created_at', l.created_at, \
                       'errors', l.errors, 'output', l.output)::text FROM postern.action_log l \
                       WHERE l.id = $1::uuid AND l.action = $2::text \
                       AND (l.session - 'claims' = $3::text::jsonb OR $4::boolean)), 'null')";

/// How often a call is begun. One whose gateway is gone each time, or whose answer cannot be stored, fails for good.
const ATTEMPTS: u32 = 5;

const CLAIM: &str = "WITH given_up AS (
    UPDATE postern.action_log l SET status = 'failed', finished_at = now(),
           errors = '{\"message\": \"the action has not ended\", \"extensions\": {\"path\": \"$\", \"code\": \"unexpected\"}}'
     WHERE l.action = ANY ($1::text[]) AND l.status = 'processing' AND l.claimed_until < now() AND l.attempts >= $4::int),
 claimed AS (
    UPDATE postern.action_log l SET status = 'processing', attempts = l.attempts + 1,
           claimed_until = now() + $2::double precision * interval '1 second'
     WHERE l.id IN (SELECT c.id FROM postern.action_log c
                     WHERE c.action = ANY ($1::text[])
                       AND (c.status = 'created'
                            OR c.status = 'processing' AND c.claimed_until < now() AND c.attempts < $4::int)
                     ORDER BY c.created_at LIMIT $3::int FOR UPDATE SKIP LOCKED)
 RETURNING l.id, l.action, l.input, l.session, l.request_query)
 SELECT coalesce(json_agg(json_build_object('id', id, 'action', action, 'input', input, 'session', session,
                                            'query', request_query)), '[]')::text FROM claimed";

const FINISH: &str = "WITH finished AS (
    UPDATE postern.action_log SET status = CASE WHEN $3::text IS NULL THEN 'completed' ELSE 'failed' END,
           output = $2::text::jsonb, errors = $3::text::jsonb, finished_at = now()
     WHERE id = $1::uuid AND status = 'processing' RETURNING id) SELECT count(*)::text FROM finished";

/// Gives claimed calls back. They have not ended, so the claim was no attempt.
const RELEASE: &str = "WITH released AS (
    UPDATE postern.action_log l SET status = 'created', attempts = greatest(l.attempts - 1, 0), claimed_until = NULL
     WHERE l.id IN (SELECT i::uuid FROM json_array_elements_text($1::text::json) AS i) AND l.status = 'processing' RETURNING 1)
 SELECT count(*)::text FROM released";

/// Removes some calls that have finished before the given number of seconds. What another gateway is removing is left
/// to it.
const REMOVE: &str = "WITH old AS MATERIALIZED (
    SELECT l.id FROM postern.action_log l
     WHERE l.finished_at < now() - make_interval(secs => $1::text::float8)
     ORDER BY l.finished_at LIMIT 1000 FOR UPDATE SKIP LOCKED),
 removed AS (DELETE FROM postern.action_log l WHERE l.id = ANY (ARRAY(SELECT old.id FROM old)) RETURNING 1)
 SELECT count(*)::text FROM removed";

/// Whether the database has the table.
pub(super) const EXISTS: &str = "SELECT (to_regclass('postern.action_log') IS NOT NULL)::text";

impl ActionLog {
    /// Stores a call, and returns its id.
    pub(super) async fn enqueue(context: &ActionContext<'_>, input: &Map<String, Value>) -> Result<Value, Error> {
        let session = stored_session(context.session);
        let values = [context.name.to_owned(), json!(input).to_string(), session, context.query.into()];
        let values: Vec<_> = values.into_iter().map(Some).collect();
        let (database, requester) = (context.database, context.requester);
        Ok(database.query_scalar_for(requester, None, ENQUEUE, &values, context.deadline).await?.into())
    }

    /// What became of a call of the same caller; null for any other id.
    pub(super) async fn outcome(context: &ActionContext<'_>, input: &Map<String, Value>) -> Result<Value, Error> {
        let id = input.get("id").and_then(Value::as_str).unwrap_or_default();
        let is_admin = context.session.is_admin().to_string();
        let values = [id.to_owned(), context.name.to_owned(), context.session.json(), is_admin];
        let values: Vec<_> = values.into_iter().map(Some).collect();
        let (database, requester) = (context.database, context.requester);
        let text = database.query_scalar_for(requester, None, OUTCOME, &values, context.deadline).await?;
        read(&text)
    }

    /// Claims up to `most` calls of these actions.
    pub(super) async fn claim(
        database: &Database,
        actions: &[&str],
        most: usize,
        deadline: Instant,
    ) -> Result<Vec<ClaimedCall>, DatabaseError> {
        // The names of actions are GraphQL names, so they need no quotes in an array.
        let actions = format!("{{{}}}", actions.join(","));
        let values =
            [Some(actions), Some(LEASE.as_secs().to_string()), Some(most.to_string()), Some(ATTEMPTS.to_string())];
        let text = database.query_scalar(CLAIM, &values, deadline).await?;
        let calls = read(&text).map_err(|_| DatabaseError::Protocol("the log of actions is not JSON".into()))?;
        Ok(calls.as_array().into_iter().flatten().filter_map(call).collect())
    }

    /// Stores the answer of a call, or its error.
    pub(super) async fn finish(
        database: &Database,
        id: &str,
        outcome: Result<Value, Value>,
        deadline: Instant,
    ) -> Result<(), DatabaseError> {
        let (output, errors) = match outcome {
            Ok(output) => (Some(output.to_string()), None),
            Err(errors) => (None, Some(errors.to_string())),
        };
        database.query_scalar(FINISH, &[Some(id.to_owned()), output, errors], deadline).await.map(drop)
    }
}

impl ActionLog {
    /// Gives calls back, so that another gateway takes them up at once.
    pub(super) async fn release(database: &Database, ids: &[String], deadline: Instant) -> Result<(), DatabaseError> {
        database.query_scalar(RELEASE, &[Some(json!(ids).to_string())], deadline).await.map(drop)
    }

    /// Removes calls that have finished before the retention.
    pub(super) async fn remove(database: &Database, retention: Duration, time: Duration) -> Result<(), DatabaseError> {
        let seconds = [Some(retention.as_secs().to_string())];
        while database.query_scalar(REMOVE, &seconds, Instant::now() + time).await? == "1000" {}
        Ok(())
    }
}

/// The session as it is stored. Another token of the same caller may ask for the outcome, so [`OUTCOME`] compares
/// sessions without the claims.
fn stored_session(session: &Session) -> String {
    let SessionClaims::Given(claims) = session.session_claims() else { return session.json() };
    let text = session.json();
    let values = text.strip_suffix('}').unwrap_or(&text);
    format!("{values},\"{CLAIMS}\":{}}}", claims.json(session.role()))
}

fn call(value: &Value) -> Option<ClaimedCall> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let object = |name: &str| value.get(name).and_then(Value::as_object).cloned();
    Some(ClaimedCall {
        id: text("id")?,
        action: text("action")?,
        input: object("input")?,
        session: object("session")?,
        query: text("query")?,
    })
}

fn read(text: &str) -> Result<Value, Error> {
    crate::request::json::read(text.as_bytes()).map_err(|_| Error::Internal("the log of actions is not JSON".into()))
}
