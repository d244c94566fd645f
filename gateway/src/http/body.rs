//! Reads a request's body: counts its bytes as they arrive, whatever length the client announced,
//! and gives up when they stop coming. [`super::decompression`] inflates compressed bodies.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT, TRANSFER_ENCODING};
use hyper::body::Incoming;
use pg::deadline;
use pg::memory::{MAX_COVERED_BYTES, Reservation};

use super::decompression;
use crate::error::{Error, InvalidRequest};
use crate::limits::{LimitExceeded, Limits, values};

/// A body that has not been read. Tests have other sources of its frames than hyper.
pub struct Body<B = Incoming> {
    frames: B,
    /// No more bytes will come, or the rest is not read.
    is_over: bool,
}

/// At most so many bytes of a refused body are read and discarded, so that the client gets to read
/// the response.
const MAX_DRAINED_BYTES: usize = 16 << 20;

/// The time limit for discarding them.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// At most so many bytes are allocated for an announced length before any part has arrived.
const MAX_RESERVED_BYTES: usize = 64 << 10;

impl<B: http_body::Body<Data = Bytes> + Unpin> Body<B> {
    /// A body of these frames.
    pub(super) fn new(frames: B) -> Body<B> {
        Body {
            frames,
            is_over: false,
        }
    }

    /// Reads the whole body, inflated and within the limits, and reserves memory for it and for the
    /// values parsed from it.
    ///
    /// Errors: the body is too large, too slow, broken off or not in a supported coding, or the
    /// memory budget is exhausted.
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
        // Parsing copies each string of a value.
        let needed = bytes.len() + values::values_of(&bytes);
        if needed > MAX_COVERED_BYTES {
            memory.grow_by(needed)?;
        }
        Ok(bytes)
    }

    /// Reads the whole body as the client has sent it, without inflating it, and reserves memory
    /// for it.
    ///
    /// Errors: the body is too large, too slow or broken off, or the memory budget is exhausted.
    pub async fn read_raw(
        &mut self,
        headers: &HeaderMap,
        limits: &Limits,
        memory: &mut Reservation,
    ) -> Result<Bytes, Error> {
        let bytes = self.raw(headers, limits, memory).await?;
        if bytes.len() > MAX_COVERED_BYTES {
            memory.grow_by(bytes.len())?;
        }
        Ok(bytes)
    }

    /// Reads the bytes as they arrive, within the limits.
    async fn raw(
        &mut self,
        headers: &HeaderMap,
        limits: &Limits,
        memory: &mut Reservation,
    ) -> Result<Bytes, Error> {
        if headers
            .get(TRANSFER_ENCODING)
            .is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
        {
            return Err(Error::TransferEncoding);
        }
        let length = headers
            .get(CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
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
                if self.frames.is_end_stream() {
                    self.is_over = true;
                    if part.len() > MAX_COVERED_BYTES {
                        memory.grow_by(part.len())?;
                    }
                    return Ok(part);
                }
                bytes.reserve(length.unwrap_or(0).min(MAX_RESERVED_BYTES));
            }
            let capacity = bytes.capacity();
            if bytes.len() + part.len() > capacity {
                // Memory is reserved for bytes that have arrived, not for an announced length.
                let more = (bytes.len() + part.len())
                    .max(capacity * 2)
                    .min(limits.body)
                    - bytes.len();
                if let Err(error) = memory.grow_to(if bytes.len() + more > MAX_COVERED_BYTES {
                    bytes.len() + more
                } else {
                    0
                }) {
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

    /// Reads and discards the rest of a body. A client that waits for `100 Continue` is not asked
    /// to send it.
    pub async fn drain(&mut self, headers: &HeaderMap) {
        if self.is_over || headers.contains_key(EXPECT) {
            return;
        }
        self.is_over = true;
        let discard = async {
            let mut read = 0;
            while let Some(Ok(part)) = poll_fn(|cx| self.poll_part(cx)).await {
                read += part.len();
                if read > MAX_DRAINED_BYTES {
                    return;
                }
            }
        };
        // A timeout needs no handling: the rest stays unread.
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, discard).await;
    }

    async fn part(&mut self, time: Duration) -> Result<Option<Bytes>, Error> {
        let part = deadline::timeout(time, poll_fn(|cx| self.poll_part(cx))).await;
        self.is_over = !matches!(part, Some(Some(Ok(_))));
        match part {
            Some(part) => part.transpose().map_err(|()| InvalidRequest::Body.into()),
            None => Err(LimitExceeded::BodyTime(time).into()),
        }
    }

    fn poll_part(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, ()>>> {
        loop {
            let frame = match ready!(Pin::new(&mut self.frames).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                Some(Err(_)) => return Poll::Ready(Some(Err(()))),
                None => return Poll::Ready(None),
            };
            // Frames without data are trailers, which are not used.
            if let Ok(data) = frame.into_data() {
                return Poll::Ready(Some(Ok(data)));
            }
        }
    }
}

impl<B> std::fmt::Debug for Body<B> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Body")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::{Stream, TryStreamExt, stream};
    use http::HeaderValue;
    use http_body::Frame;
    use http_body_util::StreamBody;
    use pg::NoObserver;
    use pg::memory::MemoryBudget;

    use super::*;

    fn streamed(
        parts: impl Stream<Item = Result<Bytes, ()>> + Unpin,
    ) -> Body<impl http_body::Body<Data = Bytes> + Unpin> {
        Body::new(StreamBody::new(parts.map_ok(Frame::data)))
    }

    fn body(parts: &[&'static str]) -> Body<impl http_body::Body<Data = Bytes> + Unpin> {
        let parts: Vec<Result<Bytes, ()>> = parts
            .iter()
            .map(|part| Ok(Bytes::from_static(part.as_bytes())))
            .collect();
        streamed(stream::iter(parts))
    }

    fn nothing() -> Reservation {
        MemoryBudget::default().empty_reservation()
    }

    fn limits(body: usize) -> Limits {
        Limits {
            body,
            body_time: Duration::from_millis(20),
            ..Limits::default()
        }
    }

    #[tokio::test]
    async fn body_is_limited_by_received_bytes() {
        let none = HeaderMap::new();
        assert_eq!(
            body(&["abc", "de"])
                .read(&none, &limits(5), &mut nothing())
                .await
                .unwrap(),
            b"abcde"[..]
        );
        let error = body(&["abc", "def"])
            .read(&none, &limits(5), &mut nothing())
            .await
            .unwrap_err();
        assert_eq!(
            (error.spec().lenient, error.message().as_str()),
            (413, "the body is larger than the limit of 5 bytes")
        );
    }

    #[tokio::test]
    async fn content_length_over_limit_is_refused_without_reading() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("6"));
        headers.insert(EXPECT, HeaderValue::from_static("100-continue"));
        let mut stalled = streamed(stream::pending());
        assert_eq!(
            stalled
                .read(&headers, &limits(5), &mut nothing())
                .await
                .unwrap_err()
                .spec()
                .lenient,
            413
        );
    }

    #[tokio::test]
    async fn stalled_body_times_out() {
        let mut stalled = streamed(stream::pending());
        let error = stalled
            .read(&HeaderMap::new(), &limits(5), &mut nothing())
            .await
            .unwrap_err();
        assert_eq!(error.spec().lenient, 408);
    }

    #[tokio::test]
    async fn broken_off_body_is_a_bad_request() {
        let mut broken = streamed(stream::iter([Ok(Bytes::from_static(b"a")), Err(())]));
        assert_eq!(
            broken
                .read(&HeaderMap::new(), &limits(5), &mut nothing())
                .await
                .unwrap_err()
                .spec()
                .lenient,
            400
        );
    }

    #[tokio::test]
    async fn memory_is_reserved_for_received_bytes_only() {
        let budget = MemoryBudget::new(1 << 20, Arc::new(NoObserver));
        let mut memory = budget.empty_reservation();
        let text = format!("[{}]", ["0"; 40_000].join(","));
        let parts: Vec<Result<Bytes, ()>> = text
            .as_bytes()
            .chunks(1000)
            .map(|part| Ok(part.to_vec().into()))
            .collect();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("900000"));
        let mut body = streamed(stream::iter(parts));
        let limits = limits(1 << 20);
        // The body itself fits, but not the values parsed from it.
        let error = body.read(&headers, &limits, &mut memory).await.unwrap_err();
        assert!(
            matches!(error, Error::Limit(LimitExceeded::Memory(limit)) if limit == 1 << 20),
            "{error:?}"
        );
        let reserved = budget.used();
        assert!(
            (text.len()..4 * text.len()).contains(&reserved),
            "{reserved}"
        );
        let mut stalled = streamed(stream::pending());
        let mut other = budget.empty_reservation();
        assert_eq!(
            stalled
                .read(&headers, &limits, &mut other)
                .await
                .unwrap_err()
                .spec()
                .strict,
            408
        );
        assert_eq!(budget.used(), reserved, "what is announced takes none");
    }
}
