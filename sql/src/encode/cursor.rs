//! Cursors: the place of a row in an order, as text that nobody else can make.
//!
//! A cursor holds the text forms of the values that rows are sorted by, and a tag over them and over the order they
//! belong to. It tells its holder nothing that the order did not tell, and fits no other list.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// The secret that tags are made with. Gateways that share it understand each other's cursors.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Secret([u8; 32]);

/// A table and an order of its rows, in brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ordering([u8; 8]);

const VERSION: u8 = 1;
const TAG: usize = 16;
/// The length that stands for null.
const NULL: u32 = u32::MAX;

impl Secret {
    /// The secret that follows from another one, whatever its length.
    pub fn derive(from: &[u8]) -> Secret {
        let mut hash = Sha256::new();
        hash.update(b"postern cursor");
        hash.update(from);
        Secret(hash.finalize().into())
    }

    /// A word that follows from the secret and that nobody else can guess, for [`crate::statement::AssertionToken`].
    pub fn word(&self) -> String {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        mac.update(b"postern alarm");
        let bytes = mac.finalize().into_bytes();
        bytes.iter().take(TAG).map(|byte| format!("{byte:02x}")).collect()
    }

    fn tag(&self, ordering: Ordering, values: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(&[VERSION]);
        mac.update(&ordering.0);
        mac.update(values);
        Some(mac)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Ordering {
    /// The ordering that this text describes.
    pub fn of(description: &str) -> Ordering {
        let hash: [u8; 32] = Sha256::digest(description).into();
        let mut brief = [0; 8];
        brief.copy_from_slice(&hash[..8]);
        Ordering(brief)
    }
}

/// The cursor of a row, by the text forms of what it is sorted by.
pub fn encode<'a>(secret: &Secret, ordering: Ordering, values: impl Iterator<Item = Option<&'a [u8]>>) -> String {
    let mut bytes = vec![0; 1 + TAG];
    bytes[0] = VERSION;
    for value in values {
        let length = value.map_or(Some(NULL), |value| u32::try_from(value.len()).ok()).unwrap_or(NULL);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(value.unwrap_or_default());
    }
    if let Some(mac) = secret.tag(ordering, &bytes[1 + TAG..]) {
        bytes[1..=TAG].copy_from_slice(&mac.finalize().into_bytes()[..TAG]);
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The values of a cursor; none when it was made by somebody else or for another ordering.
pub fn decode(secret: &Secret, ordering: Ordering, cursor: &str) -> Option<Vec<Option<String>>> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (version, rest) = bytes.split_first()?;
    let (tag, mut values) = rest.split_at_checked(TAG)?;
    if *version != VERSION {
        return None;
    }
    secret.tag(ordering, values)?.verify_truncated_left(tag).ok()?;
    let mut found = Vec::new();
    while !values.is_empty() {
        let (length, rest) = values.split_first_chunk::<4>()?;
        let length = u32::from_be_bytes(*length);
        let (value, rest) = if length == NULL { (None, rest) } else { take(rest, length)? };
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
    fn a_cursor_comes_back_as_it_went_out() {
        let (secret, ordering) = (Secret::derive(b"s"), Ordering::of("users id"));
        let cursor = encode(&secret, ordering, VALUES.into_iter());
        assert_eq!(decode(&secret, ordering, &cursor), Some(vec![Some("7".into()), None, Some(String::new())]));
    }

    #[test]
    fn a_cursor_of_another_secret_or_list_or_a_changed_one_is_none() {
        let (secret, ordering) = (Secret::derive(b"s"), Ordering::of("users id"));
        let cursor = encode(&secret, ordering, VALUES.into_iter());
        assert_eq!(decode(&Secret::derive(b"t"), ordering, &cursor), None);
        assert_eq!(decode(&secret, Ordering::of("users name"), &cursor), None);
        let mut changed = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(decode(&secret, ordering, &URL_SAFE_NO_PAD.encode(changed)), None);
        assert!(["", "AQ", "x y", "AQAAAAAAAAAAAAAAAAAAAAAA"].iter().all(|c| decode(&secret, ordering, c).is_none()));
    }
}
