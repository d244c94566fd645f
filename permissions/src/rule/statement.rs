//! Compiles whole statements for REST endpoints: parsed and rendered as rules are, with tables left
//! open until the caller's role is known. `SELECT id, did FROM data_subjects WHERE
//! data_controller_id = :controller`.

use std::collections::{BTreeSet, HashSet};

use sql::native_query::{Query, QueryFragment};
use sql::postgres::catalog::Oid;
use sqlparser::ast::{Query as Select, SetExpr, Statement as Written};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::{Span, Token};

use super::source_map::Locator;
use super::writer::Writer;
use super::{Part, RuleSubject, Rules, optional_session, split_location};
use crate::diagnostic_kind::Fault;
use crate::file::Text;
use crate::report::Report;
use crate::statement::{SourceMapEntry, Statement};

/// Which functions and operators a statement may call, and whether it may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPolicy {
    /// Only built-in functions and operators that are known to read nothing but their arguments; no
    /// writes.
    Yes,
    /// Any. The file's author is responsible for what they read and write. Tables still become
    /// scans for the caller's role.
    No,
}

impl Rules<'_> {
    /// Compiles a statement; reports its faults.
    pub(crate) fn statement(
        &self,
        text: &Text,
        checked: CallPolicy,
        report: &mut Report<'_>,
    ) -> Option<Statement> {
        if text.value.contains('\0') {
            report.add(
                Fault::StatementUnsupported {
                    what: "the character NUL".to_owned(),
                },
                &text.span,
            );
            return None;
        }
        let locator = Locator::new(&report.file.text, &text.span, &text.value);
        let mut written = parse(text, &locator, report)?;
        if let Written::Query(query) = &mut written {
            lift(query);
        }
        let source_span = report.span_of(&text.span);
        let mut writer = Writer::about(self, RuleSubject::Statement, &locator, report);
        match &written {
            Written::Query(query) => drop(writer.query(query)),
            Written::Insert(_) | Written::Update(_) | Written::Delete(_) | Written::Merge(_) => {
                writer.change(&written);
            }
            _ => {
                let what = "a statement that neither reads nor writes rows".to_owned();
                report.add(Fault::StatementUnsupported { what }, &text.span);
                return None;
            }
        }
        let failed = writer.failed();
        let raises = writer.raises;
        let volatile = writer.volatile;
        let compared = std::mem::take(&mut writer.compared);
        let united = writer.united;
        let parts = std::mem::take(&mut writer.parts);
        let foreign = std::mem::take(&mut writer.foreign);
        let changes = std::mem::take(&mut writer.writes);
        let head = writer.head;
        let writes = !foreign.is_empty() || !changes.is_empty();
        if checked == CallPolicy::Yes {
            for (name, span) in foreign {
                let help = "`unchecked = true` lets it be called; you are responsible for what \
                            it reads and does";
                report.add_with(Fault::StatementCalls { name }, &span, Some(help.to_owned()));
            }
            for (what, span) in changes {
                let help = "then only `roles` limits what is written: no row rule is checked";
                report.add_with(
                    Fault::StatementWrites { what },
                    &span,
                    Some(help.to_owned()),
                );
            }
        }
        let (query, marks) = build_query(parts, head);
        let compared = self.compared(&query, &compared);
        let query = Query {
            can_raise: raises,
            compared,
            unifies_types: united,
            volatile,
            writes,
            ..query
        };
        (!failed && (checked == CallPolicy::No || !writes)).then_some(Statement {
            query,
            source_span,
            marks,
        })
    }

    /// The types of the columns with these names in the statement's tables, without duplicates.
    fn compared(&self, query: &Query, names: &HashSet<String>) -> Vec<Oid> {
        let tables = query.pieces.iter().filter_map(|piece| match piece {
            QueryFragment::Table(table) => Some(self.catalog.table(*table)),
            _ => None,
        });
        let columns = tables
            .flat_map(|table| &table.columns)
            .filter(|column| names.contains(&column.name));
        let types: BTreeSet<Oid> = columns.map(|column| column.r#type).collect();
        types.into_iter().collect()
    }
}

impl Writer<'_, '_, '_> {
    /// `:controller`
    pub(super) fn parameter(&mut self, placeholder: &str, span: Span) {
        match placeholder.strip_prefix(':') {
            Some(name) if !sql::model::names::is_graphql(name) => {
                self.refuse(
                    &format!("the parameter `{placeholder}`, whose name is not valid in GraphQL,"),
                    span,
                );
            }
            Some(name) => {
                let span = self.span(span);
                self.part(Part::Parameter {
                    name: name.to_owned(),
                    span,
                });
            }
            None => self.refuse(
                &format!("the parameter `{placeholder}`, which is not written like `:name`,"),
                span,
            ),
        }
    }
}

/// Builds the query and its source map: joins adjacent texts and numbers parameters in order. The
/// first `head` parts are the `WITH` clause.
fn build_query(parts: Vec<Part>, head: usize) -> (Query, Vec<SourceMapEntry>) {
    let mut query = Query::default();
    let mut marks = Vec::new();
    for (index, part) in parts.into_iter().enumerate() {
        let begins = index > 0 && index == head;
        if begins {
            query.head = query.pieces.len();
        }
        let span = match part {
            Part::Sql { text, span } => {
                let joined = !begins && matches!(query.pieces.last(), Some(QueryFragment::Sql(_)));
                if !joined {
                    query.pieces.push(QueryFragment::Sql(String::new()));
                }
                let piece = query.pieces.len() - 1;
                if let Some(QueryFragment::Sql(last)) = query.pieces.last_mut() {
                    marks.extend(span.map(|span| SourceMapEntry {
                        piece,
                        at: last.len(),
                        span,
                    }));
                    last.push_str(&text);
                }
                continue;
            }
            Part::Table { table, span } => {
                query.pieces.push(QueryFragment::Table(table));
                Some(span)
            }
            Part::Session { value, span } => {
                query.pieces.push(QueryFragment::Session(value));
                span
            }
            Part::Parameter { name, span } => {
                let known = query.parameters.iter().position(|known| *known == name);
                query.pieces.push(QueryFragment::Parameter(
                    known.unwrap_or(query.parameters.len()),
                ));
                if known.is_none() {
                    query.parameters.push(name);
                }
                Some(span)
            }
            // A statement has no subject row.
            Part::Column { .. } => continue,
        };
        let piece = query.pieces.len() - 1;
        marks.extend(span.map(|span| SourceMapEntry { piece, at: 0, span }));
    }
    (query, marks)
}

/// Moves the `WITH` clause out of parentheses around a whole query: `(WITH x AS (…) SELECT …) LIMIT
/// 1`. Postgres allows such a clause to write, as it is at the top level; inside the SQL of a
/// translation, the parentheses would make it nested.
fn lift(query: &mut Select) {
    if let (None, SetExpr::Query(inner)) = (&query.with, query.body.as_mut()) {
        lift(inner);
        query.with = inner.with.take();
    }
}

/// Parses exactly one statement, with an optional final semicolon.
fn parse(text: &Text, locator: &Locator, report: &mut Report<'_>) -> Option<Written> {
    let dialect = PostgreSqlDialect {};
    let parsed = optional_session::parser(&dialect, &text.value).and_then(|mut parser| {
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
