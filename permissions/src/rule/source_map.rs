//! Where in the file a character of a rule stands, through TOML's quotes and escapes.

use std::ops::Range;

use sqlparser::tokenizer::{Location, Span};

/// The way from a rule's text to the file.
#[derive(Clone, Debug)]
pub(super) struct Locator {
    /// The whole value, quotes included.
    whole: Range<usize>,
    /// The byte of the file for each character of the rule, and one for its end; empty when it cannot be told.
    offsets: Vec<usize>,
    /// The first character of each line of the rule.
    lines: Vec<usize>,
}

impl Locator {
    /// A locator for what stands at `whole` of the file: a string value, or the text as it is.
    pub(super) fn new(file: &str, whole: &Range<usize>, text: &str) -> Locator {
        let raw = file.get(whole.clone()).unwrap_or_default();
        let offsets = match raw == text {
            true => Some(plain(raw, whole.start)),
            false => decode(raw, whole.start).filter(|(decoded, _)| decoded == text).map(|(_, offsets)| offsets),
        };
        let newlines = text.chars().enumerate().filter(|(_, c)| *c == '\n').map(|(i, _)| i + 1);
        let lines = std::iter::once(0).chain(newlines).collect();
        Locator { whole: whole.clone(), offsets: offsets.unwrap_or_default(), lines }
    }

    /// The bytes of the file for a stretch of the rule; all of the rule when that is not known.
    pub(super) fn span(&self, span: Span) -> Range<usize> {
        let start = self.offset(span.start);
        let end = self.offset(span.end);
        match (start, end) {
            (Some(start), Some(end)) if start < end => start..end,
            (Some(start), _) => start..start + 1,
            _ => self.whole.clone(),
        }
    }

    /// The place of one character, both numbers counted from 1.
    pub(super) fn at(&self, line: u64, column: u64) -> Range<usize> {
        let location = Location { line, column };
        self.span(Span { start: location, end: location })
    }

    fn offset(&self, location: Location) -> Option<usize> {
        let line = self.lines.get(usize::try_from(location.line.checked_sub(1)?).ok()?)?;
        let column = usize::try_from(location.column.checked_sub(1)?).ok()?;
        self.offsets.get(line + column).copied()
    }
}

/// The byte of the file for each character of a text that stands there as it is, and one for its end.
fn plain(raw: &str, start: usize) -> Vec<usize> {
    raw.char_indices().map(|(at, _)| start + at).chain([start + raw.len()]).collect()
}

/// A TOML string's text, with the byte of the file for each of its characters.
fn decode(raw: &str, start: usize) -> Option<(String, Vec<usize>)> {
    let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| raw.starts_with(quote))?;
    let inner = raw.get(quote.len()..raw.len().checked_sub(quote.len())?)?;
    let newline = ["\r\n", "\n"].into_iter().find(|newline| quote.len() == 3 && inner.starts_with(newline));
    let skipped = newline.map_or(0, str::len);
    let base = start + quote.len();
    let mut decoding = Decoding { inner, at: skipped, base, text: String::new(), offsets: vec![] };
    while decoding.at < inner.len() {
        decoding.one(quote.starts_with('"'))?;
    }
    decoding.offsets.push(base + inner.len());
    Some((decoding.text, decoding.offsets))
}

struct Decoding<'s> {
    inner: &'s str,
    at: usize,
    base: usize,
    text: String,
    offsets: Vec<usize>,
}

impl Decoding<'_> {
    fn one(&mut self, escapes: bool) -> Option<()> {
        let rest = self.inner.get(self.at..)?;
        let first = rest.chars().next()?;
        if first != '\\' || !escapes {
            self.push(first, first.len_utf8());
            return Some(());
        }
        let after = rest.get(1..)?;
        let code = after.chars().next()?;
        let digits = match code {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ if code.is_whitespace() => {
                self.at += 1 + after.len() - after.trim_start().len();
                return Some(());
            }
            _ => 0,
        };
        let decoded = match code {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            '"' | '\\' => code,
            _ if digits > 0 => char::from_u32(u32::from_str_radix(after.get(1..1 + digits)?, 16).ok()?)?,
            _ => return None,
        };
        self.push(decoded, 2 + digits);
        Some(())
    }

    fn push(&mut self, decoded: char, width: usize) {
        self.text.push(decoded);
        self.offsets.push(self.base + self.at);
        self.at += width;
    }
}
