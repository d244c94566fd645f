//! What `--dev` adds to responses: the full reason of an error, names that may have been meant, the
//! grant that is missing or that refuses a row, and the SQL. It is for the developer's own machine;
//! the setting is refused unless the gateway listens on loopback only.

mod grants;
mod members;

use pg::DatabaseError;
use serde_json::{Map, Value, json};
use sql::Cause;
use sql::schema::Schema;

use self::members::members;
use super::exchange::HttpExchange;
use super::state::HandlerState;
use crate::error::Error;
use crate::execute;
use crate::telemetry::execution_record::{ExecutionRecord, Stage};

/// The member with the details, as Hasura calls it.
const MEMBER: &str = "internal";

/// How many names are suggested, and how far they may be from the one that was sent: the number of
/// edits.
const MAX_SUGGESTIONS: usize = 5;
const MAX_EDIT_DISTANCE: usize = 3;

/// The details of an error.
pub(super) fn details(state: &HandlerState, exchange: &HttpExchange, error: &Error) -> Value {
    let mut details = record_details(&exchange.log_entry.record);
    let reason = error.reason();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            details.insert(name.to_owned(), value.into());
        }
    };
    add("reason", reason.text);
    add("cause", error.cause());
    add("sqlstate", reason.sqlstate);
    add("constraint", reason.constraint);
    if let Error::Database(DatabaseError::Refused(refusal)) | Error::NotWritten { refusal, .. } =
        error
    {
        add("database", Some(refusal.message.clone()));
    }
    if exchange.log_entry.has_unknown_role {
        add(
            "role",
            Some(
                "the permission file does not contain the caller's role, which so may do nothing"
                    .into(),
            ),
        );
    }
    if let Some(name) = state.authenticator.ignored_secret(&exchange.headers) {
        let text = format!(
            "the header {name} has no meaning here, so the caller counts as anonymous: this \
             gateway takes {}, and with `--profile hasura` x-hasura-admin-secret",
            state.authenticator.secret_header()
        );
        details.insert("header".into(), text.into());
    }
    if let (Error::Query(error), Some(role)) = (error, exchange.log_entry.role.as_deref()) {
        let grant = grants::missing_grant(state, role, &error.cause)
            .or_else(|| grants::failed_check(state, role, error));
        details.extend(grant.map(|grant| ("grant".to_owned(), grant.into())));
    }
    if let Error::Query(error) = error {
        let suggested = suggestions(state, exchange.log_entry.role.as_deref(), &error.cause);
        if !suggested.is_empty() {
            details.insert("suggestions".into(), suggested.into());
        }
    }
    details.into()
}

/// The details of a request that succeeded.
pub(super) fn success_details(exchange: &HttpExchange) -> Value {
    record_details(&exchange.log_entry.record).into()
}

/// Statements, rows and times.
fn record_details(record: &ExecutionRecord) -> Map<String, Value> {
    let mut details = Map::new();
    if let Some(translation) = record.translation() {
        let statements: Vec<&str> = execute::statements(translation)
            .map(|statement| statement.text.as_str())
            .collect();
        details.insert("sql".into(), statements.into());
    }
    if let Some(rows) = record.rows() {
        details.insert("rows".into(), rows.into());
    }
    let stages = [
        ("plan", Stage::Plan),
        ("bind", Stage::Bind),
        ("wait", Stage::Wait),
        ("run", Stage::Run),
    ];
    let times = stages
        .into_iter()
        .filter_map(|(name, stage)| Some((name.to_owned(), record.milliseconds(stage)?.into())));
    let times: Map<String, Value> = times.collect();
    if !times.is_empty() {
        details.insert("ms".into(), times.into());
    }
    details
}

/// Adds details to the JSON of an error: to `extensions` of a GraphQL error, or to the object of
/// other errors.
pub(super) fn add_to_error(error: &mut Value, details: Value) {
    match error.pointer_mut("/errors/0/extensions") {
        Some(Value::Object(extensions)) => drop(extensions.insert(MEMBER.into(), details)),
        _ => {
            if let Some(error) = error.as_object_mut() {
                error.insert(MEMBER.into(), details);
            }
        }
    }
}

/// Adds details to a response `{"data":…}`, as `extensions`.
pub(super) fn add_to_response(response: &[u8], details: &Value) -> Option<Vec<u8>> {
    let open = response.strip_suffix(b"}")?;
    let extensions = json!({ MEMBER: details }).to_string();
    Some([open, b",\"extensions\":", extensions.as_bytes(), b"}"].concat())
}

/// Names of the role's schema that are like the one that was sent.
fn suggestions(state: &HandlerState, role: Option<&str>, cause: &Cause) -> Vec<String> {
    let Some(access) = role.and_then(|role| state.execution.schema.permissions.role(role)) else {
        return vec![];
    };
    let schema = Schema::new(access);
    let (sent, known): (&str, Vec<String>) = match cause {
        Cause::UnknownField { field, on } | Cause::UnknownInputField { field, on } => {
            (field, members(&schema, on))
        }
        Cause::UnknownEnumValue { found, values, .. } => (found, values.clone()),
        Cause::UnknownArgument {
            argument, known, ..
        } => (argument, known.clone()),
        _ => return vec![],
    };
    closest(sent, known)
}

/// The names that are close to the one that was sent, the closest first.
fn closest(sent: &str, known: Vec<String>) -> Vec<String> {
    let sent_lower = sent.to_lowercase();
    let near = known.into_iter().filter_map(|name| {
        let lower = name.to_lowercase();
        let distance = strsim::damerau_levenshtein(&lower, &sent_lower);
        let is_part =
            sent.len() > 2 && (lower.contains(&sent_lower) || sent_lower.contains(&lower));
        (distance <= MAX_EDIT_DISTANCE.min(sent.len().div_ceil(2)) || is_part)
            .then_some((distance, name))
    });
    let mut near: Vec<(usize, String)> = near.collect();
    near.sort();
    near.into_iter()
        .map(|(_, name)| name)
        .take(MAX_SUGGESTIONS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_come_first() {
        let known = ["users", "userRoles", "orders", "user"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(closest("usrs", known.clone()), ["users", "user"]);
        assert_eq!(closest("User", known), ["user", "users", "userRoles"]);
    }

    #[test]
    fn details_stand_in_extensions_or_beside_the_message() {
        let mut graphql = json!({"errors": [{"message": "m", "extensions": {"code": "c"}}]});
        add_to_error(&mut graphql, json!({"reason": "r"}));
        assert_eq!(
            graphql["errors"][0]["extensions"],
            json!({"code": "c", "internal": {"reason": "r"}})
        );
        let mut rest = json!({"status": "error"});
        add_to_error(&mut rest, json!(1));
        assert_eq!(rest, json!({"status": "error", "internal": 1}));
        let response = add_to_response(br#"{"data":{}}"#, &json!(1)).unwrap();
        assert_eq!(response, br#"{"data":{},"extensions":{"internal":1}}"#);
    }
}
