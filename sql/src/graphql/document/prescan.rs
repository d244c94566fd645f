//! Scans the text of a document before `async-graphql-parser` parses it: checks size, tokens, nesting, and errors that
//! the parser does not report, such as duplicate keys of an input object.
//!
//! The scan does not recurse; the parser does. Where the parser deviates from the specification,
//! [`super::parser_workarounds`] rewrites the text.

use std::collections::HashSet;
use std::iter::Peekable;
use std::str::CharIndices;

use async_graphql_parser::Pos;

use super::Limits;
use super::parser_workarounds::{Repair, Repaired, TokenContext};
use super::token::Token;
use crate::error::{Cause, Error, NameKind, RequestLimit};

/// The longest name, in bytes. Paths in messages repeat names, once for each field.
pub(super) const NAME: usize = 255;

/// Checks the text and returns the text to parse.
///
/// Errors: [`Cause::Limit`] for the size, tokens, nesting, or the length of a name, [`Cause::Duplicate`] for the keys
/// of an input object, and [`Cause::Syntax`] for characters and escapes that are not valid.
pub(super) fn scan<'a>(text: &'a str, limits: &Limits) -> Result<Repaired<'a>, Error> {
    if text.len() > limits.bytes {
        return Err(limit(RequestLimit::Bytes, limits.bytes));
    }
    let (chars, open, repair) = (text.char_indices().peekable(), Vec::new(), Repair::new(text));
    let mut scan = Scan { text, chars, line: 1, line_start: 0, open, repair };
    let mut count = 0;
    let mut previous = Token::Start;
    while let Some((token, at)) = scan.token()? {
        count += 1;
        if count > limits.tokens {
            return Err(limit(RequestLimit::Tokens, limits.tokens));
        }
        let place = scan.place();
        let end = scan.chars.peek().map_or(text.len(), |(end, _)| *end);
        scan.repair.token(token, (at, end), place).map_err(|refusal| refusal.at("$.query", scan.position(at)))?;
        scan.bracket(token, previous, at, limits)?;
        previous = token;
    }
    Ok(scan.repair.finish())
}

/// The bytes of `\ud83d\ude00`.
const PAIR: usize = 12;

fn limit(limit: RequestLimit, value: usize) -> Error {
    Cause::Limit { limit, value }.under("$.query")
}

/// An open bracket.
enum Open<'a> {
    /// `{` of a selection.
    Selection,
    /// `(`
    Arguments,
    /// `[`
    List,
    /// `{` of an input object, with the keys seen.
    Object(HashSet<&'a str>),
}

struct Scan<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    line: usize,
    line_start: usize,
    open: Vec<Open<'a>>,
    repair: Repair<'a>,
}

impl<'a> Scan<'a> {
    fn bracket(&mut self, token: Token<'a>, previous: Token<'a>, at: usize, limits: &Limits) -> Result<(), Error> {
        match token {
            Token::Punctuator('(') => self.open.push(Open::Arguments),
            Token::Punctuator('[') => self.open.push(Open::List),
            Token::Punctuator('{') if self.opens_object(previous) => self.open.push(Open::Object(HashSet::new())),
            Token::Punctuator('{') => self.open.push(Open::Selection),
            Token::Punctuator(')' | ']' | '}') => {
                self.open.pop();
            }
            Token::Punctuator(':') => self.key(previous, at)?,
            _ => {}
        }
        match self.open.len() > limits.nesting {
            true => Err(limit(RequestLimit::Nesting, limits.nesting)),
            false => Ok(()),
        }
    }

    /// The context of the current token.
    fn place(&self) -> TokenContext {
        match self.open.last() {
            None => TokenContext::Document,
            Some(Open::Selection) => TokenContext::Selection,
            Some(Open::Arguments) if self.open.len() == 1 => TokenContext::Variables,
            Some(Open::Arguments) => TokenContext::Arguments,
            Some(Open::List | Open::Object(_)) => TokenContext::Inside,
        }
    }

    /// Whether `{` opens an input object: it does where a value is expected, and a selection set elsewhere.
    fn opens_object(&self, previous: Token<'a>) -> bool {
        matches!(previous, Token::Punctuator(':' | '[' | '=')) || matches!(self.open.last(), Some(Open::List))
    }

    fn key(&mut self, previous: Token<'a>, at: usize) -> Result<(), Error> {
        let position = self.position(at);
        if let (Some(Open::Object(keys)), Token::Name(name)) = (self.open.last_mut(), previous)
            && !keys.insert(name)
        {
            return Err(Cause::Duplicate { kind: NameKind::InputField, name: name.to_owned() }.at("$.query", position));
        }
        Ok(())
    }

    fn token(&mut self) -> Result<Option<(Token<'a>, usize)>, Error> {
        while let Some((at, c)) = self.chars.next() {
            let token = match c {
                '\n' => {
                    self.line += 1;
                    self.line_start = at + 1;
                    continue;
                }
                ' ' | '\t' | '\r' | ',' | '\u{feff}' => continue,
                '#' => {
                    // The parser ends a comment at a lone carriage return too.
                    while self.chars.next_if(|(_, c)| !matches!(c, '\n' | '\r')).is_some() {}
                    continue;
                }
                '"' => self.string(at)?,
                'a'..='z' | 'A'..='Z' | '_' => match self.word(at, |c| c.is_ascii_alphanumeric() || c == '_') {
                    long if long.len() > NAME => return Err(limit(RequestLimit::Name, NAME)),
                    name => Token::Name(name),
                },
                '0'..='9' | '-' => {
                    let digits = self.word(at, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'));
                    let second = digits.trim_start_matches('-').strip_prefix('0').and_then(|rest| rest.chars().next());
                    // The parser reads `00` as two numbers.
                    if second.is_some_and(|second| second.is_ascii_digit()) {
                        return Err(self.syntax(at));
                    }
                    Token::Number
                }
                '!' | '$' | '&' | '(' | ')' | '.' | ':' | '=' | '@' | '[' | ']' | '{' | '|' | '}' => {
                    Token::Punctuator(c)
                }
                _ => return Err(self.syntax(at)),
            };
            return Ok(Some((token, at)));
        }
        Ok(None)
    }

    fn word(&mut self, at: usize, belongs: impl Fn(char) -> bool) -> &'a str {
        while self.chars.next_if(|(_, c)| belongs(*c)).is_some() {}
        let end = self.chars.peek().map_or(self.text.len(), |(end, _)| *end);
        &self.text[at..end]
    }

    fn string(&mut self, at: usize) -> Result<Token<'a>, Error> {
        if self.text[at..].starts_with("\"\"\"") {
            return self.block_string(at);
        }
        while let Some((here, c)) = self.chars.next() {
            match c {
                '"' => return Ok(Token::Text),
                '\n' => break,
                '\\' => self.escape(here)?,
                _ => {}
            }
        }
        Err(self.syntax(at))
    }

    /// Skips an escape. A lone surrogate is refused here because the parser accepts it.
    fn escape(&mut self, at: usize) -> Result<(), Error> {
        let rest = &self.text[at + 1..];
        let Some(hex) = rest.strip_prefix('u') else {
            self.chars.next();
            return Ok(());
        };
        if unit(hex).map(u32::from).and_then(char::from_u32).is_some() {
            self.chars.nth(4);
            return Ok(());
        }
        let low = hex.get(4..).and_then(|rest| unit(rest.strip_prefix("\\u")?));
        let pair = unit(hex).zip(low).and_then(|(high, low)| char::decode_utf16([high, low]).next()?.ok());
        let character = pair.ok_or_else(|| self.syntax(at))?;
        self.repair.replace((at, at + PAIR), character.to_string());
        self.chars.nth(PAIR - 2);
        Ok(())
    }

    fn block_string(&mut self, at: usize) -> Result<Token<'a>, Error> {
        let body = &self.text[at + 3..];
        let mut from = 0;
        let end = loop {
            let Some(found) = body[from..].find("\"\"\"") else { return Err(self.syntax(at)) };
            if !body[..from + found].ends_with('\\') {
                break at + 3 + from + found + 3;
            }
            from += found + 3;
        };
        while let Some((here, c)) = self.chars.next_if(|(here, _)| *here < end) {
            if c == '\n' {
                self.line += 1;
                self.line_start = here + 1;
            }
        }
        Ok(Token::Text)
    }

    fn position(&self, at: usize) -> Pos {
        let column = self.text.get(self.line_start..at).map_or(0, |line| line.chars().count()) + 1;
        Pos { line: self.line, column }
    }

    fn syntax(&self, at: usize) -> Error {
        let position = self.position(at);
        Cause::Syntax { line: position.line, column: position.column }.at("$.query", position)
    }
}

/// Reads four hexadecimal digits as a UTF-16 code unit.
fn unit(hex: &str) -> Option<u16> {
    hex.get(..4)
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
        .and_then(|digits| u16::from_str_radix(digits, 16).ok())
}
