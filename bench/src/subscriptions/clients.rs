//! The subscribers: WebSockets with `graphql-transport-ws`, each with several operations. Every
//! result is reported with the time of its arrival and the number of the change that it shows.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;

use super::rows::{self, Sets};
use crate::Failure;

/// What subscribers read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Query {
    /// The five newest rows of a set.
    Page,
    /// The newest row of a set by its key.
    Key,
}

impl Query {
    /// The document without its first word.
    pub(super) fn selection(self) -> &'static str {
        match self {
            Query::Page => {
                "($c: uuid!) { subjects(where: {controller_id: {_eq: $c}}, order_by: \
                            {created_at: desc}, limit: 5) \
                            { id email status } }"
            }
            Query::Key => "($c: uuid!) { subjects_by_pk(id: $c) { id email status } }",
        }
    }

    /// The variables of a set.
    pub(super) fn variables(self, set: usize) -> Value {
        match self {
            Query::Page => json!({"c": rows::controller(set)}),
            Query::Key => json!({"c": rows::newest(set)}),
        }
    }

    /// The path of the newest row's status in a message.
    fn status(self) -> &'static str {
        match self {
            Query::Page => "/payload/data/subjects/0/status",
            Query::Key => "/payload/data/subjects_by_pk/status",
        }
    }
}

/// How many sockets are opened at the same time.
const MAX_OPENING_SOCKETS: usize = 32;

/// How long the first results may take.
const FIRST_RESULT_TIMEOUT: Duration = Duration::from_secs(120);

/// A result that a subscriber has received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// The number of the subscriber.
    pub(super) subscriber: usize,
    /// The number of the last change that the result contains; 0 before the first one.
    pub(super) change: u64,
    /// The time of its arrival.
    pub(super) at: Instant,
}

/// The connected subscribers. Dropping them closes their sockets.
#[derive(Debug)]
pub(super) struct Clients {
    arrivals: mpsc::UnboundedReceiver<Result<Arrival, String>>,
    _sockets: JoinSet<()>,
}

impl Clients {
    /// Opens the sockets, starts the operations and waits until every subscriber has its first
    /// result.
    pub(super) async fn start(
        address: SocketAddr,
        token: &str,
        query: Query,
        sets: Sets,
        sockets: usize,
    ) -> Result<Clients, Failure> {
        let (sender, arrivals) = mpsc::unbounded_channel();
        let mut running = JoinSet::new();
        let opening = Arc::new(Semaphore::new(MAX_OPENING_SOCKETS));
        for socket in 0..sockets {
            let sender = sender.clone();
            let opening = opening.clone();
            let token = token.to_owned();
            let subscribers = (socket..sets.subscribers).step_by(sockets);
            let subscribers: Vec<_> = subscribers
                .map(|subscriber| (subscriber, sets.set_of(subscriber)))
                .collect();
            running.spawn(async move {
                let outcome = serve(address, &token, query, subscribers, &opening, &sender).await;
                let why = outcome
                    .err()
                    .unwrap_or_else(|| "the gateway closed a socket".to_owned());
                let _ = sender.send(Err(why));
            });
        }
        let mut clients = Clients {
            arrivals,
            _sockets: running,
        };
        let mut waiting: HashSet<usize> = (0..sets.subscribers).collect();
        let first = async {
            while !waiting.is_empty() {
                waiting.remove(&clients.next().await?.subscriber);
            }
            Ok::<_, Failure>(())
        };
        match tokio::time::timeout(FIRST_RESULT_TIMEOUT, first).await {
            Ok(outcome) => outcome?,
            Err(_) => {
                return Err(format!("{} subscribers have no first result", waiting.len()).into());
            }
        }
        Ok(clients)
    }

    /// Waits for the next result of any subscriber.
    ///
    /// Errors: a socket has closed, or an operation has failed.
    pub(super) async fn next(&mut self) -> Result<Arrival, Failure> {
        Ok(self
            .arrivals
            .recv()
            .await
            .ok_or("all sockets have closed")??)
    }

    /// The results that have arrived and were not taken yet.
    pub(super) fn take(&mut self) -> Result<Vec<Arrival>, Failure> {
        let mut taken = vec![];
        while let Ok(arrival) = self.arrivals.try_recv() {
            taken.push(arrival?);
        }
        Ok(taken)
    }
}

type Socket = WebSocketStream<TcpStream>;

/// Opens a socket, starts the operations of these subscribers with their sets and reports their
/// results until the socket closes.
async fn serve(
    address: SocketAddr,
    token: &str,
    query: Query,
    subscribers: Vec<(usize, usize)>,
    opening: &Semaphore,
    sender: &mpsc::UnboundedSender<Result<Arrival, String>>,
) -> Result<(), String> {
    let permit = opening.acquire().await.map_err(text)?;
    let mut socket = open(address, token).await?;
    let document = format!("subscription{}", query.selection());
    for (subscriber, set) in subscribers {
        let payload = json!({"query": document, "variables": query.variables(set)});
        let message =
            json!({"type": "subscribe", "id": subscriber.to_string(), "payload": payload});
        socket
            .feed(Message::text(message.to_string()))
            .await
            .map_err(text)?;
    }
    socket.flush().await.map_err(text)?;
    drop(permit);
    while let Some(message) = socket.next().await {
        match message.map_err(text)? {
            Message::Text(message) => {
                let arrival = read(query, &message, Instant::now())?;
                let _ = arrival.is_none_or(|arrival| sender.send(Ok(arrival)).is_ok());
            }
            Message::Close(frame) => return Err(format!("the gateway closed a socket: {frame:?}")),
            _ => {}
        }
    }
    Ok(())
}

async fn open(address: SocketAddr, token: &str) -> Result<Socket, String> {
    let mut request = format!("ws://{address}/v1/graphql")
        .into_client_request()
        .map_err(text)?;
    request.headers_mut().insert(
        "sec-websocket-protocol",
        HeaderValue::from_static("graphql-transport-ws"),
    );
    let stream = TcpStream::connect(address).await.map_err(text)?;
    stream.set_nodelay(true).map_err(text)?;
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream)
        .await
        .map_err(text)?;
    let headers = json!({"Authorization": format!("Bearer {token}")});
    let message = json!({"type": "connection_init", "payload": {"headers": headers}});
    socket
        .send(Message::text(message.to_string()))
        .await
        .map_err(text)?;
    match socket.next().await {
        Some(Ok(Message::Text(message))) if message.contains("connection_ack") => Ok(socket),
        other => Err(format!("no `connection_ack` but {other:?}")),
    }
}

/// Reads a message: a result, or one that a running subscription has in between.
///
/// Errors: the subscription has ended, or its result has errors.
fn read(query: Query, message: &str, at: Instant) -> Result<Option<Arrival>, String> {
    let parsed: Value = serde_json::from_str(message).map_err(text)?;
    match parsed.get("type").and_then(Value::as_str) {
        Some("ping" | "pong") => return Ok(None),
        Some("next") => {}
        _ => return Err(format!("an operation ended: {message}")),
    }
    let subscriber = parsed
        .get("id")
        .and_then(Value::as_str)
        .and_then(|id| id.parse().ok());
    let status = parsed.pointer(query.status()).and_then(Value::as_str);
    match (subscriber, status.and_then(rows::change)) {
        (Some(subscriber), Some(change)) => Ok(Some(Arrival {
            subscriber,
            change,
            at,
        })),
        _ => Err(format!("an unexpected result: {message}")),
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_subscriber_and_change() {
        let at = Instant::now();
        let next = r#"{"id":"12","type":"next","payload":{"data":{"subjects":[{"id":"x","email":"y","status":"c7"}]}}}"#;
        let arrival = read(Query::Page, next, at).unwrap().unwrap();
        assert_eq!((arrival.subscriber, arrival.change), (12, 7));
        let next =
            r#"{"id":"3","type":"next","payload":{"data":{"subjects_by_pk":{"status":"c0"}}}}"#;
        let arrival = read(Query::Key, next, at).unwrap().unwrap();
        assert_eq!((arrival.subscriber, arrival.change), (3, 0));
        assert!(
            read(Query::Page, r#"{"type":"ping"}"#, at)
                .unwrap()
                .is_none()
        );
        assert!(read(Query::Page, r#"{"id":"12","type":"complete"}"#, at).is_err());
        let empty = r#"{"id":"12","type":"next","payload":{"data":{"subjects":[]}}}"#;
        assert!(read(Query::Page, empty, at).is_err());
    }
}
