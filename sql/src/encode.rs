//! Encodes binary Postgres rows as JSON bytes. The [`shape`] of the statement says which JSON each
//! column becomes; every value is written as the server's own `to_json(x)::text` writes it (with
//! `DateStyle` ISO and `TimeZone` UTC). A record column whose type OID is not one that its encoder
//! decodes is an error.
//!
//! This is the last step of a request. Fetching the rows and writing the `{"data":…}` envelope
//! around them are left to the caller.

mod array;
mod buffer;
mod connection;
mod digits;
mod float;
mod length;
mod level_union;
mod datetime;
mod numeric;
mod text;

use crate::encode::shape::{Encoder, Field, LevelRows, Node};
use buffer::Record;
pub use length::{fields_length, row_length};
pub use level_union::LevelAssembler;

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

/// Why binary data cannot be encoded by its shape. The client causes none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The shape consumes more columns than the row has.
    #[error("there are fewer columns than the shape has")]
    FewColumns,
    /// A record has more columns than its shape consumes.
    #[error("a record has more columns than its shape")]
    ManyColumns,
    /// A length points past the end of its value.
    #[error("a value ends too early")]
    Truncated,
    /// Bytes are left after the last part of a value.
    #[error("a value has bytes behind its end")]
    Surplus,
    /// A value of a fixed-size type has another length.
    #[error("a value of {expected} bytes has {found}")]
    Size {
        /// Bytes in the type's binary form.
        expected: usize,
        /// Bytes received.
        found: usize,
    },
    /// A negative length other than -1 (null), or an array dimension of length 0.
    #[error("a length is {0}")]
    Length(i32),
    /// An array with more than six or a negative number of dimensions, or a multidimensional array
    /// where the shape has a list of records.
    #[error("an array has {0} dimensions")]
    Dimensions(i32),
    /// A boolean byte other than 0 or 1.
    #[error("a boolean is {0}")]
    Bool(u8),
    /// A base-10000 digit of a `numeric` above 9999.
    #[error("a group of numeric digits is {0}")]
    NumericGroup(u16),
    /// A sign field that the binary form of `numeric` does not define.
    #[error("the sign of a numeric is {0:#06x}")]
    NumericSign(u16),
    /// No decimal digits were found for a floating point number.
    #[error("a floating point number has no digits")]
    FloatDigits,
    /// A time of day before 00:00 or after 24:00, in microseconds.
    #[error("a time of day is {0} microseconds")]
    TimeOfDay(i64),
    /// A row of a level that does not exist, or of a level whose rows have all been received.
    #[error("a row is of a level that has no place for it")]
    Level,
    /// A record has a value with the type of this OID, which its encoder does not decode: the
    /// schema has changed since the statement was translated.
    #[error(
        "a record has a value of the type with OID {0}, which its column did not have when \
             the catalog was read"
    )]
    Type(u32),
    /// A level whose rows have child lists has more rows than [`shape::KEYS`].
    #[error("a list has too many rows with lists in them")]
    Keys,
    /// A version of the binary form of `jsonb` other than 1.
    #[error("the version of a jsonb value is {0}")]
    JsonbVersion(u8),
}

/// Encodes the columns that a node consumes.
pub fn row<'a>(
    node: &Node,
    columns: &mut impl Columns<'a>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    match node {
        Node::Value(encoder) => nullable(encoder, columns.next_for(encoder)?, out),
        Node::Constant(json) => {
            out.extend_from_slice(json.as_bytes());
            Ok(())
        }
        Node::Object(inner) => fields(inner, columns, out),
        Node::Optional(inner) => optional(inner, columns, out),
        Node::List(element) => list(element, columns.next()?, out),
        Node::Level(level, share) => columns.level(*level, *share, out),
        Node::One(element) => first(element, columns.next()?, out),
        Node::Record(inner) => record(inner, columns.next()?, out),
        Node::Reversed(element) => connection::reversed(element, columns.next()?, out),
        Node::Cursor(cursor) => connection::cursor(cursor, columns, out),
        Node::Connection(page) => connection::page(page, columns, out),
    }
}

/// Encodes an object of these fields, `{"key":value,…}`, from the next columns.
pub fn fields<'a>(
    fields: &[Field],
    columns: &mut impl Columns<'a>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let start = out.len();
    for field in fields {
        field.key.write(out);
        match &field.node {
            // Nearly all fields are plain values, and most of the encoding time is spent here.
            Node::Value(encoder) => nullable(encoder, columns.next_for(encoder)?, out)?,
            node => row(node, columns, out)?,
        }
    }
    // The comma before the first key becomes the brace.
    match out.get_mut(start) {
        Some(first) => *first = b'{',
        None => out.push(b'{'),
    }
    out.push(b'}');
    Ok(())
}

fn optional<'a>(
    inner: &[Field],
    columns: &mut impl Columns<'a>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    if columns.next()?.map(boolean).transpose()? == Some(true) {
        return fields(inner, columns, out);
    }
    let absent: usize = inner.iter().map(|field| field.node.columns()).sum();
    for _ in 0..absent {
        columns.next()?;
    }
    null(out);
    Ok(())
}

fn list(element: &Node, bytes: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Error> {
    out.push(b'[');
    if let Some(bytes) = bytes {
        let mut records = array::records(bytes)?;
        for index in 0..records.count {
            if index > 0 {
                out.push(b',');
            }
            record(element, records.buffer.value()?, out)?;
        }
        records.buffer.end()?;
    }
    out.push(b']');
    Ok(())
}

fn first(element: &Node, bytes: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Error> {
    let Some(bytes) = bytes else {
        null(out);
        return Ok(());
    };
    let mut records = array::records(bytes)?;
    let bytes = if records.count == 0 {
        None
    } else {
        records.buffer.value()?
    };
    record(element, bytes, out)
}

fn record(node: &Node, bytes: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Error> {
    let Some(bytes) = bytes else {
        null(out);
        return Ok(());
    };
    let mut columns = Record::open(bytes)?;
    row(node, &mut columns, out)?;
    // A record with columns left does not fit its shape. An error is better than values under the
    // wrong keys.
    columns.end()
}

#[inline]
fn nullable(encoder: &Encoder, bytes: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Error> {
    match bytes {
        Some(bytes) => value(encoder, bytes, out),
        None => {
            null(out);
            Ok(())
        }
    }
}

#[inline]
fn value(encoder: &Encoder, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    match encoder {
        Encoder::Bool => out.extend_from_slice(if boolean(bytes)? { b"true" } else { b"false" }),
        Encoder::Int2 => digits::signed(i16::from_be_bytes(buffer::fixed(bytes)?).into(), out),
        Encoder::Int4 => digits::signed(i32::from_be_bytes(buffer::fixed(bytes)?).into(), out),
        Encoder::Int8 => digits::signed(i64::from_be_bytes(buffer::fixed(bytes)?), out),
        Encoder::Float4 => float::single(f32::from_be_bytes(buffer::fixed(bytes)?), out)?,
        Encoder::Float8 => float::double(f64::from_be_bytes(buffer::fixed(bytes)?), out)?,
        Encoder::Numeric => numeric::numeric(bytes, out)?,
        Encoder::Text => text::string(bytes, out),
        Encoder::Uuid => text::uuid(buffer::fixed(bytes)?, out),
        Encoder::Date => datetime::date(i32::from_be_bytes(buffer::fixed(bytes)?), out),
        Encoder::Time => datetime::time(i64::from_be_bytes(buffer::fixed(bytes)?), out)?,
        Encoder::Timestamp => {
            datetime::timestamp(i64::from_be_bytes(buffer::fixed(bytes)?), b"", out);
        }
        Encoder::TimestampTz => {
            datetime::timestamp(i64::from_be_bytes(buffer::fixed(bytes)?), b"+00:00", out);
        }
        Encoder::Json | Encoder::JsonText => out.extend_from_slice(bytes),
        Encoder::Jsonb => text::jsonb(bytes, out)?,
        Encoder::Bytea => text::bytea(bytes, out),
        Encoder::Array(element) => {
            array::nested(bytes, out, |bytes, out| nullable(element, bytes, out))?;
        }
        Encoder::Quoted(inner) => quoted(inner, bytes, out)?,
        Encoder::Domain(_, inner) => value(inner, bytes, out)?,
    }
    Ok(())
}

/// Encodes a number as a JSON string. `"NaN"` is a string already, an array quotes its elements,
/// and other types are written unchanged.
fn quoted(inner: &Encoder, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    use Encoder::{Array, Float4, Float8, Int2, Int4, Int8, Numeric};
    match inner {
        Array(element) => array::nested(bytes, out, |bytes, out| match bytes {
            Some(bytes) => quoted(element, bytes, out),
            None => nullable(element, None, out),
        }),
        Int2 | Int4 | Int8 | Float4 | Float8 | Numeric => {
            let start = out.len();
            out.push(b'"');
            value(inner, bytes, out)?;
            if out.get(start + 1) == Some(&b'"') {
                out.remove(start);
            } else {
                out.push(b'"');
            }
            Ok(())
        }
        _ => value(inner, bytes, out),
    }
}

fn boolean(bytes: &[u8]) -> Result<bool, Error> {
    match buffer::fixed(bytes)? {
        [0] => Ok(false),
        [1] => Ok(true),
        [other] => Err(Error::Bool(other)),
    }
}

fn null(out: &mut Vec<u8>) {
    out.extend_from_slice(b"null");
}

#[cfg(test)]
mod tests;
pub mod shape;
pub mod cursor;
