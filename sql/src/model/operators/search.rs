//! The modes of the full-text search `_fts`, and the check of its query before it is sent.

use crate::error::{ActualKind, TextFormat};
use crate::model::named_enum::named_enum;

named_enum! {
    /// How the query of a full-text search is parsed: a value of the enum `fts_mode`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Mode by name {
        /// Words that must all occur.
        Plain = "PLAIN",
        /// Words that must follow each other.
        Phrase = "PHRASE",
        /// The syntax of web search engines: `"two words" or -this`.
        #[default]
        WebSearch = "WEBSEARCH",
        /// The syntax of `to_tsquery`: `fat & (cat | rat:*)`.
        Raw = "RAW",
    }
}

impl Mode {
    /// The mode of that name.
    pub fn find(name: &str) -> Option<Mode> {
        Mode::ALL
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(mode, _)| *mode)
    }

    /// The Postgres function that parses queries of the mode.
    pub fn function(self) -> &'static str {
        match self {
            Mode::Plain => "plainto_tsquery",
            Mode::Phrase => "phraseto_tsquery",
            Mode::WebSearch => "websearch_to_tsquery",
            Mode::Raw => "to_tsquery",
        }
    }

    /// The description, for the schema and the reference page.
    pub fn about(self) -> &'static str {
        match self {
            Mode::Plain => "words that all have to be there",
            Mode::Phrase => "words that have to follow each other",
            Mode::WebSearch => "as search engines have it: \"two words\" or -this",
            Mode::Raw => "the language of to_tsquery: fat & (cat | rat:*)",
        }
    }

    /// What a query is, if Postgres might reject it.
    pub fn fault(self, query: &str) -> Option<ActualKind> {
        if query.len() > MAX_QUERY_BYTES {
            return Some(ActualKind::LongSearchQuery);
        }
        (self == Mode::Raw && !is_query(query))
            .then_some(ActualKind::Malformed(TextFormat::SearchQuery))
    }
}

/// The longest query, in bytes. Shorter queries never exceed Postgres' limits on words and queries.
const MAX_QUERY_BYTES: usize = 2_000;
/// Maximum nesting of brackets.
const MAX_NESTING: usize = 50;

/// Whether text is certainly in the syntax of `to_tsquery`. A part of that syntax is rejected:
/// backslashes, and punctuation in unquoted words.
/// <https://www.postgresql.org/docs/current/datatype-textsearch.html#DATATYPE-TSQUERY>
fn is_query(text: &str) -> bool {
    text.trim().is_empty() || operators(text, 0).is_some_and(|rest| rest.trim_start().is_empty())
}

/// Consumes operands separated by `&`, `|` and `<->`; returns the rest of the text.
fn operators(text: &str, depth: usize) -> Option<&str> {
    let mut rest = operand(text, depth)?;
    loop {
        let after = rest.trim_start();
        rest = match after.strip_prefix(['&', '|']) {
            Some(after) => operand(after, depth)?,
            None => match distance(after) {
                Some(after) => operand(after, depth)?,
                None => return Some(rest),
            },
        };
    }
}

/// Consumes `<->` or `<2>`.
fn distance(text: &str) -> Option<&str> {
    let (inner, rest) = text.strip_prefix('<')?.split_once('>')?;
    let number =
        inner.parse::<u16>().is_ok_and(|n| n <= 16384) && inner.bytes().all(|b| b.is_ascii_digit());
    (inner == "-" || number).then_some(rest)
}

fn operand(text: &str, depth: usize) -> Option<&str> {
    let text = text
        .trim_start()
        .trim_start_matches(|c: char| c == '!' || c.is_ascii_whitespace());
    if let Some(inner) = text.strip_prefix('(') {
        let rest = (depth < MAX_NESTING).then(|| operators(inner, depth + 1))??;
        return rest.trim_start().strip_prefix(')');
    }
    let rest = if let Some(inner) = text.strip_prefix('\'') {
        quoted(inner)?
    } else {
        word(text)?
    };
    let Some(flags) = rest.strip_prefix(':') else {
        return Some(rest);
    };
    let flagged = flags.trim_start_matches(|c: char| matches!(c, '*' | 'A'..='D' | 'a'..='d'));
    (flagged.len() < flags.len() && !flagged.starts_with(|c: char| c.is_alphanumeric()))
        .then_some(flagged)
}

fn word(text: &str) -> Option<&str> {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    let rest = text.get(end..)?;
    let ends = rest.is_empty() || rest.starts_with(['&', '|', '<', ')', ':', ' ']);
    (end > 0 && ends).then_some(rest)
}

fn quoted(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let (inner, after) = rest.split_once('\'')?;
        if inner.contains('\\') {
            return None;
        }
        match after.strip_prefix('\'') {
            Some(further) => rest = further,
            None => return (after.len() + 1 < text.len()).then_some(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_tsqueries_pass() {
        for good in [
            "fat",
            "fat & rat",
            "!fat|(cat:*&'two words':AB)",
            "a <-> b <2> c",
            "",
            "'it''s'",
            "Ärger & 1",
        ] {
            assert!(is_query(good), "{good}");
        }
        for bad in [
            "fat rat",
            "fat &",
            "(fat",
            "fat)",
            "&",
            "!",
            "'fat",
            "a\\",
            "a <x> b",
            "a:z",
            "a:",
            "''",
            "a <99999> b",
        ] {
            assert!(!is_query(bad), "{bad}");
        }
        assert!(Mode::Raw.fault(&"(".repeat(100)).is_some() && Mode::Plain.fault("((").is_none());
    }
}
