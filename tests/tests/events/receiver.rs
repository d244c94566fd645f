//! A receiver of webhooks that answers by a script, and keeps what it has received.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) at: Instant,
    /// The request line.
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) text: String,
    pub(crate) body: Value,
}

/// A response of the script.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    status: u16,
    headers: String,
    body: Vec<u8>,
    delay: Duration,
}

/// A running receiver. Requests beyond the script are answered with 200.
#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
    script: Arc<Mutex<VecDeque<Answer>>>,
    delay: Duration,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Answer {
        Answer {
            status,
            headers: String::new(),
            body: b"ok".to_vec(),
            delay: Duration::ZERO,
        }
    }

    pub(crate) fn header(self, name: &str, value: &str) -> Answer {
        Answer {
            headers: format!("{}{name}: {value}\r\n", self.headers),
            ..self
        }
    }

    pub(crate) fn body(self, body: &[u8]) -> Answer {
        Answer {
            body: body.to_vec(),
            ..self
        }
    }

    pub(crate) fn after(self, delay: Duration) -> Answer {
        Answer { delay, ..self }
    }
}

impl Receiver {
    /// Starts a receiver with a script.
    pub(crate) async fn start(script: Vec<Answer>) -> Receiver {
        Receiver::slow(script, Duration::ZERO).await
    }

    /// Starts a receiver that takes this long for each answer.
    pub(crate) async fn slow(script: Vec<Answer>, delay: Duration) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let receiver = Receiver {
            url,
            received: Arc::default(),
            script: Arc::new(Mutex::new(script.into())),
            delay,
        };
        let accepting = receiver.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let receiver = accepting.clone();
                tokio::spawn(async move { receiver.answer(stream).await });
            }
        });
        receiver
    }

    /// What it has received, in the order of arrival.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Waits for this number of requests and returns them.
    pub(crate) async fn wait(&self, count: usize) -> Vec<Received> {
        tests::wait::until(&format!("{count} requests"), async || {
            self.received.lock().unwrap().len() >= count
        })
        .await;
        self.received()
    }

    /// Answers one request, and closes the connection.
    async fn answer(&self, mut stream: TcpStream) -> Option<()> {
        let mut bytes = vec![];
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let headers: BTreeMap<String, String> = head
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let line = head.lines().next().unwrap_or_default().to_owned();
        let length: usize = headers
            .get("content-length")
            .and_then(|length| length.parse().ok())
            .unwrap_or(0);
        while bytes.len() < end + length {
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
        let text = String::from_utf8_lossy(&bytes[end..]).into_owned();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        self.received.lock().unwrap().push(Received {
            at: Instant::now(),
            line,
            headers,
            text,
            body,
        });
        let scripted = self.script.lock().unwrap().pop_front();
        let response_value = scripted.unwrap_or_else(|| Answer::status(200).after(self.delay));
        tokio::time::sleep(response_value.delay).await;
        let Answer {
            status,
            headers,
            body,
            ..
        } = response_value;
        let length = body.len();
        let response = format!(
            "HTTP/1.1 {status} x\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
        );
        stream
            .write_all(&[response.as_bytes(), &body].concat())
            .await
            .ok()
    }
}

impl Received {
    /// The event's id.
    pub(crate) fn id(&self) -> String {
        self.body["id"].as_str().unwrap_or_default().to_owned()
    }

    /// The new row of the event.
    pub(crate) fn new_row(&self) -> &Value {
        &self.body["event"]["data"]["new"]
    }
}
