//! Encodes pages of rows: cursors, lists in reverse order, and the connection objects of the Relay
//! cursor specification.

use super::array;
use super::buffer::{self, Record};
use super::{Columns, Error, boolean, null, record, row};
use crate::encode::cursor;
use crate::encode::shape::{Connection, Cursor, InfoPart, Node, PagePart};

/// The records of an array, in order; `None` for a null record.
type Records<'a> = Vec<Option<&'a [u8]>>;

/// Encodes the records of an array in reverse order, as a list.
pub(super) fn reversed(
    element: &Node,
    bytes: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let records = records(bytes)?;
    separated(records.into_iter().rev(), out, |bytes, out| {
        record(element, bytes, out)
    })
}

/// Encodes a cursor from the next columns, which are the row's sort values as text.
pub(super) fn cursor<'a>(
    with: &Cursor,
    columns: &mut impl Columns<'a>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let values = (0..with.values)
        .map(|_| columns.next())
        .collect::<Result<Vec<_>, Error>>()?;
    out.push(b'"');
    out.extend_from_slice(
        cursor::encode(&with.secret, with.ordering, values.into_iter()).as_bytes(),
    );
    out.push(b'"');
    Ok(())
}

/// The decoded columns of a connection, its records in the order of the list.
struct Page<'a> {
    records: Records<'a>,
    next: bool,
    previous: bool,
    total: Option<&'a [u8]>,
}

pub(super) fn page<'a>(
    page: &Connection,
    columns: &mut impl Columns<'a>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let found = read(page, columns)?;
    out.push(b'{');
    for (i, (key, part)) in page.fields.iter().enumerate() {
        out.extend_from_slice(if i > 0 { b"," } else { b"" });
        out.extend_from_slice(key.as_str().as_bytes());
        match part {
            PagePart::Constant(json) => out.extend_from_slice(json.as_bytes()),
            PagePart::Rows { skip, node } => {
                separated(found.records.iter().copied(), out, |bytes, out| {
                    part_of(bytes, *skip, node, out)
                })?;
            }
            PagePart::Total => {
                super::nullable(&crate::encode::shape::Encoder::Int8, found.total, out)?;
            }
            PagePart::Info {
                skip,
                cursor,
                fields,
            } => info(&found, *skip, cursor.as_ref(), fields, out)?,
        }
    }
    out.push(b'}');
    Ok(())
}

fn read<'a>(page: &Connection, columns: &mut impl Columns<'a>) -> Result<Page<'a>, Error> {
    let mut records = records(columns.next()?)?;
    let limit = columns
        .next()?
        .map(buffer::fixed)
        .transpose()?
        .map(i64::from_be_bytes);
    let limit = limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(usize::MAX);
    let more = records.len() > limit;
    records.truncate(limit);
    let beyond = if page.beyond {
        columns.next()?.map(boolean).transpose()? == Some(true)
    } else {
        false
    };
    let total = if page.total { columns.next()? } else { None };
    if page.backwards {
        records.reverse();
        return Ok(Page {
            records,
            next: beyond,
            previous: more,
            total,
        });
    }
    Ok(Page {
        records,
        next: more,
        previous: beyond,
        total,
    })
}

fn info(
    page: &Page<'_>,
    skip: usize,
    cursor: Option<&Cursor>,
    fields: &[(crate::encode::shape::Key, InfoPart)],
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let write_cursor = |record: Option<&Option<&[u8]>>, out: &mut Vec<u8>| match (
        record.copied().flatten(),
        cursor,
    ) {
        (Some(bytes), Some(cursor)) => {
            part_of(Some(bytes), skip, &Node::Cursor(cursor.clone()), out)
        }
        _ => {
            null(out);
            Ok(())
        }
    };
    out.push(b'{');
    for (i, (key, part)) in fields.iter().enumerate() {
        out.extend_from_slice(if i > 0 { b"," } else { b"" });
        out.extend_from_slice(key.as_str().as_bytes());
        match part {
            InfoPart::Constant(json) => out.extend_from_slice(json.as_bytes()),
            InfoPart::HasNext => out.extend_from_slice(page.next.to_string().as_bytes()),
            InfoPart::HasPrevious => out.extend_from_slice(page.previous.to_string().as_bytes()),
            InfoPart::Start => write_cursor(page.records.first(), out)?,
            InfoPart::End => write_cursor(page.records.last(), out)?,
        }
    }
    out.push(b'}');
    Ok(())
}

/// Encodes a node from a record's columns after the first `skip`. Columns after those are not read;
/// they belong to other fields.
fn part_of(bytes: Option<&[u8]>, skip: usize, node: &Node, out: &mut Vec<u8>) -> Result<(), Error> {
    let Some(bytes) = bytes else {
        null(out);
        return Ok(());
    };
    let mut columns = Record::open(bytes)?;
    for _ in 0..skip {
        columns.next()?;
    }
    row(node, &mut columns, out)
}

fn records(bytes: Option<&[u8]>) -> Result<Records<'_>, Error> {
    let Some(bytes) = bytes else {
        return Ok(Vec::new());
    };
    let mut records = array::records(bytes)?;
    let found = (0..records.count)
        .map(|_| records.buffer.value())
        .collect::<Result<Records<'_>, Error>>()?;
    records.buffer.end()?;
    Ok(found)
}

fn separated<'a>(
    records: impl Iterator<Item = Option<&'a [u8]>>,
    out: &mut Vec<u8>,
    write: impl Fn(Option<&'a [u8]>, &mut Vec<u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    out.push(b'[');
    for (i, bytes) in records.enumerate() {
        out.extend_from_slice(if i > 0 { b"," } else { b"" });
        write(bytes, out)?;
    }
    out.push(b']');
    Ok(())
}
