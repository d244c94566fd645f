//! Access tokens, and the session in hasura-auth's form that contains one.

use gateway::error::Error;
use serde_json::{Value, json};

use super::config::TokenExchangeConfig;
use super::sign_in_proof::SignInProof;
use super::store::IssuedRefreshToken;
use super::user::User;

/// The longest lifetime of an elevated access token.
const ELEVATED_SECONDS: u64 = 600;

/// An access token.
pub(crate) struct AccessToken {
    /// The token.
    pub(crate) token: String,
    /// Its lifetime.
    pub(crate) seconds: u64,
}

impl AccessToken {
    /// Signs an access token. It expires no later than the personal access token of its session,
    /// which has `left` seconds left, and an elevated one after ten minutes.
    pub(crate) fn sign(
        exchange_config: &TokenExchangeConfig,
        user: &User,
        left: Option<u64>,
        sign_in: Option<&SignInProof>,
    ) -> Result<AccessToken, Error> {
        let elevated = sign_in.filter(|sign_in| sign_in.is_elevated);
        let most = elevated.map(|_| ELEVATED_SECONDS);
        let limits = [left, most].into_iter().flatten();
        let seconds = limits.fold(exchange_config.access, u64::min);
        Ok(AccessToken {
            token: exchange_config.signer.sign(user, seconds, sign_in)?,
            seconds,
        })
    }
}

/// A session as hasura-auth sends it.
pub(crate) fn session_json(
    user: &User,
    access: &AccessToken,
    issued: &IssuedRefreshToken,
) -> Value {
    json!({
        "accessToken": access.token,
        "accessTokenExpiresIn": access.seconds,
        "refreshToken": issued.token,
        "refreshTokenId": issued.id,
        "user": user.to_json(),
    })
}

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("AccessToken")
            .field("seconds", &self.seconds)
            .finish_non_exhaustive()
    }
}
