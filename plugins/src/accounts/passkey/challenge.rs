//! Challenges: random bytes that an authenticator signs, so that its response is a new one. A
//! challenge is stored between the two requests of a ceremony and used once, which the caller sees
//! to.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::credential::{decode, encode};

/// The length in bytes; section 13.4.3 asks for 16 or more.
pub(super) const CHALLENGE_LENGTH: usize = 32;

/// What an authenticator is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Ceremony {
    /// To make a key.
    Create,
    /// To sign with one.
    Get,
}

/// A challenge with what it was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::accounts) struct Challenge {
    bytes: Vec<u8>,
    ceremony: Ceremony,
    allowed: Vec<Vec<u8>>,
}

/// A challenge as it is stored.
#[derive(Serialize, Deserialize)]
struct State {
    challenge: String,
    ceremony: Ceremony,
    allowed: Vec<String>,
}

impl Challenge {
    /// A new challenge. A key with one of the ids may sign it, or any key if there are none.
    pub(super) fn new(ceremony: Ceremony, allowed: Vec<Vec<u8>>) -> Challenge {
        Challenge {
            bytes: rand::random::<[u8; CHALLENGE_LENGTH]>().into(),
            ceremony,
            allowed,
        }
    }

    /// The random bytes, by which the stored challenge is found: `challenge_of` a credential.
    pub(in crate::accounts) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text in the options for the browser.
    pub(in crate::accounts) fn text(&self) -> String {
        encode(&self.bytes)
    }

    /// What is stored until the response comes.
    pub(in crate::accounts) fn state(&self) -> Value {
        let allowed: Vec<String> = self.allowed.iter().map(|id| encode(id)).collect();
        serde_json::json!({
            "challenge": self.text(),
            "ceremony": self.ceremony,
            "allowed": allowed,
        })
    }

    /// A challenge that was stored; `None` if the state is none of a challenge.
    pub(in crate::accounts) fn from_state(state: &Value) -> Option<Challenge> {
        let state = State::deserialize(state).ok()?;
        let bytes = decode(&state.challenge, CHALLENGE_LENGTH)?;
        let allowed = state.allowed.iter().map(|id| decode(id, usize::MAX));
        let allowed = allowed.collect::<Option<_>>()?;
        let challenge = Challenge {
            bytes,
            ceremony: state.ceremony,
            allowed,
        };
        (challenge.bytes.len() == CHALLENGE_LENGTH).then_some(challenge)
    }

    /// Whether the challenge was made for a ceremony.
    pub(super) fn is_for(&self, ceremony: Ceremony) -> bool {
        self.ceremony == ceremony
    }

    /// Whether keys were named that may sign, so that it was known whose they are.
    pub(in crate::accounts) fn names_keys(&self) -> bool {
        !self.allowed.is_empty()
    }

    /// Whether a key with this id may sign.
    pub(super) fn allows(&self, credential_id: &[u8]) -> bool {
        self.allowed.is_empty() || self.allowed.iter().any(|id| id == credential_id)
    }
}
