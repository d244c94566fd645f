//! Where requests go, and how they are signed.

use gateway::transform::Transform;
use http::{HeaderMap, HeaderValue, header};

use super::signature::SigningSecret;

/// A webhook. Its address and its headers may contain secrets.
pub(crate) struct Webhook {
    pub(crate) url: reqwest::Url,
    pub(crate) headers: HeaderMap,
    pub(crate) secrets: Vec<SigningSecret>,
    /// How the request differs from a POST of the payload.
    pub(crate) transform: Option<Box<Transform>>,
}

impl Webhook {
    /// A webhook that is sent JSON, signed by one secret.
    pub(crate) fn new(url: reqwest::Url, secret: SigningSecret) -> Webhook {
        let json = HeaderValue::from_static("application/json");
        Webhook {
            url,
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, json)]),
            secrets: vec![secret],
            transform: None,
        }
    }
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Webhook")
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}
