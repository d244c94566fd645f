//! Which columns Postgres allows to write, regardless of role; and the privilege bits of a table.
//!
//! The catalog also states which triggers fire before and after a change (those of partitions and
//! of tables below a view included), whether rows elsewhere follow a changed key, and which columns
//! of a view are expressions: the planner decides by them whether one statement can return what it
//! has written.

use super::{Catalog, ColumnId, Generated, Identity, TableId};

/// The bit of [`super::Table::denied`] for `SELECT`.
pub const READABLE_BIT: u32 = 1;

/// The bit of [`super::Table::updatable`] for `INSERT`.
pub const INSERTABLE_BIT: u32 = 8;

/// The bit of [`super::Table::updatable`] for `UPDATE`.
pub const UPDATABLE_BIT: u32 = 4;

/// The bit of [`super::Table::updatable`] for `DELETE`.
pub const DELETABLE_BIT: u32 = 16;

/// Maximum nesting of views that is followed.
const MAX_VIEW_DEPTH: usize = 32;

/// Why a column cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnly {
    /// It is generated from other columns.
    Generated,
    /// It is an identity column `GENERATED ALWAYS`.
    Identity,
    /// It is an expression in a view.
    Computed,
}

impl Catalog {
    /// The reason why a column cannot be written, if it cannot. A plain column of a view is as
    /// writable as the column it refers to.
    pub fn read_only(&self, table: TableId, column: ColumnId) -> Option<ReadOnly> {
        let (base, shown) = self
            .base(table, column, MAX_VIEW_DEPTH)
            .unwrap_or((table, column));
        let stored = self.table(base).column(shown);
        match (stored.generated, stored.identity) {
            (Some(Generated::Stored | Generated::Virtual), _) => Some(ReadOnly::Generated),
            (_, Some(Identity::Always)) => Some(ReadOnly::Identity),
            _ => self
                .table(table)
                .column(column)
                .computed
                .then_some(ReadOnly::Computed),
        }
    }
}
