//! The socket to a server: where it leads, how it is opened, and what the system is told about it. What is said over it is
//! left to [`super::wire`].

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::config::Host;
use tokio_postgres::{CancelToken, Config, NoTls};

/// An open connection of the operating system.
#[derive(Debug)]
pub(super) enum Socket {
    /// Over the network.
    Tcp(TcpStream),
    /// Over a file.
    Unix(UnixStream),
}

/// Where a server listens. Cancel requests go to the very place that the connection was made to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Host and port; a name may have several addresses.
    Named(String, u16),
    /// An address.
    Tcp(SocketAddr),
    /// A socket's file.
    Unix(PathBuf),
}

impl Place {
    /// All places that a configuration names, in its order.
    pub(super) fn all(config: &Config) -> Vec<Place> {
        let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
        let of = |number: usize| {
            let port = ports.get(number).or_else(|| ports.first()).copied().unwrap_or(5432);
            match (addresses.get(number), hosts.get(number)) {
                (Some(address), _) => Some(Place::Tcp((*address, port).into())),
                (None, Some(Host::Tcp(host))) => Some(Place::Named(host.clone(), port)),
                (None, Some(Host::Unix(folder))) => Some(Place::Unix(folder.join(format!(".s.PGSQL.{port}")))),
                (None, None) => None,
            }
        };
        (0..hosts.len().max(addresses.len())).filter_map(of).collect()
    }

    /// The addresses behind a name.
    pub(super) async fn resolved(&self) -> io::Result<Vec<Place>> {
        match self {
            Place::Named(host, port) => {
                Ok(tokio::net::lookup_host((host.as_str(), *port)).await?.map(Place::Tcp).collect())
            }
            place => Ok(vec![place.clone()]),
        }
    }

    async fn open(&self) -> io::Result<Socket> {
        match self {
            Place::Named(host, port) => Ok(Socket::Tcp(TcpStream::connect((host.as_str(), *port)).await?)),
            Place::Tcp(address) => Ok(Socket::Tcp(TcpStream::connect(address).await?)),
            Place::Unix(path) => Ok(Socket::Unix(UnixStream::connect(path).await?)),
        }
    }

    /// Has what runs on a connection to this place cancelled, and waits until the server has closed the socket: only then
    /// has the signal been sent, and it cannot hit the next statement.
    pub(super) async fn cancel(&self, token: &CancelToken) -> Option<()> {
        let mut socket = self.open().await.ok()?;
        token.cancel_query_raw(&mut socket, NoTls).await.ok()?;
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).await.ok().map(drop)
    }
}

impl Socket {
    /// Connects as the configuration wants it.
    pub(super) async fn open(place: &Place, config: &Config) -> io::Result<Socket> {
        let socket = place.open().await?;
        if let Socket::Tcp(stream) = &socket {
            stream.set_nodelay(true)?;
            stay_alive(stream, config)?;
        }
        Ok(socket)
    }

    /// Writes what can be written without waiting, and forgets about the rest.
    pub(super) fn say(&self, bytes: &[u8]) {
        // It is the last word on a connection that nobody needs any more.
        let _ = match self {
            Socket::Tcp(stream) => stream.try_write(bytes),
            Socket::Unix(stream) => stream.try_write(bytes),
        };
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
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_write(task, bytes),
            Socket::Unix(stream) => Pin::new(stream).poll_write(task, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Tcp(stream) => Pin::new(stream).poll_shutdown(task),
            Socket::Unix(stream) => Pin::new(stream).poll_shutdown(task),
        }
    }
}

/// A socket that is read byte by byte: whoever reads the greeting takes nothing of what comes after it.
pub(super) struct Sip<'s>(pub(super) &'s mut Socket);

impl AsyncRead for Sip<'_> {
    fn poll_read(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut byte = [0];
        let mut one = ReadBuf::new(&mut byte);
        ready!(Pin::new(&mut *self.get_mut().0).poll_read(task, &mut one))?;
        bytes.put_slice(one.filled());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Sip<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn places(url: &str) -> Vec<Place> {
        Place::all(&url.parse().unwrap())
    }

    #[test]
    fn every_place_of_a_url_is_known() {
        assert_eq!(places("postgres://u@db:6000/d"), [Place::Named("db".into(), 6000)]);
        assert_eq!(places("host=/run/pg user=u"), [Place::Unix("/run/pg/.s.PGSQL.5432".into())]);
        assert_eq!(places("postgres://u@a:1,b:2/d"), [Place::Named("a".into(), 1), Place::Named("b".into(), 2)]);
        let address = Place::Tcp(([127, 0, 0, 1], 5432).into());
        assert_eq!(places("host=a hostaddr=127.0.0.1 user=u"), [address]);
    }
}
