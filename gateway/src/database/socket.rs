//! The socket to a server: where it leads, how it is opened, and what the system is told about it. What is said over it is
//! left to [`super::protocol`], when it is one of TLS to [`super::sign_in`].

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::Config;
use tokio_rustls::client::TlsStream;

/// An open connection of the operating system.
#[derive(Debug)]
pub(super) enum Socket {
    /// Over the network.
    Tcp(TcpStream),
    /// Over a file.
    Unix(UnixStream),
    /// Over the network, encrypted. Boxed, so that the others stay small.
    Tls(Box<TlsStream<TcpStream>>),
}

/// Where a server listens. Cancel requests go to the very place that the connection was made to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ServerAddress {
    /// Host and port; a name may have several addresses.
    Named(String, u16),
    /// An address.
    Tcp(SocketAddr),
    /// A socket's file.
    Unix(PathBuf),
}

impl ServerAddress {
    /// The addresses behind a name.
    pub(super) async fn resolved(&self) -> io::Result<Vec<ServerAddress>> {
        match self {
            ServerAddress::Named(host, port) => {
                Ok(tokio::net::lookup_host((host.as_str(), *port)).await?.map(ServerAddress::Tcp).collect())
            }
            place => Ok(vec![place.clone()]),
        }
    }

    async fn open(&self) -> io::Result<Socket> {
        match self {
            ServerAddress::Named(host, port) => Ok(Socket::Tcp(TcpStream::connect((host.as_str(), *port)).await?)),
            ServerAddress::Tcp(address) => Ok(Socket::Tcp(TcpStream::connect(address).await?)),
            ServerAddress::Unix(path) => Ok(Socket::Unix(UnixStream::connect(path).await?)),
        }
    }

    /// Whether what is said there leaves this machine.
    pub(super) fn is_local(&self) -> bool {
        match self {
            ServerAddress::Named(..) => false,
            ServerAddress::Tcp(address) => address.ip().to_canonical().is_loopback(),
            ServerAddress::Unix(_) => true,
        }
    }
}

/// Host and port, as messages name a server: `localhost:5432`.
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
    /// Connects as the configuration wants it.
    pub(super) async fn open(place: &ServerAddress, config: &Config) -> io::Result<Socket> {
        let socket = place.open().await?;
        if let Socket::Tcp(stream) = &socket {
            stream.set_nodelay(true)?;
            stay_alive(stream, config)?;
        }
        Ok(socket)
    }

    /// Writes what can be written without waiting, and forgets about the rest.
    pub(super) fn write_now(&mut self, bytes: &[u8]) {
        // It is the last word on a connection that nobody needs any more.
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

    /// Writes what TLS still holds of what was written. Plain sockets hold nothing.
    pub(super) fn poll_sent(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Socket::Tcp(_) | Socket::Unix(_) => Poll::Ready(Ok(())),
            Socket::Tls(stream) => Pin::new(stream).poll_flush(task),
        }
    }

    /// Whether something that was written has not left yet.
    pub(super) fn holds_unsent(&self) -> bool {
        match self {
            Socket::Tcp(_) | Socket::Unix(_) => false,
            Socket::Tls(stream) => stream.get_ref().1.wants_write(),
        }
    }

    /// Whether it is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        matches!(self, Socket::Tls(_))
    }
}

fn stay_alive(stream: &TcpStream, config: &Config) -> io::Result<()> {
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
    fn poll_read(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_read(task, bytes),
            Socket::Unix(stream) => Pin::new(stream).poll_read(task, bytes),
            Socket::Tls(stream) => Pin::new(stream).poll_read(task, bytes),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
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

/// A socket that is read byte by byte: whoever reads the greeting takes nothing of what comes after it.
pub(super) struct BytewiseReader<'s>(pub(super) &'s mut Socket);

impl AsyncRead for BytewiseReader<'_> {
    fn poll_read(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut byte = [0];
        let mut one = ReadBuf::new(&mut byte);
        ready!(Pin::new(&mut *self.get_mut().0).poll_read(task, &mut one))?;
        bytes.put_slice(one.filled());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for BytewiseReader<'_> {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.get_mut().0).poll_write(task, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().0).poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().0).poll_shutdown(task)
    }
}
