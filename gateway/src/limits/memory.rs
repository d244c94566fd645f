//! The memory budget of all requests together: bytes reserved by requests that are being read, wait, run or send their
//! responses. A reservation that does not fit fails at once, so a flood of large requests cannot exhaust the process,
//! and smaller requests still fit when larger ones no longer do.
//!
//! ```text
//! 0                                             limit · 3/4       limit · 15/16     limit
//! ├──────────── requests of any size ─────────────┤── up to 256 KiB ──┤─ up to 32 KiB ─┤
//! ```
//!
//! Every request reserves a fixed amount when its head has been read. Large bodies, values and responses reserve more
//! before or while they are made. [`Reservation::hold`] attaches a reservation to the bytes it is for, so it ends when
//! the last of them have been sent.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use crate::telemetry::metrics::MemoryCounters;

/// The memory budget. Copies share one account, which lives as long as the process, so a reservation needs no reference
/// count.
#[derive(Clone, Copy, Debug)]
pub struct MemoryBudget(&'static Account);

#[derive(Debug)]
struct Account {
    limit: usize,
    used: AtomicUsize,
    counters: MemoryCounters,
}

/// Reserved bytes. Dropping the reservation releases them.
#[derive(Debug)]
pub struct Reservation {
    budget: MemoryBudget,
    bytes: usize,
}

/// A reservation did not fit; the value is its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no room for {0} bytes in the memory of requests")]
pub struct OutOfMemory(pub usize);

/// The bytes that every request reserves from its head to the end of its response: enough to read, run and answer a
/// small one.
pub const REQUEST: usize = 32 << 10;

/// Allocations up to this many bytes need no reservation of their own.
pub const COVERED: usize = 16 << 10;

/// Reservations up to this many bytes still succeed when larger ones fail.
const MEDIUM: usize = 256 << 10;

/// The bytes of a JSON value beside its text, on average while a list of a million grows: measured, 119 bytes.
const VALUE: usize = 128;

impl MemoryBudget {
    /// Creates a budget of this many bytes.
    pub fn new(limit: usize, counters: MemoryCounters) -> MemoryBudget {
        MemoryBudget(Box::leak(Box::new(Account { limit, used: AtomicUsize::new(0), counters })))
    }

    /// The most bytes that can be reserved.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// The reserved bytes.
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Reserves this many bytes.
    pub fn reserve(&self, bytes: usize) -> Result<Reservation, OutOfMemory> {
        let mut reservation = self.empty_reservation();
        reservation.grow_to(bytes)?;
        Ok(reservation)
    }

    /// A reservation of no bytes, which can [grow](Reservation::grow_to).
    pub fn empty_reservation(&self) -> Reservation {
        Reservation { budget: *self, bytes: 0 }
    }

    /// Whether a reservation of this size fits once the others have ended.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        bytes <= self.level(bytes)
    }

    /// How many bytes may be reserved in total after a reservation of this size.
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
    /// A budget without a limit.
    fn default() -> MemoryBudget {
        MemoryBudget::new(usize::MAX / 2, MemoryCounters::default())
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

    /// Grows the reservation to at least this many bytes. On an error it keeps its size.
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

    /// Grows the reservation by this many bytes.
    pub fn grow_by(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.grow_to(self.bytes.saturating_add(more))
    }

    /// Grows the reservation to at least this many bytes even if they do not fit: for bytes that can no longer be
    /// rejected and that another limit bounds.
    pub fn grow_to_unchecked(&mut self, bytes: usize) {
        if let Some(more) = bytes.checked_sub(self.bytes) {
            self.budget.0.used.fetch_add(more, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }

    /// Shrinks the reservation to at most this many bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        if let Some(less) = self.bytes.checked_sub(bytes) {
            self.budget.0.used.fetch_sub(less, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }

    /// Attaches the reservation to these bytes; it ends when the last reference to them is dropped.
    pub fn hold(mut self, bytes: Vec<u8>) -> Bytes {
        if self.bytes == 0 {
            return bytes.into();
        }
        self.shrink_to(bytes.capacity());
        Bytes::from_owner(ReservedBytes { bytes, _reservation: self })
    }

    /// Like [`Reservation::hold`], for bytes that may have other references.
    pub fn hold_shared(self, bytes: Bytes) -> Bytes {
        match self.bytes {
            0 => bytes,
            _ => Bytes::from_owner(ReservedBytes { bytes, _reservation: self }),
        }
    }
}

/// Grows the reservation to at least this many bytes, unless the share of every request covers them.
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

/// The bytes that a JSON value takes up.
pub fn value_bytes(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Array(items) => VALUE + items.iter().map(value_bytes).sum::<usize>(),
        serde_json::Value::Object(members) => {
            VALUE + members.iter().map(|(key, value)| key.len() + VALUE + value_bytes(value)).sum::<usize>()
        }
        serde_json::Value::String(text) => VALUE + text.len(),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => VALUE,
    }
}

/// The most bytes that the values of a JSON text take up once it is parsed, without the text of strings. Parsing
/// invalid JSON stops before it exceeds them.
pub fn values_of(json: &[u8]) -> usize {
    // Most bodies are short, and the compiler vectorizes this loop.
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

/// The most bytes of the values in a query string or a form, which may be percent-encoded JSON.
pub fn values_of_form(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'&' | b'%') || weight(**byte) > 0).count() * VALUE
}

/// The most bytes that the value after a separator takes up: a value in a growing list, the first allocation of a list
/// or an object, and the place of a key.
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
    fn dropped_reservation_is_released() {
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
    fn small_reservations_fit_when_large_ones_fail() {
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
    fn reservation_ends_with_the_last_bytes() {
        let budget = budget(1 << 20);
        let bytes = budget.reserve(5000).unwrap().hold(vec![7; 3000]);
        let part = bytes.slice(10..20);
        drop(bytes);
        assert_eq!((budget.used(), &part[..]), (3000, &[7; 10][..]));
        drop(part);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn separators_inside_strings_are_not_counted() {
        assert_eq!(values_of(b"1"), 0);
        let list = format!("[{}\"a,[{{:\\\",\"]", r#"{"b": 2},"#.repeat(100));
        assert_eq!(values_of(list.as_bytes()), VALUE + weight(b'[') + 100 * (weight(b'{') + 2 * VALUE));
        assert_eq!(values_of_form(b"a=%5B1&b=2"), 2 * VALUE);
    }
}
