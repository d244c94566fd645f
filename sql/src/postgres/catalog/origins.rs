//! Metadata that views derive from the tables they show: foreign keys, keys, and which columns are
//! stored.
//!
//! Postgres' parser notes which table column a view's column plainly shows (`resorigtbl`). A
//! condition on such a column is as safe as one on the table's own column; any other column of a
//! view is an expression, which may raise.

use super::{Catalog, ColumnId, ForeignKey, Generated, Key, TableId, TableKind};

/// Maximum nesting of views that is followed.
pub(super) const MAX_VIEW_DEPTH: usize = 32;

impl Catalog {
    /// Adds to views the foreign keys of the columns that they show, and the keys of the single
    /// table that they show.
    pub(super) fn infer(&mut self) {
        for table in self.tables.iter_mut().filter(|table| table.has_children) {
            table.keys.iter_mut().for_each(|key| key.repeats = true);
        }
        for index in 0..self.tables.len() {
            let id = TableId(index as u32);
            let foreign = self.shown_foreign_keys(id);
            let keys = self.shown_keys(id, MAX_VIEW_DEPTH);
            let Some(table) = self.tables.get_mut(index) else {
                continue;
            };
            if !table.is_view() {
                continue;
            }
            table.foreign_keys.retain(|foreign| !foreign.inferred);
            table.foreign_keys.extend(foreign);
            table.keys.retain(|key| !key.declared);
            table.keys.splice(0..0, keys);
        }
    }

    /// Whether reading a column evaluates no expression: it is stored, or a view's plain reference
    /// to a stored column.
    pub fn is_stored(&self, table: TableId, column: ColumnId) -> bool {
        let Some((base, column)) = self.base(table, column, MAX_VIEW_DEPTH) else {
            return false;
        };
        let table = self.table(base);
        let kept = matches!(
            table.kind,
            TableKind::Table | TableKind::Partitioned | TableKind::Materialized
        );
        kept && table.column(column).generated != Some(Generated::Virtual)
    }

    /// Whether a column is never null, by the declaration of the table that stores it.
    pub fn is_required(&self, table: TableId, column: ColumnId) -> bool {
        let base = self.base(table, column, MAX_VIEW_DEPTH);
        base.is_some_and(|(table, column)| !self.table(table).column(column).nullable)
    }

    /// Follows views to the column of the table, materialized view or foreign table that provides
    /// it.
    pub(super) fn base(
        &self,
        table: TableId,
        column: ColumnId,
        depth: usize,
    ) -> Option<(TableId, ColumnId)> {
        if self.table(table).kind != TableKind::View {
            return Some((table, column));
        }
        let (next, column) = self.origin(table, column)?;
        self.base(next, column, depth.checked_sub(1)?)
    }

    fn origin(&self, table: TableId, column: ColumnId) -> Option<(TableId, ColumnId)> {
        let origin = self.table(table).column(column).origin.as_ref()?;
        let next = self.find(&origin.schema, &origin.table)?;
        Some((next, self.table(next).find(&origin.column)?))
    }

    /// Follows views and materialized views to the column of the table that provides it, whose
    /// foreign keys apply.
    fn source(
        &self,
        table: TableId,
        column: ColumnId,
        depth: usize,
    ) -> Option<(TableId, ColumnId)> {
        let (next, column) = self.origin(table, column)?;
        if self.table(next).is_view() {
            self.source(next, column, depth.checked_sub(1)?)
        } else {
            Some((next, column))
        }
    }

    fn shown_foreign_keys(&self, id: TableId) -> Vec<ForeignKey> {
        let view = self.table(id);
        let shown: Vec<(ColumnId, (TableId, ColumnId))> = view
            .column_ids()
            .filter_map(|(column, _)| Some((column, self.source(id, column, MAX_VIEW_DEPTH)?)))
            .collect();
        let mut tables: Vec<TableId> = shown.iter().map(|(_, (table, _))| *table).collect();
        tables.sort_unstable();
        tables.dedup();
        let mut found = vec![];
        for table in tables {
            for foreign in &self.table(table).foreign_keys {
                // In a self-join, two columns need not come from one row.
                let one_row = foreign.columns.len() == 1 || view.one_to_one;
                let columns = foreign.columns.iter().map(|name| {
                    let column = (table, self.table(table).find(name)?);
                    let mut named = shown
                        .iter()
                        .filter(|(_, source)| *source == column)
                        .map(|(column, _)| *column);
                    // If a view shows the column twice, its relation would get one name twice.
                    let only = named.next().filter(|_| named.next().is_none())?;
                    Some(view.column(only).name.clone())
                });
                let columns: Option<Vec<String>> = columns.collect();
                found.extend(columns.filter(|_| one_row).map(|columns| ForeignKey {
                    columns,
                    validated: false,
                    inferred: true,
                    ..foreign.clone()
                }));
            }
        }
        found
    }

    /// The keys of the single table that a view shows, if the view shows all their columns.
    fn shown_keys(&self, id: TableId, depth: usize) -> Vec<Key> {
        let view = self.table(id);
        if !view.is_view() {
            return view.keys.clone();
        }
        let shown: Vec<(ColumnId, (TableId, ColumnId))> = view
            .column_ids()
            .filter_map(|(column, _)| Some((column, self.origin(id, column)?)))
            .collect();
        let (Some((_, (table, _))), Some(depth), true) =
            (shown.first(), depth.checked_sub(1), view.one_to_one)
        else {
            return vec![];
        };
        let of_view = |name: &String| {
            let column = (*table, self.table(*table).find(name)?);
            let (found, _) = shown.iter().find(|(_, source)| *source == column)?;
            Some(view.column(*found).name.clone())
        };
        // `keys` of a materialized view also contains its own indexes; these keys precede them.
        let keys = self.shown_keys(*table, depth).into_iter();
        keys.filter_map(|key| {
            let columns = key
                .columns
                .iter()
                .map(of_view)
                .collect::<Option<Vec<String>>>()?;
            Some(Key {
                columns,
                declared: true,
                ..key
            })
        })
        .collect()
    }
}

impl super::Table {
    /// Whether it is a view, materialized or not.
    pub fn is_view(&self) -> bool {
        matches!(self.kind, TableKind::View | TableKind::Materialized)
    }
}
