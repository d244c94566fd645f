//! References to environment variables in files that users write: `"${NAME}"` inside a string
//! stands for the variable's value. `$${` stands for `${`; other dollar signs stand for themselves,
//! so that regular expressions stay as they are.
//!
//! This crate reads no environment: the caller, which reads the file, passes the values of the
//! variables that it names.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The values of the variables that a file names.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables(Arc<BTreeMap<String, String>>);

/// Shows the names alone: values may be secret.
impl std::fmt::Debug for Variables {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

impl Variables {
    /// Looks up every variable that a text names.
    pub fn named_in(text: &str, value: impl Fn(&str) -> Option<String>) -> Variables {
        let names = pieces(text).filter_map(|piece| match piece {
            Piece::Reference(name) => Some(name),
            Piece::Text(_) | Piece::Escape => None,
        });
        Variables(Arc::new(
            names
                .filter_map(|name| Some((name.to_owned(), value(name)?)))
                .collect(),
        ))
    }

    /// Replaces the references in every string of a table. Calls `unset` with each variable that is
    /// not set, and the span of its string, which stays as it is.
    pub fn substitute(&self, table: &mut DeTable<'_>, unset: &mut impl FnMut(&str, Range<usize>)) {
        table
            .iter_mut()
            .for_each(|(_, value)| self.substitute_value(value, unset));
    }

    fn substitute_value(
        &self,
        value: &mut Spanned<DeValue<'_>>,
        unset: &mut impl FnMut(&str, Range<usize>),
    ) {
        let span = value.span();
        match value.get_mut() {
            DeValue::String(text) if text.contains("${") => match self.expand(text) {
                Ok(expanded) => *text = Cow::Owned(expanded),
                Err(name) => unset(&name, span),
            },
            DeValue::Array(items) => items
                .iter_mut()
                .for_each(|item| self.substitute_value(item, unset)),
            DeValue::Table(table) => self.substitute(table, unset),
            _ => {}
        }
    }

    /// The text with the values of its variables, or the name of one that is not set.
    fn expand(&self, text: &str) -> Result<String, String> {
        pieces(text)
            .map(|piece| match piece {
                Piece::Text(text) => Ok(text),
                Piece::Escape => Ok("${"),
                Piece::Reference(name) => self
                    .0
                    .get(name)
                    .map(String::as_str)
                    .ok_or_else(|| name.to_owned()),
            })
            .collect()
    }

    /// Puts the names of variables in place of their values, for messages: a value may be secret. A
    /// value of fewer than four characters is none, and occurs in words.
    pub fn redact(&self, message: &str) -> String {
        let values = self.0.iter().filter(|(_, value)| value.len() >= 4);
        values.fold(message.to_owned(), |message, (name, value)| {
            let name = format!("${{{name}}}");
            // Parsers quote strings and escape what is in them.
            let quoted = format!("{value:?}");
            message
                .replace(quoted.trim_matches('"'), &name)
                .replace(value, &name)
        })
    }
}

/// A part of a text with references.
#[derive(Debug, PartialEq)]
enum Piece<'t> {
    /// Text that stands for itself.
    Text(&'t str),
    /// `$${`.
    Escape,
    /// The name in `${NAME}`.
    Reference(&'t str),
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(after) = rest.strip_prefix("$${") {
            rest = after;
            return Some(Piece::Escape);
        }
        if let Some((name, after)) = reference(rest) {
            rest = after;
            return Some(Piece::Reference(name));
        }
        // Up to the next dollar sign that may begin something, past the one here.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest
            .get(first..)
            .and_then(|rest| rest.find('$'))
            .map_or(rest.len(), |at| first + at);
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(Piece::Text(text))
    })
}

/// The name of a reference at the beginning of a text, and the text after it. `${1}` is none, since
/// no variable begins with a digit.
fn reference(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix("${")?.split_once('}')?;
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()))
        .then_some((name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> Result<String, String> {
        let values = [
            ("HOST", "db"),
            ("PORT", "1"),
            ("EMPTY", ""),
            ("NESTED", "${HOST}"),
        ];
        let value = |name: &str| {
            values
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        };
        Variables::named_in(text, value).expand(text)
    }

    #[test]
    fn references_become_values() {
        assert_eq!(
            expand("postgres://${HOST}:${PORT}/x").as_deref(),
            Ok("postgres://db:1/x")
        );
        assert_eq!(expand("a${EMPTY}b").as_deref(), Ok("ab"));
        assert_eq!(
            expand("${NESTED}").as_deref(),
            Ok("${HOST}"),
            "a value is not read again"
        );
        assert_eq!(expand("é${HOST}é").as_deref(), Ok("édbé"));
    }

    #[test]
    fn other_dollar_signs_stand_for_themselves() {
        for text in [
            "$",
            "$1",
            "$HOST",
            "$$",
            "^a${1}",
            "${",
            "${}",
            "${HOST",
            "${a b}",
            "$$tag$$",
            "query($id: Int)",
        ] {
            assert_eq!(expand(text).as_deref(), Ok(text));
        }
        assert_eq!(expand("$${HOST}").as_deref(), Ok("${HOST}"));
        assert_eq!(expand("$$${HOST}").as_deref(), Ok("$${HOST}"));
        assert_eq!(expand("$1${HOST}").as_deref(), Ok("$1db"));
    }

    #[test]
    fn variables_that_are_not_set_are_reported_with_their_string() {
        let text = "a = [\"${HOST}\", { b = \"${NOWHERE}\" }]\n";
        let variables = Variables::named_in(text, |name| (name == "HOST").then(|| "db".to_owned()));
        let mut table = DeTable::parse(text).unwrap().into_inner();
        let mut unset = vec![];
        variables.substitute(&mut table, &mut |name, span| {
            unset.push((name.to_owned(), text[span].to_owned()));
        });
        assert_eq!(unset, [("NOWHERE".to_owned(), "\"${NOWHERE}\"".to_owned())]);
        assert!(
            table
                .iter()
                .any(|(_, value)| format!("{value:?}").contains("\"db\""))
        );
    }

    #[test]
    fn values_are_not_shown() {
        let variables = Variables::named_in("${SECRET}", |_| Some("hidden".into()));
        assert_eq!(format!("{variables:?}"), "{\"SECRET\"}");
        assert_eq!(variables.redact("no `hidden` here"), "no `${SECRET}` here");
        let quoted = Variables::named_in("${SECRET}", |_| Some("hid\"den".into()));
        assert_eq!(
            quoted.redact("string \"hid\\\"den\""),
            "string \"${SECRET}\""
        );
    }
}
