//! The gate for new rows: a table that is written through the grant to insert, or to update a row in conflict.

use crate::model::access;
use crate::model::access::{Access, Rule};
use crate::plan::Denied;
use crate::postgres::catalog::{ColumnId, Table, TableId};

/// A table that rows are inserted into. Only a grant to do so opens it.
pub(super) struct Target<'m> {
    id: TableId,
    table: &'m Table,
    grant: &'m access::Insert,
}

impl<'m> Target<'m> {
    /// Opens a table for new rows.
    pub(super) fn open(access: &'m Access, id: TableId) -> Result<Target<'m>, Denied> {
        let grant = access.insert(id).ok_or(Denied)?;
        Ok(Target { id, table: access.model().table(id), grant })
    }

    pub(super) fn id(&self) -> TableId {
        self.id
    }

    pub(super) fn table(&self) -> &'m Table {
        self.table
    }

    /// A column that the request may give. One that a relation determines needs no grant: that of the relation counts.
    pub(super) fn given(&self, column: ColumnId) -> Result<ColumnId, Denied> {
        let writable = self.table.column(column).generated.is_none();
        if writable && self.grant.columns.contains(column) { Ok(column) } else { Err(Denied) }
    }

    /// The columns that the role's rules set, whatever is given.
    pub(super) fn presets(&self) -> impl Iterator<Item = (ColumnId, &'m Rule)> + use<'m> {
        self.grant.preset.iter().map(|(column, rule)| (*column, rule.as_ref()))
    }

    /// What has to be true of new rows.
    pub(super) fn check(&self) -> &'m Rule {
        &self.grant.check
    }
}
