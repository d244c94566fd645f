//! Replaces hyper's response to a request head that is too large. hyper refuses such a head before any handler runs,
//! with an empty body; while that response is written, the gateway's error takes its place. The rest of the head is
//! read and discarded, so that the response is not lost when the connection is closed.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::config::dialect::Profile;
use crate::error::Error;
use crate::limits::LimitExceeded;

/// The most bytes of a request's head.
pub(super) const LIMIT: usize = 64 << 10;

/// How hyper's own response begins. No handler answers with this status, and values from the database are JSON, in
/// which no bare line end occurs.
const BARE: &[u8] = b"HTTP/1.1 431 Request Header Fields Too Large\r\n";

/// The most bytes that are read and discarded of a head that was refused.
const DRAINED: usize = 16 << 20;

/// The gateway's response while it is written.
#[derive(Debug)]
pub(super) struct HeadTooLarge {
    bytes: Vec<u8>,
    written: usize,
    drained: usize,
}

impl HeadTooLarge {
    /// Creates the gateway's response if these bytes are hyper's.
    pub(super) fn of(bytes: &[u8], profile: Profile) -> Option<HeadTooLarge> {
        bytes.starts_with(BARE).then(|| HeadTooLarge { bytes: response(profile), written: 0, drained: 0 })
    }

    /// Writes the rest of the response.
    pub(super) fn write(
        &mut self,
        mut stream: impl AsyncWrite + Unpin,
        waker: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        while let Some(rest) = self.bytes.get(self.written..).filter(|rest| !rest.is_empty()) {
            match ready!(Pin::new(&mut stream).poll_write(waker, rest))? {
                0 => return Poll::Ready(Err(std::io::ErrorKind::WriteZero.into())),
                written => self.written += written,
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads and discards what the client still sends, until it closes the connection or has sent too much.
    pub(super) fn drain(&mut self, mut stream: impl AsyncRead + Unpin, waker: &mut Context<'_>) -> Poll<()> {
        let mut space = [0; 8 << 10];
        while self.drained < DRAINED {
            let mut buffer = ReadBuf::new(&mut space);
            match ready!(Pin::new(&mut stream).poll_read(waker, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => self.drained += buffer.filled().len(),
                _ => break,
            }
        }
        Poll::Ready(())
    }
}

fn response(profile: Profile) -> Vec<u8> {
    // The path was not parsed; most requests are for GraphQL, so the error is in its format.
    let body = Error::from(LimitExceeded::Head(LIMIT)).to_graphql("", profile).to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-type: application/json; \
         charset=utf-8\r\ncontent-length: {length}\r\nx-content-type-options: nosniff\r\n\r\n{body}"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hyper_status_line_is_replaced() {
        let refusal = |bytes: &[u8]| HeadTooLarge::of(bytes, Profile::Gateway).is_some();
        assert!(refusal(b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n"));
        assert!(!refusal(b"HTTP/1.1 431 Request Header Fields Too Large\\r\\n"), "text within JSON");
        assert!(!refusal(b"HTTP/1.1 431 "));
        assert!(!refusal(b"HTTP/1.1 200 OK\r\n"));
    }
}
