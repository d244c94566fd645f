//! The Postgres message protocol on one socket: encodes outgoing messages, reads incoming ones, and
//! counts the `ReadyForQuery` messages that the server still owes. The task that waits for a
//! response also writes and reads the socket, so no data passes between tasks. Authentication is
//! left to tokio-postgres, and the meaning of the messages to the callers.
//! <https://www.postgresql.org/docs/15/protocol-message-formats.html>

pub(crate) mod read_buffer;
pub(crate) mod row_columns;

use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use std::{fmt, io};

use bytes::{Buf, BytesMut};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::error::{DatabaseError, PostgresError};
use crate::memory::{MemoryBudget, OutOfMemory, Reservation};
use crate::protocol::read_buffer::{MAX_KEPT_BYTES, ReadBuffer, ReadBufferError};
use crate::socket::Socket;
use crate::tls::connector;

/// The type bytes of the server's messages that are looked at.
pub(crate) mod tag {
    /// `DataRow`: a row.
    pub(crate) const ROW: u8 = b'D';
    /// `RowDescription`: the columns of a statement.
    pub(crate) const COLUMNS: u8 = b'T';
    /// `NoData`: the statement returns no columns.
    pub(crate) const NO_COLUMNS: u8 = b'n';
    /// `ParseComplete`: a statement has been parsed.
    pub(crate) const PARSED: u8 = b'1';
    /// `CommandComplete`: a statement has succeeded.
    pub(crate) const COMPLETE: u8 = b'C';
    /// `ReadyForQuery`: the messages up to a `Sync` are processed, successfully or not.
    pub(crate) const READY: u8 = b'Z';
    /// `ErrorResponse`: a message failed.
    pub(crate) const ERROR: u8 = b'E';
    /// Notices, notifications and changed settings. The server sends them at any time; they belong
    /// to no statement.
    pub(crate) const ASIDE: [u8; 3] = [b'N', NOTIFIED, b'S'];
    /// `NotificationResponse`: a notification on a channel that the connection listens to.
    pub(crate) const NOTIFIED: u8 = b'A';
    /// `CopyBothResponse`: data is copied in both directions from now on.
    pub(crate) const COPY_BOTH: u8 = b'W';
    /// `CopyData`: data that is copied.
    pub(crate) const COPY_DATA: u8 = b'd';
}

/// The binary format for all columns, of which the number need not be known.
pub(crate) const ALL_BINARY: &[i16] = &[1];

/// An authenticated socket with its buffers and the number of responses that the server owes.
pub(crate) struct WireProtocol {
    socket: Socket,
    outgoing: BytesMut,
    /// Whether `outgoing` has grown so large that its buffer is freed once it is sent.
    is_large: bool,
    /// The memory reserved for a large `outgoing`.
    memory: Reservation,
    incoming: ReadBuffer,
    /// How many `ReadyForQuery` messages the server still owes.
    owed: usize,
    /// Whether the last `ReadyForQuery` reported that no transaction is open.
    is_outside: bool,
    /// Why the connection can no longer be used.
    lost: Option<String>,
    /// The timer for read deadlines. It is shared by many waits: when it fires before the current
    /// deadline, it is set again.
    timer: Pin<Box<Sleep>>,
}

impl WireProtocol {
    /// `memory` is the budget for long messages.
    pub(crate) fn new(socket: Socket, memory: MemoryBudget) -> WireProtocol {
        let timer = Box::pin(tokio::time::sleep_until(Instant::now()));
        WireProtocol {
            socket,
            outgoing: BytesMut::new(),
            is_large: false,
            memory: memory.empty_reservation(),
            incoming: ReadBuffer::new(memory),
            owed: 0,
            is_outside: true,
            lost: None,
            timer,
        }
    }

    /// Parses a statement under a name.
    pub(crate) fn parse(&mut self, name: &str, text: &str) -> Result<(), DatabaseError> {
        self.encode(|out| frontend::parse(name, text, [], out))
    }

    /// Requests the column types of a parsed statement.
    pub(crate) fn describe(&mut self, name: &str) -> Result<(), DatabaseError> {
        self.encode(|out| frontend::describe(b'S', name, out))
    }

    /// Reserves buffer space for parameters that are encoded next. On an error nothing has been
    /// encoded.
    pub(crate) fn make_room<'p>(
        &mut self,
        parameters: impl Iterator<Item = &'p [Option<String>]>,
    ) -> Result<(), DatabaseError> {
        // Each value is preceded by its length.
        let length =
            |text: &Option<String>| size_of::<u32>() + text.as_ref().map_or(0, String::len);
        let bytes: usize = parameters
            .map(|each| each.iter().map(length).sum::<usize>())
            .sum();
        if bytes > MAX_KEPT_BYTES {
            self.memory.grow_to(self.outgoing.len() + bytes)?;
            self.outgoing.reserve(bytes + MAX_KEPT_BYTES);
        }
        Ok(())
    }

    /// Runs a parsed statement with parameters in text format, and columns in one format for all or
    /// one for each.
    pub(crate) fn execute(
        &mut self,
        name: &str,
        parameters: &[Option<String>],
        formats: &[i16],
    ) -> Result<(), DatabaseError> {
        self.encode(|out| {
            let value = |value: &Option<String>, out: &mut BytesMut| match value {
                Some(text) => {
                    out.extend_from_slice(text.as_bytes());
                    Ok(IsNull::No)
                }
                None => Ok(IsNull::Yes),
            };
            frontend::bind(
                "",
                name,
                [],
                parameters,
                value,
                formats.iter().copied(),
                out,
            )
            .map_err(|error| match error {
                frontend::BindError::Serialization(error) => error,
                frontend::BindError::Conversion(error) => io::Error::other(error),
            })?;
            frontend::execute("", 0, out)
        })
    }

    /// Closes a parsed statement. The message is sent with the next ones.
    pub(crate) fn close_statement(&mut self, name: &str) -> Result<(), DatabaseError> {
        self.encode(|out| frontend::close(b'S', name, out))
    }

    /// Encodes a `Sync`, which ends the implicit transaction of the messages before it.
    pub(crate) fn sync(&mut self) {
        frontend::sync(&mut self.outgoing);
        self.owed += 1;
    }

    /// Encodes a simple query: statements without parameters whose rows the caller ignores.
    pub(crate) fn simple_query(&mut self, text: &str) -> Result<(), DatabaseError> {
        self.encode(|out| frontend::query(text, out))?;
        self.owed += 1;
        Ok(())
    }

    /// Encodes data for a copy. It is sent with the next read.
    pub(crate) fn copy_data(&mut self, data: &[u8]) -> Result<(), DatabaseError> {
        self.encode(|out| {
            frontend::CopyData::new(data)?.write(out);
            Ok(())
        })
    }

    /// Encodes a message. If that fails, the connection counts as lost: the messages before it
    /// would otherwise be sent with the next request as if they belonged to it.
    fn encode(
        &mut self,
        write: impl FnOnce(&mut BytesMut) -> io::Result<()>,
    ) -> Result<(), DatabaseError> {
        write(&mut self.outgoing).map_err(|error| {
            self.outgoing.clear();
            self.lost = Some("something could not be said".into());
            DatabaseError::Protocol(error.to_string())
        })
    }

    /// The type byte of the next message. [`WireProtocol::body`] returns its body until the
    /// following message is read.
    pub(crate) async fn next(&mut self, deadline: Instant) -> Result<u8, ReceiveError> {
        std::future::poll_fn(|task| match self.poll_next(task) {
            Poll::Ready(next) => Poll::Ready(next),
            Poll::Pending => self
                .poll_timeout(task, deadline)
                .map(|()| Err(ReceiveError::Late)),
        })
        .await
    }

    /// Waits for a notification.
    pub(crate) async fn next_notification(&mut self) -> Result<(), ReceiveError> {
        std::future::poll_fn(|task| {
            loop {
                if ready!(self.poll_message(task))? == tag::NOTIFIED {
                    return Poll::Ready(Ok(()));
                }
            }
        })
        .await
    }

    /// Advances to the next message of a statement if it is already in the buffer. Frees a large
    /// buffer without one.
    pub(crate) fn next_buffered(&mut self) -> Option<u8> {
        // An error is found again when the socket is read.
        while let Some(letter) = self.incoming.message().ok()? {
            self.track(letter);
            if !tag::ASIDE.contains(&letter) {
                return Some(letter);
            }
        }
        self.incoming.shrink();
        None
    }

    /// Limits the length of the messages read from now on, in bytes.
    pub(crate) fn set_length_limit(&mut self, most: usize) {
        self.incoming.set_length_limit(most);
    }

    /// Advances to the next message if it is a row and already in the buffer.
    #[inline]
    pub(crate) fn next_row(&mut self) -> bool {
        self.incoming.next_if(tag::ROW)
    }

    /// The body of the message that was read last.
    #[inline]
    pub(crate) fn body(&self) -> &[u8] {
        self.incoming.body()
    }

    /// Sends what the socket accepts at once. The rest is sent with the next read.
    pub(crate) fn send_now(&mut self) {
        let _ = self.poll_write(&mut Context::from_waker(Waker::noop()));
    }

    /// Waits until the server owes nothing; errors that it reports meanwhile are ignored.
    pub(crate) async fn drain(&mut self, deadline: Instant) -> Result<(), ReceiveError> {
        while self.owed > 0 {
            self.next(deadline).await?;
        }
        Ok(())
    }

    /// Reads until the server is ready and returns the first error that it reported.
    pub(crate) async fn ready(
        &mut self,
        deadline: Instant,
    ) -> Result<Option<PostgresError>, ReceiveError> {
        let mut refused = None;
        loop {
            match self.next(deadline).await? {
                tag::READY => return Ok(refused),
                tag::ERROR => refused = refused.or(Some(PostgresError::read(self.body()))),
                _ => {}
            }
        }
    }

    /// Whether no response is outstanding and no transaction is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.owed == 0 && self.is_outside && self.lost.is_none()
    }

    /// Whether the connection is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.socket.is_encrypted()
    }

    /// Whether the connection was lost.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Whether messages of an outstanding request have not been sent completely.
    pub(crate) fn has_unsent(&self) -> bool {
        self.owed > 0 && (!self.outgoing.is_empty() || self.socket.holds_unsent())
    }

    /// Checks an idle connection for messages that arrived in the meantime: notices, or the end of
    /// the connection.
    pub(crate) async fn is_alive(&mut self) -> bool {
        std::future::poll_fn(|task| {
            // No response is outstanding, so no message needs to be returned.
            while self.lost.is_none() && self.poll_read(task).is_ready() {
                while let Ok(Some(letter)) = self.incoming.message() {
                    self.track(letter);
                }
            }
            Poll::Ready(self.lost.is_none())
        })
        .await
    }

    fn poll_next(&mut self, task: &mut Context<'_>) -> Poll<Result<u8, ReceiveError>> {
        loop {
            let letter = ready!(self.poll_message(task))?;
            if !tag::ASIDE.contains(&letter) {
                return Poll::Ready(Ok(letter));
            }
        }
    }

    /// Advances to the next message of any type.
    fn poll_message(&mut self, task: &mut Context<'_>) -> Poll<Result<u8, ReceiveError>> {
        loop {
            match self.incoming.message() {
                Ok(Some(letter)) => {
                    self.track(letter);
                    return Poll::Ready(Ok(letter));
                }
                Ok(None) => {
                    if let Some(cause) = &self.lost {
                        return Poll::Ready(Err(ReceiveError::Lost(cause.clone())));
                    }
                    // A server that receives much input may have to send output first, so a pending
                    // write must not block reading.
                    let _ = self.poll_write(task);
                    if self.poll_read(task).is_pending() && self.lost.is_none() {
                        return Poll::Pending;
                    }
                }
                // The message is not read, so none after it can be read either.
                Err(ReadBufferError::Length(length)) => {
                    self.lost = Some(format!("a message of {length} bytes"));
                    return Poll::Ready(Err(ReceiveError::Long));
                }
                Err(ReadBufferError::Memory(error)) => {
                    self.lost = Some(error.to_string());
                    return Poll::Ready(Err(ReceiveError::OutOfMemory(error)));
                }
            }
        }
    }

    /// Updates the connection's state from a message.
    fn track(&mut self, letter: u8) {
        match letter {
            tag::READY => {
                self.owed = self.owed.saturating_sub(1);
                self.is_outside = self.body() == b"I";
                self.incoming.shrink();
            }
            // An error without an outstanding request: the server ends the connection.
            tag::ERROR if self.owed == 0 => {
                self.lost = Some(PostgresError::read(self.body()).message);
            }
            _ => {}
        }
    }

    /// Writes as many bytes as the socket accepts.
    fn poll_write(&mut self, task: &mut Context<'_>) -> Poll<()> {
        self.is_large |= self.outgoing.len() > MAX_KEPT_BYTES;
        while !self.outgoing.is_empty() {
            match ready!(Pin::new(&mut self.socket).poll_write(task, &self.outgoing)) {
                Ok(written) => self.outgoing.advance(written),
                Err(error) => self.mark_lost(&error),
            }
        }
        if let Err(error) = ready!(self.socket.poll_sent(task)) {
            self.mark_lost(&error);
        }
        if std::mem::take(&mut self.is_large) {
            self.outgoing = BytesMut::new();
            self.memory.shrink_to(0);
        }
        Poll::Ready(())
    }

    fn mark_lost(&mut self, error: &io::Error) {
        // The bytes that can still be read may contain the server's reason for closing the
        // connection.
        self.outgoing.clear();
        self.lost = Some(connector::describe(error));
    }

    /// Reads from the socket once.
    fn poll_read(&mut self, task: &mut Context<'_>) -> Poll<()> {
        let free = self.incoming.free();
        let remaining = free.len();
        let mut bytes = ReadBuf::new(free);
        let outcome = ready!(Pin::new(&mut self.socket).poll_read(task, &mut bytes));
        match (outcome, bytes.filled().len()) {
            (Ok(()), 0) => self.lost = Some("the server has closed the connection".into()),
            (Ok(()), read) => self.incoming.fill(read, read == remaining),
            (Err(error), _) => self.lost = Some(connector::describe(&error)),
        }
        Poll::Ready(())
    }

    /// Ready at the deadline.
    fn poll_timeout(&mut self, task: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        if self.timer.deadline() > deadline || self.timer.is_elapsed() {
            self.timer.as_mut().reset(deadline);
        }
        while self.timer.as_mut().poll(task).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

impl fmt::Debug for WireProtocol {
    /// Prints lengths, because the buffers hold values of users.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("WireProtocol")
            .field("outgoing", &self.outgoing.len())
            .field("incoming", &self.incoming.unread_len())
            .field("owed", &self.owed)
            .field("is_outside", &self.is_outside)
            .field("lost", &self.lost)
            .finish_non_exhaustive()
    }
}

impl Drop for WireProtocol {
    fn drop(&mut self) {
        if self.is_idle() {
            self.socket.write_now(b"X\0\0\0\x04");
        }
    }
}

/// Why no message was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReceiveError {
    /// The deadline has passed.
    Late,
    /// The message is longer than the limit; the connection is lost.
    Long,
    /// The memory budget has no room for a long message; the connection is lost.
    OutOfMemory(OutOfMemory),
    /// The connection is lost, with the cause.
    Lost(String),
}

impl ReceiveError {
    /// The error for a statement with this time limit.
    pub(crate) fn fault(self, limit: Duration) -> DatabaseError {
        match self {
            ReceiveError::Late => DatabaseError::Timeout(limit),
            ReceiveError::Long => {
                DatabaseError::Protocol("a message of a length that cannot be".into())
            }
            ReceiveError::OutOfMemory(error) => DatabaseError::OutOfMemory(error),
            ReceiveError::Lost(cause) => DatabaseError::Unavailable(cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;

    use super::*;
    use crate::protocol::ALL_BINARY;

    fn wire() -> (WireProtocol, UnixStream) {
        let (own, other) = UnixStream::pair().unwrap();
        (
            WireProtocol::new(Socket::Unix(own), MemoryBudget::default()),
            other,
        )
    }

    #[tokio::test]
    async fn large_write_buffer_is_freed_once_sent() {
        let (mut protocol, mut server) = wire();
        let reader = tokio::spawn(async move {
            let mut read = vec![0; 1 << 16];
            while server.read(&mut read).await.unwrap() > 0 {}
        });
        protocol
            .execute("s", &[Some("x".repeat(5 << 20))], ALL_BINARY)
            .unwrap();
        protocol.sync();
        assert_eq!(
            protocol
                .next(Instant::now() + Duration::from_millis(500))
                .await,
            Err(ReceiveError::Late)
        );
        assert!(
            protocol.outgoing.is_empty() && protocol.outgoing.capacity() <= MAX_KEPT_BYTES,
            "{}",
            protocol.outgoing.capacity()
        );
        drop(protocol);
        reader.await.unwrap();
    }

    #[tokio::test]
    async fn messages_before_an_encoding_error_are_never_sent() {
        let (mut protocol, mut server) = wire();
        protocol.parse("s", "SELECT 1").unwrap();
        let many = vec![None; 70_000];
        assert!(matches!(
            protocol.execute("s", &many, ALL_BINARY),
            Err(DatabaseError::Protocol(_))
        ));
        assert!(!protocol.is_idle());
        drop(protocol);
        let mut sent = Vec::new();
        server.read_to_end(&mut sent).await.unwrap();
        assert_eq!(sent, b"");
    }
}
