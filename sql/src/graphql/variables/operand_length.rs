//! Whether an operand is short. That much of a variable's value decides the text of a statement: a long operand stays outside
//! the fence around a row rule, because comparing with it takes time that depends on the rows.

use serde_json::Value as Json;

use super::{Template, Variables};

/// The longest text that is short, in bytes.
pub const SHORT: usize = 256;

/// The longest list of values of a fixed size that is short.
pub const ITEMS: usize = 64;

/// The longest list of texts that is short. For longer lists Postgres makes a hash of the stored value, and so reads it
/// (`MIN_ARRAY_SIZE_FOR_HASHED_SAOP`).
pub const TEXTS: usize = 8;

/// What has to be true of an operand for a comparison with it to take little time on any row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperandLength {
    /// It is a short value.
    Short,
    /// It is a short list of values of a fixed size.
    List,
    /// It is a short list of short texts.
    Texts,
    /// It is a short pattern for `LIKE` that only asks for a beginning.
    Prefix,
}

impl OperandLength {
    fn items(self) -> usize {
        if self == OperandLength::Texts { TEXTS } else { ITEMS }
    }

    /// Whether a value is like that.
    pub fn holds(self, value: &Json) -> bool {
        match value {
            Json::Array(items) => items.len() <= self.items() && items.iter().all(|item| self.holds(item)),
            Json::String(text) => text.len() <= SHORT && (self != OperandLength::Prefix || is_prefix(text)),
            Json::Number(number) => number.as_str().len() <= SHORT,
            Json::Null | Json::Bool(_) => true,
            Json::Object(_) => false,
        }
    }

    /// Whether an operand is like that under these variables. A variable that is absent is null.
    pub(crate) fn holds_of(self, operand: &Template, variables: &Variables) -> bool {
        match operand {
            Template::Json(value) => self.holds(value),
            Template::Variable(place) => place.find(variables).is_none_or(|value| self.holds(value)),
            Template::List(items) => {
                items.len() <= self.items() && items.iter().all(|item| self.holds_of(item, variables))
            }
            Template::Object(_) => false,
        }
    }
}

/// Whether a `LIKE` pattern only asks for a beginning: no wildcard stands before its end, which is `%` or nothing.
fn is_prefix(pattern: &str) -> bool {
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '_' => return false,
            '%' => return rest.all(|c| c == '%'),
            '\\' => {
                rest.next();
            }
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn prefix_patterns_have_no_wildcard_before_the_end() {
        for pattern in ["abc%", "abc", "", "%", "100\\%%", "a\\_b%%"] {
            assert!(OperandLength::Prefix.holds(&json!(pattern)), "{pattern}");
        }
        for pattern in ["%abc", "a%b", "a_c%", "a%%b", "_"] {
            assert!(!OperandLength::Prefix.holds(&json!(pattern)), "{pattern}");
        }
        assert!(!OperandLength::Prefix.holds(&json!("a".repeat(SHORT + 1))));
    }

    #[test]
    fn short_lists_have_few_short_items() {
        assert!(
            OperandLength::List.holds(&json!(vec![1; ITEMS])) && !OperandLength::List.holds(&json!(vec![1; ITEMS + 1]))
        );
        assert!(
            OperandLength::Texts.holds(&json!(vec!["a"; TEXTS]))
                && !OperandLength::Texts.holds(&json!(vec!["a"; TEXTS + 1]))
        );
        assert!(!OperandLength::Texts.holds(&json!(["a".repeat(SHORT + 1)])));
        assert!(!OperandLength::Short.holds(&json!({})));
    }

    #[test]
    fn long_numbers_are_not_short() {
        let number: serde_json::Number = "1".repeat(SHORT + 1).parse().unwrap_or_else(|_| 1.into());
        assert!(!OperandLength::Short.holds(&Json::Number(number)) && OperandLength::Short.holds(&json!(1.5)));
    }
}
