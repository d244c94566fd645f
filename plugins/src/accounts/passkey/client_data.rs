//! The client data: what the browser says about the page that asked.
//! <https://www.w3.org/TR/webauthn-3/#dictionary-client-data>

use gateway::request::json;
use serde_json::{Map, Value};

use super::challenge::{CHALLENGE_LENGTH, Ceremony, Challenge};
use super::credential::{Credential, decode};
use super::passkey_error::PasskeyError;

/// The most bytes; browsers send some 250.
const MAX_CLIENT_DATA_BYTES: usize = 8 * 1024;

/// The client data of a response.
#[derive(Debug)]
pub(super) struct ClientData {
    /// The bytes that the authenticator has signed by their hash.
    pub(super) bytes: Vec<u8>,
    members: Map<String, Value>,
}

impl ClientData {
    /// Reads the client data of a response: section 7.1, steps 5 and 6; section 7.2, steps 8 and 9.
    pub(super) fn read(credential: &Credential<'_>) -> Result<ClientData, PasskeyError> {
        let bytes = credential.bytes("clientDataJSON", MAX_CLIENT_DATA_BYTES)?;
        // "UTF-8 decode" drops a byte order mark and replaces what is no UTF-8.
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        match json::read(text.as_bytes()) {
            Ok(Value::Object(members)) => Ok(ClientData { bytes, members }),
            _ => Err(PasskeyError::ClientData),
        }
    }

    /// The challenge that the authenticator has signed.
    pub(super) fn challenge(&self) -> Option<Vec<u8>> {
        let challenge = decode(self.text("challenge")?, CHALLENGE_LENGTH)?;
        (challenge.len() == CHALLENGE_LENGTH).then_some(challenge)
    }

    /// Compares the client data with what was asked for and where it may be asked.
    pub(super) fn verify(
        &self,
        ceremony: Ceremony,
        challenge: &Challenge,
        origins: &[String],
    ) -> Result<(), PasskeyError> {
        // A challenge to make a key opens no session, whatever the client data say.
        if !challenge.is_for(ceremony) {
            return Err(PasskeyError::Ceremony);
        }
        // §7.1 step 7, §7.2 step 10.
        let kind = match ceremony {
            Ceremony::Create => "webauthn.create",
            Ceremony::Get => "webauthn.get",
        };
        if self.text("type") != Some(kind) {
            return Err(PasskeyError::Type);
        }
        // §7.1 step 8, §7.2 step 11.
        if self.challenge().as_deref() != Some(challenge.bytes()) {
            return Err(PasskeyError::Challenge);
        }
        // §7.1 step 9, §7.2 step 12.
        let origin = self.text("origin").ok_or(PasskeyError::Origin)?;
        if !origins.iter().any(|known| known == origin) {
            return Err(PasskeyError::Origin);
        }
        // §7.1 steps 10 and 11, §7.2 steps 13 and 14: no page of another origin may frame these.
        let is_same_origin = matches!(
            self.members.get("crossOrigin"),
            None | Some(Value::Null | Value::Bool(false))
        );
        let has_top_origin = self
            .members
            .get("topOrigin")
            .is_some_and(|top| !top.is_null());
        if !is_same_origin || has_top_origin {
            return Err(PasskeyError::CrossOrigin);
        }
        Ok(())
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.members.get(member)?.as_str()
    }
}
