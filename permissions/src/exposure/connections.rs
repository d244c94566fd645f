//! Connection fields of array relations to tables that have connections.

use std::collections::HashSet;

use sql::model::names::RootKind;
use sql::model::{ExposedTable, RelationKind};
use sql::postgres::catalog::TableId;

use super::entries::Entries;

/// Names the connection field of each array relation to a table with `connection = true`. Where the
/// name is in use, a number is added.
pub(super) fn name(exposed: &mut [ExposedTable], entries: &Entries<'_>) {
    let offered: HashSet<TableId> = entries
        .iter()
        .filter(|(_, entry)| entry.connection)
        .map(|(id, _)| *id)
        .collect();
    for table in exposed.iter_mut() {
        for index in 0..table.relations.len() {
            let Some(relation) = table.relations.get(index) else {
                continue;
            };
            if relation.kind != RelationKind::Array || !offered.contains(&relation.to) {
                continue;
            }
            let numbered = |number: usize| match number {
                1 => relation.name.clone(),
                _ => table
                    .convention
                    .column(&format!("{}_{number}", relation.name)),
            };
            let names = (1..).map(|number| {
                table
                    .convention
                    .root(RootKind::Connection, &numbered(number))
            });
            let free = names.into_iter().find(|name| table.member(name).is_none());
            if let Some(relation) = table.relations.get_mut(index) {
                relation.connection = free;
            }
        }
    }
}
