//! A fake external HTTP server: an issuer that publishes keys, or an authentication webhook. It
//! returns a configurable response and records the requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The server. Dropping it ends it.
pub(crate) struct Elsewhere {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    response: Arc<Mutex<Answer>>,
    task: JoinHandle<()>,
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The request line and the headers, in lower case: `get /keys http/1.1`.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: String,
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The status: `200 OK`.
    pub(crate) status: String,
    /// The headers without line breaks: `Cache-Control: max-age=60`.
    pub(crate) headers: Vec<String>,
    /// The body.
    pub(crate) body: String,
    /// The delay before it is sent.
    pub(crate) after: std::time::Duration,
}

/// A body: text, or JSON.
pub(crate) struct Body(String);

impl From<&str> for Body {
    fn from(text: &str) -> Body {
        Body(text.to_owned())
    }
}

impl From<String> for Body {
    fn from(text: String) -> Body {
        Body(text)
    }
}

impl From<Value> for Body {
    fn from(value: Value) -> Body {
        Body(value.to_string())
    }
}

impl Answer {
    /// Status 200 with a body.
    pub(crate) fn ok(body: impl Into<Body>) -> Answer {
        Answer::of("200 OK", body)
    }

    /// Another status with a body.
    pub(crate) fn of(status: &str, body: impl Into<Body>) -> Answer {
        let Body(body) = body.into();
        Answer {
            status: status.into(),
            headers: vec![],
            body,
            after: std::time::Duration::ZERO,
        }
    }

    /// Adds a header.
    pub(crate) fn with(mut self, header: &str) -> Answer {
        self.headers.push(header.into());
        self
    }
}

impl Elsewhere {
    /// Starts it with a response.
    pub(crate) async fn start(response: Answer) -> Elsewhere {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let response_value = Arc::new(Mutex::new(response));
        let log = asked.clone();
        let current = response_value.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, log.clone(), current.clone()));
            }
        });
        Elsewhere {
            address,
            asked,
            response: response_value,
            task,
        }
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Replaces the response.
    pub(crate) fn answer(&self, response: Answer) {
        *self.response.lock().unwrap() = response;
    }

    /// The requests received so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads one request and sends one response.
async fn serve(mut stream: TcpStream, log: Arc<Mutex<Vec<Asked>>>, response: Arc<Mutex<Answer>>) {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    let (head, mut body) = loop {
        if let Some(end) = read.windows(4).position(|four: &[u8]| four == b"\r\n\r\n") {
            let body = read.split_off(end + 4);
            break (String::from_utf8_lossy(&read).to_lowercase(), body);
        }
        match stream.read(&mut buffer).await {
            Ok(length) if length > 0 => read.extend_from_slice(&buffer[..length]),
            _ => return,
        }
    };
    let length = head.lines().find_map(|line| {
        line.strip_prefix("content-length: ")?
            .trim()
            .parse::<usize>()
            .ok()
    });
    while body.len() < length.unwrap_or(0) {
        match stream.read(&mut buffer).await {
            Ok(length) if length > 0 => body.extend_from_slice(&buffer[..length]),
            _ => return,
        }
    }
    log.lock().unwrap().push(Asked {
        head,
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    let Answer {
        status,
        headers,
        body,
        after,
    } = response.lock().unwrap().clone();
    tokio::time::sleep(after).await;
    let headers: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: \
                        application/json\r\n{headers}Content-Length: {length}\r\n\
                        Connection: close\r\n\r\n{body}"
    );
    let _ = stream.write_all(text.as_bytes()).await;
}
