//! Hides operands from Postgres' planner, `_0."status" = (SELECT $2::text)`, where its plan should not depend on their
//! values. All plans of the prepared statement are then alike, and Postgres keeps one of them.
//!
//! The access path of a page of rows does not depend on a value if other conditions find few rows whatever it is: by
//! statistics, no value of `parent_id` has many rows, so `parent_id = $1` finds them by its index, and a condition
//! beside it only drops some. What an index could look up stays visible, and so does a value that is far more frequent
//! than others, since its plan should be another:
//!
//! | with the indexes `(parent_id, created_at)`, `(price)`, `(tenant_id)` | |
//! |---|---|
//! | `parent_id = $1 AND status = $2 ORDER BY created_at` | both hidden |
//! | `parent_id = $1 AND created_at > $2 ORDER BY created_at` | both hidden: the index serves both |
//! | `parent_id = $1 AND day >= $2 AND day <= $3` | the days visible: it expects too few rows of a hidden range |
//! | `parent_id = $1 AND price > $2` | `price` visible: its index could be better for some values |
//! | `tenant_id = $1 AND status = $2`, half of the rows with one tenant | both visible |
//! | `status = $1` | visible: for a rare value Postgres should not walk along the order |
//! | `status <> $1` | hidden: no index serves `<>`, and few values have most of the rows |

use super::membership::{equal_to_one, goes};
use super::operand_form::OperandForm;
use super::{Comparison, Expression, Predicate, Select, Term, Value};
use crate::model::operators::{OperandShape, Pattern, RowCost};
use crate::postgres::catalog::{Index, Table, TableKind};
use crate::resolve::selection::Count;
use crate::schema::Direction;

/// The most rows of a value by which an index finds few. Reading them takes about as long as planning ten times.
const FEW: f64 = 1_000.0;

/// The part of a table's rows below which Postgres looks a value up rather than walk along an order or the table,
/// whatever the limit of a page.
const LOOKED_UP: f64 = 0.001;

/// The conditions of a list that find few rows by an index.
struct Lookup<'m> {
    table: &'m Table,
    /// The columns that equal one value and begin an index.
    found_by: Vec<&'m str>,
    /// The columns behind them in that index.
    next: Vec<&'m str>,
    /// The columns that are compared by order more than once. Of a range between two hidden values the planner expects
    /// so few rows that it reads all of them and sorts.
    ranges: Vec<&'m str>,
    /// Whether the values of `found_by` are hidden too.
    hides_values: bool,
}

/// Hides operands of a list with a small limit. A list that is read in full takes longer to run than to plan, and may
/// be joined by its estimate. Partitions are left out: the planner selects them by the values that it sees.
pub(super) fn hide_operands<'m>(select: &mut Select<'m>) {
    let table = select.scan.table();
    if table.kind != TableKind::Table || !select.limits.iter().any(Count::is_few) {
        return;
    }
    let lookup = if select.through.is_none() { Lookup::of(select, table) } else { None };
    for predicate in &mut select.safe {
        if let Some(lookup) = &lookup {
            lookup.hide(predicate);
        }
        hide_inequality(predicate, table);
    }
}

/// Whether equalities with one value find few rows by an index, whichever value it is.
pub(super) fn finds_few_rows(select: &Select<'_>) -> bool {
    let table = select.scan.table();
    let equal: Vec<&str> = select.safe.iter().filter_map(equal_to_one).collect();
    !equal.is_empty() && (table.is_unique(&equal) || Lookup::of(select, table).is_some())
}

/// Hides the operand of `_neq`. Partial indexes on `<> 'x'` need to see the value. `<> ALL (…)` is left out because the
/// planner builds a hash table for a list that it sees.
fn hide_inequality(predicate: &mut Predicate<'_>, table: &Table) {
    if let Predicate::Compare(comparison) = predicate
        && comparison.form == OperandForm::Parameter
        && comparison.operator.name == "_neq"
        && !table.partial
    {
        comparison.form = OperandForm::Veiled;
    }
}

impl<'m> Lookup<'m> {
    fn of(select: &Select<'m>, table: &'m Table) -> Option<Lookup<'m>> {
        let equal: Vec<&str> = select.safe.iter().filter_map(equal_to_one).collect();
        // All plans find a row by its key.
        if equal.is_empty() || table.is_unique(&equal) {
            return None;
        }
        let order = first_of_order(select);
        let finds = |index: &&'m Index| prefix(index, &equal).iter().any(|name| most_rows(table, name) <= FEW);
        let is_page = |index: &Index| match order {
            Order::None => true,
            Order::Column(first) => {
                index.columns.get(prefix(index, &equal).len()).is_some_and(|column| goes(column, first))
            }
            Order::Other => false,
        };
        let found: Vec<&'m Index> = table.indexes.iter().filter(finds).collect();
        let index = found.iter().copied().find(|index| is_page(index)).or_else(|| found.first().copied())?;
        let found_by = prefix(index, &equal);
        let next = index.columns.iter().map(|column| &*column.name).skip(found_by.len()).collect();
        let walks = |index: &Index| match order {
            Order::Column(first) => index.columns.first().is_some_and(|column| goes(column, first)),
            Order::None | Order::Other => false,
        };
        let is_rare = found_by.iter().any(|name| usual_rows(table, name) <= LOOKED_UP * table.estimated_rows);
        let hides_values = is_rare && (is_page(index) || !table.indexes.iter().any(walks));
        Some(Lookup { table, found_by, next, ranges: ranges(select), hides_values })
    }

    fn hide(&self, predicate: &mut Predicate<'_>) {
        match predicate {
            Predicate::And(all) | Predicate::Or(all) => all.iter_mut().for_each(|inner| self.hide(inner)),
            Predicate::Not(inner) | Predicate::NotTrue(inner) => self.hide(inner),
            Predicate::Compare(comparison) if self.hides(comparison) => comparison.form = OperandForm::Veiled,
            _ => {}
        }
    }

    fn hides(&self, comparison: &Comparison<'_>) -> bool {
        let Term::Column(column) = &comparison.term else { return false };
        let Value::Stored(name) = *column.value() else { return false };
        let operator = comparison.operator;
        let may_hide = match operator.takes {
            // An index could serve a pattern only if the planner sees it.
            OperandShape::Pattern(Pattern::Like) => !self.table.is_in_any_index(name),
            OperandShape::One(_) => match operator.cost {
                _ if self.found_by.contains(&name) => self.hides_values,
                RowCost::Order if self.ranges.contains(&name) => false,
                RowCost::Equality | RowCost::Order => self.next.contains(&name) || !self.table.leads_index(name),
                RowCost::Prefix => !self.table.is_in_any_index(name),
                RowCost::Varies | RowCost::Raises => false,
            },
            // The planner builds a hash table for a list that it sees, and its generic estimate is low.
            _ => false,
        };
        let is_elsewhere = self.table.other_indexed.iter().any(|other| **other == *name);
        comparison.form == OperandForm::Parameter && may_hide && !is_elsewhere
    }
}

/// The first key of an order.
#[derive(Clone, Copy)]
enum Order<'s> {
    None,
    /// A column of the table.
    Column((&'s str, Direction)),
    /// Anything else.
    Other,
}

fn first_of_order<'s>(select: &'s Select<'_>) -> Order<'s> {
    match select.order.first() {
        None => Order::None,
        Some((Expression::Compared(Term::Column(column), false), direction))
            if column.alias() == select.scan.alias() =>
        {
            match column.value() {
                Value::Stored(name) => Order::Column((name, *direction)),
                _ => Order::Other,
            }
        }
        Some(_) => Order::Other,
    }
}

/// The columns that conditions compare by order more than once.
fn ranges<'m>(select: &Select<'m>) -> Vec<&'m str> {
    let (mut once, mut twice) = (Vec::new(), Vec::new());
    for predicate in &select.safe {
        if let Predicate::Compare(comparison) = predicate
            && comparison.operator.cost == RowCost::Order
            && let Term::Column(column) = &comparison.term
            && let Value::Stored(name) = *column.value()
        {
            let seen = if once.contains(&name) { &mut twice } else { &mut once };
            seen.push(name);
        }
    }
    twice
}

/// The first columns of an index that equal one value.
fn prefix<'m>(index: &'m Index, equal: &[&str]) -> Vec<&'m str> {
    index.columns.iter().map(|column| &*column.name).take_while(|name| equal.contains(name)).collect()
}

/// The number of rows with the most common value of a column; infinite if it is not known.
fn most_rows(table: &Table, name: &str) -> f64 {
    let rows = table.find(name).and_then(|column| Some(table.rows_of_value(column)?.max(table.rows_of_most(column))));
    rows.unwrap_or(f64::INFINITY)
}

/// The number of rows that a value of a column has on average; infinite if it is not known.
fn usual_rows(table: &Table, name: &str) -> f64 {
    table.find(name).and_then(|column| table.rows_of_value(column)).unwrap_or(f64::INFINITY)
}
