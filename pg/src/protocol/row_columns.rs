//! Reads the columns of a row from the bytes of its message.
//! <https://www.postgresql.org/docs/15/protocol-message-formats.html> (`DataRow`)

/// Why a column cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// The row has no further column.
    #[error("the row has no further column")]
    FewColumns,
    /// The row ends within a column.
    #[error("the row ends within a column")]
    Truncated,
    /// A length is negative and not that of a null.
    #[error("a column has the length {0}")]
    Length(i32),
}

/// The columns of a row, read in order. Their bytes are those of the row.
#[derive(Clone, Copy, Debug)]
pub struct RowColumns<'a> {
    left: u16,
    bytes: &'a [u8],
}

impl<'a> RowColumns<'a> {
    /// Reads a `DataRow` message: the number of columns, then the length and bytes of each.
    #[inline]
    pub fn new(row: &'a [u8]) -> RowColumns<'a> {
        match row.split_first_chunk() {
            Some((count, bytes)) => RowColumns {
                left: u16::from_be_bytes(*count),
                bytes,
            },
            None => RowColumns {
                left: 0,
                bytes: row,
            },
        }
    }

    /// The number of bytes of the columns that have not been read.
    #[inline]
    pub fn byte_length(&self) -> usize {
        self.bytes.len()
    }

    /// The columns that have not been read, as bytes from which [`RowColumns::from_rest`] reads
    /// them again.
    pub fn rest(&self) -> (u16, &'a [u8]) {
        (self.left, self.bytes)
    }

    /// The columns of [`RowColumns::rest`].
    pub fn from_rest(left: u16, bytes: &'a [u8]) -> RowColumns<'a> {
        RowColumns { left, bytes }
    }

    /// The next column as text, or `None` for null or invalid UTF-8.
    pub fn text(&mut self) -> Option<String> {
        let bytes = self.next_column().ok().flatten()?;
        String::from_utf8(bytes.to_vec()).ok()
    }

    /// The bytes of the next column, or `None` for null.
    #[inline]
    pub fn next_column(&mut self) -> Result<Option<&'a [u8]>, RowError> {
        self.left = self.left.checked_sub(1).ok_or(RowError::FewColumns)?;
        let (length, rest) = self.bytes.split_first_chunk().ok_or(RowError::Truncated)?;
        let length = i32::from_be_bytes(*length);
        self.bytes = rest;
        if length == -1 {
            return Ok(None);
        }
        let length = usize::try_from(length).map_err(|_| RowError::Length(length))?;
        let (value, rest) = rest.split_at_checked(length).ok_or(RowError::Truncated)?;
        self.bytes = rest;
        Ok(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_within_their_row() {
        let row = b"\0\x03\0\0\0\x02ab\xff\xff\xff\xff\0\0\0\0";
        let mut columns = RowColumns::new(row);
        assert_eq!(columns.next_column(), Ok(Some(&b"ab"[..])));
        assert_eq!(columns.next_column(), Ok(None));
        assert_eq!(columns.next_column(), Ok(Some(&b""[..])));
        assert_eq!(columns.next_column(), Err(RowError::FewColumns));
        assert_eq!(
            RowColumns::new(b"\0\x01\0\0\0\x09ab").next_column(),
            Err(RowError::Truncated)
        );
        assert_eq!(
            RowColumns::new(b"\0\x01\xff\xff\xff\xfe").next_column(),
            Err(RowError::Length(-2))
        );
        assert_eq!(
            RowColumns::new(b"").next_column(),
            Err(RowError::FewColumns)
        );
        assert_eq!(
            RowColumns::new(b"\0\x01\0\0\0\x02ab").text(),
            Some("ab".into())
        );
    }
}
