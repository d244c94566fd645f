//! A collector of OpenTelemetry: takes OTLP in JSON over HTTP, and gives the spans.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A span as it was received.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedSpan {
    pub(crate) name: String,
    pub(crate) trace: String,
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) kind: u64,
    pub(crate) start: u128,
    pub(crate) end: u128,
    pub(crate) is_error: bool,
    pub(crate) attributes: HashMap<String, String>,
    /// The attributes of its resource.
    pub(crate) resource: HashMap<String, String>,
}

/// A running collector.
pub(crate) struct Collector {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<ReceivedSpan>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Collector {
    /// Starts a collector that answers with this status line.
    pub(crate) async fn start(status: &'static str) -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let collector = Collector {
            url,
            received: Arc::default(),
            heads: Arc::default(),
        };
        let received = collector.received.clone();
        let heads = collector.heads.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(take(stream, status, received.clone(), heads.clone()));
            }
        });
        collector
    }

    /// Waits until a span fulfils the condition, and returns all spans of its trace.
    pub(crate) async fn trace_of(
        &self,
        condition: impl Fn(&ReceivedSpan) -> bool,
    ) -> Vec<ReceivedSpan> {
        for _ in 0..500 {
            let spans = self.spans();
            if let Some(found) = spans.iter().find(|span| condition(span)) {
                return spans
                    .iter()
                    .filter(|span| span.trace == found.trace)
                    .cloned()
                    .collect();
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("no such span: {:?}", self.spans());
    }

    pub(crate) fn spans(&self) -> Vec<ReceivedSpan> {
        self.received
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The heads of the requests.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Reads requests of a connection until it ends.
async fn take(
    mut stream: TcpStream,
    status: &str,
    received: Arc<Mutex<Vec<ReceivedSpan>>>,
    heads: Arc<Mutex<Vec<String>>>,
) -> Option<()> {
    let mut bytes = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| {
            line.strip_prefix("content-length:")?
                .trim()
                .parse::<usize>()
                .ok()
        })?;
        while bytes.len() < end + 4 + length {
            stream.read_buf(&mut bytes).await.ok()?;
        }
        let body: Value = serde_json::from_slice(&bytes[end + 4..end + 4 + length]).unwrap();
        heads.lock().unwrap().push(head);
        received.lock().unwrap().extend(spans(&body));
        bytes.drain(..end + 4 + length);
        let response = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}"
        );
        stream.write_all(response.as_bytes()).await.ok()?;
    }
}

fn spans(body: &Value) -> Vec<ReceivedSpan> {
    let mut found = vec![];
    for resource in body["resourceSpans"].as_array().unwrap() {
        let of_resource = attributes(&resource["resource"]["attributes"]);
        for scope in resource["scopeSpans"].as_array().unwrap() {
            for span in scope["spans"].as_array().unwrap() {
                let text = |name: &str| span[name].as_str().map(str::to_owned);
                let time = |name: &str| text(name).unwrap().parse().unwrap();
                found.push(ReceivedSpan {
                    name: text("name").unwrap(),
                    trace: text("traceId").unwrap(),
                    id: text("spanId").unwrap(),
                    parent: text("parentSpanId"),
                    kind: span["kind"].as_u64().unwrap(),
                    start: time("startTimeUnixNano"),
                    end: time("endTimeUnixNano"),
                    is_error: span["status"]["code"] == 2,
                    attributes: attributes(&span["attributes"]),
                    resource: of_resource.clone(),
                });
            }
        }
    }
    found
}

/// Attributes by their names; numbers as text.
fn attributes(list: &Value) -> HashMap<String, String> {
    let value = |value: &Value| {
        let text = value.get("stringValue").or(value.get("intValue"));
        text.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let entries = list.as_array().into_iter().flatten();
    entries
        .map(|entry| {
            (
                entry["key"].as_str().unwrap().to_owned(),
                value(&entry["value"]),
            )
        })
        .collect()
}
