//! Encodes floating point numbers with the digits that Postgres writes: the fewest that read back
//! as an equal number, with an exponent only where `printf`'s `%g` would use one.

use super::{Error, digits};
use std::io::{Cursor, Write};

/// A buffer for the longest text of a number: 17 digits, point, exponent.
type Text = Cursor<[u8; 40]>;

/// A finite number as decimal digits without trailing zeros, times a power of ten.
#[derive(Clone, Copy)]
struct Decimal {
    digits: u64,
    exponent: i32,
}

/// The binary digits of a number: the number is a power of two times them.
#[derive(Clone, Copy)]
struct Mantissa(u64);

/// Encodes a `double precision`; NaN and the infinities become JSON strings.
pub(super) fn double(number: f64, out: &mut Vec<u8>) -> Result<(), Error> {
    if !finite_sign(number, out) {
        return Ok(());
    }
    let number = number.abs();
    // Below 10^15 an integral number is written without an exponent and with all its digits.
    if number < 1e15 && number.trunc() == number {
        digits::unsigned(number as u64, out);
        return Ok(());
    }
    let mantissa = Mantissa((number.to_bits() & ((1 << 52) - 1)) | 1 << 52);
    let decimal = shortest(number, mantissa, number, |text| text.parse() == Ok(number))?;
    decimal.write(15, out);
    Ok(())
}

/// Encodes a `real`; NaN and the infinities become JSON strings.
pub(super) fn single(number: f32, out: &mut Vec<u8>) -> Result<(), Error> {
    if !finite_sign(number.into(), out) {
        return Ok(());
    }
    let number = number.abs();
    if number < 1e6 && number.trunc() == number {
        digits::unsigned(number as u64, out);
        return Ok(());
    }
    let mantissa = Mantissa(u64::from((number.to_bits() & ((1 << 23) - 1)) | 1 << 23));
    let decimal = shortest(number, mantissa, number.into(), |text| {
        text.parse() == Ok(number)
    })?;
    decimal.write(6, out);
    Ok(())
}

/// Writes the sign of a finite number, also of zero, and returns true. Writes any other number
/// completely and returns false.
fn finite_sign(number: f64, out: &mut Vec<u8>) -> bool {
    if number.is_nan() {
        out.extend_from_slice(b"\"NaN\"");
    } else if number.is_infinite() {
        out.extend_from_slice(if number > 0.0 {
            b"\"Infinity\"".as_slice()
        } else {
            b"\"-Infinity\""
        });
    } else if number.is_sign_negative() {
        out.push(b'-');
    }
    number.is_finite()
}

/// Finds the fewest digits strictly between the midpoints to the number's two neighbours. A
/// midpoint itself also reads back as the number, but only in one of the rounding modes, so
/// Postgres excludes it (`1e23` is one).
fn shortest(
    number: impl serde::Serialize,
    mantissa: Mantissa,
    exact: f64,
    reads_back: impl Fn(&str) -> bool,
) -> Result<Decimal, Error> {
    let mut text = Text::new([0; 40]);
    serde_json::to_writer(&mut text, &number).map_err(|_| Error::FloatDigits)?;
    let decimal = Decimal::read(written(&text)?);
    if !mantissa.has_middle(decimal) {
        return Ok(decimal);
    }
    (decimal.length() - 1..17)
        .find_map(|decimals| {
            let mut text = Text::new([0; 40]);
            write!(text, "{exact:.decimals$e}").ok()?;
            let text = written(&text).ok()?;
            let decimal = Decimal::read(text);
            (reads_back(text) && !mantissa.has_middle(decimal)).then_some(decimal)
        })
        .ok_or(Error::FloatDigits)
}

fn written(text: &Text) -> Result<&str, Error> {
    let length = usize::try_from(text.position()).ok();
    let bytes = length
        .and_then(|length| text.get_ref().get(..length))
        .ok_or(Error::FloatDigits)?;
    std::str::from_utf8(bytes).map_err(|_| Error::FloatDigits)
}

impl Mantissa {
    /// Whether the decimal, which is near the number, is the midpoint to a neighbour. A midpoint
    /// has one binary digit more than the number, and for numbers near each other equal odd parts
    /// mean equal numbers. (Below a power of two the midpoint is nearer, but no decimal with few
    /// enough digits is such a midpoint: they are no multiples of five.)
    fn has_middle(self, decimal: Decimal) -> bool {
        decimal
            .odd_part()
            .is_some_and(|odd| odd == 2 * self.0 + 1 || odd == 2 * self.0 - 1)
    }
}

impl Decimal {
    /// Parses `12.5`, `12.0`, `1e30` or `1.25e-7`, at most 19 digits.
    fn read(text: &str) -> Decimal {
        let (number, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let digits = whole.bytes().chain(decimals.bytes());
        let digits = digits.fold(0_u64, |digits, byte| {
            digits.wrapping_mul(10).wrapping_add(u64::from(byte & 15))
        });
        let exponent = exponent.parse().unwrap_or(0) - decimals.len() as i32;
        Decimal { digits, exponent }.trimmed()
    }

    fn trimmed(mut self) -> Decimal {
        while self.digits != 0 && self.digits.is_multiple_of(10) {
            self.digits /= 10;
            self.exponent += 1;
        }
        self
    }

    /// The number of digits.
    fn length(self) -> usize {
        self.digits
            .checked_ilog10()
            .map_or(1, |log| log as usize + 1)
    }

    /// The odd number of which the decimal is a multiple by a power of two; none if it is not an
    /// integer of 64 bits.
    fn odd_part(self) -> Option<u64> {
        let power = 5_u64.checked_pow(self.exponent.unsigned_abs())?;
        let odd = self.digits >> self.digits.trailing_zeros().min(63);
        if self.exponent >= 0 {
            odd.checked_mul(power)
        } else {
            odd.is_multiple_of(power).then(|| odd / power)
        }
    }

    /// Writes the number, with an exponent if it is below 10^-4 or at least 10^`largest`.
    fn write(self, largest: i32, out: &mut Vec<u8>) {
        let mut buffer = [0; digits::MAX_DIGITS];
        let digits = digits::decimal(self.digits, &mut buffer);
        let leading = digits.len() as i32 - 1 + self.exponent;
        if !(-4..largest).contains(&leading) {
            scientific(digits, leading, out);
        } else if leading < 0 {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + (-1 - leading) as usize, b'0');
            out.extend_from_slice(digits);
        } else {
            plain(digits, leading as usize + 1, out);
        }
    }
}

/// Writes digits with a decimal point, if one is needed, after the first `whole`.
fn plain(digits: &[u8], whole: usize, out: &mut Vec<u8>) {
    match digits.split_at_checked(whole) {
        Some((whole, [])) => out.extend_from_slice(whole),
        Some((whole, decimals)) => {
            out.extend_from_slice(whole);
            out.push(b'.');
            out.extend_from_slice(decimals);
        }
        None => {
            out.extend_from_slice(digits);
            out.resize(out.len() + whole - digits.len(), b'0');
        }
    }
}

/// Writes scientific notation, `1.25e-07`: the exponent has a sign and at least two digits.
fn scientific(digits: &[u8], exponent: i32, out: &mut Vec<u8>) {
    plain(digits, 1, out);
    out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
    let exponent = exponent.unsigned_abs();
    if exponent < 10 {
        out.push(b'0');
    }
    digits::unsigned(exponent.into(), out);
}
