//! Texts that are never shown.

use serde_json::Value;
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

/// One or several secrets, each of which is accepted, so that a secret can be changed without
/// refusing those who have the other one. The first is the one to use.
#[derive(Clone, PartialEq, Eq)]
pub struct Secrets {
    first: Secret,
    others: Vec<Secret>,
}

impl Secrets {
    /// Reads a secret, or a JSON array of secrets. None if an array holds anything else.
    pub fn parse(text: &str) -> Option<Secrets> {
        let is_array = text.starts_with('[') && serde_json::from_str::<Vec<Value>>(text).is_ok();
        if !is_array {
            return Some(Secrets::from(Secret::new(text)));
        }
        let texts: Vec<String> = serde_json::from_str(text).ok()?;
        if texts.iter().any(String::is_empty) {
            return None;
        }
        let mut secrets = texts.into_iter().map(Secret::new);
        let first = secrets.next()?;
        let others = secrets.collect();
        Some(Secrets { first, others })
    }

    /// The one to use.
    pub fn first(&self) -> &Secret {
        &self.first
    }

    /// All that are accepted, the one to use first.
    pub fn iter(&self) -> impl Iterator<Item = &Secret> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Whether the text equals one of the secrets, compared as [`Secret::is`] does.
    pub fn accept(&self, given: &str) -> bool {
        // All are compared, so that the time does not show which one matches.
        self.iter()
            .fold(false, |is_accepted, secret| is_accepted | secret.is(given))
    }
}

impl From<Secret> for Secrets {
    fn from(first: Secret) -> Secrets {
        let others = Vec::new();
        Secrets { first, others }
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secrets")
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_secret_of_a_list_is_accepted() {
        let both = Secrets::parse(r#"["new one", "old"]"#).unwrap();
        assert_eq!(both.first().reveal(), "new one");
        assert!(both.accept("new one") && both.accept("old"));
        assert!(!both.accept("other") && !both.accept(""));
        // A text that is no list is a secret, whatever it looks like.
        let single = Secrets::parse("[new").unwrap();
        assert!(single.accept("[new") && single.iter().count() == 1);
        for wrong in ["[]", "[1]", r#"["new", 1]"#, r#"["new", ""]"#] {
            assert_eq!(Secrets::parse(wrong), None, "{wrong}");
        }
    }
}
