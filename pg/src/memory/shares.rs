//! How many bytes each role, user and address has reserved. Every request counts here twice, when
//! it begins and when it ends, so the counts are divided by key: requests of different callers
//! seldom meet at one lock.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::memory_limit::MemoryLimit;
use crate::sharing::ShareKey;

/// The bytes that each role, user and address holds.
#[derive(Debug, Default)]
pub(super) struct MemoryShares {
    roles: Counts,
    users: Counts,
    addresses: Counts,
}

/// How many bytes one caller may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShareLimits {
    /// A role.
    pub(super) role: usize,
    /// A user, and an address.
    pub(super) client: usize,
}

/// The number of locks.
const LOCK_COUNT: usize = 16;

#[derive(Debug, Default)]
struct Counts([Mutex<HashMap<NonZeroU64, usize, foldhash::fast::RandomState>>; LOCK_COUNT]);

impl MemoryShares {
    /// Counts bytes for the three, unless one of them would then hold more than it may.
    pub(super) fn hold(
        &self,
        caller: &ShareKey,
        bytes: usize,
        limits: ShareLimits,
    ) -> Result<(), MemoryLimit> {
        let mut held = ShareKey::default();
        let refused = 'counted: {
            if let Some(user) = caller.user {
                if !self.users.add(user, bytes, limits.client) {
                    break 'counted MemoryLimit::User;
                }
                held.user = caller.user;
            }
            if let Some(address) = caller.address {
                if !self.addresses.add(address, bytes, limits.client) {
                    break 'counted MemoryLimit::Address;
                }
                held.address = caller.address;
            }
            if let Some(role) = caller.role
                && !self.roles.add(role, bytes, limits.role)
            {
                break 'counted MemoryLimit::Role;
            }
            return Ok(());
        };
        self.release(&held, bytes);
        Err(refused)
    }

    /// Counts bytes for the three, however many they hold.
    pub(super) fn hold_unchecked(&self, caller: &ShareKey, bytes: usize) {
        // Without limits nothing is refused.
        let _ = self.hold(caller, bytes, ShareLimits::NONE);
    }

    /// Counts fewer bytes.
    pub(super) fn release(&self, caller: &ShareKey, bytes: usize) {
        if let Some(role) = caller.role {
            self.roles.subtract(role, bytes);
        }
        if let Some(user) = caller.user {
            self.users.subtract(user, bytes);
        }
        if let Some(address) = caller.address {
            self.addresses.subtract(address, bytes);
        }
    }

    /// Whether nothing is held.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        let counts = [&self.roles, &self.users, &self.addresses];
        counts
            .iter()
            .all(|counts| counts.0.iter().all(|part| part.lock().unwrap().is_empty()))
    }
}

impl ShareLimits {
    /// No limits.
    pub(super) const NONE: ShareLimits = ShareLimits {
        role: usize::MAX,
        client: usize::MAX,
    };

    /// Whether a caller that holds nothing may hold this many bytes.
    pub(super) fn admit(&self, caller: &ShareKey, bytes: usize) -> bool {
        let is_client = caller.user.is_some() || caller.address.is_some();
        (caller.role.is_none() || bytes <= self.role) && (!is_client || bytes <= self.client)
    }
}

impl Counts {
    /// Adds bytes unless the sum is above the limit; returns whether it did.
    fn add(&self, key: NonZeroU64, bytes: usize, limit: usize) -> bool {
        let mut part = self.part(key);
        let held = part.get(&key).copied().unwrap_or_default();
        let sum = held.saturating_add(bytes);
        if sum > limit {
            return false;
        }
        part.insert(key, sum);
        true
    }

    /// Subtracts bytes. Zero counts are removed, because clients decide which keys exist.
    fn subtract(&self, key: NonZeroU64, bytes: usize) {
        if let Entry::Occupied(mut entry) = self.part(key).entry(key) {
            match entry.get().saturating_sub(bytes) {
                0 => drop(entry.remove()),
                rest => *entry.get_mut() = rest,
            }
        }
    }

    fn part(
        &self,
        key: NonZeroU64,
    ) -> MutexGuard<'_, HashMap<NonZeroU64, usize, foldhash::fast::RandomState>> {
        // Keys are digests, and addresses differ in their low bits.
        let part = key.get() as usize % LOCK_COUNT;
        self.0
            .get(part)
            .unwrap_or(&self.0[0])
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
