//! Authenticates callers: verifies each token once and caches the result.

use std::collections::HashMap;
use std::sync::RwLock;
use std::time::{SystemTime, UNIX_EPOCH};

use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;

use crate::values::Key;

/// The largest number of cached tokens.
const MAX_CACHED_TOKENS: usize = 100_000;

/// How callers are authenticated.
pub(crate) enum Callers {
    /// They are not.
    Trusted,
    /// By a bearer token.
    Verified {
        /// Boxed, because keys and validation rules are large.
        verifier: Box<Verifier>,
        /// Verified callers, by the token's text.
        cache: RwLock<HashMap<Box<str>, Caller>>,
    },
}

/// The key and the rules that tokens are verified with.
pub(crate) struct Verifier {
    key: DecodingKey,
    rules: Validation,
}

/// The identity in a token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    /// The user, if the token names one.
    pub(crate) user: Option<Key>,
    expires: u64,
}

#[derive(Deserialize)]
struct Claims {
    exp: u64,
    gateway: Session,
}

#[derive(Deserialize)]
struct Session {
    #[serde(rename = "x-gateway-user-id")]
    user: Option<Key>,
}

/// The token is missing or invalid.
#[derive(Debug)]
pub(crate) struct Unverified;

impl std::fmt::Debug for Callers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if matches!(self, Callers::Trusted) {
            "Trusted"
        } else {
            "Verified"
        })
    }
}

impl Callers {
    pub(crate) fn verified(key: &str) -> Callers {
        let verifier = Verifier {
            key: DecodingKey::from_secret(key.as_bytes()),
            rules: Validation::new(Algorithm::HS256),
        };
        Callers::Verified {
            verifier: Box::new(verifier),
            cache: RwLock::default(),
        }
    }

    /// The calling user; `None` when callers are not authenticated.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Option<Key>, Unverified> {
        let Callers::Verified { verifier, cache } = self else {
            return Ok(None);
        };
        let header = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .ok_or(Unverified)?;
        let token = header.strip_prefix("Bearer ").ok_or(Unverified)?;
        let found = cache.read().map_err(|_| Unverified)?.get(token).copied();
        if let Some(caller) = found {
            return if caller.expires > now() {
                Ok(caller.user)
            } else {
                Err(Unverified)
            };
        }
        let claims = jsonwebtoken::decode::<Claims>(token, &verifier.key, &verifier.rules)
            .map_err(|_| Unverified)?
            .claims;
        let caller = Caller {
            user: claims.gateway.user,
            expires: claims.exp,
        };
        let mut cache = cache.write().map_err(|_| Unverified)?;
        if cache.len() < MAX_CACHED_TOKENS {
            cache.insert(token.into(), caller);
        }
        Ok(caller.user)
    }
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}
