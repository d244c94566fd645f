//! Writes TOML as a person would: a table on one line while it fits, else as a section, with long
//! strings on several lines.

use std::fmt::Write;

use toml_writer::{ToTomlKey, ToTomlValue, TomlStringBuilder};

use crate::expression::Expression;
use crate::session::Session;

/// A TOML value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TomlValue {
    Text(String),
    /// A rule. Its session values get their types when it is written.
    Rule(Expression),
    Flag(bool),
    Number(u64),
    List(Vec<TomlValue>),
    Table(Vec<(String, TomlValue)>),
}

/// The pairs of a section.
pub(crate) type Pairs = Vec<(String, TomlValue)>;

/// The longest line of an inline table, in bytes.
const MAX_LINE_BYTES: usize = 150;

impl TomlValue {
    /// Makes a string.
    pub(crate) fn text(text: impl Into<String>) -> TomlValue {
        TomlValue::Text(text.into())
    }

    /// Makes a list of strings.
    pub(crate) fn texts<'t>(texts: impl IntoIterator<Item = &'t String>) -> TomlValue {
        TomlValue::List(
            texts
                .into_iter()
                .map(|text| TomlValue::Text(text.clone()))
                .collect(),
        )
    }

    /// Converts a JSON value. Nulls in lists and objects are left out.
    pub(crate) fn json(value: &serde_json::Value) -> TomlValue {
        use serde_json::Value;
        match value {
            Value::Null => TomlValue::Text(String::new()),
            Value::Bool(flag) => TomlValue::Flag(*flag),
            Value::Number(number) => number
                .as_u64()
                .map_or_else(|| TomlValue::Text(number.to_string()), TomlValue::Number),
            Value::String(text) => TomlValue::Text(text.clone()),
            Value::Array(items) => TomlValue::List(
                items
                    .iter()
                    .filter(|item| !item.is_null())
                    .map(TomlValue::json)
                    .collect(),
            ),
            Value::Object(fields) => {
                let kept = fields.iter().filter(|(_, value)| !value.is_null());
                TomlValue::Table(
                    kept.map(|(key, value)| (key.clone(), TomlValue::json(value)))
                        .collect(),
                )
            }
        }
    }

    /// Records the session values that the rules need.
    pub(crate) fn declare(&self, session: &mut Session) {
        match self {
            TomlValue::Rule(rule) => rule.declare(session),
            TomlValue::List(items) => items.iter().for_each(|item| item.declare(session)),
            TomlValue::Table(pairs) => pairs.iter().for_each(|(_, item)| item.declare(session)),
            TomlValue::Text(_) | TomlValue::Flag(_) | TomlValue::Number(_) => {}
        }
    }

    /// Writes the value on one line, or a long rule on several.
    fn long(&self, session: &Session) -> String {
        let TomlValue::Rule(rule) = self else {
            return self.line(session);
        };
        let lines = rule.lines(session).join("\n");
        match self.line(session) {
            line if line.len() < MAX_LINE_BYTES || !lines.contains('\n') => line,
            _ if !lines.contains(['\\']) && !lines.contains("\"\"\"") => {
                format!("\"\"\"\n{lines}\n\"\"\"")
            }
            _ if !lines.contains("'''") => format!("'''\n{lines}\n'''"),
            line => line,
        }
    }

    /// Writes the value on one line.
    pub(crate) fn line(&self, session: &Session) -> String {
        match self {
            TomlValue::Text(text) => string(text),
            TomlValue::Rule(rule) => string(&rule.text(session)),
            TomlValue::Flag(flag) => flag.to_string(),
            TomlValue::Number(number) => number.to_string(),
            TomlValue::List(items) => {
                format!(
                    "[{}]",
                    items
                        .iter()
                        .map(|item| item.line(session))
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
            TomlValue::Table(pairs) if pairs.is_empty() => "{}".to_owned(),
            TomlValue::Table(pairs) => {
                let pair = |(name, item): &(String, TomlValue)| {
                    format!("{} = {}", key(name), item.line(session))
                };
                format!(
                    "{{ {} }}",
                    pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }
}

/// Writes a section with its pairs, long tables as sections of their own.
pub(crate) fn section(name: &str, pairs: &Pairs) -> String {
    let session = Session::default();
    let mut text = format!("\n[{name}]\n");
    let entries: Vec<Entry> = pairs
        .iter()
        .map(|(key, item)| entry(name, key, item, &session))
        .collect();
    text.extend(entries.iter().filter_map(|entry| {
        if let Entry::Line(line) = entry {
            Some(line.as_str())
        } else {
            None
        }
    }));
    text.extend(entries.iter().filter_map(|entry| {
        if let Entry::Section(text) = entry {
            Some(text.as_str())
        } else {
            None
        }
    }));
    text
}

/// Writes `name = { … }`, or a section if the line would be too long. Sections must come last.
pub(crate) fn entry(section: &str, name: &str, item: &TomlValue, session: &Session) -> Entry {
    let line = format!("{} = {}\n", key(name), item.line(session));
    match item {
        TomlValue::Table(pairs) if line.len() > MAX_LINE_BYTES => {
            let mut text = format!("\n[{section}.{}]\n", key(name));
            for (name, item) in pairs {
                let _ = writeln!(text, "{} = {}", key(name), item.long(session));
            }
            Entry::Section(text)
        }
        _ => Entry::Line(line),
    }
}

/// A written entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Line(String),
    Section(String),
}

/// Writes a key, in quotes where they are needed.
pub(crate) fn key(name: &str) -> String {
    name.to_toml_key()
}

/// Writes a string on one line, in the kind of quotes that needs no escapes if there is one.
pub(crate) fn string(text: &str) -> String {
    let kinds = TomlStringBuilder::new(text);
    kinds
        .as_basic_pretty()
        .or_else(|| kinds.as_literal())
        .unwrap_or_else(|| kinds.as_basic())
        .to_toml_value()
}

/// Writes a comment of one or more lines.
pub(crate) fn comment(text: &str) -> String {
    text.lines()
        .fold(String::new(), |out, line| out + "# " + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_round_trip_through_toml() {
        for text in ["a", "a\"b", "a'b", "a\"b'c", "a\\b", "a\nb", "\u{1}", ""] {
            let parsed: toml::Table = toml::from_str(&format!("x = {}", string(text))).unwrap();
            assert_eq!(parsed["x"].as_str(), Some(text));
        }
        assert_eq!(string("a = 'b'"), "\"a = 'b'\"");
        assert_eq!(string("\"A\" = 1"), "'\"A\" = 1'");
        assert_eq!(
            (key("a-b_1"), key("a b"), key("a\nb")),
            ("a-b_1".into(), "\"a b\"".into(), "\"a\\nb\"".into())
        );
    }

    #[test]
    fn long_tables_become_sections() {
        let session = Session::default();
        let item = |rule: &str| TomlValue::Table(vec![("rows".to_owned(), TomlValue::text(rule))]);
        assert_eq!(
            entry("t", "a", &item("true"), &session),
            Entry::Line("a = { rows = \"true\" }\n".to_owned())
        );
        let long = "x".repeat(200);
        assert_eq!(
            entry("t", "a", &item(&long), &session),
            Entry::Section(format!("\n[t.a]\nrows = \"{long}\"\n"))
        );
    }
}
