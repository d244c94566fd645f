//! Decodes string values: the escapes of strings, and the indentation of block strings.
//! <https://spec.graphql.org/September2025/#sec-String-Value>

use super::lexer::Escapes;

/// Decodes a string from the text between its quotes; `None` if an escape is invalid.
pub(super) fn string(raw: &str, escapes: Escapes) -> Option<String> {
    if escapes == Escapes::None {
        return Some(raw.to_owned());
    }
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        value.push_str(plain);
        let mut chars = escaped.chars();
        let character = match chars.next()? {
            c @ ('"' | '\\' | '/') => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (character, behind) = unicode(chars.as_str())?;
                chars = behind.chars();
                character
            }
            _ => return None,
        };
        value.push(character);
        rest = chars.as_str();
    }
    value.push_str(rest);
    Some(value)
}

/// Decodes `00e9`, `{1f600}` or `d83d\ude00`, the text after `\u`. Returns the character and the
/// text after it; `None` for a lone surrogate.
fn unicode(hex: &str) -> Option<(char, &str)> {
    if let Some(braced) = hex.strip_prefix('{') {
        let (digits, rest) = braced.split_once('}')?;
        return Some((char::from_u32(number(digits)?)?, rest));
    }
    let (high, rest) = unit(hex)?;
    if let Some(character) = char::from_u32(high.into()) {
        return Some((character, rest));
    }
    let (low, rest) = unit(rest.strip_prefix("\\u")?)?;
    let character = char::decode_utf16([high, low]).next()?.ok()?;
    Some((character, rest))
}

/// Reads four hexadecimal digits as a UTF-16 code unit. Returns the unit and the text after it.
fn unit(hex: &str) -> Option<(u16, &str)> {
    let (digits, rest) = hex.split_at_checked(4)?;
    Some((u16::try_from(number(digits)?).ok()?, rest))
}

fn number(digits: &str) -> Option<u32> {
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Decodes a block string from the text between its triple quotes.
/// <https://spec.graphql.org/September2025/#BlockStringValue()>
pub(super) fn block(raw: &str) -> String {
    let raw = raw.replace("\\\"\"\"", "\"\"\"").replace("\r\n", "\n");
    let lines: Vec<&str> = raw.split(['\n', '\r']).collect();
    let indent = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.find(|c| !is_blank(c)))
        .min()
        .unwrap_or(0);
    let is_empty = |line: &&str| line.chars().all(is_blank);
    let first = lines.iter().take_while(|line| is_empty(line)).count();
    let end = lines.len() - lines.iter().rev().take_while(|line| is_empty(line)).count();
    let mut value = String::with_capacity(raw.len());
    for (i, line) in lines.iter().enumerate().take(end).skip(first) {
        if i > first {
            value.push('\n');
        }
        let indent = if i == 0 { 0 } else { indent };
        value.push_str(line.get(indent..).unwrap_or_default());
    }
    value
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(raw: &str) -> Option<String> {
        string(raw, Escapes::Some)
    }

    #[test]
    fn escapes_are_decoded() {
        let all = r#"\"\\\/\b\f\n\r\t\u00e9\u{e9}\u{1F600}\uD83D\uDE00\u{0010FFFF}."#;
        assert_eq!(
            escaped(all).as_deref(),
            Some("\"\\/\u{8}\u{c}\n\r\téé😀😀\u{10ffff}.")
        );
        assert_eq!(escaped(r"\\u0041é").as_deref(), Some("\\u0041é"));
    }

    #[test]
    fn escape_of_no_character_is_invalid() {
        for wrong in [
            r"\a",
            r"\",
            r"\u",
            r"\u12",
            r"\u12g4",
            r"\u+123",
            r"\u{}",
            r"\u{110000}",
            r"\u{d83d}",
            r"\u{41",
            r"\u{+41}",
            r"\ud83d",
            r"\ude00",
            r"\ud83dx",
            r"\ud83d\n",
            r"\ud83d\u0041",
            r"\ud83d\u{de00}",
            r"\uD83D\uD83D",
            r"\u00é9",
        ] {
            assert_eq!(escaped(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn block_string_loses_common_indentation() {
        for (raw, value) in [
            ("", ""),
            ("\n", ""),
            (" \t\n\r\n  ", ""),
            ("abc", "abc"),
            ("  abc", "  abc"),
            ("\n    a\n      b\n\n    c\n  ", "a\n  b\n\nc"),
            ("a\r\n   b\r     c\n    d", "a\nb\n  c\n d"),
            ("\n    a\n  \n    b", "a\n\nb"),
            ("\n  é\n    ü", "é\n  ü"),
            ("\n\u{a0} a\n  b", "\u{a0} a\n  b"),
            (r#"a \""" b \n \u0041 ""#, r#"a """ b \n \u0041 ""#),
        ] {
            assert_eq!(block(raw), value, "{raw:?}");
        }
    }
}
