//! Issues tokens for tests and development (`postern token`), signed with the first issuer's key.

use std::time::{SystemTime, UNIX_EPOCH};

use super::claims::{ClaimNames, Claims};
use super::jwt::{new_claims, signing_key};
use super::jwt_config_error::JwtConfigError;

/// The contents of a token to issue.
#[derive(Clone, Debug)]
pub struct TokenRequest<'a> {
    /// The default role, and the only allowed one unless `roles` has more.
    pub role: &'a str,
    /// Further allowed roles.
    pub roles: Vec<String>,
    /// Session values by their names without prefix: `user_id`.
    pub values: Vec<(String, String)>,
    /// Its lifetime in seconds.
    pub seconds: u64,
}

/// Issues a token for the issuers in `--jwt-secret`; `pem` is the private key that asymmetric
/// algorithms need.
///
/// Errors: an invalid secret, or one that can only verify.
pub fn mint(
    secret: &str,
    naming: ClaimNames<'_>,
    pem: Option<&str>,
    grant: &TokenRequest<'_>,
) -> Result<String, JwtConfigError> {
    let (header, key) = signing_key(secret, pem)?;
    let mut allowed_roles = vec![grant.role.into()];
    allowed_roles.extend(
        grant
            .roles
            .iter()
            .filter(|role| *role != grant.role)
            .map(|role| role.as_str().into()),
    );
    let values = std::sync::Arc::new(grant.values.iter().cloned().collect());
    let claims = Claims {
        default_role: grant.role.into(),
        allowed_roles,
        values,
    };
    let mut payload = new_claims(secret, naming, &claims)?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_secs());
    payload.insert("iat".into(), now.into());
    payload.insert("exp".into(), now.saturating_add(grant.seconds).into());
    jsonwebtoken::encode(&header, &payload, &key)
        .map_err(|_| JwtConfigError::Key("a key that can sign"))
}
