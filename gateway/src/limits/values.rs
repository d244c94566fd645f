//! How much memory the values of a text take up once it is parsed, from its separators.

use pg::memory::MAX_COVERED_BYTES;

/// The bytes of a JSON value beside its text, on average while a list of a million grows: measured,
/// 119 bytes.
const JSON_VALUE_BYTES: usize = 128;

/// The bytes that a JSON value takes up.
pub(crate) fn value_bytes(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Array(items) => {
            JSON_VALUE_BYTES + items.iter().map(value_bytes).sum::<usize>()
        }
        serde_json::Value::Object(members) => {
            JSON_VALUE_BYTES
                + members
                    .iter()
                    .map(|(key, value)| key.len() + JSON_VALUE_BYTES + value_bytes(value))
                    .sum::<usize>()
        }
        serde_json::Value::String(text) => JSON_VALUE_BYTES + text.len(),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
            JSON_VALUE_BYTES
        }
    }
}

/// The most bytes that the values of a JSON text take up once it is parsed, without the text of
/// strings. Parsing invalid JSON stops before it exceeds them.
pub(crate) fn values_of(json: &[u8]) -> usize {
    // Most bodies are short, and the compiler vectorizes this loop.
    let separators = json.iter().filter(|byte| weight(**byte) > 0).count();
    if separators * JSON_VALUE_BYTES <= MAX_COVERED_BYTES {
        return separators * JSON_VALUE_BYTES;
    }
    let mut values = JSON_VALUE_BYTES;
    let mut in_text = false;
    let mut escaped = false;
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            byte if !in_text => values += weight(*byte),
            _ => {}
        }
    }
    values
}

/// The most bytes of the values in a query string or a form, which may be percent-encoded JSON.
pub(crate) fn values_of_form(text: &[u8]) -> usize {
    text.iter()
        .filter(|byte| matches!(byte, b'&' | b'%') || weight(**byte) > 0)
        .count()
        * JSON_VALUE_BYTES
}

/// The most bytes that the value after a separator takes up: a value in a growing list, the first
/// allocation of a list or an object, and the place of a key.
const fn weight(separator: u8) -> usize {
    match separator {
        b',' | b':' => JSON_VALUE_BYTES,
        b'[' => JSON_VALUE_BYTES + 4 * 72,
        b'{' => 3 * JSON_VALUE_BYTES,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_inside_strings_are_not_counted() {
        assert_eq!(values_of(b"1"), 0);
        let list = format!("[{}\"a,[{{:\\\",\"]", r#"{"b": 2},"#.repeat(100));
        assert_eq!(
            values_of(list.as_bytes()),
            JSON_VALUE_BYTES + weight(b'[') + 100 * (weight(b'{') + 2 * JSON_VALUE_BYTES)
        );
        assert_eq!(values_of_form(b"a=%5B1&b=2"), 2 * JSON_VALUE_BYTES);
    }
}
