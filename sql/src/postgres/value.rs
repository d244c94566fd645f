//! Converts JSON values to the text form of Postgres values, and rejects those that do not fit the
//! type.
//!
//! Parameters are sent as text, so Postgres validates them when it binds them. The checks here
//! cover common mistakes, so that the error names the argument.
//!
//! The statement gives each parameter its type (`$1::uuid`; `$1::text::my_enum` for types that are
//! not built in), so every type works without a binary encoder, and the driver looks up no types.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::{Number, Value as Json};

pub use crate::error::ActualKind;
use crate::error::TextFormat;
use crate::postgres::ltree;
use crate::postgres::types::Input;

mod geojson;
mod length;
mod object;

/// The value for an error message, if it is a number; other values may be long.
pub(crate) fn short(value: &Json) -> Option<String> {
    value
        .as_number()
        .map(|number| number.to_string().chars().take(100).collect())
}

impl Input {
    /// The text form of a value that is not null. The error is the kind of value found instead.
    pub fn text(&self, value: &Json) -> Result<String, ActualKind> {
        self.form(value).map(Cow::into_owned)
    }

    /// Rejects a value that has no text form, without building the text form where possible.
    pub(crate) fn check(&self, value: &Json) -> Result<(), ActualKind> {
        match (self, value) {
            (Input::Json, _) => Ok(()),
            (Input::Array(element), Json::Array(items)) => {
                items.iter().try_for_each(|item| match item {
                    Json::Null => Ok(()),
                    Json::Array(_) if element.takes_dimensions() => self.check(item),
                    _ if matches!(**element, Input::GeoJson { .. }) => element.part(item).map(drop),
                    _ => element.check(item),
                })
            }
            _ => self.form(value).map(drop),
        }
    }

    /// The text form; borrows the value's own text if possible.
    fn form<'v>(&self, value: &'v Json) -> Result<Cow<'v, str>, ActualKind> {
        match self {
            Input::Json => Ok(value.to_string().into()),
            Input::Array(element) => element.array(value),
            Input::Composite(attributes) => object::row(attributes, value).map(Cow::Owned),
            Input::Hstore => object::hstore(value).map(Cow::Owned),
            Input::GeoJson { srid } => geojson::text(value, *srid).map(Cow::Owned),
            Input::Loose(input) => match value {
                Json::String(text) if input.is_read_when_bound() => without_nul(text),
                other => input.form(other),
            },
            Input::Limited(limited) => {
                let (input, limits) = &**limited;
                let text = input.form(value)?;
                length::check(input, *limits, &text)?;
                Ok(text)
            }
            _ => self.scalar(value),
        }
    }

    /// Appends the text form of a value that is not null as an element of an array, quoted where
    /// necessary.
    pub(crate) fn element(&self, value: &Json, text: &mut String) -> Result<(), ActualKind> {
        match (self, value) {
            (Input::Integer { min, max, .. }, Json::Number(number))
                if number
                    .as_i64()
                    .is_some_and(|number| (*min..=*max).contains(&number)) =>
            {
                let _ = write!(text, "{}", number.as_i64().unwrap_or_default());
            }
            (Input::Boolean, Json::Bool(value)) => {
                text.push_str(if *value { "true" } else { "false" });
            }
            (Input::Text, Json::String(value)) if !value.contains('\0') => quote(value, text),
            _ => quote(&self.form(value)?, text),
        }
        Ok(())
    }

    /// The text form of a value inside an array or a row. There PostGIS reads only its own text
    /// form; GeoJSON needs a function.
    fn part<'v>(&self, value: &'v Json) -> Result<Cow<'v, str>, ActualKind> {
        match self {
            Input::GeoJson { srid } => geojson::ewkt(value, *srid).map(Cow::Owned),
            _ => self.form(value),
        }
    }

    /// The text form of a list as an array of this type. A single value becomes a list of one.
    /// <https://spec.graphql.org/October2021/#sec-List.Input-Coercion>
    pub fn list(&self, value: &Json) -> Result<String, ActualKind> {
        match value {
            Json::Array(items) => self.elements(items),
            single => self.elements(std::slice::from_ref(single)),
        }
    }

    /// The text form of a value that is text, such as a session value. Arrays may also be JSON
    /// lists.
    pub fn parse_text(&self, text: &str) -> Option<String> {
        match self {
            Input::Json => serde_json::from_str::<Json>(text)
                .ok()
                .map(|_| text.to_owned()),
            Input::Boolean => matches!(text, "true" | "t" | "false" | "f").then(|| text.to_owned()),
            Input::Integer { min, max, .. } => integer(text, *min, *max).ok(),
            // `{}` is an empty array, not an object.
            Input::Array(_) => {
                let json = serde_json::from_str::<Json>(text)
                    .ok()
                    .filter(Json::is_array);
                self.text(&json.unwrap_or_else(|| text.into())).ok()
            }
            Input::Composite(_) | Input::Hstore | Input::GeoJson { .. } => {
                let json = serde_json::from_str::<Json>(text)
                    .ok()
                    .filter(|json| json.is_array() || json.is_object());
                self.text(&json.unwrap_or_else(|| text.into())).ok()
            }
            _ => self.text(&text.into()).ok(),
        }
    }

    /// A value that fits, for translating documents without values for their variables.
    pub fn sample(&self) -> Json {
        match self {
            Input::Integer { min, .. } => (*min).max(1).into(),
            Input::Float | Input::Numeric => 1.into(),
            Input::Boolean => true.into(),
            Input::Ltree(_) => "a".into(),
            Input::Text | Input::Labels | Input::Vector | Input::Delimited(_) | Input::Other => {
                "".into()
            }
            Input::Uuid => "00000000-0000-0000-0000-000000000000".into(),
            Input::Date => "2000-01-01".into(),
            Input::Time => "00:00:00".into(),
            Input::Json | Input::Composite(_) | Input::Hstore => {
                Json::Object(serde_json::Map::new())
            }
            Input::GeoJson { .. } => geojson::sample(),
            Input::Raster => "00".into(),
            Input::Enum(labels) => labels.first().map_or("", String::as_str).into(),
            Input::Array(_) => Json::Array(Vec::new()),
            Input::Loose(input) => input.sample(),
            Input::Limited(limited) => limited.0.sample(),
        }
    }

    fn scalar<'v>(&self, value: &'v Json) -> Result<Cow<'v, str>, ActualKind> {
        match (self, value) {
            (Input::Integer { min, max, .. }, Json::Number(number)) => {
                integer(&number.to_string(), *min, *max).map(Cow::Owned)
            }
            (
                Input::Integer {
                    min,
                    max,
                    text: true,
                },
                Json::String(text),
            ) => integer(text, *min, *max).map(Cow::Owned),
            (Input::Float | Input::Numeric, Json::Number(number)) => Ok(number.to_string().into()),
            (Input::Float | Input::Numeric, Json::String(text)) => number(text),
            (Input::Boolean, Json::Bool(value)) => Ok(if *value { "true" } else { "false" }.into()),
            (Input::Uuid, Json::String(text)) if is_usual_uuid(text) => Ok(text.into()),
            (Input::Uuid, Json::String(text)) => checked(text, TextFormat::Uuid, is_uuid),
            (Input::Date, Json::String(text)) => checked(text, TextFormat::Date, is_date),
            (Input::Time, Json::String(text)) => checked(text, TextFormat::Time, is_time),
            (Input::Enum(labels), Json::String(text)) => {
                checked(text, TextFormat::EnumValue, |text| {
                    labels.iter().any(|label| label == text)
                })
            }
            (Input::Labels, Json::String(text)) => checked(text, TextFormat::Labels, is_labels),
            (Input::Raster, Json::String(text)) => {
                checked(text, TextFormat::Raster, is_hexadecimal)
            }
            (Input::Ltree(of), Json::String(text)) => {
                checked(text, TextFormat::LabelQuery, |text| of.admits(text))
            }
            (Input::Vector, Json::Array(numbers)) => vector(numbers).map(Cow::Owned),
            (
                Input::Text | Input::Vector | Input::Delimited(_) | Input::Other,
                Json::String(text),
            ) => without_nul(text),
            (Input::Delimited(_) | Input::Other, Json::Number(number)) => {
                Ok(number.to_string().into())
            }
            _ => Err(found(value)),
        }
    }

    /// An array: a JSON list, nested as deep as the array has dimensions, or Postgres' text form.
    fn array<'v>(&self, value: &'v Json) -> Result<Cow<'v, str>, ActualKind> {
        match value {
            Json::Array(items) => self.elements(items).map(Cow::Owned),
            Json::String(text) => checked(text, TextFormat::Array, |text| self.is_array_text(text)),
            _ => Err(found(value)),
        }
    }

    /// Whether text is Postgres' text form of an array. Elements are checked if the text has no
    /// quotes, escapes, bounds or further dimensions; the rest is left to Postgres.
    fn is_array_text(&self, text: &str) -> bool {
        let text = text.trim();
        let Some(inner) = text
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
        else {
            return text.starts_with('[') && text.ends_with('}');
        };
        let plain =
            !inner.contains(['"', '\\', '{', '}']) && !matches!(self, Input::GeoJson { .. });
        let fits = |element: &str| {
            element.eq_ignore_ascii_case("null") || self.parse_text(element).is_some()
        };
        inner.trim().is_empty()
            || !plain
            || inner
                .split(self.delimiter())
                .all(|element| fits(element.trim()))
    }

    /// The delimiter between elements of an array.
    fn delimiter(&self) -> char {
        match self {
            Input::GeoJson { .. } => ':',
            Input::Delimited(delimiter) => *delimiter,
            _ => ',',
        }
    }

    /// Whether a list within a list of this type is a further dimension. If an element may be a
    /// list itself, it is an element.
    fn takes_dimensions(&self) -> bool {
        !matches!(self, Input::Json | Input::Array(_) | Input::Vector)
    }

    /// <https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>
    fn elements(&self, items: &[Json]) -> Result<String, ActualKind> {
        let mut text = String::with_capacity(2 + 16 * items.len());
        text.push('{');
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                text.push(self.delimiter());
            }
            match item {
                Json::Null => text.push_str("NULL"),
                Json::Array(inner) if self.takes_dimensions() => {
                    text.push_str(&self.elements(inner)?);
                }
                _ => quote(&self.part(item)?, &mut text),
            }
        }
        text.push('}');
        Ok(text)
    }
}

fn quote(element: &str, text: &mut String) {
    text.reserve(element.len() + 2);
    text.push('"');
    let mut from = 0;
    if element.bytes().any(|byte| matches!(byte, b'"' | b'\\')) {
        for (at, special) in element.match_indices(['"', '\\']) {
            text.push_str(element.get(from..at).unwrap_or_default());
            text.push('\\');
            text.push_str(special);
            from = at + 1;
        }
    }
    text.push_str(element.get(from..).unwrap_or_default());
    text.push('"');
}

/// The kind of a JSON value, for error messages.
pub fn found(value: &Json) -> ActualKind {
    match value {
        Json::Null => ActualKind::Null,
        Json::Bool(_) => ActualKind::Boolean,
        Json::Number(number) if is_whole(number) => ActualKind::Integer,
        Json::Number(_) => ActualKind::Number,
        Json::String(_) => ActualKind::String,
        Json::Array(_) => ActualKind::List,
        Json::Object(_) => ActualKind::Object,
    }
}

fn is_whole(number: &Number) -> bool {
    number
        .to_string()
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'-')
}

/// The text, if Postgres can hold it and it has the format.
fn checked(
    text: &str,
    format: TextFormat,
    fits: impl Fn(&str) -> bool,
) -> Result<Cow<'_, str>, ActualKind> {
    let text = without_nul(text)?;
    if fits(&text) {
        Ok(text)
    } else {
        Err(ActualKind::Malformed(format))
    }
}

/// The text, if Postgres can hold it.
fn without_nul(text: &str) -> Result<Cow<'_, str>, ActualKind> {
    if text.contains('\0') {
        Err(ActualKind::NulCharacter)
    } else {
        Ok(text.into())
    }
}

/// `1 2 3`
fn vector(numbers: &[Json]) -> Result<String, ActualKind> {
    let number = Input::Integer {
        min: i16::MIN.into(),
        max: u32::MAX.into(),
        text: true,
    };
    let numbers: Result<Vec<String>, ActualKind> =
        numbers.iter().map(|value| number.text(value)).collect();
    Ok(numbers?.join(" "))
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn integer(text: &str, min: i64, max: i64) -> Result<String, ActualKind> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ActualKind::NotAnInteger);
    }
    match text.parse::<i64>() {
        Ok(value) if (min..=max).contains(&value) => Ok(value.to_string()),
        _ => Err(ActualKind::IntegerOutOfRange),
    }
}

/// A number in a string: digits with a decimal point and an exponent, or a special value of
/// Postgres.
fn number(text: &str) -> Result<Cow<'_, str>, ActualKind> {
    let words = ["NaN", "Infinity", "-Infinity"];
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    let plain = text.chars().all(digits) && text.parse::<f64>().is_ok();
    checked(text, TextFormat::Number, |text| {
        plain || words.contains(&text)
    })
}

/// Empty, or labels separated by dots, of letters, digits, underscores and, since Postgres 16,
/// hyphens. <https://www.postgresql.org/docs/current/ltree.html>
fn is_labels(text: &str) -> bool {
    text.is_empty() || text.split('.').all(ltree::is_label)
}

/// A UUID in the forms that Postgres accepts: 32 hexadecimal digits, hyphens after any group of
/// four, optionally in braces. <https://www.postgresql.org/docs/current/datatype-uuid.html>
fn is_uuid(text: &str) -> bool {
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
        .unwrap_or(text);
    let digits = inner.bytes().filter(|b| b.is_ascii_hexdigit()).count();
    let groups: Vec<&str> = inner.split('-').collect();
    digits == 32
        && inner.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
        && groups
            .iter()
            .all(|group| !group.is_empty() && group.len() % 4 == 0)
}

/// `00000000-0000-0000-0000-000000000000`
pub(crate) fn is_usual_uuid(text: &str) -> bool {
    let Ok(mut bytes) = <[u8; 36]>::try_from(text.as_bytes()) else {
        return false;
    };
    for dash in [8, 13, 18, 23] {
        if std::mem::replace(&mut bytes[dash], b'0') != b'-' {
            return false;
        }
    }
    // Without early exit, this compiles to a few SIMD instructions.
    bytes
        .iter()
        .fold(true, |all, byte| all & byte.is_ascii_hexdigit())
}

/// A special value of Postgres, or text that begins with a date that exists.
fn is_date(text: &str) -> bool {
    let text = text.trim();
    if matches!(
        text,
        "infinity" | "-infinity" | "epoch" | "now" | "today" | "tomorrow" | "yesterday"
    ) {
        return true;
    }
    let mut parts = text.splitn(3, '-');
    let number = |part: Option<&str>| {
        part.filter(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))?
            .parse()
            .ok()
    };
    let year: Option<u32> = number(parts.next());
    let month: Option<u32> = number(parts.next());
    let rest = parts.next().unwrap_or_default();
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (day, clock) = rest.split_at(end);
    let clock = clock.trim_start_matches(['T', 't', ' ']);
    let day: Option<u32> = number(Some(day));
    let Some((year, month, day)) = year.zip(month).zip(day).map(|((y, m), d)| (y, m, d)) else {
        return false;
    };
    // The year 1 BC is astronomical year 0, a leap year.
    let year = if text.ends_with("BC") {
        year.saturating_sub(1)
    } else {
        year
    };
    (1..=12).contains(&month)
        && (1..=days(year, month)).contains(&day)
        && (clock.is_empty() || is_clock(clock))
}

fn days(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 31,
    }
}

fn is_time(text: &str) -> bool {
    matches!(text, "now" | "allballs") || is_clock(text.trim())
}

/// Hours and minutes that exist, then seconds and a time zone in characters that ISO 8601 and
/// Postgres use.
fn is_clock(text: &str) -> bool {
    if text.eq_ignore_ascii_case("bc") || text.eq_ignore_ascii_case("z") {
        return true;
    }
    let two = |text: &str, max: u32| {
        text.get(..2)
            .filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?
            .parse::<u32>()
            .ok()
            .filter(|n| *n <= max)
    };
    let minutes = text
        .get(2..)
        .and_then(|rest| two(rest.strip_prefix(':')?, 59));
    let rest = text.get(5..).unwrap_or_default();
    let rest_fits =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | '+' | '-' | ' ' | '/' | '_');
    two(text, 24).is_some() && minutes.is_some() && rest.chars().all(rest_fits)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fits(input: &Input, value: impl Into<Json>) -> bool {
        input.text(&value.into()).is_ok()
    }

    #[test]
    fn integers_out_of_range_are_refused() {
        let int = Input::Integer {
            min: i32::MIN.into(),
            max: i32::MAX.into(),
            text: false,
        };
        assert_eq!(int.text(&json!(7)), Ok("7".into()));
        assert_eq!(
            int.text(&json!(2_147_483_648_i64)),
            Err(ActualKind::IntegerOutOfRange)
        );
        assert!(!fits(&int, json!("7")) && !fits(&int, json!(1.5)) && !fits(&int, json!(true)));
        let bigint = Input::Integer {
            min: i64::MIN,
            max: i64::MAX,
            text: true,
        };
        assert_eq!(
            bigint.text(&json!("9223372036854775807")),
            Ok("9223372036854775807".into())
        );
        assert!(!fits(&bigint, json!("9223372036854775808")) && !fits(&bigint, json!("")));
    }

    #[test]
    fn uuids_are_accepted_in_postgres_forms() {
        for good in [
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "{a0eebc999c0b4ef8bb6d6bb9bd380a11}",
            "A0EE-BC99-9C0B4EF8-BB6D6BB9-BD38-0A11",
        ] {
            assert!(is_uuid(good), "{good}");
        }
        for bad in [
            "",
            "x",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1",
            "a0eebc99--9c0b4ef8-bb6d-6bb9bd380a11",
            "g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        ] {
            assert!(!is_uuid(bad), "{bad}");
        }
    }

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        for good in [
            "2024-02-29",
            "2024-01-01T10:00:00Z",
            "2024-01-01 10:00:00.5+02",
            "infinity",
            "2024-01-01T00:00:00.000000+00:00",
        ] {
            assert!(is_date(good), "{good}");
        }
        for bad in [
            "2023-02-29",
            "2024-13-01",
            "yesterday evening",
            "2024-01-01T25:00",
            "",
            "1",
            "2024-1",
        ] {
            assert!(!is_date(bad), "{bad}");
        }
        assert!(is_time("10:30:00") && is_time("10:30+02") && !is_time("10") && !is_time("10:75"));
    }

    #[test]
    fn arrays_are_quoted_element_by_element() {
        let array = Input::Array(Box::new(Input::Text));
        assert_eq!(
            array.text(&json!(["a\"b", "c\\d", null, "NULL", ""])),
            Ok(r#"{"a\"b","c\\d",NULL,"NULL",""}"#.into())
        );
        assert_eq!(
            array.text(&json!([["a"], ["b"]])),
            Ok(r#"{{"a"},{"b"}}"#.into())
        );
        assert_eq!(array.text(&json!("{a,b}")), Ok("{a,b}".into()));
        assert!(!fits(&array, json!("a")) && !fits(&array, json!([1])));
        let integers = Input::Array(Box::new(Input::Integer {
            min: 0,
            max: 9,
            text: false,
        }));
        assert_eq!(
            integers.parse_text("{1, 2,NULL}"),
            Some("{1, 2,NULL}".into())
        );
        assert_eq!(integers.parse_text("{}"), Some("{}".into()));
        assert_eq!(integers.parse_text("[1,2]"), Some(r#"{"1","2"}"#.into()));
        assert!(integers.parse_text("{1,x}").is_none() && integers.parse_text("1").is_none());
        assert_eq!(
            Input::Uuid.list(&json!("x")),
            Err(ActualKind::Malformed(TextFormat::Uuid))
        );
    }

    #[test]
    fn text_with_nul_is_refused() {
        assert!(!fits(&Input::Text, json!("a\0b")));
        assert!(!fits(&Input::Other, json!("\0")));
    }

    #[test]
    fn numbers_keep_their_digits() {
        let value: Json =
            serde_json::from_str("1234567890123456789.000000000000000000010").unwrap();
        assert_eq!(
            Input::Numeric.text(&value),
            Ok("1234567890123456789.000000000000000000010".into())
        );
        assert!(
            !fits(&Input::Numeric, json!("1e"))
                && !fits(&Input::Numeric, json!("x"))
                && fits(&Input::Float, json!("-1.5e3"))
        );
    }
}
