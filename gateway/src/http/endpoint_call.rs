//! Calls a REST endpoint for an authenticated caller. The REST handler and the MCP handler share it.

use std::sync::Arc;

use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderValue};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{HttpExchange, read_source};
use crate::auth::session::Session;
use crate::auth::session_headers;
use crate::error::Error;
use crate::execute::{self, AllowedOperations, ExecutionOptions, NativeQuery, Payload};
use crate::http::state::HandlerState;
use crate::request::{DocumentOrigin, Request};
use crate::rest::{Endpoint, EndpointKind};

/// Runs an endpoint for a session that may call it, with variables that the endpoint has created. The role's time limit
/// counts from the start of the exchange, whose access log entry records the timings.
pub(super) async fn call_endpoint(
    parts: &HandlerState,
    exchange: &mut HttpExchange,
    session: &Session,
    endpoint: &Endpoint,
    variables: Arc<Map<String, Value>>,
    buffered: bool,
) -> Result<Payload, Error> {
    let bounds = parts.executor.limits.for_role(session.role());
    let deadline = Instant::from_std(exchange.started) + bounds.enforced.time;
    let cache = endpoint.cache_policy;
    let source = read_source(&parts.executor, &exchange.headers);
    exchange.log_entry.requests += 1;
    let record = Some(&exchange.log_entry.record);
    let options = ExecutionOptions { operations: AllowedOperations::All, buffered, cache, source, deadline, record };
    let answer = match endpoint.kind() {
        EndpointKind::Operation { text, name, .. } => {
            let request = Request {
                query: text.clone(),
                operation_name: name.clone(),
                variables,
                requirement: endpoint.requirement.clone(),
                author: DocumentOrigin::Endpoint,
                client_headers: parts.executor.client_headers(&exchange.headers),
                ..Request::default()
            };
            execute::answer(&parts.executor, session, &request, options).await
        }
        EndpointKind::Statement(statement) => {
            let began = Instant::now();
            execute::check_access(&parts.executor, session, statement.writes())?;
            let of_role = statement.form(session.role(), session.backend_only()).ok_or(Error::RoleNotAllowed)?;
            let variables = statement.coerce(&variables)?;
            let query = NativeQuery {
                translation: &of_role.translation,
                variables: &variables,
                name: endpoint.name.as_deref(),
                is_volatile: statement.is_volatile(),
                prepared_in: began.elapsed(),
            };
            execute::answer_native_query(&parts.executor, session, query, options).await
        }
    };
    let answer = answer.map_err(|error| match error {
        Error::RowNotVisible(_) => Error::RowNotVisible(endpoint.denied.clone()),
        other => other,
    })?;
    exchange.log_entry.stages = answer.timings;
    exchange.log_entry.dry_run = answer.dry_run;
    exchange.log_entry.written_at = answer.written_at;
    if let Payload::Whole(_) = answer.payload {
        bounds.observe_time(|| exchange.started.elapsed());
    }
    Ok(answer.payload)
}

/// Rejects a write that any web page could cause with the user's cookies: it needs a bearer token or the admin secret
/// in a header.
pub(super) fn check_authorized(headers: &HeaderMap, prefix: &str) -> Result<(), Error> {
    let bearer = |value: &HeaderValue| value.as_bytes().get(..7).is_some_and(|b| b.eq_ignore_ascii_case(b"bearer "));
    let authorized = headers.get(AUTHORIZATION).is_some_and(bearer);
    match authorized || session_headers::has_admin_secret(headers, prefix) {
        true => Ok(()),
        false => Err(Error::NoAuthorization),
    }
}
