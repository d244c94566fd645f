//! `GET /api/rest/openapi.json`: the endpoints that the caller's role may ask.

use http::StatusCode;
use http::header::{CACHE_CONTROL, HeaderValue};

use super::{Exchange, Response, Server, enter, json, media, object};
use crate::error::Error;
use crate::openapi::{self, About};

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut Exchange) -> Result<Response, Error> {
    let parts = server.answering();
    let limit = parts.bounds.of("").holds.time;
    let session = enter(&parts, exchange, None, limit).await?;
    parts.rates.enter(&server.metrics, exchange, &session).await?;
    let policy = parts.doorman.policy();
    let about = About {
        server: "/".into(),
        header_prefix: openapi::header_prefix(&policy.header_prefix),
        require_role_header: policy.require_role_header,
        unauthorized_role: policy.unauthorized_role.clone(),
        options: *parts.engine.plans.options(),
        profile: server.profile,
    };
    let described = openapi::describe(&parts.rest, &parts.engine.access(&session), &about)?;
    let mut response = json(StatusCode::OK, media::JSON, object(&described));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}
