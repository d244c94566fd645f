//! The prepared statements of one connection by their text, within bounds. Parsing and letting go of them is left to
//! [`super::connection`].

use std::collections::HashMap;

/// Prepared statements; of too many the one that was not used for longest goes first.
#[derive(Debug)]
pub(super) struct StatementCache {
    held: HashMap<Box<str>, Held, foldhash::fast::RandomState>,
    /// Goes up with each use, and with each name.
    clock: u64,
    most: usize,
    /// The bytes of their texts.
    bytes: usize,
}

/// A statement on the server, by its number; its name is made of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StatementId(u64);

#[derive(Debug)]
struct Held {
    number: StatementId,
    used: u64,
    /// Whether its columns were found to be of the types that they are read as.
    is_checked: bool,
}

/// The most bytes of text that are held as prepared statements. Postgres needs up to a hundred times as much for them, and
/// how long a statement is depends on its caller too.
const BYTES: usize = 1 << 20;

impl StatementId {
    /// The name on the server.
    pub(super) fn name(self) -> Name {
        let mut name = Name { bytes: [0; LONGEST], start: LONGEST };
        let mut rest = self.0;
        for (place, byte) in name.bytes.iter_mut().enumerate().rev() {
            *byte = b"0123456789abcdef"[(rest % 16) as usize];
            rest /= 16;
            name.start = place;
            if rest == 0 {
                break;
            }
        }
        name
    }
}

/// The name of a statement, made without allocating.
pub(super) struct Name {
    bytes: [u8; LONGEST],
    start: usize,
}

/// So many hexadecimal digits a number has at most.
const LONGEST: usize = 16;

impl std::ops::Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        let digits = self.bytes.get(self.start..).unwrap_or_default();
        std::str::from_utf8(digits).unwrap_or_default()
    }
}

impl StatementCache {
    pub(super) fn new(most: usize) -> StatementCache {
        StatementCache { held: HashMap::default(), clock: 0, most: most.max(1), bytes: 0 }
    }

    /// The statement of that text, and whether its columns were checked.
    pub(super) fn get(&mut self, text: &str) -> Option<(StatementId, bool)> {
        self.clock += 1;
        let held = self.held.get_mut(text)?;
        held.used = self.clock;
        Some((held.number, held.is_checked))
    }

    /// A number for a statement that is not held yet, and which have to go for it. One that is too long goes at once.
    pub(super) fn insert(&mut self, text: &str) -> (StatementId, Vec<StatementId>) {
        self.clock += 1;
        let number = StatementId(self.clock);
        if text.len() > BYTES {
            return (number, vec![number]);
        }
        let mut gone = Vec::new();
        while self.held.len() >= self.most || self.bytes + text.len() > BYTES {
            let oldest = self.held.values().min_by_key(|held| held.used).map(|held| held.number);
            let Some(oldest) = oldest else { break };
            self.remove(oldest);
            gone.push(oldest);
        }
        self.bytes += text.len();
        self.held.insert(text.into(), Held { number, used: self.clock, is_checked: false });
        (number, gone)
    }

    /// Notes that the columns of one are of the types that they are read as.
    pub(super) fn set_checked(&mut self, number: StatementId) {
        let held = self.held.values_mut().find(|held| held.number == number);
        held.into_iter().for_each(|held| held.is_checked = true);
    }

    /// Lets go of one; says whether it was there.
    pub(super) fn remove(&mut self, number: StatementId) -> bool {
        let before = self.held.len();
        self.held.retain(|text, held| {
            let stays = held.number != number;
            self.bytes -= if stays { 0 } else { text.len() };
            stays
        });
        self.held.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_numbers() {
        let names = [StatementId(0).name(), StatementId(0x1f).name(), StatementId(u64::MAX).name()];
        assert_eq!(names.map(|name| name.to_owned()), ["0", "1f", "ffffffffffffffff"]);
    }

    #[test]
    fn the_one_not_used_for_longest_goes_first() {
        let mut prepared = StatementCache::new(2);
        let (a, _) = prepared.insert("a");
        let (b, gone) = prepared.insert("b");
        prepared.set_checked(a);
        assert_eq!((prepared.get("a"), gone), (Some((a, true)), vec![]));
        let (_, gone) = prepared.insert("c");
        assert_eq!((gone, prepared.get("b"), prepared.get("a")), (vec![b], None, Some((a, true))));
        assert!(prepared.remove(a) && !prepared.remove(a));
        assert_eq!((prepared.get("a"), prepared.bytes), (None, 1));
    }

    #[test]
    fn texts_are_bounded_together_and_alone() {
        let mut prepared = StatementCache::new(100);
        let half = "x".repeat(BYTES / 2);
        let (first, _) = prepared.insert(&half);
        let (_, gone) = prepared.insert(&(half.clone() + "y"));
        assert_eq!(gone, [first]);
        let (long, gone) = prepared.insert(&"z".repeat(BYTES + 1));
        assert_eq!(gone, [long]);
    }
}
