//! Counts that the planner estimates.
//!
//! Its figures know hidden rows. So they are used only where the role's rule hides none, neither here nor in a relation
//! of the condition, and not for views, which may hide rows themselves.

use std::rc::Rc;

use super::builder::Builder;
use super::read::RowSource;
use super::{Denied, Expression, Select};
use crate::model::access::Purpose;
use crate::model::names::RootKind;
use crate::postgres::catalog::TableKind;
use crate::resolve::selection::{Aggregate, Arguments, CalculationKind, PartKind};
use crate::schema::CountMode;

/// What an aggregate root field reads rows for.
const AGGREGATE: Purpose = Purpose::Root(RootKind::Aggregate);

/// Up to so many rows are counted when an estimate is asked for where it is good enough.
const FEW: u64 = 10_000;

impl<'m> Builder<'m> {
    /// The question for an aggregate's counts, if one of them may be estimated.
    pub(super) fn estimate(
        &mut self,
        aggregate: &Aggregate<'m>,
        from: RowSource<'_, 'm>,
    ) -> Result<Option<Rc<Select<'m>>>, Denied> {
        let plain = matches!(from, RowSource::Root(_)) && !aggregate.arguments.cuts();
        if !plain || !asks(aggregate) || !self.may_estimate(aggregate) {
            return Ok(None);
        }
        let before = self.hiding();
        let scan = self.open(aggregate.table, AGGREGATE)?;
        let arguments = Arguments { filter: aggregate.arguments.filter.clone(), ..Arguments::default() };
        let select = self.select(scan, Vec::new(), &arguments)?;
        Ok((self.hiding() == before).then(|| Rc::new(select)))
    }

    /// The count in that mode; none where rows are to be counted one by one.
    pub(super) fn planned(&self, mode: CountMode) -> Option<Expression<'m>> {
        let select = self.estimated.clone()?;
        match mode {
            CountMode::Exact => None,
            CountMode::Planned => Some(Expression::Planned(select, None)),
            CountMode::Estimated => Some(Expression::Planned(select, Some(FEW))),
        }
    }

    fn may_estimate(&self, aggregate: &Aggregate<'m>) -> bool {
        let access = self.access();
        let kind = access.model().table(aggregate.table).kind;
        let grant = access.read(aggregate.table, AGGREGATE).and_then(|select| select.aggregates.as_ref());
        matches!(kind, TableKind::Table | TableKind::Partitioned | TableKind::Materialized)
            && grant.is_some_and(|grant| grant.min_group <= 1)
    }
}

fn asks(aggregate: &Aggregate<'_>) -> bool {
    aggregate.parts.iter().any(|part| match &part.kind {
        PartKind::Fields(calculations) => calculations.iter().any(|calculation| {
            matches!(calculation.kind, CalculationKind::Count { mode: CountMode::Planned | CountMode::Estimated, .. })
        }),
        _ => false,
    })
}
