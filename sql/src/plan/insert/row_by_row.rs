//! Plans inserts whose checks read a table that the same mutation field writes: each row is checked
//! and written before the next one, so that its check sees the rows before it, and never the row
//! itself.
//!
//! The statements are those of [`super`], one for each level. They run once for each row of a list,
//! in the order of the document: the rows that a row refers to, the row, the rows that refer to it
//! ([`LevelSteps`]). Their text does not depend on the number of rows.

use super::levels::{Level, present};
use super::{LevelInserts, NestedInsertContext};
use crate::model::access::RuleDependencies;
use crate::plan::builder::Builder;
use crate::plan::insert::target::Target;
use crate::plan::returning::{DeferredOutcome, counts};
use crate::plan::scan::{TransferredKey, TransferredRows};
use crate::plan::{AssertionKind, Denied, Expression, ParentRows, RowCountSource, Step, Transfer};
use crate::postgres::catalog::TableId;
use crate::resolve::Coercion;
use crate::resolve::selection::{Insert, Outcome};
use crate::statement::LevelSteps;

impl<'m> Builder<'m> {
    /// Whether rows are written one after another.
    ///
    /// A list of rows with nested rows is, if a check may read any table that the field writes. A
    /// list of rows without nested rows is one command under Hasura's profile, as in Hasura;
    /// otherwise its rows are written one after another if their check is known to read their
    /// table. A function or a view in the check may read it as well, but most do not.
    pub(super) fn is_row_by_row(&self, levels: &[Level<'_, 'm>]) -> Result<bool, Denied> {
        let tables: Vec<TableId> = levels.iter().map(|level| level.insert.table).collect();
        let nests = levels
            .iter()
            .any(|level| is_list(level.insert) && has_nested_rows(level.insert));
        for level in levels {
            let may_read = nests
                && self
                    .check_dependencies(level.insert)?
                    .may_read_any_of(&tables);
            if may_read || self.splits_lists(level.insert)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether each row of a list is written by a statement of its own even if no row has nested
    /// rows.
    fn splits_lists(&self, insert: &Insert<'m>) -> Result<bool, Denied> {
        if self.coercion() == Coercion::Loose || !is_list(insert) {
            return Ok(false);
        }
        let reads = self.check_dependencies(insert)?;
        Ok(matches!(reads, RuleDependencies::Tables(tables) if tables.contains(&insert.table)))
    }

    /// What the checks on new rows read, and on rows that `on_conflict` updates.
    fn check_dependencies(&self, insert: &Insert<'m>) -> Result<RuleDependencies, Denied> {
        let reads = Target::open(self.access(), insert.table)?
            .check()
            .reads
            .clone();
        let updates = insert
            .on_conflict
            .as_ref()
            .filter(|conflict| !conflict.columns.is_empty());
        Ok(
            match updates.and_then(|_| self.access().update(insert.table)) {
                Some(grant) => reads
                    .union(grant.rows.reads.clone())
                    .union(grant.check.reads.clone()),
                None => reads,
            },
        )
    }

    /// Plans the statements of a mutation field: one that empties the settings in which all runs
    /// gather the response, one for each level, and one that returns the response.
    pub(super) fn plan_row_by_row(
        &mut self,
        levels: &[Level<'_, 'm>],
        outcome: &Outcome<'m>,
        start: Step<'m>,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(), Denied> {
        let progress = LevelInserts {
            counts: counts(outcome),
            ..LevelInserts::new(levels, None, start)
        };
        let (later, _) = self.row_by_row_steps(progress, Some(outcome), steps)?;
        self.reselect(&later, outcome, steps)
    }

    /// [`Builder::inserted_along`] for rows that are written one after another.
    pub(super) fn inserted_along_row_by_row(
        &mut self,
        levels: &[Level<'_, 'm>],
        along: NestedInsertContext<'m>,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(Vec<TransferredKey<'m>>, Vec<RowCountSource>), Denied> {
        let parent = along
            .parent
            .map(|(relation, keys)| self.only_link(relation, keys));
        let start = Step::new(String::new(), along.path);
        let progress = LevelInserts {
            counts: along.counts,
            ..LevelInserts::new(levels, parent, start)
        };
        let (later, keys) = self.row_by_row_steps(progress, None, steps)?;
        Ok((keys, later.into_counted()))
    }

    /// Returns what the response is made of, and the transferred keys of the root's rows.
    fn row_by_row_steps(
        &mut self,
        mut progress: LevelInserts<'_, 'm>,
        outcome: Option<&Outcome<'m>>,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(DeferredOutcome<'m>, Vec<TransferredKey<'m>>), Denied> {
        let mut start = progress.first.take().ok_or(Denied)?;
        let start_index = steps.len();
        let levels = progress.levels;
        let count = progress.counts.then(|| self.alias());
        let mut rows: Option<TransferredRows<'m>> = None;
        let mut keys = Vec::new();
        let mut level_steps = Vec::new();
        for level in levels {
            let (mut step, results) = self.level_step(level, &mut progress)?;
            progress.counted.clear();
            self.limit_updates_of_all_runs(&mut step, &mut start);
            if let Some(setting) = count {
                step.transfers.push(added(setting, results.counted));
            }
            if level.is_root {
                rows = match outcome {
                    Some(outcome) => {
                        self.append_response_rows(&mut step, &results.written, outcome, &mut start)?
                    }
                    None => None,
                };
                if let Some(Some(ParentRows::Transferred(handed, _))) = progress.handed.last() {
                    keys.clone_from(handed);
                }
            }
            level_steps.push(step);
        }
        start.transfers.extend(
            count.map(|setting| Expression::Transfer(setting, Transfer::Count(Vec::new()))),
        );
        steps.push(start);
        steps.extend(level_steps);
        let root = levels.iter().find(|level| level.is_root).ok_or(Denied)?;
        let level_steps = self.level_steps(root.insert, &mut (start_index + 1))?;
        self.row_by_row.push(level_steps);
        let counted = count.map(RowCountSource::Transferred).into_iter().collect();
        Ok((DeferredOutcome::new(rows, counted), keys))
    }

    /// The limit on updated rows is one on those of all runs together.
    fn limit_updates_of_all_runs(&mut self, step: &mut Step<'m>, start: &mut Step<'m>) {
        for assertion in &mut step.assertions {
            let AssertionKind::AtMost { counted, .. } = &mut assertion.what else {
                continue;
            };
            let setting = self.alias();
            step.transfers.push(added(setting, counted.clone()));
            start
                .transfers
                .push(Expression::Transfer(setting, Transfer::Count(Vec::new())));
            counted.push(RowCountSource::Transferred(setting));
        }
    }

    /// The steps of all levels, in the order in which [`super::levels::flat`] returns the levels.
    fn level_steps(&self, insert: &Insert<'m>, next: &mut usize) -> Result<LevelSteps, Denied> {
        let mut steps_of = |nested: &Insert<'m>| self.level_steps(nested, next);
        let before = present(&insert.before)
            .map(|(_, nested)| steps_of(&nested.insert))
            .collect::<Result<_, _>>()?;
        let step = *next;
        *next += 1;
        let mut steps_of = |nested: &Insert<'m>| self.level_steps(nested, next);
        let after = present(&insert.after)
            .map(|(_, nested)| steps_of(&nested.insert))
            .collect::<Result<_, _>>()?;
        let rows = insert.batches.first().ok_or(Denied)?.rows.clone();
        Ok(LevelSteps {
            step,
            rows,
            splits_lists: self.splits_lists(insert)?,
            before,
            after,
        })
    }
}

/// Adds numbers of rows to the one that a setting has from earlier runs.
fn added<'m>(setting: u32, counted: Vec<RowCountSource>) -> Expression<'m> {
    let counted = counted
        .into_iter()
        .chain([RowCountSource::Transferred(setting)])
        .collect();
    Expression::Transfer(setting, Transfer::Count(counted))
}

fn is_list(insert: &Insert<'_>) -> bool {
    insert.batches.iter().any(|batch| !batch.rows.is_single())
}

fn has_nested_rows(insert: &Insert<'_>) -> bool {
    present(&insert.before).next().is_some() || present(&insert.after).next().is_some()
}
