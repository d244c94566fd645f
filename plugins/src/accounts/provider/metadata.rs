//! What an OpenID provider publishes about itself, and its keys. Both are asked for at the first
//! sign-in and kept for an hour, so that a provider that is down does not stop the gateway.
//! <https://openid.net/specs/openid-connect-discovery-1_0.html>

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gateway::auth::id_token::IdTokenKeys;
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::client::Client;
use super::provider_error::ProviderError;
use super::settings::is_safe_url;

/// How long the metadata and the keys are kept.
const LIFETIME: Duration = Duration::from_secs(3600);

/// The least time between two requests for keys because of an unknown one.
const COOL_DOWN: Duration = Duration::from_secs(10);

/// The metadata of a provider.
#[derive(Debug)]
pub(super) struct Metadata {
    /// Where people sign in.
    pub(super) authorization_endpoint: Url,
    /// Where codes are exchanged.
    pub(super) token_endpoint: Url,
    /// Where more is said of a person.
    pub(super) userinfo_endpoint: Option<Url>,
    jwks_uri: Url,
    takes_secret_in_form: bool,
    sends_issuer: bool,
    keys: Mutex<Option<(Instant, Arc<IdTokenKeys>)>>,
}

/// The metadata as published.
#[derive(Deserialize)]
struct RawMetadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: Option<String>,
    jwks_uri: String,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl RawMetadata {
    /// Checks the metadata of an issuer. The error is a text for the log.
    fn check(self, issuer: &str) -> Result<Metadata, &'static str> {
        if self.issuer != issuer {
            return Err("its metadata name another issuer");
        }
        let url = |text: &str| {
            let url = Url::parse(text).ok().filter(is_safe_url);
            url.ok_or("an endpoint in its metadata is no https")
        };
        let methods = &self.token_endpoint_auth_methods_supported;
        let has = |name: &str| methods.iter().any(|method| method == name);
        Ok(Metadata {
            authorization_endpoint: url(&self.authorization_endpoint)?,
            token_endpoint: url(&self.token_endpoint)?,
            userinfo_endpoint: self.userinfo_endpoint.as_deref().map(url).transpose()?,
            jwks_uri: url(&self.jwks_uri)?,
            takes_secret_in_form: !has("client_secret_basic") && has("client_secret_post"),
            sends_issuer: self.authorization_response_iss_parameter_supported,
            keys: Mutex::default(),
        })
    }
}

/// The metadata that were fetched last.
#[derive(Debug, Default)]
pub(super) struct MetadataCache(Mutex<Option<(Instant, Arc<Metadata>)>>);

impl MetadataCache {
    /// The metadata of an issuer.
    pub(super) async fn get(
        &self,
        client: &Client,
        issuer: &str,
    ) -> Result<Arc<Metadata>, ProviderError> {
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let fault = |text: String| ProviderError::Provider(text);
        let url = format!(
            "{}/.well-known/openid-configuration",
            issuer.trim_end_matches('/')
        );
        let body = client
            .body(|client| client.get(&url))
            .await
            .map_err(fault)?;
        let metadata: RawMetadata = serde_json::from_slice(&body)
            .map_err(|_| fault("its metadata lack an endpoint".into()))?;
        let metadata = metadata
            .check(issuer)
            .map_err(|text| fault(text.to_owned()))?;
        let metadata = Arc::new(metadata);
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *cached = Some((Instant::now(), metadata.clone()));
        Ok(metadata)
    }

    fn known(&self) -> Option<Arc<Metadata>> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, metadata) = cached.as_ref()?;
        (at.elapsed() < LIFETIME).then(|| metadata.clone())
    }
}

impl Metadata {
    /// Whether responses have the parameter `iss`.
    pub(super) fn sends_issuer(&self) -> bool {
        self.sends_issuer
    }

    /// Whether the client's secret goes into the form. Without a word it goes into the header:
    /// <https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication>
    pub(super) fn takes_secret_in_form(&self) -> bool {
        self.takes_secret_in_form
    }

    /// The claims of an id token whose signature is right. An unknown key is asked for again.
    pub(super) async fn verify(
        &self,
        client: &Client,
        token: &str,
    ) -> Result<Map<String, Value>, ProviderError> {
        let fault = |text: String| ProviderError::Profile(text);
        let mut known = self.known_keys(LIFETIME);
        if let Some(keys) = &known {
            if let Ok(claims) = keys.verify(token) {
                return Ok(claims);
            }
            known = self.known_keys(COOL_DOWN);
        }
        let keys = match known {
            Some(keys) => keys,
            None => {
                let url = self.jwks_uri.clone();
                let body = client.body(|client| client.get(url)).await.map_err(fault)?;
                let keys = Arc::new(IdTokenKeys::read(&body).map_err(fault)?);
                let mut cached = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
                *cached = Some((Instant::now(), keys.clone()));
                keys
            }
        };
        keys.verify(token)
            .map_err(|error| fault(format!("the id token is refused: {error}")))
    }

    /// The keys, unless they are older.
    fn known_keys(&self, age: Duration) -> Option<Arc<IdTokenKeys>> {
        let cached = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, keys) = cached.as_ref()?;
        (at.elapsed() < age).then(|| keys.clone())
    }
}
