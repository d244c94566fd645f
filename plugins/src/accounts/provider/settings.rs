//! `[accounts.provider.NAME]` in the settings file.

use reqwest::Url;
use serde::Deserialize;

/// The table as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::accounts) struct ProviderSettings {
    #[serde(default)]
    kind: ProviderKind,
    issuer: Option<String>,
    pub(super) client_id: String,
    pub(super) client_secret: Option<String>,
    pub(super) scopes: Option<Vec<String>>,
    #[serde(default = "yes")]
    pub(super) trust_email: bool,
    #[serde(default)]
    pub(super) form_post: bool,
    #[serde(default)]
    pub(super) keep_tokens: bool,
    url: Option<String>,
    api_url: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ProviderKind {
    #[default]
    Oidc,
    GitHub,
}

fn yes() -> bool {
    true
}

/// Where a provider is.
pub(super) enum Location {
    /// The issuer of OpenID Connect.
    Issuer(String),
    /// The addresses of GitHub for people and for programs.
    GitHub(String, String),
}

impl ProviderSettings {
    /// Checks the settings. The error is a text for the settings file.
    pub(super) fn location(&self) -> Result<Location, String> {
        let secrets = [Some(&self.client_id), self.client_secret.as_ref()];
        if secrets.into_iter().flatten().any(String::is_empty) {
            return Err("`client_id` or `client_secret` is empty".into());
        }
        match (self.kind, &self.issuer) {
            (ProviderKind::Oidc, Some(issuer)) => {
                if self.url.is_some() || self.api_url.is_some() {
                    return Err("`url` and `api_url` are for `kind = \"github\"`".into());
                }
                let scopes = self.scopes.as_ref();
                if scopes.is_some_and(|scopes| !scopes.iter().any(|scope| scope == "openid")) {
                    return Err("`scopes` has to have \"openid\"".into());
                }
                address("issuer", issuer)?;
                Ok(Location::Issuer(issuer.clone()))
            }
            (ProviderKind::GitHub, None) => {
                if self.form_post {
                    return Err("GitHub has no `form_post`".into());
                }
                let url = self.url.as_deref().unwrap_or("https://github.com");
                let api_url = self.api_url.as_deref().unwrap_or("https://api.github.com");
                Ok(Location::GitHub(
                    address("url", url)?,
                    address("api_url", api_url)?,
                ))
            }
            _ => Err("needs `issuer`, or `kind = \"github\"`".into()),
        }
    }
}

/// An address without a slash at its end.
fn address(name: &str, text: &str) -> Result<String, String> {
    let is_plain = |url: &Url| {
        let has_user = !url.username().is_empty() || url.password().is_some();
        is_safe_url(url) && !has_user && url.query().is_none() && url.fragment().is_none()
    };
    match Url::parse(text) {
        Ok(url) if is_plain(&url) => Ok(text.trim_end_matches('/').to_owned()),
        _ => Err(format!("`{name}` has to be an address: https://…")),
    }
}

/// Whether what is sent to an address is encrypted, or stays on this machine.
pub(super) fn is_safe_url(url: &Url) -> bool {
    let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    url.scheme() == "https" || url.scheme() == "http" && is_local
}
