//! Keys that identify a role or a user where shares of a resource are counted, such as connections.

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU64;
use std::sync::OnceLock;

/// Hashes a value with a key that the process draws at random. Equal values have equal keys for as long as the process
/// lives, and a client cannot compute two values that collide.
pub fn share_key<T: Hash + ?Sized>(value: &T) -> NonZeroU64 {
    static HASHER: OnceLock<foldhash::fast::RandomState> = OnceLock::new();
    let key = HASHER.get_or_init(Default::default).hash_one(value);
    NonZeroU64::new(key).unwrap_or(NonZeroU64::MAX)
}
