//! Plans `ON CONFLICT`. An existing row that fails the rule of the grant to update, or the
//! request's condition, is left as it is; otherwise the new version of the row has to pass the
//! grant's check.

use super::Parts;
use super::guard;
use super::levels::Level;
use crate::error::Cause;
use crate::plan::builder::Builder;
use crate::plan::{
    Action, Assertion, AssertionKind, Check, Conflict, Denied, Event, OnConflictUpdate,
    RowCountSource, Scan, StoredRowChecks, free_name,
};
use crate::postgres::catalog::{Table, TableKind};
use crate::resolve::selection::{Filter, Insert, OnConflict};

impl<'m> Builder<'m> {
    /// Plans `ON CONFLICT`; `alias` is that of the table that is written.
    pub(super) fn conflict(
        &mut self,
        insert: &Insert<'m>,
        conflict: &OnConflict<'m>,
        alias: u32,
        path: &str,
    ) -> Result<Conflict<'m>, Denied> {
        let update = if conflict.columns.is_empty() {
            None
        } else {
            Some(self.plan_update_on_conflict(insert, conflict, alias, path)?)
        };
        Ok(Conflict {
            arbiter: conflict.arbiter,
            update,
        })
    }

    fn plan_update_on_conflict(
        &mut self,
        insert: &Insert<'m>,
        conflict: &OnConflict<'m>,
        alias: u32,
        path: &str,
    ) -> Result<OnConflictUpdate<'m>, Denied> {
        let access = self.access();
        let grant = access.update(insert.table).ok_or(Denied)?;
        let reads = conflict.filter.as_ref().is_some_and(Filter::reads);
        let scan = Scan::open_for(access, insert.table, alias, Action::Update, reads)?;
        let mut columns = Vec::new();
        for column in &conflict.columns {
            scan.assigned(grant, *column)?;
            columns.push((*column, None));
        }
        let presets = grant
            .preset
            .iter()
            .map(|(column, rule)| (*column, Some(rule)));
        columns.retain(|(column, _)| !grant.preset.iter().any(|(preset, _)| preset == column));
        columns.extend(presets);
        let filter = conflict
            .filter
            .as_ref()
            .map(|filter| self.predicate(&scan, filter))
            .transpose()?;
        let rule = &grant.check;
        let check = (!rule.is_everything()).then(|| Check {
            rows: alias,
            table: scan.table(),
            rule,
            path: path.to_owned(),
        });
        Ok(OnConflictUpdate {
            scan,
            columns,
            filter,
            check,
            most: grant.max_affected,
        })
    }
}

impl<'m> Builder<'m> {
    /// Asserts that at most as many rows are updated as the grant permits. If updated rows cannot
    /// be distinguished from inserted ones, all are counted.
    pub(super) fn at_most_updated(
        &self,
        level: &Level<'_, 'm>,
        parts: &Parts<'m>,
    ) -> Option<Assertion<'m>> {
        let update = parts.insert.conflict.as_ref()?.update.as_ref()?;
        let value = update.most?;
        let counted = match &parts.insert.mark {
            Some(mark) => RowCountSource::Marked(parts.number, mark.clone()),
            None => RowCountSource::Part(parts.number),
        };
        let what = AssertionKind::AtMost {
            counted: vec![counted],
            most: value,
        };
        Some(Assertion {
            what,
            cause: Cause::Affected { value },
            path: level.path.clone(),
        })
    }
}

impl Conflict<'_> {
    /// The name of the column that marks updated rows, if they are counted and can be
    /// distinguished.
    pub(super) fn mark(&self, table: &Table) -> Option<String> {
        let counts = self
            .update
            .as_ref()
            .is_some_and(|update| update.most.is_some());
        (counts && has_xmax(table)).then(|| free_name(table, "_updated"))
    }
}

/// Whether a table distinguishes updated rows from inserted ones: neither views nor partitioned
/// tables have `xmax`.
fn has_xmax(table: &Table) -> bool {
    table.kind == TableKind::Table
}

impl<'m> StoredRowChecks<'m> {
    /// The checks that have to run on stored rows, if there are any.
    pub(super) fn new(
        table: &'m Table,
        check: &Check<'m>,
        conflict: Option<&Conflict<'m>>,
    ) -> Option<StoredRowChecks<'m>> {
        let after = |check: &Check<'m>, event| {
            guard::is_judged_after(table, check.rule, event).then(|| check.clone())
        };
        let update = conflict.and_then(|conflict| conflict.update.as_ref());
        let inserted = after(check, Event::Insert);
        let updated = update
            .and_then(|update| update.check.as_ref())
            .and_then(|check| after(check, Event::Update));
        let any = inserted.is_some() || updated.is_some();
        any.then(|| StoredRowChecks {
            inserted,
            updated,
            either: update.is_some(),
            apart: has_xmax(table),
        })
    }
}
