//! Encodes binary Postgres rows as JSON bytes. The [`shape`] of the statement says which JSON each
//! column becomes; every value is written as the server's own `to_json(x)::text` writes it (with
//! `DateStyle` ISO and `TimeZone` UTC). A record column whose type OID is not one that its encoder
//! decodes is an error.
//!
//! This is the last step of a request. Fetching the rows and writing the `{"data":…}` envelope
//! around them are left to the caller.

mod array;
mod buffer;
mod error;
mod connection;
mod digits;
mod float;
mod length;
mod level_union;
mod datetime;
mod numeric;
mod text;

use crate::encode::shape::{Encoder, Field, Node};
pub use buffer::Columns;
use buffer::Record;
pub use error::Error;
pub use length::{fields_length, row_length};
pub use level_union::LevelAssembler;

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
