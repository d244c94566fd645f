//! HTTP requests to other servers with limits on time, response size and redirects.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, RequestBuilder};
use tokio::sync::OnceCell;

use crate::http_client;

/// An HTTP client, created on first use because that reads the system's certificates.
#[derive(Debug)]
pub struct Fetcher {
    client: OnceCell<Client>,
    redirects: usize,
}

/// A complete response.
#[derive(Debug)]
pub struct Fetched {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Vec<u8>,
}

/// Why there is no response. URLs are left out, because they may contain secrets.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// No connection, or a broken one.
    #[error("{}", describe(.0))]
    Transport(reqwest::Error),
    /// No response in time.
    #[error("no answer within {} seconds", .0.as_secs_f64())]
    Slow(Duration),
    /// A response that is too large.
    #[error("the answer is larger than {0} bytes")]
    Long(usize),
}

impl FetchError {
    /// Whether the server may have got the request.
    pub fn was_sent(&self) -> bool {
        match self {
            FetchError::Transport(error) => !error.is_connect() && !error.is_builder(),
            FetchError::Slow(_) | FetchError::Long(_) => true,
        }
    }
}

impl Fetcher {
    /// A fetcher that follows up to this many redirects.
    pub fn new(redirects: usize) -> Fetcher {
        Fetcher {
            client: OnceCell::new(),
            redirects,
        }
    }

    /// Sends the request that `make` builds and reads the whole response.
    pub async fn send(
        &self,
        make: impl FnOnce(&Client) -> RequestBuilder,
        time: Duration,
        bytes: usize,
    ) -> Result<Fetched, FetchError> {
        let exchange = async {
            let client = self.client.get_or_try_init(|| self.client()).await?;
            let mut response = make(client).send().await.map_err(transport)?;
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(transport)? {
                if body.len() + chunk.len() > bytes {
                    return Err(FetchError::Long(bytes));
                }
                body.extend_from_slice(&chunk);
            }
            Ok(Fetched {
                status: response.status(),
                headers: std::mem::take(response.headers_mut()),
                body,
            })
        };
        tokio::time::timeout(time, exchange)
            .await
            .unwrap_or(Err(FetchError::Slow(time)))
    }

    async fn client(&self) -> Result<Client, FetchError> {
        let redirects = self.redirects;
        let policy = Policy::custom(move |attempt| {
            if is_safe(&attempt, redirects) {
                attempt.follow()
            } else {
                attempt.stop()
            }
        });
        http_client::builder()
            .redirect(policy)
            .build()
            .map_err(transport)
    }
}

/// Whether to follow a redirect: not too many, and never from https to http.
fn is_safe(attempt: &Attempt<'_>, most: usize) -> bool {
    let protected = attempt.previous().iter().any(|url| url.scheme() == "https");
    attempt.previous().len() <= most && (!protected || attempt.url().scheme() == "https")
}

fn transport(error: reqwest::Error) -> FetchError {
    FetchError::Transport(error.without_url())
}

/// An error with its causes; the last one is the most specific.
fn describe(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
