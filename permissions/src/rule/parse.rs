//! Parses the text of a rule or of a statement.

use sqlparser::ast::{Expr, Statement};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use super::optional_session;
use super::source_map::Locator;
use crate::fault::Fault;
use crate::report::Report;
use crate::toml_reader::Text;

/// Parses exactly one expression.
pub(super) fn parse_expression(
    text: &Text,
    locator: &Locator,
    report: &mut Report<'_>,
) -> Option<Expr> {
    if text.value.contains('\0') {
        let what = "the character NUL".to_owned();
        report.add(Fault::RuleUnsupported { what }, &text.span);
        return None;
    }
    if let Some((header, start)) = hasura_header(&text.value) {
        let name = header.get("x-hasura-".len()..).unwrap_or_default();
        let name = name.to_lowercase().replace('-', "_");
        let help = format!(
            "write `session.{name}`, which headers and claims set; `[session]` has its type"
        );
        let length = header.chars().count();
        let span = locator.characters(start..start + length);
        let fault = Fault::RuleHeader {
            header: header.to_owned(),
        };
        report.add_with(fault, &span, Some(help));
        return None;
    }
    let fault = |message| Fault::RuleSyntax { message };
    parse_whole(text, locator, report, fault, |parser| parser.parse_expr())
}

/// A session variable as Hasura's permissions name it, outside of quotes, and the number of
/// characters before it. To SQL it is a subtraction.
fn hasura_header(text: &str) -> Option<(&str, usize)> {
    const PREFIX: &str = "x-hasura-";
    let mut is_quoted = false;
    let mut before = ' ';
    for (count, (at, c)) in text.char_indices().enumerate() {
        is_quoted ^= c == '\'';
        let rest = text.get(at..)?;
        let is_word = before.is_alphanumeric() || matches!(before, '_' | '"' | '.' | '-');
        if !is_quoted
            && !is_word
            && rest
                .get(..PREFIX.len())
                .is_some_and(|word| word.eq_ignore_ascii_case(PREFIX))
        {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            return Some((rest.get(..end.unwrap_or(rest.len()))?, count));
        }
        before = c;
    }
    None
}

/// Parses exactly one statement, with an optional final semicolon.
pub(super) fn parse_statement(
    text: &Text,
    locator: &Locator,
    report: &mut Report<'_>,
) -> Option<Statement> {
    if text.value.contains('\0') {
        let what = "the character NUL".to_owned();
        report.add(Fault::StatementUnsupported { what }, &text.span);
        return None;
    }
    let fault = |message| Fault::StatementSyntax { message };
    parse_whole(text, locator, report, fault, |parser| {
        let statement = parser.parse_statement()?;
        while parser.consume_token(&Token::SemiColon) {}
        Ok(statement)
    })
}

/// Parses a text with nothing after it.
fn parse_whole<T>(
    text: &Text,
    locator: &Locator,
    report: &mut Report<'_>,
    fault: impl Fn(String) -> Fault,
    parse: impl FnOnce(&mut Parser<'_>) -> Result<T, ParserError>,
) -> Option<T> {
    let dialect = PostgreSqlDialect {};
    let parsed = optional_session::parser(&dialect, &text.value).and_then(|mut parser| {
        let parsed = parse(&mut parser)?;
        Ok((parsed, parser.peek_token()))
    });
    match parsed {
        Ok((parsed, rest)) if rest.token == Token::EOF => return Some(parsed),
        Ok((_, rest)) => {
            let message = match rest.token {
                Token::SemiColon => "it goes on after `;`".to_owned(),
                token => format!("`{token}` was not expected here"),
            };
            report.add(fault(message), &locator.span(rest.span));
        }
        Err(ParserError::TokenizerError(message) | ParserError::ParserError(message)) => {
            let (message, location) = split_location(&message);
            let span = location.map_or_else(
                || text.span.clone(),
                |(line, column)| locator.at(line, column),
            );
            report.add(fault(message.to_owned()), &span);
        }
        Err(ParserError::RecursionLimitExceeded) => {
            report.add(fault("it is nested too deeply".to_owned()), &text.span);
        }
    }
    None
}

/// Splits `Expected: ), found: a at Line: 1, Column: 12` into message and location.
fn split_location(message: &str) -> (&str, Option<(u64, u64)>) {
    let Some((words, source_location)) = message.rsplit_once(" at Line: ") else {
        return (message, None);
    };
    let numbers = source_location.split_once(", Column: ");
    let location =
        numbers.and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
    (words, location)
}
