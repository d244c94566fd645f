//! How much of a limited thing each role, user and address holds.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::NonZeroU64;

use super::share_key::ShareKey;

/// How much each role, address and user holds.
#[derive(Debug, Default)]
pub struct Shares {
    roles: Counts,
    addresses: Counts,
    users: Counts,
}

type Counts = HashMap<NonZeroU64, usize, foldhash::fast::RandomState>;

impl Shares {
    /// Whether each of the three may hold one more.
    pub fn has_room_for(&self, key: &ShareKey, role_limit: usize, client_limit: usize) -> bool {
        key.role
            .is_none_or(|role| count_of(&self.roles, role) < role_limit)
            && key
                .user
                .is_none_or(|user| count_of(&self.users, user) < client_limit)
            && key
                .address
                .is_none_or(|address| count_of(&self.addresses, address) < client_limit)
    }

    /// Counts one more for each of the three; returns how many the role holds.
    pub fn hold(&mut self, key: &ShareKey) -> usize {
        if let Some(address) = key.address {
            *self.addresses.entry(address).or_default() += 1;
        }
        if let Some(user) = key.user {
            *self.users.entry(user).or_default() += 1;
        }
        key.role.map_or(0, |role| {
            let count = self.roles.entry(role).or_default();
            *count += 1;
            *count
        })
    }

    /// Counts one less.
    pub fn release(&mut self, key: &ShareKey) {
        if let Some(role) = key.role {
            decrement(&mut self.roles, role);
        }
        if let Some(address) = key.address {
            decrement(&mut self.addresses, address);
        }
        if let Some(user) = key.user {
            decrement(&mut self.users, user);
        }
    }

    /// Whether nothing is held.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty() && self.addresses.is_empty() && self.users.is_empty()
    }
}

fn count_of(counts: &Counts, key: NonZeroU64) -> usize {
    counts.get(&key).copied().unwrap_or_default()
}

/// Decrements a count. Zero counts are removed, because clients decide which keys exist.
fn decrement(counts: &mut Counts, key: NonZeroU64) {
    if let Entry::Occupied(mut entry) = counts.entry(key) {
        match entry.get() {
            0 | 1 => drop(entry.remove()),
            _ => *entry.get_mut() -= 1,
        }
    }
}
