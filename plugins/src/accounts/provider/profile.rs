//! What a provider knows of a person, and its tokens.

use serde_json::{Value, json};

use super::provider_error::ProviderError;

/// What a provider knows of a person.
#[derive(Debug)]
pub(in crate::accounts) struct Profile {
    /// Who the person is, for this provider.
    pub(in crate::accounts) subject: String,
    /// The address.
    pub(in crate::accounts) email: Option<String>,
    /// Whether the provider says that the person has the address. Without a word it does not.
    pub(in crate::accounts) has_verified_email: bool,
    /// The name to show.
    pub(in crate::accounts) display_name: Option<String>,
    /// The language.
    pub(in crate::accounts) locale: Option<String>,
}

impl Profile {
    /// Reads the claims of an id token, or of userinfo.
    /// <https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims>
    pub(super) fn read(claims: &Value) -> Option<Profile> {
        let text = |name: &str| {
            let text = claims.get(name).and_then(Value::as_str);
            // Postgres has no text with U+0000.
            let is_text = |text: &&str| !text.is_empty() && !text.contains('\0');
            text.filter(is_text).map(str::to_owned)
        };
        Some(Profile {
            subject: text("sub")?,
            email: text("email"),
            // Some providers write it as text.
            has_verified_email: match claims.get("email_verified") {
                Some(Value::Bool(is_verified)) => *is_verified,
                Some(Value::String(text)) => text == "true",
                _ => false,
            },
            display_name: text("name"),
            locale: text("locale").map(|locale| {
                let language = locale.split(['-', '_']).next().unwrap_or_default();
                language.to_ascii_lowercase()
            }),
        })
    }
}

/// The tokens of a provider.
#[derive(Default)]
pub(in crate::accounts) struct ProviderTokens {
    access: String,
    refresh: Option<String>,
    /// The lifetime of the access token in seconds.
    seconds: Option<u64>,
}

impl ProviderTokens {
    /// Reads the response of a token endpoint. <https://www.rfc-editor.org/rfc/rfc6749#section-5.1>
    pub(super) fn read(response: &Value) -> Result<ProviderTokens, ProviderError> {
        let text = |name: &str| response.get(name).and_then(Value::as_str);
        let fault = || ProviderError::Exchange("there is no access token".into());
        Ok(ProviderTokens {
            access: text("access_token").ok_or_else(fault)?.to_owned(),
            refresh: text("refresh_token").map(str::to_owned),
            seconds: response.get("expires_in").and_then(Value::as_u64),
        })
    }

    /// The access token.
    pub(super) fn access(&self) -> &str {
        &self.access
    }

    /// The tokens in hasura-auth's form. `now` is in seconds since 1970.
    pub(in crate::accounts) fn to_json(&self, now: u64) -> Value {
        let seconds = self.seconds.unwrap_or_default();
        let expires = chrono::DateTime::from_timestamp(
            i64::try_from(now.saturating_add(seconds)).unwrap_or_default(),
            0,
        );
        json!({
            "accessToken": self.access,
            "expiresIn": seconds,
            "expiresAt": expires.map(|at| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
            "refreshToken": self.refresh,
        })
    }
}

impl std::fmt::Debug for ProviderTokens {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ProviderTokens")
            .field("seconds", &self.seconds)
            .finish_non_exhaustive()
    }
}
