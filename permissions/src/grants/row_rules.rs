//! Compiles the row rules and checks of a file before the grants that contain them. Rules need the
//! catalog and none of the names in GraphQL, so that a second thread compiles them while
//! [`crate::exposure`] names tables and types.

use std::collections::HashMap;

use sql::model::access::{Rule, RuleDependencies};
use sql::postgres::catalog::{READABLE_BIT, TableId};
use sql::postgres::types::quoted;

use crate::diagnostic::SourceFile;
use crate::fault::Fault;
use crate::file::{TableEntry, Text};
use crate::report::Report;
use crate::rule::{RuleSubject, Rules};
use crate::rule_check::RuleCheck;
use crate::state_check::SET_SETTINGS;
use crate::table_names::key;
use crate::{ADMIN, DATABASE_USER};

/// Rules without faults or notes, by subject and by their text in the file. Files repeat them for
/// each role.
pub(crate) type CompiledRules<'a> =
    HashMap<(RuleSubject, &'a str), CompiledRule, foldhash::fast::RandomState>;

/// A rule, as it was compiled at its first place in the file.
pub(crate) struct CompiledRule {
    pub(crate) rule: Rule,
    pub(crate) check: CheckState,
}

/// The statement by which Postgres checks a rule.
pub(crate) enum CheckState {
    /// There is none: the rule admits every row.
    None,
    /// No grant has taken the rule yet.
    Waiting(Box<RuleCheck>),
    /// The check is among those of the grants so far.
    Listed { index: usize },
}

/// Compiles the rules of these tables' entries, in the order in which [`super::GrantCompiler`]
/// takes them, and passes on their checks. It leaves out rules that have faults or notes, which the
/// grants report at each place.
pub(crate) fn compile_row_rules<'a, 'e>(
    rules: &Rules<'_>,
    tables: impl Iterator<Item = (TableId, &'e TableEntry)>,
    file: &'a SourceFile,
    on_check: &mut dyn FnMut(&RuleCheck),
) -> CompiledRules<'a> {
    let mut compiled = CompiledRules::default();
    for (table, entry) in tables {
        for (subject, text) in row_rules(table, entry) {
            let written = file.text.get(text.span.clone()).unwrap_or_default();
            if compiled.contains_key(&(subject, written)) {
                continue;
            }
            let mut report = Report::new(file);
            let found = compile_rule(rules, subject, text, &mut report);
            let Some((rule, check)) = found.filter(|_| report.len() == 0) else {
                continue;
            };
            check.iter().for_each(&mut *on_check);
            let check = check.map_or(CheckState::None, |check| {
                CheckState::Waiting(Box::new(check))
            });
            compiled.insert((subject, written), CompiledRule { rule, check });
        }
    }
    compiled
}

/// The conditions of a table's grants on rows.
fn row_rules(table: TableId, entry: &TableEntry) -> impl Iterator<Item = (RuleSubject, &Text)> {
    let roles = entry.roles.iter().filter(|role| role.role.value != ADMIN);
    roles.flat_map(move |role| {
        let select = role.select.as_ref().and_then(|select| select.rows.as_ref());
        let insert = role
            .insert
            .as_ref()
            .and_then(|insert| insert.check.as_ref());
        let update = role
            .update
            .as_ref()
            .map(|update| [update.rows.as_ref(), update.check.as_ref()]);
        let delete = role.delete.as_ref().and_then(|delete| delete.rows.as_ref());
        let writes = insert
            .into_iter()
            .chain(update.into_iter().flatten().flatten())
            .chain(delete);
        let reads = select.map(|text| (RuleSubject::Read(table), text));
        reads
            .into_iter()
            .chain(writes.map(move |text| (RuleSubject::Row(table), text)))
    })
}

/// Compiles a rule, and makes the statement by which Postgres checks it, unless it admits every
/// row.
pub(super) fn compile_rule(
    rules: &Rules<'_>,
    subject: RuleSubject,
    text: &Text,
    report: &mut Report<'_>,
) -> Option<(Rule, Option<RuleCheck>)> {
    let catalog = rules.catalog();
    let compiled = rules.compile(subject, text, report)?;
    let rule = compiled.rule.clone();
    if let RuleDependencies::Tables(tables) = &rule.reads {
        let tables = tables.iter().map(|table| catalog.table(*table));
        for table in tables.filter(|table| !table.is_allowed_somewhere(READABLE_BIT)) {
            let name = format!("{}.{}", quoted(&table.schema), quoted(&table.name));
            let table = key(table);
            let help = format!("GRANT SELECT ON {name} TO {DATABASE_USER};");
            report.add_with(Fault::RulePrivilege { table }, &text.span, Some(help));
        }
    }
    let unset = rules.unset_settings(&rule);
    if !unset.is_empty() {
        let settings = unset.into_iter().collect::<Vec<_>>().join(", ");
        report.record(
            Fault::RuleSettingUnset { settings },
            &text.span,
            SET_SETTINGS,
        );
    }
    let is_checked = !rule.is_everything() || subject.column().is_some();
    let check = is_checked.then(|| RuleCheck::new(catalog, subject, compiled));
    Some((rule, check))
}
