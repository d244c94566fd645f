//! The shape of a level union: a statement that returns the rows of nested lists level by level
//! instead of nested in records. [`LevelAssembler`](crate::encode::LevelAssembler) encodes such
//! rows.

use super::{Key, Node};
use crate::postgres::catalog::Oid;

/// The most rows of a level whose rows have child lists: their keys are passed as one Postgres
/// array.
pub const MAX_PARENT_ROWS: usize = 1_000_000;

/// Root fields whose lists are separate levels of one result. The first column of every row is the
/// number of its level: an index into [`Levels::inner`], or the length of `inner` for the last
/// level. Rows of the last level are the rows of the only root field, or one row with the fields of
/// several root fields other than lists. A level comes before the level of its parent rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// What the rows of the last level become.
    pub form: RootForm,
    /// The OIDs of the column types. All levels share the columns.
    pub types: Vec<Oid>,
    /// The levels of the lists, inner lists first.
    pub inner: Vec<Level>,
    /// The last level, that of the root.
    pub root: Level,
}

/// What the rows of the last level become in the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootForm {
    /// The items of the only root field, `{"key":[…]}`.
    List(Key),
    /// At most one row, that of the only root field: `{"key":{…}}`, or `{"key":null}` without a
    /// row.
    One(Key),
    /// Exactly one row, the whole response.
    Whole,
}

/// Which rows of a level a node contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelRows {
    /// The rows whose key equals the next column, as a list.
    Own,
    /// All rows, as a list.
    All,
    /// The only row, or null.
    Sole,
}

impl Levels {
    /// Writes the response up to the rows of the last level.
    pub fn open(&self, out: &mut Vec<u8>) {
        if let RootForm::List(key) | RootForm::One(key) = &self.form {
            out.push(b'{');
            out.extend_from_slice(key.as_str().as_bytes());
        }
        out.extend_from_slice(if matches!(self.form, RootForm::List(_)) {
            b"["
        } else {
            b""
        });
    }

    /// Writes the end of the response, after `rows` rows of the last level.
    pub fn close(&self, rows: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(match &self.form {
            RootForm::List(_) => b"]}",
            RootForm::One(_) if rows == 0 => b"null}",
            RootForm::One(_) => b"}",
            RootForm::Whole => b"",
        });
    }

    /// Whether the last level may have `rows` rows.
    pub fn allows(&self, rows: usize) -> bool {
        match self.form {
            RootForm::List(_) => true,
            RootForm::One(_) => rows <= 1,
            RootForm::Whole => rows == 1,
        }
    }
}

/// The rows of one list field, of all its parent rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Indexes of the columns that the node consumes, in the node's order.
    pub places: Vec<usize>,
    /// Index of the column with the key of the parent row, if the rows have parents in another
    /// level.
    pub owner: Option<usize>,
    /// The level of the parent rows: an index into [`Levels::inner`], or its length for the last
    /// level.
    pub inside: usize,
    /// The JSON of each row.
    pub node: Node,
}
