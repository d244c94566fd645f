//! The read buffer of a connection: splits the bytes into messages and returns each once it is
//! complete. Reading the socket is left to [`crate::protocol`], and the meaning of messages to its
//! callers.

use crate::memory::{MemoryBudget, OutOfMemory, Reservation};

/// The bytes of a message's type and length.
const MESSAGE_HEADER_BYTES: usize = 5;

/// The minimum and the maximum number of bytes per read.
const READ: (usize, usize) = (8 << 10, 64 << 10);

/// A buffer that has grown larger than this is freed after use, in either direction.
pub(crate) const MAX_KEPT_BYTES: usize = 256 << 10;

/// The buffer for a message beyond this size is allocated exactly, not rounded up to a power of
/// two.
const EXACT_ALLOCATION_BYTES: usize = 1 << 20;

/// Bytes read from the socket, with the position of the current message.
pub(crate) struct ReadBuffer {
    bytes: Vec<u8>,
    /// The start of the current message. Its length is in `current`.
    start: usize,
    current: usize,
    end: usize,
    /// The number of bytes to read at a time.
    read: usize,
    /// The maximum length of a message.
    most: usize,
    /// The memory reserved for a buffer beyond [`MAX_KEPT_BYTES`].
    memory: Reservation,
}

/// Why a message cannot be read. No later message can be read either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadBufferError {
    /// The length is invalid or exceeds the limit.
    Length(usize),
    /// The memory budget has no room for it.
    Memory(OutOfMemory),
}

impl ReadBuffer {
    /// Creates an empty buffer.
    pub(crate) fn new(memory: MemoryBudget) -> ReadBuffer {
        let memory = memory.empty_reservation();
        ReadBuffer {
            bytes: Vec::new(),
            start: 0,
            current: 0,
            end: 0,
            read: READ.0,
            most: usize::MAX,
            memory,
        }
    }

    /// Limits the length of messages from now on. The limit is checked before memory is allocated.
    pub(crate) fn set_length_limit(&mut self, most: usize) {
        self.most = most;
    }

    /// Advances to the next message if it is complete and returns its type byte. A long message
    /// needs memory from the budget before it is read.
    pub(crate) fn message(&mut self) -> Result<Option<u8>, ReadBufferError> {
        self.start += std::mem::take(&mut self.current);
        let unread = self.bytes.get(self.start..self.end).unwrap_or_default();
        let Some((head, _)) = unread.split_first_chunk::<MESSAGE_HEADER_BYTES>() else {
            return Ok(None);
        };
        let length = ReadBuffer::length(*head);
        if length < MESSAGE_HEADER_BYTES || length > self.most {
            return Err(ReadBufferError::Length(length));
        }
        if unread.len() < length {
            if length > MAX_KEPT_BYTES {
                let remaining = if length <= EXACT_ALLOCATION_BYTES {
                    length.next_power_of_two()
                } else {
                    length
                };
                self.memory
                    .grow_to(remaining)
                    .map_err(ReadBufferError::Memory)?;
            }
            return Ok(None);
        }
        self.current = length;
        Ok(Some(head[0]))
    }

    /// Advances to the next message if it is complete and of this type. Most messages are rows, so
    /// this is the short way.
    #[inline]
    pub(crate) fn next_if(&mut self, letter: u8) -> bool {
        let start = self.start + self.current;
        let unread = self.bytes.get(start..self.end).unwrap_or_default();
        let Some(head) = unread
            .first_chunk::<MESSAGE_HEADER_BYTES>()
            .filter(|head| head[0] == letter)
        else {
            return false;
        };
        let length = ReadBuffer::length(*head);
        let is_complete = (MESSAGE_HEADER_BYTES..=unread.len().min(self.most)).contains(&length);
        if is_complete {
            (self.start, self.current) = (start, length);
        }
        is_complete
    }

    /// The length of a message including its type byte, from its head.
    #[inline]
    fn length([_, length @ ..]: [u8; MESSAGE_HEADER_BYTES]) -> usize {
        usize::try_from(i32::from_be_bytes(length)).map_or(0, |length| length + 1)
    }

    /// The message without its type and length.
    #[inline]
    pub(crate) fn body(&self) -> &[u8] {
        self.bytes
            .get(self.start + MESSAGE_HEADER_BYTES..self.start + self.current)
            .unwrap_or_default()
    }

    /// The number of bytes that have been read and not consumed.
    pub(crate) fn unread_len(&self) -> usize {
        self.end - self.start
    }

    /// The free space to read into, after the unconsumed bytes. They move to the front when little
    /// space is left.
    pub(crate) fn free(&mut self) -> &mut [u8] {
        let unread = self.unread_len();
        if unread == 0 {
            (self.start, self.end) = (0, 0);
        }
        let head = self
            .bytes
            .get(self.start..self.end)
            .and_then(|unread| unread.first_chunk::<MESSAGE_HEADER_BYTES>());
        let missing = head.map_or(0, |head| ReadBuffer::length(*head).saturating_sub(unread));
        let wanted = missing.max(self.read);
        if self.bytes.len() - self.end < wanted {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, unread);
            let mut remaining = unread + wanted;
            if remaining <= EXACT_ALLOCATION_BYTES {
                remaining = remaining.next_power_of_two();
            }
            if self.bytes.len() < remaining {
                self.bytes.reserve_exact(remaining - self.bytes.len());
                self.bytes.resize(remaining, 0);
            }
        }
        self.bytes.get_mut(self.end..).unwrap_or_default()
    }

    /// Records that `read` bytes were read. `was_all`: they filled the free space.
    pub(crate) fn fill(&mut self, read: usize, was_all: bool) {
        self.end += read;
        if was_all {
            self.read = (self.read * 2).min(READ.1);
        }
    }

    /// Frees a large buffer that holds nothing but the current message.
    pub(crate) fn shrink(&mut self) {
        let unread = self.unread_len();
        if self.bytes.len() > MAX_KEPT_BYTES && unread == self.current {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, unread);
            self.bytes.truncate(READ.1);
            self.bytes.shrink_to_fit();
            self.memory.shrink_to(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::observer::NoObserver;

    fn incoming(bytes: &[u8]) -> ReadBuffer {
        ReadBuffer {
            bytes: bytes.to_vec(),
            end: bytes.len(),
            ..ReadBuffer::new(MemoryBudget::default())
        }
    }

    #[test]
    fn messages_are_returned_in_order_once_complete() {
        let mut buffer = incoming(b"1\0\0\0\x04D\0\0\0\x06abZ\0\0\0\x05");
        assert_eq!(
            (buffer.message(), buffer.body()),
            (Ok(Some(b'1')), &b""[..])
        );
        assert!(!buffer.next_if(b'Z') && buffer.next_if(b'D'));
        assert_eq!(buffer.body(), b"ab");
        assert!(!buffer.next_if(b'Z'), "a byte is missing");
        assert_eq!(buffer.message(), Ok(None));
        let free = buffer.free();
        assert!(free.len() >= READ.0);
        free[0] = b'I';
        buffer.fill(1, false);
        assert_eq!(
            (buffer.message(), buffer.body()),
            (Ok(Some(b'Z')), &b"I"[..])
        );
        assert_eq!(buffer.message(), Ok(None));
    }

    #[test]
    fn large_message_gets_its_buffer_at_once() {
        let mut buffer = incoming(b"D\0\x10\0\x04abc");
        assert_eq!(buffer.message(), Ok(None));
        assert!(buffer.free().len() >= (1 << 20) - 3);
        let read = (1 << 20) - 3;
        buffer.fill(read, false);
        assert_eq!(buffer.message(), Ok(Some(b'D')));
        assert_eq!(
            (buffer.body().len(), &buffer.body()[..3]),
            (1 << 20, &b"abc"[..])
        );
        assert_eq!(buffer.message(), Ok(None));
        buffer.shrink();
        assert_eq!(
            (buffer.bytes.len(), buffer.start, buffer.end),
            (READ.1, 0, 0)
        );
    }

    #[test]
    fn invalid_length_is_an_error() {
        assert_eq!(
            incoming(b"D\0\0\0\x03").message(),
            Err(ReadBufferError::Length(4))
        );
        assert_eq!(
            incoming(b"D\xff\xff\xff\xff").message(),
            Err(ReadBufferError::Length(0))
        );
    }

    #[test]
    fn length_above_the_limit_is_an_error_before_allocation() {
        let mut buffer = incoming(b"D\x30\0\0\0abc");
        buffer.set_length_limit(1 << 20);
        assert!(!buffer.next_if(b'D'));
        assert_eq!(
            buffer.message(),
            Err(ReadBufferError::Length((0x30 << 24) + 1))
        );
        assert!(buffer.bytes.len() < 100);
        buffer.set_length_limit(usize::MAX);
        assert_eq!(buffer.message(), Ok(None));
    }

    #[test]
    fn large_message_is_charged_to_the_budget() {
        let budget = MemoryBudget::new(8 << 20, Arc::new(NoObserver));
        let mut buffer = ReadBuffer::new(budget);
        buffer.bytes = b"D\x00\x30\0\x04abc".to_vec();
        buffer.end = buffer.bytes.len();
        assert_eq!(buffer.message(), Ok(None));
        assert_eq!(budget.used(), (3 << 20) + 5);
        let _other = budget.reserve(2 << 20).unwrap();
        buffer.bytes = b"D\x00\x40\0\x04abc".to_vec();
        assert!(matches!(buffer.message(), Err(ReadBufferError::Memory(_))));
        drop(buffer);
        assert_eq!(budget.used(), 2 << 20);
    }

    #[test]
    fn large_message_buffer_is_not_rounded_up() {
        let mut buffer = incoming(b"D\x00\x90\0\x04abc");
        assert_eq!(buffer.message(), Ok(None));
        assert_eq!(buffer.free().len(), (9 << 20) - 3);
        assert!(
            buffer.bytes.capacity() < 10 << 20,
            "{}",
            buffer.bytes.capacity()
        );
    }
}
