//! Handler of `/api/rest/openapi.json`: the OpenAPI description of the endpoints that the caller's
//! role may call.

use super::caching::{self, CacheControl};
use super::caller::{Caller, authenticate_caller};
use super::error_response::{ErrorFormat, finish};
use super::exchange::HttpExchange;
use super::response::Response;
use crate::error::Error;

/// Answers an exchange.
pub async fn respond(exchange: &mut HttpExchange) -> Response {
    let result = handle(exchange).await;
    finish(exchange, result, ErrorFormat::Rest)
}

async fn handle(exchange: &mut HttpExchange) -> Result<Response, Error> {
    let caller = authenticate_caller(exchange).await?;
    let Caller { state, session, .. } = &caller;
    let work = state
        .execution
        .schema_work(session, caller.deadline(exchange));
    let description = state
        .descriptions
        .get(&state.rest, &state.execution.schema.access(session), work)
        .await?;
    let mut response = caching::read(&exchange.headers, description);
    caching::set_cache_control(
        response.headers_mut(),
        &CacheControl::default(),
        session,
        &state.authenticator,
    );
    Ok(response)
}
