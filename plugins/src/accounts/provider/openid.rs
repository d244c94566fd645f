//! OpenID Connect with the authorization code flow, PKCE and a nonce.
//! <https://openid.net/specs/openid-connect-core-1_0.html>

use reqwest::Url;
use serde_json::{Map, Value};
use subtle::ConstantTimeEq;

use super::binding::Binding;
use super::client::Client;
use super::metadata::{Metadata, MetadataCache};
use super::pkce::pkce_challenge;
use super::profile::{Profile, ProviderTokens};
use super::provider_error::ProviderError;

/// How far the clocks of the provider and the gateway may differ, in seconds.
const LEEWAY: u64 = 60;

/// A provider of OpenID Connect.
#[derive(Debug)]
pub(super) struct OpenId {
    /// Its issuer.
    pub(super) issuer: String,
    /// What it publishes about itself.
    pub(super) metadata: MetadataCache,
}

impl OpenId {
    /// The address of the authorization endpoint with the parameters of a request.
    pub(super) async fn authorization_url(
        &self,
        client: &Client,
        binding: &Binding<'_>,
    ) -> Result<Url, ProviderError> {
        let metadata = self.metadata.get(client, &self.issuer).await?;
        let mut url = metadata.authorization_endpoint.clone();
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &binding.callback)
            .append_pair("scope", &client.scopes)
            .append_pair("state", binding.state)
            .append_pair("nonce", &binding.nonce)
            .append_pair("code_challenge", &pkce_challenge(&binding.verifier))
            .append_pair("code_challenge_method", "S256");
        if client.has_form_post {
            query.append_pair("response_mode", "form_post");
        }
        drop(query);
        Ok(url)
    }

    /// Whether its responses have the parameter `iss`.
    pub(super) async fn sends_issuer(&self, client: &Client) -> Result<bool, ProviderError> {
        Ok(self
            .metadata
            .get(client, &self.issuer)
            .await?
            .sends_issuer())
    }

    /// Exchanges a refresh token.
    pub(super) async fn refresh(
        &self,
        client: &Client,
        form: &[(&str, &str)],
    ) -> Result<ProviderTokens, ProviderError> {
        let metadata = self.metadata.get(client, &self.issuer).await?;
        ProviderTokens::read(&token(client, &metadata, form).await?)
    }

    /// Exchanges a code, and reads the id token.
    pub(super) async fn profile(
        &self,
        client: &Client,
        code: &str,
        binding: &Binding<'_>,
    ) -> Result<(Profile, ProviderTokens), ProviderError> {
        let metadata = self.metadata.get(client, &self.issuer).await?;
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", binding.callback.as_str()),
            ("code_verifier", binding.verifier.as_str()),
        ];
        let response = token(client, &metadata, &form).await?;
        let tokens = ProviderTokens::read(&response)?;
        let fault = |text: &str| ProviderError::Profile(text.to_owned());
        let id_token = response.get("id_token").and_then(Value::as_str);
        let id_token = id_token.ok_or_else(|| fault("there is no id token"))?;
        let claims = metadata.verify(client, id_token).await?;
        let now = jsonwebtoken::get_current_timestamp();
        self.check_claims(&claims, &client.id, &binding.nonce, now)
            .map_err(fault)?;
        let mut claims = Value::Object(claims);
        if claims.get("email").is_none()
            && let Some(url) = &metadata.userinfo_endpoint
        {
            let make = |http: &reqwest::Client| http.get(url.clone()).bearer_auth(tokens.access());
            // Without an answer the address stays unknown, which only some need.
            if let Ok(more) = client.json(make, ProviderError::Profile).await {
                match more.get("sub") {
                    None => {}
                    sub if sub == claims.get("sub") => claims = more,
                    Some(_) => return Err(fault("userinfo is about another person")),
                }
            }
        }
        let profile = Profile::read(&claims).ok_or_else(|| fault("there is no subject"))?;
        Ok((profile, tokens))
    }

    /// Checks the claims of an id token: section 3.1.3.7. The signature is checked before. The
    /// error says which claim is wrong.
    fn check_claims(
        &self,
        claims: &Map<String, Value>,
        client_id: &str,
        nonce: &str,
        now: u64,
    ) -> Result<(), &'static str> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let seconds = |name: &str| claims.get(name).and_then(Value::as_f64);
        let is_own = |value: &Value| value.as_str() == Some(client_id);
        // Step 2.
        if text("iss") != Some(self.issuer.as_str()) {
            return Err("the claim `iss` names another issuer");
        }
        // Steps 3 to 5.
        let (is_audience, is_only) = match claims.get("aud") {
            Some(Value::Array(all)) => (all.iter().any(is_own), all.len() == 1),
            Some(one) => (is_own(one), true),
            None => (false, true),
        };
        if !is_audience {
            return Err("the claim `aud` names another client");
        }
        match claims.get("azp") {
            Some(azp) if !is_own(azp) => return Err("the claim `azp` names another client"),
            None if !is_only => return Err("the claim `azp` is missing"),
            _ => {}
        }
        // Steps 9 and 10.
        let now = now as f64;
        if seconds("exp").is_none_or(|end| end + LEEWAY as f64 <= now) {
            return Err("the claim `exp` is missing or over");
        }
        if seconds("iat").is_none_or(|start| start > now + LEEWAY as f64) {
            return Err("the claim `iat` is missing or in the future");
        }
        // Step 11.
        let sent = text("nonce").unwrap_or_default();
        if !bool::from(sent.as_bytes().ct_eq(nonce.as_bytes())) {
            return Err("the claim `nonce` is another one");
        }
        Ok(())
    }
}

/// Sends a form to the token endpoint.
async fn token(
    client: &Client,
    metadata: &Metadata,
    form: &[(&str, &str)],
) -> Result<Value, ProviderError> {
    let mut form = form.to_vec();
    let secret = client.secret.as_deref();
    let in_header = secret.filter(|_| !metadata.takes_secret_in_form());
    if in_header.is_none() {
        form.push(("client_id", client.id.as_str()));
        form.extend(secret.map(|secret| ("client_secret", secret)));
    }
    let make = |http: &reqwest::Client| {
        let request = http.post(metadata.token_endpoint.clone()).form(&form);
        match in_header {
            // RFC 6749, section 2.3.1: both are encoded as in a form.
            Some(secret) => request.basic_auth(encoded(&client.id), Some(encoded(secret))),
            None => request,
        }
    };
    client.json(make, ProviderError::Exchange).await
}

fn encoded(text: &str) -> String {
    let mut url = Url::parse("http://form/").ok();
    let query = url.as_mut().map(|url| {
        url.query_pairs_mut().append_key_only(text);
        url.query().unwrap_or_default().to_owned()
    });
    query.unwrap_or_default()
}
