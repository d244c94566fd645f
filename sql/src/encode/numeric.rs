//! Encodes `numeric`: base-10000 digits ("groups") to the decimal digits that Postgres writes.
//! `digits` encodes integers, `float` floating point numbers.

use super::{Error, buffer::Buffer, digits};

const NEGATIVE: u16 = 0x4000;
const NOT_A_NUMBER: u16 = 0xC000;
const INFINITY: u16 = 0xD000;
const NEGATIVE_INFINITY: u16 = 0xF000;

/// Encodes a `numeric` with as many decimals as its display scale; NaN and the infinities become
/// JSON strings.
///
/// The binary form is the number of groups, the weight of the first one (in groups, 0 for the
/// ones), the sign, the display scale, and the groups. Leading and trailing groups of zeros are
/// left out.
pub(super) fn numeric(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let mut buffer = Buffer::new(bytes);
    let count = buffer.int2()?.cast_unsigned();
    let weight = buffer.int2()?;
    let sign = buffer.int2()?.cast_unsigned();
    let scale = buffer.int2()?.cast_unsigned();
    let mut groups = Groups {
        buffer: Buffer::new(buffer.take(usize::from(count) * 2)?),
        left: count,
    };
    buffer.end()?;
    match sign {
        0 => {}
        NEGATIVE => out.push(b'-'),
        NOT_A_NUMBER => return special(b"\"NaN\"", out),
        INFINITY => return special(b"\"Infinity\"", out),
        NEGATIVE_INFINITY => return special(b"\"-Infinity\"", out),
        other => return Err(Error::NumericSign(other)),
    }
    integer(weight, &mut groups, out)?;
    fraction(weight, scale, &mut groups, out)
}

/// Iterates over the groups that were sent, then over zeros.
struct Groups<'a> {
    buffer: Buffer<'a>,
    left: u16,
}

impl Groups<'_> {
    fn next(&mut self) -> Result<u16, Error> {
        if self.left == 0 {
            return Ok(0);
        }
        self.left -= 1;
        let group = self.buffer.int2()?.cast_unsigned();
        if group > 9999 {
            Err(Error::NumericGroup(group))
        } else {
            Ok(group)
        }
    }
}

fn integer(weight: i16, groups: &mut Groups<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    if weight < 0 {
        out.push(b'0');
        return Ok(());
    }
    digits::unsigned(groups.next()?.into(), out);
    for _ in 0..weight {
        out.extend_from_slice(&digits::four_digits(groups.next()?));
    }
    Ok(())
}

fn fraction(
    weight: i16,
    scale: u16,
    groups: &mut Groups<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    if scale == 0 {
        return Ok(());
    }
    out.push(b'.');
    let end = out.len() + usize::from(scale);
    // The first group sent may be several groups after the decimal point.
    let mut zeros = (-1 - i32::from(weight)).max(0);
    while out.len() < end {
        let group = if zeros > 0 { 0 } else { groups.next()? };
        zeros -= 1;
        out.extend_from_slice(&digits::four_digits(group));
    }
    out.truncate(end);
    Ok(())
}

fn special(name: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    out.extend_from_slice(name);
    Ok(())
}
