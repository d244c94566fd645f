//! Reads the parts of a binary value: integers, length-prefixed values, and the columns of a
//! record. Every length is checked against the bytes left; decoding the values is left to the
//! encoders.

use super::error::Error;
use crate::encode::shape::{Encoder, LevelRows};

/// The bytes of a binary value that have not been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buffer<'a>(&'a [u8]);

/// A source of column values: a row or a record, read from left to right.
pub trait Columns<'a> {
    /// Returns the next column's bytes, `None` for null.
    ///
    /// Errors: [`Error::FewColumns`] after the last column.
    fn next(&mut self) -> Result<Option<&'a [u8]>, Error>;

    /// Returns the next column's bytes, to be decoded by `encoder`. A source whose columns carry
    /// type OIDs checks them against the encoder.
    ///
    /// Errors: as [`Columns::next`], and [`Error::Type`].
    #[inline]
    fn next_for(&mut self, _encoder: &Encoder) -> Result<Option<&'a [u8]>, Error> {
        self.next()
    }

    /// Writes the collected rows of a level. Only rows of a level union have levels; every other
    /// source returns [`Error::Level`].
    fn level(&mut self, _level: usize, _share: LevelRows, _out: &mut Vec<u8>) -> Result<(), Error> {
        Err(Error::Level)
    }
}

/// Reads a binary record: the number of columns, then for each column the OID of its type and its
/// value.
#[derive(Debug)]
pub(super) struct Record<'a> {
    buffer: Buffer<'a>,
    left: i32,
}

/// Returns the bytes of a value of a fixed-size type.
pub(super) fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Size {
        expected: N,
        found: bytes.len(),
    })
}

impl<'a> Buffer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Buffer<'a> {
        Buffer(bytes)
    }

    /// Reads four bytes as a big-endian integer.
    pub(super) fn int4(&mut self) -> Result<i32, Error> {
        self.array().map(i32::from_be_bytes)
    }

    /// Reads two bytes as a big-endian integer.
    pub(super) fn int2(&mut self) -> Result<i16, Error> {
        self.array().map(i16::from_be_bytes)
    }

    /// Reads a value: its length, -1 for null, and its bytes.
    pub(super) fn value(&mut self) -> Result<Option<&'a [u8]>, Error> {
        match self.int4()? {
            -1 => Ok(None),
            length => self
                .take(usize::try_from(length).map_err(|_| Error::Length(length))?)
                .map(Some),
        }
    }

    /// Reads the next `length` bytes.
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Error::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Fails with [`Error::Surplus`] if bytes are left.
    pub(super) fn end(&self) -> Result<(), Error> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::Surplus)
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Error::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }
}

impl<'a> Record<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Record<'a>, Error> {
        let mut buffer = Buffer::new(bytes);
        let left = buffer.int4()?;
        if left < 0 {
            Err(Error::Length(left))
        } else {
            Ok(Record { buffer, left })
        }
    }

    /// Fails if columns or bytes are left.
    pub(super) fn end(&self) -> Result<(), Error> {
        if self.left > 0 {
            Err(Error::ManyColumns)
        } else {
            self.buffer.end()
        }
    }
}

impl<'a> Columns<'a> for Record<'a> {
    fn next(&mut self) -> Result<Option<&'a [u8]>, Error> {
        if self.left <= 0 {
            return Err(Error::FewColumns);
        }
        self.left -= 1;
        self.buffer.int4()?;
        self.buffer.value()
    }

    fn next_for(&mut self, encoder: &Encoder) -> Result<Option<&'a [u8]>, Error> {
        if self.left <= 0 {
            return Err(Error::FewColumns);
        }
        self.left -= 1;
        let oid = self.buffer.int4()?.cast_unsigned();
        if !encoder.takes(oid) {
            return Err(Error::Type(oid));
        }
        self.buffer.value()
    }
}
