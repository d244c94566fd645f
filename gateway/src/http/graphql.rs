//! Handler of `/v1/graphql` over HTTP: POST with a JSON body (one request or an array of them), and
//! GET for queries. [`super::graphql_request`] authenticates the caller and reads the [`Request`]s,
//! and [`crate::execute`] runs them.

use std::task::Poll;

use bytes::Bytes;
use http::{Method, StatusCode};
use tokio::time::Instant;

use super::caller::Caller;
use super::error_response::{ErrorFormat, finish, refuse};
use super::exchange::HttpExchange;
use super::graphql_request::{
    check_extensions, check_preflighted, count_unlisted, read, record_operation,
};
use super::response::{Response, cut_off, json, stream};
use super::{caching, development, media};
use crate::error::Error;
use crate::execute::{
    self, AllowedOperations, ExecutionOptions, ExecutionResult, Payload, federation,
};
use crate::limits::{LimitExceeded, LimitKind};
use crate::request::{Body, Request};
use crate::telemetry::execution_record::DocumentHash;

/// Answers an exchange.
pub async fn respond(exchange: &mut HttpExchange) -> Response {
    let media = match media::GraphqlMedia::negotiate(&exchange.headers) {
        Ok(media) => media,
        Err(error) => {
            return refuse(
                exchange,
                &error,
                ErrorFormat::Graphql(media::GraphqlMedia::Json),
            );
        }
    };
    let result = handle(exchange, media).await;
    let mut response = finish(exchange, result, ErrorFormat::Graphql(media));
    // Responses are not cached, errors included: a query unknown by its hash is known once a client
    // has sent its text.
    caching::forbid_caching(response.headers_mut());
    response
}

async fn handle(
    exchange: &mut HttpExchange,
    media: media::GraphqlMedia,
) -> Result<Response, Error> {
    if exchange.method == Method::POST {
        media::check_json(&exchange.headers)?;
    } else {
        check_preflighted(exchange)?;
    }
    let (caller, body) = read(exchange).await?;
    match body {
        Body::Single(request) => respond_to_request(exchange, &caller, request, media).await,
        Body::Batch(requests) => respond_to_batch(exchange, &caller, requests, media).await,
    }
}

async fn respond_to_request(
    exchange: &mut HttpExchange,
    caller: &Caller,
    mut request: Request,
    media: media::GraphqlMedia,
) -> Result<Response, Error> {
    let Caller {
        state,
        session,
        limits,
        ..
    } = caller;
    request.client_headers = state.execution.client_headers(&exchange.headers);
    record_operation(exchange, &request);
    check_extensions(&exchange.app, state, &request)?;
    let is_post = exchange.method == Method::POST;
    let operations = if is_post {
        AllowedOperations::All
    } else {
        AllowedOperations::Queries
    };
    let options = ExecutionOptions {
        source: exchange.read_source(&state.execution),
        ..ExecutionOptions::new(operations, caller.deadline(exchange))
            .recorded(&exchange.log_entry.record)
    };
    let result = if exchange.app.federation && federation::is_wanted(&request) {
        // Boxed because its future is large.
        Box::pin(federation::respond(
            &state.execution,
            session,
            &request,
            options,
        ))
        .await
    } else {
        execute::respond(&state.execution, session, &request, options).await
    };
    record_listing_and_refusal(exchange, caller, &request, &result);
    let mut result = result?;
    if exchange.app.dev
        && let Payload::Whole(bytes) = &result.payload
        && let Some(bytes) =
            development::add_to_response(bytes, &development::success_details(exchange))
    {
        result.payload = Payload::Whole(bytes.into());
    }
    exchange.log_entry.record_result(&result);
    if let Payload::Whole(_) = result.payload {
        limits.observe_time(|| exchange.started.elapsed());
    }
    Ok(response(result.payload, media))
}

/// Counts an operation that is not on the role's allow list, and records the document of a request
/// that was refused: an accepted one has recorded it.
fn record_listing_and_refusal(
    exchange: &HttpExchange,
    caller: &Caller,
    request: &Request,
    result: &Result<ExecutionResult, Error>,
) {
    let mode = match result {
        Ok(ExecutionResult {
            is_unlisted: true, ..
        }) => Some("log"),
        Err(Error::Unlisted(_)) => Some("enforce"),
        _ => None,
    };
    if let Some(mode) = mode {
        count_unlisted(&exchange.app, &caller.state, caller.session.role(), mode);
    }
    let record = &exchange.log_entry.record;
    if result.is_err() && record.document().is_none() && !request.query.is_empty() {
        record.set_document(DocumentHash::hash(&request.query));
    }
}

fn response(payload: Payload, media: media::GraphqlMedia) -> Response {
    match payload {
        Payload::Whole(bytes) => json(StatusCode::OK, media.content_type(), bytes),
        Payload::Parts(head, mut rest) => {
            let mut head = Some(head);
            let parts = futures_util::stream::poll_fn(move |cx| match head.take() {
                Some(head) => Poll::Ready(Some(Ok(head))),
                None => rest
                    .poll_next(cx)
                    .map(|part| part.map(|part| part.map_err(|error| cut_off(&error)))),
            });
            stream(StatusCode::OK, media.content_type(), parts)
        }
    }
}

/// Runs the requests of a batch in order. An error in one does not stop the others. Once the
/// responses together are longer than the limit for one, the remaining requests are not run.
async fn respond_to_batch(
    exchange: &mut HttpExchange,
    caller: &Caller,
    mut requests: Vec<Request>,
    media: media::GraphqlMedia,
) -> Result<Response, Error> {
    let Caller {
        state,
        session,
        limits,
        ..
    } = caller;
    let headers = state.execution.client_headers(&exchange.headers);
    requests
        .iter_mut()
        .for_each(|request| request.client_headers.clone_from(&headers));
    limits.observe(LimitKind::Batch, requests.len());
    let HttpExchange {
        app, rate_limit, ..
    } = &mut *exchange;
    state
        .rate_limiter
        .check_batch(&app.metrics, rate_limit, session, requests.len())
        .await?;
    let limit = limits.enforced.response_bytes;
    let deadline = caller.deadline(exchange);
    let mut responses = BatchResponses::default();
    for request in &requests {
        record_operation(exchange, request);
        let result = if responses.length > limit {
            Err(LimitExceeded::Answer(limit).into())
        } else {
            respond_within_batch(exchange, caller, request, deadline).await
        };
        responses.push(result.unwrap_or_else(|error| {
            limits.count_enforced(error.limit());
            exchange
                .log_entry
                .record_error(&error, exchange.app.profile);
            error
                .to_graphql(&exchange.id, exchange.app.profile)
                .to_string()
                .into()
        }));
    }
    limits.observe_time(|| exchange.started.elapsed());
    Ok(responses.into_response(media))
}

async fn respond_within_batch(
    exchange: &mut HttpExchange,
    caller: &Caller,
    request: &Request,
    deadline: Instant,
) -> Result<Bytes, Error> {
    let Caller { state, session, .. } = caller;
    check_extensions(&exchange.app, state, request)?;
    let options = ExecutionOptions {
        buffered: true,
        ..ExecutionOptions::new(AllowedOperations::All, deadline)
            .recorded(&exchange.log_entry.record)
    };
    let result = execute::respond(&state.execution, session, request, options).await;
    record_listing_and_refusal(exchange, caller, request, &result);
    let result = result?;
    exchange.log_entry.record_result(&result);
    result.payload.collect().await
}

/// The responses of a batch, each in the buffer it was written to.
#[derive(Default)]
struct BatchResponses {
    pieces: Vec<Bytes>,
    length: usize,
}

/// Batches of at most so many bytes are sent in one piece, with `Content-Length`.
const MAX_BUFFERED: usize = 16 << 10;

impl BatchResponses {
    fn push(&mut self, response: Bytes) {
        self.length += response.len();
        self.pieces
            .push(Bytes::from_static(if self.pieces.is_empty() {
                b"["
            } else {
                b","
            }));
        self.pieces.push(response);
    }

    fn into_response(mut self, media: media::GraphqlMedia) -> Response {
        self.pieces.push(Bytes::from_static(b"]"));
        if self.length <= MAX_BUFFERED {
            return json(StatusCode::OK, media.content_type(), self.pieces.concat());
        }
        let pieces = futures_util::stream::iter(self.pieces.into_iter().map(Ok));
        stream(StatusCode::OK, media.content_type(), pieces)
    }
}
