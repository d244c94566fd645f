//! A WebSocket client that sends and reads single messages.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};

use super::service::Service;

/// The name of the current protocol.
pub(crate) const TRANSPORT: &str = "graphql-transport-ws";

/// The name of the legacy protocol.
pub(crate) const LEGACY: &str = "graphql-ws";

/// Longer than anything takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// A WebSocket.
pub(crate) struct WebSocket {
    /// The socket.
    pub(crate) stream: WebSocketStream<TcpStream>,
    /// The subprotocol that the gateway has selected.
    pub(crate) protocol: Option<String>,
}

impl WebSocket {
    /// Opens a WebSocket with this protocol and these headers.
    pub(crate) async fn open(
        address: SocketAddr,
        protocol: Option<&str>,
        headers: &[(&str, &str)],
    ) -> WebSocket {
        let mut request = format!("ws://{address}/v1/graphql")
            .into_client_request()
            .unwrap();
        let protocol = protocol.map(|protocol| ("sec-websocket-protocol", protocol));
        for (name, value) in headers.iter().copied().chain(protocol) {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            request
                .headers_mut()
                .insert(name, HeaderValue::from_str(value).unwrap());
        }
        let stream = TcpStream::connect(address).await.unwrap();
        // tungstenite's client refuses a response without the protocol that it asked for, so this
        // one asks by itself.
        let offered = request.headers_mut().remove("sec-websocket-protocol");
        let (stream, protocol) = match offered {
            None => {
                let (stream, response) = tokio_tungstenite::client_async(request, stream)
                    .await
                    .unwrap();
                assert_eq!(response.headers().get("sec-websocket-protocol"), None);
                (stream, None)
            }
            Some(offered) => {
                request
                    .headers_mut()
                    .insert("sec-websocket-protocol", offered);
                raw_handshake(request, stream).await
            }
        };
        WebSocket { stream, protocol }
    }

    /// Opens a WebSocket whose role is `reader`, acknowledged.
    pub(super) async fn reader(service: &Service, protocol: &str) -> WebSocket {
        WebSocket::reader_at(service.address(), protocol).await
    }

    /// The same at any address.
    pub(super) async fn reader_at(address: SocketAddr, protocol: &str) -> WebSocket {
        let mut socket = WebSocket::open(address, Some(protocol), &[]).await;
        socket
            .init(
                &json!({"headers": {"X-Gateway-Admin-Secret": ADMIN_SECRET, "X-Gateway-Role": "reader"}}),
            )
            .await;
        assert_eq!(socket.message().await, json!({"type": "connection_ack"}));
        if protocol == LEGACY {
            assert_eq!(socket.message().await, json!({"type": "ka"}));
        }
        socket
    }

    /// Sends `connection_init` with this payload.
    pub(crate) async fn init(&mut self, payload: &Value) {
        self.send(&json!({"type": "connection_init", "payload": payload}))
            .await;
    }

    /// Sends a message. Errors are ignored: if the gateway has closed the socket, its close frame
    /// says why.
    pub(crate) async fn send(&mut self, message: &Value) {
        self.text(message.to_string()).await;
    }

    /// Sends text.
    pub(crate) async fn text(&mut self, text: impl Into<String>) {
        let _ = self.stream.send(Message::text(text.into())).await;
    }

    /// Starts an operation.
    pub(crate) async fn start(&mut self, id: &str, query: &str) {
        let kind = if self.protocol.as_deref() == Some(LEGACY) {
            "start"
        } else {
            "subscribe"
        };
        self.send(&json!({"type": kind, "id": id, "payload": {"query": query}}))
            .await;
    }

    /// The next message.
    pub(crate) async fn message(&mut self) -> Value {
        match self.next().await {
            Some(Message::Text(text)) => serde_json::from_str(&text).unwrap(),
            other => panic!("not a message: {other:?}"),
        }
    }

    /// The next message, or the code and the reason of the close frame.
    pub(crate) async fn next_message(&mut self) -> Result<Value, (u16, String)> {
        match self.next().await {
            Some(Message::Close(Some(frame))) => Err((frame.code.into(), frame.reason.to_string())),
            Some(Message::Text(text)) => Ok(serde_json::from_str(&text).unwrap()),
            other => panic!("not closed: {other:?}"),
        }
    }

    /// The code and the reason of the close frame. Messages before it are skipped.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        loop {
            if let Err(closed) = self.next_message().await {
                return closed;
            }
        }
    }

    /// Whether the gateway drops the connection without a close frame.
    pub(crate) async fn is_dropped(&mut self) -> bool {
        loop {
            match tokio::time::timeout(PATIENCE, self.stream.next())
                .await
                .expect("nothing arrives")
            {
                None | Some(Err(_)) => return true,
                Some(Ok(Message::Close(_))) => return false,
                Some(Ok(_)) => {}
            }
        }
    }

    async fn next(&mut self) -> Option<Message> {
        loop {
            let received = tokio::time::timeout(PATIENCE, self.stream.next())
                .await
                .expect("nothing arrives");
            match received {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(message)) => return Some(message),
                Some(Err(error)) => panic!("{error}"),
                None => return None,
            }
        }
    }
}

/// A handshake that accepts whatever subprotocol the response has.
async fn raw_handshake(
    request: tokio_tungstenite::tungstenite::handshake::client::Request,
    mut stream: TcpStream,
) -> (WebSocketStream<TcpStream>, Option<String>) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_tungstenite::tungstenite::protocol::Role;

    let mut head = format!("GET {} HTTP/1.1\r\n", request.uri().path());
    for (name, value) in request.headers() {
        head += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    stream
        .write_all(format!("{head}\r\n").as_bytes())
        .await
        .unwrap();
    let mut response = Vec::new();
    while !response.ends_with(b"\r\n\r\n") {
        response.push(
            tokio::time::timeout(PATIENCE, stream.read_u8())
                .await
                .expect("no response")
                .unwrap(),
        );
    }
    let response = String::from_utf8(response).unwrap().to_ascii_lowercase();
    assert!(response.starts_with("http/1.1 101"), "{response}");
    let protocol = response
        .lines()
        .find_map(|line| line.strip_prefix("sec-websocket-protocol: "))
        .map(str::to_owned);
    (
        WebSocketStream::from_raw_socket(stream, Role::Client, None).await,
        protocol,
    )
}
