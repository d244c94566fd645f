//! Signs the tokens of the callers. All peers verify the same tokens with the same key.

use std::time::{Duration, SystemTime};

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::json;

use super::data;

/// The key that tokens are signed with, used only by benchmarks.
pub const SECRET: &str = "a key of 32 bytes for benchmarks";

/// How long tokens are valid.
const TOKEN_LIFETIME: Duration = Duration::from_secs(86_400);

/// Creates tokens. A caller without a user number gets the role of the reader.
#[derive(Clone, Debug)]
pub struct Tokens {
    reader: String,
    expires: u64,
}

impl Tokens {
    /// Tokens that are valid from now on.
    pub fn new() -> Result<Tokens, jsonwebtoken::errors::Error> {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let expires = (now + TOKEN_LIFETIME).as_secs();
        Ok(Tokens {
            reader: mint("reader", &data::user(1), expires)?,
            expires,
        })
    }

    /// The token of a role without a row rule: `reader`, or `polled`.
    pub fn role_token(&self, role: &str) -> Result<String, jsonwebtoken::errors::Error> {
        mint(role, &data::user(1), self.expires)
    }

    /// The token of a user, or of the reader.
    pub fn user_token(&self, user: Option<u32>) -> Result<String, jsonwebtoken::errors::Error> {
        match user {
            None => Ok(self.reader.clone()),
            Some(number) => mint("user", &data::user(number), self.expires),
        }
    }
}

fn mint(role: &str, user: &str, expires: u64) -> Result<String, jsonwebtoken::errors::Error> {
    let claims = json!({
        "exp": expires,
        "gateway": {"x-gateway-default-role": role, "x-gateway-allowed-roles": [role], "x-gateway-user-id": user},
    });
    jsonwebtoken::encode(
        &Header::new(Algorithm::HS256),
        &claims,
        &EncodingKey::from_secret(SECRET.as_bytes()),
    )
}
