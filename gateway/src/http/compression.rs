//! Compresses responses if the client accepts a coding and the body is long text. A body held in
//! memory is compressed at once, or in pieces while it is sent; a streamed body as its parts come.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::stream;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, VARY};
use http::{HeaderMap, StatusCode};
use http_body::Body as _;
use http_body_util::BodyExt;
use pg::memory::{MemoryBudget, Reservation};

use super::content_encoding::{ContentEncoding, Encoder};
use super::response::{Response, ResponseBody, parts, whole};
use super::{caching, media};

/// Shorter bodies, in bytes, are not compressed.
pub const MIN_BYTES: u64 = 1 << 10;

/// Bodies of at most so many bytes are compressed at once and sent with `Content-Length`.
const MAX_BYTES_AT_ONCE: u64 = 64 << 10;

/// Longer bodies are compressed in pieces of so many bytes, so that other tasks of the thread do
/// not wait long.
const PIECE_BYTES: usize = 64 << 10;

/// Compresses the response if the client of that request accepts it.
pub async fn compress_if_accepted(
    request: &HeaderMap,
    memory: MemoryBudget,
    mut response: Response,
) -> Response {
    if response
        .body()
        .size_hint()
        .exact()
        .is_some_and(|size| size < MIN_BYTES)
        || !is_text(&response)
    {
        return response;
    }
    response
        .headers_mut()
        .append(VARY, HeaderValue::from_static("Accept-Encoding"));
    match ContentEncoding::negotiate(request) {
        Some(coding) => compress(coding, memory, response).await,
        None => response,
    }
}

fn is_text(response: &Response) -> bool {
    let headers = response.headers();
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let is_whole =
        response.status() != StatusCode::PARTIAL_CONTENT && !headers.contains_key(CONTENT_ENCODING);
    is_whole && media::is_text(content_type)
}

/// Compresses a response. If there is no memory for an encoder that lives until the client has
/// taken the whole body, the response is not compressed.
async fn compress(coding: ContentEncoding, memory: MemoryBudget, response: Response) -> Response {
    let size = response.body().size_hint().exact();
    let is_short = size.is_some_and(|size| size <= MAX_BYTES_AT_ONCE);
    let needed = if is_short { 0 } else { coding.encoder_bytes() };
    let Ok(memory) = memory.reserve(needed) else {
        return response;
    };
    let Ok(encoder) = Encoder::new(coding, size) else {
        return response;
    };
    let (mut head, body) = response.into_parts();
    let body = if is_short {
        match at_once(encoder, body).await {
            Ok(Packed::Shorter(bytes)) => whole(bytes),
            Ok(Packed::NoShorter(bytes)) => return Response::from_parts(head, whole(bytes)),
            // The body is in memory, so reading it cannot fail.
            Err(error) => parts(stream::iter([Err(error)])),
        }
    } else {
        let mut pieces = Pieces {
            body,
            encoder: Some(encoder),
            left: Bytes::new(),
            _memory: memory,
        };
        parts(stream::poll_fn(move |cx| pieces.poll_next(cx)))
    };
    head.headers.insert(CONTENT_ENCODING, coding.value());
    head.headers.remove(CONTENT_LENGTH);
    caching::tag_encoding(&mut head.headers, coding);
    Response::from_parts(head, body)
}

/// A body that was compressed at once.
enum Packed {
    Shorter(Vec<u8>),
    NoShorter(Bytes),
}

async fn at_once(mut encoder: Encoder, body: ResponseBody) -> io::Result<Packed> {
    let bytes = body.collect().await?.to_bytes();
    encoder.write(&bytes)?;
    let packed = encoder.finish()?;
    Ok(if packed.len() < bytes.len() {
        Packed::Shorter(packed)
    } else {
        Packed::NoShorter(bytes)
    })
}

/// A body that is compressed while it is sent.
struct Pieces {
    body: ResponseBody,
    /// `None` at the end.
    encoder: Option<Encoder>,
    /// Bytes of the body that are not yet compressed.
    left: Bytes,
    /// The memory reserved for the encoder.
    _memory: Reservation,
}

impl Pieces {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        loop {
            let Some(encoder) = &mut self.encoder else {
                return Poll::Ready(None);
            };
            if self.left.is_empty() {
                match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                    // Frames without data are trailers, which responses do not have.
                    Some(Ok(frame)) => self.left = frame.into_data().unwrap_or_default(),
                    Some(Err(error)) => return self.end(Err(error)),
                    None => return self.end(Ok(())),
                }
                continue;
            }
            let piece = self.left.split_to(self.left.len().min(PIECE_BYTES));
            if let Err(error) = encoder.write(&piece) {
                return self.end(Err(error));
            }
            let packed = encoder.take();
            if !packed.is_empty() {
                return Poll::Ready(Some(Ok(packed.into())));
            }
        }
    }

    /// Ends the body with the encoder's rest, or with an error, so that no client takes it for
    /// complete.
    fn end(&mut self, result: io::Result<()>) -> Poll<Option<io::Result<Bytes>>> {
        let finished = self
            .encoder
            .take()
            .map_or_else(|| Ok(vec![]), Encoder::finish);
        Poll::Ready(Some(result.and_then(|()| finished.map(Bytes::from))))
    }
}
