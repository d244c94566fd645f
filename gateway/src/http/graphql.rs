//! The door `/v1/graphql`: POST with JSON, one request or an array of them, and GET for queries.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Method, StatusCode};
use tokio::time::Instant;
use warp::Reply;

use super::{
    AccessLogEntry, ErrorFormat, HttpExchange, Response, Server, authenticate, caching, error_response, finish, json,
    media,
};
use crate::auth::session::Session;
use crate::config::dialect::Profile;
use crate::database::deadline;
use crate::error::{Error, InvalidRequest};
use crate::execute::{self, AllowedOperations, ExecutionResult, Payload};
use crate::http::state::HandlerState;
use crate::limits::{LimitExceeded, LimitKind, Limits};
use crate::request::{Body, Request};

/// Headers that a foreign page can send only after it has asked, beside those with the gateway's prefix.
const PREFLIGHTED: [&str; 4] =
    ["authorization", "apollo-require-preflight", "x-apollo-operation-name", "graphql-require-preflight"];

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut HttpExchange) -> Response {
    let media = match media::Answer::negotiate(&exchange.headers) {
        Ok(media) => media,
        Err(error) => {
            let face = ErrorFormat::Graphql(media::Answer::Json);
            return error_response(&error, face, server.profile, &exchange.id, exchange.wire);
        }
    };
    let mut parts = server.answering();
    let answered = handle(server, &mut parts, exchange, media).await;
    let mut response = finish(server, &parts, exchange, answered, ErrorFormat::Graphql(media));
    // What is refused now may be answered the next time, as a digest is once its query was sent.
    caching::never(response.headers_mut());
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
        true => check_preflighted(&exchange.headers, &parts.doorman.policy().header_prefix)?,
        false => media::check_json(&exchange.headers)?,
    }
    // A hook that wants the request has to wait for it.
    let wants_request = parts.doorman.wants_request(&exchange.headers);
    let opened = server.limits.time;
    let mut session = if wants_request { None } else { Some(authenticate(parts, exchange, None, opened).await?) };
    if let Some(session) = &session {
        parts.rates.check_session(&server.metrics, &mut exchange.arrival, session).await?;
    }
    let mut bounds = parts.executor.limits.of(role(session.as_ref())).clone();
    let mut length = 0;
    let body = match get {
        true => {
            exchange.reserve_query()?;
            Body::Single(Request::from_query_string(exchange.query())?)
        }
        false => {
            let deadline = Instant::from_std(exchange.started) + bounds.holds.time;
            let read = exchange.body.read(&exchange.headers, &bounds.holds, &mut exchange.memory);
            let late = || LimitExceeded::BodyTime(bounds.holds.time);
            let bytes = deadline::timeout_at(deadline, read).await.ok_or_else(late)??;
            length = bytes.len();
            if wants_request {
                // The hook is sent a copy.
                exchange.reserve_values(&bytes)?;
            }
            // Who holds a body back does not keep what has been taken away meanwhile.
            if server.refresh(parts) && session.is_some() {
                session = Some(authenticate(parts, exchange, None, opened).await?);
                bounds = parts.executor.limits.of(role(session.as_ref())).clone();
            }
            Body::parse(&bytes, bounds.holds.batch)?
        }
    };
    let session = match session {
        Some(session) => session,
        None => {
            let session = authenticate(parts, exchange, Some(&body.to_json()), opened).await?;
            parts.rates.check_session(&server.metrics, &mut exchange.arrival, &session).await?;
            bounds = parts.executor.limits.of(session.role()).clone();
            check_read(&bounds.holds, length, &body)?;
            session
        }
    };
    bounds.observe(LimitKind::Body, length);
    let deadline = Instant::from_std(exchange.started) + bounds.holds.time;
    match body {
        Body::Single(request) => {
            record_operation(&mut exchange.account, &request);
            check_extensions(server, parts, &request)?;
            let door = if get { AllowedOperations::Queries } else { AllowedOperations::Open };
            let answer = execute::answer(&parts.executor, &session, &request, door, deadline).await;
            count(server, parts, &session, &answer);
            let answer = answer?;
            exchange.account.stages = answer.stages;
            exchange.account.dry_run = answer.dry_run;
            if let Payload::Whole(_) = answer.payload {
                bounds.observe_time(|| exchange.started.elapsed());
            }
            Ok(single(answer, media))
        }
        Body::Batch(requests) => {
            bounds.observe(LimitKind::Batch, requests.len());
            parts.rates.check_batch(&server.metrics, &mut exchange.arrival, &session, requests.len()).await?;
            let response = batch(server, parts, &session, &requests, deadline, exchange, media).await;
            bounds.observe_time(|| exchange.started.elapsed());
            Ok(response)
        }
    }
}

fn role(session: Option<&Session>) -> &str {
    session.map(Session::role).unwrap_or_default()
}

/// Holds what was read before the role was known against the bounds of the role.
fn check_read(limits: &Limits, length: usize, body: &Body) -> Result<(), Error> {
    match body {
        _ if length > limits.body => Err(LimitExceeded::Body(limits.body).into()),
        Body::Batch(requests) if requests.len() > limits.batch => Err(LimitExceeded::Batch(limits.batch).into()),
        _ => Ok(()),
    }
}

/// A GET can be made by any page that shows a picture; one that only a script of ours can make is asked for.
fn check_preflighted(headers: &HeaderMap, prefix: &str) -> Result<(), Error> {
    let guarded = |name: &HeaderName| PREFLIGHTED.contains(&name.as_str()) || name.as_str().starts_with(prefix);
    let json = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(media::is_json);
    match json || headers.keys().any(guarded) {
        true => Ok(()),
        false => Err(InvalidRequest::Preflight.into()),
    }
}

/// Hasura refuses persisted queries even where the query stands beside its digest; we only want the query.
fn check_extensions(server: &Server, parts: &HandlerState, request: &Request) -> Result<(), Error> {
    match server.profile {
        Profile::Hasura
            if !parts.executor.documents.accepts_hashes() && request.extensions.contains_key("persistedQuery") =>
        {
            Err(Error::PersistedQuery)
        }
        _ => Ok(()),
    }
}

/// Counts what is on no allow list.
fn count(server: &Server, parts: &HandlerState, session: &Session, answer: &Result<ExecutionResult, Error>) {
    let mode = match answer {
        Ok(ExecutionResult { unlisted: true, .. }) => "log",
        Err(Error::Unlisted(_)) => "enforce",
        _ => return,
    };
    let is_known = parts.executor.engine.permissions.role(session.role()).is_some();
    let role = if is_known { session.role() } else { "other" };
    server.metrics.unlisted.with_label_values(&[role, mode]).inc();
}

/// Notes the operation for the log, if its name is one.
fn record_operation(account: &mut AccessLogEntry, request: &Request) {
    let name = request.operation_name.as_deref().filter(|name| name.len() <= 100);
    account.operation = name.filter(|name| sql::model::names::is_graphql(name)).map(str::to_owned);
    account.requests += 1;
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

/// Told to nobody but the log: the transport ends without an end.
pub(super) fn cut_off(error: &Error) -> std::io::Error {
    tracing::error!(code = error.spec().code, cause = error.cause(), "answer cut off");
    std::io::Error::other(error.message())
}

/// Answers requests in order, each on its own: an error in one does not stop the others. Once their answers are longer together
/// than one may be, those that follow are not run.
async fn batch(
    server: &Server,
    parts: &HandlerState,
    session: &Session,
    requests: &[Request],
    deadline: Instant,
    exchange: &mut HttpExchange,
    media: media::Answer,
) -> Response {
    let account = &mut exchange.account;
    let limit = parts.executor.limits.of(session.role()).holds.answer;
    let mut answers = BatchAnswers::default();
    for request in requests {
        record_operation(account, request);
        let is_full = answers.length > limit;
        let answered = async {
            if is_full {
                return Err(LimitExceeded::Answer(limit).into());
            }
            check_extensions(server, parts, request)?;
            let answer = execute::answer(&parts.executor, session, request, AllowedOperations::Whole, deadline).await;
            count(server, parts, session, &answer);
            let answer = answer?;
            Ok::<_, Error>((answer.stages, answer.dry_run, answer.payload.collect(parts.executor.memory).await?))
        };
        match answered.await {
            Ok((stages, dry_run, bytes)) => {
                account.stages.add(stages);
                account.dry_run |= dry_run;
                answers.push(bytes);
            }
            Err(error) => {
                error
                    .limit()
                    .into_iter()
                    .for_each(|limit| parts.executor.limits.of(session.role()).count_enforced(limit));
                account.record_error(&error, server.profile);
                answers.push(error.to_graphql(&exchange.id, server.profile).to_string().into_bytes().into());
            }
        }
    }
    answers.response(media)
}

/// The answers of a batch, each in the memory that it was written to.
#[derive(Default)]
struct BatchAnswers {
    pieces: Vec<Bytes>,
    length: usize,
}

/// So many bytes of answers are sent with their length.
const TOGETHER: usize = 16 << 10;

impl BatchAnswers {
    fn push(&mut self, answer: Bytes) {
        self.length += answer.len();
        self.pieces.push(Bytes::from_static(if self.pieces.is_empty() { b"[" } else { b"," }));
        self.pieces.push(answer);
    }

    fn response(mut self, media: media::Answer) -> Response {
        self.pieces.push(Bytes::from_static(b"]"));
        if self.length <= TOGETHER {
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
    fn a_get_needs_a_header_that_a_page_cannot_send() {
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
