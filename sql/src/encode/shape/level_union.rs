//! The shape of a level union: a statement that returns the rows of nested lists level by level
//! instead of nested in records. [`LevelAssembler`](crate::encode::LevelAssembler) encodes such
//! rows.

use super::{Levels, RootForm};

/// The most rows of a level whose rows have child lists: their keys are passed as one Postgres
/// array.
pub const MAX_PARENT_ROWS: usize = 1_000_000;

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
