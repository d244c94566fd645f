//! Resolves `order_by` and `distinct_on`, and the enum values that name columns. Orders by JSON
//! paths and by search ranks are resolved by [`super::path`] and [`super::search`].

use std::sync::Arc;

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::{Cause, Error, RequestLimit};
use crate::postgres::catalog::{ColumnId, TableId};
use crate::resolve::selection::{Order, OrderAggregate, OrderBy, Term};
use crate::schema::{
    CountMode, Direction, Enum, Function, InputField, InputMeaning, InputObject, TypeKey,
};

/// Limits on the relations of one `order_by`, in total and nested: each becomes a join or a
/// subquery.
const MAX_RELATIONS: usize = 100;
const MAX_DEPTH: usize = 10;

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves `order_by` to keys in order; null and absent items are skipped.
    pub(super) fn order(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<Order<'m>>, Error> {
        let mut keys = Vec::new();
        let wrap = |by| by;
        for (i, item) in self
            .list(input_value, VariableUse::Whole)
            .into_iter()
            .enumerate()
        {
            if !item.is_null() {
                self.order_object(table, &item, &at.item(i), &wrap, &mut keys)?;
            }
        }
        let bounds = [
            (
                RequestLimit::RelationOrders,
                keys.iter().map(|key| depth(&key.by)).sum(),
                MAX_RELATIONS,
            ),
            (
                RequestLimit::NestedRelationOrders,
                keys.iter().map(|key| depth(&key.by)).max().unwrap_or(0),
                MAX_DEPTH,
            ),
        ];
        match bounds.into_iter().find(|(_, size, bound)| size > bound) {
            Some((limit, _, value)) => Err(at.error(Cause::Limit { limit, value })),
            None => Ok(keys),
        }
    }

    /// Resolves one object of `t_order_by`. `wrap` turns an order of its rows into an order of the
    /// outermost rows.
    fn order_object(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        wrap: &dyn Fn(OrderBy<'m>) -> OrderBy<'m>,
        keys: &mut Vec<Order<'m>>,
    ) -> Result<(), Error> {
        for (field, value, at) in self.order_fields(InputObject::OrderBy(table), input_value, at)? {
            match field.meaning {
                InputMeaning::Column(column) => {
                    keys.push(Order {
                        by: wrap(OrderBy::Value(Term::Column(column))),
                        direction: self.direction(&field, &value, &at)?,
                    });
                }
                InputMeaning::Relation(relation) => {
                    let wrap = |by| wrap(OrderBy::Related(relation, Arc::new(by)));
                    self.order_object(relation.to, &value, &at, &wrap, keys)?;
                }
                InputMeaning::PathOrder => keys.push(self.path_order(table, &value, &at, wrap)?),
                InputMeaning::SearchOrder => {
                    keys.push(self.search_order(table, &value, &at, wrap)?);
                }
                InputMeaning::Aggregate(relation) => {
                    let measure = |measure| match measure {
                        OrderAggregate::Count => OrderBy::Count(relation),
                        OrderAggregate::Function(function, column) => {
                            OrderBy::Function(relation, function, column)
                        }
                    };
                    self.order_aggregate(relation.to, &measure, &value, &at, wrap, keys)?;
                }
                InputMeaning::Computed(computed) => {
                    let by = wrap(self.computed_order(computed, &at)?);
                    keys.push(Order {
                        by,
                        direction: self.direction(&field, &value, &at)?,
                    });
                }
                InputMeaning::ComputedAggregate(computed) => {
                    if let Some((of, measure)) = self.computed_measure(computed, &at)? {
                        self.order_aggregate(of, &measure, &value, &at, wrap, keys)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn order_aggregate(
        &self,
        of: TableId,
        measure: &dyn Fn(OrderAggregate) -> OrderBy<'m>,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        wrap: &dyn Fn(OrderBy<'m>) -> OrderBy<'m>,
        keys: &mut Vec<Order<'m>>,
    ) -> Result<(), Error> {
        let wrap = |of: OrderAggregate| wrap(measure(of));
        for (field, value, at) in
            self.order_fields(InputObject::AggregateOrderBy(of), input_value, at)?
        {
            match field.meaning {
                InputMeaning::Function(function) => {
                    self.order_function(of, function, &value, &at, &wrap, keys)?;
                }
                _ => {
                    let direction = self.direction(&field, &value, &at)?;
                    keys.push(Order {
                        by: wrap(OrderAggregate::Count),
                        direction,
                    });
                }
            }
        }
        Ok(())
    }

    fn order_function(
        &self,
        of: TableId,
        function: Function,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        wrap: &dyn Fn(OrderAggregate) -> OrderBy<'m>,
        keys: &mut Vec<Order<'m>>,
    ) -> Result<(), Error> {
        let input = InputObject::FunctionOrderBy(of, function);
        for (field, value, at) in self.order_fields(input, input_value, at)? {
            if let InputMeaning::Column(column) = field.meaning {
                let by = wrap(OrderAggregate::Function(function, column));
                keys.push(Order {
                    by,
                    direction: self.direction(&field, &value, &at)?,
                });
            }
        }
        Ok(())
    }

    /// The fields of an ordering object that are present and not null.
    #[allow(clippy::type_complexity)]
    pub(super) fn order_fields<'p>(
        &self,
        input: InputObject,
        input_value: &InputValue<'a>,
        at: &'p ErrorPath<'p>,
    ) -> Result<Vec<(InputField<'m>, InputValue<'a>, ErrorPath<'p>)>, Error>
    where
        'a: 'p,
    {
        let entries = self.object(
            &self.object_of(input_value, input, at)?,
            at,
            VariableUse::Whole,
        )?;
        let entries = entries.into_iter().filter(|(_, value)| !value.is_null());
        let field = |(key, value)| {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            Ok((field, value, at))
        };
        entries.map(field).collect()
    }

    /// Resolves the direction of an ordering field.
    pub(super) fn direction(
        &self,
        field: &InputField<'m>,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Direction, Error> {
        let expected = self.schema.name(field.r#type.named);
        let name = self.enum_value(input_value, at, &expected)?;
        let (direction, values) = match field.r#type.named {
            TypeKey::Enum(of @ Enum::Direction(spelling)) => {
                (Direction::find(spelling, name), self.schema.values(of))
            }
            _ => (None, Vec::new()),
        };
        direction.ok_or_else(|| at.error(at.unknown_value(expected, name, &values)))
    }

    /// Resolves how rows are counted.
    pub(super) fn count_mode(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<CountMode, Error> {
        let spelling = self.schema.spelling(table);
        let expected = self.schema.name(TypeKey::Enum(Enum::CountMode(spelling)));
        let name = self.enum_value(input_value, at, &expected)?;
        let values = self.schema.values(Enum::CountMode(spelling));
        CountMode::find(spelling, name)
            .ok_or_else(|| at.error(at.unknown_value(expected, name, &values)))
    }

    /// Resolves an argument of type `[t_select_column!]` to columns.
    pub(super) fn select_columns(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<ColumnId>, Error> {
        self.enum_columns(Enum::SelectColumn(table), input_value, at)
    }

    /// Resolves a list of values of a column enum to columns.
    pub(super) fn enum_columns(
        &self,
        of: Enum,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<ColumnId>, Error> {
        let items = self
            .list(input_value, VariableUse::Whole)
            .into_iter()
            .enumerate();
        items
            .map(|(i, item)| self.enum_column(of, &item, &at.item(i)))
            .collect()
    }

    /// Resolves a value of a column enum to its column.
    pub(super) fn enum_column(
        &self,
        of: Enum,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<ColumnId, Error> {
        let expected = self.schema.name(TypeKey::Enum(of));
        let name = self.enum_value(input_value, at, &expected)?;
        let unknown = || at.error(at.unknown_value(expected, name, &self.schema.values(of)));
        self.schema.enum_column(of, name).ok_or_else(unknown)
    }

    /// Rejects `distinct_on` columns that are not, as a set, the leading columns of `order_by`.
    pub(super) fn check_distinct(
        &self,
        table: TableId,
        distinct: &[ColumnId],
        order: &[Order<'m>],
        at: &ErrorPath,
    ) -> Result<(), Error> {
        let spelling = self.schema.spelling(table);
        let fits = |key: &Order<'m>| matches!(&key.by, OrderBy::Value(Term::Column(column)) if distinct.contains(column));
        let leading: Vec<_> = order.iter().take_while(|key| fits(key)).collect();
        let covered = |column: &ColumnId| {
            leading.iter().any(
                |key| matches!(&key.by, OrderBy::Value(Term::Column(sorted)) if sorted == column),
            )
        };
        if order.is_empty() || distinct.iter().all(covered) {
            Ok(())
        } else {
            let distinct_on = spelling.field("distinct_on");
            let order_by = spelling.field("order_by");
            Err(Cause::DistinctOrder {
                distinct_on,
                order_by,
            }
            .under(ErrorPath::Parts(at, ".args").path()))
        }
    }
}

/// The number of relations that an order goes through.
fn depth(by: &OrderBy<'_>) -> usize {
    match by {
        OrderBy::Value(_) => 0,
        OrderBy::Related(_, by) => 1 + depth(by),
        OrderBy::Count(_) | OrderBy::Function(..) | OrderBy::Called(..) => 1,
    }
}
