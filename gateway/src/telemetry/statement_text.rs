//! The SQL of a statement without its literals, for log and traces: rules and the SQL of the REST
//! map contain literals.

/// Replaces text and number literals by `?`. Quoted names, placeholders (`$1`) and aliases (`_0`)
/// stay.
///
/// ```
/// let sql = r#"SELECT _0."a1" FROM "t" AS _0 WHERE _0."b" = 'secret''s' AND _0."c" = $1::int4 LIMIT 10"#;
/// assert_eq!(
///     gateway::telemetry::statement_text::without_literals(sql),
///     r#"SELECT _0."a1" FROM "t" AS _0 WHERE _0."b" = ? AND _0."c" = $1::int4 LIMIT ?"#
/// );
/// ```
pub fn without_literals(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let is_in_word = before.is_alphanumeric() || matches!(before, '_' | '$' | '"');
        let length = match first {
            '"' => quoted(rest, '"', false),
            '\'' => {
                // `E'…'` escapes by backslashes; the letter is a part of the literal.
                let escapes = is_escape_prefix(&out);
                if escapes {
                    out.pop();
                }
                out.push('?');
                let length = quoted(rest, '\'', escapes);
                (rest, before) = (rest.get(length..).unwrap_or_default(), '\'');
                continue;
            }
            '$' if !is_in_word && let Some(length) = dollar_quoted(rest) => {
                out.push('?');
                (rest, before) = (rest.get(length..).unwrap_or_default(), '$');
                continue;
            }
            '0'..='9' if !is_in_word => {
                out.push('?');
                let digits = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '.')
                    .unwrap_or(rest.len());
                (rest, before) = (rest.get(digits..).unwrap_or_default(), '0');
                continue;
            }
            other => other.len_utf8(),
        };
        let (taken, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push_str(taken);
        before = taken.chars().next_back().unwrap_or(' ');
        rest = left;
    }
    out
}

/// Whether the text ends with the letter of `E'…'`, and not with a word that ends with this letter.
fn is_escape_prefix(text: &str) -> bool {
    let mut last = text.chars().rev();
    let is_letter = matches!(last.next(), Some('E' | 'e'));
    is_letter
        && !last
            .next()
            .is_some_and(|before| before.is_alphanumeric() || before == '_')
}

/// The length of a literal `$tag$…$tag$` at the beginning of the text.
fn dollar_quoted(text: &str) -> Option<usize> {
    let tag = text.get(1..)?.find('$')?;
    let tag = text.get(..tag + 2)?;
    let is_tag = tag
        .trim_matches('$')
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_');
    if !is_tag || tag.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) {
        return None;
    }
    let end = text.get(tag.len()..)?.find(tag);
    Some(end.map_or(text.len(), |end| end + 2 * tag.len()))
}

/// The length of a quoted token at the beginning of the text, with both quotes. A doubled quote is
/// a part of it.
fn quoted(text: &str, quote: char, escapes: bool) -> usize {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if escapes && character == '\\' {
            characters.next();
        } else if character == quote {
            match characters.peek() {
                Some((_, next)) if *next == quote => drop(characters.next()),
                _ => return at + quote.len_utf8(),
            }
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_every_form_are_replaced() {
        for (sql, expected) in [
            (
                "SELECT 'a', E'b\\'c', 1.5, 1e9, -2",
                "SELECT ?, ?, ?, ?, -?",
            ),
            ("SELECT 'it''s' || $12::text", "SELECT ? || $12::text"),
            (
                r#"SELECT "o'r""der" FROM "t1" AS _10"#,
                r#"SELECT "o'r""der" FROM "t1" AS _10"#,
            ),
            ("x::numeric(10,2), int4", "x::numeric(?,?), int4"),
            ("SELECT 'unterminated", "SELECT ?"),
            ("é = 'ü' AND b", "é = ? AND b"),
            (
                "a = $q$it's$q$ AND b = $$x$$ AND c = $1",
                "a = ? AND b = ? AND c = $1",
            ),
            ("DATE'2020-01-01\\' AND b = 'c'", "DATE? AND b = ?"),
        ] {
            assert_eq!(without_literals(sql), expected);
        }
    }
}
