//! Whole statements, as endpoints of the rest map may hold them: parsed and written again as rules are, with their tables
//! left to whoever asks. `SELECT id, did FROM data_subjects WHERE data_controller_id = :controller`.

use sql::named::{Piece, Query};
use sqlparser::ast::Statement;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Span, Token};

use super::locate::Locator;
use super::writer::Writer;
use super::{Part, Rules, Subject, split_location};
use crate::fault::Fault;
use crate::file::Text;
use crate::report::Report;

/// What a statement may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Functions and operators of Postgres' own that are known to read nothing but their arguments.
    Yes,
    /// Any: whoever wrote the file answers for what they read and do. Tables are opened all the same.
    No,
}

impl Rules<'_> {
    /// Compiles a statement; what is wrong with it is told.
    pub(crate) fn statement(&self, text: &Text, checked: Checked, report: &mut Report<'_>) -> Option<Query> {
        if text.value.contains('\0') {
            report.add(Fault::StatementUnsupported { what: "the character NUL".to_owned() }, &text.span);
            return None;
        }
        let locator = Locator::new(&report.file.text, &text.span, &text.value);
        let Statement::Query(query) = parse(text, &locator, report)? else {
            let what = "a statement that is no query".to_owned();
            report.add(Fault::StatementUnsupported { what }, &text.span);
            return None;
        };
        let mut writer = Writer::about(self, Subject::Statement, &locator, report);
        writer.query(&query);
        let (failed, raises) = (writer.failed(), writer.raises);
        let (parts, foreign) = (std::mem::take(&mut writer.parts), std::mem::take(&mut writer.foreign));
        let foreign = if checked == Checked::Yes { foreign } else { Vec::new() };
        for (name, span) in &foreign {
            let help = Some("`unchecked = true` lets it be called; you answer for what it reads and does".to_owned());
            report.add_with(Fault::StatementCalls { name: name.clone() }, span, help);
        }
        (!failed && foreign.is_empty()).then(|| Query { raises, ..made(parts) })
    }
}

impl Writer<'_, '_, '_> {
    /// `:controller`
    pub(super) fn parameter(&mut self, placeholder: &str, span: Span) {
        match placeholder.strip_prefix(':') {
            Some(name) => self.part(Part::Parameter(name.to_owned())),
            None => self.refuse(&format!("the parameter `{placeholder}`, which is not written like `:name`,"), span),
        }
    }
}

/// Neighbouring texts joined, parameters numbered in their order.
fn made(parts: Vec<Part>) -> Query {
    let mut query = Query::default();
    for part in parts {
        match (part, query.pieces.last_mut()) {
            (Part::Sql { text, .. }, Some(Piece::Sql(last))) => last.push_str(&text),
            (Part::Sql { text, .. }, _) => query.pieces.push(Piece::Sql(text)),
            (Part::Table(table), _) => query.pieces.push(Piece::Table(table)),
            (Part::Session { value, .. }, _) => query.pieces.push(Piece::Session(value)),
            (Part::Parameter(name), _) => {
                let known = query.parameters.iter().position(|known| *known == name);
                query.pieces.push(Piece::Parameter(known.unwrap_or(query.parameters.len())));
                if known.is_none() {
                    query.parameters.push(name);
                }
            }
            // A statement is about no row.
            (Part::Column { .. }, _) => {}
        }
    }
    query
}

/// Parses exactly one statement; a semicolon may end it.
fn parse(text: &Text, locator: &Locator, report: &mut Report<'_>) -> Option<Statement> {
    let dialect = PostgreSqlDialect {};
    let parsed = Parser::new(&dialect).try_with_sql(&text.value).and_then(|mut parser| {
        let statement = parser.parse_statement()?;
        while parser.consume_token(&Token::SemiColon) {}
        Ok((statement, parser.peek_token()))
    });
    let fault = |message: String| Fault::StatementSyntax { message };
    match parsed {
        Ok((statement, rest)) if rest.token == Token::EOF => return Some(statement),
        Ok((_, rest)) => {
            let message = format!("`{}` was not expected here", rest.token);
            report.add(fault(message), &locator.span(rest.span));
        }
        Err(ParserError::TokenizerError(message) | ParserError::ParserError(message)) => {
            let (message, location) = split_location(&message);
            let span = location.map_or_else(|| text.span.clone(), |(line, column)| locator.at(line, column));
            report.add(fault(message.to_owned()), &span);
        }
        Err(ParserError::RecursionLimitExceeded) => {
            report.add(fault("it is nested too deeply".to_owned()), &text.span);
        }
    }
    None
}
