//! Handler of `/v1/graphql`: POST with a JSON body (one request or an array of them), and GET for queries. Requests for
//! a WebSocket or an event stream go to [`websocket`] and [`event_stream`]. It authenticates the caller, checks limits
//! and rate limits, parses the body into [`Request`]s and writes their results; [`crate::execute`] runs them.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Method, StatusCode};
use tokio::time::Instant;
use warp::Reply;

use super::{
    AccessLogEntry, ErrorFormat, HttpExchange, Response, Server, authenticate, caching, development, error_response,
    event_stream, finish, json, media, read_source, websocket,
};
use crate::auth::session::Session;
use crate::auth::session_headers::without_prefix;
use crate::config::dialect::Profile;
use crate::database::deadline;
use crate::error::{Error, InvalidRequest};
use crate::execute::{self, AllowedOperations, ExecutionOptions, ExecutionResult, Payload, federation};
use crate::http::state::HandlerState;
use crate::limits::{LimitExceeded, LimitKind, Limits, RoleLimits};
use crate::request::{Body, Request};
use crate::telemetry::execution_record::DocumentHash;

/// Headers that a page of another origin can send only after a CORS preflight, beside those with the gateway's prefix.
const PREFLIGHTED: [&str; 4] =
    ["authorization", "apollo-require-preflight", "x-apollo-operation-name", "graphql-require-preflight"];

/// Answers an exchange.
pub async fn respond(server: &Arc<Server>, exchange: &mut HttpExchange) -> Response {
    if exchange.upgrade.is_some() && websocket::is_requested(&exchange.headers) {
        return websocket::respond(server, exchange);
    }
    if event_stream::is_requested(exchange) {
        // Boxed because its future is large.
        return Box::pin(event_stream::respond(server, exchange)).await;
    }
    let media = match media::Answer::negotiate(&exchange.headers) {
        Ok(media) => media,
        Err(error) => {
            let face = ErrorFormat::Graphql(media::Answer::Json);
            return error_response(&error, face, server.profile, &exchange.id, exchange.connection);
        }
    };
    let mut parts = server.state();
    let answered = handle(server, &mut parts, exchange, media).await;
    let mut response = finish(server, &parts, exchange, answered, ErrorFormat::Graphql(media));
    // Responses are not cached, errors included: a query unknown by its hash is known once a client has sent its text.
    caching::forbid_caching(response.headers_mut());
    response
}

async fn handle(
    server: &Server,
    parts: &mut Arc<HandlerState>,
    exchange: &mut HttpExchange,
    media: media::Answer,
) -> Result<Response, Error> {
    let get = exchange.method != Method::POST;
    match get {
        true => check_preflighted(&exchange.headers, &parts.authenticator.policy().header_prefix)?,
        false => media::check_json(&exchange.headers)?,
    }
    let (session, bounds, body) = read_body(server, parts, exchange).await?;
    let deadline = Instant::from_std(exchange.started) + bounds.enforced.time;
    match body {
        Body::Single(mut request) => {
            request.client_headers = parts.executor.client_headers(&exchange.headers);
            record_operation(&mut exchange.log_entry, &request);
            check_extensions(server, parts, &request)?;
            let allowed = if get { AllowedOperations::Queries } else { AllowedOperations::All };
            let source = read_source(&parts.executor, &exchange.headers);
            let options = ExecutionOptions::new(allowed, deadline).recorded(&exchange.log_entry.record);
            let options = ExecutionOptions { source, ..options };
            let answer = match server.federation && federation::is_wanted(&request) {
                // Boxed because its future is large.
                true => Box::pin(federation::answer(&parts.executor, &session, &request, options)).await,
                false => execute::answer(&parts.executor, &session, &request, options).await,
            };
            count(server, parts, &session, &answer);
            if answer.is_err() {
                record_refused(&exchange.log_entry, &request);
            }
            let mut answer = answer?;
            if server.dev
                && let Payload::Whole(bytes) = &answer.payload
                && let Some(bytes) = development::add_to_response(bytes, &development::of_success(exchange))
            {
                answer.payload = Payload::Whole(bytes.into());
            }
            exchange.log_entry.stages = answer.timings;
            exchange.log_entry.dry_run = answer.dry_run;
            exchange.log_entry.written_at = answer.written_at;
            if let Payload::Whole(_) = answer.payload {
                bounds.observe_time(|| exchange.started.elapsed());
            }
            Ok(single(answer, media))
        }
        Body::Batch(mut requests) => {
            let headers = parts.executor.client_headers(&exchange.headers);
            requests.iter_mut().for_each(|request| request.client_headers.clone_from(&headers));
            bounds.observe(LimitKind::Batch, requests.len());
            parts.rate_limiter.check_batch(&server.metrics, &mut exchange.rate_limit, &session, requests.len()).await?;
            let response = batch(server, parts, &session, &requests, deadline, exchange, media).await;
            bounds.observe_time(|| exchange.started.elapsed());
            Ok(response)
        }
    }
}

/// Authenticates the caller, counts the request and reads its body, or its query string without one. Returns the limits
/// of the caller's role as well.
pub(super) async fn read_body(
    server: &Server,
    parts: &mut Arc<HandlerState>,
    exchange: &mut HttpExchange,
) -> Result<(Session, Arc<RoleLimits>, Body), Error> {
    let get = exchange.method != Method::POST;
    // A webhook that gets the request can be called only once the body has been read.
    let wants_request = parts.authenticator.wants_request(&exchange.headers);
    let limit = server.limits.time;
    let mut session = if wants_request { None } else { Some(authenticate(parts, exchange, None, limit).await?) };
    if let Some(session) = &session {
        parts.rate_limiter.check_session(&server.metrics, &mut exchange.rate_limit, session).await?;
    }
    let mut bounds = parts.executor.limits.for_role(role(session.as_ref())).clone();
    let mut length = 0;
    let body = match get {
        true => {
            exchange.reserve_query()?;
            Body::Single(Request::from_query_string(exchange.query())?)
        }
        false => {
            let deadline = Instant::from_std(exchange.started) + bounds.enforced.time;
            let read = exchange.body.read(&exchange.headers, &bounds.enforced, &mut exchange.memory);
            let late = || LimitExceeded::BodyTime(bounds.enforced.time);
            let bytes = deadline::timeout_at(deadline, read).await.ok_or_else(late)??;
            length = bytes.len();
            if wants_request {
                // The webhook gets a copy.
                exchange.reserve_values(&bytes)?;
            }
            // A client that sends its body slowly must not keep permissions that a reload has revoked meanwhile.
            if server.refresh(parts) && session.is_some() {
                session = Some(authenticate(parts, exchange, None, limit).await?);
                bounds = parts.executor.limits.for_role(role(session.as_ref())).clone();
            }
            Body::parse(&bytes, bounds.enforced.batch)?
        }
    };
    let session = match session {
        Some(session) => session,
        None => {
            let session = authenticate(parts, exchange, Some(&body.to_json()), limit).await?;
            parts.rate_limiter.check_session(&server.metrics, &mut exchange.rate_limit, &session).await?;
            bounds = parts.executor.limits.for_role(session.role()).clone();
            check_limits(&bounds.enforced, length, &body)?;
            session
        }
    };
    bounds.observe(LimitKind::Body, length);
    Ok((session, bounds, body))
}

fn role(session: Option<&Session>) -> &str {
    session.map(Session::role).unwrap_or_default()
}

/// Checks a request that was read before its role was known against the limits of the role.
fn check_limits(limits: &Limits, length: usize, body: &Body) -> Result<(), Error> {
    match body {
        _ if length > limits.body => Err(LimitExceeded::Body(limits.body).into()),
        Body::Batch(requests) if requests.len() > limits.batch => Err(LimitExceeded::Batch(limits.batch).into()),
        _ => Ok(()),
    }
}

/// Rejects a GET that any web page can cause, for instance with an image: CSRF protection needs a header that causes a
/// preflight.
pub(super) fn check_preflighted(headers: &HeaderMap, prefix: &str) -> Result<(), Error> {
    let guarded = |name: &HeaderName| PREFLIGHTED.contains(&name.as_str()) || without_prefix(name, prefix).is_some();
    let json = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(media::is_json);
    match json || headers.keys().any(guarded) {
        true => Ok(()),
        false => Err(InvalidRequest::Preflight.into()),
    }
}

/// In the Hasura profile, rejects `persistedQuery` as Hasura does, even if the query's text is present; the gateway's
/// own profile only needs the text.
pub(super) fn check_extensions(server: &Server, parts: &HandlerState, request: &Request) -> Result<(), Error> {
    match server.profile {
        Profile::Hasura
            if !parts.executor.documents.accepts_hashes() && request.extensions.contains_key("persistedQuery") =>
        {
            Err(Error::PersistedQuery)
        }
        _ => Ok(()),
    }
}

/// Counts operations that are not on the role's allow list.
fn count(server: &Server, parts: &HandlerState, session: &Session, answer: &Result<ExecutionResult, Error>) {
    let mode = match answer {
        Ok(ExecutionResult { is_unlisted: true, .. }) => "log",
        Err(Error::Unlisted(_)) => "enforce",
        _ => return,
    };
    count_unlisted(server, parts, session.role(), mode);
}

/// Counts an operation that is not on the role's allow list. Clients can name roles that do not exist.
pub(super) fn count_unlisted(server: &Server, parts: &HandlerState, role: &str, mode: &str) {
    let is_known = parts.executor.engine.permissions.role(role).is_some();
    server.metrics.unlisted.with_label_values(&[if is_known { role } else { "other" }, mode]).inc();
}

/// Records the operation in the access log.
pub(super) fn record_operation(account: &mut AccessLogEntry, request: &Request) {
    account.operation = operation_name(request);
    account.requests += 1;
}

/// Records the document of a request that was refused: an accepted one has recorded it.
fn record_refused(entry: &AccessLogEntry, request: &Request) {
    if entry.record.document().is_none() && !request.query.is_empty() {
        entry.record.set_document(DocumentHash::of(&request.query));
    }
}

/// The operation's name for the log, if it is a GraphQL name of at most 100 bytes. A document of which the request
/// names no operation has only one, and begins with it unless fragments come first.
pub(super) fn operation_name(request: &Request) -> Option<String> {
    let name = request.operation_name.as_deref().or_else(|| first_operation(&request.query));
    name.filter(|name| name.len() <= 100 && sql::model::names::is_graphql(name)).map(str::to_owned)
}

/// The name of the operation that a document begins with.
fn first_operation(document: &str) -> Option<&str> {
    const BLANK: [char; 6] = [' ', '\t', '\n', '\r', ',', '\u{feff}'];
    let mut rest = document.trim_start_matches(BLANK);
    while let Some(comment) = rest.strip_prefix('#') {
        rest = comment.split_once(['\n', '\r'])?.1.trim_start_matches(BLANK);
    }
    let behind = ["query", "mutation", "subscription"].iter().find_map(|kind| rest.strip_prefix(kind))?;
    let name = behind.strip_prefix(BLANK)?.trim_start_matches(BLANK);
    name.split(|character: char| !character.is_ascii_alphanumeric() && character != '_').next()
}

fn single(answer: ExecutionResult, media: media::Answer) -> Response {
    match answer.payload {
        Payload::Whole(bytes) => json(StatusCode::OK, media.content_type(), bytes),
        Payload::Parts(head, mut rest) => {
            let mut head = Some(head);
            let parts = futures_util::stream::poll_fn(move |waker| match head.take() {
                Some(head) => std::task::Poll::Ready(Some(Ok(head))),
                None => rest.poll_next(waker).map(|part| part.map(|part| part.map_err(|error| cut_off(&error)))),
            });
            let mut response = warp::reply::stream(parts).into_response();
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media.content_type()));
            response
        }
    }
}

/// Logs an error that occurs while a response is streamed. The client sees no error, only that the body ends early.
pub(super) fn cut_off(error: &Error) -> std::io::Error {
    tracing::error!(code = error.spec().code, cause = error.cause(), "response cut off");
    std::io::Error::other(error.message())
}

/// Runs the requests of a batch in order. An error in one does not stop the others. Once the responses together are
/// longer than the limit for one, the remaining requests are not run.
async fn batch(
    server: &Server,
    parts: &HandlerState,
    session: &Session,
    requests: &[Request],
    deadline: Instant,
    exchange: &mut HttpExchange,
    media: media::Answer,
) -> Response {
    let account = &mut exchange.log_entry;
    let limit = parts.executor.limits.for_role(session.role()).enforced.answer;
    let options = ExecutionOptions { buffered: true, ..ExecutionOptions::new(AllowedOperations::All, deadline) };
    let mut answers = BatchAnswers::default();
    for request in requests {
        record_operation(account, request);
        let is_full = answers.length > limit;
        let answered = async {
            if is_full {
                return Err(LimitExceeded::Answer(limit).into());
            }
            check_extensions(server, parts, request)?;
            let options = options.recorded(&account.record);
            let answer = execute::answer(&parts.executor, session, request, options).await;
            count(server, parts, session, &answer);
            if answer.is_err() {
                record_refused(account, request);
            }
            let answer = answer?;
            let (timings, dry_run, written_at) = (answer.timings, answer.dry_run, answer.written_at);
            Ok::<_, Error>((timings, dry_run, written_at, answer.payload.collect().await?))
        };
        match answered.await {
            Ok((stages, dry_run, written_at, bytes)) => {
                account.stages.add(stages);
                account.written_at = account.written_at.max(written_at);
                account.dry_run |= dry_run;
                answers.push(bytes);
            }
            Err(error) => {
                parts.executor.limits.for_role(session.role()).count_enforced(error.limit());
                account.record_error(&error, server.profile);
                let told = error.to_graphql(&exchange.id, server.profile);
                answers.push(told.to_string().into_bytes().into());
            }
        }
    }
    answers.response(media)
}

/// The responses of a batch, each in the buffer it was written to.
#[derive(Default)]
struct BatchAnswers {
    pieces: Vec<Bytes>,
    length: usize,
}

/// Batches of at most so many bytes are sent in one piece, with `Content-Length`.
const MAX_BUFFERED: usize = 16 << 10;

impl BatchAnswers {
    fn push(&mut self, answer: Bytes) {
        self.length += answer.len();
        self.pieces.push(Bytes::from_static(if self.pieces.is_empty() { b"[" } else { b"," }));
        self.pieces.push(answer);
    }

    fn response(mut self, media: media::Answer) -> Response {
        self.pieces.push(Bytes::from_static(b"]"));
        if self.length <= MAX_BUFFERED {
            return json(StatusCode::OK, media.content_type(), self.pieces.concat());
        }
        let pieces = futures_util::stream::iter(self.pieces.into_iter().map(Ok::<Bytes, Infallible>));
        let mut response = warp::reply::stream(pieces).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media.content_type()));
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_names_the_operation_if_the_request_does_not() {
        let name = |query: &str| operation_name(&Request { query: query.to_owned(), ..Request::default() });
        assert_eq!(name("query A { a }").as_deref(), Some("A"));
        assert_eq!(name("\u{feff} # query B\r\n, mutation\tC($x: Int) { a }").as_deref(), Some("C"));
        for unnamed in
            ["", "{ a }", "query { a }", "query($x: Int) { a }", "queryA { a }", "# query A", "fragment F on A { a }"]
        {
            assert_eq!(name(unnamed), None, "{unnamed}");
        }
        let named = Request { query: "query A { a }".into(), operation_name: Some("B".into()), ..Request::default() };
        assert_eq!(operation_name(&named).as_deref(), Some("B"));
    }

    #[test]
    fn get_needs_a_header_that_causes_a_preflight() {
        let checked = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            check_preflighted(&headers, "x-gateway-").is_ok()
        };
        assert!(checked("authorization", "Bearer x"));
        assert!(checked("x-gateway-role", "user"));
        assert!(checked("apollo-require-preflight", "1"));
        assert!(checked("content-type", "application/json"));
        assert!(!checked("content-type", "text/plain"));
        assert!(!checked("cookie", "a=b"));
        assert!(!checked("accept", "*/*"));
    }
}
