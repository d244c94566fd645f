//! Who waits for a connection or a group of reads, and who holds one: lines of waiting requests that take turns, one
//! line for each role, user and address, and the counts of what each of the three holds.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::num::NonZeroU64;

/// The key of a line of waiting requests. The gateway's own statements have none of the three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct QueueKey {
    /// A digest of the role's name.
    pub(super) role: Option<NonZeroU64>,
    /// A digest of the session values.
    pub(super) user: Option<NonZeroU64>,
    /// The client's IPv4 address or IPv6 network.
    pub(super) address: Option<NonZeroU64>,
}

/// Lines of waiting requests.
#[derive(Debug)]
pub(super) struct Turns<T> {
    /// The waiting requests by key, in order of arrival.
    lines: HashMap<QueueKey, VecDeque<T>, foldhash::fast::RandomState>,
    /// The keys that have waiting requests, in the order of their turns.
    order: VecDeque<QueueKey>,
    waiting: usize,
}

/// How much each role, address and user holds.
#[derive(Debug, Default)]
pub(super) struct Shares {
    roles: Counts,
    addresses: Counts,
    users: Counts,
}

type Counts = HashMap<NonZeroU64, usize, foldhash::fast::RandomState>;

impl QueueKey {
    /// Those of the three that none of the others has.
    pub(super) fn without(self, others: &[QueueKey]) -> QueueKey {
        let own = |of: fn(&QueueKey) -> Option<NonZeroU64>| {
            of(&self).filter(|own| !others.iter().any(|other| of(other) == Some(*own)))
        };
        QueueKey { role: own(|key| key.role), user: own(|key| key.user), address: own(|key| key.address) }
    }
}

impl<T> Default for Turns<T> {
    fn default() -> Turns<T> {
        Turns { lines: HashMap::default(), order: VecDeque::new(), waiting: 0 }
    }
}

impl<T> Turns<T> {
    /// The number of waiting requests.
    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    /// The number of waiting requests of a line.
    pub(super) fn line(&self, key: &QueueKey) -> usize {
        self.lines.get(key).map_or(0, VecDeque::len)
    }

    /// Adds a request to the end of its line.
    pub(super) fn push(&mut self, key: QueueKey, request: T) {
        self.waiting += 1;
        match self.lines.entry(key) {
            Entry::Occupied(mut entry) => entry.get_mut().push_back(request),
            Entry::Vacant(entry) => {
                self.order.push_back(*entry.key());
                entry.insert(VecDeque::from([request]));
            }
        }
    }

    /// The first request of the next line whose first request may be served. Lines that have to wait are moved to the
    /// end in their order.
    pub(super) fn pop(&mut self, may_be_served: impl Fn(&QueueKey, &T) -> bool) -> Option<(QueueKey, T)> {
        for _ in 0..self.order.len() {
            let key = self.order.pop_front()?;
            let line = self.lines.get_mut(&key)?;
            if !may_be_served(&key, line.front()?) {
                self.order.push_back(key);
                continue;
            }
            let request = line.pop_front()?;
            self.waiting -= 1;
            match line.is_empty() {
                true => drop(self.lines.remove(&key)),
                false => self.order.push_back(key),
            }
            return Some((key, request));
        }
        None
    }

    /// Makes room for a request by removing the last one of the longest line, if that line is longer than the
    /// request's.
    pub(super) fn evict(&mut self, key: &QueueKey) -> Option<T> {
        let own = self.line(key);
        let longest = self.lines.iter().max_by_key(|(_, line)| line.len())?;
        let longest = (longest.1.len() > own + 1).then_some(*longest.0)?;
        let evicted = self.lines.get_mut(&longest)?.pop_back();
        self.waiting -= usize::from(evicted.is_some());
        evicted
    }

    /// Removes a request from its line, at any position.
    pub(super) fn remove(&mut self, key: &QueueKey, is_wanted: impl Fn(&T) -> bool) {
        let Some(line) = self.lines.get_mut(key) else { return };
        let before = line.len();
        line.retain(|request| !is_wanted(request));
        self.waiting -= before - line.len();
        if line.is_empty() {
            self.lines.remove(key);
            self.order.retain(|known| known != key);
        }
    }
}

impl Shares {
    /// Whether each of the three may hold one more.
    pub(super) fn has_room_for(&self, key: &QueueKey, role_limit: usize, client_limit: usize) -> bool {
        key.role.is_none_or(|role| count_of(&self.roles, role) < role_limit)
            && key.user.is_none_or(|user| count_of(&self.users, user) < client_limit)
            && key.address.is_none_or(|address| count_of(&self.addresses, address) < client_limit)
    }

    /// Counts one more for each of the three; returns how many the role holds.
    pub(super) fn hold(&mut self, key: &QueueKey) -> usize {
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
    pub(super) fn release(&mut self, key: &QueueKey) {
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
    pub(super) fn is_empty(&self) -> bool {
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
