//! Compresses responses if the client accepts a coding and the body is long text. A body held in memory is compressed
//! at once, or in pieces while it is sent; a streamed body as its parts come.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::stream;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, VARY};
use http::{HeaderMap, StatusCode};
use http_body::Body as _;
use http_body_util::BodyExt;
use warp::Reply;

use super::content_encoding::{ContentEncoding, Encoder};
use super::{Response, caching, media};
use crate::limits::memory::{MemoryBudget, Reservation};

/// Shorter bodies, in bytes, are not compressed.
pub const LEAST: u64 = 1 << 10;

/// Bodies of at most so many bytes are compressed at once and sent with `Content-Length`.
const AT_ONCE: u64 = 64 << 10;

/// Longer bodies are compressed in pieces of so many bytes, so that other tasks of the thread do not wait long.
const PIECE: usize = 64 << 10;

/// The error type of a body.
type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Compresses the response if the client of that request accepts it.
pub async fn answer(request: &HeaderMap, memory: MemoryBudget, mut response: Response) -> Response {
    if response.body().size_hint().exact().is_some_and(|size| size < LEAST) || !is_text(&response) {
        return response;
    }
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
    match ContentEncoding::negotiate(request) {
        Some(coding) => compress(coding, memory, response).await,
        None => response,
    }
}

fn is_text(response: &Response) -> bool {
    let headers = response.headers();
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let whole = response.status() != StatusCode::PARTIAL_CONTENT && !headers.contains_key(CONTENT_ENCODING);
    whole && media::is_text(content_type)
}

/// Compresses a response. If there is no memory for an encoder that lives until the client has taken the whole body,
/// the response is not compressed.
async fn compress(coding: ContentEncoding, memory: MemoryBudget, response: Response) -> Response {
    let size = response.body().size_hint().exact();
    let is_short = size.is_some_and(|size| size <= AT_ONCE);
    let needed = if is_short { 0 } else { coding.encoder_bytes() };
    let Ok(memory) = memory.reserve(needed) else { return response };
    let Ok(encoder) = Encoder::new(coding, size) else { return response };
    let (mut head, body) = response.into_parts();
    let body = match is_short {
        true => match at_once(encoder, body).await {
            Ok(Packed::Shorter(bytes)) => Bytes::from(bytes).into(),
            Ok(Packed::NoShorter(bytes)) => return Response::from_parts(head, bytes.into()),
            // The body is in memory, so reading it cannot fail.
            Err(error) => warp::reply::stream(stream::iter([Err::<Bytes, _>(error)])).into_response().into_body(),
        },
        false => {
            let mut pieces = Pieces { body, encoder: Some(encoder), left: Bytes::new(), _memory: memory };
            let pieces = stream::poll_fn(move |waker| pieces.poll_next(waker));
            warp::reply::stream(pieces).into_response().into_body()
        }
    };
    head.headers.insert(CONTENT_ENCODING, coding.value());
    head.headers.remove(CONTENT_LENGTH);
    caching::tag_encoding(&mut head.headers, coding);
    Response::from_parts(head, body)
}

/// The outcome of compressing a body at once.
enum Packed {
    Shorter(Vec<u8>),
    NoShorter(Bytes),
}

async fn at_once<B>(mut encoder: Encoder, body: B) -> Result<Packed, Fault>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Fault>,
{
    let bytes = body.collect().await.map_err(Into::into)?.to_bytes();
    encoder.write(&bytes)?;
    let packed = encoder.finish()?;
    Ok(if packed.len() < bytes.len() { Packed::Shorter(packed) } else { Packed::NoShorter(bytes) })
}

/// A body that is compressed while it is sent.
struct Pieces<B> {
    body: B,
    /// `None` at the end.
    encoder: Option<Encoder>,
    /// Bytes of the body that are not yet compressed.
    left: Bytes,
    /// The memory reserved for the encoder.
    _memory: Reservation,
}

impl<B> Pieces<B>
where
    B: http_body::Body<Data = Bytes> + Unpin,
    B::Error: Into<Fault>,
{
    fn poll_next(&mut self, waker: &mut Context<'_>) -> Poll<Option<Result<Bytes, Fault>>> {
        loop {
            let Some(encoder) = &mut self.encoder else { return Poll::Ready(None) };
            if self.left.is_empty() {
                match ready!(Pin::new(&mut self.body).poll_frame(waker)) {
                    // Frames without data are trailers, which responses do not have.
                    Some(Ok(frame)) => self.left = frame.into_data().unwrap_or_default(),
                    Some(Err(error)) => return self.end(Err(error.into())),
                    None => return self.end(Ok(())),
                }
                continue;
            }
            let piece = self.left.split_to(self.left.len().min(PIECE));
            if let Err(error) = encoder.write(&piece) {
                return self.end(Err(error.into()));
            }
            let packed = encoder.take();
            if !packed.is_empty() {
                return Poll::Ready(Some(Ok(packed.into())));
            }
        }
    }

    /// Ends the body with the encoder's rest, or with an error, so that no client takes it for complete.
    fn end(&mut self, outcome: Result<(), Fault>) -> Poll<Option<Result<Bytes, Fault>>> {
        let finished = self.encoder.take().map_or_else(|| Ok(vec![]), Encoder::finish);
        Poll::Ready(Some(outcome.and_then(|()| finished.map(Bytes::from).map_err(io::Error::into))))
    }
}
