//! Reads and writes the frames of a WebSocket. Long messages are sent in fragments, so that a
//! socket needs no buffer of their length; a client that stops reading is given up after a time.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error as SocketError};
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

/// A WebSocket of which frames are read and written.
pub(super) struct Frames {
    socket: WebSocketStream<TokioIo<Upgraded>>,
    /// How long a frame may wait for a client that does not read.
    write_time: Duration,
}

/// Why a socket ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The client has closed it or is gone, or does not read.
    Gone,
    /// The gateway closes it with this code and reason.
    Close(u16, String),
}

/// What a client sends.
#[derive(Debug)]
pub(super) enum Received {
    /// A message.
    Text(Utf8Bytes),
    /// A ping, which has been answered, or a pong.
    Control,
}

/// The bytes of the buffer that each socket reads into. It grows for a longer frame.
const READ_BUFFER: usize = 4 << 10;

/// The bytes of a fragment.
const FRAGMENT_BYTES: usize = 16 << 10;

/// The longest time that a close frame may take, and that the client's own is waited for.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// The most bytes that are discarded of what a client sends after the close frame. A connection
/// that is closed before they are read is reset, and the client may lose the close frame.
const MAX_DISCARDED_BYTES: u64 = 64 << 20;

/// The longest reason of a close frame, in bytes.
const MAX_REASON: usize = 123;

/// How often the queue of a client that does not read is looked at.
const BLOCKED_INTERVAL: Duration = Duration::from_millis(500);

impl End {
    /// Closes with a code of the protocols or of WebSockets.
    pub(super) fn close(code: u16, reason: impl Into<String>) -> End {
        End::Close(code, reason.into())
    }
}

impl Frames {
    /// Speaks WebSocket on an upgraded connection. Messages from the client may have `max` bytes.
    pub(super) async fn new(upgraded: Upgraded, max: usize, write_time: Duration) -> Frames {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(0)
            .max_message_size(Some(max))
            .max_frame_size(Some(max));
        let socket =
            WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config))
                .await;
        Frames { socket, write_time }
    }

    /// Reads the next message or control frame.
    pub(super) async fn receive(&mut self) -> Result<Received, End> {
        match self.socket.next().await {
            Some(Ok(Message::Text(text))) => Ok(Received::Text(text)),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {
                Ok(Received::Control)
            }
            Some(Ok(Message::Binary(_))) => Err(End::close(4400, "messages have to be text")),
            Some(Ok(Message::Close(_))) => {
                // Sends the close frame that answers the client's.
                let _ = tokio::time::timeout(CLOSE_TIME, self.socket.flush()).await;
                Err(End::Gone)
            }
            Some(Err(error)) => Err(end_of(&error)),
            None => Err(End::Gone),
        }
    }

    /// Sends a text message that consists of these parts. `is_over` says whether more waits for
    /// this client, who does not read, than may wait.
    pub(super) async fn send(
        &mut self,
        parts: [Bytes; 3],
        is_over: impl Fn() -> bool,
    ) -> Result<(), End> {
        let length = parts.iter().map(Bytes::len).sum::<usize>();
        if length <= FRAGMENT_BYTES {
            let mut whole = BytesMut::with_capacity(length);
            parts.iter().for_each(|part| whole.extend_from_slice(part));
            return self
                .write(
                    Frame::message(whole, OpCode::Data(Data::Text), true),
                    is_over,
                )
                .await;
        }
        let mut left = length;
        let mut kind = Data::Text;
        for mut part in parts {
            while !part.is_empty() {
                let fragment = part.split_to(part.len().min(FRAGMENT_BYTES));
                left -= fragment.len();
                self.write(
                    Frame::message(fragment, OpCode::Data(kind), left == 0),
                    &is_over,
                )
                .await?;
                kind = Data::Continue;
            }
        }
        Ok(())
    }

    /// Sends a ping.
    pub(super) async fn ping(&mut self) -> Result<(), End> {
        self.write(Frame::ping(Bytes::new()), || false).await
    }

    async fn write(&mut self, frame: Frame, is_over: impl Fn() -> bool) -> Result<(), End> {
        let end = Instant::now() + self.write_time;
        let mut sent = std::pin::pin!(self.socket.send(Message::Frame(frame)));
        loop {
            tokio::select! {
                // Most writes are ready at once and need no timer.
                biased;
                sent = &mut sent => return sent.map_err(|_| End::Gone),
                () = tokio::time::sleep(BLOCKED_INTERVAL.min(self.write_time)) => {
                    if Instant::now() >= end || is_over() {
                        return Err(End::Gone);
                    }
                }
            }
        }
    }

    /// Sends a close frame, and waits a moment for the client to close as well.
    pub(super) async fn close(mut self, code: u16, mut reason: String) {
        let end = (0..=MAX_REASON.min(reason.len()))
            .rev()
            .find(|end| reason.is_char_boundary(*end));
        reason.truncate(end.unwrap_or_default());
        let frame = CloseFrame {
            code: CloseCode::from(code),
            reason: reason.into(),
        };
        let closing = async {
            if self.socket.send(Message::Close(Some(frame))).await.is_err() {
                return;
            }
            let mut stream = self.socket.into_inner();
            if stream.shutdown().await.is_ok() {
                let _ = tokio::io::copy(
                    &mut stream.take(MAX_DISCARDED_BYTES),
                    &mut tokio::io::sink(),
                )
                .await;
            }
        };
        let _ = tokio::time::timeout(CLOSE_TIME, closing).await;
    }
}

/// How a socket ends after an error of the WebSocket protocol.
fn end_of(error: &SocketError) -> End {
    let (code, reason) = match error {
        SocketError::Capacity(CapacityError::MessageTooLong { max_size, .. }) => (
            CloseCode::Size,
            format!("a message may have {max_size} bytes at most"),
        ),
        SocketError::Utf8(_) => (CloseCode::Invalid, "a message is not UTF-8".to_owned()),
        SocketError::Protocol(error) => (CloseCode::Protocol, error.to_string()),
        _ => return End::Gone,
    };
    End::close(code.into(), reason)
}
