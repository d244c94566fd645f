//! Encodes dates, times of day and timestamps in ISO 8601, as `to_json` writes them. Postgres
//! counts from 2000-01-01 in the proleptic Gregorian calendar, without leap seconds.

use super::{Error, digits};

const MICROS_PER_SECOND: u64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND.cast_signed();

/// The bytes of `23:59:59.999999` and of `23:59:59`.
const LONGEST_CLOCK: usize = 15;
const WHOLE_SECONDS: usize = 8;

/// Encodes a date from its days since 2000-01-01: `"2024-02-29"`, `"0044-03-15 BC"`, `"infinity"`.
pub(super) fn date(days: i32, out: &mut Vec<u8>) {
    out.push(b'"');
    match days {
        i32::MAX => out.extend_from_slice(b"infinity"),
        i32::MIN => out.extend_from_slice(b"-infinity"),
        days => {
            let day = Day::from_days(days.into());
            match day.digits() {
                Some(digits) => out.extend_from_slice(&digits),
                None => day.write_long(out),
            }
            day.write_era(out);
        }
    }
    out.push(b'"');
}

/// Encodes a time of day from its microseconds: `"23:59:59.5"`, up to `"24:00:00"`.
pub(super) fn time(microseconds: i64, out: &mut Vec<u8>) -> Result<(), Error> {
    if !(0..=MICROS_PER_DAY).contains(&microseconds) {
        return Err(Error::TimeOfDay(microseconds));
    }
    let (text, length) = clock(microseconds.unsigned_abs());
    out.push(b'"');
    out.extend_from_slice(text.get(..length).unwrap_or_default());
    out.push(b'"');
    Ok(())
}

/// Encodes a timestamp from its microseconds since 2000-01-01: `"2024-02-29T12:00:00.25"`, then the
/// offset, then the era.
// Inlined, it would give the function for all types a large frame.
#[inline(never)]
pub(super) fn timestamp<const N: usize>(microseconds: i64, offset: &[u8; N], out: &mut Vec<u8>) {
    match microseconds {
        i64::MAX => return out.extend_from_slice(b"\"infinity\""),
        i64::MIN => return out.extend_from_slice(b"\"-infinity\""),
        _ => {}
    }
    let day = Day::from_days(microseconds.div_euclid(MICROS_PER_DAY));
    let (time, length) = clock(microseconds.rem_euclid(MICROS_PER_DAY).unsigned_abs());
    match day.digits() {
        Some(digits) => {
            out.extend_from_slice(b"\"0000-00-00T00:00:00.000000");
            if let Some(text) = out.last_chunk_mut::<27>() {
                text[1..11].copy_from_slice(&digits);
                text[12..].copy_from_slice(&time);
            }
        }
        None => {
            out.push(b'"');
            day.write_long(out);
            out.push(b'T');
            out.extend_from_slice(&time);
        }
    }
    // Copying the whole clock and cutting zeros off is cheaper than a copy of a length that the
    // compiler does not know.
    out.truncate(out.len() - (LONGEST_CLOCK - length));
    out.extend_from_slice(offset);
    day.write_era(out);
    out.push(b'"');
}

/// A date of the proleptic Gregorian calendar. Year 0 is 1 BC.
struct Day {
    year: i64,
    month: u8,
    day: u8,
}

impl Day {
    /// Converts days since 2000-01-01. Counts years from 1 March, so that a leap day is the last
    /// day of its year, and in quarters of a day, so that a century and a year are divisions by
    /// constants. Neri and Schneider, "Euclidean affine functions and their application to calendar
    /// algorithms", 2023, <https://doi.org/10.1002/spe.3172>
    #[inline]
    fn from_days(days: i64) -> Day {
        // Eras of 400 years keep the rest positive, whose first day is 1 March of year 0.
        let days = days + 730_425;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097) as u32;
        let quarters = 4 * day_of_era + 3;
        let century = quarters / 146_097;
        let rest = quarters % 146_097 / 4;
        let product = 2_939_745 * u64::from(4 * rest + 3);
        let year_of_century = (product >> 32) as u32;
        let day_of_year = product as u32 / 2_939_745 / 4;
        let months = 2_141 * day_of_year + 197_913;
        let month = months >> 16;
        let day = (months & 0xffff) / 2_141 + 1;
        let is_next_year = day_of_year >= 306;
        let month = if is_next_year { month - 12 } else { month };
        let year = i64::from(100 * century + year_of_century) + era * 400 + i64::from(is_next_year);
        // The arithmetic above bounds `month` by 12 and `day` by 31.
        Day {
            year,
            month: month as u8,
            day: day as u8,
        }
    }

    /// `2024-02-29`, if the year has at most four digits. The era is not part of it.
    #[inline]
    fn digits(&self) -> Option<[u8; 10]> {
        let year = u16::try_from(self.year_of_era())
            .ok()
            .filter(|year| *year < 10_000)?;
        let [tens, ones] = digits::PAIRS[usize::from(self.month) % 100];
        let [day_tens, day_ones] = digits::PAIRS[usize::from(self.day) % 100];
        let [a, b, c, d] = digits::four_digits(year);
        Some([a, b, c, d, b'-', tens, ones, b'-', day_tens, day_ones])
    }

    /// Writes year, month and day where the year has more than four digits, without its era.
    #[cold]
    fn write_long(&self, out: &mut Vec<u8>) {
        digits::unsigned(self.year_of_era(), out);
        for number in [self.month, self.day] {
            let [tens, ones] = digits::PAIRS[usize::from(number) % 100];
            out.extend_from_slice(&[b'-', tens, ones]);
        }
    }

    /// The year, from 1, before or after the beginning of the calendar.
    #[inline]
    fn year_of_era(&self) -> u64 {
        if self.year > 0 {
            self.year
        } else {
            1 - self.year
        }
        .unsigned_abs()
    }

    fn write_era(&self, out: &mut Vec<u8>) {
        if self.year <= 0 {
            out.extend_from_slice(b" BC");
        }
    }
}

/// Hours, minutes, seconds and the fraction, and the length without the fraction's trailing zeros.
#[inline]
fn clock(microseconds: u64) -> ([u8; LONGEST_CLOCK], usize) {
    // The time is at most 24 hours, so both casts fit and each pair is below 100.
    let seconds = (microseconds / MICROS_PER_SECOND) as u32;
    let fraction = (microseconds % MICROS_PER_SECOND) as u32;
    let pair = |number: u32| digits::PAIRS[(number % 100) as usize];
    let [a, b] = pair(seconds / 3_600);
    let [c, d] = pair(seconds / 60 % 60);
    let [e, f] = pair(seconds % 60);
    let [g, h] = pair(fraction / 10_000);
    let [i, j] = pair(fraction / 100);
    let [k, l] = pair(fraction);
    let text = [a, b, b':', c, d, b':', e, f, b'.', g, h, i, j, k, l];
    // The number of zeros at the end, found in all digits at once.
    let zeros = (u64::from_be_bytes([f, b'.', g, h, i, j, k, l]) ^ u64::from_ne_bytes([b'0'; 8]))
        .trailing_zeros()
        / 8;
    (
        text,
        if fraction == 0 {
            WHOLE_SECONDS
        } else {
            LONGEST_CLOCK - zeros as usize
        },
    )
}
