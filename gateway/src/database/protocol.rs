//! One conversation with a server: messages out, messages in, and what is still owed. Whoever waits for an answer writes and
//! reads the socket itself, in its own task: nothing is handed to another task and back. Signing in is left to
//! tokio-postgres, and what the messages mean to others.
//! <https://www.postgresql.org/docs/15/protocol-message-formats.html>

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::{fmt, io};

use bytes::{Buf, BytesMut};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::read_buffer::{KEPT, ReadBuffer, ReadBufferError};
use super::socket::Socket;
use super::{DatabaseError, PostgresError, tls};
use crate::limits::memory::{MemoryBudget, OutOfMemory, Reservation};

/// The letters that messages of the server begin with, as far as somebody looks at them.
pub(super) mod tag {
    /// A row.
    pub(in super::super) const ROW: u8 = b'D';
    /// The columns of a statement.
    pub(in super::super) const COLUMNS: u8 = b'T';
    /// A statement has no columns.
    pub(in super::super) const NO_COLUMNS: u8 = b'n';
    /// A statement has been parsed.
    pub(in super::super) const PARSED: u8 = b'1';
    /// A statement has ended well.
    pub(in super::super) const COMPLETE: u8 = b'C';
    /// What was sent up to a `Sync` is done, well or not.
    pub(in super::super) const READY: u8 = b'Z';
    /// What was asked for is refused.
    pub(in super::super) const ERROR: u8 = b'E';
    /// A notice, a notification, a setting that has changed: they come at any time and belong to no statement.
    pub(super) const ASIDE: [u8; 3] = [b'N', NOTIFIED, b'S'];
    /// A notification of a channel that the connection listens to.
    pub(super) const NOTIFIED: u8 = b'A';
}

/// A signed-in socket, what is on its way in either direction, and what the server owes.
pub(super) struct WireProtocol {
    socket: Socket,
    outgoing: BytesMut,
    /// Whether there is so much of it that its buffer is given up afterwards.
    is_large: bool,
    /// For such a buffer.
    memory: Reservation,
    incoming: ReadBuffer,
    /// How many times the server has still to say that it is ready.
    owed: usize,
    /// Whether it was outside of any transaction when it last said so.
    is_outside: bool,
    /// Why there will be no more.
    lost: Option<String>,
    /// Wakes whoever waits too long. It is set once for many waits: one that rings too early is set again.
    alarm: Pin<Box<Sleep>>,
}

impl WireProtocol {
    /// `memory` is what long messages are held in.
    pub(super) fn new(socket: Socket, memory: MemoryBudget) -> WireProtocol {
        let alarm = Box::pin(tokio::time::sleep_until(Instant::now()));
        WireProtocol {
            socket,
            outgoing: BytesMut::new(),
            is_large: false,
            memory: memory.empty_reservation(),
            incoming: ReadBuffer::new(memory),
            owed: 0,
            is_outside: true,
            lost: None,
            alarm,
        }
    }

    /// Has a statement parsed under a name.
    pub(super) fn parse(&mut self, name: &str, text: &str) -> Result<(), DatabaseError> {
        self.encode(|out| frontend::parse(name, text, [], out))
    }

    /// Asks for the types of the columns of a parsed statement.
    pub(super) fn describe(&mut self, name: &str) -> Result<(), DatabaseError> {
        self.encode(|out| frontend::describe(b'S', name, out))
    }

    /// Makes room for parameters that are sent next. Where there is none, nothing has been said.
    pub(super) fn make_room<'p>(
        &mut self,
        parameters: impl Iterator<Item = &'p [Option<String>]>,
    ) -> Result<(), DatabaseError> {
        // Each has its length before it.
        let length = |text: &Option<String>| size_of::<u32>() + text.as_ref().map_or(0, String::len);
        let bytes: usize = parameters.map(|each| each.iter().map(length).sum::<usize>()).sum();
        if bytes > KEPT {
            self.memory.grow_to(self.outgoing.len() + bytes)?;
            self.outgoing.reserve(bytes + KEPT);
        }
        Ok(())
    }

    /// Runs a parsed statement; its parameters are text, its columns come in binary.
    pub(super) fn execute(&mut self, name: &str, parameters: &[Option<String>]) -> Result<(), DatabaseError> {
        self.encode(|out| {
            let value = |value: &Option<String>, out: &mut BytesMut| match value {
                Some(text) => {
                    out.extend_from_slice(text.as_bytes());
                    Ok(IsNull::No)
                }
                None => Ok(IsNull::Yes),
            };
            frontend::bind("", name, [], parameters, value, [1], out).map_err(|error| match error {
                frontend::BindError::Serialization(error) => error,
                frontend::BindError::Conversion(error) => io::Error::other(error),
            })?;
            frontend::execute("", 0, out)
        })
    }

    /// Lets go of a parsed statement, together with whatever is sent next.
    pub(super) fn close_statement(&mut self, name: &str) -> Result<(), DatabaseError> {
        self.encode(|out| frontend::close(b'S', name, out))
    }

    /// Ends what is one transaction where nobody has begun one.
    pub(super) fn sync(&mut self) {
        frontend::sync(&mut self.outgoing);
        self.owed += 1;
    }

    /// A statement without parameters whose rows are nobody's.
    pub(super) fn simple_query(&mut self, text: &str) -> Result<(), DatabaseError> {
        self.encode(|out| frontend::query(text, out))?;
        self.owed += 1;
        Ok(())
    }

    /// Writes a message. After one that cannot be said nothing is: what stands before it would else leave with the next
    /// request, as if that had asked for it.
    fn encode(&mut self, write: impl FnOnce(&mut BytesMut) -> io::Result<()>) -> Result<(), DatabaseError> {
        write(&mut self.outgoing).map_err(|error| {
            self.outgoing.clear();
            self.lost = Some("something could not be said".into());
            DatabaseError::Protocol(error.to_string())
        })
    }

    /// The letter of the next message, whose body [`WireProtocol::body`] holds until the one after.
    pub(super) async fn next(&mut self, deadline: Instant) -> Result<u8, ReceiveError> {
        std::future::poll_fn(|task| match self.poll_next(task) {
            Poll::Ready(next) => Poll::Ready(next),
            Poll::Pending => self.poll_timeout(task, deadline).map(|()| Err(ReceiveError::Late)),
        })
        .await
    }

    /// Waits for a notification.
    pub(super) async fn next_notification(&mut self) -> Result<(), ReceiveError> {
        std::future::poll_fn(|task| {
            loop {
                match self.incoming.message() {
                    Ok(Some(tag::NOTIFIED)) => return Poll::Ready(Ok(())),
                    Ok(Some(letter)) => self.track(letter),
                    Ok(None) => {
                        if let Some(cause) = &self.lost {
                            return Poll::Ready(Err(ReceiveError::Lost(cause.clone())));
                        }
                        let _ = self.poll_write(task);
                        if self.poll_read(task).is_pending() && self.lost.is_none() {
                            return Poll::Pending;
                        }
                    }
                    Err(_) => return Poll::Ready(Err(ReceiveError::Long)),
                }
            }
        })
        .await
    }

    /// How long a message may be from now on.
    pub(super) fn set_length_limit(&mut self, most: usize) {
        self.incoming.bound(most);
    }

    /// Goes to the next message if it is a row and has been read already.
    pub(super) fn next_row(&mut self) -> bool {
        self.incoming.is_next(tag::ROW) && matches!(self.incoming.message(), Ok(Some(_)))
    }

    /// The body of the message that was read last.
    pub(super) fn body(&self) -> &[u8] {
        self.incoming.body()
    }

    /// Waits until the server owes nothing; what it refuses meanwhile is no matter.
    pub(super) async fn drain(&mut self, deadline: Instant) -> Result<(), ReceiveError> {
        while self.owed > 0 {
            self.next(deadline).await?;
        }
        Ok(())
    }

    /// Reads until the server is ready, and gives what it has refused.
    pub(super) async fn ready(&mut self, deadline: Instant) -> Result<Option<PostgresError>, ReceiveError> {
        let mut refused = None;
        loop {
            match self.next(deadline).await? {
                tag::READY => return Ok(refused),
                tag::ERROR => refused = refused.or(Some(PostgresError::read(self.body()))),
                _ => {}
            }
        }
    }

    /// Whether nothing is owed and nothing left half done.
    pub(super) fn is_idle(&self) -> bool {
        self.owed == 0 && self.is_outside && self.lost.is_none()
    }

    /// Whether what is said here is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.socket.is_encrypted()
    }

    /// Whether nobody listens any more.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Whether some of what was asked for has not left.
    pub(super) fn has_unsent(&self) -> bool {
        self.owed > 0 && (!self.outgoing.is_empty() || self.socket.holds_unsent())
    }

    /// Looks whether something has come while nobody asked: notices, or the end.
    pub(super) async fn is_alive(&mut self) -> bool {
        std::future::poll_fn(|task| {
            // Nothing is owed, so no message is for anybody.
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
            match self.incoming.message() {
                Ok(Some(letter)) => {
                    self.track(letter);
                    if !tag::ASIDE.contains(&letter) {
                        return Poll::Ready(Ok(letter));
                    }
                }
                Ok(None) => {
                    if let Some(cause) = &self.lost {
                        return Poll::Ready(Err(ReceiveError::Lost(cause.clone())));
                    }
                    // A server that is told much may have to say something first, so writing does not keep from reading.
                    let _ = self.poll_write(task);
                    if self.poll_read(task).is_pending() && self.lost.is_none() {
                        return Poll::Pending;
                    }
                }
                // It is not read, so nothing that comes after it is.
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

    /// Keeps the books.
    fn track(&mut self, letter: u8) {
        match letter {
            tag::READY => {
                self.owed = self.owed.saturating_sub(1);
                self.is_outside = self.body() == b"I";
                self.incoming.shrink();
            }
            // Nobody asked, so it is the server's farewell.
            tag::ERROR if self.owed == 0 => self.lost = Some(PostgresError::read(self.body()).message),
            _ => {}
        }
    }

    /// Writes as much as the system takes.
    fn poll_write(&mut self, task: &mut Context<'_>) -> Poll<()> {
        self.is_large |= self.outgoing.len() > KEPT;
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
        // Why the server has hung up may stand in what can still be read.
        self.outgoing.clear();
        self.lost = Some(tls::describe(error));
    }

    /// Reads once.
    fn poll_read(&mut self, task: &mut Context<'_>) -> Poll<()> {
        let free = self.incoming.free();
        let room = free.len();
        let mut bytes = ReadBuf::new(free);
        let outcome = ready!(Pin::new(&mut self.socket).poll_read(task, &mut bytes));
        match (outcome, bytes.filled().len()) {
            (Ok(()), 0) => self.lost = Some("the server has closed the connection".into()),
            (Ok(()), read) => self.incoming.fill(read, read == room),
            (Err(error), _) => self.lost = Some(tls::describe(&error)),
        }
        Poll::Ready(())
    }

    /// Ready at the deadline.
    fn poll_timeout(&mut self, task: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        if self.alarm.deadline() > deadline || self.alarm.is_elapsed() {
            self.alarm.as_mut().reset(deadline);
        }
        while self.alarm.as_mut().poll(task).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            self.alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

impl fmt::Debug for WireProtocol {
    /// What is on its way are values of users, so it has lengths instead.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Wire")
            .field("outgoing", &self.outgoing.len())
            .field("incoming", &self.incoming.held())
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

/// Why no message comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReceiveError {
    /// It has not come in time.
    Late,
    /// It has a length that nobody wants; the connection is lost.
    Long,
    /// It is long, and there is no room for it; the connection is lost.
    OutOfMemory(OutOfMemory),
    /// The connection is lost.
    Lost(String),
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;

    use super::*;

    fn wire() -> (WireProtocol, UnixStream) {
        let (own, other) = UnixStream::pair().unwrap();
        (WireProtocol::new(Socket::Unix(own), MemoryBudget::default()), other)
    }

    #[tokio::test]
    async fn the_room_for_large_parameters_is_given_up_once_they_have_left() {
        let (mut wire, mut server) = wire();
        let reader = tokio::spawn(async move {
            let mut read = vec![0; 1 << 16];
            while server.read(&mut read).await.unwrap() > 0 {}
        });
        wire.execute("s", &[Some("x".repeat(5 << 20))]).unwrap();
        wire.sync();
        assert_eq!(wire.next(Instant::now() + Duration::from_millis(500)).await, Err(ReceiveError::Late));
        assert!(wire.outgoing.is_empty() && wire.outgoing.capacity() <= KEPT, "{}", wire.outgoing.capacity());
        drop(wire);
        reader.await.unwrap();
    }

    #[tokio::test]
    async fn what_stands_before_something_that_cannot_be_said_never_leaves() {
        let (mut wire, mut server) = wire();
        wire.parse("s", "SELECT 1").unwrap();
        let many = vec![None; 70_000];
        assert!(matches!(wire.execute("s", &many), Err(DatabaseError::Protocol(_))));
        assert!(!wire.is_idle());
        drop(wire);
        let mut said = Vec::new();
        server.read_to_end(&mut said).await.unwrap();
        assert_eq!(said, b"");
    }
}
