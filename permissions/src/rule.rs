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
//!
//! What a rule or statement does is found out in its tree, by one visitor for each question:
//!
//! | File | Question |
//! |---|---|
//! | `reads` | Which tables does it read besides its row? |
//! | `foreign_calls` | Does it call what is not known to be Postgres' own? |
//! | `volatility` | Does its result differ between calls? |
//! | `writes` | Does it write, or lock rows? |
//! | `may_raise` | May it raise an error before the row rule holds? |
//! | `compared` | Which columns does it compare there, so that a cast may raise one? |

mod rules;
mod subject;
mod part;
mod parse;
mod identifiers;
mod writer;
mod expression;
mod membership;
mod statement;
mod vacuous;
mod vacuous_state;
mod query;
mod from;
mod change;
mod data_type;
mod scope;
mod built_in;
mod called;
mod foreign_calls;
mod reads;
mod writes;
mod volatility;
mod before_row_rule;
mod may_raise;
mod compared;
mod source_map;
mod shared;
mod optional_session;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use sql::model::access::{
    Membership, Rule, RuleDependencies, RuleExpression, RuleFragment, Setting,
};
use sql::postgres::catalog::Catalog;
use sqlparser::ast::Expr;

use crate::diagnostic::Span;
use crate::fault::Fault;
use crate::file::NamedRule;
use crate::report::Report;
use crate::session::Session;
use crate::settings::OWN as OWN_SETTINGS;
use crate::toml_reader::Text;
pub(crate) use built_in::built_in_functions;
use parse::parse_expression;
pub(crate) use part::Part;
use part::pieces;
use reads::reads;
use rules::Named;
pub(crate) use rules::Rules;
use shared::Interner;
use source_map::Locator;
pub use statement::{CallPolicy, Statement};
pub(crate) use subject::RuleSubject;
use writer::Writer;

/// How many parsed expressions are kept. A tree takes a hundred times the memory of its text.
const MOST_PARSED: usize = 500;

/// A compiled expression, with the span of each part.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) rule: Rule,
    pub(crate) parts: Vec<Part>,
    pub(crate) span: Span,
    /// The named rules of the file.
    pub(crate) named_rules: Arc<[String]>,
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
            names: Arc::default(),
            shared,
            parsed,
            settings: None,
        };
        for rule in written {
            check_names(rule, report);
            let locator = Locator::new(&report.file.text, &rule.sql.span, &rule.sql.value);
            if let Some(expression) = parse_expression(&rule.sql, &locator, report) {
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
        let names = sorted(rules.named.keys().copied()).into_iter();
        rules.names = names.map(str::to_owned).collect();
        for rule in written
            .iter()
            .filter(|rule| rules.named.contains_key(rule.name.value.as_str()))
        {
            Writer::check_named(&rules, &rule.name.value, report);
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
        let expression = Arc::new(parse_expression(text, locator, report)?);
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
        let parts = Writer::about(self, subject, &locator, report).write(&expression)?;
        let reads = reads(&expression, self);
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
            named_rules: self.names.clone(),
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
