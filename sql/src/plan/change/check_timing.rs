//! Where the check on a changed row is judged: not at all, over the locked rows before they are written, or over each
//! as it is stored.

use crate::model::access::{RuleDependencies, Update};
use crate::plan::builder::Builder;
use crate::plan::scan::{Event, Scan};
use crate::postgres::catalog::{ColumnId, TableKind};

/// When a check is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CheckTiming {
    /// Before anything is written, so that no violation of a key comes first.
    pub(super) before: bool,
    /// On the stored row.
    pub(super) after: bool,
    /// Whether a column of a key is set.
    pub(super) moves_keys: bool,
}

/// The bit of [`crate::postgres::catalog::Table::triggers`] for rows that collide in something that is no key.
const COLLIDING: u32 = 128;

impl<'m> Builder<'m> {
    /// When the check of a grant is judged, where these columns are set.
    pub(super) fn verdict(&self, target: &Scan<'m>, grant: &Update, set: &[ColumnId]) -> CheckTiming {
        let table = target.table();
        let named = |name: &String| table.find(name).is_some_and(|column| set.contains(&column));
        let moves_keys = table.keys.iter().any(|key| key.columns.iter().any(named));
        if grant.check.is_everything() || is_kept(target, grant, set) {
            return CheckTiming { moves_keys, ..CheckTiming::default() };
        }
        let generated = |column: &ColumnId| table.column(*column).generated.is_some();
        // Of a view not every key of its table is known.
        let plain = matches!(table.kind, TableKind::Table | TableKind::Partitioned);
        let collides = moves_keys || !plain || table.triggers & COLLIDING != 0;
        // What Postgres will make of a generated column is not known before.
        let before = collides && !grant.check.columns().any(|column| generated(&column));
        let cut = |column: ColumnId| set.contains(&column) && table.column(column).modifier.is_some();
        let differs = Event::Update.changes(table) || grant.check.columns().any(cut);
        CheckTiming { before, after: !before || differs, moves_keys }
    }
}

/// Whether the check holds of every row that the rule lets be changed, because nothing of what both read changes.
fn is_kept(target: &Scan<'_>, grant: &Update, set: &[ColumnId]) -> bool {
    let table = target.table();
    let touched = |column: ColumnId| set.contains(&column) || table.column(column).generated.is_some();
    grant.check.pieces == grant.rows.pieces
        && grant.check.reads == RuleDependencies::Nothing
        && matches!(table.kind, TableKind::Table | TableKind::Partitioned)
        && !Event::Update.changes(table)
        && !grant.check.columns().any(touched)
}
