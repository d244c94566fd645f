//! Decides which lists Postgres plans for the values at hand at each execution.
//!
//! Postgres makes the first five plans of a prepared statement for the values at hand, and then
//! keeps one for all values if its estimated cost is about that of the others. Of a page the plan
//! for all values looks cheap: it walks along the order until the page is full, as if every value
//! had as many rows, spread evenly. If few rows match, it reads most of the table.
//! <https://www.postgresql.org/docs/15/sql-prepare.html>
//!
//! | twenty of 300,000 rows, newest first | planned for its value | the plan for all values |
//! |---|--:|--:|
//! | `status = 'failed'`, which 42 rows have | 0.2 ms | 29 ms |
//! | `name LIKE $1`, a prefix that few rows have | 0.5 ms | 13 to 71 ms |

use super::membership::{equal_to_one, has_first_order, sorted_by};
use super::{Comparison, Predicate, Select, Term, Value};
use crate::model::operators::RowCost;
use crate::postgres::catalog::Table;
use crate::resolve::selection::Count;
use crate::statement::Parameter;

/// The most rows of a value by which an index finds few. Reading them takes about as long as
/// planning ten times.
const MAX_FEW_ROWS: f64 = 1_000.0;

/// Whether a list with a small limit compares a column of an index with a constant of the document,
/// or by an operator of whose rows the planner knows nothing without the value, and nothing finds
/// few rows whatever the values are.
///
/// A list without a small limit is left to Postgres: nothing makes the plan for all values look
/// cheaper than it is. So is a statement in which rows may be hidden, since each plan for values
/// would compare them with the statistics of these rows: `render` decides that, because it sees all
/// tables of the statement.
pub(super) fn needs_values(select: &Select<'_>) -> bool {
    let table = select.scan.table();
    let conditions = &select.placement.beside_rule;
    let equal: Vec<&str> = conditions.iter().filter_map(equal_to_one).collect();
    select.limits.iter().any(Count::is_few)
        && !finds_few_rows(table, &equal)
        && conditions
            .iter()
            .any(|predicate| depends_on_value(predicate, select, &equal))
}

/// Whether columns that equal one value each find few rows, whichever values these are.
fn finds_few_rows(table: &Table, equal: &[&str]) -> bool {
    !equal.is_empty()
        && (table.is_unique(equal)
            || equal
                .iter()
                .any(|name| has_few_rows_of_each_value(table, name)))
}

fn has_few_rows_of_each_value(table: &Table, name: &str) -> bool {
    let rows = table
        .find(name)
        .and_then(|column| Some(table.rows_of_value(column)?.max(table.rows_of_most(column))));
    table.leads_index(name) && rows.is_some_and(|rows| rows <= MAX_FEW_ROWS)
}

fn depends_on_value(predicate: &Predicate<'_>, select: &Select<'_>, equal: &[&str]) -> bool {
    match predicate {
        Predicate::And(all) | Predicate::Or(all) => all
            .iter()
            .any(|inner| depends_on_value(inner, select, equal)),
        Predicate::Compare(comparison) => {
            let Term::Column(column) = &comparison.term else {
                return false;
            };
            let Value::Stored(name) = *column.value() else {
                return false;
            };
            let has_estimate =
                matches!(comparison.operator.cost, RowCost::Equality | RowCost::Order);
            let is_decided = has_estimate
                && (!is_constant(comparison) || is_found_in_order(name, select, equal));
            !is_decided && select.scan.table().is_in_any_index(name)
        }
        // No index serves a negation, and conditions on related rows have plans of their own.
        _ => false,
    }
}

fn is_constant(comparison: &Comparison<'_>) -> bool {
    comparison
        .operands
        .iter()
        .all(|operand| matches!(operand.parameter, Some(Parameter::Constant(_))))
}

/// Whether an index has the rows of a value together and in the order of the list. Then all plans
/// use it.
fn is_found_in_order(name: &str, select: &Select<'_>, equal: &[&str]) -> bool {
    let first = select
        .order
        .first()
        .and_then(|(by, direction)| Some((sorted_by(by)?, *direction)));
    select.scan.table().indexes.iter().any(|index| {
        let front = index
            .columns
            .iter()
            .take_while(|column| equal.contains(&&*column.name))
            .count();
        let (front, rest) = index.columns.split_at_checked(front).unwrap_or_default();
        let is_in_order = first.is_none_or(|first| {
            rest.first()
                .is_some_and(|column| has_first_order(column, first))
        });
        is_in_order && front.iter().any(|column| *column.name == *name)
    })
}
