//! Every route in one list, and what happens around each: methods, ids, CORS, the line in the log.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use http::header::{ALLOW, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::{Method, StatusCode};

use crate::error::Error;
use crate::http::cors::Cors;
use crate::http::{Account, Exchange, Face, REQUEST_ID, Response, Server, failure, graphql, media, operations};

/// A path, what may be done there, and who does it.
pub struct Route {
    /// The path.
    pub path: &'static str,
    /// The methods, `HEAD` and `OPTIONS` aside: one comes with `GET`, the other everywhere.
    pub methods: &'static [Method],
    /// In which envelope its errors are told.
    pub face: Face,
    door: fn(Arc<Server>, Exchange) -> Responding,
}

type Responding = Pin<Box<dyn Future<Output = Response> + Send>>;

const GRAPHQL: Face = Face::Graphql(media::Answer::Json);
const GET: &[Method] = &[Method::GET];

/// Every route.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/v1/graphql",
        methods: &[Method::GET, Method::POST],
        face: GRAPHQL,
        door: |server, exchange| Box::pin(graphql::respond(server, exchange)),
    },
    Route { path: "/healthz", methods: GET, face: Face::Rest, door: |_, _| Box::pin(operations::health()) },
    Route {
        path: "/readyz",
        methods: GET,
        face: Face::Rest,
        door: |server, exchange| Box::pin(operations::ready(server, exchange)),
    },
    Route { path: "/v1/version", methods: GET, face: Face::Rest, door: |_, _| Box::pin(operations::version()) },
];

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// Answers an exchange, whatever happens in it.
pub async fn respond(server: Arc<Server>, exchange: Exchange) -> Response {
    let known = Known::of(&exchange);
    let route = ROUTES.iter().find(|route| route.path == exchange.path);
    let (id, wire, headers) = (exchange.id.clone(), exchange.wire, exchange.headers.clone());
    let face = route.map_or(Face::Rest, |route| route.face);
    let preflight = Cors::is_preflight(&exchange.method, &headers);
    let answered = AssertUnwindSafe(dispatch(server.clone(), exchange, route)).catch_unwind().await;
    let mut response = answered
        .unwrap_or_else(|panic| failure(&Error::Internal(panic_text(&*panic)), face, server.profile, &id, wire));
    let allow = route.filter(|_| preflight).map(allow);
    let answering = server.answering();
    let dry_run = answering.doorman.dry_run_header();
    let own = dry_run.filter(|name| response.headers().contains_key(*name));
    server.cors.answer(&headers, allow.as_deref(), own, response.headers_mut());
    finish(&server, &known, &id, &mut response);
    response
}

async fn dispatch(server: Arc<Server>, mut exchange: Exchange, route: Option<&'static Route>) -> Response {
    let Some(route) = route else {
        exchange.body.drain(&exchange.headers).await;
        return failure(&Error::NotFound, Face::Rest, server.profile, &exchange.id, exchange.wire);
    };
    if exchange.method == Method::OPTIONS {
        return options(route);
    }
    let asked = if exchange.method == Method::HEAD { &Method::GET } else { &exchange.method };
    if !route.methods.contains(asked) {
        exchange.body.drain(&exchange.headers).await;
        let error = Error::MethodNotAllowed { allow: allow(route) };
        return failure(&error, route.face, server.profile, &exchange.id, exchange.wire);
    }
    (route.door)(server, exchange).await
}

/// `GET, HEAD, OPTIONS`.
fn allow(route: &Route) -> String {
    let mut methods: Vec<&str> = route.methods.iter().map(Method::as_str).collect();
    if route.methods.contains(&Method::GET) {
        methods.push("HEAD");
    }
    methods.push("OPTIONS");
    methods.join(", ")
}

fn options(route: &Route) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Ok(allow) = HeaderValue::from_str(&allow(route)) {
        response.headers_mut().insert(ALLOW, allow);
    }
    response
}

/// What the log says of a request's head. No query string: it may hold values.
struct Known {
    method: Method,
    path: String,
    started: std::time::Instant,
}

impl Known {
    fn of(exchange: &Exchange) -> Known {
        let path = exchange.path.chars().take(200).collect();
        Known { method: exchange.method.clone(), path, started: exchange.started }
    }
}

/// Adds the headers that every response has, and writes the line in the log.
fn finish(server: &Server, known: &Known, id: &str, response: &mut Response) {
    let account = response.extensions_mut().remove::<Account>().unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    if server.server_timing
        && account.requests > 0
        && let Ok(timing) = HeaderValue::from_str(&account.server_timing())
    {
        headers.insert(SERVER_TIMING, timing);
    }
    log(known, id, response.status(), &account);
}

/// One line an exchange: who, what, how long; no document, no value, no token.
fn log(known: &Known, id: &str, status: StatusCode, account: &Account) {
    let (status, ms) = (status.as_u16(), known.started.elapsed().as_secs_f64() * 1000.0);
    let Known { method, path, .. } = known;
    let (role, operation) = (account.role.as_deref(), account.operation.as_deref());
    let (code, cause) = (account.code, account.cause.as_deref());
    match status {
        500.. => tracing::error!(request_id = id, %method, path, status, ms, role, operation, code, cause, "answered"),
        _ if cause.is_some() => {
            tracing::warn!(request_id = id, %method, path, status, ms, role, operation, code, cause, "answered");
        }
        _ => tracing::info!(request_id = id, %method, path, status, ms, role, operation, code, "answered"),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panic: {}", text.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stands_once() {
        for (place, route) in ROUTES.iter().enumerate() {
            assert!(ROUTES[..place].iter().all(|other| other.path != route.path), "{}", route.path);
        }
    }

    #[test]
    fn allow_names_what_comes_along() {
        assert_eq!(allow(&ROUTES[0]), "GET, POST, HEAD, OPTIONS");
    }
}
