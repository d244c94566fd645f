//! Connection fields of array relations to tables that have connections.

use std::collections::HashSet;

use sql::model::names::RootKind;
use sql::model::{ExposedTable, RelationKind};
use sql::postgres::catalog::{Catalog, TableId};

use super::{Entries, key};
use crate::diagnostic_kind::Fault;
use crate::report::Report;

/// Names the connection field of each array relation to a table with `connection = true`.
pub(super) fn name(catalog: &Catalog, exposed: &mut [ExposedTable], entries: &Entries<'_>, report: &mut Report<'_>) {
    let offered: HashSet<TableId> = entries.iter().filter(|(_, entry)| entry.connection).map(|(id, _)| *id).collect();
    for table in exposed.iter_mut() {
        for index in 0..table.relations.len() {
            let Some(relation) = table.relations.get(index) else { continue };
            if relation.kind != RelationKind::Array || !offered.contains(&relation.to) {
                continue;
            }
            let (name, to) = (table.convention.root(RootKind::Connection, &relation.name), relation.to);
            if table.member(&name).is_some() {
                let one = format!("something else in `{}`", key(catalog.table(table.table)));
                let other = format!("the connection of its relation `{}`", relation.name);
                let span = entries.get(&to).map_or(0..0, |entry| entry.key.span.clone());
                report.add(Fault::Clash { name, one, other }, &span);
            } else if let Some(relation) = table.relations.get_mut(index) {
                relation.connection = Some(name);
            }
        }
    }
}
