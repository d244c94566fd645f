//! The memory budget of all requests together: bytes reserved by requests that are being read,
//! wait, run or send their responses. A reservation that does not fit fails at once, so a flood of
//! large requests cannot exhaust the process, and smaller requests still fit when larger ones no
//! longer do.
//!
//! ```text
//! 0                       limit · 1/2               limit · 3/4       limit · 15/16     limit
//! ├──────── requests of any size, of any caller ──────┤── up to 256 KiB ──┤─ up to 32 KiB ─┤
//!                           ├── only of callers who hold less than their share ────────────┤
//! ```
//!
//! Every request reserves a fixed amount when its head has been read. Large bodies, values and
//! responses reserve more before or while they are made. [`Reservation::hold`] attaches a
//! reservation to the bytes it is for, so it ends when the last of them have been sent. WebSockets
//! and event streams do not end by themselves, so they have a part of the budget of their own.
//!
//! No request waits for memory. The fixed amount, 32 KiB, covers a small request, which so costs
//! two additions, and three under locks divided by key for the shares of its role, user and
//! address. Messages of Postgres are counted beyond 256 KiB. A share is lent while half of the
//! memory is free: a caller that is alone uses half, and a second one always finds a quarter. A
//! response that is not read is given up only while memory is short.

mod shares;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

pub use crate::memory_limit::MemoryLimit;
use crate::observer::{NoObserver, Observer};
use crate::sharing::ShareKey;
use shares::{MemoryShares, ShareLimits};

/// The memory budget, and the caller that its reservations count for. Copies share one account,
/// which lives as long as the process, so a reservation needs no reference count.
#[derive(Clone, Copy, Debug)]
pub struct MemoryBudget {
    account: &'static Account,
    caller: ShareKey,
}

#[derive(Debug)]
struct Account {
    limit: AtomicUsize,
    used: AtomicUsize,
    /// What requests hold.
    requests: MemoryShares,
    /// What WebSockets and event streams hold for as long as they are open.
    open: MemoryShares,
    open_used: AtomicUsize,
    observer: Arc<dyn Observer>,
}

/// Reserved bytes. Dropping the reservation releases them.
#[derive(Debug)]
pub struct Reservation {
    budget: MemoryBudget,
    bytes: usize,
    /// Whether it is of a WebSocket or an event stream, which stays open.
    is_open: bool,
}

/// The reservation of a request, which its exchange and its response share. It ends when both have.
#[derive(Clone, Debug)]
pub struct RequestMemory(Arc<Mutex<Reservation>>);

/// A reservation did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no room for {bytes} bytes in {limit}")]
pub struct OutOfMemory {
    /// The size of the reservation.
    pub bytes: usize,
    /// What has no room for it.
    pub limit: MemoryLimit,
    /// The limit of the whole budget, in bytes.
    pub budget: usize,
    /// Whether it may fit once other reservations have ended.
    pub may_fit_later: bool,
}

/// The bytes that every request reserves from its head to the end of its response: enough to read,
/// run and answer a small one.
pub const REQUEST_BYTES: usize = 32 << 10;

/// The bytes that a WebSocket or an event stream holds while it is open: its buffers and its task.
pub const SOCKET_BYTES: usize = 8 << 10;

/// Allocations up to this many bytes need no reservation of their own.
pub const MAX_COVERED_BYTES: usize = 16 << 10;

/// Reservations up to this many bytes still succeed when larger ones fail.
const MAX_MEDIUM_BYTES: usize = 256 << 10;

impl MemoryBudget {
    /// Creates a budget of this many bytes.
    pub fn new(limit: usize, observer: Arc<dyn Observer>) -> MemoryBudget {
        let account = Account {
            limit: AtomicUsize::new(limit),
            used: AtomicUsize::new(0),
            requests: MemoryShares::default(),
            open: MemoryShares::default(),
            open_used: AtomicUsize::new(0),
            observer,
        };
        MemoryBudget {
            account: Box::leak(Box::new(account)),
            caller: ShareKey::default(),
        }
    }

    /// The budget for what this caller reserves.
    pub fn for_caller(self, caller: ShareKey) -> MemoryBudget {
        MemoryBudget { caller, ..self }
    }

    /// The most bytes that can be reserved.
    pub fn limit(&self) -> usize {
        self.account.limit()
    }

    /// Changes the most bytes that can be reserved, for all copies. What is reserved already stays
    /// reserved.
    pub fn set_limit(&self, limit: usize) {
        self.account.limit.store(limit, Ordering::Relaxed);
    }

    /// The reserved bytes.
    pub fn used(&self) -> usize {
        self.account.used.load(Ordering::Relaxed)
    }

    /// Whether more than a quarter is reserved, so that clients who do not read their answers are
    /// no longer waited for.
    pub fn is_busy(&self) -> bool {
        self.used() > self.limit() / 4
    }

    /// Reserves this many bytes.
    pub fn reserve(&self, bytes: usize) -> Result<Reservation, OutOfMemory> {
        let mut reservation = self.empty_reservation();
        reservation.grow_to(bytes)?;
        Ok(reservation)
    }

    /// Reserves the memory of a WebSocket or an event stream. All of them together leave half of
    /// the budget to requests, and each caller leaves half of that to others, since none of them
    /// ends by itself.
    pub fn reserve_open(&self) -> Result<Reservation, OutOfMemory> {
        let mut reservation = Reservation {
            budget: *self,
            bytes: 0,
            is_open: true,
        };
        reservation.grow_to(SOCKET_BYTES)?;
        Ok(reservation)
    }

    /// A reservation of no bytes, which can [grow](Reservation::grow_to).
    pub fn empty_reservation(&self) -> Reservation {
        Reservation {
            budget: *self,
            bytes: 0,
            is_open: false,
        }
    }

    /// Whether a reservation of this size fits while there is no other.
    fn fits_alone(&self, bytes: usize, is_open: bool) -> bool {
        bytes <= self.level(bytes)
            && self
                .account
                .share_limits(bytes, is_open)
                .admit(&self.caller, bytes)
    }

    /// How many bytes may be reserved in total after a reservation of this size.
    fn level(&self, bytes: usize) -> usize {
        let limit = self.limit();
        match bytes {
            large if large > MAX_MEDIUM_BYTES => limit - limit / 4,
            medium if medium > REQUEST_BYTES => limit - limit / 16,
            _ => limit,
        }
    }
}

impl Account {
    /// Counts bytes for a caller, unless it would then hold more than its share. While half of the
    /// budget is free, a caller may hold more: one that is alone needs no share. What stays open is
    /// never lent.
    fn share(
        &self,
        caller: &ShareKey,
        more: usize,
        used: usize,
        is_open: bool,
    ) -> Result<(), MemoryLimit> {
        self.shares(is_open)
            .hold(caller, more, self.share_limits(used, is_open))
    }

    /// How many bytes a role and a client may hold while so many are reserved in total.
    fn share_limits(&self, used: usize, is_open: bool) -> ShareLimits {
        let limit = self.limit();
        match is_open {
            true => ShareLimits {
                role: limit / 2 - limit / 16,
                client: limit / 4,
            },
            false if used <= limit / 2 => ShareLimits::NONE,
            false => ShareLimits {
                role: limit - limit / 8,
                client: limit / 4,
            },
        }
    }

    fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    fn shares(&self, is_open: bool) -> &MemoryShares {
        if is_open { &self.open } else { &self.requests }
    }
}

impl Default for MemoryBudget {
    /// A budget without a limit.
    fn default() -> MemoryBudget {
        MemoryBudget::new(usize::MAX / 2, Arc::new(NoObserver))
    }
}

impl Reservation {
    /// The budget of this reservation.
    pub fn budget(&self) -> MemoryBudget {
        self.budget
    }

    /// The reserved bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts the reservation for this caller from now on, as far as it did not before. On an error
    /// it counts for the caller that it counted for.
    pub fn count_for(&mut self, caller: ShareKey) -> Result<(), OutOfMemory> {
        let before = self.budget.caller;
        let bytes = self.bytes;
        if bytes > 0 && caller != before {
            let account = self.budget.account;
            let held = account.share(
                &caller.without(&[before]),
                bytes,
                self.budget.used(),
                self.is_open,
            );
            held.map_err(|limit| self.refused(self.budget.for_caller(caller), bytes, limit))?;
            account
                .shares(self.is_open)
                .release(&before.without(&[caller]), bytes);
        }
        self.budget.caller = caller;
        Ok(())
    }

    /// Grows the reservation to at least this many bytes. On an error it keeps its size.
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else {
            return Ok(());
        };
        let MemoryBudget { account, caller } = self.budget;
        let used = account
            .used
            .fetch_add(more, Ordering::Relaxed)
            .saturating_add(more);
        let mut refused = (used > self.budget.level(bytes)).then_some(MemoryLimit::All);
        if refused.is_none() && self.is_open {
            let open = account.open_used.fetch_add(more, Ordering::Relaxed) + more;
            if open > account.limit() / 2 {
                account.open_used.fetch_sub(more, Ordering::Relaxed);
                refused = Some(MemoryLimit::Open);
            }
        }
        if refused.is_none()
            && let Err(limit) = account.share(&caller, more, used, self.is_open)
        {
            if self.is_open {
                account.open_used.fetch_sub(more, Ordering::Relaxed);
            }
            refused = Some(limit);
        }
        if let Some(limit) = refused {
            account.used.fetch_sub(more, Ordering::Relaxed);
            return Err(self.refused(self.budget, bytes, limit));
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Grows the reservation by this many bytes.
    pub fn grow_by(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.grow_to(self.bytes.saturating_add(more))
    }

    /// Grows the reservation to at least this many bytes even if they do not fit: for bytes that
    /// can no longer be rejected and that another limit bounds.
    pub fn grow_to_unchecked(&mut self, bytes: usize) {
        if let Some(more) = bytes.checked_sub(self.bytes) {
            let MemoryBudget { account, caller } = self.budget;
            account.used.fetch_add(more, Ordering::Relaxed);
            account.requests.hold_unchecked(&caller, more);
            self.bytes = bytes;
        }
    }

    /// Shrinks the reservation to at most this many bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        let Some(less) = self.bytes.checked_sub(bytes).filter(|less| *less > 0) else {
            return;
        };
        let MemoryBudget { account, caller } = self.budget;
        account.used.fetch_sub(less, Ordering::Relaxed);
        if self.is_open {
            account.open_used.fetch_sub(less, Ordering::Relaxed);
        }
        account.shares(self.is_open).release(&caller, less);
        self.bytes = bytes;
    }

    /// Attaches the reservation to these bytes; it ends when the last reference to them is dropped.
    pub fn hold(mut self, bytes: Vec<u8>) -> Bytes {
        if self.bytes == 0 {
            return bytes.into();
        }
        self.shrink_to(bytes.capacity());
        Bytes::from_owner(ReservedBytes {
            bytes,
            _reservation: self,
        })
    }

    /// Like [`Reservation::hold`], for bytes that may have other references.
    pub fn hold_shared(self, bytes: Bytes) -> Bytes {
        match self.bytes {
            0 => bytes,
            _ => Bytes::from_owner(ReservedBytes {
                bytes,
                _reservation: self,
            }),
        }
    }

    /// Reports a refusal.
    fn refused(&self, budget: MemoryBudget, bytes: usize, limit: MemoryLimit) -> OutOfMemory {
        budget.account.observer.memory_was_refused(limit);
        OutOfMemory {
            bytes,
            limit,
            budget: budget.limit(),
            may_fit_later: budget.fits_alone(bytes, self.is_open),
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

impl RequestMemory {
    /// Reserves the memory of a request whose head has been read.
    pub fn reserve(budget: MemoryBudget) -> Result<RequestMemory, OutOfMemory> {
        Ok(RequestMemory(Arc::new(Mutex::new(
            budget.reserve(REQUEST_BYTES)?,
        ))))
    }

    /// Counts the request for this caller.
    pub fn count_for(&self, caller: ShareKey) -> Result<(), OutOfMemory> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .count_for(caller)
    }

    /// Releases the memory of a request whose response has a reservation of its own.
    pub fn release(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .shrink_to(0);
    }
}

/// Grows the reservation to at least this many bytes, unless the share of every request covers
/// them.
pub fn reserve_if_large(reservation: &mut Reservation, bytes: usize) -> Result<(), OutOfMemory> {
    if bytes > MAX_COVERED_BYTES {
        reservation.grow_to(bytes)
    } else {
        Ok(())
    }
}

/// Bytes with their reservation.
struct ReservedBytes<B> {
    bytes: B,
    _reservation: Reservation,
}

impl<B: AsRef<[u8]>> AsRef<[u8]> for ReservedBytes<B> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn budget(limit: usize) -> MemoryBudget {
        MemoryBudget::new(limit, Arc::new(NoObserver))
    }

    #[test]
    fn dropped_reservation_is_released() {
        let budget = budget(1 << 20);
        let mut one = budget.reserve(1000).unwrap();
        one.grow_to(500).unwrap();
        assert_eq!(budget.used(), 1000);
        one.grow_by(500).unwrap();
        one.shrink_to(1200);
        one.grow_to_unchecked(1300);
        assert_eq!(budget.used(), 1300);
        let refused = one.grow_to(2 << 20).unwrap_err();
        assert_eq!(
            (refused.bytes, refused.limit, refused.budget),
            (2 << 20, MemoryLimit::All, 1 << 20)
        );
        assert_eq!(budget.used(), 1300);
        drop(one);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn reservation_may_fit_later_unless_it_never_does() {
        let budget = budget(16 << 20);
        let role = ShareKey {
            role: NonZeroU64::new(1),
            ..ShareKey::default()
        };
        let address = ShareKey {
            address: NonZeroU64::new(1),
            ..ShareKey::default()
        };
        for caller in [ShareKey::default(), role, user(1), address] {
            for bytes in (1..=17).map(|megabytes| megabytes << 20) {
                let fits_alone = budget.for_caller(caller).reserve(bytes).is_ok();
                let _others = budget.reserve(12 << 20).unwrap();
                let refused = budget.for_caller(caller).reserve(bytes).unwrap_err();
                assert_eq!(refused.may_fit_later, fits_alone, "{caller:?} {bytes}");
            }
        }
        // Half of the memory at most, unless no user and no address holds it.
        assert!(
            budget.for_caller(user(1)).reserve(8 << 20).is_ok()
                && budget.for_caller(role).reserve(12 << 20).is_ok()
        );
        assert!(
            !budget
                .for_caller(user(1))
                .reserve((8 << 20) + 1)
                .unwrap_err()
                .may_fit_later
        );
    }

    #[test]
    fn small_reservations_fit_when_large_ones_fail() {
        let budget = budget(16 << 20);
        let large: Vec<Reservation> = std::iter::from_fn(|| budget.reserve(1 << 20).ok()).collect();
        assert_eq!(large.len(), 12);
        let medium: Vec<Reservation> =
            std::iter::from_fn(|| budget.reserve(MAX_MEDIUM_BYTES).ok()).collect();
        assert_eq!(medium.len(), 12);
        let small: Vec<Reservation> =
            std::iter::from_fn(|| budget.reserve(REQUEST_BYTES).ok()).collect();
        assert_eq!(small.len(), 32);
        drop((large, medium, small));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn reservation_ends_with_the_last_bytes() {
        let budget = budget(1 << 20);
        let bytes = budget.reserve(5000).unwrap().hold(vec![7; 3000]);
        let part = bytes.slice(10..20);
        drop(bytes);
        assert_eq!((budget.used(), &part[..]), (3000, &[7; 10][..]));
        drop(part);
        assert_eq!(budget.used(), 0);
    }

    fn user(number: u64) -> ShareKey {
        ShareKey {
            user: NonZeroU64::new(number),
            ..ShareKey::default()
        }
    }

    /// Requests of a caller until one is refused.
    fn flood(budget: MemoryBudget, caller: ShareKey) -> (Vec<Reservation>, MemoryLimit) {
        let mut held = vec![];
        loop {
            match budget.for_caller(caller).reserve(REQUEST_BYTES) {
                Ok(reservation) => held.push(reservation),
                Err(refused) => return (held, refused.limit),
            }
        }
    }

    #[test]
    fn caller_alone_may_hold_half_and_beside_others_a_quarter() {
        let budget = budget(128 * REQUEST_BYTES);
        let (one, limit) = flood(budget, user(1));
        assert_eq!((one.len(), limit), (64, MemoryLimit::User));
        let (two, limit) = flood(budget, user(2));
        assert_eq!((two.len(), limit), (32, MemoryLimit::User));
        assert!(
            budget.for_caller(user(1)).reserve(1).is_err()
                && budget.for_caller(user(3)).reserve(REQUEST_BYTES).is_ok()
        );
        let same_address = ShareKey {
            address: NonZeroU64::new(9),
            ..user(3)
        };
        let (three, _) = flood(budget, same_address);
        assert_eq!(three.len(), 32);
        let (other, limit) = flood(
            budget,
            ShareKey {
                address: NonZeroU64::new(9),
                ..user(4)
            },
        );
        assert_eq!((other.len(), limit), (0, MemoryLimit::All));
        drop((one, two));
        assert_eq!(
            flood(
                budget,
                ShareKey {
                    address: NonZeroU64::new(9),
                    ..user(4)
                }
            )
            .0
            .len(),
            32
        );
        drop(three);
        assert_eq!(budget.used(), 0);
        assert!(budget.account.requests.is_empty());
    }

    #[test]
    fn role_leaves_an_eighth_to_others() {
        let budget = budget(64 * REQUEST_BYTES);
        let role = |role, user| ShareKey {
            role: NonZeroU64::new(role),
            user: NonZeroU64::new(user),
            address: None,
        };
        let held: Vec<_> = (1..=5).map(|user| flood(budget, role(1, user)).0).collect();
        assert_eq!(held.iter().map(Vec::len).sum::<usize>(), 56);
        assert_eq!(
            budget
                .for_caller(role(1, 9))
                .reserve(REQUEST_BYTES)
                .unwrap_err()
                .limit,
            MemoryLimit::Role
        );
        assert!(budget.for_caller(role(2, 9)).reserve(REQUEST_BYTES).is_ok());
    }

    #[test]
    fn what_stays_open_has_half_and_of_it_a_caller_half() {
        let budget = budget(64 * SOCKET_BYTES);
        let open = |caller| -> Vec<_> {
            std::iter::from_fn(|| budget.for_caller(user(caller)).reserve_open().ok()).collect()
        };
        let one = open(1);
        let two = open(2);
        let three = open(3);
        assert_eq!([one.len(), two.len(), three.len()], [16, 16, 0]);
        let refused = |caller| {
            budget
                .for_caller(user(caller))
                .reserve_open()
                .unwrap_err()
                .limit
        };
        assert_eq!([refused(1), refused(3)], [MemoryLimit::Open; 2]);
        drop(two);
        assert_eq!([refused(1)], [MemoryLimit::User]);
        // What is open does not count for requests.
        assert!(
            budget
                .for_caller(user(1))
                .reserve(16 * SOCKET_BYTES)
                .is_ok()
        );
        drop(one);
        assert_eq!(
            (
                budget.used(),
                budget.account.open_used.load(Ordering::Relaxed)
            ),
            (0, 0)
        );
        assert!(budget.account.open.is_empty());
    }

    #[test]
    fn reservation_moves_to_the_caller_once_known() {
        let budget = budget(64 * REQUEST_BYTES);
        let address = ShareKey {
            address: NonZeroU64::new(1),
            ..ShareKey::default()
        };
        let known = ShareKey {
            address: None,
            ..user(2)
        };
        let mut requests: Vec<_> = (0..32)
            .map(|_| budget.for_caller(address).reserve(REQUEST_BYTES).unwrap())
            .collect();
        let _own = budget.reserve(REQUEST_BYTES).unwrap();
        // More than half is used, so the user may have a quarter.
        let moved = requests
            .iter_mut()
            .filter_map(|request| request.count_for(known).ok())
            .count();
        assert_eq!(moved, 16);
        drop(requests);
        assert!(budget.account.requests.is_empty());
    }
}
