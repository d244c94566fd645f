//! Generates random tokens and hashes them. The database stores only the hashes.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The prefix of personal access tokens, by which people and secret scanners recognize them.
const PREFIX: &str = "pat_";

/// A new personal access token: 256 random bits.
pub fn personal() -> String {
    format!(
        "{PREFIX}{}",
        URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
    )
}

/// A new refresh token: 122 random bits, in the UUID format that clients of hasura-auth check for.
pub(super) fn refresh() -> String {
    Uuid::new_v4().to_string()
}

/// The SHA-256 of a token in hexadecimal digits. Tokens are long and random, so neither the hash
/// nor the timing of a lookup helps to find one.
pub fn digest(token: &str) -> String {
    hexadecimal(&Sha256::digest(token.as_bytes()))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let text = String::with_capacity(2 * bytes.len());
    bytes.iter().fold(text, |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_random() {
        assert_eq!(personal().len(), 47);
        assert!(personal().starts_with("pat_") && personal() != personal());
        assert_eq!(Uuid::parse_str(&refresh()).unwrap().get_version_num(), 4);
    }

    #[test]
    fn digest_is_sha_256() {
        assert_eq!(
            digest("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
