//! Sends an event or a mail to a webhook and reads what came of it. Redirects are not followed:
//! what is sent goes to the configured address and to no other.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use tokio::sync::OnceCell;

use super::signature;
use super::webhook::Webhook;
use gateway::auth::trace_context::TraceContext;
use gateway::http_client;
use gateway::transform::TransformedRequest;

/// The largest part of a response that is read, in bytes.
const MAX_READ_BYTES: usize = 64 << 10;

/// The longest part of a response in the log of invocations, in characters.
const MAX_LOGGED_CHARACTERS: usize = 2000;

/// The longest pause that a receiver may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(86_400);

/// Sends requests. The HTTP client is created on first use, because that reads the system's
/// certificates.
#[derive(Debug, Default)]
pub(crate) struct Sender(OnceCell<Client>);

/// What a receiver has answered.
#[derive(Debug)]
pub(crate) struct WebhookResponse {
    pub(crate) status: StatusCode,
    /// The pause that `Retry-After` asks for.
    pub(crate) retry_after: Option<Duration>,
    /// The beginning of the response.
    pub(crate) text: String,
}

impl Sender {
    /// Sends a request. The error is a text for the log of invocations; it does not contain the
    /// address.
    pub(crate) async fn send(
        &self,
        webhook: &Webhook,
        id: &str,
        made: TransformedRequest,
        trace: Option<&TraceContext>,
        timeout: Duration,
    ) -> Result<WebhookResponse, String> {
        let TransformedRequest { method, url, body } = made;
        let body = body.unwrap_or_default();
        let exchange = async {
            let client = self
                .0
                .get_or_try_init(|| async { client() })
                .await
                .map_err(|error| describe(&error))?;
            let timestamp = seconds_since_1970().to_string();
            let signatures = signature::signatures(&webhook.secrets, id, &timestamp, &body);
            let mut headers = webhook.headers.clone();
            if let Some(trace) = trace {
                trace.write_headers(&mut headers);
            }
            let mut request = client.request(method, url).headers(headers);
            request = request
                .header("webhook-id", id)
                .header("webhook-timestamp", timestamp);
            if let Some(signatures) = signatures {
                request = request.header("webhook-signature", signatures);
            }
            let response = request
                .body(body)
                .send()
                .await
                .map_err(|error| describe(&error.without_url()))?;
            Ok(WebhookResponse::read(response).await)
        };
        match tokio::time::timeout(timeout, exchange).await {
            Ok(answered) => answered,
            Err(_) => Err(format!("no response within {} seconds", timeout.as_secs())),
        }
    }
}

impl WebhookResponse {
    /// Reads the beginning of a response. Its status alone decides, so a body that breaks off is no
    /// fault.
    async fn read(mut response: Response) -> WebhookResponse {
        let status = response.status();
        let retry_after = retry_after(response.headers());
        let mut body = vec![];
        while body.len() < MAX_READ_BYTES
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
        // Postgres stores no NUL.
        let text = String::from_utf8_lossy(&body)
            .chars()
            .filter(|letter| *letter != '\0')
            .take(MAX_LOGGED_CHARACTERS)
            .collect();
        WebhookResponse {
            status,
            retry_after,
            text,
        }
    }
}

/// `Retry-After` in seconds or as a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let pause = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let date = chrono::DateTime::parse_from_rfc2822(text).ok()?;
            let left = date.timestamp() - i64::try_from(seconds_since_1970()).ok()?;
            Duration::from_secs(u64::try_from(left).unwrap_or(0))
        }
    };
    Some(pause.min(LONGEST_PAUSE))
}

fn client() -> reqwest::Result<Client> {
    http_client::builder()
        .redirect(Policy::none())
        .pool_idle_timeout(Duration::from_secs(30))
        .build()
}

fn seconds_since_1970() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// An error with its causes.
fn describe(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let read = |text: &str| {
            retry_after(&HeaderMap::from_iter([(
                RETRY_AFTER,
                text.parse().unwrap(),
            )]))
        };
        assert_eq!(read("120"), Some(Duration::from_secs(120)));
        assert_eq!(read("99999999"), Some(LONGEST_PAUSE));
        assert_eq!(read("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(read("soon"), None);
        let date = chrono::Utc::now() + chrono::TimeDelta::seconds(90);
        let pause = read(&date.format("%a, %d %b %Y %H:%M:%S GMT").to_string()).unwrap();
        assert!((85..=90).contains(&pause.as_secs()), "{pause:?}");
    }
}
