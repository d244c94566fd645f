//! Keys that verify tokens, from PEM, certificates or JWKs, each with its permitted algorithms.
//! Published keys are fetched in [`super::key_set`].

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey};
use serde_json::Value;

use super::jwt_config_error::JwtConfigError;

/// A key and its permitted algorithms. The key determines the algorithm, never the token.
pub(super) struct Key {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    decoding: DecodingKey,
}

impl Key {
    /// The key of a setting: a shared secret, or a public key or certificate in PEM.
    pub(super) fn from_text(
        algorithm: Algorithm,
        text: &str,
        id: Option<String>,
    ) -> Result<Key, JwtConfigError> {
        let pem = text.as_bytes();
        let decoding = match algorithm.family() {
            // With a public key used as a shared secret, anyone could sign tokens.
            AlgorithmFamily::Hmac if text.contains("-----BEGIN") => {
                return Err(JwtConfigError::Key("a shared secret, but a PEM"));
            }
            AlgorithmFamily::Hmac => Ok(DecodingKey::from_secret(pem)),
            AlgorithmFamily::Rsa => DecodingKey::from_rsa_pem(pem)
                .map_err(|_| "an RSA public key or certificate in PEM"),
            AlgorithmFamily::Ec => {
                DecodingKey::from_ec_pem(pem).map_err(|_| "an EC public key or certificate in PEM")
            }
            AlgorithmFamily::Ed => DecodingKey::from_ed_pem(pem)
                .map_err(|_| "an Ed25519 public key or certificate in PEM"),
        };
        Ok(Key {
            id,
            algorithms: vec![algorithm],
            decoding: decoding.map_err(JwtConfigError::Key)?,
        })
    }

    /// Reads a JWK; `None` if it is not for signatures or its type is unknown.
    pub(super) fn from_jwk(value: &Value) -> Option<Key> {
        let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
        let common = &jwk.common;
        if !matches!(common.public_key_use, None | Some(PublicKeyUse::Signature)) {
            return None;
        }
        let verifies = |uses: &Vec<KeyOperations>| uses.contains(&KeyOperations::Verify);
        if !common.key_operations.as_ref().is_none_or(verifies) {
            return None;
        }
        let permitted = permitted(&jwk.algorithm)?;
        let algorithms = match common.key_algorithm {
            None => permitted,
            Some(named) => {
                // RFC 9864 renames `EdDSA` with this curve to Ed25519:
                // <https://www.rfc-editor.org/rfc/rfc9864>
                let name = value
                    .get("alg")
                    .and_then(Value::as_str)
                    .filter(|name| *name == "Ed25519");
                let name = name.map_or_else(|| named.to_string(), |_| "EdDSA".into());
                let pinned: Algorithm = name.parse().ok()?;
                vec![pinned]
                    .into_iter()
                    .filter(|pinned| permitted.contains(pinned))
                    .collect()
            }
        };
        let decoding = DecodingKey::from_jwk(&jwk)
            .ok()
            .filter(|_| !algorithms.is_empty())?;
        Some(Key {
            id: common.key_id.clone(),
            algorithms,
            decoding,
        })
    }

    /// Replaces the id, if one is given.
    pub(super) fn with_id(self, id: Option<String>) -> Key {
        Key {
            id: id.or(self.id),
            ..self
        }
    }

    /// Restricts the key to one algorithm; `None` if the key is not for it.
    pub(super) fn only_for(self, algorithm: Algorithm) -> Option<Key> {
        self.is_for(algorithm).then(|| Key {
            algorithms: vec![algorithm],
            ..self
        })
    }

    /// The key id.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Whether a token with this key id, or none, may be signed by the key.
    pub(super) fn can_be(&self, id: Option<&str>) -> bool {
        self.id.is_none() || id.is_none() || self.id.as_deref() == id
    }

    /// Whether the key permits the algorithm.
    pub(super) fn is_for(&self, algorithm: Algorithm) -> bool {
        self.algorithms.contains(&algorithm)
    }

    /// Whether it is a shared secret, which can also sign.
    pub(super) fn is_shared(&self) -> bool {
        self.decoding.family() == AlgorithmFamily::Hmac
    }

    /// The key in jsonwebtoken's form.
    pub(super) fn decoding(&self) -> &DecodingKey {
        &self.decoding
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Key")
            .field("algorithms", &self.algorithms)
            .finish_non_exhaustive()
    }
}

/// The algorithms for a key of this type.
fn permitted(parameters: &AlgorithmParameters) -> Option<Vec<Algorithm>> {
    match parameters {
        AlgorithmParameters::RSA(_) => Some(AlgorithmFamily::Rsa.algorithms().to_vec()),
        AlgorithmParameters::OctetKey(_) => Some(AlgorithmFamily::Hmac.algorithms().to_vec()),
        AlgorithmParameters::EllipticCurve(key) => match key.curve {
            EllipticCurve::P256 => Some(vec![Algorithm::ES256]),
            EllipticCurve::P384 => Some(vec![Algorithm::ES384]),
            _ => None,
        },
        AlgorithmParameters::OctetKeyPair(key) => match key.curve {
            EllipticCurve::Ed25519 => Some(vec![Algorithm::EdDSA]),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ec() -> Value {
        json!({"kty": "EC", "crv": "P-256", "kid": "a", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})
    }

    fn with(name: &str, value: impl Into<Value>) -> Value {
        let mut jwk = ec();
        jwk[name] = value.into();
        jwk
    }

    #[test]
    fn jwk_type_determines_the_algorithms() {
        let key = Key::from_jwk(&ec()).unwrap();
        assert_eq!(
            (key.id(), key.algorithms.as_slice()),
            (Some("a"), [Algorithm::ES256].as_slice())
        );
        let rsa = json!({"kty": "RSA", "n": "AQAB", "e": "AQAB"});
        assert!(Key::from_jwk(&rsa).unwrap().is_for(Algorithm::PS256));
        let mut pinned = rsa.clone();
        pinned["alg"] = "RS512".into();
        let key = Key::from_jwk(&pinned).unwrap();
        assert!(
            key.is_for(Algorithm::RS512)
                && !key.is_for(Algorithm::RS256)
                && !key.is_for(Algorithm::HS256)
        );
        let ed = json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
        assert_eq!(Key::from_jwk(&ed).unwrap().algorithms, [Algorithm::EdDSA]);
        let mut named = ed;
        named["alg"] = "Ed25519".into();
        assert_eq!(
            Key::from_jwk(&named).unwrap().algorithms,
            [Algorithm::EdDSA]
        );
    }

    #[test]
    fn jwk_not_for_signatures_is_ignored() {
        let refused = [
            with("use", "enc"),
            with("use", "other"),
            with("key_ops", json!(["encrypt"])),
            with("alg", "RS256"),
            with("alg", "HS256"),
            with("alg", "none"),
            with("alg", "ECDH-ES"),
            with("crv", "P-521"),
            with("kty", "oct"),
            json!({}),
            json!("text"),
            json!({"kty": "RSA", "n": "?", "e": "AQAB"}),
        ];
        for jwk in refused {
            assert!(Key::from_jwk(&jwk).is_none(), "{jwk}");
        }
        assert!(Key::from_jwk(&with("use", "sig")).is_some());
        assert!(Key::from_jwk(&with("key_ops", json!(["verify"]))).is_some());
        assert!(Key::from_jwk(&with("alg", "ES256")).is_some());
    }
}
