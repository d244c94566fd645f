//! Tables opened so that their rows are updated or deleted, and the columns that such a statement
//! assigns.
//!
//! Whether a row changes, how many change and whether a statement fails all reveal what a condition
//! compared. So where a write has a condition, an `if_match` or an operator that depends on stored
//! values, the rule for reading stands beside the rule for the write, as Postgres' policies do it.
//! It is left out where `Rule::implies` proves it.

use super::{Denied, Scan, ScanSource};
use crate::model::access::{Access, Purpose, Rule, Select, Update};
use crate::postgres::catalog::{Column, ColumnId, TableId};

/// The write that a table is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `UPDATE`
    Update,
    /// `DELETE`
    Delete,
}

impl<'m> Scan<'m> {
    /// Opens a table to update or delete its rows. The rows are those of the grant to do so; the
    /// columns that conditions may use are those of the grant to read, or none without one.
    ///
    /// With `reads` the statement reads stored values, in a condition or in the new value of a
    /// column. It then touches only rows that may be read as well, as Postgres applies the policies
    /// for `SELECT` to such an `UPDATE` or `DELETE`: otherwise the effect on a hidden row would
    /// reveal what the row stores.
    pub fn open_for(
        access: &'m Access,
        table: TableId,
        alias: u32,
        action: Action,
        reads: bool,
    ) -> Result<Scan<'m>, Denied> {
        let rule: &Rule = match action {
            Action::Update => &access.update(table).ok_or(Denied)?.rows,
            Action::Delete => &access.delete(table).ok_or(Denied)?.rows,
        };
        let grant = access
            .read(table, Purpose::Rows)
            .or_else(|| access.select(table));
        let readable = match grant {
            Some(grant) if reads => readable(access, table, grant, rule),
            _ => None,
        };
        let scan = Scan::new(
            access,
            table,
            alias,
            ScanSource::Table,
            grant.unwrap_or_else(|| access.nothing()),
            rule,
        );
        Ok(Scan { readable, ..scan })
    }

    /// Checks that the role may read the stored value of a column, for a new value that depends on
    /// it.
    pub(in crate::plan) fn stored(&self, column: ColumnId) -> Result<(), Denied> {
        let stored =
            self.grant.columns.contains(column) && !self.grant.values.contains_key(&column);
        if stored { Ok(()) } else { Err(Denied) }
    }

    /// A column that is assigned under a grant to update.
    pub(in crate::plan) fn assigned(
        &self,
        grant: &Update,
        column: ColumnId,
    ) -> Result<&'m Column, Denied> {
        if grant.columns.contains(column) {
            Ok(self.table.column(column))
        } else {
            Err(Denied)
        }
    }
}

/// The rule for reading the rows that another rule permits to write, unless that rule implies it.
fn readable<'m>(
    access: &'m Access,
    table: TableId,
    grant: &'m Select,
    written: &Rule,
) -> Option<&'m Rule> {
    if !access.may_read_rows(table) {
        return Some(access.no_rows());
    }
    (!written.implies(&grant.rows)).then_some(&grant.rows)
}
