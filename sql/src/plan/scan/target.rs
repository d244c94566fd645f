//! Tables that are opened so that their rows are written.

use super::{Denied, Origin, Scan};
use crate::access::{Access, Update};
use crate::catalog::{Column, ColumnId, Table, TableId};

/// What is done to rows of a table that is opened for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `UPDATE`
    Update,
    /// `DELETE`
    Delete,
}

impl<'m> Scan<'m> {
    /// Opens a table to change or delete rows of it. The rows are those of the grant to do so; the columns that
    /// conditions may use are those of the grant to read, or none without it.
    pub fn open_for(access: &'m Access, table: TableId, alias: u32, action: Action) -> Result<Scan<'m>, Denied> {
        let rule = match action {
            Action::Update => &access.update(table).ok_or(Denied)?.rows,
            Action::Delete => &access.delete(table).ok_or(Denied)?.rows,
        };
        let grant = access.select(table).unwrap_or_else(|| access.nothing());
        Ok(Scan::new(access, table, alias, Origin::Table, grant, rule))
    }

    /// A column that is given a value under a grant to update.
    pub(in crate::plan) fn assigned(&self, grant: &Update, column: ColumnId) -> Result<&'m Column, Denied> {
        if grant.columns.contains(column) { Ok(self.table.column(column)) } else { Err(Denied) }
    }
}

/// A name that no column of the table has.
pub fn free_name(table: &Table, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while table.find(&name).is_some() {
        name.push('_');
    }
    name
}
