//! Rows of lists within lists that come one level after the other: those of inner lists are written aside, and put into
//! the rows that they belong to when these come.

use std::collections::HashMap;

use super::{Columns, Error, buffer, null, row};
use crate::shape::{Level, Levels, Share};

/// The rows of an answer that have come so far.
#[derive(Debug)]
pub struct Gathering {
    lists: Vec<Lists>,
    /// The level of the last row.
    reached: usize,
    roots: usize,
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
}

/// A row's JSON, and the next row that belongs to the same key.
#[derive(Debug)]
struct Piece {
    start: usize,
    end: usize,
    next: Option<usize>,
}

/// The rows of one key.
#[derive(Debug)]
struct Chain {
    first: usize,
    last: usize,
}

impl Gathering {
    /// Before the first row.
    pub fn new(levels: &Levels) -> Gathering {
        Gathering { lists: levels.inner.iter().map(|_| Lists::default()).collect(), reached: 0, roots: 0 }
    }

    /// Takes a row: one of the root's is written, any other kept for the row that it belongs to.
    pub fn take<'a>(
        &mut self,
        levels: &Levels,
        columns: &mut impl Columns<'a>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let cells = (0..levels.width).map(|_| columns.next()).collect::<Result<Vec<_>, Error>>()?;
        let number = cells.first().copied().flatten().ok_or(Error::FewColumns)?;
        let number = usize::try_from(i16::from_be_bytes(buffer::fixed(number)?)).map_err(|_| Error::Level)?;
        // A level is complete before rows come that it belongs to: else lists would lack rows.
        if number < std::mem::replace(&mut self.reached, number) || number > levels.inner.len() {
            return Err(Error::Level);
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

    /// The bytes of the largest level that is kept: the answer has no fewer.
    pub fn kept(&self) -> usize {
        self.lists.iter().map(|lists| lists.json.len()).max().unwrap_or_default()
    }
}

impl Lists {
    fn take(&mut self, level: &Level, cells: &[Option<&[u8]>], done: &[Lists]) -> Result<(), Error> {
        let Some(owner) = level.owner else {
            self.json.extend_from_slice(if self.alone > 0 { b"," } else { b"" });
            self.alone += 1;
            return write(level, cells, done, &mut self.json);
        };
        let key = cells.get(owner).copied().flatten().ok_or(Error::FewColumns)?;
        let start = self.json.len();
        write(level, cells, done, &mut self.json)?;
        let piece = self.pieces.len();
        self.pieces.push(Piece { start, end: self.json.len(), next: None });
        let chain = self.chain(key, piece);
        let Some(chain) = self.chains.get_mut(chain) else { return Ok(()) };
        let before = std::mem::replace(&mut chain.last, piece);
        if let Some(before) = self.pieces.get_mut(before).filter(|_| before != piece) {
            before.next = Some(piece);
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
        let mut next = chain.map(|chain| chain.first);
        out.push(b'[');
        while let Some(piece) = next.and_then(|piece| self.pieces.get(piece)) {
            out.extend_from_slice(self.json.get(piece.start..piece.end).unwrap_or_default());
            out.extend_from_slice(if piece.next.is_some() { b"," } else { b"" });
            next = piece.next;
        }
        out.push(b']');
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

    fn level(&mut self, level: usize, share: Share, out: &mut Vec<u8>) -> Result<(), Error> {
        let lists = self.lists.get(level).ok_or(Error::Level)?;
        match share {
            Share::Own => lists.write(self.next()?, out),
            Share::All => {
                out.push(b'[');
                out.extend_from_slice(&lists.json);
                out.push(b']');
            }
            Share::Sole if lists.alone > 1 => return Err(Error::Level),
            Share::Sole if lists.alone == 0 => null(out),
            Share::Sole => out.extend_from_slice(&lists.json),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Encoder, Field, Form, Key, Node};

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
            field("children", Node::Level(0, Share::Own)),
            field("again", Node::Level(0, Share::Own)),
        ]);
        Levels {
            form: Form::List(Key::new("roots")),
            width: 3,
            inner: vec![Level { places: vec![1], owner: Some(2), node: child }],
            root: Level { places: vec![1, 1, 2], owner: None, node: root },
        }
    }

    fn row(level: i16, first: &str, second: Option<&str>) -> Row {
        let text = |text: &str| text.as_bytes().to_vec();
        vec![Some(level.to_be_bytes().to_vec()), Some(text(first)), second.map(text)]
    }

    fn answer(rows: &[Row]) -> Result<String, Error> {
        let (levels, mut out) = (levels(), Vec::new());
        let mut gathering = Gathering::new(&levels);
        levels.open(&mut out);
        for row in rows {
            gathering.take(&levels, &mut Cursor(row.iter()), &mut out)?;
        }
        levels.close(gathering.roots(), &mut out);
        Ok(String::from_utf8_lossy(&out).into_owned())
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
}
