//! Assembles nested lists from the rows of a level union: one statement that returns the rows of
//! inner lists first, level by level, and the root's rows last. Rows of inner lists are encoded
//! into buffers, and copied into their parent rows when those arrive.

use std::collections::HashMap;

use super::{Columns, Error, buffer, null, row};
use crate::encode::shape::{Level, LevelRows, Levels, MAX_PARENT_ROWS};

/// Collects the rows of a level union and encodes the root's rows with their nested lists.
#[derive(Debug)]
pub struct LevelAssembler {
    lists: Vec<Lists>,
    /// How many more rows each level may have, the last level included.
    left: Vec<usize>,
    /// The level of the most recent row.
    reached: usize,
    roots: usize,
    waiting: Waiting,
}

/// Bytes held for the levels before that of the most recent row. Lists that have been copied into
/// their parents are not counted.
#[derive(Debug, Default)]
struct Waiting {
    /// JSON of rows whose parents are in the current level.
    inside: usize,
    /// JSON of rows whose parents are in later levels.
    beside: usize,
    /// Memory other than JSON, an estimate.
    overhead: usize,
}

/// The encoded rows of one level, by the key of the parent row.
#[derive(Debug, Default)]
struct Lists {
    json: Vec<u8>,
    pieces: Vec<Piece>,
    chains: Vec<Chain>,
    by_key: HashMap<Box<[u8]>, usize>,
    /// The key and the chain of the most recent row: rows with one key are often adjacent.
    last: Vec<u8>,
    last_chain: Option<usize>,
    /// How many rows have no key. Either every row of a level has a key or none does; rows without
    /// one are separated by commas.
    unkeyed: usize,
    /// The end of the first row without a key.
    first: usize,
}

/// The offset of a row's JSON, which ends where the next piece starts, and the next row with an
/// equal key.
#[derive(Debug)]
struct Piece {
    start: usize,
    next: usize,
}

/// The end of a chain.
const CHAIN_END: usize = usize::MAX;

/// The rows of one key, as a linked list of pieces.
#[derive(Debug)]
struct Chain {
    first: usize,
    last: usize,
}

/// Bytes of a key besides its chain, an estimate: the key itself and its entry in the map.
const KEY_OVERHEAD_BYTES: usize = 64;

impl LevelAssembler {
    /// Creates an assembler without rows.
    pub fn new(levels: &Levels) -> LevelAssembler {
        let lists = levels.inner.iter().map(|_| Lists::default()).collect();
        let has_lists = |index: usize| {
            levels
                .inner
                .iter()
                .any(|level| level.owner.is_some() && level.inside == index)
        };
        let left = (0..=levels.inner.len())
            .map(|position| {
                if has_lists(position) {
                    MAX_PARENT_ROWS
                } else {
                    usize::MAX
                }
            })
            .collect();
        LevelAssembler {
            lists,
            left,
            reached: 0,
            roots: 0,
            waiting: Waiting::default(),
        }
    }

    /// Adds a row: a row of the last level is written to `out`, any other is kept until its parent
    /// row arrives.
    ///
    /// Errors: [`Error::Level`] if the row's level does not exist or is already complete,
    /// [`Error::Keys`] if a level whose rows have child lists has more than [`KEYS`] rows, and
    /// those of encoding the row.
    pub fn take<'a>(
        &mut self,
        levels: &Levels,
        columns: &mut impl Columns<'a>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let cells = levels
            .types
            .iter()
            .map(|_| columns.next())
            .collect::<Result<Vec<_>, Error>>()?;
        let number = cells.first().copied().flatten().ok_or(Error::FewColumns)?;
        let number = usize::try_from(i16::from_be_bytes(buffer::fixed(number)?))
            .map_err(|_| Error::Level)?;
        // A level is complete before its parents' level starts. A late row would be missing from a
        // list that has been written.
        if number < self.reached || number > levels.inner.len() {
            return Err(Error::Level);
        }
        if let Some(left) = self.left.get_mut(number) {
            *left = left.checked_sub(1).ok_or(Error::Keys)?;
        }
        if number > self.reached {
            self.reach(levels, number);
        }
        let (done, rest) = self
            .lists
            .split_at_mut_checked(number)
            .ok_or(Error::Level)?;
        match (levels.inner.get(number), rest.first_mut()) {
            (Some(level), Some(lists)) => lists.take(level, &cells, done),
            _ => {
                out.extend_from_slice(if self.roots > 0 { b"," } else { b"" });
                self.roots += 1;
                write(&levels.root, &cells, done, out)
            }
        }
    }

    /// How many rows of the last level have been written.
    pub fn roots(&self) -> usize {
        self.roots
    }

    /// Starts a level. Lists whose parents are in earlier levels have been copied and are freed.
    fn reach(&mut self, levels: &Levels, number: usize) {
        self.reached = number;
        self.waiting = Waiting::default();
        for (level, lists) in levels.inner.iter().zip(&mut self.lists).take(number) {
            if level.inside < number {
                *lists = Lists::default();
            }
            if level.inside == number {
                self.waiting.inside += lists.json.len();
            } else {
                self.waiting.beside += lists.json.len();
            }
            self.waiting.overhead += lists.overhead();
        }
    }

    /// A lower bound of the response's bytes: each row counted here will be in the response, and
    /// none of them inside another counted row. No row is longer than everything held before it, so
    /// at most one row exceeds a limit that is compared with this.
    pub fn min_response_bytes(&self) -> usize {
        let current = self
            .lists
            .get(self.reached)
            .map_or(0, |lists| lists.json.len());
        self.waiting.beside + self.waiting.inside.max(current)
    }

    /// The memory held, in bytes, an estimate.
    pub fn memory_bytes(&self) -> usize {
        let current = self
            .lists
            .get(self.reached)
            .map_or(0, |lists| lists.json.len() + lists.overhead());
        self.waiting.beside + self.waiting.inside + self.waiting.overhead + current
    }
}

impl Lists {
    fn take(
        &mut self,
        level: &Level,
        cells: &[Option<&[u8]>],
        done: &[Lists],
    ) -> Result<(), Error> {
        let Some(owner) = level.owner else {
            self.json
                .extend_from_slice(if self.unkeyed > 0 { b"," } else { b"" });
            write(level, cells, done, &mut self.json)?;
            self.first = if self.unkeyed == 0 {
                self.json.len()
            } else {
                self.first
            };
            self.unkeyed += 1;
            return Ok(());
        };
        let key = cells
            .get(owner)
            .copied()
            .flatten()
            .ok_or(Error::FewColumns)?;
        let start = self.json.len();
        write(level, cells, done, &mut self.json)?;
        let piece = self.pieces.len();
        self.pieces.push(Piece {
            start,
            next: CHAIN_END,
        });
        let chain = self.chain(key, piece);
        let Some(chain) = self.chains.get_mut(chain) else {
            return Ok(());
        };
        let before = std::mem::replace(&mut chain.last, piece);
        if let Some(before) = self.pieces.get_mut(before).filter(|_| before != piece) {
            before.next = piece;
        }
        Ok(())
    }

    /// Returns the chain of a key. A new chain begins with this piece.
    fn chain(&mut self, key: &[u8], piece: usize) -> usize {
        if let Some(chain) = self.last_chain.filter(|_| self.last == key) {
            return chain;
        }
        let chain = match self.by_key.get(key) {
            Some(chain) => *chain,
            None => {
                self.chains.push(Chain {
                    first: piece,
                    last: piece,
                });
                self.by_key.insert(key.into(), self.chains.len() - 1);
                self.chains.len() - 1
            }
        };
        self.last.clear();
        self.last.extend_from_slice(key);
        self.last_chain = Some(chain);
        chain
    }

    /// Writes the rows of a key as a list, in the order in which they arrived.
    fn write(&self, key: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Error> {
        let chain = key
            .and_then(|key| self.by_key.get(key))
            .and_then(|chain| self.chains.get(*chain));
        let mut next = chain.map_or(CHAIN_END, |chain| chain.first);
        out.push(b'[');
        while let Some(piece) = self.pieces.get(next) {
            let end = self
                .pieces
                .get(next + 1)
                .map_or(self.json.len(), |behind| behind.start);
            out.extend_from_slice(self.json.get(piece.start..end).ok_or(Error::Level)?);
            out.extend_from_slice(if piece.next == CHAIN_END { b"" } else { b"," });
            next = piece.next;
        }
        out.push(b']');
        Ok(())
    }

    /// Memory other than JSON, in bytes, an estimate.
    fn overhead(&self) -> usize {
        self.pieces.len() * size_of::<Piece>()
            + self.chains.len() * (size_of::<Chain>() + KEY_OVERHEAD_BYTES)
    }
}

fn write(
    level: &Level,
    cells: &[Option<&[u8]>],
    lists: &[Lists],
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    row(
        &level.node,
        &mut Cells {
            cells,
            places: level.places.iter(),
            lists,
        },
        out,
    )
}

/// The columns that a level consumes, in the order of its node.
struct Cells<'a, 's> {
    cells: &'s [Option<&'a [u8]>],
    places: std::slice::Iter<'s, usize>,
    lists: &'s [Lists],
}

impl<'a> Columns<'a> for Cells<'a, '_> {
    fn next(&mut self) -> Result<Option<&'a [u8]>, Error> {
        let index = self.places.next().ok_or(Error::FewColumns)?;
        self.cells.get(*index).copied().ok_or(Error::FewColumns)
    }

    fn level(&mut self, level: usize, share: LevelRows, out: &mut Vec<u8>) -> Result<(), Error> {
        let lists = self.lists.get(level).ok_or(Error::Level)?;
        match share {
            LevelRows::Own => lists.write(self.next()?, out)?,
            LevelRows::All => {
                out.push(b'[');
                out.extend_from_slice(&lists.json);
                out.push(b']');
            }
            LevelRows::Sole if lists.unkeyed == 0 => null(out),
            // A key that exists only in the permission file may match several rows. As with
            // records, the first counts.
            LevelRows::Sole => {
                out.extend_from_slice(lists.json.get(..lists.first).ok_or(Error::Level)?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::shape::{Encoder, Field, Key, Node, RootForm};

    type Row = Vec<Option<Vec<u8>>>;

    struct Cursor<'a>(std::slice::Iter<'a, Option<Vec<u8>>>);

    impl<'a> Columns<'a> for Cursor<'a> {
        fn next(&mut self) -> Result<Option<&'a [u8]>, Error> {
            self.0.next().map(Option::as_deref).ok_or(Error::FewColumns)
        }
    }

    fn levels() -> Levels {
        let field = |key: &str, node| Field {
            key: Key::new(key),
            node,
        };
        let child = Node::Object(vec![field("n", Node::Value(Encoder::Text))]);
        let root = Node::Object(vec![
            field("id", Node::Value(Encoder::Text)),
            field("children", Node::Level(0, LevelRows::Own)),
            field("again", Node::Level(0, LevelRows::Own)),
        ]);
        Levels {
            form: RootForm::List(Key::new("roots")),
            types: vec![25; 3],
            inner: vec![Level {
                places: vec![1],
                owner: Some(2),
                inside: 1,
                node: child,
            }],
            root: Level {
                places: vec![1, 1, 2],
                owner: None,
                inside: 1,
                node: root,
            },
        }
    }

    fn row(level: i16, first: &str, second: Option<&str>) -> Row {
        let text = |text: &str| text.as_bytes().to_vec();
        vec![
            Some(level.to_be_bytes().to_vec()),
            Some(text(first)),
            second.map(text),
        ]
    }

    fn encode(rows: &[Row]) -> Result<String, Error> {
        let levels = levels();
        let mut out = Vec::new();
        let mut assembler = LevelAssembler::new(&levels);
        levels.open(&mut out);
        for row in rows {
            assembler.take(&levels, &mut Cursor(row.iter()), &mut out)?;
        }
        levels.close(assembler.roots(), &mut out);
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn level_with_too_many_keys_is_an_error() {
        let levels = levels();
        let mut assembler = LevelAssembler::new(&levels);
        assembler.left[1] = 1;
        let row: Row = vec![
            Some(1_i16.to_be_bytes().to_vec()),
            Some(b"a".to_vec()),
            Some(b"k".to_vec()),
        ];
        let mut take = || assembler.take(&levels, &mut Cursor(row.iter()), &mut Vec::new());
        assert_eq!((take(), take()), (Ok(()), Err(Error::Keys)));
    }

    #[test]
    fn rows_are_nested_under_their_parents_in_order() {
        let rows = [
            row(0, "a1", Some("a")),
            row(0, "b1", Some("b")),
            row(0, "a2", Some("a")),
            row(1, "a", None),
            row(1, "b", Some("a")),
        ];
        let expected = concat!(
            r#"{"roots":[{"id":"a","children":[{"n":"a1"},{"n":"a2"}],"again":[]},"#,
            r#"{"id":"b","children":[{"n":"b1"}],"again":[{"n":"a1"},{"n":"a2"}]}]}"#
        );
        assert_eq!(encode(&rows).as_deref(), Ok(expected));
        assert_eq!(encode(&[]).as_deref(), Ok(r#"{"roots":[]}"#));
    }

    #[test]
    fn row_of_a_completed_or_unknown_level_is_an_error() {
        assert_eq!(
            encode(&[row(1, "a", None), row(0, "a1", Some("a"))]),
            Err(Error::Level)
        );
        assert_eq!(encode(&[row(2, "a", None)]), Err(Error::Level));
        assert_eq!(encode(&[row(-1, "a", None)]), Err(Error::Level));
    }

    /// Two sibling lists, and a list nested in the first of them.
    fn nested() -> Levels {
        let field = |key: &str, node| Field {
            key: Key::new(key),
            node,
        };
        let text = |key: &str| field(key, Node::Value(Encoder::Text));
        let inner = Level {
            places: vec![1],
            owner: Some(2),
            inside: 1,
            node: Node::Object(vec![text("c")]),
        };
        let first = vec![text("a"), field("in", Node::Level(0, LevelRows::Own))];
        let first = Level {
            places: vec![1, 2],
            owner: None,
            inside: 3,
            node: Node::Object(first),
        };
        let second = Level {
            places: vec![1],
            owner: None,
            inside: 3,
            node: Node::Object(vec![text("b")]),
        };
        let root = vec![
            field("as", Node::Level(1, LevelRows::All)),
            field("b", Node::Level(2, LevelRows::Sole)),
        ];
        let root = Level {
            places: vec![],
            owner: None,
            inside: 3,
            node: Node::Object(root),
        };
        Levels {
            form: RootForm::Whole,
            types: vec![25; 3],
            inner: vec![inner, first, second],
            root,
        }
    }

    #[test]
    fn held_bytes_counts_each_row_once() {
        let levels = nested();
        let mut out = Vec::new();
        let mut assembler = LevelAssembler::new(&levels);
        let mut kept = Vec::new();
        let rows = [
            row(0, "1", Some("x")),
            row(0, "2", Some("y")),
            row(1, "3", Some("x")),
            row(1, "4", Some("y")),
            row(2, "5", None),
            row(2, "6", None),
        ];
        for row in rows {
            assembler
                .take(&levels, &mut Cursor(row.iter()), &mut out)
                .unwrap();
            kept.push(assembler.min_response_bytes());
        }
        // {"c":"1"} is in {"a":"3","in":[{"c":"1"}]}, which is beside {"b":"5"}.
        assert_eq!(kept, [9, 18, 26, 53, 53 + 9, 53 + 19]);
        // Two keys and two rows with keys were freed after their parent rows.
        assert_eq!(assembler.memory_bytes(), assembler.min_response_bytes());
        assembler
            .take(&levels, &mut Cursor(row(3, "", None).iter()), &mut out)
            .unwrap();
        // The key is not unique: the first row counts.
        let response =
            r#"{"as":[{"a":"3","in":[{"c":"1"}]},{"a":"4","in":[{"c":"2"}]}],"b":{"b":"5"}}"#;
        assert_eq!(String::from_utf8_lossy(&out), response);
    }

    #[test]
    fn held_includes_the_memory_of_keys_and_chains() {
        let levels = nested();
        let mut out = Vec::new();
        let mut assembler = LevelAssembler::new(&levels);
        for key in 0..100 {
            let row = row(0, "1", Some(&key.to_string()));
            assembler
                .take(&levels, &mut Cursor(row.iter()), &mut out)
                .unwrap();
        }
        assert_eq!(assembler.min_response_bytes(), 900);
        assert!(
            assembler.memory_bytes() > 900 + 100 * (16 + 16 + 40),
            "{}",
            assembler.memory_bytes()
        );
    }
}
