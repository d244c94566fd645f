//! The keys of an OpenID provider, which verify its id tokens. Unlike the tokens of requests, an id
//! token comes from the provider itself, in a response to the gateway.

use jsonwebtoken::Validation;
use serde_json::{Map, Value};

use super::jwt::UnverifiedToken;
use super::key_set::{self, KeysError};
use super::keys::Key;
use crate::error::TokenError;
use crate::request::json::Distinct;

/// Published keys. None of them is a shared secret.
#[derive(Debug)]
pub struct IdTokenKeys(Vec<Key>);

impl IdTokenKeys {
    /// Reads a JWK set. The error says what is wrong, without its content.
    pub fn read(body: &[u8]) -> Result<IdTokenKeys, String> {
        key_set::read(body)
            .map(IdTokenKeys)
            .map_err(|error: KeysError| error.to_string())
    }

    /// The claims of a token whose signature is right. The claims themselves are the caller's to
    /// check, the expiry too.
    pub fn verify(&self, text: &str) -> Result<Map<String, Value>, TokenError> {
        let token = UnverifiedToken::read(text)?;
        let mut validation = Validation::new(token.algorithm);
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        validation.validate_aud = false;
        let id = token.key.as_deref();
        for key in self.0.iter().filter(|key| key.can_be(id)) {
            if !key.is_for(token.algorithm) {
                continue;
            }
            let decoded = jsonwebtoken::decode::<Distinct>(text, key.decoding(), &validation);
            if let Ok(data) = decoded {
                return Ok(data.claims.0);
            }
        }
        Err(TokenError::Key)
    }
}
