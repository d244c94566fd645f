//! Rows of lists within lists that come one level after the other, and not nested in records.

use super::{Key, Node};
use crate::postgres::catalog::Oid;

/// The most rows of a level that others belong to: their keys are one array in Postgres.
pub const KEYS: usize = 1_000_000;

/// Root fields whose lists are levels of their own. The first column of every row says which level it is of: its place in
/// [`Levels::inner`], or their number for a row of the last, which is the root's, or one row of what several roots have
/// beside lists. A level comes before the one that its rows belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// What the rows of the last level are.
    pub form: RootForm,
    /// The types of the columns of every row.
    pub types: Vec<Oid>,
    /// The lists.
    pub inner: Vec<Level>,
    /// The last level.
    pub root: Level,
}

/// What the rows of the last level are in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootForm {
    /// The items of the only root field, `{"key":[…]}`.
    List(Key),
    /// The only root field where there is one, `{"key":{…}}`, else null.
    One(Key),
    /// There is one, the whole answer.
    Whole,
}

/// Which rows of a level stand somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelRows {
    /// Those that belong to the key in the next column, as a list.
    Own,
    /// All of them, as a list.
    All,
    /// The only one, or null.
    Sole,
}

impl Levels {
    /// The answer's beginning, up to the rows of the last level.
    pub fn open(&self, out: &mut Vec<u8>) {
        if let RootForm::List(key) | RootForm::One(key) = &self.form {
            out.push(b'{');
            out.extend_from_slice(key.as_str().as_bytes());
        }
        out.extend_from_slice(if matches!(self.form, RootForm::List(_)) { b"[" } else { b"" });
    }

    /// The answer's end, after so many rows of the last level.
    pub fn close(&self, rows: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(match &self.form {
            RootForm::List(_) => b"]}",
            RootForm::One(_) if rows == 0 => b"null}",
            RootForm::One(_) => b"}",
            RootForm::Whole => b"",
        });
    }

    /// Whether there may be so many rows of the last level.
    pub fn allows(&self, rows: usize) -> bool {
        match self.form {
            RootForm::List(_) => true,
            RootForm::One(_) => rows <= 1,
            RootForm::Whole => rows == 1,
        }
    }
}

/// The rows of one list, whichever row they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Where the columns that the node consumes stand in a row, in the node's order.
    pub places: Vec<usize>,
    /// Where the key stands by which a row belongs to one of another level, if it belongs to any.
    pub owner: Option<usize>,
    /// The level in whose rows they stand: its place in [`Levels::inner`], or their number for the last.
    pub inside: usize,
    /// What each row becomes.
    pub node: Node,
}
