//! A fixed number of slots that callers share: of connections to the database, of calls of a web
//! service, of work that takes much memory. Each role, each user and each address may hold a part
//! of the slots, and callers that find none take turns by these three, so that a flood of calls
//! from one caller does not delay those of others.
//!
//! ```text
//! (role a, user 7, 192.0.2.1)  ▮▮▮▮▮▮▮▮  ─┐
//! (role a, user 8, 192.0.2.2)  ▮          ├─ one caller of each in turn, while each has less than its share
//! (role b,         192.0.2.3)  ▮▮        ─┘
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::share_key::ShareKey;
use super::shares::Shares;
use super::turns::Turns;

/// How many slots there are, and how callers share them.
#[derive(Clone, Copy, Debug)]
pub struct SlotSharing {
    /// The number of slots.
    pub slots: usize,
    /// The maximum number of slots that one user, or one address, may hold. The limit of a role is
    /// given with each call, since roles may differ.
    pub client_limit: usize,
    /// The maximum number of callers that wait.
    pub waiting: usize,
}

/// Slots with shares and turns. Copies share one set.
///
/// ```ignore
/// let slots = SharedSlots::new(SlotSharing { slots: 16, client_limit: 8, waiting: 1000 });
/// let slot = slots.acquire(requester.key(), 12, deadline).await?; // waits in its line; the role may hold 12
/// call_the_service().await;
/// drop(slot); // the next caller in turn, within its share, gets it
/// ```
///
/// A waiting caller whose future is dropped leaves its line. A caller whose key has none of the
/// three (the owner itself) waits in a line of its own, and only the number of slots limits it.
#[derive(Clone, Debug)]
pub struct SharedSlots(Arc<Inner>);

/// The right to use a slot. Dropping it frees the slot for the next caller.
#[derive(Debug)]
pub struct Slot {
    slots: SharedSlots,
    key: ShareKey,
    /// How many slots the role held, including this one, when it was granted.
    of_role: usize,
}

/// Why a caller gets no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlotError {
    /// As many callers wait as may, or the caller was the last in the longest line when another
    /// came.
    #[error("too many callers wait")]
    Full,
    /// No slot became free before the deadline.
    #[error("no slot became free in time")]
    Time,
}

#[derive(Debug)]
struct Inner {
    sharing: SlotSharing,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The number of slots that are not held.
    free: usize,
    shares: Shares,
    waiting: Turns<Waiter>,
    next: u64,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    role_limit: usize,
    slot: oneshot::Sender<Slot>,
}

/// A caller's entry in its line, removed when it is dropped.
struct LineEntry<'s> {
    slots: &'s SharedSlots,
    key: ShareKey,
    number: u64,
}

impl SharedSlots {
    /// Free slots.
    pub fn new(sharing: SlotSharing) -> SharedSlots {
        let state = State {
            free: sharing.slots,
            shares: Shares::default(),
            waiting: Turns::default(),
            next: 0,
        };
        SharedSlots(Arc::new(Inner {
            sharing,
            state: Mutex::new(state),
        }))
    }

    /// Waits for a slot until the deadline. The caller's role may hold `role_limit` slots.
    pub async fn acquire(
        &self,
        key: ShareKey,
        role_limit: usize,
        deadline: Instant,
    ) -> Result<Slot, SlotError> {
        let (entry, slot) = {
            let mut state = self.state();
            if let Some(slot) = self.grant(&mut state, key, role_limit) {
                return Ok(slot);
            }
            self.wait(state, key, role_limit)?
        };
        let granted = timeout_at(deadline, slot).await;
        drop(entry);
        match granted {
            Ok(Ok(slot)) => Ok(slot),
            Ok(Err(_)) => Err(SlotError::Full),
            Err(_) => Err(SlotError::Time),
        }
    }

    /// A slot, if one is free that the caller may hold.
    pub fn try_acquire(&self, key: ShareKey, role_limit: usize) -> Option<Slot> {
        let mut state = self.state();
        self.grant(&mut state, key, role_limit)
    }

    /// The number of waiting callers.
    pub fn waiting(&self) -> usize {
        self.state().waiting.count()
    }

    /// Grants a free slot. If callers wait while a slot is free, they have reached their share, so
    /// a caller within its share may pass them.
    fn grant(&self, state: &mut State, key: ShareKey, role_limit: usize) -> Option<Slot> {
        let may_hold = state.free > 0
            && state
                .shares
                .has_room_for(&key, role_limit, self.0.sharing.client_limit);
        may_hold.then(|| Slot {
            slots: self.clone(),
            key,
            of_role: state.hold(&key),
        })
    }

    /// Adds the caller to its line.
    fn wait(
        &self,
        mut state: MutexGuard<'_, State>,
        key: ShareKey,
        role_limit: usize,
    ) -> Result<(LineEntry<'_>, oneshot::Receiver<Slot>), SlotError> {
        let mut evicted = None;
        if state.waiting.count() >= self.0.sharing.waiting {
            evicted = state.waiting.evict(&key);
            if evicted.is_none() {
                return Err(SlotError::Full);
            }
        }
        let (sender, slot) = oneshot::channel();
        let number = state.next;
        state.next += 1;
        state.waiting.push(
            key,
            Waiter {
                number,
                role_limit,
                slot: sender,
            },
        );
        drop(state);
        // Dropping the evicted sender wakes its caller, so this happens after the lock is released.
        drop(evicted);
        Ok((
            LineEntry {
                slots: self,
                key,
                number,
            },
            slot,
        ))
    }

    fn release(&self, key: &ShareKey) {
        let mut state = self.state();
        state.release(key);
        let mut unwanted = Vec::new();
        while state.free > 0 {
            let Some((key, waiter)) = state.dequeue(self.0.sharing.client_limit) else {
                break;
            };
            let slot = Slot {
                slots: self.clone(),
                key,
                of_role: state.hold(&key),
            };
            if let Err(slot) = waiter.slot.send(slot) {
                state.release(&key);
                unwanted.push(slot);
            }
        }
        drop(state);
        // Their shares were released already.
        unwanted.into_iter().for_each(Slot::forget);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Counts a slot that the caller now holds; returns how many its role holds.
    fn hold(&mut self, key: &ShareKey) -> usize {
        self.free -= 1;
        self.shares.hold(key)
    }

    fn release(&mut self, key: &ShareKey) {
        self.free += 1;
        self.shares.release(key);
    }

    /// The next caller who may hold one more slot.
    fn dequeue(&mut self, client_limit: usize) -> Option<(ShareKey, Waiter)> {
        let shares = &self.shares;
        self.waiting
            .pop(|key, waiter| shares.has_room_for(key, waiter.role_limit, client_limit))
    }
}

impl Slot {
    /// How many slots the role held, including this one, when it was granted.
    pub fn slots_of_role(&self) -> usize {
        self.of_role
    }

    /// Drops the slot without releasing its share.
    fn forget(mut self) {
        self.of_role = usize::MAX;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.of_role < usize::MAX {
            self.slots.release(&self.key);
        }
    }
}

impl Drop for LineEntry<'_> {
    fn drop(&mut self) {
        self.slots
            .state()
            .waiting
            .remove(&self.key, |waiter| waiter.number == self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;
    use std::time::Duration;

    use futures_util::poll;

    use super::*;
    use crate::sharing::share_key::{address_key, share_key};

    fn slots(slots: usize, client_limit: usize, waiting: usize) -> SharedSlots {
        SharedSlots::new(SlotSharing {
            slots,
            client_limit,
            waiting,
        })
    }

    fn key(role: &str, address: &str) -> ShareKey {
        ShareKey {
            role: Some(share_key(role)),
            user: None,
            address: address_key(address.parse().unwrap()),
        }
    }

    async fn acquire(slots: &SharedSlots, key: ShareKey) -> Result<Slot, SlotError> {
        slots
            .acquire(key, 5, Instant::now() + Duration::from_secs(60))
            .await
    }

    #[test]
    fn no_role_user_or_address_holds_more_than_its_share() {
        let slots = slots(4, 2, 10);
        let one = key("a", "10.0.0.1");
        let other = key("a", "10.0.0.2");
        let first = (
            slots.try_acquire(one, 3).unwrap(),
            slots.try_acquire(one, 3).unwrap(),
        );
        assert!(slots.try_acquire(one, 3).is_none(), "the address has two");
        let third = slots.try_acquire(other, 3).unwrap();
        assert!(slots.try_acquire(other, 3).is_none(), "the role has three");
        let fourth = slots.try_acquire(key("b", "10.0.0.3"), 3).unwrap();
        assert!(
            slots.try_acquire(key("c", "10.0.0.4"), 3).is_none(),
            "there are four"
        );
        drop(first);
        assert!(slots.try_acquire(one, 3).is_some());
        drop((third, fourth));
        let user = |user| ShareKey {
            user: NonZeroU64::new(user),
            ..key("a", "127.0.0.1")
        };
        let two = (
            slots.try_acquire(user(1), 4).unwrap(),
            slots.try_acquire(user(1), 4).unwrap(),
        );
        assert!(slots.try_acquire(user(1), 4).is_none(), "the user has two");
        drop((slots.try_acquire(user(2), 4).unwrap(), two));
        let state = slots.state();
        assert!(state.free == 4 && state.shares.is_empty() && state.waiting.count() == 0);
    }

    #[tokio::test]
    async fn lines_take_turns() {
        let slots = slots(1, 5, 100);
        let one = key("a", "10.0.0.1");
        let other = key("a", "10.0.0.2");
        let slot = acquire(&slots, one).await.unwrap();
        let mut flood: Vec<_> = (0..5).map(|_| Box::pin(acquire(&slots, one))).collect();
        for waiting in &mut flood {
            assert!(poll!(waiting).is_pending());
        }
        let mut late = Box::pin(acquire(&slots, other));
        assert!(poll!(&mut late).is_pending());
        drop(slot);
        let first = flood.remove(0).await.unwrap();
        assert!(poll!(&mut late).is_pending());
        drop(first);
        let second = late.await.unwrap();
        assert!(poll!(&mut flood[0]).is_pending());
        drop(second);
        assert!(poll!(&mut flood[0]).is_ready());
    }

    #[tokio::test]
    async fn full_lines_evict_the_last_caller_of_the_longest() {
        let slots = slots(1, 5, 3);
        let one = key("a", "10.0.0.1");
        let other = key("b", "10.0.0.2");
        let slot = acquire(&slots, one).await.unwrap();
        let mut flood: Vec<_> = (0..3).map(|_| Box::pin(acquire(&slots, one))).collect();
        for waiting in &mut flood {
            assert!(poll!(waiting).is_pending());
        }
        assert_eq!(acquire(&slots, one).await.unwrap_err(), SlotError::Full);
        let mut late = Box::pin(acquire(&slots, other));
        assert!(poll!(&mut late).is_pending());
        assert_eq!(flood.pop().unwrap().await.unwrap_err(), SlotError::Full);
        assert_eq!(slots.waiting(), 3);
        drop(slot);
        drop(flood);
        assert!(late.await.is_ok());
        assert_eq!(slots.waiting(), 0);
    }

    #[tokio::test]
    async fn dropped_caller_releases_its_slot() {
        let slots = slots(1, 5, 10);
        let one = key("a", "10.0.0.1");
        let slot = acquire(&slots, one).await.unwrap();
        let mut first = Box::pin(acquire(&slots, one));
        let mut second = Box::pin(acquire(&slots, one));
        assert!(poll!(&mut first).is_pending() && poll!(&mut second).is_pending());
        // The slot has been sent to `first`, which is dropped before receiving it.
        drop(slot);
        drop(first);
        drop(second.await.unwrap());
        assert_eq!(slots.waiting(), 0);
        assert_eq!(slots.state().free, 1);
    }

    #[tokio::test]
    async fn waiting_ends_at_the_deadline() {
        let slots = slots(1, 5, 10);
        let _held = acquire(&slots, ShareKey::default()).await.unwrap();
        let late = slots
            .acquire(
                ShareKey::default(),
                5,
                Instant::now() + Duration::from_millis(20),
            )
            .await;
        assert_eq!((late.unwrap_err(), slots.waiting()), (SlotError::Time, 0));
    }
}
