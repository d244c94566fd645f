//! Encodes and decodes pagination cursors. A cursor contains the text forms of a row's sort values,
//! authenticated with an HMAC-SHA-256 tag over the values and over the table and order that they
//! belong to. A client cannot forge a cursor or use it with another list, and reads from it only
//! values that the list is sorted by.
//!
//! A cursor holds values and no position, so a page does not shift when rows before it come or go.
//! The next page is a condition on whole rows, `(a, b) > ($1, $2)`, which uses the index of the
//! order. For `before`, the statement sorts in the opposite direction, and the encoder writes the
//! rows from the last to the first.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use crate::encode::digits::hex_digits;

/// The HMAC keys of cursors: the first signs, and each verifies. Gateways with an equal secret
/// accept each other's cursors.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Secret {
    keys: [[u8; 32]; MAX_KEYS],
    /// How many of the keys there are.
    count: usize,
    /// Hexadecimal digits. Every translation needs them.
    assertion_token: [u8; 2 * TAG_BYTES],
}

/// The hash of a table and an order of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ordering([u8; 8]);

/// The maximum number of keys. Further ones have no effect.
pub const MAX_KEYS: usize = 4;

const VERSION: u8 = 1;
const TAG_BYTES: usize = 16;
/// The length that marks a null value.
const NULL_LENGTH: u32 = u32::MAX;

impl Secret {
    /// Derives the secret from texts of any length. The first is that of new cursors.
    pub fn derive<'t>(from: impl IntoIterator<Item = &'t [u8]>) -> Secret {
        let mut keys = [[0; 32]; MAX_KEYS];
        let mut count = 0;
        for (key, text) in keys.iter_mut().zip(from) {
            let mut hash = Sha256::new();
            hash.update(b"postern cursor");
            hash.update(text);
            *key = hash.finalize().into();
            count += 1;
        }
        Secret::from_keys(keys, count)
    }

    fn from_keys(keys: [[u8; 32]; MAX_KEYS], count: usize) -> Secret {
        let mut secret = Secret {
            keys,
            count,
            assertion_token: [0; 2 * TAG_BYTES],
        };
        if let Some(mut mac) = mac(&keys[0]) {
            mac.update(b"postern alarm");
            let (digits, _) = secret.assertion_token.as_chunks_mut();
            let bytes = mac.finalize().into_bytes();
            digits
                .iter_mut()
                .zip(bytes.as_chunks().0)
                .for_each(|(digits, bytes)| *digits = hex_digits(*bytes));
        }
        secret
    }

    /// A token that clients cannot guess, for [`crate::statement::AssertionToken`].
    pub fn assertion_token(&self) -> &str {
        str::from_utf8(&self.assertion_token).unwrap_or_default()
    }

    /// Whether one of the keys has made this tag.
    fn verify(&self, ordering: Ordering, values: &[u8], tag: &[u8]) -> bool {
        self.keys.iter().take(self.count).any(|key| {
            self::tag(key, ordering, values)
                .is_some_and(|mac| mac.verify_truncated_left(tag).is_ok())
        })
    }
}

/// `None` never: HMAC takes keys of any length.
fn mac(key: &[u8; 32]) -> Option<Hmac<Sha256>> {
    Hmac::new_from_slice(key).ok()
}

fn tag(key: &[u8; 32], ordering: Ordering, values: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = mac(key)?;
    mac.update(&[VERSION]);
    mac.update(&ordering.0);
    mac.update(values);
    Some(mac)
}

impl Default for Secret {
    fn default() -> Secret {
        Secret::from_keys([[0; 32]; MAX_KEYS], 1)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Ordering {
    /// Hashes a description of a table and an order.
    pub fn from_description(description: &str) -> Ordering {
        let hash: [u8; 32] = Sha256::digest(description).into();
        let mut brief = [0; 8];
        brief.copy_from_slice(&hash[..8]);
        Ordering(brief)
    }
}

/// Encodes a cursor from the text forms of a row's sort values.
pub fn encode<'a>(
    secret: &Secret,
    ordering: Ordering,
    values: impl Iterator<Item = Option<&'a [u8]>>,
) -> String {
    let mut bytes = vec![0; 1 + TAG_BYTES];
    bytes[0] = VERSION;
    for value in values {
        let length = value
            .map_or(Some(NULL_LENGTH), |value| u32::try_from(value.len()).ok())
            .unwrap_or(NULL_LENGTH);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(value.unwrap_or_default());
    }
    if let Some(mac) = tag(&secret.keys[0], ordering, &bytes[1 + TAG_BYTES..]) {
        bytes[1..=TAG_BYTES].copy_from_slice(&mac.finalize().into_bytes()[..TAG_BYTES]);
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes the sort values of a cursor. Returns `None` for a cursor that is malformed, has been
/// changed, or was made with another secret or for another ordering.
pub fn decode(secret: &Secret, ordering: Ordering, cursor: &str) -> Option<Vec<Option<String>>> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (version, rest) = bytes.split_first()?;
    let (tag, mut values) = rest.split_at_checked(TAG_BYTES)?;
    if *version != VERSION {
        return None;
    }
    if !secret.verify(ordering, values, tag) {
        return None;
    }
    let mut found = Vec::new();
    while !values.is_empty() {
        let (length, rest) = values.split_first_chunk::<4>()?;
        let length = u32::from_be_bytes(*length);
        let (value, rest) = if length == NULL_LENGTH {
            (None, rest)
        } else {
            take(rest, length)?
        };
        found.push(value);
        values = rest;
    }
    Some(found)
}

fn take(bytes: &[u8], length: u32) -> Option<(Option<String>, &[u8])> {
    let (value, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
    Some((Some(String::from_utf8(value.to_vec()).ok()?), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [Option<&[u8]>; 3] = [Some(b"7"), None, Some(b"")];

    #[test]
    fn decode_returns_the_encoded_values() {
        let secret = Secret::derive([&b"s"[..]]);
        let ordering = Ordering::from_description("users id");
        let cursor = encode(&secret, ordering, VALUES.into_iter());
        assert_eq!(
            decode(&secret, ordering, &cursor),
            Some(vec![Some("7".into()), None, Some(String::new())])
        );
    }

    #[test]
    fn assertion_tokens_are_32_digits_of_the_secret() {
        let token = |from: &[u8]| Secret::derive([from]).assertion_token().to_owned();
        assert_eq!(token(b"s").len(), 32);
        assert!(token(b"s").bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(token(b"s"), token(b"t"));
        // The first half of the HMAC-SHA-256 of `postern alarm` by a key of 32 zeros, as other
        // programs compute it.
        assert_eq!(
            Secret::default().assertion_token(),
            "271a068359b8c069e3e47fd2d5238a81"
        );
    }

    #[test]
    fn cursor_of_another_secret_or_ordering_or_changed_is_rejected() {
        let secret = Secret::derive([&b"s"[..]]);
        let ordering = Ordering::from_description("users id");
        let cursor = encode(&secret, ordering, VALUES.into_iter());
        assert_eq!(
            decode(&Secret::derive([&b"t"[..]]), ordering, &cursor),
            None
        );
        assert_eq!(
            decode(&secret, Ordering::from_description("users name"), &cursor),
            None
        );
        let mut changed = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(
            decode(&secret, ordering, &URL_SAFE_NO_PAD.encode(changed)),
            None
        );
        assert!(
            ["", "AQ", "x y", "AQAAAAAAAAAAAAAAAAAAAAAA"]
                .iter()
                .all(|c| decode(&secret, ordering, c).is_none())
        );
    }
}
