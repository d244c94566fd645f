//! Statistics from `ANALYZE`, and indexes. They decide which plan is chosen, never what a response
//! contains.

use serde::{Deserialize, Serialize};

use super::{ColumnId, Table};

/// Statistics of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnStatistics {
    /// The column's name.
    pub column: Box<str>,
    /// The number of distinct values; if negative, the negated fraction of the number of rows
    /// (`pg_stats.n_distinct`).
    pub distinct: f32,
    /// The fraction of rows with the most common value; 0 if no value is more common than others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub most: f32,
}

/// A non-partial btree index over plain columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Its columns in order.
    pub columns: Box<[IndexColumn]>,
    /// Whether it is unique. Catalogs saved by earlier versions lack this field.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexColumn {
    /// Its name.
    pub name: Box<str>,
    /// `DESC`
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub descending: bool,
    /// `NULLS FIRST`, the default for `DESC`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nulls_first: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(share: &f32) -> bool {
    *share == 0.0
}

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
