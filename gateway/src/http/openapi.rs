//! Handler of `/api/rest/openapi.json`: the OpenAPI description of the endpoints that the caller's role may call.

use tokio::time::Instant;

use super::caching::{self, CacheControl};
use super::{ErrorFormat, HttpExchange, Response, Server, authenticate, finish};
use crate::error::Error;
use crate::http::state::HandlerState;

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut HttpExchange) -> Response {
    let parts = server.state();
    let answered = handle(server, &parts, exchange).await;
    finish(server, &parts, exchange, answered, ErrorFormat::Rest)
}

async fn handle(server: &Server, parts: &HandlerState, exchange: &mut HttpExchange) -> Result<Response, Error> {
    let limit = parts.executor.limits.for_role("").enforced.time;
    let session = authenticate(parts, exchange, None, limit).await?;
    parts.rate_limiter.check_session(&server.metrics, &mut exchange.rate_limit, &session).await?;
    let deadline = Instant::from_std(exchange.started) + limit;
    let work = parts.executor.schema_work(&session, deadline);
    let described = parts.descriptions.of(&parts.rest, &parts.executor.engine.access(&session), work).await?;
    let mut response = caching::read(&exchange.headers, described);
    caching::set_cache_control(response.headers_mut(), &CacheControl::default(), &session, &parts.authenticator);
    Ok(response)
}
