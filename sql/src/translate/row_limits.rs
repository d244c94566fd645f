//! Finds the limits on the rows that an operation inserts: for each table the positions of its rows
//! in all fields, nested inserts and changes of related rows.

use crate::model::access::Access;
use crate::resolve::selection::{Change, Insert, RelatedKind, Root, RootSelection, Update};
use crate::statement::{RowLimit, RowLimits};

/// The limits of the role for the tables that the root fields insert into.
pub(super) fn row_limits(access: &Access, roots: &[Root<'_>]) -> RowLimits {
    let mut finder = Finder {
        access,
        limits: Vec::new(),
    };
    for root in roots {
        if let RootSelection::Write(write) = &root.selection {
            match &write.change {
                Change::Insert(insert) => finder.insert(insert),
                Change::Update(updates) => updates.iter().for_each(|update| finder.update(update)),
                Change::Delete(_) => {}
            }
        }
    }
    RowLimits(finder.limits)
}

struct Finder<'a> {
    access: &'a Access,
    limits: Vec<RowLimit>,
}

impl Finder<'_> {
    fn insert(&mut self, insert: &Insert<'_>) {
        self.level(insert);
        for nested in insert.before.iter().chain(&insert.after) {
            self.insert(&nested.insert);
        }
    }

    fn update(&mut self, update: &Update<'_>) {
        for related in &update.related {
            match &related.change {
                RelatedKind::Insert(insert) => self.insert(insert),
                RelatedKind::Update(update) => self.update(update),
                RelatedKind::Delete(_) | RelatedKind::Link(_) | RelatedKind::Unlink(_) => {}
            }
        }
    }

    /// Adds the rows of one position to those of their table, if it has a limit.
    fn level(&mut self, insert: &Insert<'_>) {
        let limit = self
            .access
            .insert(insert.table)
            .and_then(|grant| grant.max_rows);
        let (Some(value), Some(batch)) = (limit, insert.batches.first()) else {
            return;
        };
        let exposed = self.access.model().exposed(insert.table);
        let table = exposed
            .map(|exposed| exposed.name.as_str())
            .unwrap_or_default();
        let rows = batch.rows.clone();
        match self.limits.iter_mut().find(|limit| limit.table == table) {
            Some(limit) => limit.levels.push(rows),
            None => self.limits.push(RowLimit {
                table: table.to_owned(),
                value,
                levels: vec![rows],
            }),
        }
    }
}
