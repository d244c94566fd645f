//! A port that forwards to another port of this machine, which may change: a restarted server
//! listens on a new one. It cuts connections, and holds their bytes back.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The port.
pub(crate) struct Switch {
    address: SocketAddr,
    target: Arc<AtomicU16>,
    cuts: watch::Sender<()>,
    is_held: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Switch {
    /// Forwards to this port.
    pub(crate) async fn start(target: u16) -> Switch {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let target = Arc::new(AtomicU16::new(target));
        let cuts = watch::Sender::new(());
        let is_held = watch::Sender::new(false);
        let leads = target.clone();
        let connections = (cuts.clone(), is_held.clone());
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let mut cut = connections.0.subscribe();
                let held = connections.1.subscribe();
                let port = leads.load(Ordering::SeqCst);
                tokio::spawn(async move {
                    tokio::select! {
                        _ = forward(client, port, held) => {}
                        _ = cut.changed() => {}
                    }
                });
            }
        });
        Switch {
            address,
            target,
            cuts,
            is_held,
            task,
        }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a database through it.
    pub(crate) fn url(&self, direct: &str) -> String {
        let (before, rest) = direct.split_once('@').unwrap();
        format!(
            "{before}@{}/{}",
            self.address,
            rest.split_once('/').unwrap().1
        )
    }

    /// Forwards further connections to another port.
    pub(crate) fn lead_to(&self, port: u16) {
        self.target.store(port, Ordering::SeqCst);
    }

    /// Ends all connections.
    pub(crate) fn cut(&self) {
        self.cuts.send_replace(());
    }

    /// Holds back all bytes, or lets them go on.
    pub(crate) fn hold(&self, is_held: bool) {
        self.is_held.send_replace(is_held);
    }
}

impl Drop for Switch {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

async fn forward(client: TcpStream, port: u16, held: watch::Receiver<bool>) -> Option<()> {
    let server = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::join!(
        copy(from_client, to_server, held.clone()),
        copy(from_server, to_client, held)
    );
    Some(())
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut held: watch::Receiver<bool>,
) {
    let mut bytes = vec![0; 1 << 14];
    while let Ok(read) = from.read(&mut bytes).await {
        if held.wait_for(|is_held| !is_held).await.is_err()
            || read == 0
            || to.write_all(&bytes[..read]).await.is_err()
        {
            break;
        }
    }
    let _ = to.shutdown().await;
}
