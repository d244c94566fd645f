//! Other providers: any of OpenID Connect, found by discovery, and GitHub. Here is what the gateway
//! says to them; whose account a person gets is in [`super::provider_sign_in`].

mod binding;
mod client;
mod github;
mod metadata;
mod openid;
mod pkce;
mod profile;
mod provider_error;
mod settings;

use gateway::auth::fetch::Fetcher;
use reqwest::Url;

pub(super) use binding::Binding;
use client::Client;
use github::GitHub;
use metadata::MetadataCache;
use openid::OpenId;
pub(super) use pkce::pkce_challenge;
pub(super) use profile::{Profile, ProviderTokens};
pub(super) use provider_error::ProviderError;
use settings::Location;
pub(super) use settings::ProviderSettings;

/// A provider that people may sign in with.
#[derive(Debug)]
pub(super) struct Provider {
    /// Its name in paths.
    pub(super) name: String,
    /// Whether a verified address of it proves that the person has the address.
    pub(super) trusts_email: bool,
    /// Whether its tokens are kept for the application.
    pub(super) keeps_tokens: bool,
    client: Client,
    kind: Kind,
}

/// How a provider is spoken to.
#[derive(Debug)]
enum Kind {
    OpenId(OpenId),
    GitHub(GitHub),
}

impl Provider {
    /// The provider of this name. The error is a text for the settings file.
    pub(super) fn new(name: &str, settings: &ProviderSettings) -> Result<Provider, String> {
        let is_letter =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=50).contains(&name.len()) || !name.bytes().all(is_letter) {
            return Err("a name has 1 to 50 lower-case letters, digits or `-`".into());
        }
        let (kind, scopes_by_default) = match settings.location()? {
            Location::Issuer(issuer) => {
                let metadata = MetadataCache::default();
                (
                    Kind::OpenId(OpenId { issuer, metadata }),
                    "openid email profile",
                )
            }
            Location::GitHub(url, api_url) => (
                Kind::GitHub(GitHub { url, api_url }),
                "read:user user:email",
            ),
        };
        let scopes = settings.scopes.as_ref().map(|scopes| scopes.join(" "));
        Ok(Provider {
            name: name.to_owned(),
            trusts_email: settings.trust_email,
            keeps_tokens: settings.keep_tokens,
            client: Client {
                id: settings.client_id.clone(),
                secret: settings.client_secret.clone(),
                scopes: scopes.unwrap_or_else(|| scopes_by_default.to_owned()),
                has_form_post: settings.form_post,
                fetcher: Fetcher::new(0),
            },
            kind,
        })
    }

    /// Its name in the audit, and for the owner's `create`.
    pub(super) fn method(&self) -> String {
        format!("oidc:{}", self.name)
    }

    /// Whether the provider answers by a form, which other sites send.
    pub(super) fn has_form_post(&self) -> bool {
        self.client.has_form_post
    }

    /// The issuer of its people: with the subject it says who somebody is.
    pub(super) fn issuer(&self) -> &str {
        match &self.kind {
            Kind::OpenId(openid) => &openid.issuer,
            Kind::GitHub(github) => &github.url,
        }
    }

    /// The address at which a person signs in there.
    pub(super) async fn authorization_url(
        &self,
        binding: &Binding<'_>,
    ) -> Result<Url, ProviderError> {
        match &self.kind {
            Kind::OpenId(openid) => openid.authorization_url(&self.client, binding).await,
            Kind::GitHub(github) => github.authorization_url(&self.client, binding),
        }
    }

    /// Checks the parameter `iss` of a response: <https://www.rfc-editor.org/rfc/rfc9207>. A
    /// provider that announces it has to send it.
    pub(super) async fn check_issuer(&self, iss: Option<&str>) -> Result<(), ProviderError> {
        let is_needed = match &self.kind {
            Kind::OpenId(openid) => openid.sends_issuer(&self.client).await?,
            Kind::GitHub(_) => false,
        };
        match iss {
            Some(iss) if iss != self.issuer() => Err(ProviderError::State),
            None if is_needed => Err(ProviderError::State),
            _ => Ok(()),
        }
    }

    /// Exchanges a code for what the provider knows of the person.
    pub(super) async fn profile(
        &self,
        code: &str,
        binding: &Binding<'_>,
    ) -> Result<(Profile, ProviderTokens), ProviderError> {
        match &self.kind {
            Kind::OpenId(openid) => openid.profile(&self.client, code, binding).await,
            Kind::GitHub(github) => github.profile(&self.client, code, binding).await,
        }
    }

    /// Exchanges a refresh token of the provider.
    pub(super) async fn refresh(
        &self,
        refresh_token: &str,
    ) -> Result<ProviderTokens, ProviderError> {
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh_token),
        ];
        match &self.kind {
            Kind::OpenId(openid) => openid.refresh(&self.client, &form).await,
            Kind::GitHub(github) => github.refresh(&self.client, &form).await,
        }
    }
}
