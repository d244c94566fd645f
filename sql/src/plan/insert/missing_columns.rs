//! The value of a column that an insert omits: its default, its identity sequence, or null.

use crate::plan::MissingColumnValue;
use crate::postgres::catalog::{Catalog, Column, ColumnId, TableId};

/// The value of a column that an insert omits. A column of a view has the default of the table's
/// column.
pub(super) fn absent(
    catalog: &Catalog,
    table: TableId,
    column: ColumnId,
) -> MissingColumnValue<'_> {
    let mut at = Some((table, column));
    while let Some((table, column)) = at {
        let (table, column) = (catalog.table(table), catalog.table(table).column(column));
        if let Some(default) = &column.default {
            return MissingColumnValue::Default(default);
        }
        if column.identity.is_some() {
            return MissingColumnValue::Identity(table, &column.name);
        }
        at = view_origin(catalog, column).filter(|_| table.is_view());
    }
    MissingColumnValue::Nothing
}

/// Whether a column is an identity column, or a view's column that shows one.
pub(super) fn is_identity(catalog: &Catalog, table: TableId, column: ColumnId) -> bool {
    let column = catalog.table(table).column(column);
    column.identity.is_some()
        || view_origin(catalog, column)
            .is_some_and(|(table, column)| is_identity(catalog, table, column))
}

fn view_origin(catalog: &Catalog, column: &Column) -> Option<(TableId, ColumnId)> {
    let origin = column.origin.as_ref()?;
    let table = catalog.find(&origin.schema, &origin.table)?;
    Some((table, catalog.table(table).find(&origin.column)?))
}
