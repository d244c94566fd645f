//! Checks on new rows: a guard over all of them before any is written, and a second look at those that may be stored as
//! something else than what was given.

use super::missing_columns::{MissingColumnValue, absent};
use super::target::Target;
use crate::model::access::{Rule, RuleFragment};
use crate::plan::{Check, Event};
use crate::postgres::catalog::{Catalog, ColumnId, Table, TableKind};
use crate::resolve::selection::Insert;
use crate::statement::RowsParameter;

/// Judges all new rows of a statement, before any of them is written: `SELECT (…)::bool AND (…)::bool AS ok`
#[derive(Debug)]
pub struct CheckCte<'m> {
    /// What has to hold, each of the rows of one part.
    pub checks: Vec<Check<'m>>,
}

/// Who judges rows before they are written.
#[derive(Debug)]
pub enum CheckStrategy<'m> {
    /// Nobody.
    None,
    /// The statement that writes them, where there is only one row.
    Itself(Check<'m>),
    /// The guard of that number.
    Guard(u32),
}

/// Whether new rows can be judged before they are written. What is computed from them cannot be known before, nor what only
/// a trigger gives; all else is judged, so that a row that fails does so whatever it collides with.
pub(super) fn is_judged_before(
    catalog: &Catalog,
    target: &Target<'_>,
    insert: &Insert<'_>,
    linked: &[ColumnId],
) -> bool {
    let (table, rule) = (target.table(), target.check());
    let mut columns = columns(rule).filter(|_| !rule.is_everything());
    let preset = |column| target.presets().any(|(preset, _)| preset == column);
    let given = |column| {
        let gives = |(given, _): &(ColumnId, RowsParameter)| *given == column;
        insert.batches.iter().all(|batch| batch.columns.iter().any(gives))
    };
    let has_default = |column| !matches!(absent(catalog, target.id(), column), MissingColumnValue::Nothing);
    let known = |column| given(column) || preset(column) || linked.contains(&column) || has_default(column);
    let filled = changes(table, Event::Insert) || is_hidden(table);
    let unknown = |column: ColumnId| table.column(column).generated.is_some() || (filled && !known(column));
    !rule.is_everything() && !columns.any(unknown)
}

/// Whether a check has to look at what is stored by that event: it reads something that may differ from what was given.
pub(super) fn is_judged_after(table: &Table, rule: &Rule, event: Event) -> bool {
    let differs = |column: ColumnId| {
        let column = table.column(column);
        column.generated.is_some() || column.modifier.is_some()
    };
    !rule.is_everything() && (is_hidden(table) || changes(table, event) || columns(rule).any(differs))
}

/// Whether a row trigger may change what is inserted, or what a row that is there is updated to.
pub(super) fn changes(table: &Table, event: Event) -> bool {
    table.triggers & if event == Event::Insert { BEFORE_INSERT } else { BEFORE_UPDATE } != 0
}

/// Whether rows are stored elsewhere, where columns are computed, or cut, in other ways. A view's triggers are known, and
/// partitions are like the table that they belong to.
fn is_hidden(table: &Table) -> bool {
    !matches!(table.kind, TableKind::Table | TableKind::Partitioned)
}

/// Bits of [`Table::triggers`].
const BEFORE_INSERT: u32 = 1;
const BEFORE_UPDATE: u32 = 2;

/// Whether what is stored is what was given, as far as a table's kind and its triggers go.
pub(super) fn is_plain(table: &Table) -> bool {
    !is_hidden(table) && !changes(table, Event::Insert)
}

/// The columns that a rule reads.
pub(super) fn columns(rule: &Rule) -> impl Iterator<Item = ColumnId> {
    rule.pieces.iter().filter_map(|piece| if let RuleFragment::Column(column) = piece { Some(*column) } else { None })
}
