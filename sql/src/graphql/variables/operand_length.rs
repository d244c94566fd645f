//! Classifies operands as short or long. The class of a variable's value decides the text of a
//! statement: a comparison with a long operand takes time that depends on the rows, so it stays
//! outside the optimization fence around a row rule.

use serde_json::Value as Json;

use super::{Template, Variables};

/// The longest text that counts as short, in bytes.
pub const MAX_SHORT_TEXT_BYTES: usize = 256;

/// The most items of a short list of fixed-size values.
pub const MAX_SHORT_LIST_ITEMS: usize = 64;

/// The most items of a short list of texts. For longer lists Postgres builds a hash table and
/// hashes the stored value, which it reads completely (`MIN_ARRAY_SIZE_FOR_HASHED_SAOP`).
pub const MAX_SHORT_TEXT_ITEMS: usize = 8;

/// What an operand must be for a comparison with it to take little time on any row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperandLength {
    /// A short value.
    Short,
    /// A short list of fixed-size values.
    List,
    /// A short list of short texts.
    Texts,
    /// A short `LIKE` pattern that matches a prefix.
    Prefix,
}

impl OperandLength {
    fn items(self) -> usize {
        if self == OperandLength::Texts {
            MAX_SHORT_TEXT_ITEMS
        } else {
            MAX_SHORT_LIST_ITEMS
        }
    }

    /// Whether a value meets the requirement.
    pub fn holds(self, value: &Json) -> bool {
        match value {
            Json::Array(items) => {
                items.len() <= self.items() && items.iter().all(|item| self.holds(item))
            }
            Json::String(text) => {
                text.len() <= MAX_SHORT_TEXT_BYTES
                    && (self != OperandLength::Prefix || is_prefix(text))
            }
            Json::Number(number) => number.as_str().len() <= MAX_SHORT_TEXT_BYTES,
            Json::Null | Json::Bool(_) => true,
            Json::Object(_) => false,
        }
    }

    /// Whether an operand meets the requirement with these variables. An absent variable counts as
    /// null.
    pub(crate) fn holds_of(self, operand: &Template, variables: &Variables) -> bool {
        match operand {
            Template::Json(value) => self.holds(value),
            Template::Variable(path) => path.find(variables).is_none_or(|value| self.holds(value)),
            Template::List(items) => {
                items.len() <= self.items()
                    && items.iter().all(|item| self.holds_of(item, variables))
            }
            Template::Object(_) => false,
        }
    }
}

/// Whether a `LIKE` pattern matches a prefix: it has no wildcard, or only `%` at its end.
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
        assert!(!OperandLength::Prefix.holds(&json!("a".repeat(MAX_SHORT_TEXT_BYTES + 1))));
    }

    #[test]
    fn short_lists_have_few_short_items() {
        assert!(
            OperandLength::List.holds(&json!(vec![1; MAX_SHORT_LIST_ITEMS]))
                && !OperandLength::List.holds(&json!(vec![1; MAX_SHORT_LIST_ITEMS + 1]))
        );
        assert!(
            OperandLength::Texts.holds(&json!(vec!["a"; MAX_SHORT_TEXT_ITEMS]))
                && !OperandLength::Texts.holds(&json!(vec!["a"; MAX_SHORT_TEXT_ITEMS + 1]))
        );
        assert!(!OperandLength::Texts.holds(&json!(["a".repeat(MAX_SHORT_TEXT_BYTES + 1)])));
        assert!(!OperandLength::Short.holds(&json!({})));
    }

    #[test]
    fn long_numbers_are_not_short() {
        let number: serde_json::Number = "1"
            .repeat(MAX_SHORT_TEXT_BYTES + 1)
            .parse()
            .unwrap_or_else(|_| 1.into());
        assert!(
            !OperandLength::Short.holds(&Json::Number(number))
                && OperandLength::Short.holds(&json!(1.5))
        );
    }
}
