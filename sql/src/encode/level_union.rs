//! Rows of lists within lists that come one level after the other: those of inner lists are written aside, and put into
//! the rows that they belong to when these come.

use std::collections::HashMap;

use super::{Columns, Error, buffer, null, row};
use crate::encode::shape::{KEYS, Level, LevelRows, Levels};

/// The rows of an answer that have come so far.
#[derive(Debug)]
pub struct LevelAssembler {
    lists: Vec<Lists>,
    /// How many more rows there may be of each level, the last one included.
    left: Vec<usize>,
    /// The level of the last row.
    reached: usize,
    roots: usize,
    waiting: Waiting,
}

/// What is held of the levels before that of the last row. Those that were put into other rows are not.
#[derive(Debug, Default)]
struct Waiting {
    /// JSON of rows that go into rows of that level.
    inside: usize,
    /// JSON of other rows.
    beside: usize,
    /// What is held besides JSON.
    rest: usize,
}

/// The rows of one level as JSON, by the key that they belong to.
#[derive(Debug, Default)]
struct Lists {
    json: Vec<u8>,
    pieces: Vec<Piece>,
    chains: Vec<Chain>,
    by_key: HashMap<Box<[u8]>, usize>,
    /// The key of the last row and its chain: rows with the same key often follow each other.
    last: Vec<u8>,
    last_chain: Option<usize>,
    /// How many rows belong to no key. Then none does, and commas stand between them.
    alone: usize,
    /// Where the first of those ends.
    first: usize,
}

/// Where a row's JSON begins, which ends where the next one's does, and the next row that belongs to the same key.
#[derive(Debug)]
struct Piece {
    start: usize,
    next: usize,
}

/// No row is next.
const NONE: usize = usize::MAX;

/// The rows of one key.
#[derive(Debug)]
struct Chain {
    first: usize,
    last: usize,
}

/// What a key takes up besides its chain, roughly: its bytes, and its entry.
const KEY: usize = 64;

impl LevelAssembler {
    /// Before the first row.
    pub fn new(levels: &Levels) -> LevelAssembler {
        let lists = levels.inner.iter().map(|_| Lists::default()).collect();
        let has_lists = |place: usize| levels.inner.iter().any(|level| level.owner.is_some() && level.inside == place);
        let left = (0..=levels.inner.len()).map(|place| if has_lists(place) { KEYS } else { usize::MAX }).collect();
        LevelAssembler { lists, left, reached: 0, roots: 0, waiting: Waiting::default() }
    }

    /// Takes a row: one of the root's is written, any other kept for the row that it belongs to.
    pub fn take<'a>(
        &mut self,
        levels: &Levels,
        columns: &mut impl Columns<'a>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let cells = levels.types.iter().map(|_| columns.next()).collect::<Result<Vec<_>, Error>>()?;
        let number = cells.first().copied().flatten().ok_or(Error::FewColumns)?;
        let number = usize::try_from(i16::from_be_bytes(buffer::fixed(number)?)).map_err(|_| Error::Level)?;
        // A level is complete before rows come that it belongs to: else lists would lack rows.
        if number < self.reached || number > levels.inner.len() {
            return Err(Error::Level);
        }
        if let Some(left) = self.left.get_mut(number) {
            *left = left.checked_sub(1).ok_or(Error::Keys)?;
        }
        if number > self.reached {
            self.reach(levels, number);
        }
        let (done, rest) = self.lists.split_at_mut_checked(number).ok_or(Error::Level)?;
        match (levels.inner.get(number), rest.first_mut()) {
            (Some(level), Some(lists)) => lists.take(level, &cells, done),
            _ => {
                out.extend_from_slice(if self.roots > 0 { b"," } else { b"" });
                self.roots += 1;
                write(&levels.root, &cells, done, out)
            }
        }
    }

    /// How many rows of the root have been written.
    pub fn roots(&self) -> usize {
        self.roots
    }

    /// Goes on to a level. Rows of levels before that stand in rows of such are done with.
    fn reach(&mut self, levels: &Levels, number: usize) {
        self.reached = number;
        self.waiting = Waiting::default();
        for (level, lists) in levels.inner.iter().zip(&mut self.lists).take(number) {
            if level.inside < number {
                *lists = Lists::default();
            }
            match level.inside == number {
                true => self.waiting.inside += lists.json.len(),
                false => self.waiting.beside += lists.json.len(),
            }
            self.waiting.rest += lists.rest();
        }
    }

    /// The answer has no fewer bytes than that: each row that is held will stand in it, and of those counted here none in
    /// another. No row is longer than all that was held before it, so one beyond this does no harm.
    pub fn held_bytes(&self) -> usize {
        let current = self.lists.get(self.reached).map_or(0, |lists| lists.json.len());
        self.waiting.beside + self.waiting.inside.max(current)
    }

    /// The bytes that are held, roughly.
    pub fn held(&self) -> usize {
        let current = self.lists.get(self.reached).map_or(0, |lists| lists.json.len() + lists.rest());
        self.waiting.beside + self.waiting.inside + self.waiting.rest + current
    }
}

impl Lists {
    fn take(&mut self, level: &Level, cells: &[Option<&[u8]>], done: &[Lists]) -> Result<(), Error> {
        let Some(owner) = level.owner else {
            self.json.extend_from_slice(if self.alone > 0 { b"," } else { b"" });
            write(level, cells, done, &mut self.json)?;
            self.first = if self.alone == 0 { self.json.len() } else { self.first };
            self.alone += 1;
            return Ok(());
        };
        let key = cells.get(owner).copied().flatten().ok_or(Error::FewColumns)?;
        let start = self.json.len();
        write(level, cells, done, &mut self.json)?;
        let piece = self.pieces.len();
        self.pieces.push(Piece { start, next: NONE });
        let chain = self.chain(key, piece);
        let Some(chain) = self.chains.get_mut(chain) else { return Ok(()) };
        let before = std::mem::replace(&mut chain.last, piece);
        if let Some(before) = self.pieces.get_mut(before).filter(|_| before != piece) {
            before.next = piece;
        }
        Ok(())
    }

    /// The chain of a key; a new one begins with this piece.
    fn chain(&mut self, key: &[u8], piece: usize) -> usize {
        if let Some(chain) = self.last_chain.filter(|_| self.last == key) {
            return chain;
        }
        let chain = match self.by_key.get(key) {
            Some(chain) => *chain,
            None => {
                self.chains.push(Chain { first: piece, last: piece });
                self.by_key.insert(key.into(), self.chains.len() - 1);
                self.chains.len() - 1
            }
        };
        self.last.clear();
        self.last.extend_from_slice(key);
        self.last_chain = Some(chain);
        chain
    }

    /// Writes the rows of a key, in the order in which they came.
    fn write(&self, key: Option<&[u8]>, out: &mut Vec<u8>) {
        let chain = key.and_then(|key| self.by_key.get(key)).and_then(|chain| self.chains.get(*chain));
        let mut next = chain.map_or(NONE, |chain| chain.first);
        out.push(b'[');
        while let Some(piece) = self.pieces.get(next) {
            let end = self.pieces.get(next + 1).map_or(self.json.len(), |behind| behind.start);
            out.extend_from_slice(self.json.get(piece.start..end).unwrap_or_default());
            out.extend_from_slice(if piece.next == NONE { b"" } else { b"," });
            next = piece.next;
        }
        out.push(b']');
    }

    /// What is held besides JSON, roughly.
    fn rest(&self) -> usize {
        self.pieces.len() * size_of::<Piece>() + self.chains.len() * (size_of::<Chain>() + KEY)
    }
}

fn write(level: &Level, cells: &[Option<&[u8]>], lists: &[Lists], out: &mut Vec<u8>) -> Result<(), Error> {
    row(&level.node, &mut Cells { cells, places: level.places.iter(), lists }, out)
}

/// The columns that a level consumes, in its order.
struct Cells<'a, 's> {
    cells: &'s [Option<&'a [u8]>],
    places: std::slice::Iter<'s, usize>,
    lists: &'s [Lists],
}

impl<'a> Columns<'a> for Cells<'a, '_> {
    fn next(&mut self) -> Result<Option<&'a [u8]>, Error> {
        let place = self.places.next().ok_or(Error::FewColumns)?;
        self.cells.get(*place).copied().ok_or(Error::FewColumns)
    }

    fn level(&mut self, level: usize, share: LevelRows, out: &mut Vec<u8>) -> Result<(), Error> {
        let lists = self.lists.get(level).ok_or(Error::Level)?;
        match share {
            LevelRows::Own => lists.write(self.next()?, out),
            LevelRows::All => {
                out.push(b'[');
                out.extend_from_slice(&lists.json);
                out.push(b']');
            }
            LevelRows::Sole if lists.alone == 0 => null(out),
            // A key that is only declared may have more rows; of records the first is taken too.
            LevelRows::Sole => out.extend_from_slice(lists.json.get(..lists.first).unwrap_or_default()),
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
        let field = |key: &str, node| Field { key: Key::new(key), node };
        let child = Node::Object(vec![field("n", Node::Value(Encoder::Text))]);
        let root = Node::Object(vec![
            field("id", Node::Value(Encoder::Text)),
            field("children", Node::Level(0, LevelRows::Own)),
            field("again", Node::Level(0, LevelRows::Own)),
        ]);
        Levels {
            form: RootForm::List(Key::new("roots")),
            types: vec![25; 3],
            inner: vec![Level { places: vec![1], owner: Some(2), inside: 1, node: child }],
            root: Level { places: vec![1, 1, 2], owner: None, inside: 1, node: root },
        }
    }

    fn row(level: i16, first: &str, second: Option<&str>) -> Row {
        let text = |text: &str| text.as_bytes().to_vec();
        vec![Some(level.to_be_bytes().to_vec()), Some(text(first)), second.map(text)]
    }

    fn answer(rows: &[Row]) -> Result<String, Error> {
        let (levels, mut out) = (levels(), Vec::new());
        let mut gathering = LevelAssembler::new(&levels);
        levels.open(&mut out);
        for row in rows {
            gathering.take(&levels, &mut Cursor(row.iter()), &mut out)?;
        }
        levels.close(gathering.roots(), &mut out);
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn rows_whose_keys_were_not_all_looked_up_are_refused() {
        let levels = levels();
        let mut gathering = LevelAssembler::new(&levels);
        gathering.left[1] = 1;
        let row: Row = vec![Some(1_i16.to_be_bytes().to_vec()), Some(b"a".to_vec()), Some(b"k".to_vec())];
        let mut take = || gathering.take(&levels, &mut Cursor(row.iter()), &mut Vec::new());
        assert_eq!((take(), take()), (Ok(()), Err(Error::Keys)));
    }

    #[test]
    fn rows_come_to_the_ones_that_they_belong_to_in_their_order() {
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
        assert_eq!(answer(&rows).as_deref(), Ok(expected));
        assert_eq!(answer(&[]).as_deref(), Ok(r#"{"roots":[]}"#));
    }

    #[test]
    fn rows_that_come_too_late_are_refused() {
        assert_eq!(answer(&[row(1, "a", None), row(0, "a1", Some("a"))]), Err(Error::Level));
        assert_eq!(answer(&[row(2, "a", None)]), Err(Error::Level));
        assert_eq!(answer(&[row(-1, "a", None)]), Err(Error::Level));
    }

    /// Two lists side by side, and one in the first of them.
    fn nested() -> Levels {
        let field = |key: &str, node| Field { key: Key::new(key), node };
        let text = |key: &str| field(key, Node::Value(Encoder::Text));
        let inner = Level { places: vec![1], owner: Some(2), inside: 1, node: Node::Object(vec![text("c")]) };
        let first = vec![text("a"), field("in", Node::Level(0, LevelRows::Own))];
        let first = Level { places: vec![1, 2], owner: None, inside: 3, node: Node::Object(first) };
        let second = Level { places: vec![1], owner: None, inside: 3, node: Node::Object(vec![text("b")]) };
        let root = vec![field("as", Node::Level(1, LevelRows::All)), field("b", Node::Level(2, LevelRows::Sole))];
        let root = Level { places: vec![], owner: None, inside: 3, node: Node::Object(root) };
        Levels { form: RootForm::Whole, types: vec![25; 3], inner: vec![inner, first, second], root }
    }

    #[test]
    fn what_is_held_is_part_of_the_answer_once() {
        let (levels, mut out) = (nested(), Vec::new());
        let mut gathering = LevelAssembler::new(&levels);
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
            gathering.take(&levels, &mut Cursor(row.iter()), &mut out).unwrap();
            kept.push(gathering.held_bytes());
        }
        // {"c":"1"} is in {"a":"3","in":[{"c":"1"}]}, which stands beside {"b":"5"}.
        assert_eq!(kept, [9, 18, 26, 53, 53 + 9, 53 + 19]);
        // Two keys and two rows by key were held until the rows had come that they belong to.
        assert_eq!(gathering.held(), gathering.held_bytes());
        gathering.take(&levels, &mut Cursor(row(3, "", None).iter()), &mut out).unwrap();
        // Of a key that is none the first row is taken.
        let answer = r#"{"as":[{"a":"3","in":[{"c":"1"}]},{"a":"4","in":[{"c":"2"}]}],"b":{"b":"5"}}"#;
        assert_eq!(String::from_utf8_lossy(&out), answer);
    }

    #[test]
    fn short_rows_are_counted_with_what_they_take_up() {
        let (levels, mut out) = (nested(), Vec::new());
        let mut gathering = LevelAssembler::new(&levels);
        for key in 0..100 {
            let row = row(0, "1", Some(&key.to_string()));
            gathering.take(&levels, &mut Cursor(row.iter()), &mut out).unwrap();
        }
        assert_eq!(gathering.held_bytes(), 900);
        assert!(gathering.held() > 900 + 100 * (16 + 16 + 40), "{}", gathering.held());
    }
}
