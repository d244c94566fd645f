//! Fits the default of a variable to the schema of its values: a document may write it in any form
//! that its type accepts, and a description whose default is not valid against its own schema is
//! refused by validators.

use serde_json::Value as Json;

/// The schema with the default, as the schema requires it. A text that is not of the schema's
/// format takes the format away; a default that no schema of this kind describes is left out.
pub(super) fn with_default(mut schema: Json, default: &Json) -> Json {
    let default = conform(&mut schema, default);
    if let (Json::Object(members), Some(default)) = (&mut schema, default) {
        members.insert("default".into(), default);
    }
    schema
}

/// The value in the form of the schema.
fn conform(schema: &mut Json, value: &Json) -> Option<Json> {
    let Json::Object(members) = &mut *schema else {
        return None;
    };
    if let Some(Json::Array(ways)) = members.get_mut("anyOf") {
        return ways.iter_mut().find_map(|way| conform(way, value));
    }
    if let Some(allowed) = members.get("enum") {
        return allowed.as_array()?.contains(value).then(|| value.clone());
    }
    if members.contains_key("$ref") {
        return value.is_object().then(|| value.clone());
    }
    let types: Vec<String> = match members.get("type") {
        Some(Json::String(name)) => vec![name.clone()],
        Some(Json::Array(names)) => names
            .iter()
            .filter_map(Json::as_str)
            .map(str::to_owned)
            .collect(),
        _ => return Some(value.clone()),
    };
    types
        .iter()
        .find_map(|name| conform_to(name, schema, value))
}

fn conform_to(name: &str, schema: &mut Json, value: &Json) -> Option<Json> {
    match (name, value) {
        ("array", Json::Array(items)) => match schema.get_mut("items") {
            Some(of) => items
                .iter()
                .map(|item| conform(of, item))
                .collect::<Option<_>>()
                .map(Json::Array),
            None => Some(value.clone()),
        },
        // A single value stands for a list of it.
        ("array", Json::Null) => None,
        ("array", single) => match schema.get_mut("items") {
            Some(of) => conform(of, single).map(|item| Json::Array(vec![item])),
            None => Some(Json::Array(vec![single.clone()])),
        },
        ("integer", Json::String(text)) => text.trim().parse::<i64>().ok().map(Json::from),
        ("number", Json::String(text)) => serde_json::from_str::<serde_json::Number>(text.trim())
            .ok()
            .map(Json::Number),
        ("integer", Json::Number(number)) if number.is_f64() => None,
        ("integer" | "number", Json::Number(_))
        | ("boolean", Json::Bool(_))
        | ("object", Json::Object(_))
        | ("null", Json::Null) => Some(value.clone()),
        ("string", Json::String(text)) => {
            if let Json::Object(members) = schema
                && members
                    .get("format")
                    .and_then(Json::as_str)
                    .is_some_and(|format| !is_of_format(format, text))
            {
                members.remove("format");
            }
            Some(value.clone())
        }
        _ => None,
    }
}

/// Whether a text has one of the formats that schemas of input values name.
/// <https://datatracker.ietf.org/doc/html/rfc3339#section-5.6>,
/// <https://spec.openapis.org/registry/format/>
fn is_of_format(format: &str, text: &str) -> bool {
    match format {
        "uuid" => is_uuid(text),
        "date" => is_date(text),
        "time-local" => is_local_time(text),
        "time" => is_time(text),
        "date-time-local" => text
            .split_once('T')
            .is_some_and(|(date, time)| is_date(date) && is_local_time(time)),
        "date-time" => text
            .split_once('T')
            .is_some_and(|(date, time)| is_date(date) && is_time(time)),
        _ => true,
    }
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12])
        && text
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else {
        return false;
    };
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap_year => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_local_time(text: &str) -> bool {
    let (time, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fits = |[hour, minute, second]: [u32; 3]| hour < 24 && minute < 60 && second < 60;
    numbers(time, ':', [2, 2, 2]).is_some_and(fits)
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_time(text: &str) -> bool {
    if let Some(time) = text.strip_suffix('Z') {
        return is_local_time(time);
    }
    let Some((time, offset)) = text
        .rfind(['+', '-'])
        .and_then(|at| text.split_at_checked(at))
    else {
        return false;
    };
    let offset = offset
        .get(1..)
        .and_then(|offset| numbers(offset, ':', [2, 2]));
    is_local_time(time) && offset.is_some_and(|[hours, minutes]| hours < 24 && minutes < 60)
}

/// Numbers of that many digits, divided by a character.
fn numbers<const N: usize>(text: &str, divider: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(divider);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| {
            part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
        })?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_have_their_format_or_none() {
        for (format, good, bad) in [
            (
                "uuid",
                "A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11",
                "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
            ),
            ("date", "2024-02-29", "2024-1-5"),
            ("date", "2000-02-29", "2023-02-29"),
            ("time-local", "10:00:00.25", "10:00"),
            ("time-local", "00:00:00", "10:00:00Z"),
            ("time", "10:00:00Z", "10:00:00"),
            ("time", "10:00:00+05:30", "10:00:00+05"),
            (
                "date-time",
                "2024-01-05T10:00:00-03:00",
                "2024-01-05 10:00:00+00",
            ),
            (
                "date-time-local",
                "2024-01-05T10:00:00",
                "2024-01-05T10:00:00Z",
            ),
            ("date", "2024-12-31", "infinity"),
        ] {
            let schema = json!({"type": ["string", "null"], "format": format});
            let with = with_default(schema.clone(), &json!(good));
            assert_eq!(
                with,
                json!({"type": ["string", "null"], "format": format, "default": good})
            );
            let without = with_default(schema, &json!(bad));
            assert_eq!(without, json!({"type": ["string", "null"], "default": bad}));
        }
    }

    #[test]
    fn defaults_take_the_form_of_their_schema() {
        let integers = json!({"type": "array", "items": {"type": "integer"}});
        for (schema, given, expected) in [
            (json!({"type": "integer"}), json!("5"), json!(5)),
            (
                json!({"anyOf": [{"type": "number"}, {"enum": ["NaN"]}]}),
                json!("1.5"),
                json!(1.5),
            ),
            (
                json!({"anyOf": [{"type": "number"}, {"enum": ["NaN"]}]}),
                json!("NaN"),
                json!("NaN"),
            ),
            (integers.clone(), json!(1), json!([1])),
            (integers, json!([1, "2"]), json!([1, 2])),
            (
                json!({"type": ["integer", "null"]}),
                json!(null),
                json!(null),
            ),
            (
                json!({"anyOf": [{"$ref": "#/x"}, {"type": "null"}]}),
                json!({"a": 1}),
                json!({"a": 1}),
            ),
            (json!({}), json!("anything"), json!("anything")),
        ] {
            assert_eq!(with_default(schema, &given)["default"], expected);
        }
        let untold = with_default(json!({"type": "boolean"}), &json!("yes"));
        assert_eq!(untold, json!({"type": "boolean"}));
        let dates = with_default(
            json!({"type": "array", "items": {"type": "string", "format": "date"}}),
            &json!("1.5.24"),
        );
        assert_eq!(
            dates,
            json!({"type": "array", "items": {"type": "string"}, "default": ["1.5.24"]})
        );
    }
}
