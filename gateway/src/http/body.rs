//! The body of a request: its bytes counted as they come, whatever length it announced, and given up when they stop. What
//! comes compressed is inflated by [`super::decompression`].

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT};
use http_body::Body as _;
use hyper::body::Incoming;

use super::decompression;
use crate::database::deadline;
use crate::error::{Error, InvalidRequest};
use crate::limits::memory;
use crate::limits::memory::{COVERED, Reservation};
use crate::limits::{LimitExceeded, Limits};

/// A body that has not been read.
pub struct Body {
    parts: Parts,
    /// Nothing more will come, or is waited for.
    over: bool,
}

enum Parts {
    /// As hyper reads them.
    Incoming(Incoming),
    /// From elsewhere.
    Stream(Pin<Box<dyn Stream<Item = Result<Bytes, ()>> + Send + Sync>>),
}

/// So much of a refused body is read away, so that the client can read the answer.
const DRAINED: usize = 16 << 20;

/// And for so long.
const DRAINING: Duration = Duration::from_secs(5);

/// So much is set aside for a body before any of it has come.
const RESERVED: usize = 64 << 10;

impl Body {
    /// A body of these parts.
    pub fn new<E>(parts: impl Stream<Item = Result<impl Buf, E>> + Send + Sync + 'static) -> Body {
        let parts = parts.map(|part| part.map(|mut part| part.copy_to_bytes(part.remaining())).map_err(drop));
        Body { parts: Parts::Stream(Box::pin(parts)), over: false }
    }

    /// The body of a request of hyper's.
    pub fn of(incoming: Incoming) -> Body {
        Body { parts: Parts::Incoming(incoming), over: false }
    }

    /// All of it, inflated and within the limits, once there is room for it and for the values that are made of it.
    pub async fn read(
        &mut self,
        headers: &HeaderMap,
        limits: &Limits,
        memory: &mut Reservation,
    ) -> Result<Bytes, Error> {
        let bytes = match decompression::coding(headers)? {
            None => self.raw(headers, limits, memory).await?,
            Some(coding) => {
                let packed = self.raw(headers, limits, memory).await?;
                decompression::inflate(coding, &packed, limits.body, memory).await?
            }
        };
        // Each text of a value is a copy.
        let needed = bytes.len() + memory::values_of(&bytes);
        if needed > COVERED {
            memory.grow_by(needed)?;
        }
        Ok(bytes)
    }

    /// The bytes as they come, within the limits.
    async fn raw(&mut self, headers: &HeaderMap, limits: &Limits, memory: &mut Reservation) -> Result<Bytes, Error> {
        let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|length| length > limits.body) {
            self.drain(headers).await;
            return Err(LimitExceeded::Body(limits.body).into());
        }
        let mut bytes = Vec::new();
        while let Some(part) = self.part(limits.body_time).await? {
            if bytes.len() + part.len() > limits.body {
                drop(bytes);
                self.drain(headers).await;
                return Err(LimitExceeded::Body(limits.body).into());
            }
            if bytes.is_empty() {
                // Most bodies come in one part.
                if self.parts.are_over() {
                    self.over = true;
                    if part.len() > COVERED {
                        memory.grow_by(part.len())?;
                    }
                    return Ok(part);
                }
                bytes.reserve(length.unwrap_or(0).min(RESERVED));
            }
            let room = bytes.capacity();
            if bytes.len() + part.len() > room {
                // What was announced costs nothing until it comes.
                let more = (bytes.len() + part.len()).max(room * 2).min(limits.body) - bytes.len();
                if let Err(error) = memory.grow_to(if bytes.len() + more > COVERED { bytes.len() + more } else { 0 }) {
                    drop(bytes);
                    self.drain(headers).await;
                    return Err(error.into());
                }
                bytes.reserve_exact(more);
            }
            bytes.extend_from_slice(&part);
        }
        Ok(bytes.into())
    }

    /// Reads a body away that nobody wants. One that waits for leave to be sent is not asked for.
    pub async fn drain(&mut self, headers: &HeaderMap) {
        if self.over || headers.contains_key(EXPECT) {
            return;
        }
        self.over = true;
        let away = async {
            let mut read = 0;
            while let Some(Ok(part)) = poll_fn(|waker| self.parts.poll_next(waker)).await {
                read += part.len();
                if read > DRAINED {
                    return;
                }
            }
        };
        // Running out of time is as good an end as any.
        let _ = tokio::time::timeout(DRAINING, away).await;
    }

    async fn part(&mut self, time: Duration) -> Result<Option<Bytes>, Error> {
        let part = deadline::timeout(time, poll_fn(|waker| self.parts.poll_next(waker))).await;
        self.over = !matches!(part, Some(Some(Ok(_))));
        match part {
            Some(part) => part.transpose().map_err(|()| InvalidRequest::Body.into()),
            None => Err(LimitExceeded::BodyTime(time).into()),
        }
    }
}

impl Parts {
    /// Whether it is known already that nothing more will come.
    fn are_over(&self) -> bool {
        matches!(self, Parts::Incoming(incoming) if incoming.is_end_stream())
    }

    fn poll_next(&mut self, waker: &mut Context<'_>) -> Poll<Option<Result<Bytes, ()>>> {
        let incoming = match self {
            Parts::Incoming(incoming) => incoming,
            Parts::Stream(stream) => return stream.as_mut().poll_next(waker),
        };
        loop {
            let frame = match ready!(Pin::new(&mut *incoming).poll_frame(waker)) {
                Some(Ok(frame)) => frame,
                Some(Err(_)) => return Poll::Ready(Some(Err(()))),
                None => return Poll::Ready(None),
            };
            // What is not data are trailers, in which nobody here is interested.
            if let Ok(data) = frame.into_data() {
                return Poll::Ready(Some(Ok(data)));
            }
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Body")
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http::HeaderValue;

    use super::*;
    use crate::limits::memory::MemoryBudget;
    use crate::telemetry::metrics::MemoryCounters;

    fn body(parts: &[&'static str]) -> Body {
        let parts: Vec<Result<Bytes, ()>> = parts.iter().map(|part| Ok(Bytes::from_static(part.as_bytes()))).collect();
        Body::new(stream::iter(parts))
    }

    fn nothing() -> Reservation {
        MemoryBudget::default().empty_reservation()
    }

    fn limits(body: usize) -> Limits {
        Limits { body, body_time: Duration::from_millis(20), ..Limits::default() }
    }

    #[tokio::test]
    async fn bytes_are_counted_as_they_come() {
        let none = HeaderMap::new();
        assert_eq!(body(&["abc", "de"]).read(&none, &limits(5), &mut nothing()).await.unwrap(), b"abcde"[..]);
        let error = body(&["abc", "def"]).read(&none, &limits(5), &mut nothing()).await.unwrap_err();
        assert_eq!(
            (error.spec().lenient, error.message().as_str()),
            (413, "the body is larger than the limit of 5 bytes")
        );
    }

    #[tokio::test]
    async fn an_announced_length_is_enough_to_refuse() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("6"));
        headers.insert(EXPECT, HeaderValue::from_static("100-continue"));
        let stalled = Body::new(stream::pending::<Result<Bytes, ()>>());
        let mut stalled = stalled;
        assert_eq!(stalled.read(&headers, &limits(5), &mut nothing()).await.unwrap_err().spec().lenient, 413);
    }

    #[tokio::test]
    async fn a_body_that_stalls_is_given_up() {
        let mut stalled = Body::new(stream::pending::<Result<Bytes, ()>>());
        let error = stalled.read(&HeaderMap::new(), &limits(5), &mut nothing()).await.unwrap_err();
        assert_eq!(error.spec().lenient, 408);
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_malformed() {
        let mut broken = Body::new(stream::iter([Ok(Bytes::from_static(b"a")), Err(())]));
        assert_eq!(broken.read(&HeaderMap::new(), &limits(5), &mut nothing()).await.unwrap_err().spec().lenient, 400);
    }

    #[tokio::test]
    async fn a_body_takes_room_only_as_it_comes() {
        let budget = MemoryBudget::new(1 << 20, MemoryCounters::default());
        let mut memory = budget.empty_reservation();
        let text = format!("[{}]", ["0"; 40_000].join(","));
        let parts: Vec<Result<Bytes, ()>> = text.as_bytes().chunks(1000).map(|part| Ok(part.to_vec().into())).collect();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("900000"));
        let (mut body, limits) = (Body::new(stream::iter(parts)), limits(1 << 20));
        // It fits, but the values that are made of it do not.
        let error = body.read(&headers, &limits, &mut memory).await.unwrap_err();
        assert_eq!(error.spec().strict, 503);
        let held = budget.used();
        assert!((text.len()..4 * text.len()).contains(&held), "{held}");
        let mut stalled = Body::new(stream::pending::<Result<Bytes, ()>>());
        let mut other = budget.empty_reservation();
        assert_eq!(stalled.read(&headers, &limits, &mut other).await.unwrap_err().spec().strict, 408);
        assert_eq!(budget.used(), held, "what is announced takes none");
    }
}
