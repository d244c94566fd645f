//! [Standard
//! Webhooks](https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md):
//! the headers `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64> v1,<base64>`,
//! an HMAC-SHA256 of `<id>.<timestamp>.<body>`. Svix names the same headers `svix-…`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::HeaderName;

use super::received::Received;
use super::refusal::Refusal;
use super::signing_keys::{Hash, SigningKeys};

/// The names of the headers, the secrets and the tolerance.
#[derive(Debug)]
pub(super) struct StandardSignature {
    pub(super) id: HeaderName,
    pub(super) timestamp: HeaderName,
    pub(super) signature: HeaderName,
    pub(super) keys: SigningKeys,
    /// How far the time may differ from the gateway's, in seconds.
    pub(super) tolerance: u64,
}

impl StandardSignature {
    /// The names of the secrets with which the body is signed.
    pub(super) fn verify(
        &self,
        received: &Received<'_>,
        keys: &SigningKeys,
    ) -> Result<Vec<String>, Refusal> {
        let id = received.header(&self.id)?;
        let time = received.header(&self.timestamp)?;
        let versions = received
            .header(&self.signature)?
            .split(' ')
            .filter_map(|item| item.split_once(','));
        let signatures: Vec<Vec<u8>> = versions
            .filter(|(version, _)| *version == "v1")
            .filter_map(|(_, text)| STANDARD.decode(text).ok())
            .collect();
        if signatures.is_empty() {
            return Err(Refusal::MalformedSignature);
        }
        let parts = [id.as_bytes(), b".", time.as_bytes(), b".", received.body];
        let secrets = keys.match_any(Hash::Sha256, &parts, &signatures);
        if secrets.is_empty() {
            return Err(Refusal::WrongSignature);
        }
        received.check_time(time, self.tolerance)?;
        Ok(secrets)
    }
}

/// The bytes of a secret, with or without `whsec_`; `None` if it is not base64.
pub(super) fn secret(text: &str) -> Option<Vec<u8>> {
    STANDARD
        .decode(text.strip_prefix("whsec_").unwrap_or(text))
        .ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    /// The example of the specification's reference libraries.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const BODY: &[u8] = b"{\"test\": 2432232314}";
    const SIGNED_AT: u64 = 1_614_265_330;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn verify(signature: &str, id: &str, now: u64) -> Result<(), Refusal> {
        let method = StandardSignature {
            id: HeaderName::from_static("webhook-id"),
            timestamp: HeaderName::from_static("webhook-timestamp"),
            signature: HeaderName::from_static("webhook-signature"),
            keys: SigningKeys(vec![vec![7; 32], secret(SECRET).unwrap()]),
            tolerance: 300,
        };
        let mut headers = HeaderMap::new();
        headers.insert("webhook-id", id.parse().unwrap());
        headers.insert("webhook-timestamp", SIGNED_AT.to_string().parse().unwrap());
        headers.insert("webhook-signature", signature.parse().unwrap());
        method
            .verify(
                &Received {
                    headers: &headers,
                    parameters: &[],
                    body: BODY,
                    now,
                },
                &method.keys,
            )
            .map(drop)
    }

    #[test]
    fn example_of_the_specification_is_accepted() {
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        assert_eq!(verify(SIGNATURE, id, SIGNED_AT), Ok(()));
        let several =
            format!("v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,AAAA {SIGNATURE}");
        assert_eq!(verify(&several, id, SIGNED_AT + 300), Ok(()));
        assert_eq!(verify(SIGNATURE, id, SIGNED_AT + 301), Err(Refusal::Old));
        assert_eq!(verify(SIGNATURE, id, SIGNED_AT - 301), Err(Refusal::Future));
        assert_eq!(
            verify(SIGNATURE, "msg_other", SIGNED_AT),
            Err(Refusal::WrongSignature)
        );
    }

    #[test]
    fn other_versions_and_malformed_signatures_are_refused() {
        for value in [
            &SIGNATURE.replace("v1", "v2"),
            "v1",
            "v1,",
            &SIGNATURE.replace("v1,", ""),
            "v1,!!",
        ] {
            let refusal = verify(value, "msg_p5jXN8AQM9LWM0D4loKWxJek", SIGNED_AT).unwrap_err();
            assert!(
                matches!(
                    refusal,
                    Refusal::MalformedSignature | Refusal::WrongSignature
                ),
                "{value}"
            );
        }
    }

    #[test]
    fn secret_is_base64() {
        assert_eq!(secret("whsec_AAEC"), Some(vec![0, 1, 2]));
        assert_eq!(secret("AAEC"), Some(vec![0, 1, 2]));
        assert_eq!(secret("whsec_?"), None);
    }
}
