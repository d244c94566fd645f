//! Doors on HTTP: an exchange of request and response, and what all of them have in common. Which path leads to which door
//! is left to [`crate::http::router`].

pub mod body;
pub mod caching;
pub mod content_encoding;
pub mod compression;
pub mod connection;
pub mod cors;
pub mod openapi;
pub mod graphql;
mod head_limit;
mod request_id;
mod decompression;
pub mod mcp;
pub mod media;
mod endpoint_call;
pub mod health;
pub mod rest;
pub mod route;
pub mod stream;
pub mod router;
pub mod state;

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ::http::header::{ACCEPT_ENCODING, ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use ::http::{HeaderMap, Method, StatusCode, Uri, Version};
use bytes::Bytes;
use serde_json::Value;

use crate::auth::session::Session;
use crate::config::dialect::Profile;
use crate::database::deadline;
use crate::error::{Error, catalogue, hasura};
use crate::execute::Timings;
use crate::limits::memory;
use crate::limits::memory::{COVERED, MemoryBudget, OutOfMemory, Reservation};
use crate::limits::{LimitExceeded, Limits};
use crate::rate_limit::RateLimitContext;
use crate::telemetry::metrics::Metrics;
use body::Body;
use cors::Cors;
use route::Route;
use state::HandlerState;

pub use request_id::{REQUEST_ID, request_id};

/// A response as warp sends it.
pub type Response = warp::reply::Response;

/// What all exchanges are answered with.
#[derive(Debug)]
pub struct Server {
    answering: RwLock<Arc<HandlerState>>,
    routes: Vec<Route>,
    /// How much they may ask for.
    pub limits: Limits,
    /// Whether answers are compressed.
    pub compression: bool,
    /// From which web pages.
    pub cors: Cors,
    /// Whether clients are told how long each stage took.
    pub server_timing: bool,
    /// In whose words errors are told.
    pub profile: Profile,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// What requests are held in.
    pub memory: MemoryBudget,
}

/// A request of HTTP, on its way to a response.
#[derive(Debug)]
pub struct HttpExchange {
    /// The request's id, in its response and in the log.
    pub id: String,
    /// The method.
    pub method: Method,
    /// The path, and what stands behind the question mark, still percent-encoded.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, still to be read.
    pub body: Body,
    /// The connection it came by.
    pub wire: ConnectionInfo,
    /// When its head was read.
    pub started: Instant,
    /// Where it comes from, if not from the other end of the connection.
    pub client: Option<IpAddr>,
    /// What it is counted by, where rates hold.
    pub arrival: Option<RateLimitContext>,
    /// What the log will say of it.
    pub account: AccessLogEntry,
    /// What its body and all that is read of it are held in.
    pub memory: Reservation,
    /// Why there is no room for it at all.
    pub refused: Option<OutOfMemory>,
}

/// What is known of the connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionInfo {
    /// The other end.
    pub peer: Option<SocketAddr>,
    /// The version of HTTP.
    pub version: Version,
}

/// What the log says of an exchange beside its response. Doors write it into the exchange; that of an error comes in the
/// response's extensions.
#[derive(Clone, Debug, Default)]
pub struct AccessLogEntry {
    /// The role it ran as.
    pub role: Option<Arc<str>>,
    /// The operation, by name.
    pub operation: Option<String>,
    /// How many requests it held.
    pub requests: usize,
    /// The code of its error.
    pub code: Option<&'static str>,
    /// What only the log may say.
    pub cause: Option<String>,
    /// Whether it was refused because nobody knows who is asking.
    pub refused: bool,
    /// How long it took.
    pub stages: Timings,
    /// Whether a mutation of it was undone because the caller wanted that.
    pub dry_run: bool,
}

/// In which envelope an error is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorFormat {
    /// `{"errors":[…]}`.
    Graphql(media::Answer),
    /// `{"status":"error",…}`.
    Rest,
    /// `{"jsonrpc":"2.0","error":…}`.
    Mcp,
}

impl HttpExchange {
    /// An exchange whose head has just been read.
    pub fn new(
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        body: Body,
        wire: ConnectionInfo,
        memory: Reservation,
    ) -> HttpExchange {
        let (id, started, account) = (request_id(&headers), Instant::now(), AccessLogEntry::default());
        HttpExchange {
            id,
            method,
            uri,
            headers,
            body,
            wire,
            started,
            client: None,
            arrival: None,
            account,
            memory,
            refused: None,
        }
    }

    /// Reserves once more what the values of a body take up.
    pub fn reserve_values(&mut self, body: &[u8]) -> Result<(), Error> {
        let bytes = body.len() + memory::values_of(body);
        if bytes > COVERED {
            self.memory.grow_by(bytes)?;
        }
        Ok(())
    }

    /// Reserves what the values of the query string take up.
    pub fn reserve_query(&mut self) -> Result<(), Error> {
        let bytes = memory::values_of_form(self.query().as_bytes());
        if bytes > COVERED {
            self.memory.grow_by(bytes)?;
        }
        Ok(())
    }

    /// The path, still percent-encoded.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// The client's address.
    pub fn client(&self) -> Option<IpAddr> {
        self.client.or(self.wire.peer.map(|peer| peer.ip().to_canonical()))
    }

    /// What stands behind the question mark.
    pub fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }
}

impl Server {
    /// A server that answers with these parts.
    pub fn new(answering: HandlerState, limits: Limits, cors: Cors, server_timing: bool, profile: Profile) -> Server {
        let memory = answering.executor.memory;
        answering.executor.reload.set_latest(&answering.executor);
        let (answering, metrics) = (RwLock::new(Arc::new(answering)), Arc::default());
        let (routes, compression) = (vec![], true);
        Server { answering, routes, limits, compression, cors, server_timing, profile, metrics, memory }
    }

    /// The same server, which compresses answers or does not.
    pub fn with_compression(self, compression: bool) -> Server {
        Server { compression, ..self }
    }

    /// The same server that counts there, as what it answers with does.
    pub fn with_metrics(self, metrics: Arc<Metrics>) -> Server {
        Server { metrics, ..self }
    }

    /// The same server with the paths of plugins.
    pub fn with_routes(self, routes: Vec<Route>) -> Server {
        Server { routes, ..self }
    }

    /// The paths of plugins.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// What requests are answered with just now. An exchange asks once and keeps it; it may have to
    /// [ask again](Server::refresh) when it has waited.
    pub fn answering(&self) -> Arc<HandlerState> {
        self.answering.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes what requests are answered with just now, if that is something else by now; says whether it is.
    pub fn refresh(&self, parts: &mut Arc<HandlerState>) -> bool {
        let is_old = !Arc::ptr_eq(&self.answering.read().unwrap_or_else(PoisonError::into_inner), parts);
        if is_old {
            *parts = self.answering();
        }
        is_old
    }

    /// Answers later requests with something else.
    pub fn replace(&self, answering: HandlerState) {
        answering.executor.reload.set_latest(&answering.executor);
        let answering = Arc::new(answering);
        let old = {
            let mut current = self.answering.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, answering)
        };
        // Nobody waits for the lock while the old parts are taken apart.
        drop(old);
    }
}

/// The session of whoever sends an exchange. Who vouches for a caller is told of the request where that is at hand, and may take no
/// longer than this from the beginning of the exchange.
async fn authenticate(
    parts: &HandlerState,
    exchange: &mut HttpExchange,
    request: Option<&Value>,
    limit: Duration,
) -> Result<Session, Error> {
    let mut session = match parts.doorman.session_at_once(&exchange.headers)? {
        Some(session) => session,
        // It is rarer, and large beside the rest.
        None => Box::pin(session_in_time(parts, exchange, request, limit)).await?,
    };
    // A caller with the secret can name any role; the log has those of the file.
    let is_known = parts.executor.engine.permissions.role(session.role()).is_some();
    exchange.account.role = is_known.then(|| session.shared_role());
    session.set_client(exchange.client());
    Ok(session)
}

/// The session where others have to be asked who it is, within the time that the request has.
async fn session_in_time(
    parts: &HandlerState,
    exchange: &HttpExchange,
    request: Option<&Value>,
    limit: Duration,
) -> Result<Session, Error> {
    let session = parts.doorman.authenticate(&exchange.headers, request);
    let deadline = tokio::time::Instant::from_std(exchange.started) + limit;
    deadline::timeout_at(deadline, session).await.ok_or(LimitExceeded::Time(limit))?
}

/// So many headers have room in a response from the start.
const HEADERS: usize = 6;

/// A response of JSON.
pub fn json(status: StatusCode, media: &'static str, bytes: impl Into<Bytes>) -> Response {
    let mut response = Response::new(bytes.into().into());
    *response.status_mut() = status;
    *response.headers_mut() = HeaderMap::with_capacity(HEADERS);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

/// The response of a door to requests: what it answered, or what it refused, told under that face.
fn finish(
    server: &Server,
    parts: &HandlerState,
    exchange: &HttpExchange,
    answered: Result<Response, Error>,
    face: ErrorFormat,
) -> Response {
    match answered {
        Ok(mut response) => {
            if exchange.account.dry_run
                && let Some(name) = parts.doorman.dry_run_header()
            {
                response.headers_mut().insert(name.clone(), HeaderValue::from_static("true"));
            }
            response
        }
        Err(error) => {
            let role = exchange.account.role.as_deref().unwrap_or_default();
            error.limit().into_iter().for_each(|limit| parts.executor.limits.of(role).count_enforced(limit));
            error_response(&error, face, server.profile, &exchange.id, exchange.wire)
        }
    }
}

/// The response that an error is, kept by nobody, and its account.
pub fn error_response(
    error: &Error,
    face: ErrorFormat,
    profile: Profile,
    exchange_id: &str,
    wire: ConnectionInfo,
) -> Response {
    let status = status(error, face, profile);
    let (media, told) = match face {
        ErrorFormat::Graphql(media) => (media.content_type(), error.to_graphql(exchange_id, profile)),
        ErrorFormat::Rest => (media::JSON, error.to_rest(exchange_id, profile)),
        ErrorFormat::Mcp => (media::JSON, error.to_message(exchange_id, profile)),
    };
    let mut response = json(status, media, told.to_string().into_bytes());
    let headers = response.headers_mut();
    caching::never(headers);
    match status {
        StatusCode::UNAUTHORIZED => drop(headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        StatusCode::SERVICE_UNAVAILABLE => drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("1"))),
        _ => {}
    }
    if matches!(error, Error::ContentEncoding) {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(content_encoding::ContentEncoding::NAMES));
    }
    if let Error::RateLimited(refused) = error {
        headers.insert(RETRY_AFTER, refused.retry_after());
    }
    let allow = match error {
        Error::MethodNotAllowed { allow } => HeaderValue::from_str(allow).ok(),
        Error::OnlyQueries => Some(HeaderValue::from_static("POST")),
        _ => None,
    };
    if let Some(allow) = allow {
        headers.insert(ALLOW, allow);
    }
    // What is left of such a body is not read, so nothing can follow it.
    if matches!(error, Error::Limit(LimitExceeded::Body(_) | LimitExceeded::BodyTime(_)))
        && wire.version < Version::HTTP_2
    {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response.extensions_mut().insert(AccessLogEntry::of(error, profile));
    response
}

/// The status of an error under that face.
pub fn status(error: &Error, face: ErrorFormat, profile: Profile) -> StatusCode {
    let entry = error.spec();
    let number = match face {
        ErrorFormat::Graphql(media::Answer::Json) if profile == Profile::Hasura => hasura::status(entry),
        ErrorFormat::Graphql(media::Answer::Json) => entry.lenient,
        _ => entry.strict,
    };
    StatusCode::from_u16(number).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl AccessLogEntry {
    /// The account of an exchange that failed.
    pub fn of(error: &Error, profile: Profile) -> AccessLogEntry {
        let refused = error.spec() == catalogue::UNAUTHENTICATED;
        AccessLogEntry { code: Some(error.code(profile)), cause: error.cause(), refused, ..AccessLogEntry::default() }
    }

    /// Keeps account of an error that is told within an answer.
    pub fn record_error(&mut self, error: &Error, profile: Profile) {
        let AccessLogEntry { code, cause, .. } = AccessLogEntry::of(error, profile);
        self.code = code;
        self.cause = cause.or(self.cause.take());
    }

    /// The value of `Server-Timing`, in milliseconds.
    pub fn server_timing(&self) -> String {
        let stage = |name: &str, time: Duration| format!("{name};dur={:.3}", time.as_secs_f64() * 1000.0);
        let Timings { plan, bind, run } = self.stages;
        [stage("plan", plan), stage("bind", bind), stage("run", run)].join(", ")
    }
}

/// JSON with its bytes in place.
pub fn object(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_carry_the_headers_their_status_asks_for() {
        let wire = ConnectionInfo { peer: None, version: Version::HTTP_11 };
        let refused = error_response(
            &Error::NoAuthorization,
            ErrorFormat::Graphql(media::Answer::Json),
            Profile::Gateway,
            "1",
            wire,
        );
        assert_eq!(refused.status(), 401);
        assert_eq!(refused.headers()[WWW_AUTHENTICATE], "Bearer");
        let method = Error::MethodNotAllowed { allow: "GET, POST".into() };
        assert_eq!(
            error_response(&method, ErrorFormat::Rest, Profile::Gateway, "1", wire).headers()["allow"],
            "GET, POST"
        );
        let large = Error::from(LimitExceeded::Body(1));
        assert_eq!(
            error_response(&large, ErrorFormat::Rest, Profile::Gateway, "1", wire).headers()[CONNECTION],
            "close"
        );
        let second = ConnectionInfo { version: Version::HTTP_2, ..wire };
        assert!(
            !error_response(&large, ErrorFormat::Rest, Profile::Gateway, "1", second)
                .headers()
                .contains_key(CONNECTION)
        );
    }

    #[test]
    fn the_media_type_decides_the_status() {
        let error = Error::Query(sql::Error { cause: sql::Cause::NoOperation, path: "$".into(), location: None });
        let status = |error: &Error, face: ErrorFormat| status(error, face, Profile::Gateway);
        assert_eq!(status(&error, ErrorFormat::Graphql(media::Answer::Json)), 200);
        assert_eq!(status(&error, ErrorFormat::Graphql(media::Answer::GraphqlResponse)), 400);
        assert_eq!(status(&error, ErrorFormat::Rest), 400);
    }
}
