//! Replaces hyper's response to a request whose head it refuses: one that is too large, has too
//! many headers or is not HTTP. hyper refuses such a head before any handler runs, with an empty
//! body; while that response is written, the gateway's error takes its place, and is counted and
//! logged. The rest of the head is read and discarded, so that the response is not lost when the
//! connection is closed.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::config::dialect::Profile;
use crate::error::{Error, InvalidRequest};
use crate::limits::LimitExceeded;
use crate::telemetry::metrics::Metrics;

/// The most bytes of a request's head.
pub(super) const MAX_HEAD_BYTES: usize = 64 << 10;

/// The most headers of a request: hyper's own limit.
const MAX_HEADERS: usize = 100;

/// How hyper's own responses begin.
const TOO_LARGE: &[u8] = b"HTTP/1.1 431 Request Header Fields Too Large\r\n";
const BAD_REQUEST: &[u8] = b"HTTP/1.1 400 Bad Request\r\n";

/// A header that every response of the gateway has, and none of hyper's.
const OWN_HEADER: &[u8] = b"x-content-type-options";

/// The most bytes that are read and discarded of a head that was refused.
const MAX_DRAINED_BYTES: usize = 16 << 20;

/// The time between two lines of the log about such requests.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// When the last line was written, and how many requests were refused since.
static REFUSED: Mutex<(Option<Instant>, u64)> = Mutex::new((None, 0));

/// The gateway's response while it is written.
#[derive(Debug)]
pub(super) struct RefusedHead {
    bytes: Vec<u8>,
    written: usize,
    drained: usize,
}

impl RefusedHead {
    /// Creates the gateway's response if these bytes are hyper's. `received` is how many bytes of
    /// the head have arrived.
    pub(super) fn from_head(
        bytes: &[u8],
        received: usize,
        profile: Profile,
    ) -> Option<(RefusedHead, Error)> {
        let (status_line, error) = if bytes.starts_with(TOO_LARGE) {
            let limit = if received < MAX_HEAD_BYTES {
                LimitExceeded::Headers(MAX_HEADERS)
            } else {
                LimitExceeded::Head(MAX_HEAD_BYTES)
            };
            (TOO_LARGE, Error::from(limit))
        } else if bytes.starts_with(BAD_REQUEST) && !contains(bytes, OWN_HEADER) {
            (BAD_REQUEST, InvalidRequest::NotHttp.into())
        } else {
            return None;
        };
        let response = RefusedHead {
            bytes: response(status_line, &error, profile),
            written: 0,
            drained: 0,
        };
        Some((response, error))
    }

    /// Writes the rest of the response.
    pub(super) fn write(
        &mut self,
        mut stream: impl AsyncWrite + Unpin,
        cx: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        while let Some(rest) = self
            .bytes
            .get(self.written..)
            .filter(|rest| !rest.is_empty())
        {
            match ready!(Pin::new(&mut stream).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(std::io::ErrorKind::WriteZero.into())),
                written => self.written += written,
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads and discards what the client still sends, until it closes the connection or has sent
    /// too much.
    pub(super) fn drain(
        &mut self,
        mut stream: impl AsyncRead + Unpin,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        let mut space = [0; 8 << 10];
        while self.drained < MAX_DRAINED_BYTES {
            let mut buffer = ReadBuf::new(&mut space);
            match ready!(Pin::new(&mut stream).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => self.drained += buffer.filled().len(),
                _ => break,
            }
        }
        Poll::Ready(())
    }
}

/// Counts a refused head as a request of an unknown path, and logs one line a minute.
pub(super) fn record(error: &Error, address: Option<IpAddr>, metrics: &Metrics, profile: Profile) {
    let status = error.spec().lenient.to_string();
    let code = error.code(profile);
    metrics
        .requests
        .with_label_values(&["other", status.as_str(), code])
        .inc();
    let mut refused = REFUSED.lock().unwrap_or_else(PoisonError::into_inner);
    refused.1 += 1;
    if refused
        .0
        .is_some_and(|logged| logged.elapsed() < LOG_INTERVAL)
    {
        return;
    }
    let count = refused.1;
    *refused = (Some(Instant::now()), 0);
    drop(refused);
    let address = address.map(|address| address.to_string());
    let reason = error.message();
    tracing::warn!(
        status,
        count,
        reason,
        address,
        "a request was refused before its head was read"
    );
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

fn response(status_line: &[u8], error: &Error, profile: Profile) -> Vec<u8> {
    // The path was not parsed; most requests are for GraphQL, so the error is in its format.
    let body = error.to_graphql("", profile).to_string();
    let length = body.len();
    let rest = format!(
        "connection: close\r\ncontent-type: application/json; \
                        charset=utf-8\r\ncontent-length: {length}\r\n\
                        x-content-type-options: nosniff\r\n\r\n{body}"
    );
    [status_line, rest.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8], received: usize) -> Option<String> {
        RefusedHead::from_head(bytes, received, Profile::Gateway).map(|(_, error)| error.message())
    }

    #[test]
    fn only_responses_of_hyper_are_replaced() {
        let too_large = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n";
        assert!(
            refused(too_large, MAX_HEAD_BYTES)
                .unwrap()
                .contains("larger than the limit of 65536 bytes")
        );
        assert!(
            refused(too_large, 1230)
                .unwrap()
                .contains("more headers than the limit of 100")
        );
        let bare = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(
            refused(bare, 10).unwrap(),
            "this is not a valid HTTP request"
        );
        let own =
            b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n\r\n";
        assert_eq!(refused(own, 10), None);
        assert_eq!(
            refused(b"HTTP/1.1 431 Request Header Fields Too Large\\r\\n", 10),
            None,
            "text within JSON"
        );
        assert_eq!(refused(b"HTTP/1.1 431 ", 10), None);
        assert_eq!(refused(b"HTTP/1.1 200 OK\r\n", 10), None);
    }
}
