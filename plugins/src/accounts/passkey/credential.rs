//! A credential as browsers send it: `RegistrationResponseJSON` and `AuthenticationResponseJSON`.
//! Older clients leave members out, newer ones have more; those that are needed are bounded.
//! <https://www.w3.org/TR/webauthn-3/#dictdef-registrationresponsejson>

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use super::passkey_error::PasskeyError;

/// The longest credential id, by section 7.1, step 25.
pub(super) const MAX_ID_BYTES: usize = 1023;

/// The most ways to reach an authenticator that are kept.
const MAX_TRANSPORTS: usize = 8;

/// The longest name of such a way; `smart-card` is the longest one that is defined.
const MAX_TRANSPORT_LENGTH: usize = 32;

/// A credential whose id is known.
#[derive(Debug)]
pub(super) struct Credential<'a> {
    /// The id of the key.
    pub(super) id: Vec<u8>,
    response: &'a Value,
}

impl<'a> Credential<'a> {
    /// Reads the members beside the response.
    pub(super) fn read(credential: &'a Value) -> Result<Credential<'a>, PasskeyError> {
        if credential["type"].as_str() != Some("public-key") {
            return Err(PasskeyError::Member("type"));
        }
        let id = id_of(credential).ok_or(PasskeyError::Member("rawId"))?;
        if credential["id"] != credential["rawId"] {
            return Err(PasskeyError::Member("id"));
        }
        Ok(Credential {
            id,
            response: &credential["response"],
        })
    }

    /// The bytes of a member of the response.
    pub(super) fn bytes(&self, member: &'static str, max: usize) -> Result<Vec<u8>, PasskeyError> {
        let text = self.response[member].as_str();
        text.and_then(|text| decode(text, max))
            .filter(|bytes| !bytes.is_empty())
            .ok_or(PasskeyError::Member(member))
    }

    /// How the browser reaches the authenticator. Unknown names are kept for browsers that know
    /// them, as section 5.8.4 asks for; what is no name is left out.
    pub(super) fn transports(&self) -> Vec<String> {
        let is_name = |text: &&str| {
            (1..=MAX_TRANSPORT_LENGTH).contains(&text.len())
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        };
        let sent = self.response["transports"].as_array();
        let texts = sent.into_iter().flatten().filter_map(Value::as_str);
        let mut names: Vec<String> = texts.filter(is_name).map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(MAX_TRANSPORTS);
        names
    }
}

/// The id of a credential: 1 to 1023 bytes.
pub(super) fn id_of(credential: &Value) -> Option<Vec<u8>> {
    let text = credential["rawId"].as_str()?;
    decode(text, MAX_ID_BYTES).filter(|id| !id.is_empty())
}

/// The text of bytes: base64url without padding, WebAuthn's `Base64URLString`.
pub(super) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of a text; `None` if it is malformed or has more bytes than `max`.
pub(super) fn decode(text: &str, max: usize) -> Option<Vec<u8>> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    (bytes.len() <= max).then_some(bytes)
}
