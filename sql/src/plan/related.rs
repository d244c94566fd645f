//! What becomes of rows that relations lead to, along with an update: further statements before and after its own.
//!
//! Where the row that is updated holds the key of a relation, what it will point to is found, or inserted, first, and the
//! update sets it. Everything else comes after, on rows that hang on those which the update has handed over.

use std::rc::Rc;

use super::builder::Builder;
use super::change::{Assigned, UpdateExtras};
use super::insert::NestedInsertContext;
use super::returning::{DeferredOutcome, WriteResult, counts};
use super::scan::TransferredKey;
use super::{Assertion, AssertionKind, Cte, Denied, Expression, PartKind, RowCountSource, Select, Step, Term};
use crate::error::Cause;
use crate::model::RelationKind;
use crate::model::access::Purpose;
use crate::postgres::catalog::ColumnId;
use crate::resolve::selection::{Arguments, Count, Filter, Outcome, RelatedChange, RelatedKind, Update};
use crate::schema::Schema;

/// How rows hang on those of an earlier statement: columns of theirs, and what was handed over for each.
type Among<'m> = Vec<(ColumnId, TransferredKey<'m>)>;

/// What is answered of an update that is a field, or one of a field's, and how many rows those before have changed.
type Asked<'a, 'm> = Option<(&'a Outcome<'m>, &'a mut Vec<RowCountSource>)>;

/// The statements of an update and of what goes with it.
struct Course<'c, 'm> {
    steps: &'c mut Vec<Step<'m>>,
    /// Whether rows are counted.
    counts: bool,
    /// The rows of what goes with it.
    counted: Vec<RowCountSource>,
}

impl<'m> Builder<'m> {
    /// The statements of an update along with which related rows change.
    pub(super) fn updated_with_related(
        &mut self,
        update: &Update<'m>,
        outcome: &Outcome<'m>,
        before: &mut Vec<RowCountSource>,
        lead: &str,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(), Denied> {
        let start = steps.len();
        let mut course = Course { steps, counts: counts(outcome), counted: Vec::new() };
        let later = self.update_course(update, Vec::new(), Some((outcome, before)), &mut course)?;
        let (mut later, counted) = (later.ok_or(Denied)?, course.counted);
        later.count(counted);
        self.reselect(&later, outcome, steps)?;
        if let Some(first) = steps.get_mut(start) {
            first.lead.insert_str(0, lead);
        }
        Ok(())
    }

    /// An update, with what comes before and after it. One that is asked for hands over what is answered.
    fn update_course(
        &mut self,
        update: &Update<'m>,
        among: Among<'m>,
        asked: Asked<'_, 'm>,
        course: &mut Course<'_, 'm>,
    ) -> Result<Option<DeferredOutcome<'m>>, Denied> {
        let (own, others): (Vec<_>, Vec<_>) = update.related.iter().partition(|change| self.sets_key(update, change));
        let mut extra = UpdateExtras { among: among.clone(), assignments: Vec::new() };
        for change in own {
            self.own_key(update, change, &mut extra.assignments, course)?;
        }
        let mut step = Step::new(String::new(), update.path.clone());
        let before = asked.as_ref().map_or(&[][..], |(_, before)| before.as_slice());
        let results = match self.update_part(update, extra, before, &mut step)? {
            Some(results) => results,
            None if update.related.is_empty() => return Ok(None),
            None => self.lock_part(update, among, &mut step)?,
        };
        self.demand_one(update, &results, &mut step)?;
        let handed = others.iter().map(|change| self.transfer_ends(&mut step, &results.written, change.relation));
        let handed = handed.collect::<Result<Vec<_>, _>>()?;
        let later = self.asked(update, asked, results, &mut step, course)?;
        course.steps.push(step);
        for (change, keys) in others.into_iter().zip(handed) {
            self.other_rows(change, keys, course)?;
        }
        Ok(later)
    }

    /// Hands over what is answered of the rows of an update, or how many they are.
    fn asked(
        &mut self,
        update: &Update<'m>,
        asked: Asked<'_, 'm>,
        results: WriteResult,
        step: &mut Step<'m>,
        course: &mut Course<'_, 'm>,
    ) -> Result<Option<DeferredOutcome<'m>>, Denied> {
        let Some((outcome, before)) = asked else {
            self.count_rows(results, step, course);
            return Ok(None);
        };
        if matches!(outcome, Outcome::Responses(_)) {
            self.remember(update.table, &results, before, step);
        }
        self.transfer(step, &results, outcome).map(Some)
    }

    fn count_rows(&mut self, results: WriteResult, step: &mut Step<'m>, course: &mut Course<'_, 'm>) {
        if course.counts && !results.counted.is_empty() {
            course.counted.push(self.transfer_count(step, results.counted));
        }
    }

    /// Demands that there is one row to link to others, or to insert others for, and that the relation leads there.
    fn demand_one(&mut self, update: &Update<'m>, results: &WriteResult, step: &mut Step<'m>) -> Result<(), Denied> {
        let needs =
            |change: &&RelatedChange<'m>| matches!(change.change, RelatedKind::Link(_) | RelatedKind::Insert(_));
        for change in update.related.iter().filter(needs) {
            let Some(part) = results.written.parts().first() else { continue };
            let mut demand = one(change, *part);
            if !self.sets_key(update, change)
                && let Some(reach) = self.relation_condition(&results.written, change.relation)?
            {
                demand.what = AssertionKind::Reached(*part, reach);
            }
            step.demands.push(demand);
        }
        Ok(())
    }

    // ---- before the update

    /// Whether a change of related rows is one of the row's own columns.
    fn sets_key(&self, update: &Update<'m>, change: &RelatedChange<'m>) -> bool {
        let kind = matches!(change.change, RelatedKind::Link(_) | RelatedKind::Unlink(_) | RelatedKind::Insert(_));
        kind && Schema::new(self.access()).holds_key(update.table, change.relation)
    }

    /// What the columns of a relation become, once the row that they will point to is found or inserted.
    fn own_key(
        &mut self,
        update: &Update<'m>,
        change: &RelatedChange<'m>,
        assignments: &mut Vec<(ColumnId, Assigned<'m>)>,
        course: &mut Course<'_, 'm>,
    ) -> Result<(), Denied> {
        let (access, relation) = (self.access(), change.relation);
        let keys = match &change.change {
            RelatedKind::Link(filter) => self.found(change, filter, course)?,
            RelatedKind::Insert(insert) => {
                let wanted = relation.on.iter().map(|(_, there)| *there).collect();
                let beside =
                    NestedInsertContext { path: change.path.clone(), parent: None, wanted, counts: course.counts };
                let (keys, counted) = self.inserted_along(insert, beside, course.steps)?;
                course.counted.extend(counted);
                keys
            }
            _ => {
                let table = access.model().table(update.table);
                let nullable = relation.on.iter().filter(|(here, _)| table.column(*here).nullable);
                assignments.extend(nullable.map(|(here, _)| (*here, Assigned::Null)));
                return Ok(());
            }
        };
        let there = access.model().table(relation.to);
        for (here, over) in &relation.on {
            let key = keys.iter().find(|key| key.name == there.column(*over).name).ok_or(Denied)?;
            assignments.push((*here, Assigned::Handed(key.clone())));
        }
        Ok(())
    }

    /// Finds the one row to link to, of those that the role may see.
    fn found(
        &mut self,
        change: &RelatedChange<'m>,
        filter: &Filter<'m>,
        course: &mut Course<'_, 'm>,
    ) -> Result<Vec<TransferredKey<'m>>, Denied> {
        let relation = change.relation;
        let (number, scan) = (self.alias(), self.open(relation.to, Purpose::Rows)?);
        let limit = Some(Count::Number(2));
        let arguments = Arguments { filter: Some(filter.clone()), limit, ..Arguments::default() };
        let select = self.select(scan.clone(), Vec::new(), &arguments)?;
        let keys = relation.on.iter().map(|(_, there)| Expression::Compared(Term::Column(scan.key(*there)), false));
        let select = Select { output: keys.collect(), ..select };
        let mut step = Step::new(String::new(), change.path.clone());
        step.parts.push(Cte { number, kind: PartKind::Find(Rc::new(select)) });
        step.demands.push(one(change, number));
        let there = scan.table();
        let columns: Vec<_> = relation.on.iter().map(|(_, over)| there.column(*over)).collect();
        let keys =
            columns.into_iter().map(|column| self.transfer_column(&mut step, vec![number], column, None)).collect();
        course.steps.push(step);
        Ok(keys)
    }

    // ---- after the update

    /// What becomes of rows that hang on the updated ones, whose columns of the relation were handed over.
    fn other_rows(
        &mut self,
        change: &RelatedChange<'m>,
        keys: Vec<TransferredKey<'m>>,
        course: &mut Course<'_, 'm>,
    ) -> Result<(), Denied> {
        let relation = change.relation;
        let among = relation.on.iter().map(|(_, there)| *there).zip(keys.iter().cloned()).collect();
        match &change.change {
            RelatedKind::Insert(insert) => {
                let parent = Some((relation, keys));
                let beside = NestedInsertContext {
                    path: change.path.clone(),
                    parent,
                    wanted: Vec::new(),
                    counts: course.counts,
                };
                let (_, counted) = self.inserted_along(insert, beside, course.steps)?;
                course.counted.extend(counted);
            }
            RelatedKind::Update(update) => drop(self.update_course(update, among, None, course)?),
            RelatedKind::Delete(filter) => {
                let mut step = Step::new(String::new(), change.path.clone());
                let results = self.delete_part(relation.to, filter, among, &change.path, &mut step)?;
                self.count_rows(results, &mut step, course);
                course.steps.push(step);
            }
            RelatedKind::Link(filter) => {
                let given = among.into_iter().map(|(there, key)| (there, Assigned::Handed(key)));
                self.moved(change, filter, UpdateExtras { among: Vec::new(), assignments: given.collect() }, course)?;
            }
            RelatedKind::Unlink(filter) => {
                let table = self.access().model().table(relation.to);
                let nullable = relation.on.iter().filter(|(_, there)| table.column(*there).nullable);
                let assignments = nullable.map(|(_, there)| (*there, Assigned::Null)).collect();
                self.moved(change, filter, UpdateExtras { among, assignments }, course)?;
            }
        }
        Ok(())
    }

    /// Rows over there that from now on belong to another row, or to none: an update of their columns.
    fn moved(
        &mut self,
        change: &RelatedChange<'m>,
        filter: &Filter<'m>,
        extra: UpdateExtras<'m>,
        course: &mut Course<'_, 'm>,
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
        let results = self.update_part(&update, extra, &[], &mut step)?.ok_or(Denied)?;
        let alone = matches!(change.relation.kind, RelationKind::Object { .. });
        if let (RelatedKind::Link(_), true, [part]) = (&change.change, alone, results.written.parts()) {
            step.demands.push(one(change, *part));
        }
        self.count_rows(results, &mut step, course);
        course.steps.push(step);
        Ok(())
    }
}

/// Demands that a part has one row.
fn one<'d>(change: &RelatedChange<'_>, part: u32) -> Assertion<'d> {
    let cause = Cause::NotOne { relation: change.relation.name.clone() };
    Assertion { what: AssertionKind::Exactly(part, 1), cause, path: change.path.clone() }
}
