//! The queue for connections: each role, each user and each client address may hold a share of the pool, and waiting
//! requests take turns by these three, so that a flood of requests from one caller does not delay those of others.
//! Using a connection is left to [`super::connection`].
//!
//! ```text
//! (role a, user 7, 192.0.2.1)  ▮▮▮▮▮▮▮▮  ─┐
//! (role a, user 8, 192.0.2.2)  ▮          ├─ one request of each in turn, while each has less than its share
//! (role b,         192.0.2.3)  ▮▮        ─┘
//! ```

use std::net::IpAddr;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::DatabaseError;
use super::turns::{QueueKey, Shares, Turns};
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
    shares: Shares,
    waiting: Turns<Waiter>,
    next: u64,
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

    /// Digests of the user and the address, by which a caller is known.
    pub fn user_and_address(&self) -> [Option<NonZeroU64>; 2] {
        [self.group.user, self.group.address]
    }

    /// The key of its line.
    pub(super) fn key(&self) -> QueueKey {
        self.group
    }

    /// The maximum number of connections that its role may hold.
    pub(super) fn role_limit(&self) -> usize {
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
        let state = State { free: connections, shares: Shares::default(), waiting: Turns::default(), next: 0 };
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
        self.state().waiting.len()
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
        if state.free > 0 && state.shares.has_room_for(&group, role_limit, self.0.settings.client_limit) {
            let of_role = state.hold(&group);
            return Ok(Acquisition::Granted(Permit { queue: self.clone(), group, of_role }));
        }
        let mut evicted = None;
        if state.waiting.len() >= self.0.settings.length {
            evicted = state.waiting.evict(&group);
            if evicted.is_none() {
                drop(state);
                return Err(self.count_refusal(QueueError::Full));
            }
        }
        let (sender, permit) = oneshot::channel();
        let number = state.next;
        state.next += 1;
        state.waiting.push(group, Waiter { number, role_limit, permit: sender });
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
    /// Counts a connection that the group now holds; returns how many its role holds.
    fn hold(&mut self, group: &QueueKey) -> usize {
        self.free -= 1;
        self.shares.hold(group)
    }

    fn release_held(&mut self, group: &QueueKey) {
        self.free += 1;
        self.shares.release(group);
    }

    /// The next request whose group may hold one more connection.
    fn dequeue(&mut self, client_limit: usize) -> Option<(QueueKey, Waiter)> {
        let shares = &self.shares;
        self.waiting.pop(|group, waiter| shares.has_room_for(group, waiter.role_limit, client_limit))
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
        self.queue.state().waiting.remove(&self.group, |waiter| waiter.number == self.number);
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
        assert!(state.free == 4 && state.shares.is_empty() && state.waiting.len() == 0);
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
