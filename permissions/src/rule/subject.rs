//! What an expression of a file is about.

use sql::postgres::catalog::{ColumnId, TableId};

/// The subject of an expression: the row that it sees, or the value that it provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RuleSubject {
    /// A row of a table, for writing.
    Row(TableId),
    /// A row of a table, for reading.
    Read(TableId),
    /// A value for a column, which sees no row.
    Preset(TableId, ColumnId),
    /// A replacement for the value of a column of a row.
    Mask(TableId, ColumnId),
    /// A whole statement. Its tables become scans for the caller's role.
    Statement,
}

impl RuleSubject {
    /// The table whose row the expression sees.
    pub(crate) fn row(self) -> Option<TableId> {
        match self {
            RuleSubject::Row(table) | RuleSubject::Read(table) | RuleSubject::Mask(table, _) => {
                Some(table)
            }
            RuleSubject::Preset(..) | RuleSubject::Statement => None,
        }
    }

    /// The column that the expression provides a value for.
    pub(crate) fn column(self) -> Option<(TableId, ColumnId)> {
        match self {
            RuleSubject::Row(_) | RuleSubject::Read(_) | RuleSubject::Statement => None,
            RuleSubject::Preset(table, column) | RuleSubject::Mask(table, column) => {
                Some((table, column))
            }
        }
    }
}
