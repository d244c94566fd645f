//! GraphQL over server-sent events on `/v1/graphql`, in both modes: an operation answered by an
//! event stream of its own, and one stream for all operations, which is reserved by PUT and to
//! which other requests send operations.
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
use std::sync::atomic::Ordering;

use http::header::{ACCEPT, CACHE_CONTROL, HeaderName, HeaderValue};
use http::{Method, StatusCode, Version};
use pg::memory::REQUEST_BYTES;
use serde_json::Value;
use sql::graphql::document::OperationKind;

use super::caller::{Caller, authenticate_caller};
use super::error_response::{ErrorFormat, finish, refuse};
use super::exchange::HttpExchange;
use super::graphql_request::{check_preflighted, read, record_operation};
use super::operations::{BeginError, OperationContext, Operations, ReceivedRequest};
use super::response::{Response, empty, json, stream};
use super::{caching, credential_check, media};
use crate::auth::session::Session;
use crate::error::{Error, InvalidRequest};
use crate::execute::{self, AllowedOperations, public_query};
use crate::limits::LimitExceeded;
use crate::request::{self, Body, Request};
use reservation::Reservation;
pub(super) use reservation::Reservations;
use writer::{EventWriter, Mode, StreamCaller, TRANSPORT};

/// The header with the token of a reserved stream.
const TOKEN: HeaderName = HeaderName::from_static("x-graphql-event-stream-token");

/// The query parameter with the token of a reserved stream.
const TOKEN_PARAMETER: &str = "token";

/// The query parameter with the id of the operation to end.
const OPERATION_PARAMETER: &str = "operationId";

/// Errors before the stream have their own status.
const FORMAT: ErrorFormat = ErrorFormat::Graphql(media::GraphqlMedia::GraphqlResponse);

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
pub(super) async fn respond(
    exchange: &mut HttpExchange,
    reservations: &Arc<Reservations>,
) -> Response {
    let result = handle(exchange, reservations).await;
    let mut response = finish(exchange, result, FORMAT);
    if !response.headers().contains_key(CACHE_CONTROL) {
        caching::forbid_caching(response.headers_mut());
    }
    response
}

async fn handle(
    exchange: &mut HttpExchange,
    reservations: &Arc<Reservations>,
) -> Result<Response, Error> {
    let token = token(exchange)?;
    match (&exchange.method, token) {
        (&Method::PUT, _) => reserve(exchange, reservations).await,
        (&Method::DELETE, token) => {
            let token = token
                .ok_or_else(|| InvalidRequest::MissingParameter(TOKEN_PARAMETER.to_owned()))?;
            cancel(exchange, reservations, &token).await
        }
        (_, Some(token)) if media::prefers_event_stream(&exchange.headers) => {
            open(exchange, reservations, token).await
        }
        (&Method::POST, Some(token)) => operate(exchange, reservations, &token).await,
        (_, Some(_)) => Err(Error::NotAcceptable),
        (_, None) => stream_operation(exchange).await,
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
    Ok(parameters
        .into_iter()
        .find(|(name, _)| name == wanted)
        .map(|(_, value)| value))
}

/// Answers an operation by an event stream of its own. A document that is not valid is an event of
/// the stream, as the specification has it, so that clients report it as an error of GraphQL.
async fn stream_operation(exchange: &mut HttpExchange) -> Result<Response, Error> {
    let app = exchange.app.clone();
    let is_get = exchange.method == Method::GET;
    let may_be_shared = is_get
        && !app
            .state()
            .authenticator
            .may_have_credentials(&exchange.headers);
    let max_age = app
        .sockets
        .limits()
        .shared_max_age
        .filter(|_| may_be_shared);
    if !is_get {
        media::check_json(&exchange.headers)?;
    } else if max_age.is_none() {
        check_preflighted(exchange)?;
    }
    let (caller, request) = read_single(exchange).await?;
    // Before anything is asked of the database.
    let slot = app.sockets.open(exchange.client())?;
    let deadline = caller.deadline(exchange);
    let execution = &caller.state.execution;
    // Boxed because its future is large.
    let is_public = max_age.is_some()
        && Box::pin(public_query::is_public(
            execution,
            &caller.session,
            &request,
            deadline,
        ))
        .await?;
    if max_age.is_some() && !is_public {
        check_preflighted(exchange)?;
    }
    let max_age = max_age.filter(|_| is_public);
    if is_get {
        let valid = execute::validate(execution, &caller.session, &request, AllowedOperations::Any);
        if valid.is_ok_and(|valid| valid.kind() == OperationKind::Mutation) {
            return Err(Error::OnlyQueries);
        }
    }
    let memory = exchange.memory.budget().reserve_open()?;
    let (operations, results) = Operations::new(&app);
    // The stream has a reservation of its own, and so has the operation until it has started.
    exchange.release_memory();
    exchange.memory.grow_by(REQUEST_BYTES)?;
    begin(exchange, caller.clone(), &operations, "", request)?;
    let vary = caller.state.authenticator.vary().clone();
    let limit = caller.limits.enforced.time;
    let mode = Mode::Distinct {
        operations,
        memory,
        _slot: slot,
    };
    let mut writer = EventWriter::new(&app, mode, results, stream_caller(exchange, caller));
    if max_age.is_some()
        && let Err(error) = writer.share(deadline, limit).await
    {
        // Counted and logged as the end of the operation.
        return Ok(refuse(exchange, &error, FORMAT));
    }
    let mut response = response(writer);
    // HTTP/1.0 has no body that ends with an error.
    if let Some(max_age) = max_age.filter(|_| exchange.connection.version > Version::HTTP_10) {
        caching::share(response.headers_mut(), max_age, &vary, &[ACCEPT, TOKEN]);
    }
    Ok(response)
}

/// Reserves a stream, to which operations can be sent before it is opened.
async fn reserve(
    exchange: &mut HttpExchange,
    reservations: &Arc<Reservations>,
) -> Result<Response, Error> {
    let caller = authenticate_caller(exchange).await?;
    let time = exchange.app.sockets.limits().reservation_time;
    let token = caller.state.stream_tokens.sign(&caller.session, time);
    let reservation = new_reservation(exchange, caller.session)?;
    reservations.insert(&token, reservation, time);
    Ok(json(StatusCode::CREATED, media::TEXT, token))
}

fn new_reservation(exchange: &HttpExchange, session: Session) -> Result<Reservation, Error> {
    let slot = exchange.app.sockets.open(exchange.client())?;
    let memory = exchange.memory.budget().reserve_open()?;
    Ok(Reservation::new(&exchange.app, session, slot, memory))
}

/// Opens a reserved stream.
async fn open(
    exchange: &mut HttpExchange,
    reservations: &Arc<Reservations>,
    token: String,
) -> Result<Response, Error> {
    // A page that could cause this request does not know the token.
    let caller = authenticate_caller(exchange).await?;
    let reservation = find_or_take_over(exchange, reservations, &caller, &token)?;
    let results = reservation
        .open()
        .ok_or(Error::StreamInUse("the event stream is open already"))?;
    exchange.release_memory();
    let mode = Mode::Single {
        reservation,
        token,
        reservations: reservations.clone(),
    };
    Ok(response(EventWriter::new(
        &exchange.app,
        mode,
        results,
        stream_caller(exchange, caller),
    )))
}

/// Starts an operation whose events go to a reserved stream.
async fn operate(
    exchange: &mut HttpExchange,
    reservations: &Arc<Reservations>,
    token: &str,
) -> Result<Response, Error> {
    media::check_json(&exchange.headers)?;
    let (caller, request) = read_single(exchange).await?;
    let reservation = find_or_take_over(exchange, reservations, &caller, token)?;
    let id = request
        .extensions
        .get("operationId")
        .and_then(Value::as_str)
        .filter(|id| !id.is_empty());
    let id = id.ok_or(InvalidRequest::OperationId)?.to_owned();
    // A document that is not valid is answered here, and later errors on the stream.
    execute::validate(
        &caller.state.execution,
        &caller.session,
        &request,
        AllowedOperations::Any,
    )?;
    begin(exchange, caller, &reservation.operations, &id, request)?;
    reservation.has_operations.store(true, Ordering::Relaxed);
    Ok(empty(StatusCode::ACCEPTED))
}

/// Ends an operation of a reserved stream.
async fn cancel(
    exchange: &mut HttpExchange,
    reservations: &Reservations,
    token: &str,
) -> Result<Response, Error> {
    let caller = authenticate_caller(exchange).await?;
    let reservation = find(reservations, &caller.session, token)?;
    let id = parameter(exchange, OPERATION_PARAMETER)?;
    let id = id.ok_or_else(|| InvalidRequest::MissingParameter(OPERATION_PARAMETER.to_owned()))?;
    reservation.operations.cancel(&id);
    Ok(empty(StatusCode::OK))
}

/// The caller and the request, which is one.
async fn read_single(exchange: &mut HttpExchange) -> Result<(Caller, Request), Error> {
    let (caller, body) = read(exchange).await?;
    match body {
        Body::Single(request) => {
            record_operation(exchange, &request);
            Ok((caller, request))
        }
        Body::Batch(_) => Err(InvalidRequest::NotAnObject.into()),
    }
}

/// The caller of a stream that stays open.
fn stream_caller(exchange: &HttpExchange, caller: Caller) -> StreamCaller {
    let headers = Arc::new(credential_check::copied(&exchange.headers));
    StreamCaller {
        session: caller.session,
        state: caller.state,
        headers,
        client: exchange.client(),
    }
}

/// A reserved stream of this caller. Those of others look like none.
fn find(
    reservations: &Reservations,
    session: &Session,
    token: &str,
) -> Result<Arc<Reservation>, Error> {
    let reservation = reservations.get(token);
    reservation
        .filter(|reservation| reservation.session.is_same_caller(session))
        .ok_or(Error::NoEventStream)
}

/// Like [`find`], also for a stream that another gateway has reserved for this caller.
fn find_or_take_over(
    exchange: &HttpExchange,
    reservations: &Arc<Reservations>,
    caller: &Caller,
    token: &str,
) -> Result<Arc<Reservation>, Error> {
    if reservations.get(token).is_none()
        && let Some(time) = caller.state.stream_tokens.verify(token, &caller.session)
    {
        let reservation = new_reservation(exchange, caller.session.clone())?;
        reservations.insert(token, reservation, time);
    }
    find(reservations, &caller.session, token)
}

/// Starts an operation that the rate limits have counted.
fn begin(
    exchange: &mut HttpExchange,
    caller: Caller,
    operations: &Operations,
    id: &str,
    request: Request,
) -> Result<(), Error> {
    let context = OperationContext {
        app: exchange.app.clone(),
        caller,
        client: exchange.client(),
        connection: exchange.id.as_str().into(),
        transport: TRANSPORT,
    };
    let empty = exchange.memory.budget().empty_reservation();
    let memory = std::mem::replace(&mut exchange.memory, empty);
    let received = ReceivedRequest {
        request,
        length: None,
        memory,
    };
    operations
        .start(context, id, received)
        .map_err(|error| match error {
            BeginError::IdInUse => {
                Error::StreamInUse("an operation with this id is running already")
            }
            BeginError::TooMany => {
                LimitExceeded::Operations(exchange.app.sockets.limits().operations).into()
            }
        })
}

/// The response whose body is the stream.
fn response(writer: EventWriter) -> Response {
    let mut response = stream(StatusCode::OK, media::EVENT_STREAM, writer.into_stream());
    // nginx would hold events back.
    response.headers_mut().insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    response
}
