//! The byte stream of a client's connection: plain TCP, or TLS after its handshake. The handshake
//! must end within the time limit of a request's head; a client that speaks plain HTTP to a TLS
//! port gets an error in plain HTTP.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::config::dialect::Profile;
use crate::error::{Error, InvalidRequest};

/// An accepted connection.
pub enum ClientStream {
    /// Without TLS.
    Plain(TcpStream),
    /// With TLS. Boxed, so that plain ones stay small.
    Tls(Box<TlsStream<TcpStream>>),
}

/// The first byte of a TLS connection: the type of a handshake record.
const TLS_HANDSHAKE_RECORD: u8 = 0x16;

/// The most bytes that are read and discarded of a request that came without TLS.
const MAX_DRAINED_BYTES: u64 = 64 << 10;

impl ClientStream {
    /// Performs the handshake within `limit`; returns `None` for a client that sends nothing or
    /// plain HTTP.
    ///
    /// Errors: the handshake fails or takes too long.
    pub async fn accept(
        stream: TcpStream,
        config: Arc<ServerConfig>,
        limit: Duration,
        profile: Profile,
    ) -> io::Result<Option<ClientStream>> {
        let mut first = [0];
        let deadline = Instant::now() + limit;
        let accepted = match tokio::time::timeout_at(deadline, stream.peek(&mut first)).await {
            Ok(Ok(0)) => return Ok(None),
            // A letter begins an HTTP/1 request, or the preface of HTTP/2.
            Ok(Ok(_)) if first != [TLS_HANDSHAKE_RECORD] && first[0].is_ascii_alphabetic() => {
                // Whether the client reads the error is its own affair.
                let refused = refuse_plain_http(stream, profile);
                let _ = tokio::time::timeout_at(deadline, refused).await;
                return Ok(None);
            }
            Ok(Ok(_)) => {
                let handshake = TlsAcceptor::from(config).accept(stream);
                tokio::time::timeout_at(deadline, handshake).await
            }
            Ok(Err(error)) => Ok(Err(error)),
            Err(late) => Err(late),
        };
        let accepted = accepted.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        if let Err(error) = &accepted {
            tracing::debug!(%error, "a TLS handshake has failed");
        }
        accepted.map(|stream| Some(ClientStream::Tls(Box::new(stream))))
    }
}

/// Answers plain HTTP on a TLS port, and reads on so that the response is not lost when the
/// connection is reset.
async fn refuse_plain_http(mut stream: TcpStream, profile: Profile) -> io::Result<()> {
    let body = Error::from(InvalidRequest::PlainHttp)
        .to_graphql("", profile)
        .to_string();
    let length = body.len();
    let response = format!(
        "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: \
                            application/json; charset=utf-8\r\n\
                            content-length: {length}\r\nx-content-type-options: \
                            nosniff\r\n\r\n{body}"
    );
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(MAX_DRAINED_BYTES), &mut tokio::io::sink())
        .await
        .map(drop)
}

impl AsyncRead for ClientStream {
    fn poll_read(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ClientStream::Plain(stream) => Pin::new(stream).poll_read(task, bytes),
            ClientStream::Tls(stream) => Pin::new(stream).poll_read(task, bytes),
        }
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            ClientStream::Plain(stream) => Pin::new(stream).poll_write(task, bytes),
            ClientStream::Tls(stream) => Pin::new(stream).poll_write(task, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            ClientStream::Plain(stream) => Pin::new(stream).poll_write_vectored(task, slices),
            ClientStream::Tls(stream) => Pin::new(stream).poll_write_vectored(task, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            ClientStream::Plain(stream) => stream.is_write_vectored(),
            ClientStream::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ClientStream::Plain(stream) => Pin::new(stream).poll_flush(task),
            ClientStream::Tls(stream) => Pin::new(stream).poll_flush(task),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            ClientStream::Plain(stream) => Pin::new(stream).poll_shutdown(task),
            ClientStream::Tls(stream) => Pin::new(stream).poll_shutdown(task),
        }
    }
}
