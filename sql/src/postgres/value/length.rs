//! Measures values that a role may give only up to a length. The measure is the text form that is
//! sent to Postgres: one character is one of `char_length`, and of JSON the text without blanks.

use std::str::CharIndices;

use crate::error::{ActualKind, LengthLimit};
use crate::postgres::length_limits::LengthLimits;
use crate::postgres::types::Input;

/// Rejects the text form of a value that is too long.
pub(super) fn check(input: &Input, limits: LengthLimits, text: &str) -> Result<(), ActualKind> {
    let input = match input {
        Input::Loose(input) => input,
        input => input,
    };
    let Input::Array(element) = input else {
        return check_characters(limits, || text.len(), || text.chars().count());
    };
    for (index, length) in ElementLengths::new(text, element.delimiter()).enumerate() {
        if let Some(most) = limits.elements.filter(|most| index >= *most as usize) {
            return Err(ActualKind::TooLong(LengthLimit::Elements(most)));
        }
        check_characters(limits, || length, || length)?;
    }
    Ok(())
}

/// Rejects more characters than the limit. They are counted only if there are more bytes.
fn check_characters(
    limits: LengthLimits,
    bytes: impl FnOnce() -> usize,
    characters: impl FnOnce() -> usize,
) -> Result<(), ActualKind> {
    match limits.characters {
        Some(most) if bytes() > most as usize && characters() > most as usize => {
            Err(ActualKind::TooLong(LengthLimit::Characters(most)))
        }
        _ => Ok(()),
    }
}

/// The characters of each element of an array in Postgres' text form, of all dimensions in turn.
/// A null has none. <https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>
struct ElementLengths<'t> {
    text: &'t str,
    letters: CharIndices<'t>,
    delimiter: char,
}

impl<'t> ElementLengths<'t> {
    fn new(text: &'t str, delimiter: char) -> ElementLengths<'t> {
        // Before the braces there may be bounds: `[0:1]={a,b}`.
        let text = text.find('{').and_then(|at| text.get(at..));
        let text = text.unwrap_or_default();
        ElementLengths {
            text,
            letters: text.char_indices(),
            delimiter,
        }
    }
}

impl Iterator for ElementLengths<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let mut length = 0;
        let mut start = None;
        let mut is_quoted = false;
        let mut is_plain = true;
        while let Some((index, letter)) = self.letters.next() {
            match letter {
                '"' => {
                    is_quoted = !is_quoted;
                    is_plain = false;
                    start.get_or_insert(index);
                }
                '\\' => {
                    self.letters.next();
                    is_plain = false;
                    length += 1;
                    start.get_or_insert(index);
                }
                _ if is_quoted => length += 1,
                '{' => {}
                letter if letter == '}' || letter == self.delimiter => {
                    let Some(start) = start else { continue };
                    let word = self.text.get(start..index).unwrap_or_default().trim_end();
                    let is_null = is_plain && word.eq_ignore_ascii_case("null");
                    return Some(if is_null { 0 } else { length });
                }
                letter if letter.is_whitespace() && start.is_none() => {}
                _ => {
                    length += 1;
                    start.get_or_insert(index);
                }
            }
        }
        start.map(|_| length)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn refused(input: Input, characters: u32, elements: u32, value: &Json) -> Option<LengthLimit> {
        let limits = LengthLimits {
            characters: Some(characters),
            elements: Some(elements),
        };
        match input.limited(limits).text(value) {
            Err(ActualKind::TooLong(limit)) => Some(limit),
            Ok(_) => None,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        let refused = |value: &str| refused(Input::Text, 3, 0, &value.into());
        assert_eq!(refused("äöü"), None);
        assert_eq!(refused("äöüß"), Some(LengthLimit::Characters(3)));
    }

    #[test]
    fn json_is_measured_as_text() {
        assert_eq!(refused(Input::Json, 9, 0, &json!({"a": [1]})), None);
        let refused = refused(Input::Json, 8, 0, &json!({"a": [1]}));
        assert_eq!(refused, Some(LengthLimit::Characters(8)));
    }

    #[test]
    fn elements_of_arrays_are_counted_and_measured() {
        let refused = |value: &Json| refused(Input::Array(Box::new(Input::Text)), 3, 2, value);
        let too_many = Some(LengthLimit::Elements(2));
        let too_long = Some(LengthLimit::Characters(3));
        for value in [
            json!([]),
            json!(["abc", "\"\\\""]),
            json!([null, ",{}"]),
            json!([["a"], ["b"]]),
            json!("{}"),
            json!("{ abc,NULL }"),
            json!("[0:1]={{a},{b}}"),
            json!("{\"a,b\",\\,\\,}"),
        ] {
            assert_eq!(refused(&value), None, "{value}");
        }
        for value in [
            json!(["a", "b", "c"]),
            json!([null, null, null]),
            json!([["a", "b"], ["c", "d"]]),
            json!("{a,b,c}"),
            json!("[5:7]={a,b,c}"),
            json!("{{a},{b},{c}}"),
            json!("{\"\",\"\",\"\"}"),
        ] {
            assert_eq!(refused(&value), too_many, "{value}");
        }
        for value in [json!(["abcd"]), json!("{abcd}"), json!("{a,\"{,}x\"}")] {
            assert_eq!(refused(&value), too_long, "{value}");
        }
    }

    #[test]
    fn limits_hold_for_loose_input() {
        let array = Input::Array(Box::new(Input::Text)).loosened();
        let refused = |input: Input, value: &str| refused(input, 2, 1, &value.into());
        assert_eq!(refused(array, "{a,b}"), Some(LengthLimit::Elements(1)));
        let text = Input::Text.loosened();
        assert_eq!(refused(text, "abc"), Some(LengthLimit::Characters(2)));
    }
}
