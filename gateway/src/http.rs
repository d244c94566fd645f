//! The HTTP transport: the state that all requests share ([`Server`]), one request on its way to a response
//! ([`HttpExchange`]), and the helpers that authenticate it and render its errors. [`crate::http::router`] decides
//! which handler answers which path; the handlers are the submodules.

pub mod allowed_hosts;
pub mod body;
pub mod caching;
pub mod content_encoding;
pub mod compression;
pub mod connection;
pub mod cors;
mod development;
pub mod openapi;
pub mod graphql;
mod head_limit;
mod request_id;
mod decompression;
pub mod mcp;
pub mod media;
mod endpoint_call;
mod credential_check;
mod event_stream;
pub mod health;
pub mod index;
mod operations;
mod paced_body;
pub mod rest;
pub mod route;
pub mod stream;
pub mod router;
mod span;
pub mod sockets;
pub mod state;
pub mod websocket;

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ::http::header::{
    ACCEPT_ENCODING, ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use ::http::{HeaderMap, Method, StatusCode, Uri, Version};
use bytes::Bytes;
use hyper::upgrade::OnUpgrade;
use serde_json::Value;
use tokio::sync::watch;

use crate::auth::session::{AuthKind, Session};
use crate::auth::trace_context::{TRACEPARENT, TraceContext};
use crate::config::SubscriptionSource;
use crate::config::dialect::Profile;
use crate::database::{WalPosition, deadline};
use crate::error::{Error, Reason, catalogue, hasura};
use crate::execute::{Executor, ReadSource, Timings};
use crate::limits::ShareKey;
use crate::limits::memory;
use crate::limits::memory::{COVERED, MemoryBudget, OutOfMemory, RequestMemory, Reservation};
use crate::limits::{LimitExceeded, Limits};
use crate::rate_limit::RateLimitContext;
use crate::subscriptions::{SlotLimits, SubscriptionSettings, Subscriptions};
use crate::telemetry::execution_record::ExecutionRecord;
use crate::telemetry::metrics::Metrics;
use crate::telemetry::refusals::Refusals;
use crate::telemetry::traces::{ExchangeTrace, Tracer};
use body::Body;
use cors::Cors;
use route::{Handler, Route};
use sockets::Sockets;
use state::HandlerState;
use websocket::SocketLimits;

pub use request_id::{REQUEST_ID, request_id};

/// A response as warp sends it.
pub type Response = warp::reply::Response;

/// The shared state that every exchange is answered with.
#[derive(Debug)]
pub struct Server {
    state: RwLock<Arc<HandlerState>>,
    /// Notifies open sockets that a reload has replaced the state.
    reloads: watch::Sender<()>,
    routes: Vec<Route>,
    /// The limits on requests, connections and time.
    pub limits: Limits,
    /// Whether response bodies are compressed.
    pub compression: bool,
    /// The web origins that browsers may send requests from.
    pub cors: Cors,
    /// The web origins of pages that embed widgets, which send tokens and no cookies.
    pub widget_cors: Cors,
    /// Whether responses carry `Server-Timing`.
    pub server_timing: bool,
    /// Whether those to callers with the admin secret do, for the console.
    pub admin_timing: bool,
    /// Whether errors use the gateway's own format or Hasura's.
    pub profile: Profile,
    /// The process's metrics.
    pub metrics: Arc<Metrics>,
    /// Callers who were refused because of a token or a secret.
    pub refusals: Refusals,
    /// The memory that all requests share.
    pub memory: MemoryBudget,
    /// The running subscriptions.
    pub subscriptions: Subscriptions,
    /// The open WebSockets and event streams.
    pub sockets: Sockets,
    /// Sends traces; none if traces are off.
    pub tracer: Option<Tracer>,
    /// Whether clients get the details of errors and the SQL of their requests.
    pub dev: bool,
    /// Whether `_service` and `_entities` are answered.
    pub federation: bool,
    /// Whether the gateway is about to end, so that balancers send no more requests.
    is_ending: AtomicBool,
}

/// One HTTP request, from its head to its response.
#[derive(Debug)]
pub struct HttpExchange {
    /// The request id, sent in the response and written to the log.
    pub id: String,
    /// The method.
    pub method: Method,
    /// The path and the query string, still percent-encoded.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, which has not been read yet.
    pub body: Body,
    /// The connection that the request arrived on.
    pub connection: ConnectionInfo,
    /// When the request's head was read.
    pub started: Instant,
    /// The client's address, if a trusted proxy reports one other than the connection's peer.
    pub client: Option<IpAddr>,
    /// The rate limits that apply to the request; none if there are none.
    pub rate_limit: Option<RateLimitContext>,
    /// What the access log will record.
    pub log_entry: AccessLogEntry,
    /// The memory reserved for the body and the values parsed from it.
    pub memory: Reservation,
    /// The memory that the request has reserved until its response is sent.
    pub request_memory: Option<RequestMemory>,
    /// Why no memory could be reserved for the request.
    pub refused: Option<OutOfMemory>,
    /// The connection once it speaks another protocol, if the request asks for one.
    pub upgrade: Option<OnUpgrade>,
    /// The trace that the request belongs to, if it is sampled.
    pub trace: Option<Box<ExchangeTrace>>,
}

/// What is recorded of the connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionInfo {
    /// The address of the connection's other end.
    pub peer: Option<SocketAddr>,
    /// The HTTP version.
    pub version: Version,
}

/// What the access log records of an exchange beside its response.
#[derive(Debug)]
pub struct AccessLogEntry {
    /// The role that the request ran as.
    pub role: Option<Arc<str>>,
    /// Whether the caller has the admin secret.
    pub is_trusted: bool,
    /// Whether the caller's role is none of the permission file, so that `role` is none.
    pub has_unknown_role: bool,
    /// The operation's name.
    pub operation: Option<String>,
    /// How many GraphQL requests the exchange contained: a batch has several.
    pub requests: usize,
    /// The error that the response contains beside other responses.
    pub error: LoggedError,
    /// How long each stage took.
    pub stages: Timings,
    /// Whether a mutation was rolled back because the caller asked for a dry run.
    pub dry_run: bool,
    /// What was measured while the request was executed.
    pub record: ExecutionRecord,
    /// A position in the write-ahead log behind the changes of a mutation, if there are replicas.
    pub written_at: Option<WalPosition>,
}

/// What the access log records of an error. That of an error response travels in the response's extensions.
#[derive(Clone, Debug, Default)]
pub struct LoggedError {
    /// Its code.
    pub code: Option<&'static str>,
    /// Its cause, which only the log shows.
    pub cause: Option<String>,
    /// The rule, limit or constraint behind it.
    pub reason: Reason,
    /// Whether the caller is not authenticated.
    pub is_unauthenticated: bool,
    /// Why a token or a secret was refused.
    pub refusal: Option<String>,
    /// Whether the request has or may have changed something outside of the database, so that it must not be repeated.
    pub forbids_repetition: bool,
}

/// The format in which an error is sent.
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
    /// Creates an exchange whose head has just been read.
    pub fn new(
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        body: Body,
        wire: ConnectionInfo,
        memory: Reservation,
    ) -> HttpExchange {
        let (id, started) = (request_id(&headers), Instant::now());
        HttpExchange {
            id,
            method,
            uri,
            headers,
            body,
            connection: wire,
            started,
            client: None,
            rate_limit: None,
            log_entry: AccessLogEntry::new(started),
            memory,
            request_memory: None,
            refused: None,
            upgrade: None,
            trace: None,
        }
    }

    /// Counts the memory of the request for this caller from now on. If the caller has no share left, the memory is
    /// released: the request will be refused, but the rest of its body may still be awaited.
    pub fn count_for(&mut self, caller: ShareKey) -> Result<(), OutOfMemory> {
        if let Some(memory) = &self.request_memory {
            memory.count_for(caller).inspect_err(|_| memory.release())?;
        }
        self.memory.count_for(caller)
    }

    /// Reserves the memory that the values parsed from a body take up, in addition to what reading the body reserved.
    pub fn reserve_values(&mut self, body: &[u8]) -> Result<(), Error> {
        let bytes = body.len() + memory::values_of(body);
        if bytes > COVERED {
            self.memory.grow_by(bytes)?;
        }
        Ok(())
    }

    /// Reserves the memory that the values parsed from the query string take up.
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

    /// The client's address: the one a trusted proxy reports, or else the connection's peer.
    pub fn client(&self) -> Option<IpAddr> {
        self.client.or(self.connection.peer.map(|peer| peer.ip().to_canonical()))
    }

    /// The query string without its question mark; empty if there is none.
    pub fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }
}

impl Server {
    /// Creates a server with compression on, no plugin routes and its own metrics.
    pub fn new(answering: HandlerState, limits: Limits, cors: Cors, server_timing: bool, profile: Profile) -> Server {
        let memory = answering.executor.memory;
        answering.executor.reload.set_latest(&answering.executor);
        let (answering, metrics) = (RwLock::new(Arc::new(answering)), Arc::default());
        let (routes, compression, sockets) = (vec![], true, Sockets::new(SocketLimits::default()));
        let subscriptions = Subscriptions::new(SubscriptionSettings::default());
        Server {
            state: answering,
            reloads: watch::Sender::new(()),
            routes,
            limits,
            compression,
            cors,
            widget_cors: Cors::Closed,
            server_timing,
            admin_timing: false,
            profile,
            metrics,
            refusals: Refusals::default(),
            memory,
            subscriptions,
            sockets,
            tracer: None,
            dev: false,
            federation: false,
            is_ending: AtomicBool::new(false),
        }
    }

    /// Records that a caller was refused because of a token or a secret: in the metrics, the log and the audit table.
    pub fn record_refusal(&self, path: &str, reason: &str, address: Option<IpAddr>, request_id: &str) {
        self.metrics.authentication.with_label_values(&["refused", "failure"]).inc();
        self.refusals.record(path, reason, address, request_id);
    }

    /// Makes `/readyz` answer 503 from now on. Everything else is served as before.
    pub fn announce_end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    /// Whether [`Server::announce_end`] was called.
    pub fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Answers federated routers.
    pub fn with_federation(self, federation: bool) -> Server {
        Server { federation, ..self }
    }

    /// Sends traces by this tracer.
    pub fn with_tracer(self, tracer: Option<Tracer>) -> Server {
        Server { tracer, ..self }
    }

    /// Gives clients the details of errors and the SQL of their requests.
    pub fn with_dev(self, dev: bool) -> Server {
        Server { dev, ..self }
    }

    /// Turns compression of responses on or off.
    pub fn with_compression(self, compression: bool) -> Server {
        Server { compression, ..self }
    }

    /// Sends `Server-Timing` to callers with the admin secret.
    pub fn with_admin_timing(self, admin_timing: bool) -> Server {
        Server { admin_timing, ..self }
    }

    /// Counts in these metrics, which the handler state counts in as well.
    pub fn with_metrics(self, metrics: Arc<Metrics>) -> Server {
        Server { metrics, ..self }
    }

    /// Runs subscriptions with changes from this source, and checks at this interval whether the database was written
    /// to.
    pub fn with_subscriptions(self, source: SubscriptionSource, interval: Duration, slot_limits: SlotLimits) -> Server {
        let settings =
            SubscriptionSettings { source, interval, slot_limits, metrics: self.metrics.subscriptions.clone() };
        Server { subscriptions: Subscriptions::new(settings), ..self }
    }

    /// Sets the limits of WebSockets and event streams.
    pub fn with_socket_limits(self, limits: SocketLimits) -> Server {
        Server { sockets: Sockets::new(limits), ..self }
    }

    /// Allows pages of these origins to send requests with tokens.
    pub fn with_widget_cors(self, widget_cors: Cors) -> Server {
        Server { widget_cors, ..self }
    }

    /// The policy for a request: that of widgets for their origins, unless the other one has the origin as well.
    pub fn cors_for(&self, headers: &HeaderMap) -> &Cors {
        let is_listed = |cors: &Cors| headers.get(::http::header::ORIGIN).is_some_and(|origin| cors.allows(origin));
        if !is_listed(&self.cors) && is_listed(&self.widget_cors) { &self.widget_cors } else { &self.cors }
    }

    /// The policy for a request to this route. The handler of the widgets' sessions checks the origin itself and shows
    /// pages of others that they are refused, which a browser would not tell from a lost network.
    pub fn cors_of(&self, route: Option<&Route>, headers: &HeaderMap) -> &Cors {
        match route {
            Some(Route { handler: Handler::Plugin(handler), .. }) if handler.checks_origin() => &Cors::Any,
            _ => self.cors_for(headers),
        }
    }

    /// Whether the policy depends on the request's origin, because pages with widgets have another one.
    pub fn has_cors_by_origin(&self) -> bool {
        self.cors != Cors::Any && self.widget_cors != Cors::Closed
    }

    /// Adds the routes of plugins.
    pub fn with_routes(self, routes: Vec<Route>) -> Server {
        Server { routes, ..self }
    }

    /// The routes of plugins.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// The current handler state. An exchange takes it once and keeps it; after it has waited for the client it may
    /// have to [refresh](Server::refresh) it.
    pub fn state(&self) -> Arc<HandlerState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces `parts` with the current handler state if a reload has replaced that; returns whether it did.
    pub fn refresh(&self, parts: &mut Arc<HandlerState>) -> bool {
        let is_old = !Arc::ptr_eq(&self.state.read().unwrap_or_else(PoisonError::into_inner), parts);
        if is_old {
            *parts = self.state();
        }
        is_old
    }

    /// Sets the handler state of later requests.
    pub fn replace(&self, answering: HandlerState) {
        answering.executor.reload.set_latest(&answering.executor);
        let answering = Arc::new(answering);
        let old = {
            let mut current = self.state.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, answering)
        };
        self.reloads.send_replace(());
        // Dropped outside the lock, so that no request waits while the old state is freed.
        drop(old);
    }
}

/// Authenticates the caller of an exchange and notes the role in the access log. An authentication webhook gets
/// `request` if it is configured to, and has until `limit` after the start of the exchange.
async fn authenticate(
    parts: &HandlerState,
    exchange: &mut HttpExchange,
    request: Option<&Value>,
    limit: Duration,
) -> Result<Session, Error> {
    let deadline = tokio::time::Instant::from_std(exchange.started) + limit;
    let session = authenticate_headers(parts, &exchange.headers, exchange.client(), request, deadline, limit).await?;
    parts.hosts.check_session(&session, || parts.hosts.contains_all(&exchange.headers, &exchange.uri))?;
    exchange.count_for(parts.executor.share_key(&session))?;
    // A caller with the admin secret can name any role; the log records only roles of the permission file.
    let is_known = parts.executor.engine.permissions.role(session.role()).is_some();
    exchange.log_entry.role = is_known.then(|| session.shared_role());
    exchange.log_entry.is_trusted = session.caller() == AuthKind::Trusted;
    exchange.log_entry.has_unknown_role = !is_known;
    Ok(session)
}

/// Authenticates the caller of a plugin's route and applies the rate limits. Returns the state that the caller was
/// authenticated with.
pub async fn authenticate_caller(
    server: &Server,
    exchange: &mut HttpExchange,
) -> Result<(Arc<HandlerState>, Session), Error> {
    let state = server.state();
    let session = authenticate(&state, exchange, None, server.limits.time).await?;
    state.rate_limiter.check_session(&server.metrics, &mut exchange.rate_limit, &session).await?;
    Ok((state, session))
}

/// Authenticates the caller of a plugin's route like [`authenticate_caller`], and refuses callers without the admin
/// secret, whatever role they have.
pub async fn authenticate_admin(
    server: &Server,
    exchange: &mut HttpExchange,
) -> Result<(Arc<HandlerState>, Session), Error> {
    let (state, session) = authenticate_caller(server, exchange).await?;
    match session.caller() {
        AuthKind::Trusted => Ok((state, session)),
        AuthKind::Token | AuthKind::Unauthorized => Err(Error::RoleNotAllowed),
    }
}

/// Authenticates a caller by headers, wherever they come from. Where that takes a request to another server, it has
/// until the deadline; `limit` is the time limit that an error names.
async fn authenticate_headers(
    parts: &HandlerState,
    headers: &HeaderMap,
    client: Option<IpAddr>,
    request: Option<&Value>,
    deadline: tokio::time::Instant,
    limit: Duration,
) -> Result<Session, Error> {
    let mut session = match parts.authenticator.session_at_once(headers)? {
        Some(session) => session,
        // Needed less often, and its future is large compared with the rest.
        None => {
            let session = parts.authenticator.session_after_waiting(headers, request);
            let session = Box::pin(deadline::timeout_at(deadline, session)).await;
            session.ok_or(LimitExceeded::Time(limit))??
        }
    };
    session.set_client(client);
    if headers.contains_key(&TRACEPARENT) {
        session.set_trace(TraceContext::of_headers(headers));
    }
    Ok(session)
}

/// The number of headers that a response has room for from the start.
const HEADERS: usize = 6;

/// Creates a response with a JSON body.
pub fn json(status: StatusCode, media: &'static str, bytes: impl Into<Bytes>) -> Response {
    let mut response = Response::new(bytes.into().into());
    *response.status_mut() = status;
    *response.headers_mut() = HeaderMap::with_capacity(HEADERS);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

/// The response of a handler: its result, or its error in the given format.
fn finish(
    server: &Server,
    parts: &HandlerState,
    exchange: &HttpExchange,
    answered: Result<Response, Error>,
    face: ErrorFormat,
) -> Response {
    match answered {
        Ok(mut response) => {
            if exchange.log_entry.dry_run
                && let Some(name) = parts.authenticator.dry_run_header()
            {
                response.headers_mut().insert(name.clone(), HeaderValue::from_static("true"));
            }
            if let Some(position) = exchange.log_entry.written_at
                && let Ok(position) = HeaderValue::from_str(&position.to_string())
            {
                response.headers_mut().insert(READ_AFTER, position);
            }
            response
        }
        Err(error) => {
            let role = exchange.log_entry.role.as_deref().unwrap_or_default();
            parts.executor.limits.for_role(role).count_enforced(error.limit());
            let details = server.dev.then(|| development::details(parts, exchange, &error));
            error_response_with(&error, details, face, server.profile, &exchange.id, exchange.connection)
        }
    }
}

/// The header with which a mutation's response names the position of its changes in the write-ahead log, and a query
/// the position from which on it has to read.
const READ_AFTER: HeaderName = HeaderName::from_static("read-after");

/// From where a request may read: a replica that has replayed the position that it names. Without replicas, and for a
/// position that cannot be read, the primary.
fn read_source(executor: &Executor, headers: &HeaderMap) -> ReadSource {
    if executor.replicas.is_none() {
        return ReadSource::Primary;
    }
    let mut positions = headers.get_all(READ_AFTER).iter();
    match (positions.next(), positions.next()) {
        (None, _) => ReadSource::Replica(None),
        (Some(position), None) => match position.to_str().ok().and_then(|text| text.trim().parse().ok()) {
            Some(position) => ReadSource::Replica(Some(position)),
            None => ReadSource::Primary,
        },
        (Some(_), Some(_)) => ReadSource::Primary,
    }
}

/// The response for an error. It must not be cached, and its access log entry is in its extensions.
pub fn error_response(
    error: &Error,
    face: ErrorFormat,
    profile: Profile,
    exchange_id: &str,
    wire: ConnectionInfo,
) -> Response {
    error_response_with(error, None, face, profile, exchange_id, wire)
}

/// The response for an error, with the details that `--dev` gives to clients.
fn error_response_with(
    error: &Error,
    details: Option<Value>,
    face: ErrorFormat,
    profile: Profile,
    exchange_id: &str,
    wire: ConnectionInfo,
) -> Response {
    let status = status(error, face, profile);
    let (media, mut body) = match face {
        ErrorFormat::Graphql(media) => (media.content_type(), error.to_graphql(exchange_id, profile)),
        ErrorFormat::Rest => (media::JSON, error.to_rest(exchange_id, profile)),
        ErrorFormat::Mcp => (media::JSON, error.to_message(exchange_id, profile)),
    };
    if let Some(details) = details {
        development::add_to_error(&mut body, details);
    }
    let mut response = json(status, media, body.to_string().into_bytes());
    let headers = response.headers_mut();
    caching::forbid_caching(headers);
    match status {
        StatusCode::UNAUTHORIZED => drop(headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        StatusCode::SERVICE_UNAVAILABLE => drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("1"))),
        _ => {}
    }
    if matches!(error, Error::ContentEncoding) {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(content_encoding::ContentEncoding::NAMES));
    }
    if let Error::RateLimited(refused) = error
        && let Some(seconds) = refused.retry_after()
    {
        headers.insert(RETRY_AFTER, seconds);
    }
    let allow = match error {
        Error::MethodNotAllowed { allow } => HeaderValue::from_str(allow).ok(),
        Error::OnlyQueries => Some(HeaderValue::from_static("POST")),
        _ => None,
    };
    if let Some(allow) = allow {
        headers.insert(ALLOW, allow);
    }
    // The rest of such a body is not read, so an HTTP/1 connection cannot carry another request.
    if matches!(error, Error::TransferEncoding | Error::Limit(LimitExceeded::Body(_) | LimitExceeded::BodyTime(_)))
        && wire.version < Version::HTTP_2
    {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response.extensions_mut().insert(LoggedError::of(error, profile));
    response
}

/// The HTTP status of an error in this format.
pub fn status(error: &Error, face: ErrorFormat, profile: Profile) -> StatusCode {
    let entry = error.spec();
    let number = match face {
        ErrorFormat::Graphql(media::Answer::Json) if profile == Profile::Hasura => hasura::status(error),
        ErrorFormat::Graphql(media::Answer::Json) => entry.lenient,
        _ => entry.strict,
    };
    StatusCode::from_u16(number).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl LoggedError {
    /// The entry of an error.
    pub fn of(error: &Error, profile: Profile) -> LoggedError {
        let is_unauthenticated = error.spec() == catalogue::UNAUTHENTICATED;
        let (code, cause, reason) = (Some(error.code(profile)), error.cause(), error.reason());
        let forbids_repetition = matches!(error, Error::OutcomeUnknown(_) | Error::UnusableAnswer(_));
        LoggedError { code, cause, reason, is_unauthenticated, refusal: refusal(error), forbids_repetition }
    }
}

impl AccessLogEntry {
    /// The entry of an exchange that has begun at this time.
    pub fn new(started: Instant) -> AccessLogEntry {
        AccessLogEntry {
            role: None,
            is_trusted: false,
            has_unknown_role: false,
            operation: None,
            requests: 0,
            error: LoggedError::default(),
            stages: Timings::default(),
            dry_run: false,
            record: ExecutionRecord::new(started),
            written_at: None,
        }
    }

    /// Records an error that is sent as part of a response.
    pub fn record_error(&mut self, error: &Error, profile: Profile) {
        let mut logged = LoggedError::of(error, profile);
        logged.cause = logged.cause.or(self.error.cause.take());
        logged.is_unauthenticated = false;
        self.error = logged;
    }

    /// The value of `Server-Timing`, in milliseconds.
    pub fn server_timing(&self) -> String {
        let stage = |name: &str, time: Duration| format!("{name};dur={:.3}", time.as_secs_f64() * 1000.0);
        let Timings { plan, bind, run } = self.stages;
        [stage("plan", plan), stage("bind", bind), stage("run", run)].join(", ")
    }
}

/// Why a token or a secret was refused. A request without any was not tried with a wrong one, and sign-in has audit
/// events of its own.
pub(crate) fn refusal(error: &Error) -> Option<String> {
    let is_refusal = error.spec() == catalogue::UNAUTHENTICATED
        && !matches!(error, Error::NoAuthorization | Error::PersonalAccessToken | Error::RefreshToken);
    is_refusal.then(|| match error {
        Error::UnverifiedWebhook(_, reason) => (*reason).to_owned(),
        Error::WidgetIdentity(reason) => format!("invalid identity: {reason}"),
        error => error.message(),
    })
}

/// Serializes a JSON value.
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
