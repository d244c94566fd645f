//! A proxy between the gateway and Postgres that records the gateway's protocol messages, from
//! which tests count statements and round trips.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::wait::until;

/// A listening proxy. [`Proxy::take`] returns the recorded messages.
#[derive(Debug)]
pub struct Proxy {
    url: String,
    heard: Arc<Mutex<Vec<Message>>>,
    /// The connections that were open when it last stopped forwarding; later ones work.
    silent: watch::Sender<u64>,
    task: tokio::task::JoinHandle<()>,
}

/// A frontend message, by its name in Postgres' documentation.
/// <https://www.postgresql.org/docs/current/protocol-message-formats.html>
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// `P`, with its SQL.
    Parse(String),
    /// `Q`, with its SQL.
    Query(String),
    /// `B`
    Bind,
    /// `D`
    Describe,
    /// `E`
    Execute,
    /// `C`
    Close,
    /// `H`
    Flush,
    /// `S`
    Sync,
    /// Any other, by its letter.
    Other(char),
}

impl Proxy {
    /// Starts a proxy to the server of this URL, `postgres://user:password@host:port/database`.
    pub async fn start(url: &str) -> std::io::Result<Proxy> {
        Proxy::slow(url, Duration::ZERO).await
    }

    /// Starts a proxy that delays every byte by `way` in either direction, like a network between
    /// server and gateway.
    pub async fn slow(url: &str, way: Duration) -> std::io::Result<Proxy> {
        let malformed =
            || std::io::Error::other("the URL is not like `postgres://user@host:port/name`");
        let (before, rest) = url.split_once('@').ok_or_else(malformed)?;
        let (server, database) = rest.split_once('/').ok_or_else(malformed)?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("{before}@{}/{database}", listener.local_addr()?);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let silent = watch::Sender::default();
        let task = tokio::spawn(accept(
            listener,
            server.to_owned(),
            heard.clone(),
            way,
            silent.subscribe(),
        ));
        Ok(Proxy {
            url,
            heard,
            silent,
            task,
        })
    }

    /// Stops forwarding on the connections that are open, without closing them, as a balancer that
    /// has forgotten them. New connections work.
    pub fn forget_connections(&self) {
        self.silent.send_modify(|round| *round += 1);
    }

    /// The URL of the database through the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns and clears the messages recorded since the last call.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for the last statement that a gateway sends by itself once it has started: whether the
    /// database notifies of changes of the schema. Clears the messages until then, so that later
    /// ones are those of requests.
    ///
    /// # Panics
    ///
    /// If the gateway does not send it within 30 seconds.
    pub async fn until_started(&self) {
        let mut heard = vec![];
        until("the gateway asks for its event trigger", async || {
            heard.extend(self.take());
            let is_asked =
                |message: &Message| matches!(message, Message::Parse(sql) if sql.contains("pg_event_trigger"));
            heard.iter().position(is_asked).is_some_and(|at| heard[at..].contains(&Message::Sync))
        })
        .await;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(
    listener: TcpListener,
    server: String,
    heard: Arc<Mutex<Vec<Message>>>,
    way: Duration,
    silent: watch::Receiver<u64>,
) {
    while let Ok((client, _)) = listener.accept().await {
        let Ok(upstream) = TcpStream::connect(&server).await else {
            continue;
        };
        let _ = client.set_nodelay(true);
        let _ = upstream.set_nodelay(true);
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = upstream.into_split();
        let heard = heard.clone();
        let to_server = carry(to_server, way);
        let to_client = carry(to_client, way);
        let mut until_silent = silent.clone();
        let mut until_mute = silent.clone();
        until_silent.mark_unchanged();
        until_mute.mark_unchanged();
        tokio::spawn(async move {
            // The halves of the sockets stay open.
            let mut listening = pin!(listen(from_client, to_server, &heard));
            tokio::select! {
                _ = &mut listening => {}
                true = async { until_silent.changed().await.is_ok() } => std::future::pending().await,
            }
        });
        tokio::spawn(async move {
            let mut passing = pin!(pass_on(from_server, to_client));
            tokio::select! {
                _ = &mut passing => {}
                true = async { until_mute.changed().await.is_ok() } => std::future::pending().await,
            }
        });
    }
}

/// Bytes and the time at which they were received.
type Parcel = (Instant, Vec<u8>);

/// Writes what it receives to `to`, in order, after a delay of `way`.
fn carry(mut to: OwnedWriteHalf, way: Duration) -> UnboundedSender<Parcel> {
    let (sender, mut parcels) = mpsc::unbounded_channel::<Parcel>();
    tokio::spawn(async move {
        while let Some((given, bytes)) = parcels.recv().await {
            if !way.is_zero() {
                tokio::time::sleep_until(given + way).await;
            }
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
        let _ = to.shutdown().await;
    });
    sender
}

async fn pass_on(mut from: OwnedReadHalf, to: UnboundedSender<Parcel>) -> std::io::Result<()> {
    let mut bytes = vec![0; 1 << 16];
    loop {
        match from.read(&mut bytes).await? {
            0 => return Ok(()),
            read => drop(to.send((Instant::now(), bytes[..read].to_vec()))),
        }
    }
}

/// Forwards and records the client's messages. The first ones have no letter: start-up messages,
/// and cancel requests, which end the connection at once.
async fn listen(
    mut client: OwnedReadHalf,
    server: UnboundedSender<Parcel>,
    heard: &Mutex<Vec<Message>>,
) -> std::io::Result<()> {
    loop {
        let (mut head, body) = message(&mut client).await?;
        head.extend_from_slice(&body);
        // The SSLRequest, which the test clusters refuse, precedes the start-up message.
        let is_question = head == [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
        let _ = server.send((Instant::now(), head));
        if !is_question {
            break;
        }
    }
    loop {
        let letter = client.read_u8().await?;
        let (length, body) = message(&mut client).await?;
        // Recorded before it is forwarded: the response may arrive before this task runs again.
        heard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Message::new(letter, &body));
        let _ = server.send((Instant::now(), [&[letter][..], &length, &body].concat()));
    }
}

/// Reads a message's four-byte length, which counts itself, and its body.
async fn message(client: &mut OwnedReadHalf) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    let length = client.read_u32().await?;
    let mut body = vec![0; (length as usize).saturating_sub(4)];
    client.read_exact(&mut body).await?;
    Ok((length.to_be_bytes().to_vec(), body))
}

impl Message {
    fn new(letter: u8, body: &[u8]) -> Message {
        let mut texts = body
            .split(|byte| *byte == 0)
            .map(|text| String::from_utf8_lossy(text).into_owned());
        match letter {
            b'P' => Message::Parse(texts.nth(1).unwrap_or_default()),
            b'Q' => Message::Query(texts.next().unwrap_or_default()),
            b'B' => Message::Bind,
            b'D' => Message::Describe,
            b'E' => Message::Execute,
            b'C' => Message::Close,
            b'H' => Message::Flush,
            b'S' => Message::Sync,
            other => Message::Other(char::from(other)),
        }
    }
}

/// How often the client waited: it awaits the response to every `Sync`, `Flush` and simple query
/// before it continues.
pub fn round_trips(messages: &[Message]) -> usize {
    let waits =
        |message: &&Message| matches!(message, Message::Sync | Message::Flush | Message::Query(_));
    messages.iter().filter(waits).count()
}

/// How many statements were run.
pub fn statements(messages: &[Message]) -> usize {
    messages
        .iter()
        .filter(|message| matches!(message, Message::Execute | Message::Query(_)))
        .count()
}
