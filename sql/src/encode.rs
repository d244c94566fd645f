//! Binary rows and their `Shape` to JSON bytes. Each value is written as the server's own `to_json(x)::text` writes it
//! (with `DateStyle` ISO and `TimeZone` UTC); the decoder goes by the shape; a type named in a
//! record that its encoder is not made for is an error.
//! Fetching the rows, and the answer around them, is left to the caller.

mod array;
mod buffer;
mod connection;
mod digits;
mod float;
mod level_union;
mod datetime;
mod numeric;
mod text;

use crate::encode::shape::{Encoder, Field, LevelRows, Node};
use buffer::Record;
pub use level_union::LevelAssembler;

/// The columns of a row or record, in order.
pub trait Columns<'a> {
    /// The next column's bytes, `None` for null; an error when there is no column left.
    fn next(&mut self) -> Result<Option<&'a [u8]>, Error>;

    /// The next column's bytes, which are a value for that encoder. Columns that carry the OIDs of their types check them.
    #[inline]
    fn next_for(&mut self, _encoder: &Encoder) -> Result<Option<&'a [u8]>, Error> {
        self.next()
    }

    /// Writes rows of that level, which only rows that come in levels have.
    fn level(&mut self, _level: usize, _share: LevelRows, _out: &mut Vec<u8>) -> Result<(), Error> {
        Err(Error::Level)
    }
}

/// Why binary data cannot be written as its shape says. None of these is the client's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The shape asks for more columns than there are.
    #[error("there are fewer columns than the shape has")]
    FewColumns,
    /// A record has columns that its shape does not ask for.
    #[error("a record has more columns than its shape")]
    ManyColumns,
    /// A length points behind the end of its value.
    #[error("a value ends too early")]
    Truncated,
    /// A value goes on behind its last part.
    #[error("a value has bytes behind its end")]
    Surplus,
    /// A value of a fixed size has another one.
    #[error("a value of {expected} bytes has {found}")]
    Size {
        /// What the type's binary form has.
        expected: usize,
        /// What was sent.
        found: usize,
    },
    /// A length that is negative and does not mean null, or a dimension without elements.
    #[error("a length is {0}")]
    Length(i32),
    /// An array with a number of dimensions that Postgres does not have, or not where one is expected.
    #[error("an array has {0} dimensions")]
    Dimensions(i32),
    /// A boolean that is neither 0 nor 1.
    #[error("a boolean is {0}")]
    Bool(u8),
    /// A group of four decimal digits beyond 9999.
    #[error("a group of numeric digits is {0}")]
    NumericGroup(u16),
    /// A sign that the numeric type does not have.
    #[error("the sign of a numeric is {0:#06x}")]
    NumericSign(u16),
    /// A floating point number of which no decimal digits were made.
    #[error("a floating point number has no digits")]
    FloatDigits,
    /// A time of day before 00:00 or after 24:00.
    #[error("a time of day is {0} microseconds")]
    TimeOfDay(i64),
    /// A row of a level that is not there, or of one whose rows have all come before.
    #[error("a row is of a level that has no place for it")]
    Level,
    /// A record has a value of another type than its encoder is made for: the database has changed since the statement was
    /// translated.
    #[error("a record has a value of the type with OID {0}, which its column did not have when the catalog was read")]
    Type(u32),
    /// More rows of a level than others may belong to.
    #[error("a list has too many rows with lists in them")]
    Keys,
    /// A version of the binary form of `jsonb` that is not known.
    #[error("the version of a jsonb value is {0}")]
    JsonbVersion(u8),
}

/// Writes what the next columns become under this node.
pub fn row<'a>(node: &Node, columns: &mut impl Columns<'a>, out: &mut Vec<u8>) -> Result<(), Error> {
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

/// Writes an object of these fields, `{"key":value,…}`, from the next columns.
pub fn fields<'a>(fields: &[Field], columns: &mut impl Columns<'a>, out: &mut Vec<u8>) -> Result<(), Error> {
    out.push(b'{');
    for (index, field) in fields.iter().enumerate() {
        let key = if index > 0 { field.key.behind() } else { field.key.as_str() };
        out.extend_from_slice(key.as_bytes());
        match &field.node {
            // Nearly all of them, and where the time goes.
            Node::Value(encoder) => nullable(encoder, columns.next_for(encoder)?, out)?,
            node => row(node, columns, out)?,
        }
    }
    out.push(b'}');
    Ok(())
}

fn optional<'a>(inner: &[Field], columns: &mut impl Columns<'a>, out: &mut Vec<u8>) -> Result<(), Error> {
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
    let bytes = if records.count == 0 { None } else { records.buffer.value()? };
    record(element, bytes, out)
}

fn record(node: &Node, bytes: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Error> {
    let Some(bytes) = bytes else {
        null(out);
        return Ok(());
    };
    let mut columns = Record::open(bytes)?;
    row(node, &mut columns, out)?;
    // A record that is longer than its shape means that the two were not made together: better no answer than a
    // shifted one.
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
        Encoder::Timestamp => datetime::timestamp(i64::from_be_bytes(buffer::fixed(bytes)?), "", out),
        Encoder::TimestampTz => datetime::timestamp(i64::from_be_bytes(buffer::fixed(bytes)?), "+00:00", out),
        Encoder::Json | Encoder::JsonText => out.extend_from_slice(bytes),
        Encoder::Jsonb => text::jsonb(bytes, out)?,
        Encoder::Bytea => text::bytea(bytes, out),
        Encoder::Array(element) => array::nested(bytes, out, |bytes, out| nullable(element, bytes, out))?,
        Encoder::Quoted(inner) => quoted(inner, bytes, out)?,
        Encoder::Domain(_, inner) => value(inner, bytes, out)?,
    }
    Ok(())
}

/// A number between quotes. `"NaN"` has them already, an array has them around its elements, and what is no number
/// stays as it is.
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
