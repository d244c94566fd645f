//! The event queue: its events, their attempts, and replay.

use pg::DatabaseError;
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use crate::events::{EventFilter, EventStore};
use gateway::error::{Error, InvalidRequest};
use gateway::http::{HttpExchange, authenticate_admin, media, route};
use gateway::request::{json as json_text, parameters};

/// The path of one event.
pub(super) const EVENT: &str = "/console/api/event/{id}";

/// How many events are listed, the newest first.
const MAX_LISTED_EVENTS: usize = 200;

/// `UNDEFINED_TABLE` and `INVALID_SCHEMA_NAME`: the queue is not there.
const NO_QUEUE: [&str; 2] = ["42P01", "3F000"];

/// The newest events, and how many there are by trigger and state. `?state=` and `?trigger=` select
/// some of them.
pub(super) async fn list(exchange: &mut HttpExchange) -> Result<Value, Error> {
    let state = authenticate_admin(exchange).await?.state;
    let mut filter = EventFilter {
        limit: MAX_LISTED_EVENTS,
        ..EventFilter::default()
    };
    for (name, value) in parameters(exchange.query())? {
        match name.as_str() {
            "state" => filter.state = Some(value),
            "trigger" => filter.trigger = Some(value),
            _ => return Err(InvalidRequest::UnknownParameter(name).into()),
        }
    }
    let store = EventStore {
        database: &state.execution.database,
        deadline: deadline_of(exchange),
    };
    let (counts, events) = match (store.counts().await, store.list(&filter).await) {
        (Err(DatabaseError::Refused(refusal)), _) if NO_QUEUE.contains(&&*refusal.sqlstate) => {
            return Ok(json!({"has_queue": false, "counts": [], "events": []}));
        }
        (counts, events) => (counts?, events?),
    };
    Ok(json!({"has_queue": true, "counts": counts, "events": events, "limit": MAX_LISTED_EVENTS}))
}

/// An event with its payload and its attempts.
pub(super) async fn show(exchange: &mut HttpExchange) -> Result<Value, Error> {
    let state = authenticate_admin(exchange).await?.state;
    let id = route::parameter(EVENT, exchange.path())
        .and_then(|id| Uuid::parse_str(id).ok())
        .ok_or(Error::NotFound)?;
    let store = EventStore {
        database: &state.execution.database,
        deadline: deadline_of(exchange),
    };
    store.show(id).await?.ok_or(Error::NotFound)
}

/// Has an event delivered again (`{"id"}`), or all dead ones of a trigger (`{"trigger"}`).
pub(super) async fn replay(exchange: &mut HttpExchange) -> Result<Value, Error> {
    // Pages of other origins cannot send JSON without a preflight.
    media::check_json(&exchange.headers)?;
    let state = authenticate_admin(exchange).await?.state;
    let deadline = deadline_of(exchange);
    let app = exchange.app.clone();
    let bytes = exchange.read_body(&app.state().limits).await?;
    let malformed = |error: serde_json::Error| InvalidRequest::Json {
        line: error.line(),
        column: error.column(),
    };
    let body = json_text::read(&bytes).map_err(malformed)?;
    let store = EventStore {
        database: &state.execution.database,
        deadline,
    };
    let replayed = match (body.get("id"), body.get("trigger")) {
        (Some(Value::String(id)), None) => {
            let wrong = InvalidRequest::Member {
                name: "id",
                expected: "a uuid",
            };
            usize::from(
                store
                    .replay(Uuid::parse_str(id).map_err(|_| wrong)?)
                    .await?,
            )
        }
        (None, Some(Value::String(trigger))) => {
            let replayed = store.replay_dead(trigger).await?;
            replayed
                .parse()
                .map_err(|_| Error::Internal(format!("a count: {replayed}")))?
        }
        _ => {
            return Err(InvalidRequest::Member {
                name: "id",
                expected: "a uuid, or 'trigger' a name",
            }
            .into());
        }
    };
    Ok(json!({"replayed": replayed}))
}

fn deadline_of(exchange: &HttpExchange) -> Instant {
    Instant::from_std(exchange.started) + exchange.app.state().limits.time
}
