//! Values that the planner is not told, so that Postgres plans a statement once and not for each value anew.
//!
//! Postgres makes the first five plans of a prepared statement for the values at hand, and then one for all values if that
//! promises to cost about as much. A value that is common or rare changes the estimate of `<>`, never the way to the rows: no
//! index serves it. So each request for a page of rows was planned anew, which took as long as running it (50 of 110
//! microseconds). In `<> (SELECT $1)` the value is not seen. <https://www.postgresql.org/docs/15/sql-prepare.html>

use super::{Predicate, Select};
use crate::postgres::catalog::TableKind;
use crate::resolve::selection::Count;

/// Keeps from the planner what does not help it: what a value must not be, in a list that is cut to a few rows. What is read
/// in full takes longer than its plan, and may be joined by its estimate. An index over some of the rows may ask for
/// `<> 'x'`, and partitions too. Of `<> ALL (…)` the planner makes a hash table, if it sees the list.
pub(super) fn hide_from_planner(select: &mut Select<'_>) {
    let table = select.scan.table();
    if table.kind != TableKind::Table || table.partial || !select.limits.iter().any(Count::is_few) {
        return;
    }
    for predicate in &mut select.safe {
        if let Predicate::Compare(comparison) = predicate {
            comparison.veiled = comparison.operator.name == "_neq";
        }
    }
}
