//! Splits a document into tokens with their positions, reading each byte once.
//! <https://spec.graphql.org/September2025/#sec-Appendix-Grammar-Summary.Lexical-Tokens>

use async_graphql_parser::Pos;

/// A token. [`super::text`] decodes the value of a string when the parser needs it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lexeme<'a> {
    Name(&'a str),
    Number(&'a str),
    /// The text between the quotes, and whether it contains escapes.
    Text(&'a str, Escapes),
    /// The text between the triple quotes.
    Block(&'a str),
    Punctuator(u8),
    /// `...`
    Spread,
    End,
}

/// How much of a name messages show, in characters.
const MAX_SHOWN: usize = 40;

impl Lexeme<'_> {
    /// The token in messages, without the values of strings and numbers.
    pub(super) fn describe(self) -> String {
        match self {
            Lexeme::Name(name) => format!("'{}'", name.chars().take(MAX_SHOWN).collect::<String>()),
            Lexeme::Number(_) => "a number".to_owned(),
            Lexeme::Text(..) | Lexeme::Block(_) => "a string".to_owned(),
            Lexeme::Punctuator(punctuator) => format!("'{}'", char::from(punctuator)),
            Lexeme::Spread => "'...'".to_owned(),
            Lexeme::End => "the end of the document".to_owned(),
        }
    }
}

/// Whether a string contains escapes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    None,
    Some,
}

/// The text and the current position in it.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    line_start: usize,
    /// Bytes of this line that continue a character, so that columns count characters.
    inner: usize,
    /// The position of the last token, valid or not.
    token_position: Pos,
    /// How many more tokens the limit allows; `None` once there were more.
    left: Option<usize>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, tokens: usize) -> Lexer<'a> {
        let token_position = Pos { line: 1, column: 1 };
        Lexer {
            text,
            at: 0,
            line: 1,
            line_start: 0,
            inner: 0,
            token_position,
            left: Some(tokens),
        }
    }

    /// The position of the last token, which is the one that [`Lexer::next`] found invalid if there
    /// was one.
    pub(super) fn token_position(&self) -> Pos {
        self.token_position
    }

    /// Whether the text has more tokens than the limit allows, up to the last one.
    pub(super) fn has_too_many_tokens(&self) -> bool {
        self.left.is_none()
    }

    /// Returns the next token and its position; `None` if no token is valid here or the text has
    /// too many.
    pub(super) fn next(&mut self) -> Option<(Lexeme<'a>, Pos)> {
        self.skip_ignored();
        let position = Pos {
            line: self.line,
            column: self.at - self.line_start - self.inner + 1,
        };
        self.token_position = position;
        let Some(first) = self.byte(self.at) else {
            return Some((Lexeme::End, position));
        };
        let lexeme = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Lexeme::Name(self.name()?),
            b'0'..=b'9' | b'-' => Lexeme::Number(self.number()?),
            b'"' if self.follows("\"\"\"") => Lexeme::Block(self.block()?),
            b'"' => self.string()?,
            b'.' if self.follows("...") => {
                self.at += 3;
                // Counts as three tokens.
                self.take(2)?;
                Lexeme::Spread
            }
            b'!' | b'$' | b'(' | b')' | b':' | b'=' | b'@' | b'[' | b']' | b'{' | b'}' => {
                self.at += 1;
                Lexeme::Punctuator(first)
            }
            _ => return None,
        };
        self.take(1)?;
        Some((lexeme, position))
    }

    /// Counts tokens towards the limit.
    fn take(&mut self, tokens: usize) -> Option<()> {
        self.left = self.left?.checked_sub(tokens);
        self.left.map(|_| ())
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn skip_ignored(&mut self) {
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b' ' | b'\t' | b',' => self.at += 1,
                b'\n' | b'\r' => self.end_line(byte),
                b'#' => {
                    while !matches!(self.byte(self.at), None | Some(b'\n' | b'\r')) {
                        self.at += 1;
                    }
                }
                0xef if self.follows("\u{feff}") => {
                    self.at += 3;
                    self.inner += 2;
                }
                _ => return,
            }
        }
    }

    /// Skips a line break. Columns restart after a carriage return, but only a line feed counts as
    /// a line, as in `async-graphql-parser`.
    fn end_line(&mut self, end: u8) {
        self.at += 1;
        self.line += usize::from(end == b'\n');
        self.line_start = self.at;
        self.inner = 0;
    }

    fn name(&mut self) -> Option<&'a str> {
        self.while_byte(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    fn while_byte(&mut self, belongs: impl Fn(u8) -> bool) -> Option<&'a str> {
        let start = self.at;
        while self.byte(self.at).is_some_and(&belongs) {
            self.at += 1;
        }
        self.text.get(start..self.at)
    }

    /// Reads a number such as `-12.3e+4`, which no digit, letter or point may follow.
    fn number(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.at += usize::from(self.byte(start) == Some(b'-'));
        match self.digits()? {
            digits if digits.len() > 1 && digits.starts_with('0') => return None,
            _ => {}
        }
        if self.byte(self.at) == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        match self.byte(self.at) {
            Some(b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z') => None,
            _ => self.text.get(start..self.at),
        }
    }

    /// Reads one or more digits.
    fn digits(&mut self) -> Option<&'a str> {
        self.while_byte(|byte| byte.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
    }

    fn string(&mut self) -> Option<Lexeme<'a>> {
        let start = self.at + 1;
        let mut escapes = Escapes::None;
        self.at = start;
        loop {
            match self.byte(self.at)? {
                b'"' => break,
                b'\n' | b'\r' => return None,
                b'\\' => {
                    escapes = Escapes::Some;
                    self.at += 1;
                }
                byte => self.inner += usize::from(is_inner(byte)),
            }
            self.at += 1;
        }
        let raw = self.text.get(start..self.at)?;
        self.at += 1;
        Some(Lexeme::Text(raw, escapes))
    }

    fn block(&mut self) -> Option<&'a str> {
        let start = self.at + 3;
        self.at = start;
        loop {
            match self.byte(self.at)? {
                end @ (b'\n' | b'\r') => {
                    self.end_line(end);
                    continue;
                }
                b'"' if self.follows("\"\"\"") => break,
                b'\\' if self.follows("\\\"\"\"") => self.at += 3,
                byte => self.inner += usize::from(is_inner(byte)),
            }
            self.at += 1;
        }
        let raw = self.text.get(start..self.at)?;
        self.at += 3;
        Some(raw)
    }

    fn follows(&self, what: &str) -> bool {
        self.text
            .as_bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }
}

/// Whether a byte continues a character in UTF-8.
fn is_inner(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}
