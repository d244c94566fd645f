//! Sends HTTP as raw bytes, for requests that no HTTP client makes.

use std::net::SocketAddr;
use std::time::Duration;

use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection.
pub(super) struct Socket {
    stream: TcpStream,
    read: Vec<u8>,
}

/// Longer than any response takes.
const PATIENCE: Duration = Duration::from_secs(15);

impl Socket {
    /// Connects.
    pub(super) async fn connect(address: SocketAddr) -> Socket {
        Socket {
            stream: TcpStream::connect(address).await.unwrap(),
            read: Vec::new(),
        }
    }

    /// Sends bytes. Errors are ignored: if the server has closed the connection, its response says
    /// why.
    pub(super) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref()).await;
    }

    /// Sends a request to the GraphQL endpoint as `reader`, with a body and any further headers.
    pub(super) async fn post(&mut self, headers: &str, body: &[u8]) {
        let length = body.len();
        let head = format!(
            "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nX-Gateway-Admin-Secret: \
             {ADMIN_SECRET}\r\nX-Gateway-Role: reader\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        self.send(head).await;
        self.send(body).await;
    }

    /// Reads a response; `None` if the connection ends before it or [`PATIENCE`] passes.
    pub(super) async fn reply(&mut self) -> Option<Reply> {
        tokio::time::timeout(PATIENCE, self.whole()).await.ok()?
    }

    /// Whether the server closes the connection within that time, without a response.
    pub(super) async fn is_dropped(&mut self, patience: Duration) -> bool {
        let mut buffer = [0; 1024];
        matches!(
            tokio::time::timeout(patience, self.stream.read(&mut buffer)).await,
            Ok(Ok(0) | Err(_))
        )
    }

    /// Whether the server closes the connection within that time, whatever it sends before.
    pub(super) async fn is_ended(&mut self, patience: Duration) -> bool {
        let mut rest = Vec::new();
        tokio::time::timeout(patience, self.stream.read_to_end(&mut rest))
            .await
            .is_ok()
    }

    async fn whole(&mut self) -> Option<Reply> {
        let head = loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = self.read.split_off(end + 4);
                break String::from_utf8(std::mem::replace(&mut self.read, rest)).unwrap();
            }
            self.more().await?;
        };
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let mut headers = reqwest::header::HeaderMap::new();
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            let name: reqwest::header::HeaderName = name.parse().unwrap();
            headers.append(name, value.parse().unwrap());
        }
        let length = headers
            .get("content-length")
            .map_or(0, |value| value.to_str().unwrap().parse().unwrap());
        while self.read.len() < length {
            self.more().await?;
        }
        let rest = self.read.split_off(length);
        let text = String::from_utf8(std::mem::replace(&mut self.read, rest)).unwrap();
        Some(Reply {
            status,
            headers,
            text,
        })
    }

    async fn more(&mut self) -> Option<()> {
        match self.stream.read_buf(&mut self.read).await {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(()),
        }
    }
}
