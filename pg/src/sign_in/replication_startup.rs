//! Adds the parameter `replication=database` to the startup message, which makes the server's
//! process a sender of logical replication. tokio-postgres writes that message and has no such
//! parameter, so this file edits the bytes on their way.
//! <https://www.postgresql.org/docs/15/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-STARTUPMESSAGE>

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The parameter and the zero byte that ends the list of parameters.
const PARAMETER: &[u8] = b"replication\0database\0\0";

/// A stream that adds the parameter to the first message that is written.
pub(crate) struct ReplicationStartup<S> {
    stream: S,
    state: State,
}

enum State {
    /// No message was written.
    Before,
    /// The altered message, of which some bytes are not written yet.
    Writing(Vec<u8>),
    After,
}

impl<S> ReplicationStartup<S> {
    pub(crate) fn new(stream: S) -> ReplicationStartup<S> {
        ReplicationStartup {
            stream,
            state: State::Before,
        }
    }
}

/// The startup message with the parameter; none if the bytes are not exactly such a message.
fn with_parameter(message: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = message.split_first_chunk()?;
    let (last, parameters) = rest.split_last()?;
    let is_whole =
        usize::try_from(u32::from_be_bytes(*length)).is_ok_and(|length| length == message.len());
    if !is_whole || *last != 0 {
        return None;
    }
    let length = u32::try_from(size_of::<u32>() + parameters.len() + PARAMETER.len()).ok()?;
    Some([&length.to_be_bytes(), parameters, PARAMETER].concat())
}

impl<S: AsyncWrite + Unpin> ReplicationStartup<S> {
    fn poll_message(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let State::Writing(bytes) = &mut self.state {
            if bytes.is_empty() {
                self.state = State::After;
                break;
            }
            let written = ready!(Pin::new(&mut self.stream).poll_write(task, bytes))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            bytes.drain(..written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReplicationStartup<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let State::Before = this.state {
            let message =
                with_parameter(bytes).ok_or_else(|| io::Error::other("no startup message"))?;
            this.state = State::Writing(message);
            // It is written by the flush that follows.
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(this.poll_message(task))?;
        Pin::new(&mut this.stream).poll_write(task, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_message(task))?;
        Pin::new(&mut this.stream).poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(task)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReplicationStartup<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(task, bytes)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn first_message_gets_the_parameter_and_later_ones_do_not() {
        // A pipe of three bytes, so that the message is written in parts.
        let (own, mut other) = tokio::io::duplex(3);
        let reader = tokio::spawn(async move {
            let mut read = Vec::new();
            other.read_to_end(&mut read).await.unwrap();
            read
        });
        let mut stream = ReplicationStartup::new(own);
        stream
            .write_all(b"\0\0\0\x10\0\x03\0\0user\0p\0\0")
            .await
            .unwrap();
        stream.flush().await.unwrap();
        stream.write_all(b"p\0\0\0\x05x").await.unwrap();
        drop(stream);
        let expected = b"\0\0\0\x25\0\x03\0\0user\0p\0replication\0database\0\0p\0\0\0\x05x";
        assert_eq!(reader.await.unwrap(), expected);
    }

    #[tokio::test]
    async fn other_first_message_is_an_error() {
        let (own, _other) = tokio::io::duplex(64);
        assert!(
            ReplicationStartup::new(own)
                .write_all(b"\0\0\0\x11\0\x03\0\0user\0p\0\0")
                .await
                .is_err()
        );
    }
}
