//! Compiles row rules, checks, presets and masks: SQL expressions, resolved against the catalog and
//! rendered as fragments.
//!
//! `sqlparser` parses a rule; [`writer::Writer`] walks the tree and renders it, resolving every
//! table and column. It rejects syntax that it does not know. Postgres checks the types
//! ([`crate::rule_check`]).
//!
//! A rule is written again from its tree and never copied: every column carries the alias of its
//! scan, and no text can leave its place in the statement. The written form also shows rules that
//! constrain nothing ([`vacuous`]).

mod writer;
mod expression;
mod membership;
mod statement;
mod infallible;
mod vacuous;
mod query;
mod from;
mod change;
mod data_type;
mod scope;
mod dependencies;
mod source_map;
mod shared;
mod optional_session;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::RandomState;
use sql::model::access::{
    Membership, Rule, RuleDependencies, RuleExpression, RuleFragment, SessionValue, Setting,
};
use sql::postgres::catalog::{Catalog, ColumnId, TableId};
use sqlparser::ast::Expr;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::Token;

use crate::diagnostic::Span;
use crate::diagnostic_kind::Fault;
use crate::file::{NamedRule, Text};
use crate::report::{Report, listed};
use crate::session::Session;
use crate::settings::OWN as OWN_SETTINGS;
use shared::Interner;
use source_map::Locator;
pub use statement::CallPolicy;
use writer::Writer;

/// How many parsed expressions are kept. A tree takes a hundred times the memory of its text.
const MOST_PARSED: usize = 500;

/// The subject of an expression: the row that it sees, or the value that it provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RuleSubject {
    /// A row of a table, for writing.
    Row(TableId),
    /// A row of a table, for reading.
    Read(TableId),
    /// A value for a column, which sees no row.
    Preset(TableId, ColumnId),
    /// A replacement for the value of a column of a row.
    Mask(TableId, ColumnId),
    /// A whole statement. Its tables become scans for the caller's role.
    Statement,
}

impl RuleSubject {
    /// The table whose row the expression sees.
    pub(crate) fn row(self) -> Option<TableId> {
        match self {
            RuleSubject::Row(table) | RuleSubject::Read(table) | RuleSubject::Mask(table, _) => {
                Some(table)
            }
            RuleSubject::Preset(..) | RuleSubject::Statement => None,
        }
    }

    /// The column that the expression provides a value for.
    pub(crate) fn column(self) -> Option<(TableId, ColumnId)> {
        match self {
            RuleSubject::Row(_) | RuleSubject::Read(_) | RuleSubject::Statement => None,
            RuleSubject::Preset(table, column) | RuleSubject::Mask(table, column) => {
                Some((table, column))
            }
        }
    }
}

/// A compiled expression, with the span of each part.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) rule: Rule,
    pub(crate) parts: Vec<Part>,
    pub(crate) span: Span,
    /// A suggestion for an unknown function.
    pub(crate) hint: Option<Arc<str>>,
}

/// A fragment of a rule, and its range of bytes in the file.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Sql {
        text: String,
        span: Option<Range<usize>>,
    },
    Column {
        column: ColumnId,
        span: Option<Range<usize>>,
    },
    Session {
        value: SessionValue,
        span: Option<Range<usize>>,
    },
    /// A table that becomes a scan for the caller's role; only in statements.
    Table { table: TableId, span: Range<usize> },
    /// A parameter; only in statements.
    Parameter { name: String, span: Range<usize> },
}

/// The named rules of a file, with the catalog and session that rules are resolved against.
pub(crate) struct Rules<'f> {
    catalog: &'f Catalog,
    session: &'f Session,
    named: HashMap<&'f str, Named<'f>>,
    /// The suggestion for an unknown function, if there are named rules.
    hint: Option<Arc<str>>,
    shared: Interner,
    /// Expressions by their texts, of which files repeat most for other tables.
    parsed: RefCell<HashMap<String, Arc<Expr>, RandomState>>,
    /// The settings of the file, if rules that read others are noted.
    settings: Option<&'f [(String, Setting)]>,
}

/// A named rule, parsed.
struct Named<'f> {
    written: &'f NamedRule,
    expression: Expr,
    locator: Locator,
    /// Whether another expression calls it.
    is_used: Cell<bool>,
}

impl<'f> Rules<'f> {
    /// Parses the named rules and reports their faults, whether they are used or not.
    pub(crate) fn new(
        catalog: &'f Catalog,
        session: &'f Session,
        written: &'f [NamedRule],
        report: &mut Report<'_>,
    ) -> Rules<'f> {
        let named = HashMap::new();
        let shared = Interner::default();
        let parsed = RefCell::default();
        let mut rules = Rules {
            catalog,
            session,
            named,
            hint: None,
            shared,
            parsed,
            settings: None,
        };
        for rule in written {
            check_names(rule, report);
            let locator = Locator::new(&report.file.text, &rule.sql.span, &rule.sql.value);
            if let Some(expression) = parse(&rule.sql, &locator, report) {
                rules.named.insert(
                    &rule.name.value,
                    Named {
                        written: rule,
                        expression,
                        locator,
                        is_used: Cell::new(false),
                    },
                );
            }
        }
        let names = listed(sorted(rules.named.keys().copied()));
        rules.hint =
            (!rules.named.is_empty()).then(|| format!("the named rules are {names}").into());
        for rule in written
            .iter()
            .filter(|rule| rules.named.contains_key(rule.name.value.as_str()))
        {
            Writer::standalone(&rules, report).named_alone(&rule.name.value);
        }
        rules
    }

    /// Notes rules that read other settings than these.
    pub(crate) fn with_settings(self, settings: &'f [(String, Setting)]) -> Rules<'f> {
        Rules {
            settings: Some(settings),
            ..self
        }
    }

    /// The settings of applications that a rule reads by name, and that the file does not set.
    pub(crate) fn unset_settings(&self, rule: &Rule) -> BTreeSet<String> {
        let Some(known) = self.settings else {
            return BTreeSet::new();
        };
        let mut unset: BTreeSet<String> = settings_read(&rule.pieces).collect();
        unset.retain(|name| {
            !known
                .iter()
                .any(|(known, _)| known.eq_ignore_ascii_case(name))
        });
        unset
    }

    /// The catalog that rules are resolved against.
    pub(crate) fn catalog(&self) -> &'f Catalog {
        self.catalog
    }

    /// Notes the named rules that nothing calls.
    pub(crate) fn note_unused(&self, report: &mut Report<'_>) {
        for Named { written, .. } in self.named.values().filter(|named| !named.is_used.get()) {
            let fault = Fault::UnusedRule {
                rule: written.name.value.clone(),
            };
            report.record(fault, &written.name.span, "remove it, or call it in a rule");
        }
    }

    /// The membership of a rule for reading rows, if it is one. The rule was rendered before, so it
    /// has no faults.
    fn membership(
        &self,
        subject: RuleSubject,
        expression: &Expr,
        reads: &RuleDependencies,
        locator: &Locator,
        report: &mut Report<'_>,
    ) -> Option<Arc<Membership>> {
        match (subject, reads) {
            (RuleSubject::Read(_), RuleDependencies::Tables(_)) => {
                let found = Writer::about(self, subject, locator, report).membership(expression)?;
                Some(self.shared.membership(found))
            }
            _ => None,
        }
    }

    /// The operands of a row rule's top-level `AND`. The rule was rendered before, so it has no
    /// faults.
    fn conjuncts(
        &self,
        subject: RuleSubject,
        expression: &Expr,
        locator: &Locator,
        report: &mut Report<'_>,
    ) -> Arc<[Arc<[RuleFragment]>]> {
        match subject {
            RuleSubject::Row(_) | RuleSubject::Read(_) => {
                let all = Writer::about(self, subject, locator, report)
                    .taken_apart(expression)
                    .unwrap_or_default();
                all.into_iter().map(|one| self.shared.pieces(one)).collect()
            }
            _ => Arc::default(),
        }
    }

    /// Parses an expression, or takes that of an earlier text that is equal.
    fn parsed(&self, text: &Text, locator: &Locator, report: &mut Report<'_>) -> Option<Arc<Expr>> {
        if let Some(known) = self.parsed.borrow().get(&text.value) {
            return Some(known.clone());
        }
        let expression = Arc::new(parse(text, locator, report)?);
        let mut parsed = self.parsed.borrow_mut();
        if parsed.len() < MOST_PARSED {
            parsed.insert(text.value.clone(), expression.clone());
        }
        Some(expression)
    }

    /// Compiles one expression; reports its faults.
    pub(crate) fn compile(
        &self,
        subject: RuleSubject,
        text: &Text,
        report: &mut Report<'_>,
    ) -> Option<Compiled> {
        let span = report.span_of(&text.span);
        let locator = Locator::new(&report.file.text, &text.span, &text.value);
        let expression = self.parsed(text, &locator, report)?;
        let (parts, reads) = Writer::about(self, subject, &locator, report).write(&expression)?;
        let membership = self.membership(subject, &expression, &reads, &locator, report);
        let conjuncts = self.conjuncts(subject, &expression, &locator, report);
        let pieces = self.shared.pieces(pieces(&parts));
        let text = self.shared.text(&text.value);
        let expression = RuleExpression {
            pieces,
            file: report.file.name.clone(),
            text,
            reads,
            membership,
            conjuncts,
        };
        let rule = Rule::new(expression, span.line());
        Some(Compiled {
            rule,
            parts,
            span,
            hint: self.hint.clone(),
        })
    }
}

/// The settings with a prefix that `current_setting('app.user_id', true)` reads, in lower case.
fn settings_read(pieces: &[RuleFragment]) -> impl Iterator<Item = String> {
    let texts = pieces.iter().filter_map(|piece| match piece {
        RuleFragment::Sql(text) => Some(text.to_ascii_lowercase()),
        RuleFragment::Column(_) | RuleFragment::Session(_) => None,
    });
    let named = |text: String| {
        let calls = text.split("current_setting(").skip(1);
        let names = calls.filter_map(|call| {
            Some(
                call.trim_start()
                    .strip_prefix('\'')?
                    .split_once('\'')?
                    .0
                    .to_owned(),
            )
        });
        names
            .filter(|name| name.contains('.') && !name.starts_with(OWN_SETTINGS))
            .collect::<Vec<_>>()
    };
    texts.flat_map(named)
}

fn sorted<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

/// Converts parts to fragments, joining adjacent texts.
fn pieces(parts: &[Part]) -> Vec<RuleFragment> {
    let mut pieces: Vec<RuleFragment> = vec![];
    for part in parts {
        match (part, pieces.last_mut()) {
            (Part::Sql { text, .. }, Some(RuleFragment::Sql(last))) => last.push_str(text),
            (Part::Sql { text, .. }, _) => pieces.push(RuleFragment::Sql(text.clone())),
            (Part::Column { column, .. }, _) => pieces.push(RuleFragment::Column(*column)),
            (Part::Session { value, .. }, _) => pieces.push(RuleFragment::Session(value.clone())),
            (Part::Table { .. } | Part::Parameter { .. }, _) => {}
        }
    }
    pieces
}

fn check_names(rule: &NamedRule, report: &mut Report<'_>) {
    let plain = |name: &str| {
        name.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
    };
    for (index, name) in std::iter::once(&rule.name).chain(&rule.args).enumerate() {
        let reason = match name.value.as_str() {
            "session" => "it means the caller's session",
            other if !plain(other) => "a name has lower-case letters, digits and underscores",
            _ => "",
        };
        if !reason.is_empty() {
            report.add(
                Fault::Reserved {
                    name: name.value.clone(),
                    reason,
                },
                &name.span,
            );
        }
        if index > 0
            && rule.args[..index - 1]
                .iter()
                .any(|earlier| earlier.value == name.value)
        {
            report.add(
                Fault::Twice {
                    name: name.value.clone(),
                },
                &name.span,
            );
        }
    }
}

/// Parses exactly one expression.
fn parse(text: &Text, locator: &Locator, report: &mut Report<'_>) -> Option<Expr> {
    if text.value.contains('\0') {
        report.add(
            Fault::RuleUnsupported {
                what: "the character NUL".to_owned(),
            },
            &text.span,
        );
        return None;
    }
    let dialect = PostgreSqlDialect {};
    let parsed = optional_session::parser(&dialect, &text.value).and_then(|mut parser| {
        let expression = parser.parse_expr()?;
        Ok((expression, parser.peek_token()))
    });
    let fault = |message: String| Fault::RuleSyntax { message };
    match parsed {
        Ok((expression, rest)) if rest.token == Token::EOF => Some(expression),
        Ok((_, rest)) => {
            let message = match rest.token {
                Token::SemiColon => "it goes on after `;`".to_owned(),
                token => format!("`{token}` was not expected here"),
            };
            report.add(fault(message), &locator.span(rest.span));
            None
        }
        Err(ParserError::TokenizerError(message) | ParserError::ParserError(message)) => {
            let (message, location) = split_location(&message);
            let span = location.map_or_else(
                || text.span.clone(),
                |(line, column)| locator.at(line, column),
            );
            report.add(fault(message.to_owned()), &span);
            None
        }
        Err(ParserError::RecursionLimitExceeded) => {
            report.add(fault("it is nested too deeply".to_owned()), &text.span);
            None
        }
    }
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
