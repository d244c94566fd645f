//! Keys by which shares of a limited thing are counted: a caller's role, user and address.

use std::hash::{BuildHasher, Hash};
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::sync::OnceLock;

/// What a caller is counted by. Each of the three may have a share of its own, and callers with
/// equal keys wait in one line. The owner's own work has none of the three, and no share limits
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ShareKey {
    /// A digest of the role's name.
    pub role: Option<NonZeroU64>,
    /// A digest of the session values; none for callers without any.
    pub user: Option<NonZeroU64>,
    /// The client's IPv4 address or IPv6 network; see [`address_key`].
    pub address: Option<NonZeroU64>,
}

impl ShareKey {
    /// The key without those of the three that one of the others has.
    pub fn without(self, others: &[ShareKey]) -> ShareKey {
        let own = |of: fn(&ShareKey) -> Option<NonZeroU64>| {
            of(&self).filter(|own| !others.iter().any(|other| of(other) == Some(*own)))
        };
        ShareKey {
            role: own(|key| key.role),
            user: own(|key| key.user),
            address: own(|key| key.address),
        }
    }
}

/// Hashes a value with a key that the process draws at random. Equal values have equal keys for as
/// long as the process lives, and a client cannot compute two values that collide.
pub fn share_key<T: Hash + ?Sized>(value: &T) -> NonZeroU64 {
    static HASHER: OnceLock<foldhash::fast::RandomState> = OnceLock::new();
    let key = HASHER.get_or_init(Default::default).hash_one(value);
    NonZeroU64::new(key).unwrap_or(NonZeroU64::MAX)
}

/// The key of an address: the address itself, or for IPv6 its 64-bit network, since one client
/// usually has a whole network. A loopback address has none, because it belongs to a proxy or back
/// end that serves many clients. Callers with the admin secret may be such back ends too, wherever
/// they are, so their addresses are left out before.
pub fn address_key(address: IpAddr) -> Option<NonZeroU64> {
    let address = address.to_canonical();
    if address.is_loopback() {
        return None;
    }
    // The prefix of IPv4 addresses differs from those of IPv6 networks in use.
    let number = match address {
        IpAddr::V4(address) => 0xffff << 32 | u64::from(address.to_bits()),
        IpAddr::V6(address) => (address.to_bits() >> 64) as u64,
    };
    NonZeroU64::new(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv6_addresses_are_counted_by_64_bit_network() {
        let key = |address: &str| address_key(address.parse().unwrap());
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_ne!(key("10.0.0.1"), key("10.0.0.2"));
        assert_eq!(key("10.0.0.1"), key("::ffff:10.0.0.1"));
        assert_eq!(
            [key("::1"), key("127.0.0.1"), key("::ffff:127.0.0.1")],
            [None; 3]
        );
    }

    #[test]
    fn key_without_others_keeps_what_none_of_them_has() {
        let key = |role, user| ShareKey {
            role: NonZeroU64::new(role),
            user: NonZeroU64::new(user),
            address: None,
        };
        assert_eq!(key(1, 2).without(&[key(1, 3), key(4, 5)]), key(0, 2));
        assert_eq!(key(1, 2).without(&[]), key(1, 2));
    }
}
