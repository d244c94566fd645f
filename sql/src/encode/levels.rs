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
