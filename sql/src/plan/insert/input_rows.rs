//! The rows that the request inserts, with the other values available before they are written:
//! presets, keys of parent rows, and defaults that other CTEs need.

use std::collections::BTreeMap;

use super::missing_columns::{absent, is_identity};
use super::target::Target;
use crate::plan::builder::Builder;
use crate::plan::{
    Denied, InputBatch, InputRows, InputSource, Link, MissingColumnValue, NewColumn, NewValue,
    free_name,
};
use crate::postgres::catalog::{Catalog, ColumnId, TableId};
use crate::resolve::selection::{Batch, Insert};

/// The new rows of one table, while their CTE is planned.
pub(super) struct NewRows<'s, 'm> {
    pub(super) target: &'s Target<'m>,
    pub(super) insert: &'s Insert<'m>,
    /// The links to rows that these depend on; for rows inserted first, with their position in
    /// [`Insert::before`].
    pub(super) links: Vec<(Option<usize>, Link<'m>)>,
    /// Columns whose values are needed before the rows are written.
    pub(super) known: Vec<ColumnId>,
    /// Whether rows are numbered.
    pub(super) numbered: bool,
}

/// The values of a batch, by column.
type Values<'m> = BTreeMap<ColumnId, NewValue<'m>>;

impl<'m> Builder<'m> {
    /// Plans the `SELECT` of new rows, with all values available before they are written.
    pub(super) fn given(&mut self, rows: &NewRows<'_, 'm>) -> Result<InputRows<'m>, Denied> {
        let table = rows.target.table();
        let batches = rows
            .insert
            .batches
            .iter()
            .map(|batch| self.batch(rows, batch))
            .collect::<Result<Vec<_>, _>>()?;
        let mut columns: Vec<ColumnId> = batches
            .iter()
            .flat_map(|(_, values)| values.keys().copied())
            .collect();
        columns.extend(
            rows.known
                .iter()
                .filter(|column| table.column(**column).generated.is_none()),
        );
        columns.sort_unstable();
        columns.dedup();
        let catalog = self.access().model().catalog();
        let value = |values: &Values<'m>, column: ColumnId| {
            let absent = || NewValue::Absent(absent(catalog, rows.target.id(), column));
            values.get(&column).cloned().unwrap_or_else(absent)
        };
        let batches: Vec<InputBatch<'m>> = batches
            .into_iter()
            .map(|(batch, values)| InputBatch {
                values: columns
                    .iter()
                    .map(|column| value(&values, *column))
                    .collect(),
                ..batch
            })
            .collect();
        let columns = columns.iter().enumerate().map(|(index, id)| {
            let column = table.column(*id);
            let written = batches
                .iter()
                .any(|batch| !batch.values.get(index).is_some_and(NewValue::is_nothing));
            NewColumn {
                name: &column.name,
                scalar: self.scalar(column.r#type),
                written,
            }
        });
        Ok(InputRows {
            table,
            columns: columns.collect(),
            batches,
            number: rows.numbered.then(|| free_name(table, "_n")),
            parent: rows.has_parent().then(|| free_name(table, "_p")),
        })
    }

    fn batch(
        &mut self,
        rows: &NewRows<'_, 'm>,
        batch: &Batch,
    ) -> Result<(InputBatch<'m>, Values<'m>), Denied> {
        let mut values = Values::new();
        for (column, what) in &batch.columns {
            let column = rows.target.given(*column)?;
            values.insert(column, NewValue::Given(batch.rows.clone(), what.clone()));
        }
        let hangs =
            |index: &Option<usize>| index.is_none_or(|position| batch.before.contains(&position));
        let links = rows
            .links
            .iter()
            .filter(|(link_index, _)| hangs(link_index));
        let links: Vec<Link<'m>> = links
            .map(|(_, link)| link.in_parent_rows(self.alias()))
            .collect();
        for (number, link) in links.iter().enumerate() {
            let columns = link.columns.iter().enumerate();
            values.extend(columns.map(|(column_index, column)| {
                (column.here, NewValue::Linked(number, column_index))
            }));
        }
        values.extend(
            rows.target
                .presets()
                .map(|(column, rule)| (column, NewValue::Preset(rule))),
        );
        let source = if batch.rows.is_single() {
            InputSource::One
        } else {
            InputSource::Arrays(batch.rows.clone())
        };
        Ok((
            InputBatch {
                alias: self.alias(),
                rows: source,
                links,
                values: Vec::new(),
            },
            values,
        ))
    }
}

impl NewRows<'_, '_> {
    fn has_parent(&self) -> bool {
        self.insert
            .batches
            .first()
            .is_some_and(|batch| !batch.rows.relations.is_empty())
    }
}

impl NewValue<'_> {
    /// Whether it is null because no value is available.
    fn is_nothing(&self) -> bool {
        matches!(self, NewValue::Absent(MissingColumnValue::Nothing))
    }
}

impl InputRows<'_> {
    /// Whether an identity column is written.
    pub(super) fn is_identified(&self, catalog: &Catalog, table: TableId) -> bool {
        let mut written = self.columns.iter().filter(|column| column.written);
        written.any(|column| {
            self.table
                .find(column.name)
                .is_some_and(|id| is_identity(catalog, table, id))
        })
    }
}
