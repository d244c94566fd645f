//! Compiles whole statements for REST endpoints: parsed and rendered as rules are, with tables left
//! open until the caller's role is known. `SELECT id, did FROM data_subjects WHERE
//! data_controller_id = :controller`.

use std::ops::Range;

use sql::native_query::{Query, QueryFragment, UntypedStatement};
use sql::postgres::catalog::TableId;
use sqlparser::ast::{Query as Select, SetExpr, Statement as Written};
use sqlparser::tokenizer::Span;

use super::compared::{compared_types, unifies_types};
use super::foreign_calls::{ForeignCall, foreign_calls};
use super::may_raise::may_raise;
use super::parse::parse_statement;
use super::part::Part;
use super::rules::Rules;
use super::source_map::Locator;
use super::subject::RuleSubject;
use super::volatility::calls_volatile;
use super::writer::Writer;
use super::writes::{Write, writes};
use crate::diagnostic::Span as SourceSpan;
use crate::fault::Fault;
use crate::file::Text;
use crate::report::Report;

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

/// A compiled statement, with its source map.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The statement's fragments and properties.
    pub query: Query,
    /// The span of the whole statement.
    source_span: SourceSpan,
    /// The source map, in order of fragments.
    marks: Vec<SourceMapEntry>,
}

/// Maps an offset in a fragment to a range of bytes in the file.
#[derive(Clone, Debug)]
struct SourceMapEntry {
    piece: usize,
    at: usize,
    span: Range<usize>,
}

impl Rules<'_> {
    /// Compiles a statement; reports its faults.
    pub(crate) fn statement(
        &self,
        text: &Text,
        checked: CallPolicy,
        report: &mut Report<'_>,
    ) -> Option<Statement> {
        let locator = Locator::new(&report.file.text, &text.span, &text.value);
        let mut written = parse_statement(text, &locator, report)?;
        if let Written::Query(query) = &mut written {
            lift(query);
        }
        let source_span = report.span_of(&text.span);
        let mut writer = Writer::about(self, RuleSubject::Statement, &locator, report);
        let mut head = 0;
        match &written {
            Written::Query(query) => {
                let scope = writer.open_query(query);
                head = writer.parts.len();
                writer.after_with(query, scope);
            }
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
        let (query, marks) = build_query(writer.parts, head);
        let foreign = foreign_calls(&written, self.catalog);
        let changes = writes(&written);
        let writes = !foreign.is_empty() || !changes.is_empty();
        if checked == CallPolicy::Yes {
            report_calls(foreign, &locator, report);
            report_writes(changes, &locator, report);
        }
        let tables: Vec<TableId> = query.pieces.iter().filter_map(table_of).collect();
        let query = Query {
            can_raise: may_raise(&written, self.catalog),
            compared: compared_types(&written, &tables, self.catalog),
            unifies_types: unifies_types(&written),
            volatile: calls_volatile(&written),
            writes,
            ..query
        };
        (!failed && (checked == CallPolicy::No || !writes)).then_some(Statement {
            query,
            source_span,
            marks,
        })
    }
}

fn report_calls(calls: Vec<ForeignCall>, locator: &Locator, report: &mut Report<'_>) {
    for ForeignCall { name, span } in calls {
        let help = "`unchecked = true` lets it be called; you are responsible for what it reads \
                    and does";
        let fault = Fault::StatementCalls { name };
        report.add_with(fault, &locator.span(span), Some(help.to_owned()));
    }
}

fn report_writes(writes: Vec<Write>, locator: &Locator, report: &mut Report<'_>) {
    for Write { words, span } in writes {
        let help = "then only `roles` limits what is written: no row rule is checked";
        let fault = Fault::StatementWrites { what: words };
        report.add_with(fault, &locator.span(span), Some(help.to_owned()));
    }
}

fn table_of(piece: &QueryFragment) -> Option<TableId> {
    match piece {
        QueryFragment::Table(table) => Some(*table),
        _ => None,
    }
}

impl Statement {
    /// The location of the whole statement.
    pub fn span(&self) -> &SourceSpan {
        &self.source_span
    }

    /// The location in the file of a character of the draft, counted from 1, or of the nearest
    /// mapped one before it.
    pub fn blamed(&self, draft: &UntypedStatement, position: u32) -> Option<SourceSpan> {
        let character = usize::try_from(position).ok()?.checked_sub(1)?;
        let byte = draft.text.char_indices().nth(character)?.0;
        let at =
            |mark: &SourceMapEntry| draft.pieces.get(mark.piece).map(|begins| begins + mark.at);
        let mark = self
            .marks
            .iter()
            .rev()
            .find(|mark| at(mark).is_some_and(|at| at <= byte))?;
        Some(self.source_span.file().span_of(mark.span.clone()))
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
