//! What happened with tokens, credentials and sessions, and the open sessions of one user.

use pg::DatabaseError;
use serde_json::{Value, json};
use tokio::time::Instant;

use gateway::error::{Error, InvalidRequest};
use gateway::http::{HttpExchange, authenticate_admin};
use gateway::request::parameters;

/// The newest events, of a user, an event and an outcome or of any with null, and the open sessions
/// of the user.
const LIST: &str = "
SELECT json_build_object(
  'events', (
    SELECT coalesce(json_agg(row_to_json(e)), '[]') FROM (
      SELECT e.id, e.at, e.event, e.outcome, e.reason, e.method, e.user_id, e.address, e.session_id, e.token_id, e.request_id
      FROM postern.authentication_event e
      WHERE ($1::text IS NULL OR e.user_id = $1) AND ($2::text IS NULL OR e.event = $2)
        AND ($3::text IS NULL OR e.outcome = $3)
      ORDER BY e.at DESC, e.id DESC LIMIT 200) e),
  'sessions', (
    SELECT coalesce(json_agg(row_to_json(s)), '[]') FROM (
      SELECT s.id, s.created_at, s.last_used_at, s.methods, s.address, s.user_agent
      FROM postern.session s
      WHERE s.user_id = $1 AND s.revoked_at IS NULL AND EXISTS (
        SELECT FROM postern.refresh_token t
        WHERE t.session_id = s.id AND t.rotated_at IS NULL AND t.expires_at > now())
      ORDER BY coalesce(s.last_used_at, s.created_at) DESC, s.id LIMIT 200) s))::text";

/// How many events are listed, the newest first.
const MAX_LISTED_EVENTS: usize = 200;

/// `UNDEFINED_TABLE`, `UNDEFINED_COLUMN` and `INVALID_SCHEMA_NAME`: the tables are not there, or of
/// an earlier version.
const NO_TABLES: [&str; 3] = ["42P01", "42703", "3F000"];

/// The newest events and the sessions of a user. `?user=`, `?event=` and `?outcome=` select some.
pub(super) async fn list(exchange: &mut HttpExchange) -> Result<Value, Error> {
    let state = authenticate_admin(exchange).await?.state;
    let mut filter = [const { None }; 3];
    let [user, event, outcome] = &mut filter;
    for (name, value) in parameters(exchange.query())? {
        match name.as_str() {
            "user" => *user = Some(value),
            "event" => *event = Some(value),
            "outcome" => *outcome = Some(value),
            _ => return Err(InvalidRequest::UnknownParameter(name).into()),
        }
    }
    let deadline = Instant::from_std(exchange.started) + exchange.app.state().limits.time;
    let database = &state.execution.database;
    let text = match database.query_scalar(LIST, &filter, deadline).await {
        Ok(text) => text,
        Err(DatabaseError::Refused(refusal)) if NO_TABLES.contains(&&*refusal.sqlstate) => {
            return Ok(json!({"has_tables": false, "events": [], "sessions": []}));
        }
        Err(fault) => return Err(fault.into()),
    };
    let fault = |_| Error::Internal("a statement of the console returns other JSON".into());
    let mut listed: Value = serde_json::from_str(&text).map_err(fault)?;
    listed["has_tables"] = true.into();
    listed["limit"] = MAX_LISTED_EVENTS.into();
    Ok(listed)
}
