//! A header with the HMAC of the raw body, as Shopify (`X-Shopify-Hmac-Sha256: <base64>`) and
//! GitHub (`X-Hub-Signature-256: sha256=<hex>`) send it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::HeaderName;

use super::received::Received;
use super::refusal::Refusal;
use super::signing_keys::{Hash, SigningKeys};

/// The header of a signature, and how it is written.
#[derive(Debug)]
pub(super) struct HmacSignature {
    pub(super) header: HeaderName,
    /// The text before the signature: `sha256=`.
    pub(super) prefix: String,
    pub(super) hash: Hash,
    pub(super) encoding: Encoding,
    pub(super) keys: SigningKeys,
}

/// How a signature is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Base64 with padding.
    Base64,
    /// Hexadecimal digits.
    Hex,
}

impl Encoding {
    /// All encodings with their names in the settings.
    pub(super) const NAMES: [(&'static str, Encoding); 2] =
        [("base64", Encoding::Base64), ("hex", Encoding::Hex)];

    /// Decodes a signature; `None` if it is written otherwise.
    pub(super) fn decode(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Encoding::Base64 => STANDARD.decode(text).ok(),
            Encoding::Hex => hexadecimal(text),
        }
    }
}

/// Decodes pairs of hexadecimal digits; `None` if there are other characters.
pub(super) fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs
        .map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.last()?)?))
        .collect()
}

impl HmacSignature {
    /// The names of the secrets with which the body is signed.
    pub(super) fn verify(
        &self,
        received: &Received<'_>,
        keys: &SigningKeys,
    ) -> Result<Vec<String>, Refusal> {
        let written = received.header(&self.header)?;
        let signature = written
            .strip_prefix(self.prefix.as_str())
            .and_then(|text| self.encoding.decode(text));
        let signature = signature.ok_or(Refusal::MalformedSignature)?;
        let secrets = keys.match_any(self.hash, &[received.body], &[signature]);
        if secrets.is_empty() {
            Err(Refusal::WrongSignature)
        } else {
            Ok(secrets)
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    fn verify(method: &HmacSignature, value: &str, body: &[u8]) -> Result<(), Refusal> {
        let mut headers = HeaderMap::new();
        headers.insert(&method.header, value.parse().unwrap());
        method
            .verify(
                &Received {
                    headers: &headers,
                    parameters: &[],
                    body,
                    now: 0,
                },
                &method.keys,
            )
            .map(drop)
    }

    /// The example of GitHub's documentation.
    /// <https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries>
    #[test]
    fn githubs_example_is_accepted() {
        let method = HmacSignature {
            header: HeaderName::from_static("x-hub-signature-256"),
            prefix: "sha256=".into(),
            hash: Hash::Sha256,
            encoding: Encoding::Hex,
            keys: SigningKeys(vec![b"It's a Secret to Everybody".to_vec()]),
        };
        let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert_eq!(verify(&method, signature, b"Hello, World!"), Ok(()));
        assert_eq!(
            verify(
                &method,
                &signature.to_uppercase().replace("SHA", "sha"),
                b"Hello, World!"
            ),
            Ok(())
        );
        assert_eq!(
            verify(&method, signature, b"Hello, World?"),
            Err(Refusal::WrongSignature)
        );
        let digits = signature.trim_start_matches("sha256=");
        for malformed in [
            digits,
            "sha256=",
            "sha1=00",
            &format!("{signature}0"),
            &format!("sha256= {digits}"),
        ] {
            let refusal = verify(&method, malformed, b"Hello, World!").unwrap_err();
            assert!(
                matches!(
                    refusal,
                    Refusal::MalformedSignature | Refusal::WrongSignature
                ),
                "{malformed}"
            );
        }
    }

    #[test]
    fn base64_has_padding_and_one_alphabet() {
        assert_eq!(Encoding::Base64.decode("+/8="), Some(vec![0xfb, 0xff]));
        for wrong in ["-_8=", "+/8", " +/8=", "+/8=\n", "zz"] {
            assert_eq!(Encoding::Base64.decode(wrong), None, "{wrong}");
        }
        assert_eq!(Encoding::Hex.decode("0aFf"), Some(vec![0x0a, 0xff]));
        for wrong in ["0", "0g", "0x0a", "é"] {
            assert_eq!(Encoding::Hex.decode(wrong), None, "{wrong}");
        }
    }
}
