//! What is wrong with a text that is not TOML, one fault for each mistake. After a mistake the
//! parser often misreads what follows, up to the next table, and reports that as well.

use std::ops::Range;

use toml::de::{DeTable, DeValue, Error};

/// A mistake in the syntax of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// What is wrong: `duplicate key`.
    pub message: String,
    /// Where, in bytes.
    pub span: Range<usize>,
    /// What to do.
    pub help: Option<String>,
}

/// How many duplicate keys are reported.
const MAX_DUPLICATES: usize = 20;

/// The message of the parser for a key that stands twice in a table.
const DUPLICATE: &str = "duplicate key";

/// The mistakes of a text; none if it is TOML.
pub fn syntax_faults(text: &str) -> Vec<SyntaxFault> {
    let (_, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return vec![];
    }
    if let Some(fault) = other_format(text) {
        return vec![fault];
    }
    let mut faults = vec![];
    let mut text = text.to_owned();
    while faults.len() < MAX_DUPLICATES {
        let (_, errors) = DeTable::parse_recoverable(&text);
        // What follows another mistake may be read into the wrong table.
        let others = errors.iter().filter(|error| error.message() != DUPLICATE);
        let other = others.map(start).min().unwrap_or(usize::MAX);
        let duplicates = errors.iter().filter(|error| error.message() == DUPLICATE);
        let duplicate = duplicates.min_by_key(|error| start(error));
        let duplicate = duplicate.filter(|error| start(error) < other);
        let Some(span) = duplicate.and_then(Error::span) else {
            break;
        };
        let renamed = renamed(&text, &span);
        let first = renamed
            .as_ref()
            .and_then(|renamed| first_of(&text, renamed, &span));
        faults.push(SyntaxFault {
            message: DUPLICATE.to_owned(),
            help: first.map(|first| {
                let key = text.get(span.clone()).unwrap_or_default();
                format!(
                    "the table has `{key}` in line {} already",
                    line(&text, first)
                )
            }),
            span,
        });
        match renamed {
            Some(renamed) => text = renamed,
            None => return faults,
        }
    }
    let (_, mut errors) = DeTable::parse_recoverable(&text);
    errors.retain(|error| error.message() != DUPLICATE);
    errors.sort_by_key(start);
    errors.dedup_by_key(|error| start(error));
    let others = errors
        .iter()
        .enumerate()
        .filter(|(index, error)| *index == 0 || is_independent(&text, error));
    faults.extend(others.map(|(_, error)| SyntaxFault {
        message: error.message().to_owned(),
        span: error.span().unwrap_or(0..0),
        help: None,
    }));
    faults.sort_by_key(|fault| fault.span.start);
    faults
}

/// Where an error is.
fn start(error: &Error) -> usize {
    error.span().map_or(0, |span| span.start)
}

/// The fault of a text in another format.
fn other_format(text: &str) -> Option<SyntaxFault> {
    let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let first = text
        .trim_start_matches('\u{feff}')
        .lines()
        .find(is_content)?
        .trim();
    let start = text.find(first)?;
    let is_json = first.starts_with('{')
        || first.starts_with('[') && is_json_list(first.get(1..)?.trim_start());
    let is_yaml = first == "---"
        || first.starts_with("- ")
        || first.split_once(':').is_some_and(|(key, value)| {
            let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
            !key.is_empty()
                && key.chars().all(is_key)
                && (value.is_empty() || value.starts_with(' '))
        });
    let format = match (is_json, is_yaml) {
        (true, _) => "JSON",
        (_, true) => "YAML",
        _ => return None,
    };
    let is_metadata = [
        "_permissions",
        "\"sources\"",
        "object_relationships",
        "rest_endpoints",
    ]
    .iter()
    .any(|word| text.contains(word));
    let help = if is_metadata {
        "`postern import hasura --metadata FILE --out DIR` converts metadata of Hasura"
    } else {
        "in TOML an object is a table, `[name]`, with its members below it: `key = \"value\"`"
    };
    Some(SyntaxFault {
        message: format!("it is {format}"),
        span: start..start + first.len(),
        help: Some(help.to_owned()),
    })
}

/// Whether what follows a bracket begins a list of JSON rather than the name of a table.
fn is_json_list(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['{', '"'])
}

/// The text with another name for a duplicate key, as long as the key and not in its table yet.
fn renamed(text: &str, span: &Range<usize>) -> Option<String> {
    let key = text.get(span.clone())?;
    let quotes = usize::from(key.ends_with(['"', '\'']));
    let last = span.end.checked_sub(1 + quotes)?;
    if !text.as_bytes().get(last)?.is_ascii_alphanumeric() {
        return None;
    }
    let is_free = |renamed: &String| {
        let (_, errors) = DeTable::parse_recoverable(renamed);
        let is_same = |error: &Error| error.span().is_some_and(|found| found == *span);
        !errors.iter().any(is_same)
    };
    ('a'..='z').chain('0'..='9').find_map(|letter| {
        let mut renamed = text.to_owned();
        renamed.replace_range(last..=last, letter.encode_utf8(&mut [0; 4]));
        Some(renamed).filter(is_free)
    })
}

/// Where the key of that name stands that the table has already.
fn first_of(text: &str, renamed: &str, span: &Range<usize>) -> Option<usize> {
    let (table, _) = DeTable::parse_recoverable(renamed);
    let key = text.get(span.clone())?.trim_matches(['"', '\'']);
    sibling(table.get_ref(), key, span)
}

/// The place of a key in the table that has another key at a place.
fn sibling(table: &DeTable<'_>, key: &str, span: &Range<usize>) -> Option<usize> {
    if table.keys().any(|known| known.span() == *span) {
        let first = table.keys().find(|known| known.get_ref() == key)?;
        return Some(first.span().start).filter(|start| *start < span.start);
    }
    table
        .values()
        .find_map(|value| sibling_in(value.get_ref(), key, span))
}

fn sibling_in(value: &DeValue<'_>, key: &str, span: &Range<usize>) -> Option<usize> {
    match value {
        DeValue::Table(table) => sibling(table, key, span),
        DeValue::Array(items) => items
            .iter()
            .find_map(|item| sibling_in(item.get_ref(), key, span)),
        _ => None,
    }
}

/// Whether an error is there without the tables before it, so that no earlier mistake causes it,
/// and is the first of its own table.
fn is_independent(text: &str, error: &Error) -> bool {
    let Some(span) = error.span() else {
        return false;
    };
    let header = text
        .get(..=span.start)
        .and_then(|before| before.rfind("\n["));
    let start = header.map_or(0, |newline| newline + 1);
    let part = text.get(start..).unwrap_or_default();
    let (_, errors) = DeTable::parse_recoverable(part);
    let first = errors
        .iter()
        .filter_map(Error::span)
        .map(|span| span.start)
        .min();
    first.is_some_and(|first| first + start == span.start)
}

fn line(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the faults, with their messages and suggestions.
    fn faults(text: &str) -> Vec<(usize, String)> {
        let faults = syntax_faults(text).into_iter();
        let shown = faults.map(|fault| {
            let help = fault.help.unwrap_or_default();
            (
                line(text, fault.span.start),
                format!("{}: {help}", fault.message),
            )
        });
        shown.collect()
    }

    #[test]
    fn a_missing_comma_is_one_fault() {
        for text in [
            "[a]\nx = [\"b\" \"c\"]\ny = 1\n",
            "[a]\nx = { b = 1 c = 2, d = \"e\" }\n",
            "[a]\nx = { b = [\"c\"] d = \"e\", f = [1, 2] }\n\n[b]\ny = 1\n",
            "[a]\nx = [\n\"b\"\n\"c\",\n]\ny = 1\n",
        ] {
            assert_eq!(faults(text).len(), 1, "{text}: {:?}", faults(text));
        }
    }

    #[test]
    fn what_is_not_closed_is_one_fault() {
        for text in [
            "[a]\nx = [\"b\", \"c\"\ny = 1\n\n[b]\nx = 1\n\n[c]\nx = { a = 1 }\n",
            "[a]\nx = { b = 1, c = \"d\"\ny = 1\n\n[b]\nx = 1\n",
            "[a]\nx = \"b\n\n[b]\nx = 1\n",
            "[a]\nx = \"\"\"b\n\n[b]\nx = 1\n",
        ] {
            assert_eq!(faults(text).len(), 1, "{text}: {:?}", faults(text));
        }
    }

    #[test]
    fn mistakes_in_several_tables_are_several_faults() {
        let text = "[a]\nx = [1 2]\n\n[b]\ny = 1\n\n[c]\nz = { d = 1 e = 2 }\n";
        let lines: Vec<usize> = faults(text).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [2, 8]);
    }

    #[test]
    fn a_duplicate_key_names_the_line_of_the_first() {
        for (text, expected) in [
            ("[a]\nx = 1\ny = 2\nx = 3\n", (4, "`x` in line 2")),
            (
                "[a.b]\nx = 1\n\n[c.b]\nx = 1\n\n[a.b]\nx = 1\n",
                (7, "`b` in line 1"),
            ),
            ("[a]\nx = { y = 1, y = 2 }\n", (2, "`y` in line 2")),
            (
                "[a]\n\"x y\" = 1\n\"x y\" = 1\n",
                (3, "`\"x y\"` in line 2"),
            ),
        ] {
            let found = faults(text);
            let [(line, message)] = found.as_slice() else {
                panic!("{text}: {found:?}");
            };
            assert_eq!(*line, expected.0);
            assert!(message.contains(expected.1), "{message}");
        }
    }

    #[test]
    fn other_formats_are_named() {
        for (text, format) in [
            ("{\"table\": {}}", "JSON"),
            ("[\n  {\"table\": 1}\n]", "JSON"),
            ("# roles\ntable:\n  orders:\n    role: user\n", "YAML"),
            ("---\na: 1\n", "YAML"),
            ("- table: a\n  name: b\n", "YAML"),
        ] {
            let found = faults(text);
            let [(_, message)] = found.as_slice() else {
                panic!("{text}: {found:?}");
            };
            assert!(
                message.starts_with(&format!("it is {format}: ")),
                "{message}"
            );
        }
        assert!(faults("[a]\nx = 1\n").is_empty());
    }
}
