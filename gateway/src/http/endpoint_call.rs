//! Calls a REST endpoint for an authenticated caller. The REST handler and the MCP handler share
//! it.

use std::sync::Arc;
use std::time::Instant;

use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderValue};
use serde_json::{Map, Value};

use super::caller::Caller;
use super::exchange::HttpExchange;
use crate::auth::session_headers;
use crate::error::Error;
use crate::execute::{self, AllowedOperations, ExecutionOptions, NativeQuery, Payload};
use crate::request::{DocumentOrigin, Request};
use crate::rest::{Endpoint, EndpointKind};

/// Runs an endpoint for a session that may call it, with variables that the endpoint has created.
/// The role's time limit counts from the start of the exchange, whose access log entry records the
/// timings.
pub(super) async fn call_endpoint(
    exchange: &mut HttpExchange,
    caller: &Caller,
    endpoint: &Endpoint,
    variables: Arc<Map<String, Value>>,
    buffered: bool,
) -> Result<Payload, Error> {
    let Caller {
        state,
        session,
        limits,
        ..
    } = caller;
    exchange.log_entry.requests += 1;
    let options = ExecutionOptions {
        operations: AllowedOperations::All,
        buffered,
        cache: endpoint.cache_policy,
        source: exchange.read_source(&state.execution),
        deadline: caller.deadline(exchange),
        record: Some(&exchange.log_entry.record),
    };
    let result = match endpoint.kind() {
        EndpointKind::Operation { text, name, .. } => {
            let request = Request {
                query: text.clone(),
                operation_name: name.clone(),
                variables,
                requirement: endpoint.requirement.clone(),
                author: DocumentOrigin::Endpoint,
                client_headers: state.execution.client_headers(&exchange.headers),
                ..Request::default()
            };
            execute::respond(&state.execution, session, &request, options).await
        }
        EndpointKind::Statement(statement) => {
            let began = Instant::now();
            execute::check_access(&state.execution, session, statement.writes())?;
            let of_role = statement
                .form(session.role(), session.backend_only())
                .ok_or(Error::RoleNotAllowed)?;
            let variables = statement.coerce(&variables)?;
            let query = NativeQuery {
                translation: &of_role.translation,
                variables: &variables,
                name: endpoint.name.as_deref(),
                is_volatile: statement.is_volatile(),
                prepared_in: began.elapsed(),
            };
            execute::respond_to_native_query(&state.execution, session, query, options).await
        }
    };
    let result = result.map_err(|error| match error {
        Error::RowNotVisible(_) => Error::RowNotVisible(endpoint.denied.clone()),
        other => other,
    })?;
    exchange.log_entry.record_result(&result);
    if let Payload::Whole(_) = result.payload {
        limits.observe_time(|| exchange.started.elapsed());
    }
    Ok(result.payload)
}

/// Rejects a write that any web page could cause with the user's cookies: it needs a bearer token
/// or the admin secret in a header.
pub(super) fn check_authorized(headers: &HeaderMap, prefix: &str) -> Result<(), Error> {
    let bearer = |value: &HeaderValue| {
        value
            .as_bytes()
            .get(..7)
            .is_some_and(|b| b.eq_ignore_ascii_case(b"bearer "))
    };
    let has_token = headers.get(AUTHORIZATION).is_some_and(bearer);
    if has_token || session_headers::has_admin_secret(headers, prefix) {
        Ok(())
    } else {
        Err(Error::NoAuthorization)
    }
}
