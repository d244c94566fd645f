//! What has been read of a connection: messages one after the other, each only when all of it is there. Reading is left to
//! [`super::protocol`], and what they mean to others.

use crate::limits::memory::{MemoryBudget, OutOfMemory, Reservation};

/// The letter and the length of a message.
const HEAD: usize = 5;

/// So much is read at a time at least, and at most.
const READ: (usize, usize) = (8 << 10, 64 << 10);

/// A buffer that has grown beyond this is given up afterwards, in either direction.
pub(super) const KEPT: usize = 256 << 10;

/// A message beyond this is given the room that it needs and no more.
const LARGE: usize = 1 << 20;

/// Bytes that have been read, of which a part has been looked at.
pub(super) struct ReadBuffer {
    bytes: Vec<u8>,
    /// Where the message begins that is looked at, and how long it is.
    start: usize,
    current: usize,
    end: usize,
    /// How much to read at a time.
    read: usize,
    /// How long a message may be.
    most: usize,
    /// For what goes beyond [`KEPT`].
    memory: Reservation,
}

/// Why a message is not read, and none after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadBufferError {
    /// It has a length that cannot be, or is not wanted.
    Length(usize),
    /// There is no room for it.
    Memory(OutOfMemory),
}

impl ReadBuffer {
    /// Nothing so far.
    pub(super) fn new(memory: MemoryBudget) -> ReadBuffer {
        let memory = memory.empty_reservation();
        ReadBuffer { bytes: Vec::new(), start: 0, current: 0, end: 0, read: READ.0, most: usize::MAX, memory }
    }

    /// Refuses longer messages from now on, before there is room for them.
    pub(super) fn bound(&mut self, most: usize) {
        self.most = most;
    }

    /// Goes to the next message, if all of it is there. For a long one there has to be room before it is read.
    pub(super) fn message(&mut self) -> Result<Option<u8>, ReadBufferError> {
        self.start += std::mem::take(&mut self.current);
        let held = self.bytes.get(self.start..self.end).unwrap_or_default();
        let Some((head, _)) = held.split_first_chunk::<HEAD>() else { return Ok(None) };
        let length = ReadBuffer::length(*head);
        if length < HEAD || length > self.most {
            return Err(ReadBufferError::Length(length));
        }
        if held.len() < length {
            if length > KEPT {
                let room = if length <= LARGE { length.next_power_of_two() } else { length };
                self.memory.grow_to(room).map_err(ReadBufferError::Memory)?;
            }
            return Ok(None);
        }
        self.current = length;
        Ok(Some(head[0]))
    }

    /// Whether a whole message with that letter comes next.
    pub(super) fn is_next(&self, letter: u8) -> bool {
        let held = self.bytes.get(self.start + self.current..self.end).unwrap_or_default();
        let head = held.first_chunk::<HEAD>().filter(|head| head[0] == letter);
        head.is_some_and(|head| (HEAD..=held.len()).contains(&ReadBuffer::length(*head)))
    }

    /// How long a message is with its letter, by its head.
    fn length([_, length @ ..]: [u8; HEAD]) -> usize {
        usize::try_from(i32::from_be_bytes(length)).map_or(0, |length| length + 1)
    }

    /// The message without its letter and length.
    pub(super) fn body(&self) -> &[u8] {
        self.bytes.get(self.start + HEAD..self.start + self.current).unwrap_or_default()
    }

    /// How many bytes have been read and not been passed.
    pub(super) fn held(&self) -> usize {
        self.end - self.start
    }

    /// Where to read to: behind what is held, which moves to the front when there is little room.
    pub(super) fn free(&mut self) -> &mut [u8] {
        let held = self.held();
        if held == 0 {
            (self.start, self.end) = (0, 0);
        }
        let head = self.bytes.get(self.start..self.end).and_then(|held| held.first_chunk::<HEAD>());
        let missing = head.map_or(0, |head| ReadBuffer::length(*head).saturating_sub(held));
        let wanted = missing.max(self.read);
        if self.bytes.len() - self.end < wanted {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, held);
            let mut room = held + wanted;
            if room <= LARGE {
                room = room.next_power_of_two();
            }
            if self.bytes.len() < room {
                self.bytes.reserve_exact(room - self.bytes.len());
                self.bytes.resize(room, 0);
            }
        }
        self.bytes.get_mut(self.end..).unwrap_or_default()
    }

    /// Bytes have been read; whether there was no room for more.
    pub(super) fn fill(&mut self, read: usize, was_all: bool) {
        self.end += read;
        if was_all {
            self.read = (self.read * 2).min(READ.1);
        }
    }

    /// Gives up a buffer that is large and holds nothing more.
    pub(super) fn shrink(&mut self) {
        let held = self.held();
        if self.bytes.len() > KEPT && held == self.current {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, held);
            self.bytes.truncate(READ.1);
            self.bytes.shrink_to_fit();
            self.memory.shrink_to(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::metrics::MemoryCounters;

    fn incoming(bytes: &[u8]) -> ReadBuffer {
        ReadBuffer { bytes: bytes.to_vec(), end: bytes.len(), ..ReadBuffer::new(MemoryBudget::default()) }
    }

    #[test]
    fn messages_come_one_after_the_other_and_only_whole() {
        let mut held = incoming(b"1\0\0\0\x04D\0\0\0\x06abZ\0\0\0\x05");
        assert_eq!((held.message(), held.body()), (Ok(Some(b'1')), &b""[..]));
        assert!(held.is_next(b'D') && !held.is_next(b'Z'));
        assert_eq!((held.message(), held.body()), (Ok(Some(b'D')), &b"ab"[..]));
        assert!(!held.is_next(b'Z'), "a byte is missing");
        assert_eq!(held.message(), Ok(None));
        let free = held.free();
        assert!(free.len() >= READ.0);
        free[0] = b'I';
        held.fill(1, false);
        assert_eq!((held.message(), held.body()), (Ok(Some(b'Z')), &b"I"[..]));
        assert_eq!(held.message(), Ok(None));
    }

    #[test]
    fn a_large_message_is_given_its_room_at_once() {
        let mut held = incoming(b"D\0\x10\0\x04abc");
        assert_eq!(held.message(), Ok(None));
        assert!(held.free().len() >= (1 << 20) - 3);
        let read = (1 << 20) - 3;
        held.fill(read, false);
        assert_eq!(held.message(), Ok(Some(b'D')));
        assert_eq!((held.body().len(), &held.body()[..3]), (1 << 20, &b"abc"[..]));
        assert_eq!(held.message(), Ok(None));
        held.shrink();
        assert_eq!((held.bytes.len(), held.start, held.end), (READ.1, 0, 0));
    }

    #[test]
    fn a_length_that_cannot_be_is_refused() {
        assert_eq!(incoming(b"D\0\0\0\x03").message(), Err(ReadBufferError::Length(4)));
        assert_eq!(incoming(b"D\xff\xff\xff\xff").message(), Err(ReadBufferError::Length(0)));
    }

    #[test]
    fn a_length_that_may_not_be_is_refused_before_there_is_room_for_it() {
        let mut held = incoming(b"D\x30\0\0\0abc");
        held.bound(1 << 20);
        assert_eq!(held.message(), Err(ReadBufferError::Length((0x30 << 24) + 1)));
        assert!(held.bytes.len() < 100);
        held.bound(usize::MAX);
        assert_eq!(held.message(), Ok(None));
    }

    #[test]
    fn a_large_message_needs_room_in_the_budget() {
        let budget = MemoryBudget::new(8 << 20, MemoryCounters::default());
        let mut held = ReadBuffer::new(budget);
        held.bytes = b"D\x00\x30\0\x04abc".to_vec();
        held.end = held.bytes.len();
        assert_eq!(held.message(), Ok(None));
        assert_eq!(budget.used(), (3 << 20) + 5);
        let _other = budget.reserve(2 << 20).unwrap();
        held.bytes = b"D\x00\x40\0\x04abc".to_vec();
        assert!(matches!(held.message(), Err(ReadBufferError::Memory(_))));
        drop(held);
        assert_eq!(budget.used(), 2 << 20);
    }

    #[test]
    fn a_large_message_is_given_no_more_room_than_it_needs() {
        let mut held = incoming(b"D\x00\x90\0\x04abc");
        assert_eq!(held.message(), Ok(None));
        assert_eq!(held.free().len(), (9 << 20) - 3);
        assert!(held.bytes.capacity() < 10 << 20, "{}", held.bytes.capacity());
    }
}
