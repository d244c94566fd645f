//! Mails by a web service of the customer, which gets each mail as JSON. Requests are signed and
//! sent as those of events are, without following redirects.

use http::{Method, StatusCode};
use reqwest::Url;
use tokio::time::Instant;

use super::mail_error::MailError;
use super::transport;
use crate::outbound_webhook::{Sender, SigningSecret, Webhook};
use gateway::transform::TransformedRequest;

/// The web service.
#[derive(Debug)]
pub(super) struct MailWebhook {
    webhook: Webhook,
    sender: Sender,
}

impl MailWebhook {
    /// Reads the settings. The error repeats no value.
    pub(super) fn new(url: &str, secret: Option<&str>) -> Result<MailWebhook, String> {
        let url = Url::parse(url)
            .ok()
            .filter(|url| {
                let host = url.host_str().unwrap_or_default();
                url.scheme() == "https" && url.has_host()
                    || url.scheme() == "http" && transport::is_loopback(host)
            })
            .ok_or(
                "`mail.url` has to begin with `https://`; only to this machine it may be \
                 `http://`",
            )?;
        let secret = secret.ok_or("`mail.url` needs `mail.secret`, which signs the requests")?;
        let secret = SigningSecret::parse(secret)
            .ok_or("`mail.secret` has to be `whsec_` and 24 to 64 bytes in base64")?;
        Ok(MailWebhook {
            webhook: Webhook::new(url, secret),
            sender: Sender::default(),
        })
    }

    /// Sends a mail to the web service.
    pub(super) async fn send(
        &self,
        id: &str,
        mail: String,
        deadline: Instant,
    ) -> Result<(), MailError> {
        let request = TransformedRequest {
            method: Method::POST,
            url: self.webhook.url.clone(),
            body: Some(mail.into_bytes()),
        };
        let timeout = deadline.saturating_duration_since(Instant::now());
        let response = self
            .sender
            .send(&self.webhook, id, request, None, timeout)
            .await
            .map_err(MailError::Retry)?;
        read_status(response.status)
    }
}

/// What a status means. That of a redirect is a mistake in the settings, which a reload corrects.
fn read_status(status: StatusCode) -> Result<(), MailError> {
    let text = format!("the web service answered {}", status.as_u16());
    match status {
        status if status.is_success() => Ok(()),
        StatusCode::TOO_MANY_REQUESTS => Err(MailError::Retry(text)),
        status if status.is_client_error() => Err(MailError::Permanent(text)),
        _ => Err(MailError::Retry(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_decides_on_another_attempt() {
        let results = [200, 204, 302, 400, 404, 410, 429, 500, 503].map(|code| {
            match read_status(StatusCode::from_u16(code).unwrap()) {
                Ok(()) => "sent",
                Err(MailError::Retry(_)) => "retry",
                Err(MailError::Permanent(_)) => "permanent",
            }
        });
        assert_eq!(
            results,
            [
                "sent",
                "sent",
                "retry",
                "permanent",
                "permanent",
                "permanent",
                "retry",
                "retry",
                "retry"
            ]
        );
    }
}
