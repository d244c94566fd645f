//! How a person signed in, as access tokens say it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use serde::Deserialize;
use uuid::Uuid;

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
    /// Whether the person has just shown a factor again: the claim `<prefix>auth-elevated`.
    #[serde(default)]
    pub(crate) is_elevated: bool,
}

/// The claim `sid` of the bearer token, which has to have been verified before.
pub(crate) fn session_id(headers: &HeaderMap) -> Option<String> {
    #[derive(Deserialize)]
    struct Payload {
        sid: Option<String>,
    }
    let header = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let payload = URL_SAFE_NO_PAD.decode(header.split('.').nth(1)?).ok()?;
    let session = serde_json::from_slice::<Payload>(&payload).ok()?.sid?;
    Uuid::parse_str(&session).is_ok().then_some(session)
}
