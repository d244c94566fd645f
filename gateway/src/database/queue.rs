//! The queue for connections: each role, each user and each client address may hold a share of the pool, and waiting
//! requests take turns by these three, so that a flood of requests from one caller does not delay those of others.
//! Using a connection is left to [`super::connection`].
//!
//! ```text
//! (role a, user 7, 192.0.2.1)  ▮▮▮▮▮▮▮▮  ─┐
//! (role a, user 8, 192.0.2.2)  ▮          ├─ one request of each in turn, as far as each of the three has less than its share
//! (role b,         192.0.2.3)  ▮▮        ─┘
//! ```

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::DatabaseError;
use crate::database::deadline;
use crate::telemetry::metrics::QueueCounters;

/// The shares of the pool and the limits of the queue.
#[derive(Clone, Debug)]
pub struct QueueSettings {
    /// The maximum number of connections that one user, or one address, may hold.
    pub client_limit: usize,
    /// The maximum number of waiting requests.
    pub length: usize,
    /// The maximum time that a request may wait.
    pub time: Duration,
    /// Counts the requests that get no connection.
    pub counters: QueueCounters,
}

/// The role, user and address that a connection is acquired for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Requester {
    group: QueueKey,
    /// The maximum number of connections that the role may hold.
    role_limit: Option<usize>,
}

/// Grants permits, as many as the pool has connections.
#[derive(Clone, Debug)]
pub(super) struct Queue(Arc<Inner>);

/// The right to hold a connection. Dropping it grants the next request a permit.
#[derive(Debug)]
pub(super) struct Permit {
    queue: Queue,
    group: QueueKey,
    /// How many connections the role held, including this one, when the permit was granted.
    pub(super) of_role: usize,
}

/// Why a request gets no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// The queue has reached its maximum length.
    #[error("the queue for connections is full")]
    Full,
    /// The request has waited for the maximum time.
    #[error("no connection became free in {} seconds", .0.as_secs_f64())]
    Time(Duration),
}

#[derive(Debug)]
struct Inner {
    settings: QueueSettings,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The number of permits that are not granted.
    free: usize,
    /// How many connections each role holds.
    roles: Counts,
    /// How many connections each address holds.
    addresses: Counts,
    /// How many connections each user holds.
    users: Counts,
    /// The waiting requests by key, in order of arrival.
    groups: HashMap<QueueKey, VecDeque<Waiter>, foldhash::fast::RandomState>,
    /// The keys that have waiting requests, in the order of their turns.
    turns: VecDeque<QueueKey>,
    waiting: usize,
    next: u64,
}

type Counts = HashMap<NonZeroU64, usize, foldhash::fast::RandomState>;

/// The key of a line of waiting requests. The gateway's own statements have none of the three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct QueueKey {
    /// A digest of the role's name.
    role: Option<NonZeroU64>,
    /// A digest of the session values.
    user: Option<NonZeroU64>,
    /// The client's IPv4 address or IPv6 network.
    address: Option<NonZeroU64>,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    role_limit: usize,
    permit: oneshot::Sender<Permit>,
}

/// A request's entry in the queue, removed when it is dropped.
struct QueueEntry<'q> {
    queue: &'q Queue,
    group: QueueKey,
    number: u64,
}

impl Default for QueueSettings {
    /// No shares, and no limits except the deadlines of requests.
    fn default() -> QueueSettings {
        QueueSettings {
            client_limit: usize::MAX,
            length: usize::MAX,
            time: Duration::from_secs(3600),
            counters: QueueCounters::default(),
        }
    }
}

impl Requester {
    /// The requester for a role with this connection limit, a user and an address; role and user are digests. A
    /// loopback address belongs to a proxy or back end that serves many clients, so it has no share of its own.
    pub fn new(role: NonZeroU64, limit: usize, user: Option<NonZeroU64>, address: Option<IpAddr>) -> Requester {
        let address =
            address.map(|address| address.to_canonical()).filter(|address| !address.is_loopback()).and_then(network);
        Requester { group: QueueKey { role: Some(role), user, address }, role_limit: Some(limit) }
    }

    fn role_limit(&self) -> usize {
        self.role_limit.map_or(usize::MAX, |limit| limit.max(1))
    }
}

/// The counting key of an address: the address itself, or for IPv6 its 64-bit network, since one client usually has a
/// whole network. The prefix of IPv4 addresses differs from those of IPv6 networks in use.
fn network(address: IpAddr) -> Option<NonZeroU64> {
    let number = match address {
        IpAddr::V4(address) => 0xffff << 32 | u64::from(address.to_bits()),
        IpAddr::V6(address) => (address.to_bits() >> 64) as u64,
    };
    NonZeroU64::new(number)
}

impl Queue {
    pub(super) fn new(connections: usize, settings: QueueSettings) -> Queue {
        let state = State {
            free: connections,
            roles: Counts::default(),
            addresses: Counts::default(),
            users: Counts::default(),
            groups: HashMap::default(),
            turns: VecDeque::new(),
            waiting: 0,
            next: 0,
        };
        Queue(Arc::new(Inner { settings, state: Mutex::new(state) }))
    }

    /// Waits for a permit until the deadline or the maximum waiting time of the queue.
    pub(super) async fn acquire(
        &self,
        requester: &Requester,
        deadline: Instant,
        limit: Duration,
    ) -> Result<Permit, DatabaseError> {
        let (place, permit) = match self.try_acquire(requester)? {
            Acquisition::Granted(permit) => return Ok(permit),
            Acquisition::Waits(place, permit) => (place, permit),
        };
        let end = Instant::now() + self.0.settings.time;
        let granted = deadline::timeout_at(deadline.min(end), permit).await;
        drop(place);
        match granted {
            Some(Ok(permit)) => Ok(permit),
            Some(Err(_)) => Err(self.count_refusal(QueueError::Full)),
            None if end < deadline => Err(self.count_refusal(QueueError::Time(self.0.settings.time))),
            None => Err(DatabaseError::Timeout(limit)),
        }
    }

    /// The number of waiting requests.
    pub(super) fn waiting(&self) -> usize {
        self.state().waiting
    }

    fn count_refusal(&self, crowded: QueueError) -> DatabaseError {
        let counters = &self.0.settings.counters;
        match crowded {
            QueueError::Full => counters.full.inc(),
            QueueError::Time(_) => counters.time.inc(),
        }
        DatabaseError::Queue(crowded)
    }

    /// Grants a free connection or adds the request to the queue. If requests wait while a connection is free, they
    /// have reached their share, so a request within its share may pass them.
    fn try_acquire(&self, requester: &Requester) -> Result<Acquisition<'_>, DatabaseError> {
        let (group, role_limit) = (requester.group, requester.role_limit());
        let mut state = self.state();
        if state.free > 0 && state.has_room_for(&group, role_limit, self.0.settings.client_limit) {
            let of_role = state.hold(&group);
            return Ok(Acquisition::Granted(Permit { queue: self.clone(), group, of_role }));
        }
        let mut evicted = None;
        if state.waiting >= self.0.settings.length {
            evicted = state.evict(&group);
            if evicted.is_none() {
                drop(state);
                return Err(self.count_refusal(QueueError::Full));
            }
        }
        let (sender, permit) = oneshot::channel();
        let number = state.next;
        state.next += 1;
        state.enqueue(group, Waiter { number, role_limit, permit: sender });
        drop(state);
        // Dropping the evicted sender wakes its request, so this happens after the lock is released.
        drop(evicted);
        Ok(Acquisition::Waits(QueueEntry { queue: self, group, number }, permit))
    }

    fn release(&self, group: &QueueKey) {
        let mut state = self.state();
        state.release_held(group);
        let mut unwanted = Vec::new();
        while state.free > 0 {
            let Some((group, waiter)) = state.dequeue(self.0.settings.client_limit) else { break };
            let of_role = state.hold(&group);
            let permit = Permit { queue: self.clone(), group, of_role };
            if let Err(permit) = waiter.permit.send(permit) {
                state.release_held(&group);
                unwanted.push(permit);
            }
        }
        drop(state);
        // Their shares were released already.
        unwanted.into_iter().for_each(Permit::forget);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The outcome of [`Queue::try_acquire`].
enum Acquisition<'q> {
    Granted(Permit),
    Waits(QueueEntry<'q>, oneshot::Receiver<Permit>),
}

impl State {
    /// Whether the group may hold one more connection.
    fn has_room_for(&self, group: &QueueKey, role_limit: usize, client_limit: usize) -> bool {
        group.role.is_none_or(|role| count_of(&self.roles, role) < role_limit)
            && group.user.is_none_or(|user| count_of(&self.users, user) < client_limit)
            && group.address.is_none_or(|address| count_of(&self.addresses, address) < client_limit)
    }

    /// Counts a connection that the group now holds; returns how many its role holds.
    fn hold(&mut self, group: &QueueKey) -> usize {
        self.free -= 1;
        if let Some(address) = group.address {
            *self.addresses.entry(address).or_default() += 1;
        }
        if let Some(user) = group.user {
            *self.users.entry(user).or_default() += 1;
        }
        group.role.map_or(0, |role| {
            let count = self.roles.entry(role).or_default();
            *count += 1;
            *count
        })
    }

    fn release_held(&mut self, group: &QueueKey) {
        self.free += 1;
        if let Some(role) = group.role {
            decrement(&mut self.roles, role);
        }
        if let Some(address) = group.address {
            decrement(&mut self.addresses, address);
        }
        if let Some(user) = group.user {
            decrement(&mut self.users, user);
        }
    }

    fn enqueue(&mut self, group: QueueKey, waiter: Waiter) {
        self.waiting += 1;
        match self.groups.entry(group) {
            Entry::Occupied(mut entry) => entry.get_mut().push_back(waiter),
            Entry::Vacant(entry) => {
                self.turns.push_back(*entry.key());
                entry.insert(VecDeque::from([waiter]));
            }
        }
    }

    /// The first request of the next group that may hold one more connection. Groups that may not are moved to the end
    /// in their order.
    fn dequeue(&mut self, client_limit: usize) -> Option<(QueueKey, Waiter)> {
        for _ in 0..self.turns.len() {
            let group = self.turns.pop_front()?;
            let role_limit = self.groups.get(&group)?.front().map_or(0, |waiter| waiter.role_limit);
            if !self.has_room_for(&group, role_limit, client_limit) {
                self.turns.push_back(group);
                continue;
            }
            let waiters = self.groups.get_mut(&group)?;
            let waiter = waiters.pop_front()?;
            self.waiting -= 1;
            match waiters.is_empty() {
                true => drop(self.groups.remove(&group)),
                false => self.turns.push_back(group),
            }
            return Some((group, waiter));
        }
        None
    }

    /// Makes room for a request of a group by removing the last request of the longest line, if that line is longer
    /// than the group's.
    fn evict(&mut self, group: &QueueKey) -> Option<Waiter> {
        let own = self.groups.get(group).map_or(0, VecDeque::len);
        let longest = self.groups.iter().max_by_key(|(_, waiters)| waiters.len())?;
        let longest = (longest.1.len() > own + 1).then_some(*longest.0)?;
        let evicted = self.groups.get_mut(&longest)?.pop_back();
        self.waiting -= usize::from(evicted.is_some());
        evicted
    }

    /// Removes a request from the queue, at any position.
    fn remove(&mut self, group: &QueueKey, number: u64) {
        let Some(waiters) = self.groups.get_mut(group) else { return };
        let before = waiters.len();
        waiters.retain(|waiter| waiter.number != number);
        self.waiting -= before - waiters.len();
        if waiters.is_empty() {
            self.groups.remove(group);
            self.turns.retain(|known| known != group);
        }
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

impl Permit {
    /// Drops the permit without releasing its share.
    fn forget(mut self) {
        self.group = QueueKey::default();
        self.of_role = usize::MAX;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.of_role < usize::MAX {
            self.queue.release(&self.group);
        }
    }
}

impl Drop for QueueEntry<'_> {
    fn drop(&mut self) {
        self.queue.state().remove(&self.group, self.number);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;

    use super::*;
    use crate::limits::share_key;

    fn queue(connections: usize, client_limit: usize, length: usize) -> Queue {
        let time = Duration::from_secs(20);
        Queue::new(connections, QueueSettings { client_limit, length, time, ..QueueSettings::default() })
    }

    fn requester(role: &str, limit: usize, address: &str) -> Requester {
        Requester::new(share_key(role), limit, None, Some(address.parse().unwrap()))
    }

    async fn acquire(queue: &Queue, requester: &Requester) -> Result<Permit, DatabaseError> {
        queue.acquire(requester, Instant::now() + Duration::from_secs(60), Duration::from_secs(60)).await
    }

    async fn acquire_now(queue: &Queue, requester: &Requester) -> Option<Permit> {
        let soon = Instant::now();
        queue.acquire(requester, soon, Duration::ZERO).await.ok()
    }

    #[tokio::test]
    async fn no_role_user_or_address_holds_more_than_its_share() {
        let queue = queue(4, 2, 10);
        let (one, other) = (requester("a", 3, "10.0.0.1"), requester("a", 3, "10.0.0.2"));
        let first = (acquire_now(&queue, &one).await.unwrap(), acquire_now(&queue, &one).await.unwrap());
        assert!(acquire_now(&queue, &one).await.is_none(), "the address has two");
        let third = acquire_now(&queue, &other).await.unwrap();
        assert!(acquire_now(&queue, &other).await.is_none(), "the role has three");
        let fourth = acquire_now(&queue, &requester("b", 3, "10.0.0.3")).await.unwrap();
        assert!(acquire_now(&queue, &requester("c", 3, "10.0.0.4")).await.is_none(), "the pool has four");
        drop(first);
        assert!(acquire_now(&queue, &one).await.is_some());
        drop((third, fourth));
        let user = |user| Requester::new(share_key("a"), 4, NonZeroU64::new(user), Some([127, 0, 0, 1].into()));
        let _two = (acquire_now(&queue, &user(1)).await.unwrap(), acquire_now(&queue, &user(1)).await.unwrap());
        assert!(acquire_now(&queue, &user(1)).await.is_none(), "the user has two");
        drop((acquire_now(&queue, &user(2)).await.unwrap(), _two));
        let state = queue.state();
        assert_eq!((state.free, state.roles.len(), state.addresses.len(), state.waiting), (4, 0, 0, 0));
    }

    #[tokio::test]
    async fn groups_take_turns() {
        let queue = queue(1, 5, 100);
        let (one, other) = (requester("a", 5, "10.0.0.1"), requester("a", 5, "10.0.0.2"));
        let permit = acquire(&queue, &one).await.unwrap();
        let mut flood: Vec<_> = (0..5).map(|_| Box::pin(acquire(&queue, &one))).collect();
        for waiting in &mut flood {
            assert!(poll!(waiting).is_pending());
        }
        let mut late = Box::pin(acquire(&queue, &other));
        assert!(poll!(&mut late).is_pending());
        drop(permit);
        let first = flood.remove(0).await.unwrap();
        assert!(poll!(&mut late).is_pending());
        drop(first);
        let second = late.await.unwrap();
        assert!(poll!(&mut flood[0]).is_pending());
        drop(second);
        assert!(poll!(&mut flood[0]).is_ready());
    }

    #[tokio::test]
    async fn full_queue_evicts_the_last_request_of_the_longest_line() {
        let queue = queue(1, 5, 3);
        let (one, other) = (requester("a", 5, "10.0.0.1"), requester("b", 5, "10.0.0.2"));
        let permit = acquire(&queue, &one).await.unwrap();
        let mut flood: Vec<_> = (0..3).map(|_| Box::pin(acquire(&queue, &one))).collect();
        for waiting in &mut flood {
            assert!(poll!(waiting).is_pending());
        }
        assert!(matches!(acquire(&queue, &one).await, Err(DatabaseError::Queue(QueueError::Full))));
        let mut late = Box::pin(acquire(&queue, &other));
        assert!(poll!(&mut late).is_pending());
        assert!(matches!(flood.pop().unwrap().await, Err(DatabaseError::Queue(QueueError::Full))));
        assert_eq!(queue.waiting(), 3);
        drop(permit);
        drop(flood);
        assert!(late.await.is_ok());
        assert_eq!(queue.waiting(), 0);
    }

    #[tokio::test]
    async fn dropped_request_releases_its_permit() {
        let queue = queue(1, 5, 10);
        let one = requester("a", 5, "10.0.0.1");
        let permit = acquire(&queue, &one).await.unwrap();
        let (mut first, mut second) = (Box::pin(acquire(&queue, &one)), Box::pin(acquire(&queue, &one)));
        assert!(poll!(&mut first).is_pending() && poll!(&mut second).is_pending());
        // The permit has been sent to `first`, which is dropped before receiving it.
        drop(permit);
        drop(first);
        drop(second.await.unwrap());
        assert_eq!(queue.waiting(), 0);
        assert_eq!(queue.state().free, 1);
    }

    #[tokio::test]
    async fn waiting_ends_at_the_queue_time_and_at_the_deadline() {
        let time = Duration::from_millis(20);
        let queue = Queue::new(1, QueueSettings { time, ..QueueSettings::default() });
        let one = requester("a", 5, "10.0.0.1");
        let _held = acquire(&queue, &one).await.unwrap();
        let crowded = acquire(&queue, &one).await;
        assert!(matches!(crowded, Err(DatabaseError::Queue(QueueError::Time(_)))), "{crowded:?}");
        let late = queue.acquire(&one, Instant::now(), Duration::from_secs(1)).await;
        assert!(matches!(late, Err(DatabaseError::Timeout(_))), "{late:?}");
        assert_eq!(queue.waiting(), 0);
    }

    #[test]
    fn ipv6_addresses_are_counted_by_64_bit_network() {
        let key = |address: &str| requester("a", 1, address).group.address;
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_ne!(key("10.0.0.1"), key("10.0.0.2"));
        assert_eq!(key("10.0.0.1"), key("::ffff:10.0.0.1"));
        assert_eq!([key("::1"), key("127.0.0.1"), key("::ffff:127.0.0.1")], [None; 3]);
    }
}
