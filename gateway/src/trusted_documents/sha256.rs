//! The SHA-256 hash of a document, which clients may send in place of it.

use std::fmt::{Display, Formatter};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::error::{Error, InvalidRequest};
use crate::request::Request;

/// The SHA-256 of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Digest([u8; 32]);

/// The hash that a client claims for its document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ClaimedHash {
    /// A SHA-256.
    Digest(Digest),
    /// Another string, which may be the id of a persisted document.
    Other(String),
}

impl Digest {
    /// Hashes a text.
    pub(super) fn hash(text: &str) -> Digest {
        Digest(Sha256::digest(text).into())
    }

    /// Parses 64 hexadecimal digits.
    pub(super) fn read(text: &str) -> Option<Digest> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digit = |index: usize| char::from(*digits.get(index)?).to_digit(16);
            *byte = u8::try_from(digit(0)? << 4 | digit(1)?).ok()?;
        }
        Some(Digest(bytes))
    }
}

impl Display for Digest {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// The hash in the extension `persistedQuery`, if the request has one.
/// <https://www.apollographql.com/docs/apollo-server/performance/apq>
pub(super) fn claimed_hash(request: &Request) -> Result<Option<ClaimedHash>, Error> {
    let Some(extension) = request
        .extensions
        .get("persistedQuery")
        .filter(|extension| !extension.is_null())
    else {
        return Ok(None);
    };
    // Numbers keep their digits as written, so only `1` is version 1.
    let is_first =
        matches!(&extension["version"], Value::Number(version) if version.to_string() == "1");
    match &extension["sha256Hash"] {
        Value::String(text) if is_first => Ok(Some(
            Digest::read(text)
                .map_or_else(|| ClaimedHash::Other(text.clone()), ClaimedHash::Digest),
        )),
        _ => Err(InvalidRequest::Member {
            name: "extensions.persistedQuery",
            expected: "{\"version\": 1, \"sha256Hash\": \"…\"}",
        }
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn digest_text_round_trips() {
        let digest = Digest::hash("{ __typename }");
        let text = "7f56e67dd21ab3f30d1ff8b7bed08893f0a0db86449836189b361dd1e56ddb4b";
        assert_eq!(digest.to_string(), text);
        assert_eq!(Digest::read(text), Some(digest));
        assert_eq!(Digest::read(&text.to_uppercase()), Some(digest));
        for other in [
            "",
            "7f",
            &"x".repeat(64),
            &"é".repeat(32),
            &format!("{text}0"),
        ] {
            assert_eq!(Digest::read(other), None, "{other}");
        }
    }

    #[test]
    fn extension_is_validated() {
        let read = |extension: Value| {
            let extensions = json!({ "persistedQuery": extension })
                .as_object()
                .unwrap()
                .clone();
            claimed_hash(&Request {
                extensions,
                ..Request::default()
            })
        };
        assert_eq!(read(Value::Null).unwrap(), None);
        let other = read(json!({"version": 1, "sha256Hash": "abc"})).unwrap();
        assert_eq!(other, Some(ClaimedHash::Other("abc".into())));
        for wrong in [
            json!({}),
            json!(1),
            json!({"version": 2, "sha256Hash": "abc"}),
            json!({"sha256Hash": "abc"}),
            json!({"version": "1", "sha256Hash": "abc"}),
            json!({"version": 1, "sha256Hash": 1}),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
