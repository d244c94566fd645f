//! Digests of bodies, keys and tokens, as they are stored.

use sha2::{Digest, Sha256};

/// Begins each digest, so that no id of a sender is one.
pub(super) const PREFIX: &str = "sha256:";

/// The SHA-256 digest of bytes: `sha256:ba7816bf…`.
pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(PREFIX.to_owned(), |text, byte| {
            text + &format!("{byte:02x}")
        })
}
