//! A bounded cache of one connection's prepared statements, by their SQL text. Parsing and closing
//! statements on the server is left to [`crate::connection`].

use std::collections::HashMap;

use crate::connection::column_formats::ColumnFormats;

/// An LRU cache of prepared statements, limited by count and by bytes.
#[derive(Debug)]
pub(crate) struct StatementCache {
    statements: HashMap<Box<str>, CachedStatement, foldhash::fast::RandomState>,
    /// Incremented at each use and for each new name.
    clock: u64,
    most: usize,
    /// The total bytes of the statements' texts.
    bytes: usize,
}

/// The number of a prepared statement, from which its name on the server is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatementId(u64);

#[derive(Debug)]
struct CachedStatement {
    number: StatementId,
    used: u64,
    /// How often it was executed after the first time, if it should never have a generic plan.
    repeated: u8,
    /// The formats of its columns, once their types were compared with those that the encoder
    /// expects.
    formats: Option<ColumnFormats>,
}

/// The maximum bytes of text of all cached statements. Postgres needs up to a hundred times as much
/// memory for them, and clients influence how long statements are.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// How often Postgres plans a prepared statement for the values of its parameters, before it
/// considers a plan for all values. <https://www.postgresql.org/docs/15/sql-prepare.html>
const CUSTOM_PLANS: u8 = 5;

impl StatementId {
    /// The name on the server.
    pub(crate) fn name(self) -> Name {
        let mut name = Name {
            bytes: [0; MAX_NUMBER_DIGITS],
            start: MAX_NUMBER_DIGITS,
        };
        let mut rest = self.0;
        for (index, byte) in name.bytes.iter_mut().enumerate().rev() {
            *byte = b"0123456789abcdef"[(rest % 16) as usize];
            rest /= 16;
            name.start = index;
            if rest == 0 {
                break;
            }
        }
        name
    }
}

/// The name of a statement, in a fixed-size buffer that needs no allocation.
pub(crate) struct Name {
    bytes: [u8; MAX_NUMBER_DIGITS],
    start: usize,
}

/// The maximum number of hexadecimal digits of a statement's number.
const MAX_NUMBER_DIGITS: usize = 16;

impl std::ops::Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        let digits = self.bytes.get(self.start..).unwrap_or_default();
        std::str::from_utf8(digits).unwrap_or_default()
    }
}

impl StatementCache {
    pub(crate) fn new(most: usize) -> StatementCache {
        StatementCache {
            statements: HashMap::default(),
            clock: 0,
            most: most.max(1),
            bytes: 0,
        }
    }

    /// Looks a statement up; returns its number and, if its columns were checked, their formats.
    pub(crate) fn get(&mut self, text: &str) -> Option<(StatementId, Option<ColumnFormats>)> {
        self.clock += 1;
        let cached = self.statements.get_mut(text)?;
        cached.used = self.clock;
        Some((cached.number, cached.formats.clone()))
    }

    /// Counts a further execution of a statement that should be planned for the values of its
    /// parameters. Removes the statement and returns its number if Postgres might choose the
    /// generic plan, the one for all values, by now.
    pub(crate) fn take_before_generic_plan(&mut self, text: &str) -> Option<StatementId> {
        let cached = self.statements.get_mut(text)?;
        if cached.repeated + 1 < CUSTOM_PLANS {
            cached.repeated += 1;
            return None;
        }
        let number = cached.number;
        self.bytes -= text.len();
        self.statements.remove(text);
        Some(number)
    }

    /// Assigns a number to a new statement; also returns the statements evicted for it. A text
    /// beyond the limit is not cached and is evicted itself.
    pub(crate) fn insert(&mut self, text: &str) -> (StatementId, Vec<StatementId>) {
        self.clock += 1;
        let number = StatementId(self.clock);
        if text.len() > MAX_TEXT_BYTES {
            return (number, vec![number]);
        }
        let mut evicted = Vec::new();
        while self.statements.len() >= self.most || self.bytes + text.len() > MAX_TEXT_BYTES {
            let oldest = self
                .statements
                .values()
                .min_by_key(|cached| cached.used)
                .map(|cached| cached.number);
            let Some(oldest) = oldest else { break };
            self.remove(oldest);
            evicted.push(oldest);
        }
        self.bytes += text.len();
        self.statements.insert(
            text.into(),
            CachedStatement {
                number,
                used: self.clock,
                repeated: 0,
                formats: None,
            },
        );
        (number, evicted)
    }

    /// Assigns a number to a statement that is not cached.
    pub(crate) fn number(&mut self) -> StatementId {
        self.clock += 1;
        StatementId(self.clock)
    }

    /// A number below those of all statements that are inserted later.
    pub(crate) fn latest(&self) -> StatementId {
        StatementId(self.clock)
    }

    /// Removes the statements that were inserted after [`StatementCache::latest`] returned this
    /// number.
    pub(crate) fn remove_since(&mut self, latest: StatementId) -> Vec<StatementId> {
        let numbers = self.statements.values().map(|cached| cached.number);
        let later: Vec<StatementId> = numbers.filter(|number| number.0 > latest.0).collect();
        for number in &later {
            self.remove(*number);
        }
        later
    }

    /// Remembers that a statement's column types were checked, and the formats of its columns.
    pub(crate) fn set_checked(&mut self, number: StatementId, formats: ColumnFormats) {
        if let Some(cached) = self
            .statements
            .values_mut()
            .find(|cached| cached.number == number)
        {
            cached.formats = Some(formats);
        }
    }

    /// Removes a statement; returns whether it was cached.
    pub(crate) fn remove(&mut self, number: StatementId) -> bool {
        let before = self.statements.len();
        self.statements.retain(|text, cached| {
            let stays = cached.number != number;
            self.bytes -= if stays { 0 } else { text.len() };
            stays
        });
        self.statements.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_numbers_in_hexadecimal() {
        let names = [
            StatementId(0).name(),
            StatementId(0x1f).name(),
            StatementId(u64::MAX).name(),
        ];
        assert_eq!(
            names.map(|name| name.to_owned()),
            ["0", "1f", "ffffffffffffffff"]
        );
    }

    #[test]
    fn least_recently_used_statement_is_evicted() {
        let mut prepared = StatementCache::new(2);
        let (a, _) = prepared.insert("a");
        let (b, evicted) = prepared.insert("b");
        let formats = ColumnFormats::new(&[25]);
        prepared.set_checked(a, formats.clone());
        assert_eq!(
            (prepared.get("a"), evicted),
            (Some((a, Some(formats.clone()))), vec![])
        );
        let (_, evicted) = prepared.insert("c");
        assert_eq!(
            (evicted, prepared.get("b"), prepared.get("a")),
            (vec![b], None, Some((a, Some(formats))))
        );
        assert!(prepared.remove(a) && !prepared.remove(a));
        assert_eq!((prepared.get("a"), prepared.bytes), (None, 1));
    }

    #[test]
    fn statement_is_taken_after_five_executions() {
        let mut prepared = StatementCache::new(2);
        assert_eq!(prepared.take_before_generic_plan("a"), None);
        let (first, _) = prepared.insert("a");
        let later: Vec<_> = (0..5)
            .map(|_| prepared.take_before_generic_plan("a"))
            .collect();
        assert_eq!(later, [None, None, None, None, Some(first)]);
        assert_eq!((prepared.get("a"), prepared.bytes), (None, 0));
    }

    #[test]
    fn statements_of_one_request_are_removed() {
        let mut prepared = StatementCache::new(4);
        let (a, _) = prepared.insert("a");
        let latest = prepared.latest();
        assert!(prepared.remove_since(latest).is_empty());
        let (b, _) = prepared.insert("b");
        assert_eq!(
            (prepared.get("a"), prepared.get("b")),
            (Some((a, None)), Some((b, None)))
        );
        assert_eq!(prepared.remove_since(latest), [b]);
        assert_eq!(
            (prepared.get("a"), prepared.get("b"), prepared.bytes),
            (Some((a, None)), None, 1)
        );
    }

    #[test]
    fn text_bytes_are_limited_in_total_and_per_statement() {
        let mut prepared = StatementCache::new(100);
        let half = "x".repeat(MAX_TEXT_BYTES / 2);
        let (first, _) = prepared.insert(&half);
        let (_, evicted) = prepared.insert(&(half.clone() + "y"));
        assert_eq!(evicted, [first]);
        let (long, evicted) = prepared.insert(&"z".repeat(MAX_TEXT_BYTES + 1));
        assert_eq!(evicted, [long]);
    }
}
