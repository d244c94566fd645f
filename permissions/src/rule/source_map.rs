//! Maps positions in a rule's text to bytes of the file, through TOML's quotes and escapes.

use std::ops::Range;

use sqlparser::tokenizer::{Location, Span};

/// Maps one rule's text to the file.
#[derive(Clone, Debug)]
pub(super) struct Locator {
    /// The range of the whole value, quotes included.
    whole: Range<usize>,
    /// The byte in the file of each character of the rule, and of its end; empty if the mapping is
    /// unknown.
    offsets: Vec<usize>,
    /// The index of the first character of each line of the rule.
    lines: Vec<usize>,
}

impl Locator {
    /// Creates a locator for the text at `whole` in the file: a TOML string, or the text itself.
    pub(super) fn new(file: &str, whole: &Range<usize>, text: &str) -> Locator {
        let raw = file.get(whole.clone()).unwrap_or_default();
        let offsets = if raw == text {
            Some(plain(raw, whole.start))
        } else {
            decode(raw, whole.start)
                .filter(|(decoded, _)| decoded == text)
                .map(|(_, offsets)| offsets)
        };
        let newlines = text
            .chars()
            .enumerate()
            .filter(|(_, c)| *c == '\n')
            .map(|(i, _)| i + 1);
        let lines = std::iter::once(0).chain(newlines).collect();
        Locator {
            whole: whole.clone(),
            offsets: offsets.unwrap_or_default(),
            lines,
        }
    }

    /// The range in the file of a span of the rule; the whole rule if the mapping is unknown.
    pub(super) fn span(&self, span: Span) -> Range<usize> {
        let start = self.offset(span.start);
        let end = self.offset(span.end);
        match (start, end) {
            (Some(start), Some(end)) if start < end => start..end,
            (Some(start), _) => start..start + 1,
            _ => self.whole.clone(),
        }
    }

    /// The range of one character; line and column are counted from 1.
    pub(super) fn at(&self, line: u64, column: u64) -> Range<usize> {
        let location = Location { line, column };
        self.span(Span {
            start: location,
            end: location,
        })
    }

    /// The range in the file of characters of the rule, counted from 0; the whole rule if the
    /// mapping is unknown.
    pub(super) fn characters(&self, range: Range<usize>) -> Range<usize> {
        match (self.offsets.get(range.start), self.offsets.get(range.end)) {
            (Some(start), Some(end)) => *start..*end,
            _ => self.whole.clone(),
        }
    }

    fn offset(&self, location: Location) -> Option<usize> {
        let line = self
            .lines
            .get(usize::try_from(location.line.checked_sub(1)?).ok()?)?;
        let column = usize::try_from(location.column.checked_sub(1)?).ok()?;
        self.offsets.get(line + column).copied()
    }
}

/// The byte in the file of each character of an unescaped text, and of its end.
fn plain(raw: &str, start: usize) -> Vec<usize> {
    raw.char_indices()
        .map(|(at, _)| start + at)
        .chain([start + raw.len()])
        .collect()
}

/// Decodes a TOML string; returns its text, with the byte in the file of each character and of its
/// end.
fn decode(raw: &str, start: usize) -> Option<(String, Vec<usize>)> {
    let quote = ["'''", "\"\"\"", "'", "\""]
        .into_iter()
        .find(|quote| raw.starts_with(quote))?;
    let inner = raw.get(quote.len()..raw.len().checked_sub(quote.len())?)?;
    let newline = ["\r\n", "\n"]
        .into_iter()
        .find(|newline| quote.len() == 3 && inner.starts_with(newline));
    let skipped = newline.map_or(0, str::len);
    let base = start + quote.len();
    let mut decoder = StringDecoder {
        inner,
        at: skipped,
        base,
        text: String::new(),
        offsets: vec![],
    };
    while decoder.at < inner.len() {
        decoder.one(quote.starts_with('"'))?;
    }
    decoder.offsets.push(base + inner.len());
    Some((decoder.text, decoder.offsets))
}

struct StringDecoder<'s> {
    inner: &'s str,
    at: usize,
    base: usize,
    text: String,
    offsets: Vec<usize>,
}

impl StringDecoder<'_> {
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
            _ if digits > 0 => {
                char::from_u32(u32::from_str_radix(after.get(1..1 + digits)?, 16).ok()?)?
            }
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
