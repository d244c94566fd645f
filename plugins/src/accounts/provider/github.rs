//! GitHub, which has OAuth without OpenID Connect: an app of it, or of GitHub Enterprise.
//! <https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps>

use reqwest::Url;
use serde_json::Value;

use super::binding::Binding;
use super::client::Client;
use super::pkce::pkce_challenge;
use super::profile::{Profile, ProviderTokens};
use super::provider_error::ProviderError;

/// GitHub, or a GitHub Enterprise.
#[derive(Debug)]
pub(super) struct GitHub {
    /// Where people sign in.
    pub(super) url: String,
    /// Where programs ask.
    pub(super) api_url: String,
}

impl GitHub {
    /// The address at which a person signs in.
    pub(super) fn authorization_url(
        &self,
        client: &Client,
        binding: &Binding<'_>,
    ) -> Result<Url, ProviderError> {
        let address = format!("{}/login/oauth/authorize", self.url);
        let query = [
            ("client_id", client.id.as_str()),
            ("redirect_uri", &binding.callback),
            ("scope", &client.scopes),
            ("state", binding.state),
            ("code_challenge", &pkce_challenge(&binding.verifier)),
            ("code_challenge_method", "S256"),
        ];
        Url::parse_with_params(&address, query)
            .map_err(|_| ProviderError::Provider("its address is none".into()))
    }

    /// Exchanges a refresh token.
    pub(super) async fn refresh(
        &self,
        client: &Client,
        form: &[(&str, &str)],
    ) -> Result<ProviderTokens, ProviderError> {
        ProviderTokens::read(&self.token(client, form).await?)
    }

    /// Sends a form to the token endpoint.
    async fn token(&self, client: &Client, form: &[(&str, &str)]) -> Result<Value, ProviderError> {
        let mut form = form.to_vec();
        let secret = client.secret.as_deref();
        form.push(("client_id", client.id.as_str()));
        form.extend(secret.map(|secret| ("client_secret", secret)));
        let make = |http: &reqwest::Client| {
            let request = http.post(format!("{}/login/oauth/access_token", self.url));
            request.header("accept", "application/json").form(&form)
        };
        client.json(make, ProviderError::Exchange).await
    }

    /// Exchanges a code, and asks for the person and their addresses.
    pub(super) async fn profile(
        &self,
        client: &Client,
        code: &str,
        binding: &Binding<'_>,
    ) -> Result<(Profile, ProviderTokens), ProviderError> {
        let form = [
            ("code", code),
            ("redirect_uri", binding.callback.as_str()),
            ("code_verifier", binding.verifier.as_str()),
        ];
        let response = self.token(client, &form).await?;
        let tokens = ProviderTokens::read(&response)?;
        let user = self.get(client, "/user", &tokens).await?;
        let emails = self.get(client, "/user/emails", &tokens).await?;
        let fault = || ProviderError::Profile("the person has no id".into());
        let text = |name: &str| {
            let text = user.get(name).and_then(Value::as_str);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        // The first address need be neither the primary nor a verified one.
        let is = |email: &Value, name: &str| email.get(name) == Some(&Value::Bool(true));
        let primary = emails
            .as_array()
            .into_iter()
            .flatten()
            .find(|email| is(email, "primary"));
        let profile = Profile {
            subject: user
                .get("id")
                .and_then(Value::as_u64)
                .ok_or_else(fault)?
                .to_string(),
            email: primary
                .and_then(|email| email.get("email")?.as_str())
                .map(str::to_owned),
            has_verified_email: primary.is_some_and(|email| is(email, "verified")),
            display_name: text("name").or_else(|| text("login")),
            locale: None,
        };
        Ok((profile, tokens))
    }

    async fn get(
        &self,
        client: &Client,
        path: &str,
        tokens: &ProviderTokens,
    ) -> Result<Value, ProviderError> {
        let make = |http: &reqwest::Client| {
            let request = http.get(format!("{}{path}", self.api_url));
            request
                .bearer_auth(tokens.access())
                .header("accept", "application/vnd.github+json")
        };
        client.json(make, ProviderError::Profile).await
    }
}
