//! `GET /api/rest/openapi.json`: the endpoints that the caller's role may ask.

use http::StatusCode;
use http::header::{CACHE_CONTROL, HeaderValue};
use tokio::time::Instant;

use super::{Exchange, Response, Server, json, media, object};
use crate::error::Error;
use crate::limits::Exceeded;
use crate::openapi::{self, About};
use crate::patience;

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut Exchange) -> Result<Response, Error> {
    let parts = server.answering();
    let limit = parts.bounds.of("").holds.time;
    let asked = parts.doorman.session(&exchange.headers);
    let session = patience::until(Instant::from_std(exchange.started) + limit, asked);
    let session = session.await.ok_or(Exceeded::Time(limit))??;
    exchange.account.role = Some(session.shared_role());
    parts.rates.enter(&server.metrics, exchange, &session).await?;
    let policy = parts.doorman.policy();
    let about = About {
        server: "/".into(),
        header_prefix: openapi::header_prefix(&policy.header_prefix),
        require_role_header: policy.require_role_header,
        unauthorized_role: policy.unauthorized_role.clone(),
        options: *parts.engine.plans.options(),
        limits: server.limits.document.clone(),
        profile: server.profile,
    };
    let described = openapi::describe(&parts.rest, &parts.engine.access(&session), &about)?;
    let mut response = json(StatusCode::OK, media::JSON, object(&described));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}
