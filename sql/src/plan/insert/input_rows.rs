//! Rows that the request gives to be inserted, with what else is known of them before they are written: presets, keys of
//! rows that they hang on, and defaults that somebody has to know.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::links::Link;
use super::missing_columns::{MissingColumnValue, absent, is_identity};
use super::target::Target;
use crate::model::access::Rule;
use crate::plan::builder::Builder;
use crate::plan::{Denied, free_name};
use crate::postgres::catalog::{Catalog, ColumnId, Table, TableId};
use crate::postgres::types::Scalar;
use crate::resolve::selection::{Batch, Insert};
use crate::statement::{GivenRows, RowsParameter};

/// Rows that the request gives, those of each set of columns on their own:
/// `SELECT _2."name", now() AS "at", _2."_n" FROM unnest($1::text[]) WITH ORDINALITY AS _2("name", "_n") UNION ALL …`
#[derive(Debug)]
pub struct InputRows<'m> {
    /// The table that they are for.
    pub table: &'m Table,
    /// What is known of them.
    pub columns: Vec<NewColumn<'m>>,
    /// The rows.
    pub batches: Vec<InputBatch<'m>>,
    /// The name of the column with each row's number, from 1, where somebody asks for it.
    pub number: Option<String>,
    /// The name of the column with the number of the row, one step up, that each comes with.
    pub parent: Option<String>,
}

/// A column of new rows.
#[derive(Debug)]
pub struct NewColumn<'m> {
    /// Its name.
    pub name: &'m str,
    /// Its type.
    pub scalar: Scalar,
    /// Whether it is written; what is not is null there for those who ask.
    pub written: bool,
}

/// Rows of which the same is given.
#[derive(Debug)]
pub struct InputBatch<'m> {
    /// The number of them in the statement.
    pub alias: u32,
    /// Where they come from.
    pub rows: InputSource,
    /// Rows that they hang on.
    pub links: Vec<Link<'m>>,
    /// A value for each column.
    pub values: Vec<NewValue<'m>>,
}

/// Where given rows come from.
#[derive(Debug)]
pub enum InputSource {
    /// There is one row, each value a parameter.
    One,
    /// Arrays, an element for each row.
    Arrays(Arc<GivenRows>),
}

/// What a column of a new row holds.
#[derive(Clone, Debug)]
pub enum NewValue<'m> {
    /// What the request gives: a value, or an array of them.
    Given(Arc<GivenRows>, RowsParameter),
    /// A column of a row that the row hangs on: which of the links, and which of its columns.
    Linked(usize, usize),
    /// What the role's rule sets.
    Preset(&'m Rule),
    /// What the column holds when nothing is given.
    Absent(MissingColumnValue<'m>),
}

/// New rows of one table as they are put together.
pub(super) struct NewRows<'s, 'm> {
    pub(super) target: &'s Target<'m>,
    pub(super) insert: &'s Insert<'m>,
    /// Links to rows that they hang on; those that go before with their places in [`Insert::before`].
    pub(super) links: Vec<(Option<usize>, Link<'m>)>,
    /// Columns whose values somebody has to know before the rows are written.
    pub(super) known: Vec<ColumnId>,
    /// Whether rows are numbered.
    pub(super) numbered: bool,
}

/// The values of a batch by column.
type Values<'m> = BTreeMap<ColumnId, NewValue<'m>>;

impl<'m> Builder<'m> {
    /// Puts together what is known of new rows.
    pub(super) fn given(&mut self, rows: &NewRows<'_, 'm>) -> Result<InputRows<'m>, Denied> {
        let table = rows.target.table();
        let batches = rows.insert.batches.iter().map(|batch| self.batch(rows, batch)).collect::<Result<Vec<_>, _>>()?;
        let mut columns: Vec<ColumnId> = batches.iter().flat_map(|(_, values)| values.keys().copied()).collect();
        columns.extend(rows.known.iter().filter(|column| table.column(**column).generated.is_none()));
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
                values: columns.iter().map(|column| value(&values, *column)).collect(),
                ..batch
            })
            .collect();
        let columns = columns.iter().enumerate().map(|(place, id)| {
            let column = table.column(*id);
            let written = batches.iter().any(|batch| !batch.values.get(place).is_some_and(NewValue::is_nothing));
            NewColumn { name: &column.name, scalar: self.scalar(column.r#type), written }
        });
        Ok(InputRows {
            table,
            columns: columns.collect(),
            batches,
            number: rows.numbered.then(|| free_name(table, "_n")),
            parent: rows.has_parent().then(|| free_name(table, "_p")),
        })
    }

    fn batch(&mut self, rows: &NewRows<'_, 'm>, batch: &Batch) -> Result<(InputBatch<'m>, Values<'m>), Denied> {
        let mut values = Values::new();
        for (column, what) in &batch.columns {
            let column = rows.target.given(*column)?;
            values.insert(column, NewValue::Given(batch.rows.clone(), what.clone()));
        }
        let hangs = |place: &Option<usize>| place.is_none_or(|place| batch.before.contains(&place));
        let links = rows.links.iter().filter(|(place, _)| hangs(place));
        let links: Vec<Link<'m>> = links.map(|(_, link)| link.in_parent_rows(self.alias())).collect();
        for (number, link) in links.iter().enumerate() {
            let columns = link.columns.iter().enumerate();
            values.extend(columns.map(|(place, column)| (column.here, NewValue::Linked(number, place))));
        }
        values.extend(rows.target.presets().map(|(column, rule)| (column, NewValue::Preset(rule))));
        let taken = if batch.rows.is_single() { InputSource::One } else { InputSource::Arrays(batch.rows.clone()) };
        Ok((InputBatch { alias: self.alias(), rows: taken, links, values: Vec::new() }, values))
    }
}

impl NewRows<'_, '_> {
    fn has_parent(&self) -> bool {
        self.insert.batches.first().is_some_and(|batch| !batch.rows.way.is_empty())
    }
}

impl NewValue<'_> {
    /// Whether it is null because nothing is known of it.
    fn is_nothing(&self) -> bool {
        matches!(self, NewValue::Absent(MissingColumnValue::Nothing))
    }
}

impl InputRows<'_> {
    /// Whether an identity column is written.
    pub(super) fn is_identified(&self, catalog: &Catalog, table: TableId) -> bool {
        let mut written = self.columns.iter().filter(|column| column.written);
        written.any(|column| self.table.find(column.name).is_some_and(|id| is_identity(catalog, table, id)))
    }
}
