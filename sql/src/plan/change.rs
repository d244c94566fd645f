//! Plans updates and deletes: which rows they touch, which values they assign, and when the role's
//! check runs.
//!
//! Changes of related rows are planned in [`super::related`].

use std::collections::BTreeSet;

use super::builder::Builder;
use super::returning::{WriteResult, nothing};
use super::scan::{Action, Event, Scan, TransferredKey, WrittenRows, free_name};
use super::{
    Assertion, AssertionKind, Assigned, Check, Comparison, Condition, ConditionPlacement, Cte,
    DeletePlan, Denied, Operand, PartKind, Predicate, ResultLimit, RowCountSource, SelectForUpdate,
    Step, UpdatePlan, UpdateTarget,
};
use crate::error::{Cause, LengthLimit};
use crate::model::access;
use crate::model::update_operators::UpdateOperator;
use crate::postgres::catalog::{Column, ColumnId, Table, TableId, TableKind};
use crate::resolve::selection::{Assignment, Delete, Expected, Filter, Outcome, Update, Write};

mod check_timing;

/// Additions to an update that come from a related change.
#[derive(Debug, Default)]
pub(super) struct UpdateExtras<'m> {
    /// Keys that restrict the rows, if there are any.
    pub(super) among: Vec<(ColumnId, TransferredKey<'m>)>,
    /// Further columns that are set.
    pub(super) assignments: Vec<(ColumnId, Assigned<'m>)>,
}

/// The new values of columns.
type Columns<'m> = Vec<(&'m Column, Assigned<'m>)>;

/// An update of one table, before it is decided when its check runs.
struct Change<'m> {
    target: Scan<'m>,
    assignments: Vec<(ColumnId, Assigned<'m>)>,
    condition: Condition<'m>,
    path: String,
}

impl<'m> Builder<'m> {
    /// Plans the statements of an update. `lead` is the response text before it; returns the text
    /// after it.
    pub(super) fn updated(
        &mut self,
        update: &Update<'m>,
        outcome: &Outcome<'m>,
        before: &mut Vec<RowCountSource>,
        lead: String,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<String, Denied> {
        if !update.related.is_empty() {
            self.updated_with_related(update, outcome, before, &lead, steps)?;
            return Ok(String::new());
        }
        let mut step = Step::new(lead, update.path.clone());
        let Some(results) = self.update_part(update, UpdateExtras::default(), before, &mut step)?
        else {
            return Ok(step.response_prefix + &nothing(outcome));
        };
        if matches!(outcome, Outcome::Responses(_)) {
            self.remember(update.table, &results, before, &mut step);
        }
        self.return_rows(step, &results, outcome, steps)?;
        Ok(String::new())
    }

    /// Plans the statements of a deletion. `lead` is the response text before it; returns the text
    /// after it.
    pub(super) fn deleted(
        &mut self,
        write: &Write<'m>,
        delete: &Delete<'m>,
        outcome: &Outcome<'m>,
        lead: String,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<String, Denied> {
        let mut step = Step::new(lead, write.path.clone());
        let results = self.delete_part(
            delete.table,
            &delete.filter,
            Vec::new(),
            &write.path,
            &mut step,
        )?;
        if let (true, [part]) = (delete.by_key, results.written.parts()) {
            self.assert_unique_key(delete.table, *part, &write.path, &mut step);
        }
        self.return_rows(step, &results, outcome, steps)?;
        Ok(String::new())
    }

    // ---- updates

    /// Transfers the number of rows that an update has changed, if the grant limits the rows of
    /// later updates of the field.
    pub(super) fn remember(
        &mut self,
        table: TableId,
        results: &WriteResult,
        before: &mut Vec<RowCountSource>,
        step: &mut Step<'m>,
    ) {
        if self
            .access()
            .update(table)
            .is_some_and(|grant| grant.max_affected.is_some())
        {
            before.push(self.transfer_count(step, results.counted.clone()));
        }
    }

    /// Adds the CTEs of an update to a statement; none if no column is set. `before` counts the
    /// rows that the field has updated already.
    pub(super) fn update_part(
        &mut self,
        update: &Update<'m>,
        extra: UpdateExtras<'m>,
        before: &[RowCountSource],
        step: &mut Step<'m>,
    ) -> Result<Option<WriteResult>, Denied> {
        let grant = self.access().update(update.table).ok_or(Denied)?;
        let reads = update.reads() || !extra.among.is_empty();
        let target = self.open_for(update.table, Action::Update, reads)?;
        let assignments = self.assignments(&target, grant, update, extra.assignments)?;
        if assignments.is_empty() {
            return Ok(None);
        }
        let mut condition = self.condition(&target, &update.filter, extra.among)?;
        condition.expected = self.expected(&target, update)?;
        let mut written = WrittenRows::new(update.table, Event::Update);
        let change = Change {
            target,
            assignments,
            condition,
            path: update.path.clone(),
        };
        let (part, moves_keys) = self.change(grant, change, &mut written, step)?;
        let all = before
            .iter()
            .cloned()
            .chain([RowCountSource::Part(part)])
            .collect();
        at_most(grant.max_affected, all, &update.path, step);
        if update.by_key {
            self.assert_unique_key(update.table, part, &update.path, step);
        }
        let counted = vec![RowCountSource::Part(part)];
        let tables = vec![update.table];
        Ok(Some(WriteResult {
            written,
            counted,
            tables,
            moves_keys,
        }))
    }

    /// Adds a CTE that locks the rows of an update that sets no column.
    pub(super) fn lock_part(
        &mut self,
        update: &Update<'m>,
        among: Vec<(ColumnId, TransferredKey<'m>)>,
        step: &mut Step<'m>,
    ) -> Result<WriteResult, Denied> {
        let target = self.open_for(
            update.table,
            Action::Update,
            update.reads() || !among.is_empty(),
        )?;
        let mut condition = self.condition(&target, &update.filter, among)?;
        condition.expected = self.expected(&target, update)?;
        let number = self.alias();
        let mut written = WrittenRows::new(update.table, Event::Update);
        let returned = Some(written.part(self.access(), number));
        let key = Vec::new();
        let assignments = Vec::new();
        let kept = Vec::new();
        let locking = SelectForUpdate {
            target,
            key,
            assignments,
            kept,
            returned,
            condition,
        };
        step.parts.push(Cte {
            number,
            kind: PartKind::Lock(Box::new(locking)),
        });
        Ok(WriteResult {
            written,
            counted: Vec::new(),
            tables: vec![update.table],
            moves_keys: false,
        })
    }

    /// The new value of each column: those of the request, replaced by the grant's presets.
    fn assignments(
        &self,
        target: &Scan<'m>,
        grant: &'m access::Update,
        update: &Update<'m>,
        extra: Vec<(ColumnId, Assigned<'m>)>,
    ) -> Result<Vec<(ColumnId, Assigned<'m>)>, Denied> {
        let requested = update.assignments.iter();
        for assignment in requested.filter(|assignment| assignment.modifier.reads()) {
            target.stored(assignment.column)?;
        }
        let requested = update.assignments.iter().map(|assignment| {
            let Assignment {
                column,
                modifier,
                value,
            } = assignment;
            let assigned = match self.result_limit(grant, update, assignment) {
                Some(limit) => Assigned::Extended(*modifier, value.clone(), limit),
                None => Assigned::Given(*modifier, value.clone()),
            };
            (*column, assigned)
        });
        let mut all: Vec<_> = requested.collect();
        for (column, value) in extra {
            all.retain(|(assigned, _)| *assigned != column);
            all.push((column, value));
        }
        all.iter()
            .try_for_each(|(column, _)| target.assigned(grant, *column).map(drop))?;
        for (column, preset) in &grant.preset {
            all.retain(|(assigned, _)| assigned != column);
            all.push((*column, Assigned::Preset(preset, target.table())));
        }
        Ok(all)
    }

    /// The limit on the length of what an operator makes of a stored value.
    fn result_limit(
        &self,
        grant: &access::Update,
        update: &Update<'m>,
        assignment: &Assignment,
    ) -> Option<ResultLimit> {
        let limits = grant.lengths.get(&assignment.column)?;
        let limit = match assignment.modifier {
            UpdateOperator::Inc
            | UpdateOperator::Mul
            | UpdateOperator::Append
            | UpdateOperator::Prepend => limits.characters.map(LengthLimit::Characters),
            UpdateOperator::ArrayAppend => limits.elements.map(LengthLimit::Elements),
            // The value is as long as the operand, or no longer than the stored one.
            UpdateOperator::Set
            | UpdateOperator::DeleteKey
            | UpdateOperator::DeleteElem
            | UpdateOperator::DeleteAtPath
            | UpdateOperator::ArrayRemove => None,
        };
        let exposed = self.access().model().exposed(update.table);
        let name = exposed.and_then(|exposed| exposed.column_name(assignment.column));
        Some(ResultLimit {
            limit: limit?,
            name: name.unwrap_or_default().to_owned(),
            path: update.path.clone(),
        })
    }

    /// Adds the CTE that updates, after one that locks and checks the rows if a key may be
    /// violated. Returns its number, and whether a column of a key is set.
    fn change(
        &mut self,
        grant: &'m access::Update,
        change: Change<'m>,
        written: &mut WrittenRows,
        step: &mut Step<'m>,
    ) -> Result<(u32, bool), Denied> {
        let set: Vec<ColumnId> = change
            .assignments
            .iter()
            .map(|(column, _)| *column)
            .collect();
        let verdict = self.verdict(&change.target, grant, &set);
        let rows = change.target.alias();
        let table = change.target.table();
        let judged = Check {
            rows,
            table,
            rule: &grant.check,
            path: change.path.clone(),
        };
        let key = self
            .row_key(change.target.id())
            .filter(|_| verdict.before && is_locked(change.target.table()));
        let check = (verdict.after || (verdict.before && key.is_none())).then(|| judged.clone());
        let (target, rows, assignments) = match key {
            Some(key) => self.lock_rows(change, &key, judged, step)?,
            None => {
                let assignments = change
                    .assignments
                    .into_iter()
                    .map(|(column, value)| (table.column(column), value));
                (
                    change.target,
                    UpdateTarget::Condition(change.condition),
                    assignments.collect(),
                )
            }
        };
        let number = self.alias();
        let returned = written.part(self.access(), number);
        let check = check.map(|check| Check {
            rows: target.alias(),
            ..check
        });
        let updating = UpdatePlan {
            target,
            assignments,
            rows,
            check,
            returned,
        };
        step.parts.push(Cte {
            number,
            kind: PartKind::Update(Box::new(updating)),
        });
        Ok((number, verdict.moves_keys))
    }

    /// Adds a CTE that locks the rows and computes their new values, which the update then assigns.
    fn lock_rows(
        &mut self,
        change: Change<'m>,
        key: &[ColumnId],
        judged: Check<'m>,
        step: &mut Step<'m>,
    ) -> Result<(Scan<'m>, UpdateTarget<'m>, Columns<'m>), Denied> {
        let number = self.alias();
        let table = change.target.table();
        // These are the rows that were locked; the rule for reading was applied there.
        let target = self.open_for(change.target.id(), Action::Update, false)?;
        let key = key_columns(table, key);
        let set: Vec<ColumnId> = change
            .assignments
            .iter()
            .map(|(column, _)| *column)
            .collect();
        let kept = judged
            .rule
            .columns()
            .filter(|column| !set.contains(column))
            .collect::<BTreeSet<_>>();
        let locking = SelectForUpdate {
            target: change.target,
            key: key.clone(),
            assignments: change
                .assignments
                .into_iter()
                .map(|(id, value)| (table.column(id), value))
                .collect(),
            kept: kept
                .into_iter()
                .map(|column| table.column(column))
                .collect(),
            returned: None,
            condition: change.condition,
        };
        step.parts.push(Cte {
            number,
            kind: PartKind::Lock(Box::new(locking)),
        });
        let assignments = set
            .into_iter()
            .map(|column| (table.column(column), Assigned::Locked(number)));
        Ok((
            target,
            UpdateTarget::Locked(
                key,
                Check {
                    rows: number,
                    ..judged
                },
            ),
            assignments.collect(),
        ))
    }

    /// Asserts that a CTE changes one row at most, where rows of tables that inherit may have the
    /// same key.
    fn assert_unique_key(&self, table: TableId, part: u32, path: &str, step: &mut Step<'m>) {
        if self.limit_of_one(table).is_some() {
            let what = AssertionKind::AtMost {
                counted: vec![RowCountSource::Part(part)],
                most: 1,
            };
            step.assertions.push(Assertion {
                what,
                cause: Cause::KeyRepeats,
                path: path.to_owned(),
            });
        }
    }

    // ---- deletes

    /// Adds the CTE of a deletion to a statement.
    pub(super) fn delete_part(
        &mut self,
        table: TableId,
        filter: &Filter<'m>,
        among: Vec<(ColumnId, TransferredKey<'m>)>,
        path: &str,
        step: &mut Step<'m>,
    ) -> Result<WriteResult, Denied> {
        let grant = self.access().delete(table).ok_or(Denied)?;
        let target = self.open_for(table, Action::Delete, filter.reads() || !among.is_empty())?;
        let condition = self.condition(&target, filter, among)?;
        let number = self.alias();
        let mut written = WrittenRows::new(table, Event::Delete);
        let returned = written.part(self.access(), number);
        let deleting = DeletePlan {
            target,
            condition,
            returned,
        };
        step.parts.push(Cte {
            number,
            kind: PartKind::Delete(Box::new(deleting)),
        });
        let counted = vec![RowCountSource::Part(number)];
        at_most(grant.max_affected, counted.clone(), path, step);
        Ok(WriteResult {
            written,
            counted,
            tables: vec![table],
            moves_keys: false,
        })
    }

    // ---- conditions

    /// The condition on the rows of a target, restricted to rows with transferred keys if there are
    /// any.
    pub(super) fn condition(
        &mut self,
        target: &Scan<'m>,
        filter: &Filter<'m>,
        among: Vec<(ColumnId, TransferredKey<'m>)>,
    ) -> Result<Condition<'m>, Denied> {
        let mut placement = ConditionPlacement::default();
        if !among.is_empty() {
            let pairs = among
                .into_iter()
                .map(|(column, key)| (target.key(column), key));
            placement
                .beside_rule
                .push(Predicate::InTransferredKeys(pairs.collect()));
        }
        for predicate in self.predicate(target, filter)?.into_conjuncts() {
            self.place_beside_rule(target, predicate, &mut placement);
        }
        Ok(Condition {
            safe: placement.beside_rule,
            raising: placement.outside_fence,
            ..Condition::default()
        })
    }

    /// `if_match`: the conditions that the rows have to meet.
    fn expected(
        &mut self,
        target: &Scan<'m>,
        update: &Update<'m>,
    ) -> Result<Option<(Vec<Predicate<'m>>, String)>, Denied> {
        let mut all = Vec::new();
        for Expected {
            column,
            operator,
            value,
        } in &update.expected
        {
            let term = self.term(target, column)?;
            let scalar = self.scalar(term.r#type());
            let Some(value) = value else {
                all.push(Predicate::IsNull {
                    term,
                    is_null: true,
                });
                continue;
            };
            let operand = Operand {
                field: "",
                parameter: Some(value.clone()),
                scalar: scalar.clone(),
                list: false,
            };
            let raises = operator.raises() || term.raises() || scalar.raises();
            let operands = vec![operand];
            let work = (!raises).then_some(1);
            all.push(Predicate::Compare(Box::new(Comparison {
                term,
                operator,
                scalar,
                operands,
                work,
                long_list: false,
                unnested: false,
            })));
        }
        Ok((!all.is_empty()).then(|| (all, update.path.clone())))
    }
}

/// Whether rows of a table can be locked: each row of a view has to be one row of its table.
pub fn is_locked(table: &Table) -> bool {
    matches!(table.kind, TableKind::Table | TableKind::Partitioned) || table.one_to_one
}

/// Asserts that at most as many rows are written as the grant permits.
fn at_most<'m>(most: Option<u32>, counted: Vec<RowCountSource>, path: &str, step: &mut Step<'m>) {
    if let Some(value) = most {
        let what = AssertionKind::AtMost {
            counted,
            most: value,
        };
        step.assertions.push(Assertion {
            what,
            cause: Cause::Affected { value },
            path: path.to_owned(),
        });
    }
}

/// The columns of a key, with names that no column of the table has.
fn key_columns<'m>(table: &'m Table, key: &[ColumnId]) -> Vec<(&'m Column, String)> {
    let with_name = |(index, id): (usize, &ColumnId)| {
        (table.column(*id), free_name(table, &format!("_key{index}")))
    };
    key.iter().enumerate().map(with_name).collect()
}
