//! Decides which constants may be literals in the SQL text. As a literal and as a parameter a constant has to be the
//! same value: Postgres reads both with the input function of the type, but a literal when the statement is prepared,
//! and the prepared statement outlives the request. So the text may not depend on the time, the time zone or other
//! settings, and it may not be one that the input function rejects, since the error would come at another moment.

use crate::graphql::variables::SHORT;
use crate::postgres::types::{Input, Scalar};
use crate::postgres::value;

/// Whether the constant of a comparison, in Postgres' text form, may be a literal of that type, or of its array for a
/// list.
pub(super) fn is_fixed(scalar: &Scalar, list: bool, text: &str) -> bool {
    let is_known = scalar.builtin || matches!(scalar.input, Input::Enum(_));
    if !is_known || scalar.over_domain.is_some() || text.len() > SHORT || text.contains('\0') {
        return false;
    }
    match list {
        false => is_fixed_element(scalar, text),
        true => elements(text).is_some_and(|elements| elements.iter().all(|text| is_fixed_element(scalar, text))),
    }
}

fn is_fixed_element(scalar: &Scalar, text: &str) -> bool {
    match (strict(&scalar.input), scalar.sql.as_str()) {
        (Input::Text, "text" | "varchar" | "bpchar") => true,
        (Input::Integer { min, max, .. }, "int2" | "int4" | "int8") => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            is_digits(digits) && text.parse::<i64>().is_ok_and(|number| (*min..=*max).contains(&number))
        }
        (Input::Float, "float4" | "float8") => {
            is_short_decimal(text) || matches!(text, "NaN" | "Infinity" | "-Infinity")
        }
        // Before version 14 Postgres rejects infinity as a numeric.
        (Input::Numeric, "numeric") => is_short_decimal(text) || text == "NaN",
        (Input::Boolean, "bool") => matches!(text, "true" | "false"),
        (Input::Uuid, "uuid") => value::is_usual_uuid(text),
        (Input::Date, "date") => is_day(text),
        (Input::Date, "timestamp") => is_moment(text, false),
        (Input::Date, "timestamptz") => is_moment(text, true),
        (Input::Enum(labels), _) => labels.iter().any(|label| label == text),
        _ => false,
    }
}

/// The input without the leniency of Hasura's dialect.
fn strict(input: &Input) -> &Input {
    match input {
        Input::Loose(input) => input,
        other => other,
    }
}

/// The elements of an array of one dimension in the form that [`Input::list`] writes, if none of them is escaped.
fn elements(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix("{\"")?.strip_suffix("\"}")?;
    let elements: Vec<&str> = inner.split("\",\"").collect();
    (!elements.iter().any(|element| element.contains(['"', '\\']))).then_some(elements)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a number has at most fifteen digits on each side of its point and no exponent, so that it is in the range of
/// every type.
fn is_short_decimal(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    [whole, fraction].iter().all(|digits| is_digits(digits) && digits.len() <= 15)
}

/// `2024-02-29`: a day that exists, after the year 0.
fn is_day(text: &str) -> bool {
    let Some((year, month, day)) = text.split_once('-').and_then(|(year, rest)| {
        let (month, day) = rest.split_once('-')?;
        Some((number(year, 4)?, number(month, 2)?, number(day, 2)?))
    }) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return false,
    };
    year > 0 && (1..=days).contains(&day)
}

/// `2024-02-29T12:00:00.5`, and with a zone `2024-02-29T12:00:00+01:00` or `…Z`. A time without a zone would be one of
/// the session's zone.
fn is_moment(text: &str, zoned: bool) -> bool {
    let Some((day, clock)) = text.split_once(['T', ' ']) else { return !zoned && is_day(text) };
    let clock = match zoned {
        false => Some(clock),
        true => clock.strip_suffix('Z').or_else(|| without_offset(clock)),
    };
    is_day(day) && clock.is_some_and(is_clock)
}

/// A time of day without the offset `+01:00` at its end.
fn without_offset(clock: &str) -> Option<&str> {
    let (clock, offset) = clock.rsplit_once(['+', '-'])?;
    let (hours, minutes) = offset.split_once(':')?;
    (number(hours, 2)? <= 14 && number(minutes, 2)? < 60).then_some(clock)
}

/// `12:00`, `12:00:00` or `12:00:00.123456`
fn is_clock(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let parts: Vec<&str> = whole.split(':').collect();
    let below = |part: &str, end: u32| number(part, 2).is_some_and(|number| number < end);
    match parts.as_slice() {
        [hours, minutes] => below(hours, 24) && below(minutes, 60) && fraction.is_none(),
        [hours, minutes, seconds] => {
            below(hours, 24)
                && below(minutes, 60)
                && below(seconds, 60)
                && fraction.is_none_or(|digits| is_digits(digits) && digits.len() <= 6)
        }
        _ => false,
    }
}

/// The number that this many digits are.
fn number(text: &str, digits: usize) -> Option<u32> {
    (text.len() == digits && is_digits(text)).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::catalog::Catalog;

    fn of(sql: &str, input: Input) -> Scalar {
        Scalar { input, ..Scalar::built_in(sql) }
    }

    #[test]
    fn times_that_depend_on_the_moment_or_the_zone_are_not_fixed() {
        let is = |sql: &str, text: &str| is_fixed(&of(sql, Input::Date), false, text);
        for text in ["now", "today", "infinity", "2023-02-29", "0000-01-01", "2024-1-01", "2024-13-01", "2024-01-01 BC"]
        {
            assert!(!is("date", text) && !is("timestamp", text) && !is("timestamptz", text), "{text}");
        }
        assert!(is("date", "2024-02-29") && is("timestamp", "2024-02-29") && !is("timestamptz", "2024-02-29"));
        let clocks = ["2024-02-29T12:00", "2024-02-29 23:59:59.123456"];
        assert!(clocks.iter().all(|text| is("timestamp", text) && !is("timestamptz", text) && !is("date", text)));
        let zoned = ["2024-02-29T12:00Z", "2024-02-29 12:00:00+01:00", "2024-02-29T12:00:00.5-11:30"];
        assert!(zoned.iter().all(|text| is("timestamptz", text) && !is("timestamp", text)));
        for text in ["2024-02-29T24:00Z", "2024-02-29T12:00:60Z", "2024-02-29T12:00+15:00", "2024-02-29T12:00 MEZ"] {
            assert!(!is("timestamptz", text), "{text}");
        }
    }

    #[test]
    fn numbers_are_in_range_of_their_type() {
        let int2 = of("int2", Input::Integer { min: -32_768, max: 32_767, text: true });
        assert!(["-32768", "0", "7"].iter().all(|text| is_fixed(&int2, false, text)));
        assert!(["32768", "+7", " 7", "7.0", "", "-", "--7"].iter().all(|text| !is_fixed(&int2, false, text)));
        let (float, numeric) = (of("float4", Input::Float), of("numeric", Input::Numeric));
        assert!(["-1.5", "NaN", "-Infinity"].iter().all(|text| is_fixed(&float, false, text)));
        assert!(["1e300", "infinity", ".5", "1."].iter().all(|text| !is_fixed(&float, false, text)));
        assert!(is_fixed(&numeric, false, "NaN") && !is_fixed(&numeric, false, "Infinity"));
        // Hasura's dialect leaves the text to Postgres.
        let loose = of("int4", Input::Loose(Box::new(Input::Integer { min: -9, max: 9, text: false })));
        assert!(is_fixed(&loose, false, "3") && !is_fixed(&loose, false, " 3") && !is_fixed(&loose, false, "10"));
    }

    #[test]
    fn lists_have_plain_elements() {
        let text = of("text", Input::Text);
        assert!(is_fixed(&text, true, r#"{"a","b,c"}"#) && is_fixed(&text, true, r#"{""}"#));
        assert!(!is_fixed(&text, true, r#"{"a\"b"}"#) && !is_fixed(&text, true, "{}") && !is_fixed(&text, true, "{a}"));
        let enumeration = of("mood", Input::Enum(["sad".to_owned()].as_slice().into()));
        assert!(is_fixed(&enumeration, true, r#"{"sad"}"#) && !is_fixed(&enumeration, true, r#"{"sad","x"}"#));
    }

    #[test]
    fn other_types_and_long_texts_are_not_fixed() {
        let text = of("text", Input::Text);
        assert!(is_fixed(&text, false, "it's \\ é") && !is_fixed(&text, false, &"x".repeat(SHORT + 1)));
        let others =
            [of("name", Input::Text), of("jsonb", Input::Json), of("time", Input::Time), of("inet", Input::Other)];
        assert!(others.iter().all(|scalar| !is_fixed(scalar, false, "1")));
        assert!(!is_fixed(&Scalar { builtin: false, ..text }, false, "citext"));
        assert!(!is_fixed(&Scalar::of(&Catalog::default(), 25), false, "unknown"));
    }
}
