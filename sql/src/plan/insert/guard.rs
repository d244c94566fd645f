//! Decides when the check of an insert grant runs: in one CTE over all new rows before any is
//! written, and again on the stored rows if a trigger, a view or a column type may have changed
//! them.
//!
//! A row that fails its check gets the same error whatever stored row it collides with; otherwise
//! the error would reveal whether a hidden row has that key. For an upsert, `xmax` tells whether
//! the check of the insert or of the update applies. A check on a column that only a trigger fills
//! runs in `RETURNING` alone.

use super::missing_columns::absent;
use super::target::Target;
use crate::model::access::{Rule, RuleFragment};
use crate::plan::{Event, MissingColumnValue};
use crate::postgres::catalog::{Catalog, ColumnId, Table, TableKind};
use crate::resolve::selection::Insert;
use crate::statement::RowsParameter;

/// Whether new rows can be checked before they are written. Generated columns and values from a
/// trigger are not available then. All other rows are checked first, so that a failing check is
/// reported whatever key the row collides with.
pub(super) fn is_judged_before(
    catalog: &Catalog,
    target: &Target<'_>,
    insert: &Insert<'_>,
    linked: &[ColumnId],
) -> bool {
    let table = target.table();
    let rule = target.check();
    let mut columns = columns(rule).filter(|_| !rule.is_everything());
    let preset = |column| target.presets().any(|(preset, _)| preset == column);
    let is_given = |column| {
        let assigns = |(assigned, _): &(ColumnId, RowsParameter)| *assigned == column;
        insert
            .batches
            .iter()
            .all(|batch| batch.columns.iter().any(assigns))
    };
    let has_default = |column| {
        !matches!(
            absent(catalog, target.id(), column),
            MissingColumnValue::Nothing
        )
    };
    let is_available = |column| {
        is_given(column) || preset(column) || linked.contains(&column) || has_default(column)
    };
    let filled = changes(table, Event::Insert) || is_hidden(table);
    let is_unavailable = |column: ColumnId| {
        table.column(column).generated.is_some() || (filled && !is_available(column))
    };
    !rule.is_everything() && !columns.any(is_unavailable)
}

/// Whether a check has to run on the stored rows of an event, because it reads a column whose
/// stored value may differ from the input.
pub(super) fn is_judged_after(table: &Table, rule: &Rule, event: Event) -> bool {
    let differs = |column: ColumnId| {
        let column = table.column(column);
        column.generated.is_some() || column.modifier.is_some()
    };
    !rule.is_everything()
        && (is_hidden(table) || changes(table, event) || columns(rule).any(differs))
}

/// Whether a row trigger may change the inserted row, or the row that an upsert updates.
pub(super) fn changes(table: &Table, event: Event) -> bool {
    table.triggers
        & if event == Event::Insert {
            BEFORE_INSERT
        } else {
            BEFORE_UPDATE
        }
        != 0
}

/// Whether rows are stored in another relation, which may compute or truncate columns. The triggers
/// of a view are in the catalog, and partitions are like their parent table.
fn is_hidden(table: &Table) -> bool {
    !matches!(table.kind, TableKind::Table | TableKind::Partitioned)
}

/// Bits of [`Table::triggers`].
const BEFORE_INSERT: u32 = 1;
const BEFORE_UPDATE: u32 = 2;

/// Whether the stored row is the input row, as far as the table's kind and its triggers decide.
pub(super) fn is_plain(table: &Table) -> bool {
    !is_hidden(table) && !changes(table, Event::Insert)
}

/// The columns that a rule reads.
pub(super) fn columns(rule: &Rule) -> impl Iterator<Item = ColumnId> {
    rule.pieces.iter().filter_map(|piece| {
        if let RuleFragment::Column(column) = piece {
            Some(*column)
        } else {
            None
        }
    })
}
