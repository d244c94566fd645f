//! Statistics from `ANALYZE`, and indexes. They decide which plan is chosen, never what a response
//! contains.

use super::{ColumnId, ColumnStatistics, Table};

impl Table {
    /// The number of distinct values of a column, if it was analyzed; for a key, the number of
    /// rows.
    pub fn values(&self, column: ColumnId) -> Option<f64> {
        let column = self.column(column);
        let spread = self
            .spread(&column.name)
            .map(|spread| f64::from(spread.distinct));
        let distinct = spread.or_else(|| self.is_unique(&[&column.name]).then_some(-1.0))?;
        let values = if distinct < 0.0 {
            -distinct * self.estimated_rows
        } else {
            distinct
        };
        (self.estimated_rows > 0.0 && values > 0.0).then_some(values.max(1.0))
    }

    /// The number of rows with the most common value of a column.
    pub fn rows_of_most(&self, column: ColumnId) -> f64 {
        let share = self
            .spread(&self.column(column).name)
            .map_or(0.0, |spread| spread.most);
        f64::from(share) * self.estimated_rows.max(0.0)
    }

    fn spread(&self, column: &str) -> Option<&ColumnStatistics> {
        self.spreads.iter().find(|spread| *spread.column == *column)
    }
}
