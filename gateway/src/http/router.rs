//! Dispatches every HTTP request: finds its route, checks the method and the rate limits, calls the
//! handler, and adds compression, CORS and request id to the response before it counts the request
//! and writes the access log. [`ROUTES`] lists the gateway's routes; plugins add theirs.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, HeaderName, HeaderValue, ORIGIN, RETRY_AFTER, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, Method, StatusCode};
use http_body::Body as _;
use pg::sharing::{ShareKey, address_key};

use super::access_log::LoggedError;
use super::app::App;
use super::cors::Cors;
use super::error_response::{ErrorFormat, refuse};
use super::event_stream::{self, Reservations};
use super::exchange::HttpExchange;
use super::index::PageLink;
use super::plugin_openapi::{self, PluginOpenApi};
use super::request_id::REQUEST_ID;
use super::response::{Response, empty};
use super::route::{Handler, Route, RouteClass};
use super::span::{self, ExchangeFacts};
use super::{compression, graphql, health, index, mcp, media, openapi, pages, rest, websocket};
use crate::error::Error;
use crate::rate_limit::RateLimitContext;
use crate::telemetry::execution_record::{DocumentHash, Stage};
use crate::telemetry::log::panic_text;
use crate::telemetry::metrics::RouteMetrics;
use crate::telemetry::traces::CallerTrace;

const GRAPHQL: ErrorFormat = ErrorFormat::Graphql(media::GraphqlMedia::Json);
const GET: &[Method] = &[Method::GET];

/// The routes of the gateway itself, without those of plugins.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/v1/graphql",
        methods: &[Method::GET, Method::POST, Method::PUT, Method::DELETE],
        error_format: GRAPHQL,
        class: RouteClass::Requests,
        handler: Handler::Graphql,
    },
    Route {
        path: "/api/rest/openapi.json",
        methods: GET,
        error_format: ErrorFormat::Rest,
        class: RouteClass::Requests,
        handler: Handler::Description,
    },
    Route {
        path: plugin_openapi::PATH,
        methods: GET,
        error_format: ErrorFormat::Rest,
        class: RouteClass::Requests,
        handler: Handler::PluginDescription,
    },
    Route {
        path: mcp::PATH,
        methods: &[Method::POST],
        error_format: ErrorFormat::Mcp,
        class: RouteClass::Requests,
        handler: Handler::Mcp,
    },
    operations("/healthz", Handler::Health),
    operations("/readyz", Handler::Ready),
    operations("/v1/version", Handler::Version),
    operations("/", Handler::Index),
];

const fn operations(path: &'static str, handler: Handler) -> Route {
    Route {
        path,
        methods: GET,
        error_format: ErrorFormat::Rest,
        class: RouteClass::Operations,
        handler,
    }
}

/// The route of every path below `/api/rest/` that has none of its own.
const REST: Route = Route {
    path: rest::PREFIX,
    methods: &[],
    error_format: ErrorFormat::Rest,
    class: RouteClass::Requests,
    handler: Handler::Rest,
};

/// The standard methods. Clients can invent others, which metrics and logs must not repeat.
static METHODS: [Method; 9] = [
    Method::GET,
    Method::POST,
    Method::HEAD,
    Method::OPTIONS,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::TRACE,
    Method::CONNECT,
];

/// After how many seconds a client may repeat a request that ended with an unexpected error.
const RETRY_SECONDS_AFTER_500: HeaderValue = HeaderValue::from_static("30");

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The routes of a gateway, and what their handlers share.
#[derive(Debug)]
pub struct Router {
    /// What all requests share.
    pub app: Arc<App>,
    plugin_routes: Vec<Route>,
    /// The pages of plugins that `/` links.
    pages: Vec<PageLink>,
    /// The description of the paths of plugins.
    plugin_openapi: PluginOpenApi,
    /// The event streams that operations are sent to by other requests.
    reservations: Arc<Reservations>,
    /// The metrics of each route, the most requested first.
    metrics: Vec<RouteMetrics>,
    /// The metrics of all paths that have no route, since clients can send any number of them.
    metrics_of_others: RouteMetrics,
}

impl Router {
    /// The gateway's own routes, those of plugins with their description, and the pages of plugins
    /// that `/` links.
    pub fn new(
        app: Arc<App>,
        plugin_routes: Vec<Route>,
        plugin_openapi: PluginOpenApi,
        pages: Vec<PageLink>,
    ) -> Router {
        let routes = [&ROUTES[0], &REST].into_iter().chain(&ROUTES[1..]);
        let metrics = routes
            .chain(&plugin_routes)
            .map(|route| app.metrics.route(route.path))
            .collect();
        app.metrics.sockets.declare_closes(websocket::CLOSE_CODES);
        Router {
            metrics,
            metrics_of_others: app.metrics.route("other"),
            app,
            plugin_routes,
            pages,
            plugin_openapi,
            reservations: Arc::default(),
        }
    }

    /// All routes, those of plugins last.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        ROUTES.iter().chain(&self.plugin_routes)
    }

    /// Answers an exchange. A panic in the handler becomes an internal error.
    pub async fn respond(self: Arc<Router>, mut exchange: HttpExchange) -> Response {
        let app = &*self.app;
        let route = self.route(&exchange);
        begin_record(&mut exchange, route);
        let format = route.map_or(ErrorFormat::Rest, |route| route.error_format);
        let response = AssertUnwindSafe(self.dispatch(&mut exchange, route))
            .catch_unwind()
            .await;
        let mut response = response.unwrap_or_else(|panic| {
            refuse(&exchange, &Error::Internal(panic_text(&*panic)), format)
        });
        let logged = response.extensions().get::<LoggedError>();
        let is_error = logged.is_some();
        let is_unauthenticated = logged.is_some_and(|error| error.is_unauthenticated);
        if let Some(error) = logged
            && let Some(reason) = error.refusal.as_deref()
        {
            let path = route.map_or("other", |route| route.path);
            app.record_refusal(
                error.refusal_path.as_deref().unwrap_or(path),
                reason,
                exchange.client(),
                &exchange.id,
            );
        }
        if is_unauthenticated
            || exchange
                .rate_limit
                .as_ref()
                .is_some_and(RateLimitContext::has_reserved)
        {
            // Boxed because the future is large. Failures are counted before anything is awaited
            // that the client controls.
            let finish = async {
                app.state()
                    .rate_limiter
                    .finish(&mut exchange.rate_limit, is_unauthenticated)
                    .await;
            };
            Box::pin(finish).await;
        }
        if is_error {
            // The body is read first, so that the client gets to read the response.
            exchange.body.drain(&exchange.headers).await;
        }
        // A token is not compressed together with text from the request: the length would leak it
        // (BREACH).
        if app.compression && route.is_none_or(|route| route.class != RouteClass::Authentication) {
            response = compression::compress_if_accepted(
                &exchange.headers,
                exchange.memory.budget(),
                response,
            )
            .await;
        }
        add_cors_headers(&mut exchange, route, response.headers_mut());
        self.count(route, &exchange, &response);
        exchange.is_answered = true;
        add_headers_and_log(exchange, route, &mut response);
        response
    }

    /// Counts a response.
    fn count(&self, route: Option<&Route>, exchange: &HttpExchange, response: &Response) {
        let metrics = route
            .and_then(|route| self.metrics.iter().find(|known| known.path() == route.path))
            .unwrap_or(&self.metrics_of_others);
        let log_entry = &exchange.log_entry;
        // A batch has no error of its own but may contain errors, which the exchange's entry
        // records.
        let error = response
            .extensions()
            .get::<LoggedError>()
            .unwrap_or(&log_entry.error);
        let code = error.code.unwrap_or_default();
        let seconds = exchange.started.elapsed().as_secs_f64();
        let trace_id = exchange.trace.as_ref().map(|trace| trace.context.trace_id);
        metrics.count(response.status().as_u16(), code, seconds, trace_id);
        if let Some(metrics) = &log_entry.role_metrics {
            metrics.count_request(code, seconds);
        }
        if let Some(server) = log_entry.record.server() {
            let time = |stage| {
                let stage = log_entry.record.stage(stage);
                stage.map_or(Duration::ZERO, |(_, length)| length)
            };
            let seconds = time(Stage::Run).saturating_sub(time(Stage::Wait));
            self.app
                .metrics
                .servers
                .count(server, code, seconds.as_secs_f64());
        }
        if let Some(operation) = &log_entry.operation {
            self.app
                .metrics
                .operations
                .observe(operation, code, seconds, trace_id);
        }
    }

    fn route(&self, exchange: &HttpExchange) -> Option<&Route> {
        let path = exchange.path();
        let route = self
            .routes()
            .find(|route| route.path == path)
            .or(path.starts_with(REST.path).then_some(&REST))
            .or_else(|| {
                self.plugin_routes
                    .iter()
                    .find(|route| route.has_parameter_in(path))
            });
        route.filter(|route| self.is_enabled(route, exchange))
    }

    /// `/mcp` is enabled if there are REST endpoints to offer as tools, the description of plugins'
    /// paths if there are any, `/` for browsers.
    fn is_enabled(&self, route: &Route, exchange: &HttpExchange) -> bool {
        match route.handler {
            Handler::Mcp => !self.app.state().rest.is_empty(),
            Handler::PluginDescription => !self.plugin_openapi.is_empty(),
            Handler::Index => index::is_wanted(exchange),
            _ => true,
        }
    }

    async fn dispatch(&self, exchange: &mut HttpExchange, route: Option<&Route>) -> Response {
        let state = exchange.app.state();
        exchange.client = state
            .proxies
            .client(exchange.connection.peer, &exchange.headers);
        // Until the caller is known, only its address can be counted, also while the body of a
        // request that is refused is awaited.
        let caller = ShareKey {
            address: exchange.client().and_then(address_key),
            ..ShareKey::default()
        };
        let out_of_memory = exchange
            .request_memory
            .as_ref()
            .err()
            .copied()
            .or_else(|| exchange.count_for(caller).err());
        if let Err(error) =
            state
                .hosts
                .check_request(&state.authenticator, &exchange.headers, &exchange.uri)
        {
            let format = route.map_or(ErrorFormat::Rest, |route| error_format(route, exchange));
            return refuse(exchange, &error, format);
        }
        let Some(route) = route else {
            if exchange.method == Method::OPTIONS && exchange.uri == "*" {
                return options_of_server();
            }
            let error = misplaced(exchange.path()).map_or(Error::NotFound, Error::Misplaced);
            return refuse(exchange, &error, ErrorFormat::Rest);
        };
        if let Some(error) = out_of_memory.filter(|_| route.class != RouteClass::Operations) {
            return refuse(exchange, &error.into(), error_format(route, exchange));
        }
        if let Handler::Rest = route.handler {
            return rest::respond(exchange).await;
        }
        if exchange.method == Method::OPTIONS {
            return options(route);
        }
        let method = if exchange.method == Method::HEAD {
            &Method::GET
        } else {
            &exchange.method
        };
        if !route.methods.contains(method) {
            let error = Error::MethodNotAllowed {
                allow: allow(route),
            };
            return refuse(exchange, &error, route.error_format);
        }
        let address = exchange.client();
        let context = &mut exchange.rate_limit;
        let arrival = state
            .rate_limiter
            .check_arrival(&self.app.metrics, context, address, route.class, route.path)
            .await;
        if let Err(error) = arrival {
            return refuse(exchange, &error, error_format(route, exchange));
        }
        drop(state);
        self.call_handler(exchange, route).await
    }

    async fn call_handler(&self, exchange: &mut HttpExchange, route: &Route) -> Response {
        match &route.handler {
            Handler::Graphql => self.graphql(exchange).await,
            Handler::Rest => rest::respond(exchange).await,
            // Boxed because its future is large.
            Handler::Mcp => Box::pin(mcp::respond(exchange)).await,
            Handler::Health => health::health(),
            Handler::Ready => health::ready(&self.app).await,
            Handler::Version => health::version(),
            Handler::Index => {
                let enabled = self
                    .routes()
                    .filter(|route| self.is_enabled(route, exchange));
                index::respond(&self.pages, enabled.map(|route| route.path))
            }
            Handler::Description => openapi::respond(exchange).await,
            Handler::PluginDescription => self
                .plugin_openapi
                .respond(&exchange.headers)
                .unwrap_or_else(|error| refuse(exchange, &error, route.error_format)),
            Handler::Pages(filter) => pages::respond(filter, exchange)
                .await
                .unwrap_or_else(|error| refuse(exchange, &error, route.error_format)),
            Handler::Plugin(handler) => match handler.respond(exchange).await {
                Ok(response) => response,
                Err(error) => refuse(exchange, &error, route.error_format),
            },
        }
    }

    /// Chooses the transport of `/v1/graphql`.
    async fn graphql(&self, exchange: &mut HttpExchange) -> Response {
        if exchange.upgrade.is_some() && websocket::is_requested(&exchange.headers) {
            websocket::respond(exchange)
        } else if event_stream::is_requested(exchange) {
            // Boxed because its future is large.
            Box::pin(event_stream::respond(exchange, &self.reservations)).await
        } else {
            graphql::respond(exchange).await
        }
    }
}

/// Adds the headers that tell browsers which pages may read the response.
fn add_cors_headers(exchange: &mut HttpExchange, route: Option<&Route>, headers: &mut HeaderMap) {
    let app = &exchange.app;
    let is_preflight = Cors::is_preflight(&exchange.method, &exchange.headers);
    let allow = route
        .filter(|_| is_preflight)
        .and_then(|route| match route.handler {
            Handler::Rest => rest::allow(&app.state(), exchange.path()),
            _ => Some(allow(route)),
        });
    let dry_run = || app.state().authenticator.dry_run_header().cloned();
    let exposed = exchange.log_entry.dry_run.then(dry_run).flatten();
    let cors = match route {
        // The handler checks the origin itself and shows pages of others that they are refused,
        // which a browser would not tell from a lost network.
        Some(Route {
            handler: Handler::Plugin(handler),
            ..
        }) if handler.checks_origin() => &Cors::Any,
        _ => app.cors_for(&exchange.headers),
    };
    cors.add_headers(
        &exchange.headers,
        allow.as_deref(),
        exposed.as_ref(),
        headers,
    );
    if app.has_cors_by_origin() && !cors.varies() {
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
    let is_refused = exchange.headers.contains_key(ORIGIN)
        && !headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN)
        && !cors.allows_socket(&exchange.headers, &exchange.uri);
    if is_refused {
        log_refused_origin(exchange);
        exchange.log_entry.has_refused_origin = true;
    }
}

/// The log line says that the origin is refused. Which one it is, the client has sent, so only the
/// developer's own machine and the log of values show it.
fn log_refused_origin(exchange: &HttpExchange) {
    let origin = exchange.headers.get(ORIGIN);
    let origin = origin
        .and_then(|origin| origin.to_str().ok())
        .unwrap_or_default();
    if exchange.app.dev {
        tracing::warn!(
            origin,
            "a browser keeps the response from this page: add its origin to --cors-origins"
        );
    } else {
        tracing::debug!(target: "values", origin, "origin not among --cors-origins");
    }
}

/// Decides what is recorded of an exchange: whether it is traced, and whether the log or the client
/// gets its SQL. The trace of a client that is not trusted is taken out of the headers before a
/// handler reads them. Probes are not traced: a quiet gateway would send hardly anything else.
fn begin_record(exchange: &mut HttpExchange, route: Option<&Route>) {
    let app = &*exchange.app;
    let peer = exchange.connection.peer;
    let caller = CallerTrace::take(&mut exchange.headers, |headers| {
        app.state().trusts_traceparent(peer, headers)
    });
    if let Some(tracer) = &app.tracer
        && !route.is_some_and(is_probe)
    {
        exchange.trace = tracer.begin(&mut exchange.headers, caller);
    }
    let is_kept = app.dev || exchange.trace.is_some() || tracing::enabled!(tracing::Level::DEBUG);
    exchange.log_entry.record.keeps_statements = is_kept;
}

/// The format of an error that occurs before the handler has negotiated one with the client.
fn error_format(route: &Route, exchange: &HttpExchange) -> ErrorFormat {
    match route.error_format {
        ErrorFormat::Graphql(media) => {
            ErrorFormat::Graphql(media::GraphqlMedia::negotiate(&exchange.headers).unwrap_or(media))
        }
        other => other,
    }
}

/// Where the gateway has what clients of other servers ask for at this path.
fn misplaced(path: &str) -> Option<&'static str> {
    match path.trim_end_matches('/') {
        "" => Some("GraphQL is at /v1/graphql, REST endpoints are below /api/rest/"),
        "/graphql" | "/v1" | "/v1/graphql" | "/v2/graphql" | "/v1alpha1/graphql"
        | "/api/graphql" | "/api" | "/gql" | "/query" | "/graphql/v1" => {
            Some("GraphQL is at /v1/graphql")
        }
        "/graphiql" | "/playground" | "/altair" => {
            Some("GraphiQL is in the console, at /console; GraphQL is at /v1/graphql")
        }
        "/rest" | "/api/rest" | "/rest/v1" => Some("REST endpoints are below /api/rest/"),
        "/openapi.json" | "/swagger.json" | "/api/openapi.json" => {
            Some("the OpenAPI description is at /api/rest/openapi.json")
        }
        "/health" | "/health/ready" | "/healthcheck" | "/ready" => {
            Some("health is at /healthz, readiness at /readyz")
        }
        _ => None,
    }
}

/// The value of `Allow`, such as `GET, HEAD, OPTIONS`.
fn allow(route: &Route) -> String {
    let mut methods: Vec<&str> = route.methods.iter().map(Method::as_str).collect();
    if route.methods.contains(&Method::GET) {
        methods.push("HEAD");
    }
    methods.push("OPTIONS");
    methods.join(", ")
}

/// The response to `OPTIONS *`, which asks about the server itself.
/// <https://www.rfc-editor.org/rfc/rfc9110#section-9.3.7>
fn options_of_server() -> Response {
    let mut response = empty(StatusCode::NO_CONTENT);
    response.headers_mut().insert(
        ALLOW,
        HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
    );
    response
}

fn options(route: &Route) -> Response {
    let mut response = empty(StatusCode::NO_CONTENT);
    if let Ok(allow) = HeaderValue::from_str(&allow(route)) {
        response.headers_mut().insert(ALLOW, allow);
    }
    response
}

/// Adds the headers that every response has, and writes the access log.
fn add_headers_and_log(mut exchange: HttpExchange, route: Option<&Route>, response: &mut Response) {
    if let Some(error) = response.extensions_mut().remove::<LoggedError>() {
        exchange.log_entry.error = error;
    }
    let log_entry = &exchange.log_entry;
    let status = response.status();
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if status == StatusCode::INTERNAL_SERVER_ERROR && !log_entry.error.forbids_repetition {
        headers
            .entry(RETRY_AFTER)
            .or_insert(RETRY_SECONDS_AFTER_500);
    }
    if let Some(context) = &exchange.rate_limit {
        context.write_headers(headers);
    }
    if (exchange.app.server_timing || exchange.app.admin_timing && log_entry.is_trusted)
        && log_entry.requests > 0
        && let Ok(timing) = HeaderValue::from_str(&log_entry.server_timing())
    {
        headers.insert(SERVER_TIMING, timing);
    }
    log_and_trace(&exchange, route, response);
    if let Ok(id) = HeaderValue::try_from(std::mem::take(&mut exchange.id)) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
}

/// Writes one log line for an exchange, and sends its spans: caller, operation, duration and
/// reasons, but no document, value or token. Request paths and query strings may contain values, so
/// the path is the one of the route, or the endpoint's path as the REST map has it.
fn log_and_trace(exchange: &HttpExchange, route: Option<&Route>, response: &Response) {
    let HttpExchange {
        app,
        id,
        log_entry,
        trace,
        ..
    } = exchange;
    let LoggedError {
        code,
        cause,
        reason,
        ..
    } = &log_entry.error;
    let named = exchange
        .rate_limit
        .as_ref()
        .map(RateLimitContext::path)
        .filter(|_| route.is_some());
    let path = named.or(route.map(|route| route.path)).unwrap_or("other");
    let is_known = |method: &&Method| **method == exchange.method;
    let method = METHODS
        .iter()
        .find(is_known)
        .map_or("other", Method::as_str);
    if route.is_none() {
        tracing::debug!(target: "values", request_id = id.as_str(), path = exchange.path(), "no \
             such path");
    }
    let status = response.status();
    if let (Some(trace), Some(tracer)) = (trace, &app.tracer) {
        let facts = ExchangeFacts {
            method,
            path,
            status,
        };
        tracer.send(trace.context.trace_id, span::spans(trace, exchange, &facts));
    }
    let status = status.as_u16();
    let request_id = id.as_str();
    let ms = exchange.started.elapsed().as_micros() as f64 / 1000.0;
    let role = log_entry.role.as_deref();
    let operation = log_entry.operation.as_deref();
    let unknown_role = log_entry.has_unknown_role.then_some(true);
    // Only after an error: a secret in the header of another dialect makes the caller anonymous.
    let ignored_header = code.and_then(|_| {
        let state = app.state();
        state.authenticator.ignored_secret(&exchange.headers)
    });
    let refused_origin = log_entry.has_refused_origin.then_some(true);
    let cause = cause.as_deref();
    let sqlstate = reason.sqlstate.as_deref();
    let constraint = reason.constraint.as_deref();
    let code = *code;
    let reason = reason.text.as_deref();
    let record = &log_entry.record;
    let digits = record.document().map(DocumentHash::digits);
    let hash = digits
        .as_ref()
        .and_then(|digits| std::str::from_utf8(digits).ok());
    let rows = record.rows();
    let server = record.server();
    let bytes = response.body().size_hint().exact();
    let [plan_ms, bind_ms, wait_ms, run_ms] =
        [Stage::Plan, Stage::Bind, Stage::Wait, Stage::Run].map(|stage| record.milliseconds(stage));
    let trace_id = trace
        .as_ref()
        .map(|trace| format!("{:032x}", trace.context.trace_id));
    let trace_id = trace_id.as_deref();
    // The level has to be a constant.
    macro_rules! line {
        ($level:ident $(, $sql:ident)?) => {
            tracing::event!(
                tracing::Level::$level, request_id, method, path, status, ms, role, operation, code, cause, reason,
                sqlstate, constraint, unknown_role, ignored_header, refused_origin, hash, server.address = server, rows, bytes, plan_ms, bind_ms,
                wait_ms, run_ms, trace_id,
                $($sql,)? "answered"
            )
        };
    }
    let sql = if tracing::enabled!(tracing::Level::DEBUG) {
        span::statements(record)
    } else {
        None
    };
    let sql = sql.as_deref();
    match status {
        // A gateway that is about to end says so to balancers on purpose.
        503 if app.is_ending() && route.is_some_and(is_probe) => line!(DEBUG),
        500.. => line!(ERROR, sql),
        _ if cause.is_some() => line!(WARN, sql),
        // Probes would be most lines of a quiet gateway.
        200..300 if route.is_some_and(is_probe) => line!(DEBUG),
        _ => line!(INFO, sql),
    }
}

/// Whether only supervisors ask this route, every few seconds.
fn is_probe(route: &Route) -> bool {
    matches!(route.handler, Handler::Health | Handler::Ready) || route.class == RouteClass::Metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn route_paths_are_unique() {
        for (index, route) in ROUTES.iter().enumerate() {
            assert!(
                ROUTES[..index].iter().all(|other| other.path != route.path),
                "{}",
                route.path
            );
        }
    }

    #[test]
    fn respond_future_is_smaller_than_12_kib() {
        fn size<A, B, F>(_: impl Fn(A, B) -> F) -> usize {
            size_of::<F>()
        }
        assert!(
            size(Router::respond) < 12 << 10,
            "{}",
            size(Router::respond)
        );
    }

    #[test]
    fn allow_lists_head_and_options() {
        assert_eq!(allow(&ROUTES[0]), "GET, POST, PUT, DELETE, HEAD, OPTIONS");
    }
}
