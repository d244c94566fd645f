//! `GET /api/rest/openapi.json`: the endpoints that the caller's role may ask.

use super::caching::{self, CacheControl};
use super::{Exchange, Face, Response, Server, concluded, enter};
use crate::answer::Answering;
use crate::error::Error;

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut Exchange) -> Response {
    let parts = server.answering();
    let answered = handle(server, &parts, exchange).await;
    concluded(server, &parts, exchange, answered, Face::Rest)
}

async fn handle(server: &Server, parts: &Answering, exchange: &mut Exchange) -> Result<Response, Error> {
    let limit = parts.bounds.of("").holds.time;
    let session = enter(parts, exchange, None, limit).await?;
    parts.rates.enter(&server.metrics, exchange, &session).await?;
    let described = parts.descriptions.of(&parts.rest, &parts.engine.access(&session));
    let described = described.map_err(|error| Error::Internal(error.to_string()))?;
    let mut response = caching::read(&exchange.headers, described);
    caching::control(response.headers_mut(), &CacheControl::default(), &session, &parts.doorman);
    Ok(response)
}
