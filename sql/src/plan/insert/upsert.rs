//! `ON CONFLICT`: what happens to rows that are there already. The row there has to pass the rule of the grant to update,
//! or it is left alone; then the request's own condition, and then the check on what the row would become.

use super::guard::{self, Check};
use crate::access::Rule;
use crate::catalog::{ColumnId, Table, TableKind};
use crate::plan::builder::Builder;
use crate::plan::{Action, Denied, Predicate, Scan};
use crate::selection::{Insert, OnConflict};

/// `ON CONFLICT (…) DO …`
#[derive(Debug)]
pub struct Conflict<'m> {
    /// The columns of the key.
    pub key: Vec<&'m str>,
    /// How the row there is updated; else it is left alone.
    pub update: Option<Replacing<'m>>,
}

/// `DO UPDATE SET … WHERE …`
#[derive(Debug)]
pub struct Replacing<'m> {
    /// The row there, under the rule of the grant to update.
    pub scan: Scan<'m>,
    /// The columns that change, each with the rule that sets it; else it becomes what was to be inserted.
    pub columns: Vec<(ColumnId, Option<&'m Rule>)>,
    /// The request's condition on the row there.
    pub filter: Option<Predicate<'m>>,
    /// What has to be true of the row as it becomes.
    pub check: Option<Check<'m>>,
}

/// Checks on rows as they are stored.
#[derive(Debug)]
pub struct Stored<'m> {
    /// On those that were inserted.
    pub inserted: Option<Check<'m>>,
    /// On those that were updated.
    pub updated: Option<Check<'m>>,
    /// Whether a row may be either.
    pub either: bool,
    /// Whether the one can be told from the other; where not, both checks hold for all.
    pub apart: bool,
}

impl<'m> Builder<'m> {
    /// What happens to rows that are there already, the rows to be written under that alias.
    pub(super) fn conflict(
        &mut self,
        insert: &Insert<'m>,
        conflict: &OnConflict<'m>,
        alias: u32,
        path: &str,
    ) -> Result<Conflict<'m>, Denied> {
        let table = self.access().model().table(insert.table);
        let key = conflict.key.iter().map(|column| table.column(*column).name.as_str()).collect();
        let update = match conflict.columns.is_empty() {
            true => None,
            false => Some(self.replacing(insert, conflict, alias, path)?),
        };
        Ok(Conflict { key, update })
    }

    fn replacing(
        &mut self,
        insert: &Insert<'m>,
        conflict: &OnConflict<'m>,
        alias: u32,
        path: &str,
    ) -> Result<Replacing<'m>, Denied> {
        let access = self.access();
        let grant = access.update(insert.table).ok_or(Denied)?;
        let scan = Scan::open_for(access, insert.table, alias, Action::Update)?;
        let mut columns = Vec::new();
        for column in &conflict.columns {
            scan.assigned(grant, *column)?;
            columns.push((*column, None));
        }
        let presets = grant.preset.iter().map(|(column, rule)| (*column, Some(rule.as_ref())));
        columns.retain(|(column, _)| !grant.preset.iter().any(|(preset, _)| preset == column));
        columns.extend(presets);
        let filter = conflict.filter.as_ref().map(|filter| self.predicate(&scan, filter)).transpose()?;
        let rule = grant.check.as_ref();
        let check =
            (!rule.is_everything()).then(|| Check { rows: alias, table: scan.table(), rule, path: path.to_owned() });
        Ok(Replacing { scan, columns, filter, check })
    }
}

impl<'m> Stored<'m> {
    /// The checks that have to look at rows as they are stored, if any has to.
    pub(super) fn new(table: &'m Table, check: &Check<'m>, conflict: Option<&Conflict<'m>>) -> Option<Stored<'m>> {
        let after = |check: &Check<'m>| guard::is_judged_after(table, check.rule).then(|| check.clone());
        let update = conflict.and_then(|conflict| conflict.update.as_ref());
        let inserted = after(check);
        let updated = update.and_then(|update| update.check.as_ref()).and_then(after);
        let any = inserted.is_some() || updated.is_some();
        any.then(|| Stored { inserted, updated, either: update.is_some(), apart: table.kind == TableKind::Table })
    }
}
