//! Hides operands from Postgres' planner, so that a prepared statement gets one generic plan instead of a new plan for
//! each value.
//!
//! Postgres makes the first five plans of a prepared statement for the values at hand, and then keeps one for all
//! values if its estimated cost is about that of the others. The frequency of a value changes the estimate of `<>`, but
//! never the access path, because no index serves `<>`. So each request for a page of rows was planned anew, which took
//! as long as running it (50 of 110 microseconds). In `<> (SELECT $1)` the planner does not see the value.
//! <https://www.postgresql.org/docs/15/sql-prepare.html>

use super::{Predicate, Select};
use crate::postgres::catalog::TableKind;
use crate::resolve::selection::Count;

/// Hides the operands of `_neq` from the planner, in lists with a small limit. A list that is read in full takes longer
/// to run than to plan, and may be joined by its estimate. Partial indexes on `<> 'x'` and partitions need to see the
/// value, so their tables are left out. `<> ALL (…)` is left out because the planner builds a hash table for a list
/// that it sees.
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
