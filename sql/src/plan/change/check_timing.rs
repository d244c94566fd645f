//! Decides when the check on an updated row runs: not at all, over the locked rows before they are
//! written, or over each row as it is stored.

use crate::model::access::{RuleDependencies, Update};
use crate::plan::builder::Builder;
use crate::plan::scan::{Event, Scan};
use crate::postgres::catalog::{ColumnId, TableKind};

/// When a check runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CheckTiming {
    /// Before anything is written, so that no violation of a key is reported first.
    pub(super) before: bool,
    /// On the stored row.
    pub(super) after: bool,
    /// Whether a column of a key is set.
    pub(super) moves_keys: bool,
}

/// The bit of [`crate::postgres::catalog::Table::triggers`] for unique indexes and exclusion
/// constraints that are not among the table's keys.
const OTHER_UNIQUENESS: u32 = 128;

impl<'m> Builder<'m> {
    /// When the check of a grant runs, if these columns are set.
    pub(super) fn verdict(
        &self,
        target: &Scan<'m>,
        grant: &Update,
        set: &[ColumnId],
    ) -> CheckTiming {
        let table = target.table();
        let named = |name: &String| table.find(name).is_some_and(|column| set.contains(&column));
        let moves_keys = table.keys.iter().any(|key| key.columns.iter().any(named));
        if grant.check.is_everything() || is_always_satisfied(target, grant, set) {
            return CheckTiming {
                moves_keys,
                ..CheckTiming::default()
            };
        }
        let generated = |column: &ColumnId| table.column(*column).generated.is_some();
        // The catalog has not all keys of the table behind a view.
        let plain = matches!(table.kind, TableKind::Table | TableKind::Partitioned);
        let may_collide = moves_keys || !plain || table.triggers & OTHER_UNIQUENESS != 0;
        // The value of a generated column is not available before the row is written.
        let before = may_collide && !grant.check.columns().any(|column| generated(&column));
        let cut =
            |column: ColumnId| set.contains(&column) && table.column(column).modifier.is_some();
        let differs = Event::Update.changes(table) || grant.check.columns().any(cut);
        CheckTiming {
            before,
            after: !before || differs,
            moves_keys,
        }
    }
}

/// Whether every row that the grant's rule selects still passes the check, because both have one
/// text and no column that it reads changes.
fn is_always_satisfied(target: &Scan<'_>, grant: &Update, set: &[ColumnId]) -> bool {
    let table = target.table();
    let touched =
        |column: ColumnId| set.contains(&column) || table.column(column).generated.is_some();
    grant.check.pieces == grant.rows.pieces
        && grant.check.reads == RuleDependencies::Nothing
        && matches!(table.kind, TableKind::Table | TableKind::Partitioned)
        && !Event::Update.changes(table)
        && !grant.check.columns().any(touched)
}
