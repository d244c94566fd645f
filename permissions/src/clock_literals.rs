//! Finds literals such as `'now'`, whose value as a date or time is the moment at which Postgres
//! parses the statement. A statement stays prepared for as long as its connection lives, and the
//! moment stays with it.
//!
//! Whether such a literal is a date, or a text, depends on what stands around it. So each one is
//! replaced by a parameter, and the type that Postgres finds for the parameter is that of the
//! literal.
//! <https://www.postgresql.org/docs/current/datatype-datetime.html#DATATYPE-DATETIME-SPECIAL-VALUES>

use std::ops::Range;

/// The words that Postgres reads as the time of parsing. (`epoch`, `infinity` and `allballs` are
/// constants.)
const WORDS: [&str; 4] = ["now", "today", "tomorrow", "yesterday"];

/// A literal of a statement that contains a word such as `now`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockLiteral {
    /// Its text in the statement: `'now'`.
    pub literal: String,
    /// The character of the statement at which it begins, counted from 1.
    pub position: u32,
    /// The statement with a parameter in place of the literal.
    pub statement: String,
    word: &'static str,
}

impl ClockLiteral {
    /// What to write instead, for a value of this type of `pg_catalog`.
    pub fn help(&self, type_name: &str) -> String {
        let value = match (self.word, type_name) {
            ("now", "date") => "current_date",
            ("now", "time") => "localtime",
            ("now", "timetz") => "current_time",
            ("now", "timestamp") => "localtimestamp",
            ("today", _) => "current_date",
            ("tomorrow", _) => "current_date + 1",
            ("yesterday", _) => "current_date - 1",
            _ => "now()",
        };
        format!("write {value}, which is evaluated when the statement runs")
    }
}

/// The literals of a statement that contain such a word. The parameters of the statement have
/// numbers up to `parameters`.
pub fn clock_literals(statement: &str, parameters: usize) -> Vec<ClockLiteral> {
    let found = literals(statement).into_iter().filter_map(|span| {
        let literal = statement.get(span.clone())?;
        let word = clock_word(literal)?;
        let before = statement.get(..span.start)?;
        let after = statement.get(span.end..)?;
        Some(ClockLiteral {
            literal: literal.to_owned(),
            position: u32::try_from(before.chars().count()).ok()? + 1,
            statement: format!("{before}${}{after}", parameters + 1),
            word,
        })
    });
    found.collect()
}

/// The first word of a text that stands for the time of parsing. Postgres reads a date as words and
/// numbers, with any characters between them: `' NOW '`, `'now()'`, `'tomorrow 10:00'`, and in an
/// array `'{now}'`.
pub(crate) fn clock_word(text: &str) -> Option<&'static str> {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.find_map(|word| {
        WORDS
            .into_iter()
            .find(|clock| word.eq_ignore_ascii_case(clock))
    })
}

/// The ranges of the string literals of a statement, `'…'` and `E'…'`. It has no comments and no
/// dollar quotes, since the writer of rules makes none.
fn literals(statement: &str) -> Vec<Range<usize>> {
    let bytes = statement.as_bytes();
    let mut found = vec![];
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let has_escapes = *byte == b'\'' && at > 0 && bytes.get(at - 1) == Some(&b'E');
        at = match byte {
            b'"' => end_of_quotes(bytes, at, false),
            b'\'' => {
                let end = end_of_quotes(bytes, at, has_escapes);
                found.push(at - usize::from(has_escapes)..end);
                end
            }
            _ => at + 1,
        };
    }
    found
}

/// The end of a text in quotes that begins at `start`. A doubled quote is part of the text.
fn end_of_quotes(bytes: &[u8], start: usize, has_escapes: bool) -> usize {
    let quote = bytes.get(start).copied();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'\\' if has_escapes => at += 2,
            _ if Some(byte) != quote => at += 1,
            _ if bytes.get(at + 1).copied() == quote => at += 2,
            _ => return at + 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_clock_are_found_in_any_form() {
        for text in [
            "'now'",
            "'NOW'",
            "' now '",
            "'now()'",
            "'{now,2020-01-01}'",
            "'[today,)'",
            "'tomorrow 10:00'",
        ] {
            assert!(clock_word(text).is_some(), "{text}");
        }
        for text in [
            "'nowhere'",
            "'epoch'",
            "'infinity'",
            "'2020-01-01'",
            "'allballs'",
            "'know'",
            "''",
        ] {
            assert_eq!(clock_word(text), None, "{text}");
        }
    }

    #[test]
    fn each_literal_becomes_a_parameter() {
        let statement = r#"SELECT FROM "no'w" WHERE a > 'now' AND b = $1::int4 AND c = 'it''s now' AND d = E'\'' AND e"#;
        let found = clock_literals(statement, 1);
        assert_eq!(
            found
                .iter()
                .map(|found| found.literal.as_str())
                .collect::<Vec<_>>(),
            ["'now'", "'it''s now'"]
        );
        assert_eq!(found[0].position, 30);
        assert_eq!(
            found[1].statement,
            r#"SELECT FROM "no'w" WHERE a > 'now' AND b = $1::int4 AND c = $2 AND d = E'\'' AND e"#
        );
        assert_eq!(
            clock_literals(r"SELECT E'a\\ now'", 0)[0].statement,
            "SELECT $1"
        );
    }
}
