//! Stripe's header `Stripe-Signature: t=1492774577,v1=<hex>,v1=<hex>,v0=…`: HMAC-SHA256 of
//! `<t>.<body>`, with one `v1` for each secret in use.
//! <https://docs.stripe.com/webhooks#verify-manually>

use http::header::HeaderName;

use super::hmac_signature::hexadecimal;
use super::received::Received;
use super::refusal::Refusal;
use super::signing_keys::{Hash, SigningKeys};

/// The secrets and the tolerance.
#[derive(Debug)]
pub(super) struct StripeSignature {
    pub(super) header: HeaderName,
    pub(super) keys: SigningKeys,
    /// How far the time may differ from the gateway's, in seconds.
    pub(super) tolerance: u64,
}

impl StripeSignature {
    /// The names of the secrets with which the body is signed.
    pub(super) fn verify(
        &self,
        received: &Received<'_>,
        keys: &SigningKeys,
    ) -> Result<Vec<String>, Refusal> {
        let mut time = None;
        let mut signatures = vec![];
        for (scheme, value) in received
            .header(&self.header)?
            .split(',')
            .filter_map(|item| item.split_once('='))
        {
            match scheme.trim() {
                "t" if time.is_some() => return Err(Refusal::MalformedSignature),
                "t" => time = Some(value),
                "v1" => signatures.extend(hexadecimal(value)),
                // Other schemes, which a downgrade would use.
                _ => {}
            }
        }
        let time = time.ok_or(Refusal::MalformedSignature)?;
        if signatures.is_empty() {
            return Err(Refusal::MalformedSignature);
        }
        let secrets = keys.match_any(
            Hash::Sha256,
            &[time.as_bytes(), b".", received.body],
            &signatures,
        );
        if secrets.is_empty() {
            return Err(Refusal::WrongSignature);
        }
        received.check_time(time, self.tolerance)?;
        Ok(secrets)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    /// HMAC-SHA256 of `1700000000.{"id":"evt_1"}` with the secret below, from Stripe's own library.
    const BODY: &[u8] = b"{\"id\":\"evt_1\"}";
    const SECRET: &[u8] = b"whsec_test_secret_of_stripe";
    const SIGNED_AT: u64 = 1_700_000_000;

    fn verify(value: &str, body: &[u8], now: u64) -> Result<(), Refusal> {
        let header = HeaderName::from_static("stripe-signature");
        let method = StripeSignature {
            header,
            keys: SigningKeys(vec![SECRET.to_vec()]),
            tolerance: 300,
        };
        let mut headers = HeaderMap::new();
        headers.insert(&method.header, value.parse().unwrap());
        method
            .verify(
                &Received {
                    headers: &headers,
                    parameters: &[],
                    body,
                    now,
                },
                &method.keys,
            )
            .map(drop)
    }

    fn signature() -> String {
        use hmac::Mac;
        let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(SECRET).unwrap();
        mac.update(format!("{SIGNED_AT}.").as_bytes());
        mac.update(BODY);
        mac.finalize()
            .into_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    #[test]
    fn any_v1_within_the_tolerance_is_accepted() {
        let good = signature();
        let other = "0".repeat(64);
        for value in [
            format!("t={SIGNED_AT},v1={good}"),
            format!("t={SIGNED_AT},v1={other},v1={good},v0={other}"),
            format!("v1={good},t={SIGNED_AT}"),
            format!("t={SIGNED_AT}, v1={good}"),
        ] {
            assert_eq!(verify(&value, BODY, SIGNED_AT), Ok(()), "{value}");
            assert_eq!(verify(&value, BODY, SIGNED_AT + 300), Ok(()));
            assert_eq!(verify(&value, BODY, SIGNED_AT + 301), Err(Refusal::Old));
            assert_eq!(verify(&value, BODY, SIGNED_AT - 301), Err(Refusal::Future));
            assert_eq!(
                verify(&value, b"{\"id\":\"evt_2\"}", SIGNED_AT),
                Err(Refusal::WrongSignature)
            );
        }
    }

    #[test]
    fn other_schemes_and_malformed_headers_are_refused() {
        let good = signature();
        for value in [
            format!("t={SIGNED_AT},v0={good}"),
            format!("v1={good}"),
            format!("t={SIGNED_AT}"),
            format!("t={SIGNED_AT},t={SIGNED_AT},v1={good}"),
            format!("t={SIGNED_AT};v1={good}"),
            good.clone(),
            String::new(),
        ] {
            assert_eq!(
                verify(&value, BODY, SIGNED_AT),
                Err(Refusal::MalformedSignature),
                "{value}"
            );
        }
        assert_eq!(
            verify(&format!("t={},v1={good}", SIGNED_AT + 1), BODY, SIGNED_AT),
            Err(Refusal::WrongSignature)
        );
    }
}
