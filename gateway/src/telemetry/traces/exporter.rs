//! Sends spans to a collector in batches, by OTLP over HTTP. Requests never wait for it: what does
//! not fit into its queue is dropped, and a collector that does not answer costs spans.

use std::time::Duration;

use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use prometheus::IntCounterVec;
use reqwest::{Client, Url};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::otlp;
use super::span::Span;
use crate::http_client;
use crate::telemetry::resource::Resource;

/// Where spans are sent.
#[derive(Clone, Debug)]
pub struct CollectorSettings {
    url: Url,
    headers: HeaderMap,
    resource: Resource,
}

/// A message to the task.
#[derive(Debug)]
pub(super) enum Message {
    /// The spans of a trace.
    Trace(u128, Vec<Span>),
    /// Sends what waits, and answers.
    Flush(oneshot::Sender<()>),
}

/// The task that sends spans.
pub(super) struct Exporter {
    settings: CollectorSettings,
    client: Option<Client>,
    waiting: Vec<(u128, Span)>,
    spans: IntCounterVec,
    /// When the log may say again that the collector does not take spans.
    quiet_until: Option<Instant>,
}

/// The path of traces below a collector's address.
const PATH: &str = "v1/traces";

/// A batch is sent once it has this many spans, or after this time.
const MAX_BATCH_SPANS: usize = 512;
const MAX_BATCH_DELAY: Duration = Duration::from_secs(1);

/// How long the collector may take, how often a batch is sent, and the first pause between two
/// times.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_ATTEMPTS: u32 = 3;
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(500);

/// How long the log is silent about a collector that does not take spans.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

impl CollectorSettings {
    /// Reads the settings: the address of a collector (`http://localhost:4318`), the headers for it
    /// (`authorization=Bearer%20x,other=y`), and the resource whose spans are sent.
    ///
    /// Errors: what is wrong with the address, or with the headers. No message has the values.
    pub fn read(
        endpoint: &str,
        headers: Option<&str>,
        resource: Resource,
    ) -> Result<CollectorSettings, &'static str> {
        const ADDRESS: &str = "has to be an address like `http://localhost:4318`";
        let mut url: Url = endpoint.parse().map_err(|_| ADDRESS)?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(ADDRESS);
        }
        if !url.path().trim_end_matches('/').ends_with(PATH) {
            url.set_path(&format!("{}/{PATH}", url.path().trim_end_matches('/')));
        }
        let headers = read_headers(headers.unwrap_or_default())
            .ok_or("the headers have to be like `name=value,other=value`")?;
        Ok(CollectorSettings {
            url,
            headers,
            resource,
        })
    }
}

/// <https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables>
fn read_headers(text: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in text
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
    {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        headers.append(
            name.trim().parse::<HeaderName>().ok()?,
            HeaderValue::from_str(&value).ok()?,
        );
    }
    Some(headers)
}

impl Exporter {
    pub(super) fn new(settings: CollectorSettings, spans: IntCounterVec) -> Exporter {
        Exporter {
            settings,
            client: None,
            waiting: Vec::new(),
            spans,
            quiet_until: None,
        }
    }

    /// Sends spans until the tracer is dropped.
    pub(super) async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        while let Some(first) = messages.recv().await {
            let due = Instant::now() + MAX_BATCH_DELAY;
            let mut flushed = self.take(first);
            while flushed.is_none() && self.waiting.len() < MAX_BATCH_SPANS {
                match timeout_at(due, messages.recv()).await {
                    Ok(Some(message)) => flushed = self.take(message),
                    Ok(None) | Err(_) => break,
                }
            }
            self.send().await;
            if let Some(flushed) = flushed {
                // The one who waits may have given up.
                let _ = flushed.send(());
            }
        }
    }

    /// Takes a message; returns whom to answer once all spans are sent.
    fn take(&mut self, message: Message) -> Option<oneshot::Sender<()>> {
        match message {
            Message::Trace(trace_id, spans) => {
                self.waiting
                    .extend(spans.into_iter().map(|span| (trace_id, span)));
                None
            }
            Message::Flush(done) => Some(done),
        }
    }

    async fn send(&mut self) {
        let batch = std::mem::take(&mut self.waiting);
        if batch.is_empty() {
            return;
        }
        let body = otlp::request(&self.settings.resource, &batch).to_string();
        let mut pause = FIRST_RETRY_DELAY;
        for left in (0..MAX_ATTEMPTS).rev() {
            let failed = match self.post(body.clone()).await {
                Ok(status) if status.is_success() => {
                    self.spans
                        .with_label_values(&["sent"])
                        .inc_by(batch.len() as u64);
                    return;
                }
                // Others would be refused again.
                // <https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes>
                Ok(status) if !matches!(status.as_u16(), 429 | 502 | 503 | 504) || left == 0 => {
                    format!("it answered with {status}")
                }
                Err(error) if left == 0 => error,
                _ => {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                    continue;
                }
            };
            self.spans
                .with_label_values(&["failed"])
                .inc_by(batch.len() as u64);
            self.warn(&failed, batch.len());
            return;
        }
    }

    async fn post(&mut self, body: String) -> Result<StatusCode, String> {
        // Made on first use, because that reads the system's certificates.
        let client = match &self.client {
            Some(client) => client,
            None => {
                let client = http_client::builder()
                    .timeout(REQUEST_TIMEOUT)
                    .build()
                    .map_err(|error| error.to_string())?;
                self.client.insert(client)
            }
        };
        let request = client
            .post(self.settings.url.clone())
            .headers(self.settings.headers.clone());
        let sent = request
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .send()
            .await;
        // URLs may contain secrets.
        Ok(sent
            .map_err(|error| error.without_url().to_string())?
            .status())
    }

    fn warn(&mut self, cause: &str, spans: usize) {
        let now = Instant::now();
        if self.quiet_until.is_none_or(|until| now >= until) {
            self.quiet_until = Some(now + WARNING_INTERVAL);
            tracing::warn!(
                cause,
                spans,
                "the collector does not take spans; further failures are counted in metrics"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::resource::ResourceNames;

    fn url(endpoint: &str) -> Option<String> {
        let resource = Resource::new(ResourceNames::default(), |_| None);
        CollectorSettings::read(endpoint, None, resource)
            .ok()
            .map(|settings| settings.url.to_string())
    }

    #[test]
    fn path_of_traces_is_added_to_the_address() {
        let full = Some("http://localhost:4318/v1/traces".to_owned());
        assert_eq!(url("http://localhost:4318"), full);
        assert_eq!(url("http://localhost:4318/"), full);
        assert_eq!(url("http://localhost:4318/v1/traces"), full);
        assert_eq!(
            url("https://c.example/otlp"),
            Some("https://c.example/otlp/v1/traces".into())
        );
        assert_eq!(
            (url("localhost:4318"), url("ftp://x"), url("")),
            (None, None, None)
        );
    }

    #[test]
    fn headers_are_pairs_with_percent_encoded_values() {
        let headers = read_headers("authorization=Bearer%20x, a=b=c").unwrap();
        assert_eq!(
            (&headers["authorization"], &headers["a"]),
            (&"Bearer x".parse().unwrap(), &"b=c".parse().unwrap())
        );
        assert!(read_headers("").unwrap().is_empty());
        assert_eq!(
            (
                read_headers("a"),
                read_headers("a b=c"),
                read_headers("a=%0a")
            ),
            (None, None, None)
        );
    }
}
