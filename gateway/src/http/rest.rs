//! Handler of `/api/rest/…`: finds the endpoint by path and method, authenticates the caller,
//! converts parameters to variables, and answers with the `data` object alone. [`crate::rest`]
//! holds the endpoints; `endpoint_call` runs them.

pub(super) mod unwrap_data;
pub(super) mod body_parameters;
mod csv;
mod pages;

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ALLOW, HeaderMap, HeaderValue, VARY};
use http::{Method, StatusCode};

use super::caller::Caller;
use super::error_response::{ErrorFormat, finish};
use super::exchange::HttpExchange;
use super::response::{Response, empty, json};
use super::route::RouteClass;
use super::state::HandlerState;
use super::{caching, endpoint_call, media};
use crate::error::Error;
use crate::limits::LimitKind;
use crate::rest::{Endpoint, RawParameters, RouteMatch};

use body_parameters::Content;
use csv::CsvWriter;
use pages::Page;

/// The prefix of its paths.
pub const PREFIX: &str = "/api/rest/";

/// Answers an exchange.
pub async fn respond(exchange: &mut HttpExchange) -> Response {
    let result = handle(exchange).await;
    finish(exchange, result, ErrorFormat::Rest)
}

/// The methods of a path, for CORS preflights.
pub fn allow(state: &HandlerState, path: &str) -> Option<String> {
    find(state, path).map(|found| found.site.allow().to_owned())
}

async fn handle(exchange: &mut HttpExchange) -> Result<Response, Error> {
    let state = exchange.app.state();
    if exchange.method == Method::OPTIONS {
        return options(&state, exchange.path());
    }
    let mut request = authorize(state, exchange).await?;
    exchange.reserve_query()?;
    let query = crate::request::parameters(exchange.query())?;
    let limits = request.caller.limits.clone();
    let (body, bytes) = body_parameters::read(exchange, request.content, &limits.enforced).await?;
    // A client that sends its body slowly must not keep permissions that a reload has revoked
    // meanwhile.
    if exchange.app.current.refresh(&mut request.caller.state) {
        request = authorize(request.caller.state, exchange).await?;
    }
    let AuthorizedRequest {
        endpoint,
        in_path,
        caller,
        ..
    } = request;
    caller.limits.observe(LimitKind::Body, bytes);
    let variables = endpoint.variables(in_path, RawParameters { query, body })?;
    let is_read = !endpoint.writes() && matches!(exchange.method, Method::GET | Method::HEAD);
    let csv = media::prefers(&exchange.headers, csv::MEDIA)
        .then(|| CsvWriter::new(endpoint.escapes_formulas));
    let page = Page::new(
        &endpoint,
        &caller.state.execution.schema.access(&caller.session),
        exchange,
        &variables,
    );
    let is_buffered = csv.is_some() || page.is_some();
    let payload =
        endpoint_call::call_endpoint(exchange, &caller, &endpoint, variables, is_buffered).await?;
    let single = endpoint.single.as_deref();
    let mut response = if is_buffered {
        let bytes = unwrap_data::single(payload.collect().await?, single);
        buffered(exchange, bytes, page, csv, is_read)?
    } else {
        unwrap_data::response(payload, single, |bytes| {
            whole(exchange, bytes, media::JSON, is_read)
        })
    };
    let headers = response.headers_mut();
    if is_read {
        caching::set_cache_control(
            headers,
            &endpoint.cache_control,
            &caller.session,
            &caller.state.authenticator,
        );
        // It may be JSON or CSV.
        headers.append(VARY, HeaderValue::from_static("Accept"));
    } else {
        caching::forbid_caching(headers);
    }
    Ok(response)
}

/// The response with a body that is there already; one to a read has a tag, or is 304 if the client
/// has it.
fn whole(exchange: &HttpExchange, bytes: Bytes, media: &'static str, is_read: bool) -> Response {
    if is_read {
        caching::read_as(&exchange.headers, bytes, media)
    } else {
        json(StatusCode::OK, media, bytes)
    }
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
    let mut response = whole(exchange, bytes, media, is_read);
    response.headers_mut().extend(links);
    Ok(response)
}

/// A request whose endpoint is found and whose caller may call it.
struct AuthorizedRequest {
    endpoint: Arc<Endpoint>,
    /// The values of the parameters in the path.
    in_path: Vec<String>,
    caller: Caller,
    content: Content,
}

/// Authorizes a request by its head. After a reload this is done again; rate limits that were
/// already charged are not charged twice.
async fn authorize(
    state: Arc<HandlerState>,
    exchange: &mut HttpExchange,
) -> Result<AuthorizedRequest, Error> {
    let located = locate(&state, exchange);
    let path = |endpoint: &Endpoint| format!("{PREFIX}{}", endpoint.path);
    let is_first = exchange.rate_limit.is_none();
    if is_first {
        // Requests without an endpoint are counted too, by rate limits that name no path.
        let path = located
            .as_ref()
            .map_or_else(|_| PREFIX.to_owned(), |(endpoint, _)| path(endpoint));
        let address = exchange.client();
        let context = &mut exchange.rate_limit;
        state
            .rate_limiter
            .check_arrival(
                &exchange.app.metrics,
                context,
                address,
                RouteClass::Requests,
                path,
            )
            .await?;
    }
    let (endpoint, in_path) = located?;
    exchange.log_entry.operation.clone_from(&endpoint.name);
    let caller = Caller::authenticate_with(state, exchange, None).await?;
    exchange.add_comment(&path(&endpoint));
    if is_first {
        caller.check_rates(exchange).await?;
    } else {
        let context = &mut exchange.rate_limit;
        let limiter = &caller.state.rate_limiter;
        limiter
            .check_path(
                &exchange.app.metrics,
                context,
                &caller.session,
                path(&endpoint),
            )
            .await?;
    }
    if !endpoint.admits_caller(&caller.session) {
        return Err(Error::RoleNotAllowed);
    }
    let content = Content::from_request(&exchange.method, &exchange.headers)?;
    if endpoint.writes() && content.is_sent_by_any_page(&exchange.method) {
        endpoint_call::check_authorized(
            &exchange.headers,
            &caller.state.authenticator.policy().header_prefix,
        )?;
    }
    Ok(AuthorizedRequest {
        endpoint,
        in_path,
        caller,
        content,
    })
}

/// The path's entry in the REST map.
fn find<'p>(state: &'p HandlerState, path: &str) -> Option<RouteMatch<'p>> {
    state.rest.find(path.strip_prefix(PREFIX)?)
}

/// The requested endpoint, and the values of the parameters in the path.
fn locate(
    state: &HandlerState,
    exchange: &HttpExchange,
) -> Result<(Arc<Endpoint>, Vec<String>), Error> {
    let RouteMatch { site, values } = find(state, exchange.path()).ok_or(Error::NotFound)?;
    match site.by(&exchange.method) {
        Some(endpoint) => Ok((endpoint.clone(), values)),
        None => Err(Error::MethodNotAllowed {
            allow: site.allow().to_owned(),
        }),
    }
}

fn options(state: &HandlerState, path: &str) -> Result<Response, Error> {
    let found = find(state, path).ok_or(Error::NotFound)?;
    let mut response = empty(StatusCode::NO_CONTENT);
    if let Ok(allow) = HeaderValue::from_str(found.site.allow()) {
        response.headers_mut().insert(ALLOW, allow);
    }
    Ok(response)
}
