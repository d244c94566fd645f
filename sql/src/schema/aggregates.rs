//! Which aggregates of a table the role may ask for: by function, by column, or none.
//!
//! Without a grant to aggregate there are no fields for it; an order by aggregates needs none, and heeds what a grant
//! restricts.

use super::*;
use crate::model::access::Aggregates;

impl<'a> Schema<'a> {
    fn aggregates(&self, table: TableId) -> Option<&'a Aggregates> {
        self.access.select(table)?.aggregates.as_ref()
    }

    /// Whether there is a grant to aggregate rows of the table.
    pub(super) fn may_aggregate(&self, table: TableId) -> bool {
        self.aggregates(table).is_some()
    }

    /// Whether the grant to aggregate, if there is one, lets a function be applied to a column.
    pub(super) fn allows(&self, table: TableId, function: Function, column: ColumnId) -> bool {
        self.aggregates(table).is_none_or(|aggregates| aggregates.allows(function, column))
    }

    /// Whether rows of the table may be aggregated, and there is something to ask for.
    pub(super) fn has_aggregate(&self, table: TableId) -> bool {
        self.aggregates(table).is_some() && (self.has_fields(table) || self.has_aggregate_fields(table))
    }

    /// Whether there is anything in `t_aggregate_fields`.
    pub(super) fn has_aggregate_fields(&self, table: TableId) -> bool {
        self.aggregates(table).is_some() && self.has_measures(table)
    }

    /// Whether rows may be counted or some function applied.
    pub(super) fn has_measures(&self, table: TableId) -> bool {
        let applies = |(function, _)| !self.function_columns(table, function).is_empty();
        self.may_count(table) || Function::ALL.into_iter().any(applies)
    }

    /// Whether rows may be counted, as far as the grant to aggregate says.
    pub(super) fn may_count(&self, table: TableId) -> bool {
        self.aggregates(table).is_none_or(|aggregates| aggregates.count)
    }

    /// The functions that apply to some column of the table.
    pub(super) fn functions(&self, table: TableId) -> Vec<(Function, &'static str)> {
        let all = Function::ALL.into_iter();
        all.filter(|(function, _)| !self.function_columns(table, *function).is_empty()).collect()
    }

    /// The columns that a function may be applied to.
    pub(super) fn function_columns(&self, table: TableId, function: Function) -> Vec<(ColumnId, &'a str)> {
        let columns = self.columns(table).into_iter();
        columns.filter(|(column, _)| self.applies(table, function, *column)).collect()
    }

    /// Whether a function may be applied to a readable column.
    pub(super) fn applies(&self, table: TableId, function: Function, column: ColumnId) -> bool {
        self.allows(table, function, column) && function.applies_to(&self.column_scalar(table, column))
    }

    /// The enum of the columns whose values may be counted, if there are any.
    pub fn counted(&self, table: TableId) -> Option<Enum> {
        if !self.has_rows(table) {
            return None;
        }
        let restricted = self.aggregates(table).is_some_and(|aggregates| aggregates.columns.is_some());
        match restricted {
            false => Some(Enum::SelectColumn(table)),
            true => (!self.count_columns(table).is_empty()).then_some(Enum::CountColumn(table)),
        }
    }

    /// The columns whose values may be counted.
    pub(super) fn count_columns(&self, table: TableId) -> Vec<(ColumnId, &'a str)> {
        let granted = self.aggregates(table).and_then(|aggregates| aggregates.columns.as_ref());
        let mut columns = self.columns(table);
        columns.retain(|(column, _)| granted.is_none_or(|granted| granted.contains(*column)));
        columns
    }
}
