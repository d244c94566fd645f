//! The table `postern.action_log`: the calls of asynchronous actions and what became of them. Any
//! number of gateways share it: a call is claimed by one of them for a while, and by another one if
//! the first does not finish it.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use pg::{Database, DatabaseError};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use sql::statement::SessionValues;
use tokio::time::Instant;

use super::context::ActionContext;
use crate::auth::claims_set::SessionClaims;
use crate::auth::session::Session;
use crate::error::{ActionError, Error};
use crate::limits::LimitExceeded;
use crate::request::json;

/// The calls of asynchronous actions.
#[derive(Debug)]
pub(super) struct ActionLog;

/// A call that was claimed.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ClaimedCall {
    pub(super) id: String,
    pub(super) action: String,
    pub(super) caller: Option<String>,
}

/// A call whose handler has to be called now, and not again.
#[derive(Clone, Debug)]
pub(super) struct BegunCall {
    pub(super) input: Map<String, Value>,
    /// The session values by the names of headers, and the claims of the token as [`CLAIMS`].
    pub(super) session: Map<String, Value>,
    pub(super) query: String,
}

/// What became of a call, as it is stored. The texts are JSON.
#[derive(Deserialize)]
struct StoredOutcome {
    id: String,
    created_at: String,
    errors: Option<String>,
    output: Option<String>,
}

/// What became of a call: its output, or the error that its caller reads.
pub(super) type CallOutcome = Result<Value, Value>;

/// How long a claim holds, from the claim and again from the begin. A gateway that was killed loses
/// its claims after this time.
pub(super) const CLAIM_LEASE: Duration = Duration::from_secs(120);

/// The member of a stored session with the claims of its token. Headers with session values have
/// other names, because of their prefix.
pub(super) const CLAIMS: &str = "claims";

/// Stores a call, unless so many of its caller wait. Its turn is the one after its caller's last in
/// the action, or that of the next call to be claimed: the call of a caller who has none waiting
/// stands beside the first of all others.
const ENQUEUE: &str = "WITH waiting AS (
    SELECT count(*) AS calls FROM (
        SELECT FROM postern.action_log c WHERE c.status = 'created' AND c.caller = $5::text LIMIT $6::int) c),
 stored AS (
    INSERT INTO postern.action_log (action, input, session, request_query, caller, turn)
    SELECT $1::text, $2::text::jsonb, $3::text::jsonb, $4::text, $5::text, greatest(
             (SELECT c.turn + 1 FROM postern.action_log c
               WHERE c.status = 'created' AND c.caller = $5::text AND c.action = $1::text ORDER BY c.turn DESC LIMIT 1),
             (SELECT c.turn FROM postern.action_log c
               WHERE c.status = 'created' AND c.action = $1::text ORDER BY c.turn LIMIT 1), 0)
      FROM waiting w WHERE w.calls < $6::int
 RETURNING id)
 SELECT coalesce((SELECT id::text FROM stored), '')";

const OUTCOME: &str = "SELECT coalesce((SELECT json_build_object('id', l.id, 'created_at', \
                       l.created_at, \
                       'errors', l.errors::text, 'output', l.output::text)::text FROM \
                       postern.action_log l \
                       WHERE l.id = $1::uuid AND l.action = $2::text \
                       AND (l.session - 'claims' = $3::text::jsonb OR $4::boolean)), 'null')";

/// The error of a call whose claim has ended after its handler was begun: the handler may have been
/// called, so it is not called again.
const UNKNOWN: &str =
    "the outcome of the action is unknown: its handler was called, and no answer of it was stored";

/// The error of a call whose answer Postgres cannot store as `jsonb`: it has the character U+0000,
/// or a number with more digits than `numeric` has.
const UNSTORABLE: &str = "the handler has answered, but its answer cannot be stored";

/// The error of a call whose stored arguments cannot be read again.
const UNREADABLE: &str = "the stored call cannot be read; its handler was not called";

/// The most digits that the numbers of a stored value may have together. Postgres writes `1e100000`
/// with all its zeros, so a short value may become a very long one.
const MAX_DIGITS: usize = 1 << 20;

/// Ends the claims that a condition selects. A call that was not begun is free again; any other one
/// has failed.
const ABANDON: &str = "UPDATE postern.action_log l
       SET status = CASE l.attempts WHEN 0 THEN 'created' ELSE 'failed' END, claimed_until = NULL,
           caller = CASE l.attempts WHEN 0 THEN l.caller END,
           finished_at = CASE WHEN l.attempts > 0 THEN now() END,
           errors = CASE WHEN l.attempts > 0 THEN $1::text::jsonb END
     WHERE l.status = 'processing' AND ";

/// Claims calls, and ends the claims of gateways that are gone. Of each action the calls with the
/// first turns are candidates, of which the actions and callers with the fewest running calls come
/// first. No action and no caller has more than its share of this gateway's calls. A claim reads
/// the index of turns, however many calls wait.
static CLAIM: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH abandoned AS ({ABANDON} l.claimed_until < now()),
 wanted AS MATERIALIZED (
    SELECT w.action, w.running FROM json_to_recordset($2::text::json) AS w (action text, running int)
     WHERE w.running < $6::int),
 busy AS MATERIALIZED (
    SELECT b.caller, b.running FROM json_to_recordset($3::text::json) AS b (caller text, running int)),
 candidate AS MATERIALIZED (
    SELECT q.id, q.caller, q.created_at,
           w.running + row_number() OVER (PARTITION BY w.action ORDER BY q.turn, q.created_at) AS place
      FROM wanted w CROSS JOIN LATERAL (
        SELECT c.id, c.caller, c.turn, c.created_at FROM postern.action_log c
         WHERE c.status = 'created' AND c.action = w.action
           AND NOT coalesce(c.caller, '') = ANY (ARRAY(SELECT b.caller FROM busy b WHERE b.running >= $6::int))
         ORDER BY c.turn, c.created_at LIMIT least($5::int, $6::int - w.running) FOR UPDATE SKIP LOCKED) q),
 judged AS (
    SELECT c.id, c.caller, c.place, c.created_at,
           coalesce(b.running, 0) + row_number() OVER (PARTITION BY c.caller ORDER BY c.place, c.created_at) AS of_caller
      FROM candidate c LEFT JOIN busy b ON b.caller = c.caller),
 claimed AS (
    UPDATE postern.action_log l SET status = 'processing', claimed_until = now() + $4::text::interval
     WHERE l.id = ANY (ARRAY(SELECT j.id FROM judged j WHERE j.of_caller <= $6::int OR j.caller IS NULL
                              ORDER BY j.place, j.created_at LIMIT $5::int))
 RETURNING l.id, l.action, l.caller)
 SELECT coalesce(json_agg(json_build_object('id', id, 'action', action, 'caller', caller)), '[]')::text FROM claimed"
    )
});

/// Begins a claimed call and returns it, unless another gateway has begun it or its claim has
/// ended. `attempts` is how often its handler was begun: never, or once. The parts are texts, so
/// that no nesting is added to theirs.
const BEGIN: &str = "WITH begun AS (
    UPDATE postern.action_log l SET attempts = 1, claimed_until = now() + $2::text::interval
     WHERE l.id = $1::uuid AND l.status = 'processing' AND l.attempts = 0
 RETURNING l.input, l.session, l.request_query)
 SELECT coalesce((SELECT json_build_array(input::text, session::text, request_query) FROM begun), '[]')::text";

/// Frees a call that was not begun as far as its gateway knows: the answer to [`BEGIN`] was lost.
const RELEASE: &str = "WITH released AS (
    UPDATE postern.action_log l SET status = 'created', attempts = 0, claimed_until = NULL
     WHERE l.id = $1::uuid AND l.status = 'processing' RETURNING 1) SELECT count(*)::text FROM released";

/// Stores what became of a call. An answer that comes after the claim has ended takes the place of
/// "unknown".
const FINISH: &str = "WITH finished AS (
    UPDATE postern.action_log SET status = CASE WHEN $3::text IS NULL THEN 'completed' ELSE 'failed' END,
           output = $2::text::jsonb, errors = $3::text::jsonb, finished_at = now(), caller = NULL
     WHERE id = $1::uuid AND (status = 'processing' OR status = 'failed' AND errors = $4::text::jsonb) RETURNING id)
 SELECT count(*)::text FROM finished";

/// Ends the claims of a gateway that stops.
static STOP: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH abandoned AS ({ABANDON} l.id IN (SELECT i::uuid FROM json_array_elements_text($2::text::json) AS i) RETURNING 1)
 SELECT count(*)::text FROM abandoned"
    )
});

/// Removes some calls that have finished before the given number of seconds. What another gateway
/// is removing is left to it.
const REMOVE: &str = "WITH old AS MATERIALIZED (
    SELECT l.id FROM postern.action_log l
     WHERE l.finished_at < now() - make_interval(secs => $1::text::float8)
     ORDER BY l.finished_at LIMIT 1000 FOR UPDATE SKIP LOCKED),
 removed AS (DELETE FROM postern.action_log l WHERE l.id = ANY (ARRAY(SELECT old.id FROM old)) RETURNING 1)
 SELECT count(*)::text FROM removed";

/// Whether the database has the table, as this release needs it.
pub(super) const EXISTS: &str = "SELECT (EXISTS (SELECT FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = to_regclass('postern.action_log') AND a.attname = 'turn'))::text";

impl ActionLog {
    /// Stores a call, and returns its id. At most `limit` calls of a caller wait.
    pub(super) async fn enqueue(
        context: &ActionContext<'_>,
        input: &Map<String, Value>,
        limit: usize,
    ) -> Result<Value, Error> {
        if digits(input.values()) > MAX_DIGITS {
            let error = ActionError::new("the numbers of the arguments have too many digits")
                .with_code("data-exception");
            return Err(Error::Action(Box::new(ActionError {
                path: context.path.to_owned(),
                ..error
            })));
        }
        let session = stored_session(context.session);
        let input = json!(input).to_string();
        let values = [
            context.name.to_owned(),
            input,
            session,
            context.query.into(),
            caller(context),
            limit.to_string(),
        ]
        .map(Some);
        let database = context.database;
        let requester = context.requester;
        let id = database
            .query_scalar_for(requester, None, ENQUEUE, &values, context.deadline)
            .await?;
        if id.is_empty() {
            Err(LimitExceeded::Calls(limit).into())
        } else {
            Ok(id.into())
        }
    }

    /// What became of a call of the same caller; null for any other id.
    pub(super) async fn outcome(
        context: &ActionContext<'_>,
        input: &Map<String, Value>,
    ) -> Result<Value, Error> {
        let id = input.get("id").and_then(Value::as_str).unwrap_or_default();
        let is_admin = context.session.is_admin().to_string();
        let values = [
            id.to_owned(),
            context.name.to_owned(),
            context.session.json(),
            is_admin,
        ];
        let values: Vec<_> = values.into_iter().map(Some).collect();
        let database = context.database;
        let requester = context.requester;
        let text = database
            .query_scalar_for(requester, None, OUTCOME, &values, context.deadline)
            .await?;
        let malformed = |_| Error::Internal("the log of actions is not JSON".into());
        let stored: Option<StoredOutcome> = serde_json::from_str(&text).map_err(malformed)?;
        let Some(StoredOutcome {
            id,
            created_at,
            errors,
            output,
        }) = stored
        else {
            return Ok(Value::Null);
        };
        let read =
            |text: Option<String>| text.map_or(Ok(Value::Null), |text| json::read(text.as_bytes()));
        let errors = read(errors).map_err(malformed)?;
        let output = read(output).map_err(malformed)?;
        Ok(json!({"id": id, "created_at": created_at, "errors": errors, "output": output}))
    }

    /// Claims up to `most` calls. `by_action` has every action, `by_caller` those with running
    /// calls; none of them may have more than `share`.
    pub(super) async fn claim(
        database: &Database,
        by_action: &BTreeMap<&str, usize>,
        by_caller: &BTreeMap<&str, usize>,
        most: usize,
        share: usize,
        deadline: Instant,
    ) -> Result<Vec<ClaimedCall>, DatabaseError> {
        let counts = |name: &str, counts: &BTreeMap<&str, usize>| {
            let rows = counts
                .iter()
                .map(|(key, running)| json!({name: key, "running": running}));
            Value::from_iter(rows).to_string()
        };
        let actions = counts("action", by_action);
        let callers = counts("caller", by_caller);
        let values = [
            unknown(),
            actions,
            callers,
            lease(),
            most.to_string(),
            share.to_string(),
        ]
        .map(Some);
        let text = database.query_scalar(&CLAIM, &values, deadline).await?;
        serde_json::from_str(&text)
            .map_err(|_| DatabaseError::Protocol("the log of actions is not JSON".into()))
    }

    /// Begins a claimed call: from now on no gateway begins it again. `None` if it is another
    /// gateway's. The inner error is what became of a call that cannot be read.
    pub(super) async fn begin(
        database: &Database,
        id: &str,
        deadline: Instant,
    ) -> Result<Option<Result<BegunCall, Value>>, DatabaseError> {
        let text = database
            .query_scalar(BEGIN, &[Some(id.to_owned()), Some(lease())], deadline)
            .await;
        let unreadable = || Ok(Some(Err(error(UNREADABLE))));
        let text = match text {
            Ok(text) => text,
            Err(fault) if !is_passing(&fault) => return unreadable(),
            Err(fault) => return Err(fault),
        };
        let Ok(parts) = serde_json::from_str::<Vec<String>>(&text) else {
            return unreadable();
        };
        let [input, session, query] = parts.as_slice() else {
            return Ok(None);
        };
        let object = |text: &str| match json::read(text.as_bytes()) {
            Ok(Value::Object(members)) => Some(members),
            _ => None,
        };
        match (object(input), object(session)) {
            (Some(input), Some(session)) => Ok(Some(Ok(BegunCall {
                input,
                session,
                query: query.clone(),
            }))),
            _ => unreadable(),
        }
    }

    /// Stores what became of a call. An outcome that Postgres refuses is replaced by an error that
    /// says so.
    pub(super) async fn finish(
        database: &Database,
        id: &str,
        outcome: &CallOutcome,
        deadline: Instant,
    ) -> Result<(), DatabaseError> {
        let store = async |outcome: &CallOutcome| {
            let (output, errors) = match outcome {
                Ok(output) => (Some(output.to_string()), None),
                Err(errors) => (None, Some(errors.to_string())),
            };
            let values = [Some(id.to_owned()), output, errors, Some(unknown())];
            database
                .query_scalar(FINISH, &values, deadline)
                .await
                .map(drop)
        };
        let (Ok(value) | Err(value)) = outcome;
        let stored = if digits([value]) > MAX_DIGITS {
            return store(&Err(error(UNSTORABLE))).await;
        } else {
            store(outcome).await
        };
        match stored {
            Err(fault) if !is_passing(&fault) => {
                tracing::warn!(id, cause = %fault, "the answer of an action cannot be stored");
                store(&Err(error(UNSTORABLE))).await
            }
            stored => stored,
        }
    }

    /// Frees a claimed call whose handler was not called.
    pub(super) async fn release(
        database: &Database,
        id: &str,
        deadline: Instant,
    ) -> Result<(), DatabaseError> {
        database
            .query_scalar(RELEASE, &[Some(id.to_owned())], deadline)
            .await
            .map(drop)
    }

    /// Ends the claims of a gateway that stops: calls that were not begun are free again, others
    /// have failed.
    pub(super) async fn stop(
        database: &Database,
        ids: &[String],
        deadline: Instant,
    ) -> Result<(), DatabaseError> {
        database
            .query_scalar(
                &STOP,
                &[unknown(), json!(ids).to_string()].map(Some),
                deadline,
            )
            .await
            .map(drop)
    }

    /// Removes calls that have finished before the retention.
    pub(super) async fn remove(
        database: &Database,
        retention: Duration,
        time: Duration,
    ) -> Result<(), DatabaseError> {
        let seconds = [Some(retention.as_secs().to_string())];
        while database
            .query_scalar(REMOVE, &seconds, Instant::now() + time)
            .await?
            == "1000"
        {}
        Ok(())
    }
}

/// Identifies a caller in the log: by the session values, or without any by the address. A digest,
/// since an address is a fact about a person.
fn caller(context: &ActionContext<'_>) -> String {
    let session = context.session;
    let [_, counted_address] = context.requester.user_and_address();
    let address = session
        .client()
        .filter(|_| session.user().is_none() && counted_address.is_some());
    let address = address
        .map(|address| address.to_canonical().to_string())
        .unwrap_or_default();
    let digest = Sha256::digest(session.json() + &address);
    digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The session as it is stored. Another token of the same caller may ask for the outcome, so
/// [`OUTCOME`] compares sessions without the claims.
fn stored_session(session: &Session) -> String {
    let SessionClaims::Given(claims) = session.session_claims() else {
        return session.json();
    };
    let text = session.json();
    let values = text.strip_suffix('}').unwrap_or(&text);
    format!("{values},\"{CLAIMS}\":{}}}", claims.json(session.role()))
}

/// Whether an error of the database may pass: a repeated statement may succeed. All others come of
/// the values.
fn is_passing(fault: &DatabaseError) -> bool {
    // Classes: connection, transaction rollback, resources, object state, operator, system.
    const PASSING: [&str; 6] = ["08", "40", "53", "55", "57", "58"];
    match fault {
        DatabaseError::Refused(refusal) => PASSING
            .iter()
            .any(|class| refusal.sqlstate.starts_with(class)),
        _ => true,
    }
}

/// The error of a call, in the form of those of handlers.
fn error(message: &str) -> Value {
    json!({"message": message, "extensions": {"path": "$", "code": "unexpected"}})
}

fn unknown() -> String {
    error(UNKNOWN).to_string()
}

fn lease() -> String {
    format!("{} seconds", CLAIM_LEASE.as_secs())
}

/// The number of digits with which Postgres writes the numbers of some values.
fn digits<'v>(values: impl IntoIterator<Item = &'v Value>) -> usize {
    let of_value = |value: &Value| match value {
        Value::Number(number) => {
            let text = number.as_str();
            let exponent = text
                .split_once(['e', 'E'])
                .and_then(|(_, exponent)| exponent.parse::<i64>().ok());
            text.len()
                + usize::try_from(exponent.unwrap_or_default().unsigned_abs())
                    .unwrap_or(usize::MAX / 2)
        }
        Value::Array(items) => digits(items),
        Value::Object(members) => digits(members.values()),
        Value::Null | Value::Bool(_) | Value::String(_) => 0,
    };
    values
        .into_iter()
        .map(of_value)
        .fold(0, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_that_postgres_writes() {
        let count = |text: &str| digits([&json::read(text.as_bytes()).unwrap()]);
        assert_eq!(count(r#"{"a": [1, -2.50, "1e9"], "b": {"c": null}}"#), 6);
        assert!(count("[1e1000, 1E+1000, 1.5e-1000]") > 3000);
        assert!(count("1e99999999999999999999") > 0);
    }
}
