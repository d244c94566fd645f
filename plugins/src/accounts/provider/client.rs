//! The gateway as a client of a provider: its id and secret there, and its requests.

use std::time::Duration;

use gateway::auth::fetch::{Fetched, Fetcher};
use reqwest::RequestBuilder;
use serde_json::Value;

use super::provider_error::ProviderError;

/// The time limit of a request to a provider.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The largest response of a provider, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// The gateway as a client of a provider.
pub(super) struct Client {
    /// Its id there.
    pub(super) id: String,
    /// Its secret there; `None` for a public client.
    pub(super) secret: Option<String>,
    /// What it asks for, with spaces between.
    pub(super) scopes: String,
    /// Whether the provider answers by a form, which other sites send.
    pub(super) has_form_post: bool,
    /// Sends requests. It follows no redirects: a secret goes to the address of the settings alone.
    pub(super) fetcher: Fetcher,
}

impl Client {
    /// Sends a request, and reads the JSON of a response with the status 200. `fault` makes the
    /// error otherwise, of a text for the log.
    pub(super) async fn json(
        &self,
        make: impl FnOnce(&reqwest::Client) -> RequestBuilder,
        fault: fn(String) -> ProviderError,
    ) -> Result<Value, ProviderError> {
        let body = self.body(make).await.map_err(fault)?;
        serde_json::from_slice(&body).map_err(|_| fault("the answer is no JSON".into()))
    }

    /// The body of a response with the status 200.
    pub(super) async fn body(
        &self,
        make: impl FnOnce(&reqwest::Client) -> RequestBuilder,
    ) -> Result<Vec<u8>, String> {
        let sent = self.fetcher.send(make, TIMEOUT, MAX_BYTES).await;
        let Fetched { status, body, .. } = sent.map_err(|error| error.to_string())?;
        if status == http::StatusCode::OK {
            Ok(body)
        } else {
            Err(format!("the answer has the status {status}"))
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Client")
            .field("id", &self.id)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}
