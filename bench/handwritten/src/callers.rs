//! Who is asking: tokens are verified once and then remembered.

use std::collections::HashMap;
use std::sync::RwLock;
use std::time::{SystemTime, UNIX_EPOCH};

use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;

use crate::values::Key;

/// More tokens than this are not remembered.
const REMEMBERED: usize = 100_000;

/// How callers are told.
pub(crate) enum Callers {
    /// Not at all.
    Trusted,
    /// By their token.
    Verified {
        /// Boxed, for keys and rules are large.
        verifier: Box<Verifier>,
        /// By the token's text.
        known: RwLock<HashMap<Box<str>, Caller>>,
    },
}

/// What tokens are verified with.
pub(crate) struct Verifier {
    key: DecodingKey,
    rules: Validation,
}

/// Who a token speaks of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    /// The user, where one is named.
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

/// There is no token, or not a good one.
#[derive(Debug)]
pub(crate) struct Unverified;

impl std::fmt::Debug for Callers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if matches!(self, Callers::Trusted) { "Trusted" } else { "Verified" })
    }
}

impl Callers {
    pub(crate) fn verified(key: &str) -> Callers {
        let verifier =
            Verifier { key: DecodingKey::from_secret(key.as_bytes()), rules: Validation::new(Algorithm::HS256) };
        Callers::Verified { verifier: Box::new(verifier), known: RwLock::default() }
    }

    /// Who is asking; nobody in particular, when callers are trusted.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Option<Key>, Unverified> {
        let Callers::Verified { verifier, known } = self else { return Ok(None) };
        let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).ok_or(Unverified)?;
        let token = header.strip_prefix("Bearer ").ok_or(Unverified)?;
        let found = known.read().map_err(|_| Unverified)?.get(token).copied();
        if let Some(caller) = found {
            return if caller.expires > now() { Ok(caller.user) } else { Err(Unverified) };
        }
        let claims =
            jsonwebtoken::decode::<Claims>(token, &verifier.key, &verifier.rules).map_err(|_| Unverified)?.claims;
        let caller = Caller { user: claims.gateway.user, expires: claims.exp };
        let mut known = known.write().map_err(|_| Unverified)?;
        if known.len() < REMEMBERED {
            known.insert(token.into(), caller);
        }
        Ok(caller.user)
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
