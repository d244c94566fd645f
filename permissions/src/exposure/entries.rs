//! The entries of a file's tables, by table.

use std::collections::HashMap;

use sql::postgres::catalog::{Catalog, TableId};

use crate::fault::Fault;
use crate::file::{File, TableEntry};
use crate::report::Report;
use crate::table_names::find_table;

/// The file's table entries, by table.
pub(crate) type Entries<'f> = HashMap<TableId, &'f TableEntry>;

/// The tables of the file's table entries. Reports unknown and duplicate tables.
pub(crate) fn entries<'f>(
    catalog: &Catalog,
    file: &'f File,
    report: &mut Report<'_>,
) -> Entries<'f> {
    let mut entries = Entries::new();
    for entry in &file.tables {
        let Some(table) = find_table(catalog, &entry.key, report) else {
            continue;
        };
        if let Some(first) = entries.get(&table) {
            let table = entry.key.value.clone();
            let other = first.key.value.clone();
            report.add(Fault::SameTable { table, other }, &entry.key.span);
        } else {
            entries.insert(table, entry);
        }
    }
    entries
}
