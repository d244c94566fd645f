//! The door `/v1/graphql`: POST with JSON, one request or an array of them, and GET for queries.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Method, StatusCode};
use tokio::time::Instant;
use warp::Reply;

use super::{Account, Exchange, Face, Response, Server, caching, concluded, enter, failure, json, media};
use crate::answer::{self, Answer, Answering, Door, Payload};
use crate::error::{Error, Malformed};
use crate::limits::{Bound, Exceeded, Limits};
use crate::patience;
use crate::profile::Profile;
use crate::request::{Body, Request};
use crate::session::Session;

/// Headers that a foreign page can send only after it has asked, beside those with the gateway's prefix.
const PREFLIGHTED: [&str; 4] =
    ["authorization", "apollo-require-preflight", "x-apollo-operation-name", "graphql-require-preflight"];

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut Exchange) -> Response {
    let media = match media::Answer::negotiate(&exchange.headers) {
        Ok(media) => media,
        Err(error) => {
            let face = Face::Graphql(media::Answer::Json);
            return failure(&error, face, server.profile, &exchange.id, exchange.wire);
        }
    };
    let mut parts = server.answering();
    let answered = handle(server, &mut parts, exchange, media).await;
    let mut response = concluded(server, &parts, exchange, answered, Face::Graphql(media));
    // What is refused now may be answered the next time, as a digest is once its query was sent.
    caching::never(response.headers_mut());
    response
}

async fn handle(
    server: &Server,
    parts: &mut Arc<Answering>,
    exchange: &mut Exchange,
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
    let mut session = if wants_request { None } else { Some(enter(parts, exchange, None, opened).await?) };
    if let Some(session) = &session {
        parts.rates.enter(&server.metrics, exchange, session).await?;
    }
    let mut bounds = parts.bounds.of(role(session.as_ref())).clone();
    let mut length = 0;
    let body = match get {
        true => {
            exchange.reserve_query()?;
            Body::Single(Request::from_query_string(exchange.query())?)
        }
        false => {
            let deadline = Instant::from_std(exchange.started) + bounds.holds.time;
            let read = exchange.body.read(&exchange.headers, &bounds.holds, &mut exchange.memory);
            let late = || Exceeded::BodyTime(bounds.holds.time);
            let bytes = patience::until(deadline, read).await.ok_or_else(late)??;
            length = bytes.len();
            if wants_request {
                // The hook is sent a copy.
                exchange.reserve_values(&bytes)?;
            }
            // Who holds a body back does not keep what has been taken away meanwhile.
            if server.renew(parts) && session.is_some() {
                session = Some(enter(parts, exchange, None, opened).await?);
                bounds = parts.bounds.of(role(session.as_ref())).clone();
            }
            Body::parse(&bytes, bounds.holds.batch)?
        }
    };
    let session = match session {
        Some(session) => session,
        None => {
            let session = enter(parts, exchange, Some(&body.to_json()), opened).await?;
            parts.rates.enter(&server.metrics, exchange, &session).await?;
            bounds = parts.bounds.of(session.role()).clone();
            check_read(&bounds.holds, length, &body)?;
            session
        }
    };
    bounds.note(Bound::Body, length);
    let deadline = Instant::from_std(exchange.started) + bounds.holds.time;
    match body {
        Body::Single(request) => {
            note(&mut exchange.account, &request);
            check_extensions(server, parts, &request)?;
            let door = if get { Door::Queries } else { Door::Open };
            let answer = answer::answer(parts, &session, &request, door, deadline).await;
            count(server, parts, &session, &answer);
            let answer = answer?;
            exchange.account.stages = answer.stages;
            exchange.account.dry_run = answer.dry_run;
            if let Payload::Whole(_) = answer.payload {
                bounds.note_time(|| exchange.started.elapsed());
            }
            Ok(single(answer, media))
        }
        Body::Batch(requests) => {
            bounds.note(Bound::Batch, requests.len());
            parts.rates.enter_batch(&server.metrics, exchange, &session, requests.len()).await?;
            let response = batch(server, parts, &session, &requests, deadline, exchange, media).await;
            bounds.note_time(|| exchange.started.elapsed());
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
        _ if length > limits.body => Err(Exceeded::Body(limits.body).into()),
        Body::Batch(requests) if requests.len() > limits.batch => Err(Exceeded::Batch(limits.batch).into()),
        _ => Ok(()),
    }
}

/// A GET can be made by any page that shows a picture; one that only a script of ours can make is asked for.
fn check_preflighted(headers: &HeaderMap, prefix: &str) -> Result<(), Error> {
    let guarded = |name: &HeaderName| PREFLIGHTED.contains(&name.as_str()) || name.as_str().starts_with(prefix);
    let json = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(media::is_json);
    match json || headers.keys().any(guarded) {
        true => Ok(()),
        false => Err(Malformed::Preflight.into()),
    }
}

/// Hasura refuses persisted queries even where the query stands beside its digest; we only want the query.
fn check_extensions(server: &Server, parts: &Answering, request: &Request) -> Result<(), Error> {
    match server.profile {
        Profile::Hasura if !parts.operations.takes_digests() && request.extensions.contains_key("persistedQuery") => {
            Err(Error::PersistedQuery)
        }
        _ => Ok(()),
    }
}

/// Counts what is on no allow list.
fn count(server: &Server, parts: &Answering, session: &Session, answer: &Result<Answer, Error>) {
    let mode = match answer {
        Ok(Answer { unlisted: true, .. }) => "log",
        Err(Error::Unlisted(_)) => "enforce",
        _ => return,
    };
    let is_known = parts.engine.permissions.role(session.role()).is_some();
    let role = if is_known { session.role() } else { "other" };
    server.metrics.unlisted.with_label_values(&[role, mode]).inc();
}

/// Notes the operation for the log, if its name is one.
fn note(account: &mut Account, request: &Request) {
    let name = request.operation_name.as_deref().filter(|name| name.len() <= 100);
    account.operation = name.filter(|name| sql::names::is_graphql(name)).map(str::to_owned);
    account.requests += 1;
}

fn single(answer: Answer, media: media::Answer) -> Response {
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
    tracing::error!(code = error.entry().code, cause = error.cause(), "answer cut off");
    std::io::Error::other(error.message())
}

/// Answers requests in order, each on its own: an error in one does not stop the others. Once their answers are longer together
/// than one may be, those that follow are not run.
async fn batch(
    server: &Server,
    parts: &Answering,
    session: &Session,
    requests: &[Request],
    deadline: Instant,
    exchange: &mut Exchange,
    media: media::Answer,
) -> Response {
    let account = &mut exchange.account;
    let limit = parts.bounds.of(session.role()).holds.answer;
    let mut answers = Answers::default();
    for request in requests {
        note(account, request);
        let is_full = answers.length > limit;
        let answered = async {
            if is_full {
                return Err(Exceeded::Answer(limit).into());
            }
            check_extensions(server, parts, request)?;
            let answer = answer::answer(parts, session, request, Door::Whole, deadline).await;
            count(server, parts, session, &answer);
            let answer = answer?;
            Ok::<_, Error>((answer.stages, answer.dry_run, answer.payload.collect(parts.memory).await?))
        };
        match answered.await {
            Ok((stages, dry_run, bytes)) => {
                account.stages.add(stages);
                account.dry_run |= dry_run;
                answers.push(bytes);
            }
            Err(error) => {
                parts.bounds.of(session.role()).refused(&error);
                account.note(&error, server.profile);
                answers.push(error.to_graphql(&exchange.id, server.profile).to_string().into_bytes().into());
            }
        }
    }
    answers.response(media)
}

/// The answers of a batch, each in the memory that it was written to.
#[derive(Default)]
struct Answers {
    pieces: Vec<Bytes>,
    length: usize,
}

/// So many bytes of answers are sent with their length.
const TOGETHER: usize = 16 << 10;

impl Answers {
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
