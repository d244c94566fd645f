//! Plans an update that changes related rows too: further statements before and after its own.
//!
//! If the updated row has the foreign key of a relation, the row that it will refer to is found or
//! inserted first, and the update sets the key. All other changes come after the update, on rows
//! that refer to those which the update has transferred.
//!
//! Each change of related rows is a statement of its own under the grants of that table, so the
//! update of the row itself sets all its columns at once and its check runs once.

use std::rc::Rc;

use super::builder::Builder;
use super::change::UpdateExtras;
use super::insert::NestedInsertContext;
use super::returning::{DeferredOutcome, WriteResult, counts};
use super::scan::TransferredKey;
use super::{
    Assertion, AssertionKind, Assigned, Cte, Denied, Expression, PartKind, RowCountSource, Select,
    Step, Term,
};
use crate::error::Cause;
use crate::model::RelationKind;
use crate::model::access::Purpose;
use crate::postgres::catalog::ColumnId;
use crate::resolve::selection::{
    Arguments, Count, Filter, Outcome, RelatedChange, RelatedKind, Update,
};
use crate::schema::Schema;

/// The columns that refer to rows of an earlier statement, each with the transferred key.
type Among<'m> = Vec<(ColumnId, TransferredKey<'m>)>;

/// For an update that is a mutation field: its outcome, and the numbers of rows that earlier fields
/// have changed. None for an update of related rows.
type FieldOutcome<'a, 'm> = Option<(&'a Outcome<'m>, &'a mut Vec<RowCountSource>)>;

/// The statements of one update with its related changes, while they are planned.
struct UpdateProgress<'c, 'm> {
    steps: &'c mut Vec<Step<'m>>,
    /// Whether the outcome includes the number of rows.
    counts: bool,
    /// The row counts of the related changes.
    counted: Vec<RowCountSource>,
}

impl<'m> Builder<'m> {
    /// Plans the statements of an update that changes related rows.
    pub(super) fn updated_with_related(
        &mut self,
        update: &Update<'m>,
        outcome: &Outcome<'m>,
        before: &mut Vec<RowCountSource>,
        lead: &str,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(), Denied> {
        let start = steps.len();
        let mut progress = UpdateProgress {
            steps,
            counts: counts(outcome),
            counted: Vec::new(),
        };
        let later = self.plan_update(update, Vec::new(), Some((outcome, before)), &mut progress)?;
        let mut later = later.ok_or(Denied)?;
        let counted = progress.counted;
        later.count(counted);
        self.reselect(&later, outcome, steps)?;
        if let Some(first) = steps.get_mut(start) {
            first.response_prefix.insert_str(0, lead);
        }
        Ok(())
    }

    /// Plans an update with the statements before and after it. The update of a mutation field
    /// transfers its outcome.
    fn plan_update(
        &mut self,
        update: &Update<'m>,
        among: Among<'m>,
        field: FieldOutcome<'_, 'm>,
        progress: &mut UpdateProgress<'_, 'm>,
    ) -> Result<Option<DeferredOutcome<'m>>, Denied> {
        let (own, others): (Vec<_>, Vec<_>) = update
            .related
            .iter()
            .partition(|change| self.sets_key(update, change));
        let mut extra = UpdateExtras {
            among: among.clone(),
            assignments: Vec::new(),
        };
        for change in own {
            self.assign_own_key(update, change, &mut extra.assignments, progress)?;
        }
        let mut step = Step::new(String::new(), update.path.clone());
        let before = field
            .as_ref()
            .map_or(&[][..], |(_, before)| before.as_slice());
        let results = match self.update_part(update, extra, before, &mut step)? {
            Some(results) => results,
            None if update.related.is_empty() => return Ok(None),
            None => self.lock_part(update, among, &mut step)?,
        };
        self.assert_one_row(update, &results, &mut step)?;
        let transferred = others
            .iter()
            .map(|change| self.transfer_ends(&mut step, &results.written, change.relation));
        let transferred = transferred.collect::<Result<Vec<_>, _>>()?;
        let later = self.transfer_outcome(update, field, results, &mut step, progress)?;
        progress.steps.push(step);
        for (change, keys) in others.into_iter().zip(transferred) {
            self.change_related_rows(change, keys, progress)?;
        }
        Ok(later)
    }

    /// Transfers the outcome of a mutation field's update, or the row count of another one.
    fn transfer_outcome(
        &mut self,
        update: &Update<'m>,
        field: FieldOutcome<'_, 'm>,
        results: WriteResult,
        step: &mut Step<'m>,
        progress: &mut UpdateProgress<'_, 'm>,
    ) -> Result<Option<DeferredOutcome<'m>>, Denied> {
        let Some((outcome, before)) = field else {
            self.count_rows(results, step, progress);
            return Ok(None);
        };
        if matches!(outcome, Outcome::Responses(_)) {
            self.remember(update.table, &results, before, step);
        }
        self.transfer(step, &results, outcome).map(Some)
    }

    fn count_rows(
        &mut self,
        results: WriteResult,
        step: &mut Step<'m>,
        progress: &mut UpdateProgress<'_, 'm>,
    ) {
        if progress.counts && !results.counted.is_empty() {
            progress
                .counted
                .push(self.transfer_count(step, results.counted));
        }
    }

    /// Asserts that the update has exactly one row where others are linked to it or inserted for
    /// it, and that the relation may be followed from it.
    fn assert_one_row(
        &mut self,
        update: &Update<'m>,
        results: &WriteResult,
        step: &mut Step<'m>,
    ) -> Result<(), Denied> {
        let needs = |change: &&RelatedChange<'m>| {
            matches!(change.change, RelatedKind::Link(_) | RelatedKind::Insert(_))
        };
        for change in update.related.iter().filter(needs) {
            let Some(part) = results.written.parts().first() else {
                continue;
            };
            let mut demand = assert_exactly_one(change, *part);
            if !self.sets_key(update, change)
                && let Some(reach) = self.relation_condition(&results.written, change.relation)?
            {
                demand.what = AssertionKind::ExactlyOneWhere {
                    part: *part,
                    rule: reach,
                };
            }
            step.assertions.push(demand);
        }
        Ok(())
    }

    // ---- before the update

    /// Whether a related change sets columns of the updated row itself.
    fn sets_key(&self, update: &Update<'m>, change: &RelatedChange<'m>) -> bool {
        let kind = matches!(
            change.change,
            RelatedKind::Link(_) | RelatedKind::Unlink(_) | RelatedKind::Insert(_)
        );
        kind && Schema::new(self.access()).holds_key(update.table, change.relation)
    }

    /// Assigns the columns of a relation, after the row that they refer to is found or inserted.
    fn assign_own_key(
        &mut self,
        update: &Update<'m>,
        change: &RelatedChange<'m>,
        assignments: &mut Vec<(ColumnId, Assigned<'m>)>,
        progress: &mut UpdateProgress<'_, 'm>,
    ) -> Result<(), Denied> {
        let access = self.access();
        let relation = change.relation;
        let keys = match &change.change {
            RelatedKind::Link(filter) => self.find_linked_row(change, filter, progress)?,
            RelatedKind::Insert(insert) => {
                let wanted = relation.on.iter().map(|(_, there)| *there).collect();
                let beside = NestedInsertContext {
                    path: change.path.clone(),
                    parent: None,
                    wanted,
                    counts: progress.counts,
                };
                let (keys, counted) = self.inserted_along(insert, beside, progress.steps)?;
                progress.counted.extend(counted);
                keys
            }
            _ => {
                let table = access.model().table(update.table);
                let nullable = relation
                    .on
                    .iter()
                    .filter(|(here, _)| table.column(*here).nullable);
                assignments.extend(nullable.map(|(here, _)| (*here, Assigned::Null)));
                return Ok(());
            }
        };
        let there = access.model().table(relation.to);
        for (here, over) in &relation.on {
            let key = keys
                .iter()
                .find(|key| key.name == there.column(*over).name)
                .ok_or(Denied)?;
            assignments.push((*here, Assigned::Transferred(key.clone())));
        }
        Ok(())
    }

    /// Finds the one row to link to, among those that are visible to the role.
    fn find_linked_row(
        &mut self,
        change: &RelatedChange<'m>,
        filter: &Filter<'m>,
        progress: &mut UpdateProgress<'_, 'm>,
    ) -> Result<Vec<TransferredKey<'m>>, Denied> {
        let relation = change.relation;
        let number = self.alias();
        let scan = self.open(relation.to, Purpose::Rows)?;
        let limit = Some(Count::Number(2));
        let arguments = Arguments {
            filter: Some(filter.clone()),
            limit,
            ..Arguments::default()
        };
        let select = self.select(scan.clone(), Vec::new(), &arguments)?;
        let keys = relation.on.iter().map(|(_, there)| Expression::Compared {
            term: Term::Column(scan.key(*there)),
            as_text: false,
        });
        let select = Select {
            output: keys.collect(),
            ..select
        };
        let mut step = Step::new(String::new(), change.path.clone());
        step.parts.push(Cte {
            number,
            kind: PartKind::Find(Rc::new(select)),
        });
        step.assertions.push(assert_exactly_one(change, number));
        let there = scan.table();
        let columns: Vec<_> = relation
            .on
            .iter()
            .map(|(_, over)| there.column(*over))
            .collect();
        let keys = columns
            .into_iter()
            .map(|column| self.transfer_column(&mut step, vec![number], column, None))
            .collect();
        progress.steps.push(step);
        Ok(keys)
    }

    // ---- after the update

    /// Changes the rows that refer to the updated ones, whose columns of the relation were
    /// transferred.
    fn change_related_rows(
        &mut self,
        change: &RelatedChange<'m>,
        keys: Vec<TransferredKey<'m>>,
        progress: &mut UpdateProgress<'_, 'm>,
    ) -> Result<(), Denied> {
        let relation = change.relation;
        let among = relation
            .on
            .iter()
            .map(|(_, there)| *there)
            .zip(keys.iter().cloned())
            .collect();
        match &change.change {
            RelatedKind::Insert(insert) => {
                let parent = Some((relation, keys));
                let beside = NestedInsertContext {
                    path: change.path.clone(),
                    parent,
                    wanted: Vec::new(),
                    counts: progress.counts,
                };
                let (_, counted) = self.inserted_along(insert, beside, progress.steps)?;
                progress.counted.extend(counted);
            }
            RelatedKind::Update(update) => drop(self.plan_update(update, among, None, progress)?),
            RelatedKind::Delete(filter) => {
                let mut step = Step::new(String::new(), change.path.clone());
                let results =
                    self.delete_part(relation.to, filter, among, &change.path, &mut step)?;
                self.count_rows(results, &mut step, progress);
                progress.steps.push(step);
            }
            RelatedKind::Link(filter) => {
                let assignments = among
                    .into_iter()
                    .map(|(there, key)| (there, Assigned::Transferred(key)));
                self.reassign_rows(
                    change,
                    filter,
                    UpdateExtras {
                        among: Vec::new(),
                        assignments: assignments.collect(),
                    },
                    progress,
                )?;
            }
            RelatedKind::Unlink(filter) => {
                let table = self.access().model().table(relation.to);
                let nullable = relation
                    .on
                    .iter()
                    .filter(|(_, there)| table.column(*there).nullable);
                let assignments = nullable
                    .map(|(_, there)| (*there, Assigned::Null))
                    .collect();
                self.reassign_rows(
                    change,
                    filter,
                    UpdateExtras { among, assignments },
                    progress,
                )?;
            }
        }
        Ok(())
    }

    /// Updates the columns of related rows that refer to another row from now on, or to none.
    fn reassign_rows(
        &mut self,
        change: &RelatedChange<'m>,
        filter: &Filter<'m>,
        extra: UpdateExtras<'m>,
        progress: &mut UpdateProgress<'_, 'm>,
    ) -> Result<(), Denied> {
        let mut step = Step::new(String::new(), change.path.clone());
        let update = Update {
            table: change.relation.to,
            path: change.path.clone(),
            filter: filter.clone(),
            by_key: false,
            assignments: Vec::new(),
            expected: Vec::new(),
            related: Vec::new(),
        };
        let results = self
            .update_part(&update, extra, &[], &mut step)?
            .ok_or(Denied)?;
        let alone = matches!(change.relation.kind, RelationKind::Object { .. });
        if let (RelatedKind::Link(_), true, [part]) =
            (&change.change, alone, results.written.parts())
        {
            step.assertions.push(assert_exactly_one(change, *part));
        }
        self.count_rows(results, &mut step, progress);
        progress.steps.push(step);
        Ok(())
    }
}

/// Asserts that a CTE has exactly one row.
fn assert_exactly_one<'d>(change: &RelatedChange<'_>, part: u32) -> Assertion<'d> {
    let cause = Cause::NotOne {
        relation: change.relation.name.clone(),
    };
    Assertion {
        what: AssertionKind::ExactlyOne { part },
        cause,
        path: change.path.clone(),
    }
}
