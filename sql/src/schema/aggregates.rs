//! Which aggregates of a table the role may select: by function, by column, or none.
//!
//! Without a grant to aggregate, the schema has no aggregate fields. An order by aggregates needs
//! no such grant, but obeys the restrictions of one.

use super::*;
use crate::model::access::Aggregates;

impl<'a> Schema<'a> {
    fn aggregates(&self, table: TableId) -> Option<&'a Aggregates> {
        self.access.select(table)?.aggregates.as_ref()
    }

    /// Whether the role may aggregate rows of the table.
    pub(super) fn may_aggregate(&self, table: TableId) -> bool {
        self.aggregates(table).is_some()
    }

    /// Whether the role may apply a function to a column in an aggregate; true if it has no grant
    /// to aggregate.
    pub(super) fn allows(&self, table: TableId, function: Function, column: ColumnId) -> bool {
        self.aggregates(table)
            .is_none_or(|aggregates| aggregates.allows(function, column))
    }

    /// Whether rows of the table may be aggregated and the aggregate has any field.
    pub(super) fn has_aggregate(&self, table: TableId) -> bool {
        self.aggregates(table).is_some()
            && (self.has_fields(table) || self.has_aggregate_fields(table))
    }

    /// Whether `t_aggregate_fields` has any field.
    pub(super) fn has_aggregate_fields(&self, table: TableId) -> bool {
        self.aggregates(table).is_some() && self.has_measures(table)
    }

    /// Whether rows may be counted or a function applied to a column.
    pub(super) fn has_measures(&self, table: TableId) -> bool {
        let applies = |(function, _)| !self.function_columns(table, function).is_empty();
        self.may_count(table) || Function::selected().any(applies)
    }

    /// Whether rows may be counted; true if the role has no grant to aggregate.
    pub(super) fn may_count(&self, table: TableId) -> bool {
        self.aggregates(table)
            .is_none_or(|aggregates| aggregates.count)
    }

    /// The functions that apply to some column of the table, with their names.
    pub(super) fn functions(&self, table: TableId) -> Vec<(Function, &'static str)> {
        Function::selected()
            .filter(|(function, _)| !self.function_columns(table, *function).is_empty())
            .collect()
    }

    /// The columns that a function may be applied to.
    pub(super) fn function_columns(
        &self,
        table: TableId,
        function: Function,
    ) -> Vec<(ColumnId, &'a str)> {
        let columns = self.columns(table).into_iter();
        columns
            .filter(|(column, _)| self.applies(table, function, *column))
            .collect()
    }

    /// Whether a function may be applied to a readable column.
    pub(super) fn applies(&self, table: TableId, function: Function, column: ColumnId) -> bool {
        self.allows(table, function, column)
            && function.applies_to(&self.column_scalar(table, column))
    }

    /// The enum of the columns whose values may be counted, if there are any.
    pub fn counted(&self, table: TableId) -> Option<Enum> {
        if !self.has_rows(table) {
            return None;
        }
        let restricted = self
            .aggregates(table)
            .is_some_and(|aggregates| aggregates.columns.is_some());
        if restricted {
            (!self.count_columns(table).is_empty()).then_some(Enum::CountColumn(table))
        } else {
            Some(Enum::SelectColumn(table))
        }
    }

    /// The columns whose values may be counted.
    pub(super) fn count_columns(&self, table: TableId) -> Vec<(ColumnId, &'a str)> {
        let granted = self
            .aggregates(table)
            .and_then(|aggregates| aggregates.columns.as_ref());
        let mut columns = self.columns(table);
        columns.retain(|(column, _)| granted.is_none_or(|granted| granted.contains(*column)));
        columns
    }
}
