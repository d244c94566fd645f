//! The response to a request, and its body: whole, or a stream of parts.

use std::io;

use bytes::Bytes;
use futures_util::{Stream, TryStreamExt};
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, StatusCode};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use serde_json::Value;

use crate::error::Error;

/// A response.
pub type Response = http::Response<ResponseBody>;

/// Its body.
pub type ResponseBody = UnsyncBoxBody<Bytes, io::Error>;

/// The number of headers that a response has room for from the start.
const EXPECTED_HEADERS: usize = 6;

/// A body that is there already.
pub fn whole(bytes: impl Into<Bytes>) -> ResponseBody {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// A body that is sent while its parts are made. An error cuts the response off.
pub fn parts(parts: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> ResponseBody {
    StreamBody::new(parts.map_ok(Frame::data)).boxed_unsync()
}

/// A response without a body.
pub fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(whole(Bytes::new()));
    *response.status_mut() = status;
    response
}

/// A response with a body of this media type that is there already.
pub fn json(status: StatusCode, media: &'static str, bytes: impl Into<Bytes>) -> Response {
    with_body(status, media, whole(bytes))
}

/// A response that is sent while its parts are made.
pub fn stream(
    status: StatusCode,
    media: &'static str,
    stream: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
) -> Response {
    with_body(status, media, parts(stream))
}

/// A response with a body of this media type.
pub(super) fn with_body<B>(status: StatusCode, media: &'static str, body: B) -> http::Response<B> {
    let mut response = http::Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = HeaderMap::with_capacity(EXPECTED_HEADERS);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

/// Logs an error that occurs while a response is streamed. The client sees no error, only that the
/// body ends early.
pub(super) fn cut_off(error: &Error) -> io::Error {
    tracing::error!(
        code = error.spec().code,
        cause = error.cause(),
        "response cut off"
    );
    io::Error::other(error.message())
}

/// Serializes a JSON value.
pub fn object(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
