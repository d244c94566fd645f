//! Public keys in the form of COSE, and the signatures that they verify: ES256, Ed25519 and RS256,
//! which nearly all authenticators have. <https://www.w3.org/TR/webauthn-3/#sctn-alg-identifier>

use ciborium::Value;
use ed25519_dalek::VerifyingKey as Ed25519Key;
use p256::ecdsa::VerifyingKey as Es256Key;
use p256::ecdsa::signature::Verifier;
use p256::{EncodedPoint, FieldBytes};
use rsa::{BigUint, Pkcs1v15Sign, RsaPublicKey};
use sha2::{Digest, Sha256};

use super::cbor::Map;
use super::passkey_error::PasskeyError;

/// The most bytes of a public key; RSA with 4096 bits needs 530.
const MAX_KEY_BYTES: usize = 1024;

/// The fewest bits of an RSA key, by NIST SP 800-57.
const MIN_RSA_BITS: usize = 2048;

/// The most bits of an RSA key; longer ones cost more time to verify than they are worth.
const MAX_RSA_BITS: usize = 4096;

/// Labels of parameters: RFC 9052, section 7.1, and RFC 9053, section 7.
const KEY_TYPE: i64 = 1;
const ALGORITHM: i64 = 3;
const CURVE: i64 = -1;
const X: i64 = -2;
const Y: i64 = -3;
const MODULUS: i64 = -1;
const EXPONENT: i64 = -2;

/// An algorithm of signatures with its number in the registry of COSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// ECDSA with P-256 and SHA-256.
    Es256 = -7,
    /// EdDSA with Ed25519.
    EdDsa = -8,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256 = -257,
}

impl Algorithm {
    /// Those that are offered, the preferred one first.
    pub(super) const ALL: [Algorithm; 3] = [Algorithm::Es256, Algorithm::EdDsa, Algorithm::Rs256];
}

/// A public key that is valid for its algorithm.
#[derive(Debug)]
pub(super) enum PublicKey {
    Es256(Es256Key),
    Ed25519(Ed25519Key),
    Rs256(RsaPublicKey),
}

impl PublicKey {
    /// Reads a `COSE_Key`. Parameters that the algorithm does not use are ignored.
    pub(super) fn from_cose(bytes: &[u8]) -> Result<PublicKey, PasskeyError> {
        if bytes.len() > MAX_KEY_BYTES {
            return Err(PasskeyError::PublicKey);
        }
        let key = Map::read(bytes).ok_or(PasskeyError::PublicKey)?;
        let number = key.labelled(ALGORITHM).and_then(Value::as_integer);
        let algorithm = Algorithm::ALL
            .into_iter()
            .find(|algorithm| number == Some((*algorithm as i64).into()))
            .ok_or(PasskeyError::Algorithm)?;
        let public_key = match algorithm {
            Algorithm::Es256 => es256_key(&key).map(PublicKey::Es256),
            Algorithm::EdDsa => ed25519_key(&key).map(PublicKey::Ed25519),
            Algorithm::Rs256 => rs256_key(&key).map(PublicKey::Rs256),
        };
        public_key.ok_or(PasskeyError::PublicKey)
    }

    /// Whether a signature in WebAuthn's form is this key's: section 6.5.5.
    pub(super) fn is_signature(&self, message: &[u8], signature: &[u8]) -> bool {
        match self {
            PublicKey::Es256(key) => p256::ecdsa::Signature::from_der(signature)
                .is_ok_and(|signature| key.verify(message, &signature).is_ok()),
            PublicKey::Ed25519(key) => ed25519_dalek::Signature::from_slice(signature)
                .is_ok_and(|signature| key.verify_strict(message, &signature).is_ok()),
            PublicKey::Rs256(key) => {
                let digest = Sha256::digest(message);
                let scheme = Pkcs1v15Sign::new::<Sha256>();
                key.verify(scheme, &digest, signature).is_ok()
            }
        }
    }
}

/// A point of P-256. Compressed points, whose `y` is a boolean, are not allowed in WebAuthn.
fn es256_key(key: &Map) -> Option<Es256Key> {
    if !has_type(key, 2, Some(1)) {
        return None;
    }
    let coordinate = |label: i64| {
        let bytes: [u8; 32] = key
            .labelled(label)?
            .as_bytes()?
            .as_slice()
            .try_into()
            .ok()?;
        Some(FieldBytes::from(bytes))
    };
    let point = EncodedPoint::from_affine_coordinates(&coordinate(X)?, &coordinate(Y)?, false);
    Es256Key::from_encoded_point(&point).ok()
}

/// A point of Ed25519, but none of the few with which one signature fits many messages.
fn ed25519_key(key: &Map) -> Option<Ed25519Key> {
    if !has_type(key, 1, Some(6)) {
        return None;
    }
    let bytes: &[u8; 32] = key.labelled(X)?.as_bytes()?.as_slice().try_into().ok()?;
    let public_key = Ed25519Key::from_bytes(bytes).ok()?;
    (!public_key.is_weak()).then_some(public_key)
}

fn rs256_key(key: &Map) -> Option<RsaPublicKey> {
    if !has_type(key, 3, None) {
        return None;
    }
    let number = |label: i64| Some(BigUint::from_bytes_be(key.labelled(label)?.as_bytes()?));
    let modulus = number(MODULUS)?;
    let has_length = (MIN_RSA_BITS..=MAX_RSA_BITS).contains(&modulus.bits());
    let public_key = RsaPublicKey::new(modulus, number(EXPONENT)?).ok()?;
    has_length.then_some(public_key)
}

/// Whether a key has a type and, if there are several curves, a curve: RFC 9053, section 7.
fn has_type(key: &Map, key_type: i64, curve: Option<i64>) -> bool {
    let has = |label: i64, number: i64| {
        key.labelled(label).and_then(Value::as_integer) == Some(number.into())
    };
    let is_curve = curve.is_none_or(|curve| has(CURVE, curve));
    has(KEY_TYPE, key_type) && is_curve
}
