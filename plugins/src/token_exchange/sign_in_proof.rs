//! How a person signed in, as access tokens say it.

use serde::Deserialize;

/// How a person signed in, for the claims `sid`, `amr` and `auth_time`. A session that a personal
/// access token opened has none, so its tokens can change no credential.
/// <https://openid.net/specs/openid-connect-core-1_0.html#IDToken>
#[derive(Debug, Deserialize)]
pub(crate) struct SignInProof {
    /// The id of the session.
    pub(crate) session: String,
    /// The methods, as in RFC 8176 where it has a name: `pwd`, `otp`.
    pub(crate) methods: Vec<String>,
    /// When, in seconds since 1970.
    pub(crate) at: u64,
}
