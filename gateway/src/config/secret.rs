//! Texts that are never shown.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A text that is never logged or shown in messages.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for the one place that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether the text equals the secret. Compares hashes in constant time, so that neither
    /// content nor length leaks.
    pub fn is(&self, given: &str) -> bool {
        let digest = |text: &str| Sha256::digest(text.as_bytes());
        digest(given).ct_eq(&digest(&self.0)).into()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret")
    }
}
