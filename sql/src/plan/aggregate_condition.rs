//! Conditions on aggregates.
//!
//! For rows of a relation: `EXISTS (SELECT FROM t WHERE … HAVING count(*) > $1)`, where the filter
//! is in `WHERE`, so that an index may serve it. For the rows of a group the filter is in `FILTER
//! (WHERE …)`.
//!
//! The table of the relation has its own row rule. `min_group` is one more condition in the
//! `HAVING`. A client that can read four rows of a group of five learns the fifth by subtraction:
//! so rows that another parent role makes readable one by one do not count towards the least
//! number, and a grant with `min_group` and without the root field `list` shows no single row
//! anywhere.

use std::rc::Rc;

use super::builder::Builder;
use super::filter::join_predicates;
use super::{AggregatePredicate, Column, CountedColumn, Denied, Predicate, Scan};
use crate::encode::shape::Encoder;
use crate::model::Relation;
use crate::model::access::Purpose;
use crate::resolve::selection;
use crate::resolve::selection::{Arguments, Having};
use crate::schema::ConditionAggregate;

impl<'m> Builder<'m> {
    /// Whether the aggregate over the visible rows of a relation passes the condition. It never
    /// does for fewer rows than the grant's least number.
    pub(super) fn aggregate_fits(
        &mut self,
        scan: &Scan<'m>,
        relation: &'m Relation,
        having: &Having<'m>,
    ) -> Result<Predicate<'m>, Denied> {
        let there = self.open(relation.to, Purpose::Aggregate)?;
        let on = join_predicates(scan, &there, relation);
        let arguments = Arguments {
            filter: having.filter.clone(),
            ..Arguments::default()
        };
        let mut select = self.select(there.clone(), on, &arguments)?;
        select.having.extend(
            there
                .least_group()
                .map(|least| Predicate::AtLeast(least, None)),
        );
        select.having.push(self.predicate(&there, &having.test)?);
        Ok(Predicate::Exists(Rc::new(select)))
    }

    /// Whether the aggregate over the rows of a group that pass the filter passes the condition.
    pub(super) fn group_fits(
        &mut self,
        scan: &Scan<'m>,
        having: &Having<'m>,
    ) -> Result<Predicate<'m>, Denied> {
        let filter = match &having.filter {
            Some(filter) => Some(Rc::new(self.predicate(scan, filter)?)),
            None => None,
        };
        let least = scan
            .least_group()
            .map(|least| Predicate::AtLeast(least, filter.clone()));
        let outer = std::mem::replace(&mut self.measured_over, filter);
        let test = self.predicate(scan, &having.test);
        self.measured_over = outer;
        Ok(Predicate::And(least.into_iter().chain([test?]).collect()))
    }

    pub(super) fn measured(
        &self,
        scan: &Scan<'m>,
        of: &selection::AggregateCondition,
    ) -> Result<AggregatePredicate<'m>, Denied> {
        let column = |column: &crate::postgres::catalog::ColumnId| {
            let column = scan.column(*column)?;
            let as_text = of.distinct && self.is_opaque(&column);
            Ok(CountedColumn { column, as_text })
        };
        let columns: Vec<_> = of
            .columns
            .iter()
            .map(column)
            .collect::<Result<_, Denied>>()?;
        let floats = |column: &Column<'m>| {
            matches!(
                self.scalar(column.r#type()).output.encoder.below(),
                Encoder::Float4 | Encoder::Float8
            )
        };
        let is_binary =
            matches!(of.measure, ConditionAggregate::Function(function) if function.is_binary());
        let exact = !is_binary && !columns.iter().any(|counted| floats(&counted.column));
        let filter = self.measured_over.clone();
        Ok(AggregatePredicate {
            measure: of.measure,
            columns,
            distinct: of.distinct,
            filter,
            exact,
        })
    }
}
