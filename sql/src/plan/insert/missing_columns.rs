//! What a column holds of which nothing is given.

use crate::postgres::catalog::{Catalog, Column, ColumnId, Table, TableId};

/// What a column holds of which nothing is given.
#[derive(Clone, Copy, Debug)]
pub enum MissingColumnValue<'m> {
    /// Null.
    Nothing,
    /// The value of its default.
    Default(&'m str),
    /// The next number of an identity column.
    Identity(&'m Table, &'m str),
}

/// What a column holds of which nothing is given. A view's column holds what that of its table does.
pub(super) fn absent(catalog: &Catalog, table: TableId, column: ColumnId) -> MissingColumnValue<'_> {
    let mut at = Some((table, column));
    while let Some((table, column)) = at {
        let (table, column) = (catalog.table(table), catalog.table(table).column(column));
        if let Some(default) = &column.default {
            return MissingColumnValue::Default(default);
        }
        if column.identity.is_some() {
            return MissingColumnValue::Identity(table, &column.name);
        }
        at = shown(catalog, column).filter(|_| table.is_view());
    }
    MissingColumnValue::Nothing
}

/// Whether a column is an identity column, or a view's of one.
pub(super) fn is_identity(catalog: &Catalog, table: TableId, column: ColumnId) -> bool {
    let column = catalog.table(table).column(column);
    column.identity.is_some()
        || shown(catalog, column).is_some_and(|(table, column)| is_identity(catalog, table, column))
}

fn shown(catalog: &Catalog, column: &Column) -> Option<(TableId, ColumnId)> {
    let origin = column.origin.as_ref()?;
    let table = catalog.find(&origin.schema, &origin.table)?;
    Some((table, catalog.table(table).find(&origin.column)?))
}
