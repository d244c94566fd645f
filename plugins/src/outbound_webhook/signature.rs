//! Signatures of Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and
//! `webhook-signature`, by which a receiver knows that an event comes from this gateway. Several
//! secrets sign each event, so that they can be rotated.
//! <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The prefix of secrets.
const PREFIX: &str = "whsec_";

/// The bytes of a secret, as the specification limits them.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// A secret that signs.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SigningSecret(Vec<u8>);

impl SigningSecret {
    /// Reads `whsec_` with base64; `None` if it is something else.
    pub(crate) fn parse(text: &str) -> Option<SigningSecret> {
        let bytes = BASE64_STANDARD
            .decode(text.trim().strip_prefix(PREFIX)?)
            .ok()?;
        LENGTHS
            .contains(&bytes.len())
            .then_some(SigningSecret(bytes))
    }

    /// `v1,` with the HMAC-SHA256 of `id.timestamp.body` in base64.
    fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        Some(format!(
            "v1,{}",
            BASE64_STANDARD.encode(mac.finalize().into_bytes())
        ))
    }
}

/// The value of `webhook-signature`: the signatures of all secrets; `None` without secrets.
pub(crate) fn signatures(
    secrets: &[SigningSecret],
    id: &str,
    timestamp: &str,
    body: &[u8],
) -> Option<String> {
    let signatures: Vec<String> = secrets
        .iter()
        .filter_map(|secret| secret.sign(id, timestamp, body))
        .collect();
    (!signatures.is_empty()).then(|| signatures.join(" "))
}

impl std::fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SigningSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the reference implementations.
    #[test]
    fn signature_is_that_of_the_specification() {
        let secret = SigningSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let timestamp = "1614265330";
        let signed = signatures(
            &[secret.clone(), secret],
            id,
            timestamp,
            br#"{"test": 2432232314}"#,
        )
        .unwrap();
        let one = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signed, format!("{one} {one}"));
        assert_eq!(signatures(&[], id, timestamp, b""), None);
    }

    #[test]
    fn only_secrets_of_the_specification_are_read() {
        for text in [
            "",
            "whsec_",
            "whsec_c2hvcnQ=",
            "whsec_!",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ] {
            assert!(SigningSecret::parse(text).is_none(), "{text}");
        }
    }
}
