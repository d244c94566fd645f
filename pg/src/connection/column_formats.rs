//! The format in which Postgres sends each column of a prepared statement.
//! <https://www.postgresql.org/docs/15/protocol-message-formats.html> (`Bind`)

use std::sync::Arc;

use crate::protocol::ALL_BINARY;

/// The formats of the columns of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnFormats(Arc<[i16]>);

const TEXT: i16 = 0;
const BINARY: i16 = 1;

/// `text`, `varchar`, `bpchar`, `name` and `json`, from Postgres' `pg_type.dat`.
const TYPES_WITH_EQUAL_FORMATS: [u32; 5] = [25, 1043, 1042, 19, 114];

/// Whether the text and the binary format of a type are equal bytes, as those of texts and of
/// `json` are.
fn has_equal_formats(oid: u32) -> bool {
    TYPES_WITH_EQUAL_FORMATS.contains(&oid)
}

impl ColumnFormats {
    /// Chooses the formats of columns with these types: text where its bytes are equal, since
    /// Postgres makes a buffer for each value in binary format; otherwise binary.
    pub(crate) fn new(types: &[u32]) -> ColumnFormats {
        if !types.iter().copied().any(has_equal_formats) {
            return ColumnFormats(ALL_BINARY.into());
        }
        let format = |oid: &u32| {
            if has_equal_formats(*oid) {
                TEXT
            } else {
                BINARY
            }
        };
        ColumnFormats(types.iter().map(format).collect())
    }

    /// The format codes: one for each column, or one for all.
    pub(crate) fn codes(&self) -> &[i16] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_with_equal_bytes_are_sent_as_text() {
        // uuid, text, jsonb, json, varchar, bool.
        let formats = ColumnFormats::new(&[2950, 25, 3802, 114, 1043, 16]);
        assert_eq!(formats.codes(), [BINARY, TEXT, BINARY, TEXT, TEXT, BINARY]);
        assert_eq!(ColumnFormats::new(&[2950, 3802]).codes(), [BINARY]);
    }
}
