//! Opens a table for new rows: only a grant to insert opens it, and only granted columns can be
//! given.

use crate::model::access;
use crate::model::access::{Access, Rule};
use crate::plan::Denied;
use crate::postgres::catalog::{ColumnId, Table, TableId};

/// A table that rows are inserted into.
pub(super) struct Target<'m> {
    id: TableId,
    table: &'m Table,
    grant: &'m access::Insert,
}

impl<'m> Target<'m> {
    /// Opens a table for new rows.
    pub(super) fn open(access: &'m Access, id: TableId) -> Result<Target<'m>, Denied> {
        let grant = access.insert(id).ok_or(Denied)?;
        Ok(Target {
            id,
            table: access.model().table(id),
            grant,
        })
    }

    pub(super) fn id(&self) -> TableId {
        self.id
    }

    pub(super) fn table(&self) -> &'m Table {
        self.table
    }

    /// Checks that the request may give a column. Columns that a relation sets are not checked
    /// here: the grant of the relation decides.
    pub(super) fn given(&self, column: ColumnId) -> Result<ColumnId, Denied> {
        let writable = self.table.column(column).generated.is_none();
        if writable && self.grant.columns.contains(column) {
            Ok(column)
        } else {
            Err(Denied)
        }
    }

    /// The columns that preset rules set, in place of any input.
    pub(super) fn presets(&self) -> impl Iterator<Item = (ColumnId, &'m Rule)> + use<'m> {
        self.grant
            .preset
            .iter()
            .map(|(column, rule)| (*column, rule))
    }

    /// The rule that new rows have to satisfy.
    pub(super) fn check(&self) -> &'m Rule {
        &self.grant.check
    }
}
