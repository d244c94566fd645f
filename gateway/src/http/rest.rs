//! Handler of `/api/rest/…`: finds the endpoint by path and method, authenticates the caller, converts parameters to
//! variables, and answers with the `data` object alone. [`crate::rest`] holds the endpoints; `endpoint_call` runs
//! them.

pub(super) mod unwrap_data;
pub(super) mod body_parameters;
mod csv;
mod pages;

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ALLOW, HeaderMap, HeaderValue, VARY};
use http::{Method, StatusCode};

use super::route::RouteClass;
use super::{ErrorFormat, HttpExchange, Response, Server, authenticate, caching, endpoint_call, finish, json, media};
use crate::auth::session::Session;
use crate::error::Error;
use crate::http::state::HandlerState;
use crate::limits::LimitKind;
use crate::rest::{Endpoint, RawParameters, RouteMatch};

use body_parameters::Content;
use csv::CsvWriter;
use pages::Page;

/// The prefix of its paths.
pub const PREFIX: &str = "/api/rest/";

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut HttpExchange) -> Response {
    let mut parts = server.state();
    let answered = handle(server, &mut parts, exchange).await;
    finish(server, &parts, exchange, answered, ErrorFormat::Rest)
}

/// The methods of a path, for CORS preflights.
pub fn allow(server: &Server, path: &str) -> Option<String> {
    let parts = server.state();
    find(&parts, path).map(|found| found.site.allow().to_owned())
}

async fn handle(
    server: &Server,
    parts: &mut Arc<HandlerState>,
    exchange: &mut HttpExchange,
) -> Result<Response, Error> {
    if exchange.method == Method::OPTIONS {
        return options(parts, exchange.path());
    }
    let mut authorized = authorize(server, parts, exchange).await?;
    exchange.reserve_query()?;
    let query = crate::request::parameters(exchange.query())?;
    let bounds = parts.executor.limits.for_role(authorized.session.role()).clone();
    let (body, bytes) = body_parameters::read(exchange, authorized.content, &bounds.enforced).await?;
    // A client that sends its body slowly must not keep permissions that a reload has revoked meanwhile.
    if server.refresh(parts) {
        authorized = authorize(server, parts, exchange).await?;
    }
    let AuthorizedRequest { endpoint, in_path, session, .. } = authorized;
    parts.executor.limits.for_role(session.role()).observe(LimitKind::Body, bytes);
    let variables = endpoint.variables(in_path, RawParameters { query, body })?;
    let is_read = !endpoint.writes() && matches!(exchange.method, Method::GET | Method::HEAD);
    let csv = media::prefers(&exchange.headers, csv::MEDIA).then(|| CsvWriter::new(endpoint.escapes_formulas));
    let page = Page::of(&endpoint, &parts.executor.engine.access(&session), exchange, &variables);
    let is_buffered = csv.is_some() || page.is_some();
    let payload = endpoint_call::call_endpoint(parts, exchange, &session, &endpoint, variables, is_buffered).await?;
    let single = endpoint.single.as_deref();
    let mut response = match is_buffered {
        true => {
            let bytes = unwrap_data::single(payload.collect().await?, single);
            buffered(exchange, bytes, page, csv, is_read)?
        }
        false => {
            let whole = |bytes| match is_read {
                true => caching::read(&exchange.headers, bytes),
                false => json(StatusCode::OK, media::JSON, bytes),
            };
            unwrap_data::response(payload, single, whole)
        }
    };
    match is_read {
        true => {
            caching::set_cache_control(response.headers_mut(), &endpoint.cache_control, &session, &parts.authenticator);
            // It may be JSON or CSV.
            response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
        }
        false => caching::forbid_caching(response.headers_mut()),
    }
    Ok(response)
}

/// The response with a list: as CSV if the client wants that, and with links to other pages.
fn buffered(
    exchange: &mut HttpExchange,
    bytes: Bytes,
    page: Option<Page>,
    csv: Option<CsvWriter>,
    is_read: bool,
) -> Result<Response, Error> {
    exchange.reserve_values(&bytes)?;
    let mut links = HeaderMap::new();
    if let Some(page) = page {
        page.link(exchange, &bytes, &mut links);
    }
    // An answer that is no list is JSON all the same, as HTTP permits.
    let rows = csv.and_then(|csv| Some(csv.write(&csv::rows(&bytes)?)));
    let (media, bytes) = match rows {
        Some(rows) => (media::CSV, rows.into()),
        None => (media::JSON, bytes),
    };
    let mut response = match is_read {
        true => caching::read_as(&exchange.headers, bytes, media),
        false => json(StatusCode::OK, media, bytes),
    };
    response.headers_mut().extend(links);
    Ok(response)
}

/// A request whose endpoint is found and whose caller may call it.
struct AuthorizedRequest {
    endpoint: Arc<Endpoint>,
    /// The values of the parameters in the path.
    in_path: Vec<String>,
    session: Session,
    content: Content,
}

/// Authorizes a request by its head. After a reload this is done again; rate limits that were already charged are not
/// charged twice.
async fn authorize(
    server: &Server,
    parts: &HandlerState,
    exchange: &mut HttpExchange,
) -> Result<AuthorizedRequest, Error> {
    let located = locate(parts, exchange);
    let path = |endpoint: &Endpoint| format!("{PREFIX}{}", endpoint.path);
    let is_first = exchange.rate_limit.is_none();
    if is_first {
        // Requests without an endpoint are counted too, by rate limits that name no path.
        let path = located.as_ref().map_or_else(|_| PREFIX.to_owned(), |(endpoint, _)| path(endpoint));
        let address = exchange.client();
        parts
            .rate_limiter
            .check_arrival(&server.metrics, &mut exchange.rate_limit, address, RouteClass::Requests, path)
            .await?;
    }
    let (endpoint, in_path) = located?;
    exchange.log_entry.operation.clone_from(&endpoint.name);
    let limit = parts.executor.limits.for_role("").enforced.time;
    let session = authenticate(parts, exchange, None, limit).await?;
    match is_first {
        true => parts.rate_limiter.check_session(&server.metrics, &mut exchange.rate_limit, &session).await?,
        false => {
            parts.rate_limiter.check_path(&server.metrics, &mut exchange.rate_limit, &session, path(&endpoint)).await?;
        }
    }
    if !endpoint.admits_caller(&session) {
        return Err(Error::RoleNotAllowed);
    }
    let content = Content::of(&exchange.method, &exchange.headers)?;
    if endpoint.writes() && content.is_sent_by_any_page(&exchange.method) {
        endpoint_call::check_authorized(&exchange.headers, &parts.authenticator.policy().header_prefix)?;
    }
    Ok(AuthorizedRequest { endpoint, in_path, session, content })
}

/// The path's entry in the REST map.
fn find<'p>(parts: &'p HandlerState, path: &str) -> Option<RouteMatch<'p>> {
    parts.rest.find(path.strip_prefix(PREFIX)?)
}

/// The requested endpoint, and the values of the parameters in the path.
fn locate(parts: &HandlerState, exchange: &HttpExchange) -> Result<(Arc<Endpoint>, Vec<String>), Error> {
    let RouteMatch { site, values } = find(parts, exchange.path()).ok_or(Error::NotFound)?;
    match site.by(&exchange.method) {
        Some(endpoint) => Ok((endpoint.clone(), values)),
        None => Err(Error::MethodNotAllowed { allow: site.allow().to_owned() }),
    }
}

fn options(parts: &HandlerState, path: &str) -> Result<Response, Error> {
    let found = find(parts, path).ok_or(Error::NotFound)?;
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Ok(allow) = HeaderValue::from_str(found.site.allow()) {
        response.headers_mut().insert(ALLOW, allow);
    }
    Ok(response)
}
