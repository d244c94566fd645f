//! Decodes binary arrays: the header, nested lists of values, and the flat `record[]` of an array
//! relationship. Encoding the elements is left to the caller.

use super::{Error, buffer::Buffer};

/// The most dimensions of a Postgres array (`MAXDIM`).
const MAX_DIMENSIONS: usize = 6;

/// The elements of a `record[]` that are still to be read.
#[derive(Debug)]
pub(super) struct Records<'a> {
    /// How many values the buffer contains.
    pub(super) count: i32,
    /// The values, each with its length before it.
    pub(super) buffer: Buffer<'a>,
}

/// Reads the header of an array with at most one dimension.
pub(super) fn records(bytes: &[u8]) -> Result<Records<'_>, Error> {
    let mut buffer = Buffer::new(bytes);
    let (lengths, count) = header(&mut buffer)?;
    match (count, lengths) {
        (0, _) => Ok(Records { count: 0, buffer }),
        (1, [length, ..]) => Ok(Records {
            count: length,
            buffer,
        }),
        (other, _) => Err(Error::Dimensions(other)),
    }
}

/// Encodes an array as nested lists, one level for each dimension. An array without elements has no
/// dimensions and becomes `[]`.
pub(super) fn nested(
    bytes: &[u8],
    out: &mut Vec<u8>,
    mut element: impl FnMut(Option<&[u8]>, &mut Vec<u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut buffer = Buffer::new(bytes);
    let (lengths, count) = header(&mut buffer)?;
    let used = usize::try_from(count)
        .ok()
        .and_then(|count| lengths.get(..count))
        .ok_or(Error::Dimensions(count))?;
    if used.is_empty() {
        out.extend_from_slice(b"[]");
    } else {
        dimension(used, &mut buffer, out, &mut element)?;
    }
    buffer.end()
}

/// Reads the header: the lengths of the dimensions, and how many of them are used. The values
/// follow in the buffer.
fn header(buffer: &mut Buffer<'_>) -> Result<([i32; MAX_DIMENSIONS], i32), Error> {
    let count = buffer.int4()?;
    let _has_null = buffer.int4()?;
    let _element_type = buffer.int4()?;
    let mut lengths = [0; MAX_DIMENSIONS];
    let used = usize::try_from(count)
        .ok()
        .and_then(|count| lengths.get_mut(..count));
    for length in used.ok_or(Error::Dimensions(count))? {
        *length = buffer.int4()?;
        // Postgres writes an array without elements with no dimensions. A length of 0 could make
        // millions of empty lists out of a few bytes.
        if *length < 1 {
            return Err(Error::Length(*length));
        }
        let _lower_bound = buffer.int4()?;
    }
    Ok((lengths, count))
}

fn dimension(
    lengths: &[i32],
    buffer: &mut Buffer<'_>,
    out: &mut Vec<u8>,
    element: &mut impl FnMut(Option<&[u8]>, &mut Vec<u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some((length, inner)) = lengths.split_first() else {
        return element(buffer.value()?, out);
    };
    out.push(b'[');
    for index in 0..*length {
        if index > 0 {
            out.push(b',');
        }
        dimension(inner, buffer, out, element)?;
    }
    out.push(b']');
    Ok(())
}
