//! The secrets of a signature, and the comparison with it. A service has several secrets while it
//! replaces one.

use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use subtle::{Choice, ConstantTimeEq};

/// The hash function of an HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hash {
    Sha1,
    Sha256,
    Sha512,
}

/// The secrets of a service.
#[derive(Clone)]
pub(super) struct SigningKeys(pub(super) Vec<Vec<u8>>);

impl Hash {
    /// All functions with their names in the settings.
    pub(super) const NAMES: [(&'static str, Hash); 3] = [
        ("sha256", Hash::Sha256),
        ("sha1", Hash::Sha1),
        ("sha512", Hash::Sha512),
    ];

    /// The length of a signature in bytes.
    pub(super) const fn length(self) -> usize {
        match self {
            Hash::Sha1 => 20,
            Hash::Sha256 => 32,
            Hash::Sha512 => 64,
        }
    }

    /// The HMAC of the parts, one after the other.
    fn mac(self, key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
        match self {
            Hash::Sha1 => mac::<Hmac<Sha1>>(key, parts),
            Hash::Sha256 => mac::<Hmac<Sha256>>(key, parts),
            Hash::Sha512 => mac::<Hmac<Sha512>>(key, parts),
        }
    }
}

fn mac<M: Mac + KeyInit>(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    // HMAC takes keys of any length, so there is always a result; an empty one would equal no
    // signature.
    let Ok(mut mac) = <M as Mac>::new_from_slice(key) else {
        return Vec::new();
    };
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

impl SigningKeys {
    /// The names of the secrets whose HMAC of the parts is one of the signatures; none if the
    /// signatures are wrong. Every secret is compared with every signature, each pair in constant
    /// time.
    pub(super) fn match_any(
        &self,
        hash: Hash,
        parts: &[&[u8]],
        signatures: &[Vec<u8>],
    ) -> Vec<String> {
        let is_matching = |key: &&Vec<u8>| {
            let expected = hash.mac(key, parts);
            let signatures = signatures
                .iter()
                .filter(|signature| signature.len() == hash.length());
            let found = signatures.fold(Choice::from(0), |found, signature| {
                found | expected.ct_eq(signature)
            });
            bool::from(found)
        };
        let matching: Vec<&Vec<u8>> = self.0.iter().filter(is_matching).collect();
        matching.into_iter().map(|key| secret_name(key)).collect()
    }
}

/// The name under which deliveries are stored that are signed with a secret. It does not depend on
/// the order of secrets, and its 32 bits are too few to find the secret by.
fn secret_name(key: &[u8]) -> String {
    let digest = mac::<Hmac<Sha256>>(key, &[b"postern: sender of a webhook"]);
    digest
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Leaves out the secrets.
impl std::fmt::Debug for SigningKeys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("SigningKeys")
            .field(&self.0.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::hmac_signature::Encoding;

    /// Test case 2 of RFC 2202 (SHA-1) and RFC 4231 (SHA-256, SHA-512).
    #[test]
    fn signatures_are_those_of_the_rfcs() {
        let keys = SigningKeys(vec![b"another".to_vec(), b"Jefe".to_vec()]);
        let parts: [&[u8]; 2] = [b"what do ya want ", b"for nothing?"];
        for (hash, signature) in [
            (Hash::Sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
            (
                Hash::Sha256,
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                Hash::Sha512,
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                 9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ),
        ] {
            let signature = Encoding::Hex.decode(signature).unwrap();
            assert_eq!(
                keys.match_any(hash, &parts, std::slice::from_ref(&signature)),
                [secret_name(b"Jefe")]
            );
            for bit in 0..signature.len() * 8 {
                let mut other = signature.clone();
                other[bit / 8] ^= 1 << (bit % 8);
                assert!(
                    keys.match_any(hash, &parts, &[other]).is_empty(),
                    "{hash:?} bit {bit}"
                );
            }
        }
    }

    #[test]
    fn short_signatures_match_nothing() {
        let keys = SigningKeys(vec![b"Jefe".to_vec()]);
        assert!(
            keys.match_any(Hash::Sha256, &[b""], &[vec![], vec![0; 31], vec![0; 33]])
                .is_empty()
        );
        assert!(keys.match_any(Hash::Sha256, &[b""], &[]).is_empty());
        assert!(!format!("{keys:?}").contains("Jefe") && !format!("{keys:?}").contains("74"));
    }
}
