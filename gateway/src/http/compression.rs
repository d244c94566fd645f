//! Answers leave compressed where the client takes that and there is something to gain. One that is held is compressed at once,
//! or piece by piece while it is sent; one that comes in parts as these come.

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
use super::{Response, caching};
use crate::limits::memory::{MemoryBudget, Reservation};

/// What is shorter leaves as it is.
pub const LEAST: u64 = 1 << 10;

/// So much is compressed at once, and told with its length.
const AT_ONCE: u64 = 64 << 10;

/// So much is compressed at a time after that: others on the thread do not wait for long.
const PIECE: usize = 64 << 10;

/// Types that are text. Events have to arrive when they happen, and pictures are compressed already.
const TEXTS: [&str; 6] =
    ["application/json", "application/graphql-response+json", "text/plain", "text/html", "text/css", "text/javascript"];

/// What stands for a body as it is sent.
type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The response as the client of that request takes it.
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
    let told = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = told.split(';').next().unwrap_or_default().trim();
    let whole = response.status() != StatusCode::PARTIAL_CONTENT && !headers.contains_key(CONTENT_ENCODING);
    whole && TEXTS.iter().any(|text| media.eq_ignore_ascii_case(text))
}

/// Where there is no room for an encoder that lives until the client has taken all, the response leaves as it is.
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
            // It is held, so that cannot be.
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
    caching::mark(&mut head.headers, coding);
    Response::from_parts(head, body)
}

/// What came of a body that is held.
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
    /// None at the end.
    encoder: Option<Encoder>,
    /// What has come of the body, and is still to be compressed.
    left: Bytes,
    /// What the encoder is held in.
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
                    // What is no data are trailers, and there are none.
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

    /// Ends well, with what is left; or badly, so that nobody takes what was sent for the whole.
    fn end(&mut self, outcome: Result<(), Fault>) -> Poll<Option<Result<Bytes, Fault>>> {
        let finished = self.encoder.take().map_or_else(|| Ok(vec![]), Encoder::finish);
        Poll::Ready(Some(outcome.and_then(|()| finished.map(Bytes::from).map_err(io::Error::into))))
    }
}
