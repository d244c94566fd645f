//! GraphQL over server-sent events on `/v1/graphql`, in both modes: an operation answered by an event stream of its
//! own, and one stream for all operations, which is reserved by PUT and to which other requests send operations.
//! <https://github.com/graphql/graphql-over-http/blob/main/rfcs/GraphQLOverSSE.md>
//!
//! | Request | | Response |
//! |---|---|---|
//! | `POST`, `GET` | `Accept: text/event-stream` | the events of this operation |
//! | `PUT` | | 201, the token of a reserved stream |
//! | `GET`, `POST` | `Accept: text/event-stream`, token | the events of all operations with the token |
//! | `POST` | token, `extensions.operationId` | 202 |
//! | `DELETE` | token, `operationId` in the query string | 200, the operation is ended |

mod reservation;
mod writer;

use std::sync::Arc;

use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Method, StatusCode, Version};
use serde_json::Value;
use sql::graphql::document::OperationKind;
use tokio::time::Instant;
use warp::Reply;

use super::graphql::{check_preflighted, read_body, record_operation};
use super::operations::{BeginError, OperationContext, Operations, ReceivedRequest};
use super::state::HandlerState;
use super::{
    ErrorFormat, HttpExchange, Response, Server, authenticate, caching, credential_check, error_response, finish, media,
};
use crate::auth::session::Session;
use crate::error::{Error, InvalidRequest};
use crate::execute::{self, AllowedOperations, public_query};
use crate::limits::LimitExceeded;
use crate::limits::memory::REQUEST;
use crate::request::{self, Body, Request};
use reservation::Reservation;
pub(super) use reservation::Reservations;
use writer::{EventWriter, Mode, StreamCaller};

/// The header with the token of a reserved stream.
const TOKEN: HeaderName = HeaderName::from_static("x-graphql-event-stream-token");

/// The query parameter with the token of a reserved stream.
const TOKEN_PARAMETER: &str = "token";

/// The query parameter with the id of the operation to end.
const OPERATION_PARAMETER: &str = "operationId";

/// The transport's name in log and metrics.
const TRANSPORT: &str = "event-stream";

/// Errors before the stream have their own status.
const FORMAT: ErrorFormat = ErrorFormat::Graphql(media::Answer::GraphqlResponse);

/// Whether a request to `/v1/graphql` is one of GraphQL over server-sent events.
pub(super) fn is_requested(exchange: &HttpExchange) -> bool {
    match exchange.method {
        Method::PUT | Method::DELETE => true,
        Method::GET | Method::POST => {
            media::prefers_event_stream(&exchange.headers) || exchange.headers.contains_key(TOKEN)
        }
        _ => false,
    }
}

/// Answers an exchange.
pub(super) async fn respond(server: &Arc<Server>, exchange: &mut HttpExchange) -> Response {
    let mut parts = server.state();
    let answered = handle(server, &mut parts, exchange).await;
    let mut response = finish(server, &parts, exchange, answered, FORMAT);
    if !response.headers().contains_key(CACHE_CONTROL) {
        caching::forbid_caching(response.headers_mut());
    }
    response
}

async fn handle(
    server: &Arc<Server>,
    parts: &mut Arc<HandlerState>,
    exchange: &mut HttpExchange,
) -> Result<Response, Error> {
    let token = token(exchange)?;
    match (&exchange.method, token) {
        (&Method::PUT, _) => reserve(server, parts, exchange).await,
        (&Method::DELETE, token) => {
            let token = token.ok_or_else(|| InvalidRequest::MissingParameter(TOKEN_PARAMETER.to_owned()))?;
            cancel(server, parts, exchange, &token).await
        }
        (_, Some(token)) if media::prefers_event_stream(&exchange.headers) => {
            open(server, parts, exchange, token).await
        }
        (&Method::POST, Some(token)) => operate(server, parts, exchange, &token).await,
        (_, Some(_)) => Err(Error::NotAcceptable),
        (_, None) => stream_operation(server, parts, exchange).await,
    }
}

/// The token of a reserved stream, from the header or the query string.
fn token(exchange: &HttpExchange) -> Result<Option<String>, Error> {
    match exchange.headers.get(TOKEN) {
        Some(token) => {
            let malformed = |_| InvalidRequest::Header(TOKEN.as_str().to_owned());
            Ok(Some(token.to_str().map_err(malformed)?.to_owned()))
        }
        None => parameter(exchange, TOKEN_PARAMETER),
    }
}

/// A parameter of the query string.
fn parameter(exchange: &HttpExchange, wanted: &str) -> Result<Option<String>, Error> {
    let parameters = request::parameters(exchange.query())?;
    Ok(parameters.into_iter().find(|(name, _)| name == wanted).map(|(_, value)| value))
}

/// The caller of a request without a body.
async fn authenticate_bodiless(
    server: &Server,
    parts: &HandlerState,
    exchange: &mut HttpExchange,
) -> Result<Session, Error> {
    let session = authenticate(parts, exchange, None, server.limits.time).await?;
    parts.rate_limiter.check_session(&server.metrics, &mut exchange.rate_limit, &session).await?;
    Ok(session)
}

/// Answers an operation by an event stream of its own. A document that is not valid is an event of the stream, as the
/// specification has it, so that clients report it as an error of GraphQL.
async fn stream_operation(
    server: &Arc<Server>,
    parts: &mut Arc<HandlerState>,
    exchange: &mut HttpExchange,
) -> Result<Response, Error> {
    let is_get = exchange.method == Method::GET;
    let max_age = server.sockets.limits().shared_max_age.filter(|_| is_get);
    let max_age = max_age.filter(|_| !parts.authenticator.may_have_credentials(&exchange.headers));
    match is_get {
        true if max_age.is_some() => {}
        true => check_preflighted(&exchange.headers, &parts.authenticator.policy().header_prefix)?,
        false => media::check_json(&exchange.headers)?,
    }
    let (session, request) = read(server, parts, exchange).await?;
    // Before anything is asked of the database.
    let place = server.sockets.open(exchange.client())?;
    let limit = parts.executor.limits.for_role(session.role()).enforced.time;
    let deadline = Instant::from_std(exchange.started) + limit;
    // Boxed because its future is large.
    let max_age = match max_age {
        Some(max_age) if Box::pin(public_query::is_public(&parts.executor, &session, &request, deadline)).await? => {
            Some(max_age)
        }
        Some(_) => {
            check_preflighted(&exchange.headers, &parts.authenticator.policy().header_prefix)?;
            None
        }
        None => None,
    };
    if is_get {
        let valid = execute::validate(&parts.executor, &session, &request, AllowedOperations::Any);
        if valid.is_ok_and(|valid| valid.kind() == OperationKind::Mutation) {
            return Err(Error::OnlyQueries);
        }
    }
    let memory = exchange.memory.budget().reserve_open()?;
    let (operations, results) = Operations::new(server);
    let caller = caller(parts, exchange, &session);
    // The stream has a reservation of its own, and so has the operation until it has started.
    if let Some(memory) = &exchange.request_memory {
        memory.release();
    }
    exchange.memory.grow_by(REQUEST)?;
    begin(server, parts, exchange, session, &operations, "", request)?;
    let mode = Mode::Distinct { operations, memory, _place: place };
    let mut writer = EventWriter::new(server, mode, results, caller);
    if max_age.is_some()
        && let Err(error) = writer.share(deadline, limit).await
    {
        // Counted and logged as the end of the operation.
        return Ok(error_response(&error, FORMAT, server.profile, &exchange.id, exchange.connection));
    }
    let mut response = streamed(writer);
    // HTTP/1.0 has no body that ends with an error.
    if let Some(max_age) = max_age.filter(|_| exchange.connection.version > Version::HTTP_10) {
        let vary = parts.authenticator.vary();
        caching::share(response.headers_mut(), max_age, vary, &[ACCEPT, TOKEN]);
    }
    Ok(response)
}

/// Reserves a stream, to which operations can be sent before it is opened.
async fn reserve(server: &Arc<Server>, parts: &HandlerState, exchange: &mut HttpExchange) -> Result<Response, Error> {
    let session = authenticate_bodiless(server, parts, exchange).await?;
    let place = server.sockets.open(exchange.client())?;
    let memory = exchange.memory.budget().reserve_open()?;
    let token = server.sockets.reservations.reserve(server, session, place, memory);
    let mut response = Response::new(token.into());
    *response.status_mut() = StatusCode::CREATED;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media::TEXT));
    Ok(response)
}

/// Opens a reserved stream.
async fn open(
    server: &Arc<Server>,
    parts: &Arc<HandlerState>,
    exchange: &mut HttpExchange,
    token: String,
) -> Result<Response, Error> {
    // A page that could cause this request does not know the token.
    let session = authenticate_bodiless(server, parts, exchange).await?;
    let reservation = find(server, &session, &token)?;
    let results = reservation.open().ok_or(Error::StreamInUse("the event stream is open already"))?;
    if let Some(memory) = &exchange.request_memory {
        memory.release();
    }
    let mode = Mode::Single { reservation, token };
    Ok(streamed(EventWriter::new(server, mode, results, caller(parts, exchange, &session))))
}

/// Starts an operation whose events go to a reserved stream.
async fn operate(
    server: &Arc<Server>,
    parts: &mut Arc<HandlerState>,
    exchange: &mut HttpExchange,
    token: &str,
) -> Result<Response, Error> {
    media::check_json(&exchange.headers)?;
    let (session, request) = read(server, parts, exchange).await?;
    let reservation = find(server, &session, token)?;
    let id = request.extensions.get("operationId").and_then(Value::as_str).filter(|id| !id.is_empty());
    let id = id.ok_or(InvalidRequest::OperationId)?.to_owned();
    // A document that is not valid is answered here, and later errors on the stream.
    execute::validate(&parts.executor, &session, &request, AllowedOperations::Any)?;
    begin(server, parts, exchange, session, &reservation.operations, &id, request)?;
    let mut response = Response::default();
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

/// Ends an operation of a reserved stream.
async fn cancel(
    server: &Server,
    parts: &HandlerState,
    exchange: &mut HttpExchange,
    token: &str,
) -> Result<Response, Error> {
    let session = authenticate_bodiless(server, parts, exchange).await?;
    let reservation = find(server, &session, token)?;
    let id = parameter(exchange, OPERATION_PARAMETER)?;
    let id = id.ok_or_else(|| InvalidRequest::MissingParameter(OPERATION_PARAMETER.to_owned()))?;
    reservation.operations.cancel(&id);
    Ok(Response::default())
}

/// The caller and the request, which is one.
async fn read(
    server: &Server,
    parts: &mut Arc<HandlerState>,
    exchange: &mut HttpExchange,
) -> Result<(Session, Request), Error> {
    let (session, _, body) = read_body(server, parts, exchange).await?;
    match body {
        Body::Single(request) => {
            record_operation(&mut exchange.log_entry, &request);
            Ok((session, request))
        }
        Body::Batch(_) => Err(InvalidRequest::NotAnObject.into()),
    }
}

/// The caller of a stream that stays open.
fn caller(parts: &Arc<HandlerState>, exchange: &HttpExchange, session: &Session) -> StreamCaller {
    let headers = Arc::new(credential_check::copied(&exchange.headers));
    StreamCaller { session: session.clone(), parts: parts.clone(), headers, client: exchange.client() }
}

/// A reserved stream of this caller. Those of others look like none.
fn find(server: &Server, session: &Session, token: &str) -> Result<Arc<Reservation>, Error> {
    let found = server.sockets.reservations.get(token);
    found.filter(|reservation| reservation.session.is_same_caller(session)).ok_or(Error::NoEventStream)
}

/// Starts an operation that the rate limits have counted.
fn begin(
    server: &Arc<Server>,
    parts: &Arc<HandlerState>,
    exchange: &mut HttpExchange,
    session: Session,
    operations: &Operations,
    id: &str,
    request: Request,
) -> Result<(), Error> {
    let context = OperationContext {
        server: server.clone(),
        parts: parts.clone(),
        session,
        client: exchange.client(),
        connection: exchange.id.as_str().into(),
        transport: TRANSPORT,
    };
    let empty = exchange.memory.budget().empty_reservation();
    let memory = std::mem::replace(&mut exchange.memory, empty);
    let received = ReceivedRequest { request, length: None, memory };
    operations.start(context, id, received).map_err(|error| match error {
        BeginError::IdInUse => Error::StreamInUse("an operation with this id is running already"),
        BeginError::TooMany => LimitExceeded::Operations(server.sockets.limits().operations).into(),
    })
}

/// The response whose body is the stream.
fn streamed(writer: EventWriter) -> Response {
    let mut response = warp::reply::stream(writer.into_stream()).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media::EVENT_STREAM));
    // nginx would hold events back.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}
