//! Plans filters and orders: a resolved [`Filter`] becomes a [`Predicate`], an [`OrderBy`] an
//! expression, and arguments a [`Select`]. Where a condition may be placed relative to the row rule
//! is left to [`condition_cost`].

use std::rc::Rc;

use super::builder::Builder;
use super::condition_cost;
use super::{Comparison, Denied, Expression, Join, Operand, Predicate, Scan, Select, Term};
use crate::model::access::Purpose;
use crate::model::operators::Operator;
use crate::model::{Relation, RelationKind};
use crate::postgres::catalog::ColumnId;
use crate::postgres::types::{Cast, Family};
use crate::resolve::selection;
use crate::resolve::selection::{Arguments, BoundOperand, Filter, Order, OrderAggregate, OrderBy};
use crate::schema::{Direction, Function};

impl<'m> Builder<'m> {
    /// A select over an opened scan with these arguments; its output is still empty.
    pub(super) fn select(
        &mut self,
        scan: Scan<'m>,
        correlated: Vec<Predicate<'m>>,
        arguments: &Arguments<'m>,
    ) -> Result<Select<'m>, Denied> {
        let everything = Filter::And(Vec::new());
        let mut placement = self.place_conditions(
            &scan,
            arguments.filter.as_ref().unwrap_or(&everything),
            correlated,
        )?;
        let mut joins = Vec::new();
        let mut order = Vec::new();
        for key in &arguments.order {
            order.push((self.order(&scan, &key.by, &mut joins)?, key.direction));
        }
        for beyond in self.bounds(&scan, arguments, &mut joins)? {
            self.place_beside_rule(&scan, beyond, &mut placement);
        }
        if arguments.backwards {
            order
                .iter_mut()
                .for_each(|(_, direction): &mut (_, Direction)| *direction = direction.reversed());
        }
        let keys = self.key_join(&scan, &arguments.keys, &mut placement)?;
        let distinct_on = self.distinct_on(&scan, &arguments.distinct_on)?;
        if order.is_empty() {
            order.extend(
                distinct_on
                    .iter()
                    .map(|column| (column.clone(), Direction::Asc)),
            );
        }
        Ok(Select {
            joins,
            placement,
            keys,
            distinct_on,
            order,
            limits: arguments.limit.iter().cloned().collect(),
            offset: arguments.offset.clone(),
            ..Select::new(scan)
        })
    }

    fn distinct_on(
        &mut self,
        scan: &Scan<'m>,
        columns: &[ColumnId],
    ) -> Result<Vec<Expression<'m>>, Denied> {
        columns
            .iter()
            .map(|column| self.compared(scan, &selection::Term::Column(*column)))
            .collect()
    }

    /// A term for a comparison or an order; as text if its type has no equality.
    fn compared(
        &mut self,
        scan: &Scan<'m>,
        term: &selection::Term,
    ) -> Result<Expression<'m>, Denied> {
        let term = self.term(scan, term)?;
        let as_text = self.scalar(term.r#type()).family == Family::Opaque;
        Ok(Expression::Compared { term, as_text })
    }

    pub(super) fn is_opaque(&self, column: &super::Column<'m>) -> bool {
        self.scalar(column.r#type()).family == Family::Opaque
    }

    pub(super) fn predicate(
        &mut self,
        scan: &Scan<'m>,
        filter: &Filter<'m>,
    ) -> Result<Predicate<'m>, Denied> {
        Ok(match filter {
            Filter::And(all) => Predicate::And(self.predicates(scan, all)?),
            Filter::Or(all) => Predicate::Or(self.predicates(scan, all)?),
            Filter::Not(inner) => Predicate::Not(Box::new(self.predicate(scan, inner)?)),
            Filter::NotTrue(inner) => Predicate::NotTrue(Box::new(self.predicate(scan, inner)?)),
            Filter::IsNull { term, is_null } => Predicate::IsNull {
                term: self.term(scan, term)?,
                is_null: *is_null,
            },
            Filter::Compare(term, operator, operands) => {
                let term = self.term(scan, term)?;
                Predicate::Compare(Box::new(self.comparison(term, operator, operands)))
            }
            Filter::Search(search) => Predicate::Search(Box::new(self.search(scan, search)?)),
            Filter::Aggregate(relation, having) => self.aggregate_fits(scan, relation, having)?,
            Filter::Having(having) => self.group_fits(scan, having)?,
            Filter::Related(relation, inner) => self.exists(scan, relation, inner)?,
            Filter::Called(call, table, inner) => {
                let (there, on) = self.called(*table, Purpose::Rows, call, Some(scan))?;
                self.exists_related(there, on, inner)?
            }
        })
    }

    pub(super) fn comparison(
        &self,
        term: Term<'m>,
        operator: &'static Operator,
        bounds: &[BoundOperand],
    ) -> Comparison<'m> {
        let scalar = self.scalar(term.r#type());
        // The operand of an aggregate has the aggregate's own type.
        let measured = matches!(term, Term::Measure(_)).then(|| term.r#type());
        let operands = bounds.iter().map(|bound| {
            let field = bound.field;
            let parameter = bound.parameter.clone();
            let list = bound.list;
            Operand {
                field,
                parameter,
                scalar: self.scalar(measured.unwrap_or(bound.r#type)),
                list,
            }
        });
        let operands: Vec<_> = operands.collect();
        let work = condition_cost::comparison_cost(&term, operator, &operands, bounds);
        let long_list = condition_cost::is_long_list(operator, &operands, bounds);
        Comparison {
            term,
            operator,
            scalar,
            operands,
            work,
            long_list,
            unnested: false,
        }
    }

    fn predicates(
        &mut self,
        scan: &Scan<'m>,
        all: &[Filter<'m>],
    ) -> Result<Vec<Predicate<'m>>, Denied> {
        all.iter()
            .map(|filter| self.predicate(scan, filter))
            .collect()
    }

    /// `EXISTS`: a visible row of the related table passes the filter.
    fn exists(
        &mut self,
        scan: &Scan<'m>,
        relation: &'m Relation,
        inner: &Filter<'m>,
    ) -> Result<Predicate<'m>, Denied> {
        let there = self.open(relation.to, Purpose::Rows)?;
        let on = join_predicates(scan, &there, relation);
        self.exists_related(there, on, inner)
    }

    fn exists_related(
        &mut self,
        there: Scan<'m>,
        on: Vec<Predicate<'m>>,
        inner: &Filter<'m>,
    ) -> Result<Predicate<'m>, Denied> {
        let arguments = Arguments {
            filter: Some(inner.clone()),
            ..Arguments::default()
        };
        Ok(Predicate::Exists(Rc::new(
            self.select(there, on, &arguments)?,
        )))
    }

    pub(super) fn order(
        &mut self,
        scan: &Scan<'m>,
        by: &OrderBy<'m>,
        joins: &mut Vec<Join<'m>>,
    ) -> Result<Expression<'m>, Denied> {
        match by {
            OrderBy::Value(term) => self.compared(scan, term),
            OrderBy::Related(relation, by) => {
                let there = self.join(scan, relation, joins)?;
                self.order(&there, by, joins)
            }
            OrderBy::Called(call, table, measure) => {
                let (there, on) = self.called(*table, Purpose::Aggregate, call, Some(scan))?;
                let output = match measure {
                    OrderAggregate::Count => Expression::count_rows(),
                    OrderAggregate::Function(function, column) => {
                        self.function(&there, *function, *column, Cast::None)?
                    }
                };
                let least = there
                    .least_group()
                    .map(|least| Predicate::AtLeast(least, None));
                let mut select = self.select(there, on, &Arguments::default())?;
                select.having.extend(least);
                Ok(Expression::Single(Rc::new(Select {
                    output: vec![output],
                    ..select
                })))
            }
            OrderBy::Count(relation) => {
                self.order_aggregate(scan, relation, |_, _| Ok(Expression::count_rows()))
            }
            OrderBy::Function(relation, function, column) => {
                self.order_aggregate(scan, relation, |builder, there| {
                    builder.function(there, *function, *column, Cast::None)
                })
            }
        }
    }

    fn order_aggregate(
        &mut self,
        scan: &Scan<'m>,
        relation: &'m Relation,
        output: impl FnOnce(&mut Builder<'m>, &Scan<'m>) -> Result<Expression<'m>, Denied>,
    ) -> Result<Expression<'m>, Denied> {
        let there = self.open(relation.to, Purpose::Aggregate)?;
        let on = join_predicates(scan, &there, relation);
        let output = output(self, &there)?;
        let least = there
            .least_group()
            .map(|least| Predicate::AtLeast(least, None));
        let mut select = self.select(there, on, &Arguments::default())?;
        // Without the least number of rows, the subquery has no row and the value is null.
        select.having.extend(least);
        Ok(Expression::Single(Rc::new(Select {
            output: vec![output],
            ..select
        })))
    }

    pub(super) fn function(
        &self,
        scan: &Scan<'m>,
        function: Function,
        column: ColumnId,
        cast: Cast,
    ) -> Result<Expression<'m>, Denied> {
        let column = scan.column(column)?;
        let extreme = self
            .scalar(column.r#type())
            .min_max
            .unwrap_or(crate::postgres::types::MinMaxStrategy::Native);
        Ok(Expression::Aggregate(function, extreme, column, cast))
    }

    /// The scan of an object relation's table, joined once per select.
    pub(super) fn join(
        &mut self,
        scan: &Scan<'m>,
        relation: &'m Relation,
        joins: &mut Vec<Join<'m>>,
    ) -> Result<Scan<'m>, Denied> {
        let joined = self
            .joined
            .iter()
            .find(|(from, to, _)| *from == scan.alias() && std::ptr::eq(*to, relation));
        if let Some((_, _, there)) = joined
            && joins.iter().any(|join| join.scan.alias() == there.alias())
        {
            return Ok(there.clone());
        }
        let there = self.open(relation.to, Purpose::Rows)?;
        let on = relation
            .on
            .iter()
            .map(|(here, over)| (scan.key(*here), there.key(*over)))
            .collect();
        let unique = matches!(relation.kind, RelationKind::Object { unique: true, .. });
        joins.push(Join {
            scan: there.clone(),
            on,
            reach: scan.relation_condition(relation),
            unique,
        });
        self.joined.push((scan.alias(), relation, there.clone()));
        Ok(there)
    }
}

/// The join conditions of a relation: its pairs of columns are equal, and its condition on the row
/// is true.
pub(super) fn join_predicates<'m>(
    here: &Scan<'m>,
    there: &Scan<'m>,
    relation: &Relation,
) -> Vec<Predicate<'m>> {
    let pairs = relation.on.iter();
    let equal = pairs.map(|(from, to)| Predicate::Equal(there.key(*to), here.key(*from)));
    equal
        .chain(here.relation_condition(relation).map(Predicate::Condition))
        .collect()
}

/// Whether rows are sorted by anything but their own columns.
pub(super) fn sorts_by_others(order: &[Order<'_>]) -> bool {
    order.iter().any(|key| !matches!(key.by, OrderBy::Value(_)))
}
