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
    /// Performs the handshake within `limit`; returns `None` if it fails.
    pub async fn accept(
        stream: TcpStream,
        config: Arc<ServerConfig>,
        limit: Duration,
        profile: Profile,
    ) -> Option<ClientStream> {
        let accepted = tokio::time::timeout(limit, handshake(stream, config, profile)).await;
        match accepted {
            Ok(Ok(accepted)) => accepted,
            Ok(Err(error)) => {
                tracing::debug!(%error, "a TLS handshake has failed");
                None
            }
            Err(_) => {
                tracing::debug!("a TLS handshake has taken too long");
                None
            }
        }
    }
}

async fn handshake(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    profile: Profile,
) -> io::Result<Option<ClientStream>> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 {
        return Ok(None);
    }
    // A letter begins an HTTP/1 request, or the preface of HTTP/2.
    if first != [TLS_HANDSHAKE_RECORD] && first[0].is_ascii_alphabetic() {
        refuse_plain_http(stream, profile).await?;
        return Ok(None);
    }
    let accepted = TlsAcceptor::from(config).accept(stream).await?;
    Ok(Some(ClientStream::Tls(Box::new(accepted))))
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
