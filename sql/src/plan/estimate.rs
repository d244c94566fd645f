//! Counts taken from the estimates of Postgres' planner, for count fields whose mode permits it.
//!
//! The planner's statistics include hidden rows. So an estimate is used only where nothing can hide
//! rows, neither in the table nor in a relation of the condition: no row rule, no policy of the
//! table, no view ([`super::Scan::may_hide_rows`]).
//!
//! `EXPLAIN` cannot stand inside a statement, so the gateway sends it beforehand and passes the
//! number as a parameter.

use std::rc::Rc;

use super::builder::Builder;
use super::read::RowSource;
use super::{Denied, Expression, Select};
use crate::model::access::Purpose;
use crate::model::names::RootKind;
use crate::postgres::catalog::TableKind;
use crate::resolve::selection::{Aggregate, Arguments, CalculationKind, PartKind};
use crate::schema::CountMode;

/// The purpose for which an aggregate root field reads rows.
const AGGREGATE: Purpose = Purpose::Root(RootKind::Aggregate);

/// In the mode `estimated`, an estimate up to this number of rows is replaced by an exact count.
const MAX_COUNTED_ROWS: u64 = 10_000;

impl<'m> Builder<'m> {
    /// The select to estimate the counts of an aggregate by, if one of them may be estimated.
    pub(super) fn estimate(
        &mut self,
        aggregate: &Aggregate<'m>,
        from: RowSource<'_, 'm>,
    ) -> Result<Option<Rc<Select<'m>>>, Denied> {
        let plain = matches!(from, RowSource::Root(_)) && !aggregate.arguments.cuts();
        if !plain || !wants_estimate(aggregate) || !self.may_estimate(aggregate) {
            return Ok(None);
        }
        let before = self.hiding();
        let scan = self.open(aggregate.table, AGGREGATE)?;
        let arguments = Arguments {
            filter: aggregate.arguments.filter.clone(),
            ..Arguments::default()
        };
        let select = self.select(scan, Vec::new(), &arguments)?;
        Ok((self.hiding() == before).then(|| Rc::new(select)))
    }

    /// The count in that mode; none where rows have to be counted.
    pub(super) fn planned(&self, mode: CountMode) -> Option<Expression<'m>> {
        let select = self.estimated.clone()?;
        match mode {
            CountMode::Exact => None,
            CountMode::Planned => Some(Expression::Planned {
                select,
                threshold: None,
            }),
            CountMode::Estimated => Some(Expression::Planned {
                select,
                threshold: Some(MAX_COUNTED_ROWS),
            }),
        }
    }

    fn may_estimate(&self, aggregate: &Aggregate<'m>) -> bool {
        let access = self.access();
        let kind = access.model().table(aggregate.table).kind;
        let grant = access
            .read(aggregate.table, AGGREGATE)
            .and_then(|select| select.aggregates.as_ref());
        matches!(
            kind,
            TableKind::Table | TableKind::Partitioned | TableKind::Materialized
        ) && grant.is_some_and(|grant| grant.min_group <= 1)
    }
}

fn wants_estimate(aggregate: &Aggregate<'_>) -> bool {
    aggregate.parts.iter().any(|part| match &part.kind {
        PartKind::Fields(calculations) => calculations.iter().any(|calculation| {
            matches!(
                calculation.kind,
                CalculationKind::Count {
                    mode: CountMode::Planned | CountMode::Estimated,
                    ..
                }
            )
        }),
        _ => false,
    })
}
