//! The memory that requests may take up together: an account of bytes for the whole process, over requests that are read, wait,
//! run, and whose answers are being sent. What does not fit is refused at once, so that a flood of large requests cannot
//! exhaust the process, and smaller requests find room where larger ones no longer do.
//!
//! ```text
//! 0                                             limit · 3/4       limit · 15/16     limit
//! ├──────────── requests of any size ─────────────┤── up to 256 KiB ──┤─ up to 32 KiB ─┤
//! ```
//!
//! What every request needs is taken once, when its head has been read; what a large body, its values and its answer need is
//! taken beside that, before or while they are made. Bytes that are handed on carry their reservation with them
//! ([`Reservation::hold`]), so it ends when the last of them have been sent.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use crate::telemetry::metrics::MemoryCounters;

/// The account. Copies are one account, which lives for as long as the process: so a reservation counts no references.
#[derive(Clone, Copy, Debug)]
pub struct MemoryBudget(&'static Account);

#[derive(Debug)]
struct Account {
    limit: usize,
    used: AtomicUsize,
    counters: MemoryCounters,
}

/// Bytes that are reserved. Dropping it gives them back.
#[derive(Debug)]
pub struct Reservation {
    budget: MemoryBudget,
    bytes: usize,
}

/// There is no room for a request; the value is how many bytes it had asked for in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no room for {0} bytes in the memory of requests")]
pub struct OutOfMemory(pub usize);

/// So many bytes every request takes from its head to the end of its answer: what reading, running and answering a small one
/// needs.
pub const REQUEST: usize = 32 << 10;

/// What takes up at most so many bytes needs no reservation beside that.
pub const COVERED: usize = 16 << 10;

/// A reservation of at most so many bytes is refused later than a larger one.
const MEDIUM: usize = 256 << 10;

/// What a value of JSON takes up beside its text, on average while a list of a million grows: measured, 119 bytes.
const VALUE: usize = 128;

impl MemoryBudget {
    /// An account of so many bytes.
    pub fn new(limit: usize, counters: MemoryCounters) -> MemoryBudget {
        MemoryBudget(Box::leak(Box::new(Account { limit, used: AtomicUsize::new(0), counters })))
    }

    /// The most bytes that may be reserved.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// The bytes that are reserved.
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Reserves so many bytes.
    pub fn reserve(&self, bytes: usize) -> Result<Reservation, OutOfMemory> {
        let mut reservation = self.empty_reservation();
        reservation.grow_to(bytes)?;
        Ok(reservation)
    }

    /// A reservation of no bytes, which can [grow](Reservation::grow_to).
    pub fn empty_reservation(&self) -> Reservation {
        Reservation { budget: *self, bytes: 0 }
    }

    /// How full the account may be with a reservation of so many bytes.
    fn level(&self, bytes: usize) -> usize {
        let limit = self.0.limit;
        match bytes {
            large if large > MEDIUM => limit - limit / 4,
            medium if medium > REQUEST => limit - limit / 16,
            _ => limit,
        }
    }
}

impl Default for MemoryBudget {
    /// An account without a limit.
    fn default() -> MemoryBudget {
        MemoryBudget::new(usize::MAX / 2, MemoryCounters::default())
    }
}

impl Reservation {
    /// The account.
    pub fn budget(&self) -> MemoryBudget {
        self.budget
    }

    /// Has at least so many bytes reserved from now on. Where there is no room for them, it stays as it is.
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else { return Ok(()) };
        let Account { used, counters, .. } = self.budget.0;
        let before = used.fetch_add(more, Ordering::Relaxed);
        if before.saturating_add(more) > self.budget.level(bytes) {
            used.fetch_sub(more, Ordering::Relaxed);
            counters.refused.inc();
            return Err(OutOfMemory(bytes));
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Has so many bytes more reserved.
    pub fn grow_by(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.grow_to(self.bytes.saturating_add(more))
    }

    /// Has at least so many bytes reserved, whether there is room for them or not: for what cannot be refused any more, and is
    /// bounded otherwise.
    pub fn grow_to_unchecked(&mut self, bytes: usize) {
        if let Some(more) = bytes.checked_sub(self.bytes) {
            self.budget.0.used.fetch_add(more, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }

    /// Gives back all but so many bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        if let Some(less) = self.bytes.checked_sub(bytes) {
            self.budget.0.used.fetch_sub(less, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }

    /// Hands bytes on together with the reservation for them, which ends with the last of them.
    pub fn hold(mut self, bytes: Vec<u8>) -> Bytes {
        if self.bytes == 0 {
            return bytes.into();
        }
        self.shrink_to(bytes.capacity());
        Bytes::from_owner(ReservedBytes { bytes, _reservation: self })
    }
}

/// Has so many bytes reserved, unless they are so few that they are covered by what every request has.
pub fn reserve_if_large(reservation: &mut Reservation, bytes: usize) -> Result<(), OutOfMemory> {
    if bytes > COVERED { reservation.grow_to(bytes) } else { Ok(()) }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.budget.0.used.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

/// Bytes and what was reserved for them.
struct ReservedBytes {
    bytes: Vec<u8>,
    _reservation: Reservation,
}

impl AsRef<[u8]> for ReservedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// How many bytes the values of a JSON text take up at most once it is read, its texts aside. Where it is not JSON, that is
/// found before so much has been made.
pub fn values_of(json: &[u8]) -> usize {
    // Most bodies are short, and this compiles to a few instructions for many bytes.
    let separators = json.iter().filter(|byte| weight(**byte) > 0).count();
    if separators * VALUE <= COVERED {
        return separators * VALUE;
    }
    let (mut values, mut in_text, mut escaped) = (VALUE, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            byte if !in_text => values += weight(*byte),
            _ => {}
        }
    }
    values
}

/// The same of a query string or a form, whose values may be JSON that is percent-encoded.
pub fn values_of_form(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'&' | b'%') || weight(**byte) > 0).count() * VALUE
}

/// What stands behind a separator takes up so many bytes at most: a value where it grows into a list, the list's or the object's
/// own first room, and the place of a key.
const fn weight(separator: u8) -> usize {
    match separator {
        b',' | b':' => VALUE,
        b'[' => VALUE + 4 * 72,
        b'{' => 3 * VALUE,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(limit: usize) -> MemoryBudget {
        MemoryBudget::new(limit, MemoryCounters::default())
    }

    #[test]
    fn what_is_reserved_is_given_back() {
        let budget = budget(1 << 20);
        let mut one = budget.reserve(1000).unwrap();
        one.grow_to(500).unwrap();
        assert_eq!(budget.used(), 1000);
        one.grow_by(500).unwrap();
        one.shrink_to(1200);
        one.grow_to_unchecked(1300);
        assert_eq!(budget.used(), 1300);
        assert_eq!(one.grow_to(2 << 20), Err(OutOfMemory(2 << 20)));
        assert_eq!(budget.used(), 1300);
        drop(one);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn small_requests_find_room_where_large_ones_do_not() {
        let budget = budget(16 << 20);
        let large: Vec<Reservation> = std::iter::from_fn(|| budget.reserve(1 << 20).ok()).collect();
        assert_eq!(large.len(), 12);
        let medium: Vec<Reservation> = std::iter::from_fn(|| budget.reserve(MEDIUM).ok()).collect();
        assert_eq!(medium.len(), 12);
        let small: Vec<Reservation> = std::iter::from_fn(|| budget.reserve(REQUEST).ok()).collect();
        assert_eq!(small.len(), 32);
        drop((large, medium, small));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn bytes_carry_their_reservation() {
        let budget = budget(1 << 20);
        let bytes = budget.reserve(5000).unwrap().hold(vec![7; 3000]);
        let part = bytes.slice(10..20);
        drop(bytes);
        assert_eq!((budget.used(), &part[..]), (3000, &[7; 10][..]));
        drop(part);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn values_are_counted_outside_of_text() {
        assert_eq!(values_of(b"1"), 0);
        let list = format!("[{}\"a,[{{:\\\",\"]", r#"{"b": 2},"#.repeat(100));
        assert_eq!(values_of(list.as_bytes()), VALUE + weight(b'[') + 100 * (weight(b'{') + 2 * VALUE));
        assert_eq!(values_of_form(b"a=%5B1&b=2"), 2 * VALUE);
    }
}
