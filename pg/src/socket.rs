//! The socket to a server: its address, connecting, and TCP options. The messages on it are left to
//! [`crate::protocol`], and negotiating TLS to [`crate::sign_in`].

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::Config;
use tokio_rustls::client::TlsStream;

/// An open socket.
#[derive(Debug)]
pub(crate) enum Socket {
    /// TCP without TLS.
    Tcp(TcpStream),
    /// A Unix socket.
    Unix(UnixStream),
    /// TCP with TLS. Boxed to keep the enum small.
    Tls(Box<TlsStream<TcpStream>>),
}

/// The address of a server. Cancel requests go to the exact address of their connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerAddress {
    /// A host name, which may have several addresses, and a port.
    Named(String, u16),
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// The file of a Unix socket.
    Unix(PathBuf),
}

impl ServerAddress {
    /// Resolves a host name to its addresses.
    pub(crate) async fn resolved(&self) -> io::Result<Vec<ServerAddress>> {
        match self {
            ServerAddress::Named(host, port) => Ok(tokio::net::lookup_host((host.as_str(), *port))
                .await?
                .map(ServerAddress::Tcp)
                .collect()),
            address => Ok(vec![address.clone()]),
        }
    }

    async fn open(&self) -> io::Result<Socket> {
        match self {
            ServerAddress::Named(host, port) => Ok(Socket::Tcp(
                TcpStream::connect((host.as_str(), *port)).await?,
            )),
            ServerAddress::Tcp(address) => Ok(Socket::Tcp(TcpStream::connect(address).await?)),
            ServerAddress::Unix(path) => Ok(Socket::Unix(UnixStream::connect(path).await?)),
        }
    }

    /// Whether the connection stays on this machine.
    pub(crate) fn is_local(&self) -> bool {
        match self {
            ServerAddress::Named(..) => false,
            ServerAddress::Tcp(address) => address.ip().to_canonical().is_loopback(),
            ServerAddress::Unix(_) => true,
        }
    }
}

/// Host and port as shown in messages: `localhost:5432`.
impl std::fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServerAddress::Named(host, port) => write!(formatter, "{host}:{port}"),
            ServerAddress::Tcp(address) => write!(formatter, "{address}"),
            ServerAddress::Unix(path) => write!(formatter, "{}", path.display()),
        }
    }
}

impl Socket {
    /// Connects and sets the TCP options of the configuration.
    pub(crate) async fn open(address: &ServerAddress, config: &Config) -> io::Result<Socket> {
        let socket = address.open().await?;
        if let Socket::Tcp(stream) = &socket {
            stream.set_nodelay(true)?;
            set_keepalive(stream, config)?;
        }
        Ok(socket)
    }

    /// Writes as much as possible without waiting and ignores errors.
    pub(crate) fn write_now(&mut self, bytes: &[u8]) {
        // The connection is about to be closed, so a lost message does no harm.
        let _ = match self {
            Socket::Tcp(stream) => stream.try_write(bytes),
            Socket::Unix(stream) => stream.try_write(bytes),
            Socket::Tls(stream) => {
                let mut task = Context::from_waker(Waker::noop());
                let _ = Pin::new(&mut *stream).poll_write(&mut task, bytes);
                let _ = Pin::new(stream).poll_shutdown(&mut task);
                return;
            }
        };
    }

    /// Flushes the bytes that TLS has buffered. Plain sockets buffer nothing.
    pub(crate) fn poll_sent(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Socket::Tcp(_) | Socket::Unix(_) => Poll::Ready(Ok(())),
            Socket::Tls(stream) => Pin::new(stream).poll_flush(task),
        }
    }

    /// Whether TLS has buffered bytes that were not sent.
    pub(crate) fn holds_unsent(&self) -> bool {
        match self {
            Socket::Tcp(_) | Socket::Unix(_) => false,
            Socket::Tls(stream) => stream.get_ref().1.wants_write(),
        }
    }

    /// Whether the socket uses TLS.
    pub(crate) fn is_encrypted(&self) -> bool {
        matches!(self, Socket::Tls(_))
    }
}

fn set_keepalive(stream: &TcpStream, config: &Config) -> io::Result<()> {
    let socket = socket2::SockRef::from(stream);
    #[cfg(target_os = "linux")]
    if let Some(limit) = config.get_tcp_user_timeout() {
        socket.set_tcp_user_timeout(Some(*limit))?;
    }
    if !config.get_keepalives() {
        return Ok(());
    }
    let mut alive = socket2::TcpKeepalive::new().with_time(config.get_keepalives_idle());
    if let Some(interval) = config.get_keepalives_interval() {
        alive = alive.with_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        alive = alive.with_retries(retries);
    }
    socket.set_tcp_keepalive(&alive)
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_read(task, bytes),
            Socket::Unix(stream) => Pin::new(stream).poll_read(task, bytes),
            Socket::Tls(stream) => Pin::new(stream).poll_read(task, bytes),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_write(task, bytes),
            Socket::Unix(stream) => Pin::new(stream).poll_write(task, bytes),
            Socket::Tls(stream) => Pin::new(stream).poll_write(task, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_sent(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_shutdown(task),
            Socket::Unix(stream) => Pin::new(stream).poll_shutdown(task),
            Socket::Tls(stream) => Pin::new(stream).poll_shutdown(task),
        }
    }
}

/// Reads a socket byte by byte, so that the driver consumes nothing after the startup messages.
pub(crate) struct BytewiseReader<'s>(pub(crate) &'s mut Socket);

impl AsyncRead for BytewiseReader<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut byte = [0];
        let mut one = ReadBuf::new(&mut byte);
        ready!(Pin::new(&mut *self.get_mut().0).poll_read(task, &mut one))?;
        bytes.put_slice(one.filled());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for BytewiseReader<'_> {
    fn poll_write(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.get_mut().0).poll_write(task, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().0).poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().0).poll_shutdown(task)
    }
}
