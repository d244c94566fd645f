//! A JWE token in compact form in the query string (RFC 7516), whose claims name the service and
//! the controller.
//!
//! The service declares the algorithms; the token's header is only compared with them. The key is
//! the secret itself (`dir`): the maker of a token that decrypts has the secret. With a public key
//! anyone could make one, so those algorithms prove nothing and are not supported. `biscuit`
//! decrypts, with `ring`'s AES-GCM, which refuses a modified header, nonce, ciphertext or tag.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use biscuit::jwa::{ContentEncryptionAlgorithm, EncryptionOptions, KeyManagementAlgorithm};
use biscuit::jwe::{Compact, Header, RegisteredHeader};
use biscuit::jwk::JWK;
use biscuit::{Empty, errors};
use serde_json::{Map, Value};

use super::received::Received;
use super::refusal::Refusal;
use gateway::request::json::Distinct;

/// The parameter with the token, its algorithms and its secrets.
pub(super) struct JweToken {
    pub(super) parameter: String,
    pub(super) management: KeyManagementAlgorithm,
    pub(super) encryption: ContentEncryptionAlgorithm,
    pub(super) keys: Vec<JWK<Empty>>,
    /// The service that the claim `service` has to name.
    pub(super) service: String,
    /// The controllers that the claim `controller` may name; any if none are declared.
    pub(super) controllers: Vec<String>,
}

/// How the key of the content is found (`alg`), by registered names. biscuit writes the header of
/// AES-GCM key wrapping in a form of its own, so that is left out.
pub(super) const MANAGEMENT: [(&str, KeyManagementAlgorithm); 1] =
    [("dir", KeyManagementAlgorithm::DirectSymmetricKey)];

/// How the content is encrypted (`enc`), by registered names.
pub(super) const ENCRYPTION: [(&str, ContentEncryptionAlgorithm); 2] = [
    ("A256GCM", ContentEncryptionAlgorithm::A256GCM),
    ("A128GCM", ContentEncryptionAlgorithm::A128GCM),
];

/// The seconds by which the clocks of sender and gateway may differ.
const LEEWAY_SECONDS: f64 = 30.0;

/// The longest token. Claims of a few hundred bytes are usual.
const MAX_BYTES: usize = 8 << 10;

/// The bytes of a key for the encryption of content.
pub(super) fn key_length(encryption: ContentEncryptionAlgorithm) -> usize {
    match encryption {
        ContentEncryptionAlgorithm::A128GCM => 16,
        _ => 32,
    }
}

/// A key of this length from a secret in base64url or base64; `None` if the length is another.
pub(super) fn key(length: usize, secret: &str) -> Option<JWK<Empty>> {
    let url: String = secret
        .trim_end_matches('=')
        .replace('+', "-")
        .replace('/', "_");
    let bytes = URL_SAFE_NO_PAD
        .decode(url)
        .ok()
        .filter(|bytes| bytes.len() == length)?;
    Some(JWK::new_octet_key(&bytes, Empty {}))
}

/// A token by `dir` and A256GCM with these claims, for senders and tests; `None` if the secret is
/// not a key of 32 bytes.
pub fn encrypt_token(secret: &str, claims: &Value) -> Option<String> {
    encrypt(
        &key(32, secret)?,
        RegisteredHeader::default(),
        &claims.to_string(),
    )
}

/// Encrypts claims by `dir` and A256GCM under a header with these further fields.
fn encrypt(key: &JWK<Empty>, header: RegisteredHeader, claims: &str) -> Option<String> {
    let cek_algorithm = KeyManagementAlgorithm::DirectSymmetricKey;
    let enc_algorithm = ContentEncryptionAlgorithm::A256GCM;
    let header = Header::from(RegisteredHeader {
        cek_algorithm,
        enc_algorithm,
        ..header
    });
    let nonce = EncryptionOptions::AES_GCM {
        nonce: rand::random::<[u8; 12]>().to_vec(),
    };
    let token = Compact::new_decrypted(header, claims.as_bytes().to_vec())
        .encrypt(key, &nonce)
        .ok()?;
    Some(token.encrypted().ok()?.to_string())
}

impl JweToken {
    /// The claims of a valid token.
    pub(super) fn verify(
        &self,
        received: &Received<'_>,
        keys: &[JWK<Empty>],
    ) -> Result<Map<String, Value>, Refusal> {
        let token = received.parameter(&self.parameter)?;
        let claims = self.decrypt(token, keys)?;
        let claims: Distinct =
            serde_json::from_slice(&claims).map_err(|_| Refusal::MalformedToken)?;
        self.check(&claims.0, received.now)?;
        let mut claims = claims.0;
        // A DID is what a key proves. The controller of a token is its claim `controller`, which
        // has been checked.
        claims.remove("did");
        Ok(claims)
    }

    fn decrypt(&self, token: &str, keys: &[JWK<Empty>]) -> Result<Vec<u8>, Refusal> {
        let (header, rest) = token.split_once('.').ok_or(Refusal::MalformedToken)?;
        if token.len() > MAX_BYTES {
            return Err(Refusal::MalformedToken);
        }
        self.check_header(header)?;
        // `dir` leaves the part with the encrypted key empty.
        if !rest.starts_with('.') {
            return Err(Refusal::MalformedToken);
        }
        let sealed = Compact::<Vec<u8>, Empty>::new_encrypted(token);
        let mut refusal = Refusal::Undecryptable;
        for key in keys {
            match sealed.decrypt(key, self.management, self.encryption) {
                Ok(opened) => return Ok(opened.unwrap_decrypted().1),
                Err(errors::Error::UnspecifiedCryptographicError) => {}
                Err(_) => refusal = Refusal::MalformedToken,
            }
        }
        Err(refusal)
    }

    /// The header names the declared algorithms, each field once, and nothing that would change how
    /// the token is read.
    fn check_header(&self, header: &str) -> Result<(), Refusal> {
        let fields = URL_SAFE_NO_PAD
            .decode(header)
            .ok()
            .and_then(|json| serde_json::from_slice::<Distinct>(&json).ok());
        let fields = fields.ok_or(Refusal::MalformedToken)?.0;
        let names = |name, declared| fields.get(name).and_then(Value::as_str) == Some(declared);
        let are_declared = names("alg", name_of(&MANAGEMENT, self.management))
            && names("enc", name_of(&ENCRYPTION, self.encryption));
        let is_plain = !fields.contains_key("zip") && !fields.contains_key("crit");
        (are_declared && is_plain)
            .then_some(())
            .ok_or(Refusal::WrongAlgorithm)
    }

    fn check(&self, claims: &Map<String, Value>, now: u64) -> Result<(), Refusal> {
        let now = now as f64;
        let time = |name| claims.get(name).map(Value::as_f64);
        match time("exp") {
            Some(Some(expiry)) if now < expiry + LEEWAY_SECONDS => {}
            _ => return Err(Refusal::Expired),
        }
        if !matches!(time("nbf"), None | Some(Some(_)))
            || time("nbf")
                .flatten()
                .is_some_and(|start| now + LEEWAY_SECONDS < start)
        {
            return Err(Refusal::NotYetValid);
        }
        let text = |name| claims.get(name).and_then(Value::as_str);
        if text("service") != Some(&self.service) {
            return Err(Refusal::WrongService);
        }
        let controller = text("controller")
            .filter(|controller| !controller.is_empty())
            .ok_or(Refusal::WrongController)?;
        if self.controllers.is_empty() || self.controllers.iter().any(|known| known == controller) {
            Ok(())
        } else {
            Err(Refusal::WrongController)
        }
    }
}

/// The registered name of an algorithm.
fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], algorithm: T) -> &'static str {
    names
        .iter()
        .find(|(_, known)| *known == algorithm)
        .map_or("", |(name, _)| name)
}

/// Leaves out the secrets.
impl std::fmt::Debug for JweToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("JweToken")
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    const SECRET: [u8; 32] = [7; 32];
    const NOW: u64 = 1_700_000_000;

    fn method() -> JweToken {
        let key = |byte| JWK::new_octet_key(&[byte; 32], Empty {});
        JweToken {
            parameter: "token".into(),
            management: KeyManagementAlgorithm::DirectSymmetricKey,
            encryption: ContentEncryptionAlgorithm::A256GCM,
            keys: vec![key(9), key(7)],
            service: "hotel".into(),
            controllers: vec![],
        }
    }

    fn token(claims: &str) -> String {
        encrypt(
            &JWK::new_octet_key(&SECRET, Empty {}),
            RegisteredHeader::default(),
            claims,
        )
        .unwrap()
    }

    fn verify(method: &JweToken, token: &str) -> Result<Map<String, Value>, Refusal> {
        let parameters = [("token".to_owned(), token.to_owned())];
        method.verify(
            &Received {
                headers: &HeaderMap::new(),
                parameters: &parameters,
                body: b"",
                now: NOW,
            },
            &method.keys,
        )
    }

    fn claims(change: impl FnOnce(&mut Value)) -> String {
        let mut claims = json!({"exp": NOW + 60, "service": "hotel", "controller": "c1"});
        change(&mut claims);
        claims.to_string()
    }

    #[test]
    fn token_with_the_declared_algorithms_is_accepted() {
        assert_eq!(
            verify(&method(), &token(&claims(|_| {}))).unwrap()["controller"],
            "c1"
        );
        let claims: Value = serde_json::from_str(&claims(|_| {})).unwrap();
        assert!(
            verify(
                &method(),
                &encrypt_token(&URL_SAFE_NO_PAD.encode(SECRET), &claims).unwrap()
            )
            .is_ok()
        );
    }

    #[test]
    fn token_speaks_for_no_did() {
        let facts = verify(
            &method(),
            &token(&claims(|claims| {
                claims["did"] = "did:web:other.example".into();
            })),
        )
        .unwrap();
        assert_eq!(
            (facts.get("did"), &facts["controller"]),
            (None, &json!("c1"))
        );
    }

    #[test]
    fn other_algorithms_compression_and_extensions_are_refused() {
        let good = token(&claims(|_| {}));
        let (_, rest) = good.split_once('.').unwrap();
        for (header, expected) in [
            (
                r#"{"alg":"A256GCMKW","enc":"A256GCM"}"#,
                Refusal::WrongAlgorithm,
            ),
            (r#"{"alg":"dir","enc":"A128GCM"}"#, Refusal::WrongAlgorithm),
            (r#"{"alg":"none","enc":"A256GCM"}"#, Refusal::WrongAlgorithm),
            (r#"{"enc":"A256GCM"}"#, Refusal::WrongAlgorithm),
            (
                r#"{"alg":"dir","enc":"A256GCM","zip":"DEF"}"#,
                Refusal::WrongAlgorithm,
            ),
            (
                r#"{"alg":"none","alg":"dir","enc":"A256GCM"}"#,
                Refusal::MalformedToken,
            ),
            ("", Refusal::MalformedToken),
            (
                r#"{"alg":"dir","enc":"A256GCM","kid":"1"}"#,
                Refusal::Undecryptable,
            ),
        ] {
            let refusal = verify(
                &method(),
                &format!("{}.{rest}", URL_SAFE_NO_PAD.encode(header)),
            );
            assert_eq!(refusal, Err(expected), "{header}");
        }
        let key = JWK::new_octet_key(&SECRET, Empty {});
        let critical = RegisteredHeader {
            critical: Some(vec!["exp".into()]),
            ..RegisteredHeader::default()
        };
        let critical = encrypt(&key, critical, &claims(|_| {})).unwrap();
        assert_eq!(verify(&method(), &critical), Err(Refusal::WrongAlgorithm));
        let weaker = JweToken {
            encryption: ContentEncryptionAlgorithm::A128GCM,
            ..method()
        };
        assert_eq!(verify(&weaker, &good), Err(Refusal::WrongAlgorithm));
    }

    #[test]
    fn every_changed_character_is_refused() {
        let good = token(&claims(|_| {}));
        for (index, character) in good.char_indices() {
            let mut changed = good.clone();
            changed.replace_range(index..index + 1, if character == 'A' { "B" } else { "A" });
            assert!(verify(&method(), &changed).is_err(), "{index}");
        }
        for malformed in [
            "",
            "a.b.c",
            "....",
            &good.replace("..", "."),
            &format!("{good}="),
            &format!("{good}."),
        ] {
            assert!(verify(&method(), malformed).is_err(), "{malformed}");
        }
        assert_eq!(
            verify(&method(), &good.replace("..", ".AAAA.")),
            Err(Refusal::MalformedToken)
        );
        assert_eq!(
            verify(&method(), &format!("{good}{}", "A".repeat(MAX_BYTES))),
            Err(Refusal::MalformedToken)
        );
        let other = JweToken {
            keys: vec![JWK::new_octet_key(&[8; 32], Empty {})],
            ..method()
        };
        assert_eq!(verify(&other, &good), Err(Refusal::Undecryptable));
    }

    #[test]
    fn claims_are_checked() {
        let method = JweToken {
            controllers: vec!["c1".into()],
            ..method()
        };
        let refusal = |claims: &str| verify(&method, &token(claims)).err();
        let changed = |name: &str, value: Value| refusal(&claims(|claims| claims[name] = value));
        assert_eq!(refusal(&claims(|_| {})), None);
        assert_eq!(changed("exp", json!(NOW - 31)), Some(Refusal::Expired));
        assert_eq!(changed("exp", json!(NOW - 29)), None);
        assert_eq!(changed("exp", Value::Null), Some(Refusal::Expired));
        assert_eq!(changed("exp", json!("never")), Some(Refusal::Expired));
        assert_eq!(changed("nbf", json!(NOW + 31)), Some(Refusal::NotYetValid));
        assert_eq!(changed("nbf", json!("now")), Some(Refusal::NotYetValid));
        assert_eq!(
            changed("service", json!("crm")),
            Some(Refusal::WrongService)
        );
        assert_eq!(
            changed("controller", json!("c2")),
            Some(Refusal::WrongController)
        );
        assert_eq!(
            changed("controller", json!("")),
            Some(Refusal::WrongController)
        );
        assert_eq!(
            refusal("{\"exp\": 1, \"exp\": 2}"),
            Some(Refusal::MalformedToken)
        );
        assert_eq!(refusal("[]"), Some(Refusal::MalformedToken));
    }

    #[test]
    fn secret_is_base64_of_the_algorithms_length() {
        let text = base64::engine::general_purpose::STANDARD.encode([0xfb; 32]);
        assert!(key(32, &text).is_some() && key(32, &URL_SAFE_NO_PAD.encode([0xfb; 32])).is_some());
        assert!(key(16, &text).is_none() && key(32, "too short").is_none());
    }
}
