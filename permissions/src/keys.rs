//! Keys that the file declares, for relations without a primary key such as views.

use std::sync::Arc;

use sql::postgres::catalog::{Catalog, Key};

use crate::exposure::Entries;
use crate::fault::Fault;
use crate::report::Report;
use crate::table_names::{key, unknown_column};

/// Adds the declared keys to the catalog as primary keys. Their uniqueness is not verified.
pub(crate) fn declared(
    mut catalog: Arc<Catalog>,
    entries: &Entries<'_>,
    report: &mut Report<'_>,
) -> Arc<Catalog> {
    for (id, entry) in entries
        .iter()
        .filter(|(_, entry)| !entry.declared_key.is_empty())
    {
        let table = catalog.table(*id);
        let unknown = || {
            entry
                .declared_key
                .iter()
                .filter(|column| table.find(&column.value).is_none())
        };
        if unknown().next().is_some() {
            unknown().for_each(|column| unknown_column(column, table, report));
            continue;
        }
        if table.primary_key().is_some_and(|known| !known.declared) {
            report.add(
                Fault::HasKey { table: key(table) },
                &entry.declared_key[0].span,
            );
            continue;
        }
        let columns = entry
            .declared_key
            .iter()
            .map(|column| column.value.clone())
            .collect();
        let name = "declared".to_owned();
        let found = Key {
            name,
            primary: true,
            declared: true,
            repeats: false,
            deferrable: false,
            columns,
        };
        if let Some(table) = Arc::make_mut(&mut catalog).tables.get_mut(id.0 as usize) {
            table.keys.retain(|key| !key.primary);
            table.keys.insert(0, found);
        }
    }
    catalog
}
