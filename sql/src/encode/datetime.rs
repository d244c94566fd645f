//! Encodes dates, times of day and timestamps in ISO 8601, as `to_json` writes them. Postgres counts from 2000-01-01 in
//! the proleptic Gregorian calendar, without leap seconds.

use super::{Error, digits};

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Encodes a date from its days since 2000-01-01: `"2024-02-29"`, `"0044-03-15 BC"`, `"infinity"`.
pub(super) fn date(days: i32, out: &mut Vec<u8>) {
    out.push(b'"');
    match days {
        i32::MAX => out.extend_from_slice(b"infinity"),
        i32::MIN => out.extend_from_slice(b"-infinity"),
        days => {
            let day = Day::from_days(days.into());
            day.write(out);
            day.write_era(out);
        }
    }
    out.push(b'"');
}

/// Encodes a time of day from its microseconds: `"23:59:59.5"`, up to `"24:00:00"`.
pub(super) fn time(microseconds: i64, out: &mut Vec<u8>) -> Result<(), Error> {
    if !(0..=DAY).contains(&microseconds) {
        return Err(Error::TimeOfDay(microseconds));
    }
    let (text, length) = clock(microseconds);
    out.push(b'"');
    out.extend_from_slice(text.get(..length).unwrap_or_default());
    out.push(b'"');
    Ok(())
}

/// Encodes a timestamp from its microseconds since 2000-01-01: `"2024-02-29T12:00:00.25"`, then the offset, then the
/// era.
pub(super) fn timestamp(microseconds: i64, offset: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    match microseconds {
        i64::MAX => out.extend_from_slice(b"infinity"),
        i64::MIN => out.extend_from_slice(b"-infinity"),
        microseconds => {
            let day = Day::from_days(microseconds.div_euclid(DAY));
            let (time, length) = clock(microseconds.rem_euclid(DAY));
            day.write(out);
            let mut text = *b"T00:00:00.000000";
            text[1..].copy_from_slice(&time);
            out.extend_from_slice(text.get(..1 + length).unwrap_or_default());
            out.extend_from_slice(offset.as_bytes());
            day.write_era(out);
        }
    }
    out.push(b'"');
}

/// A date of the proleptic Gregorian calendar. Year 0 is 1 BC.
struct Day {
    year: i64,
    month: u8,
    day: u8,
}

impl Day {
    /// Converts days since 2000-01-01. Counts in eras of 400 years that begin on 1 March of year 0, so that a leap day
    /// is the last day of its year. <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>
    fn from_days(days: i64) -> Day {
        let days = days + 730_425;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        // The arithmetic above bounds `month` by 12 and `day` by 31.
        Day { year, month: month as u8, day: day as u8 }
    }

    /// Writes year, month and day, the year without its era and in at least four digits.
    fn write(&self, out: &mut Vec<u8>) {
        let year = if self.year > 0 { self.year } else { 1 - self.year }.unsigned_abs();
        let [tens, ones] = digits::PAIRS[usize::from(self.month) % 100];
        let [day_tens, day_ones] = digits::PAIRS[usize::from(self.day) % 100];
        let [a, b, c, d] = match u16::try_from(year) {
            Ok(year) if year < 10_000 => digits::four_digits(year),
            _ => {
                digits::unsigned(year / 10_000, out);
                digits::four_digits((year % 10_000) as u16)
            }
        };
        out.extend_from_slice(&[a, b, c, d, b'-', tens, ones, b'-', day_tens, day_ones]);
    }

    fn write_era(&self, out: &mut Vec<u8>) {
        if self.year <= 0 {
            out.extend_from_slice(b" BC");
        }
    }
}

/// Hours, minutes, seconds and the fraction, and the length without the fraction's trailing zeros.
#[inline]
fn clock(microseconds: i64) -> ([u8; 15], usize) {
    // The time is at most 24 hours, so both casts fit and each pair is below 100.
    let (seconds, fraction) = ((microseconds / SECOND) as u32, (microseconds % SECOND) as u32);
    let pair = |number: u32| digits::PAIRS[(number % 100) as usize];
    let ([a, b], [c, d], [e, f]) = (pair(seconds / 3_600), pair(seconds / 60 % 60), pair(seconds % 60));
    let ([g, h], [i, j], [k, l]) = (pair(fraction / 10_000), pair(fraction / 100), pair(fraction));
    let text = [a, b, b':', c, d, b':', e, f, b'.', g, h, i, j, k, l];
    let whole = if fraction == 0 { 8 } else { text.len() };
    let zeros = text.iter().take(whole).skip(9).rev().take_while(|digit| **digit == b'0').count();
    (text, whole - zeros)
}
