//! The id of a request, in its response and in the log: the client's `X-Request-Id`, or a new UUID.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

use http::HeaderMap;
use http::header::HeaderName;
use uuid::Builder;

/// The header of the request id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The client's id, if it is short and safe to log, or a new one.
pub fn request_id(headers: &HeaderMap) -> String {
    let given = headers
        .get(&REQUEST_ID)
        .and_then(|value| value.to_str().ok());
    let is_valid = |id: &&str| {
        (1..=128).contains(&id.len())
            && id.bytes().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':')
            })
    };
    given.filter(is_valid).map_or_else(new, str::to_owned)
}

/// A UUID of version 7. It must be unique but need not be secret, so its random bits do not come
/// from the system's source.
fn new() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let mut bits = [0; 10];
    let words = random()
        .to_le_bytes()
        .into_iter()
        .chain(random().to_le_bytes());
    bits.iter_mut()
        .zip(words)
        .for_each(|(bit, word)| *bit = word);
    let millis = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
    Builder::from_unix_timestamp_millis(millis, &bits)
        .into_uuid()
        .to_string()
}

/// The next number of a per-thread sequence. <https://prng.di.unimi.it/splitmix64.c>
fn random() -> u64 {
    thread_local!(static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one(std::thread::current().id())));
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use http::HeaderValue;

    use super::*;

    #[test]
    fn valid_ids_are_kept_and_others_replaced() {
        let id = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_static(text));
            request_id(&headers)
        };
        assert_eq!(id("trace-1.a:b_C"), "trace-1.a:b_C");
        assert_ne!(id("a b"), "a b");
        assert_ne!(id(""), "");
    }

    #[test]
    fn new_ids_are_uuids_of_version_7_and_differ() {
        let threads: Vec<_> = (0..4)
            .map(|_| std::thread::spawn(|| (0..1000).map(|_| new()).collect::<Vec<_>>()))
            .collect();
        let ids: HashSet<String> = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect();
        assert_eq!(ids.len(), 4000);
        for id in ids {
            assert_eq!(
                uuid::Uuid::parse_str(&id).unwrap().get_version_num(),
                7,
                "{id}"
            );
        }
    }
}
