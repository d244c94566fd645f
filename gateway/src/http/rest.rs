//! The door `/api/rest/…`: named queries. What is at a path the map says; parameters become variables, and the answer is the
//! `data` object itself.

pub(super) mod bare;
pub(super) mod given;

use std::sync::Arc;

use http::header::{ALLOW, HeaderValue};
use http::{Method, StatusCode};

use super::route::Place;
use super::{Exchange, Face, Response, Server, caching, concluded, json, media, named};
use crate::answer::{Answering, Door};
use crate::error::Error;
use crate::limits::Bound;
use crate::rest::{Endpoint, Found, Given};
use crate::session::Session;

use given::Content;

/// What its paths begin with.
pub const PREFIX: &str = "/api/rest/";

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut Exchange) -> Response {
    let mut parts = server.answering();
    let answered = handle(server, &mut parts, exchange).await;
    concluded(server, &parts, exchange, answered, Face::Rest)
}

/// The methods of a path, for who asks whether it may be called from another origin.
pub fn allow(server: &Server, path: &str) -> Option<String> {
    let parts = server.answering();
    find(&parts, path).map(|found| found.site.allow().to_owned())
}

async fn handle(server: &Server, parts: &mut Arc<Answering>, exchange: &mut Exchange) -> Result<Response, Error> {
    if exchange.method == Method::OPTIONS {
        return options(parts, exchange.path());
    }
    let (mut endpoint, mut in_path) = locate(parts, exchange)?;
    exchange.account.operation.clone_from(&endpoint.name);
    let path = format!("{PREFIX}{}", endpoint.path);
    parts.rates.arrive(&server.metrics, exchange, Place::Requests, path).await?;
    let mut session = enter(parts, exchange, &endpoint).await?;
    parts.rates.enter(&server.metrics, exchange, &session).await?;
    let query = crate::request::parameters(exchange.query())?;
    let content = Content::of(&exchange.method, &exchange.headers)?;
    if endpoint.writes() && content.is_sent_by_any_page(&exchange.method) {
        named::check_authorized(&exchange.headers, &parts.doorman.policy().header_prefix)?;
    }
    let mut bounds = parts.bounds.of(session.role()).clone();
    let (body, bytes) = given::read(exchange, content, &bounds.holds).await?;
    // Who holds a body back does not keep what has been taken away meanwhile.
    if server.renew(parts) {
        (endpoint, in_path) = locate(parts, exchange)?;
        session = enter(parts, exchange, &endpoint).await?;
        bounds = parts.bounds.of(session.role()).clone();
    }
    bounds.note(Bound::Body, bytes);
    let variables = endpoint.variables(in_path, Given { query, body })?;
    let payload = named::ask(parts, exchange, &session, &endpoint, variables, Door::Open).await?;
    let is_read = !endpoint.writes() && matches!(exchange.method, Method::GET | Method::HEAD);
    let whole = |bytes| match is_read {
        true => caching::read(&exchange.headers, bytes),
        false => json(StatusCode::OK, media::JSON, bytes),
    };
    let mut response = bare::response(payload, endpoint.single.as_deref(), whole);
    match is_read {
        true => caching::control(response.headers_mut(), &endpoint.cache_control, &session, &parts.doorman),
        false => caching::never(response.headers_mut()),
    }
    Ok(response)
}

/// What is at a path.
fn find<'p>(parts: &'p Answering, path: &str) -> Option<Found<'p>> {
    parts.rest.find(path.strip_prefix(PREFIX)?)
}

/// The endpoint that is asked, and what the path says of its parameters.
fn locate(parts: &Answering, exchange: &Exchange) -> Result<(Arc<Endpoint>, Vec<String>), Error> {
    let Found { site, values } = find(parts, exchange.path()).ok_or(Error::NotFound)?;
    match site.by(&exchange.method) {
        Some(endpoint) => Ok((endpoint.clone(), values)),
        None => Err(Error::MethodNotAllowed { allow: site.allow().to_owned() }),
    }
}

/// The session of whoever asks, if its role reaches the endpoint.
async fn enter(parts: &Answering, exchange: &mut Exchange, endpoint: &Endpoint) -> Result<Session, Error> {
    let limit = parts.bounds.of("").holds.time;
    let session = super::enter(parts, exchange, None, limit).await?;
    match endpoint.admits_caller(&session) {
        true => Ok(session),
        false => Err(Error::RoleNotAllowed),
    }
}

fn options(parts: &Answering, path: &str) -> Result<Response, Error> {
    let found = find(parts, path).ok_or(Error::NotFound)?;
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Ok(allow) = HeaderValue::from_str(found.site.allow()) {
        response.headers_mut().insert(ALLOW, allow);
    }
    Ok(response)
}
