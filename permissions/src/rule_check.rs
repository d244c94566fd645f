//! Statements that Postgres prepares once to check the types in rules, with a source map for its
//! errors.

use std::ops::Range;
use std::sync::Arc;

use sql::model::access::RuleDependencies;
use sql::postgres::catalog::{Catalog, Column, ColumnId, Oid, Table, TableId};
use sql::postgres::types::quoted;

use crate::clock_literals::{ClockLiteral, clock_literals};
use crate::diagnostic::{Diagnostic, Span};
use crate::fault::Fault;
use crate::rule::{Compiled, Part, RuleSubject, built_in_functions};
use crate::similar_names::{did_you_mean, listed};
use crate::table_names::key;

/// Postgres' error about the statement of a rule.
#[derive(Clone, Debug)]
pub struct RuleError {
    /// The message.
    pub message: String,
    /// The character of the statement that it points at, counted from 1.
    pub position: Option<u32>,
    /// The hint.
    pub hint: Option<String>,
}

/// A statement to prepare, built from one rule.
#[derive(Clone, Debug)]
pub struct RuleCheck {
    /// The statement: `SELECT FROM "public"."t" AS "_0" WHERE (…)`, `SELECT (…)::text` for a
    /// preset, and both for a mask: `SELECT (…)::text FROM "public"."t" AS "_0"`.
    pub sql: Arc<str>,
    /// The location of the rule in the file.
    pub span: Span,
    /// The bytes at which the file repeats the rule.
    repeats: Vec<usize>,
    /// The source map, in order: offsets in `sql`, and the ranges of bytes of the file that they
    /// come from.
    marks: Box<[(usize, Range<usize>)]>,
    /// What the rule is, in messages: a rule, a preset, a mask.
    what: &'static str,
    /// The named rules of the file, which an unknown function may be meant for.
    named_rules: Arc<[String]>,
    /// The types of its parameters.
    pub parameters: Vec<Oid>,
    /// The session values that the parameters are.
    session_values: Box<[String]>,
    /// Where `sql` casts a parameter, with its index.
    casts: Box<[(usize, Range<usize>)]>,
    /// The tables that the statement refers to; `None` if it may refer to others, by a view or a
    /// function.
    pub tables: Option<Vec<TableId>>,
    /// The fault and suggestion for an error of Postgres, if the statement is not from a rule.
    fault: Option<Box<(Fault, String)>>,
    /// The check of a mask's type.
    pub mask: Option<Box<MaskType>>,
}

/// The check of a mask's type. Because `sql` casts the mask, and text can be cast to any type,
/// preparing it does not fail for a type mismatch; a row with unsuitable text would fail later.
#[derive(Clone, Debug)]
pub struct MaskType {
    /// A statement that Postgres prepares only if values of the mask's type are values of the
    /// column's type without a cast that may fail: `SELECT COALESCE(NULL::uuid, (…)) FROM …`
    pub joined: String,
    /// A statement whose only column has the mask's type.
    pub plain: String,
    column: String,
    expected: String,
}

impl RuleCheck {
    pub(crate) fn new(catalog: &Catalog, subject: RuleSubject, compiled: Compiled) -> RuleCheck {
        let mut text = Text {
            catalog,
            subject,
            sql: String::new(),
            marks: vec![],
            parameters: vec![],
            casts: vec![],
        };
        text.begin();
        compiled.parts.iter().for_each(|part| text.part(part));
        let mask = text.mask().map(Box::new);
        text.end();
        let (session_values, parameters): (Vec<String>, _) = text.parameters.into_iter().unzip();
        let casts = text.casts.into();
        let sql = text.sql.into();
        let marks = text.marks.into();
        let own = subject.row().or(subject.column().map(|(table, _)| table));
        let tables = match &compiled.rule.reads {
            RuleDependencies::Nothing => Some(own.into_iter().collect()),
            RuleDependencies::Tables(tables) => {
                Some(own.into_iter().chain(tables.iter().copied()).collect())
            }
            RuleDependencies::Anything => None,
        };
        let span = compiled.span;
        let named_rules = compiled.named_rules;
        let what = match subject {
            RuleSubject::Row(_) | RuleSubject::Read(_) | RuleSubject::Statement => "rule",
            RuleSubject::Preset(..) => "preset",
            RuleSubject::Mask(..) => "mask",
        };
        let repeats = vec![];
        RuleCheck {
            sql,
            span,
            repeats,
            marks,
            what,
            named_rules,
            parameters,
            session_values: session_values.into(),
            casts,
            tables,
            fault: None,
            mask,
        }
    }

    /// Adds a place at which the file repeats the rule, character by character.
    pub(crate) fn repeated_at(&mut self, start: usize) {
        self.repeats.push(start);
    }

    /// A statement that compares two columns as a relation does.
    pub(crate) fn relation(
        catalog: &Catalog,
        tables: [TableId; 2],
        columns: [ColumnId; 2],
        span: Span,
    ) -> RuleCheck {
        let [one, other] = tables.map(|table| catalog.table(table));
        let [own, theirs] = [one.column(columns[0]), other.column(columns[1])];
        let from = |table: &Table, alias| {
            format!(
                "{}.{} AS \"{alias}\"",
                quoted(&table.schema),
                quoted(&table.name)
            )
        };
        let compared = format!(
            "SELECT FROM {}, {} WHERE (\"_0\".{} = \"_1\".{})",
            from(one, "_0"),
            from(other, "_1"),
            quoted(&own.name),
            quoted(&theirs.name)
        );
        let named = |table: &Table, column: &Column| {
            let of = catalog
                .type_of(column.r#type)
                .map_or("unknown", |found| found.name.as_str());
            format!("column `{}` of `{}` ({of})", column.name, key(table))
        };
        let fault = Fault::RelationTypes {
            one: named(one, own),
            other: named(other, theirs),
        };
        let help = "join by columns of one type, or by a view that casts one of them".to_owned();
        let marks = Box::default();
        let repeats = vec![];
        let tables = Some(tables.to_vec());
        let fault = Some(Box::new((fault, help)));
        RuleCheck {
            sql: compared.into(),
            span,
            repeats,
            marks,
            what: "rule",
            named_rules: Arc::default(),
            parameters: vec![],
            session_values: Box::default(),
            casts: Box::default(),
            tables,
            fault,
            mask: None,
        }
    }

    /// The problem of a mask whose type differs from that of its column, at each place of the mask.
    pub fn mask_type_problems(&self, found: &str) -> Vec<Diagnostic> {
        let Some(MaskType {
            column, expected, ..
        }) = self.mask.as_deref()
        else {
            return vec![];
        };
        let column = column.clone();
        let found = found.to_owned();
        let fault = Fault::MaskType {
            column,
            expected: expected.clone(),
            found,
        };
        let help = format!(
            "if every value is one, add a cast: (…)::{expected}; NULL is a mask for every type"
        );
        self.at_each_place(&Diagnostic::new(fault, self.span.clone()).help(help))
    }

    /// The literals of the rule that may stand for the time of parsing.
    pub fn clock_literals(&self) -> Vec<ClockLiteral> {
        clock_literals(&self.sql, self.parameters.len())
    }

    /// The problem of such a literal, if it is of this type, at each place of the rule.
    pub fn clock_problems(&self, literal: &ClockLiteral, type_name: &str) -> Vec<Diagnostic> {
        let at = self.blamed(literal.position);
        let source_span =
            at.map_or_else(|| self.span.clone(), |span| self.span.file().span_of(span));
        let fault = Fault::ClockLiteral {
            literal: literal.literal.clone(),
            of: type_name.to_owned(),
        };
        self.at_each_place(&Diagnostic::new(fault, source_span).help(literal.help(type_name)))
    }

    /// The session values that the statement has as parameters.
    pub fn session_values(&self) -> &[String] {
        &self.session_values
    }

    /// The statement without the types of some of its parameters, which Postgres then infers.
    pub fn without_casts(&self, is_untyped: impl Fn(usize) -> bool) -> String {
        let mut sql = String::with_capacity(self.sql.len());
        let mut copied = 0;
        for (_, span) in self.casts.iter().filter(|(index, _)| is_untyped(*index)) {
            sql.push_str(self.sql.get(copied..span.start).unwrap_or_default());
            copied = span.end;
        }
        sql.push_str(self.sql.get(copied..).unwrap_or_default());
        sql
    }

    /// The places of the rule in the file: its own, and those that repeat it.
    pub(crate) fn places(&self) -> impl Iterator<Item = Span> {
        let length = self.span.span().len();
        let repeats = self.repeats.iter();
        let repeats = repeats.map(move |start| self.span.file().span_of(*start..start + length));
        std::iter::once(self.span.clone()).chain(repeats)
    }

    /// The problem of the rule, and of each place that repeats it. In a named rule, which the file
    /// has once, the problem is one.
    fn at_each_place(&self, problem: &Diagnostic) -> Vec<Diagnostic> {
        let rule = self.span.span();
        let span = problem.span().span();
        let is_in_rule = rule.start <= span.start && span.end <= rule.end;
        let moved = |start: &usize| {
            let distance = |at: usize| start + at - rule.start;
            problem.clone().at(self
                .span
                .file()
                .span_of(distance(span.start)..distance(span.end)))
        };
        let repeats = self.repeats.iter().filter(|_| is_in_rule).map(moved);
        std::iter::once(problem.clone()).chain(repeats).collect()
    }

    /// Converts an error of Postgres to problems, one for each place of the rule.
    /// The suggestion is `help`, else what the error says about functions and Postgres' hint.
    pub fn problems(&self, error: &RuleError, help: Option<String>) -> Vec<Diagnostic> {
        self.at_each_place(&self.problem(error, help))
    }

    fn problem(&self, error: &RuleError, help: Option<String>) -> Diagnostic {
        if let Some((fault, help)) = self.fault.as_deref() {
            return Diagnostic::new(fault.clone(), self.span.clone()).help(help.as_str());
        }
        let at = error.position.and_then(|position| self.blamed(position));
        let span = at.map_or_else(|| self.span.clone(), |span| self.span.file().span_of(span));
        let problem = Diagnostic::new(self.refusal(error), span);
        let function = || self.similar_function(&error.message);
        match help.or_else(function).or_else(|| error.hint.clone()) {
            Some(hint) => problem.help(hint),
            None => problem,
        }
    }

    /// The fault that Postgres' error is.
    pub(crate) fn refusal(&self, error: &RuleError) -> Fault {
        let is_value = error.message.starts_with("invalid input syntax for type ");
        match self.mask.as_deref().filter(|_| is_value) {
            Some(MaskType {
                column, expected, ..
            }) => Fault::MaskValue {
                column: column.clone(),
                expected: expected.clone(),
            },
            None => Fault::Refused {
                what: self.what,
                message: error.message.clone(),
            },
        }
    }

    /// The suggestion for a function that does not exist.
    fn similar_function(&self, message: &str) -> Option<String> {
        let (name, _) = message.strip_prefix("function ")?.split_once('(')?;
        let named = self.named_rules.iter().map(String::as_str);
        let known = named.chain(built_in_functions());
        did_you_mean(name, known).or_else(|| {
            (!self.named_rules.is_empty()).then(|| {
                let names = listed(self.named_rules.iter().map(String::as_str));
                format!("it is neither a function of the database nor a named rule: {names}")
            })
        })
    }

    /// The range in the file of a character of the statement, or of the nearest mapped one before
    /// it. An argument of a named rule is the argument in the call.
    fn blamed(&self, position: u32) -> Option<Range<usize>> {
        let mark = self.mark_at(position)?;
        self.argument_of(mark).or_else(|| self.span_at(mark))
    }

    /// The name in a named rule of the argument at a position of the statement, and the argument
    /// in the call.
    pub(crate) fn argument_at(&self, position: u32) -> Option<(Range<usize>, Range<usize>)> {
        let mark = self.mark_at(position)?;
        Some((self.span_at(mark)?, self.argument_of(mark)?))
    }

    /// All arguments of named rules: the name in the rule, and the argument in the call.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        (0..self.marks.len())
            .filter_map(|mark| Some((self.span_at(mark)?, self.argument_of(mark)?)))
    }

    fn mark_at(&self, position: u32) -> Option<usize> {
        let byte = self
            .sql
            .char_indices()
            .nth(position.checked_sub(1)? as usize)?
            .0;
        self.marks.iter().rposition(|(at, _)| *at <= byte)
    }

    fn span_at(&self, mark: usize) -> Option<Range<usize>> {
        self.marks.get(mark).map(|(_, span)| span.clone())
    }

    /// The argument in the call, if the mark is the parenthesis that ends it in the statement.
    fn argument_of(&self, mark: usize) -> Option<Range<usize>> {
        let ends_argument = |mark: usize| {
            let start = self.marks.get(mark).map(|(at, _)| *at);
            start.is_some_and(|at| self.sql.get(at..).is_some_and(|sql| sql.starts_with(')')))
        };
        if !ends_argument(mark) {
            return None;
        }
        let inner = (0..mark).rev().find(|inner| !ends_argument(*inner))?;
        self.span_at(inner)
    }
}

/// Builds the statement.
struct Text<'c> {
    catalog: &'c Catalog,
    subject: RuleSubject,
    sql: String,
    marks: Vec<(usize, Range<usize>)>,
    parameters: Vec<(String, Oid)>,
    casts: Vec<(usize, Range<usize>)>,
}

impl Text<'_> {
    fn begin(&mut self) {
        self.sql = match self.subject {
            RuleSubject::Row(table) | RuleSubject::Read(table) => {
                format!("SELECT {} WHERE (", self.from(table))
            }
            RuleSubject::Preset(..) | RuleSubject::Mask(..) | RuleSubject::Statement => {
                "SELECT (".to_owned()
            }
        };
    }

    fn from(&self, table: TableId) -> String {
        let table = self.catalog.table(table);
        format!(
            "FROM {}.{} AS \"_0\"",
            quoted(&table.schema),
            quoted(&table.name)
        )
    }

    fn end(&mut self) {
        self.sql.push(')');
        if let Some((table, column)) = self.subject.column() {
            let cast = format!(
                "::{}",
                self.type_name(self.catalog.table(table).column(column).r#type)
            );
            self.sql.push_str(&cast);
        }
        if let RuleSubject::Mask(table, _) = self.subject {
            let from = format!(" {}", self.from(table));
            self.sql.push_str(&from);
        }
    }

    /// The check of a mask's type; `None` for text columns, to which any value can be cast.
    fn mask(&self) -> Option<MaskType> {
        let RuleSubject::Mask(table, column) = self.subject else {
            return None;
        };
        let entry = self.catalog.table(table).column(column);
        let base = self
            .catalog
            .base_type(entry.r#type)
            .filter(|base| base.category != 'S')?;
        let expression = self.sql.strip_prefix("SELECT (")?;
        let from = self.from(table);
        let expected = self.type_name(entry.r#type);
        Some(MaskType {
            joined: format!("SELECT COALESCE(NULL::{expected}, ({expression})) {from}"),
            plain: format!("SELECT ({expression}) {from}"),
            column: entry.name.clone(),
            expected: base.name.clone(),
        })
    }

    fn part(&mut self, part: &Part) {
        let at = self.sql.len();
        let span = match part {
            Part::Sql { text, span } => {
                self.sql.push_str(text);
                span
            }
            Part::Column { column, span } => {
                if let Some(table) = self.subject.row() {
                    let name = quoted(&self.catalog.table(table).column(*column).name);
                    self.sql.push_str(&format!("\"_0\".{name}"));
                }
                span
            }
            Part::Table { .. } | Part::Parameter { .. } => return,
            Part::Session { value, span } => {
                self.parameter(&value.name, value.r#type);
                span
            }
        };
        if let Some(span) = span {
            self.marks.push((at, span.clone()));
        }
    }

    /// Writes `$1::uuid`. A type that is not built in is cast by way of text, so that the gateway
    /// need not look it up.
    fn parameter(&mut self, name: &str, oid: Oid) {
        let known = self.parameters.iter().position(|(known, _)| known == name);
        let index = known.unwrap_or_else(|| {
            self.parameters.push((name.to_owned(), oid));
            self.parameters.len() - 1
        });
        let built_in = self
            .catalog
            .type_of(oid)
            .is_some_and(|t| t.schema == "pg_catalog");
        let by_text = if built_in { "" } else { "::text" };
        self.sql.push_str(&format!("${}", index + 1));
        let start = self.sql.len();
        self.sql.push_str(by_text);
        self.sql.push_str(&format!("::{}", self.type_name(oid)));
        self.casts.push((index, start..self.sql.len()));
    }

    fn type_name(&self, oid: Oid) -> String {
        let found = self.catalog.type_of(oid);
        found.map_or_else(
            || "text".to_owned(),
            |t| format!("{}.{}", quoted(&t.schema), quoted(&t.name)),
        )
    }
}
