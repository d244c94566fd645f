//! Chooses how the operands of a root list are written, so that Postgres plans the prepared statement once.
//!
//! Postgres makes the first five plans of a prepared statement for the values at hand, and then keeps one for all
//! values if its estimated cost is about that of the others. A value that is frequent in its column makes these plans
//! look cheaper than the one for all values, and then each request is planned anew, which takes as long as reading a
//! page of rows. <https://www.postgresql.org/docs/15/sql-prepare.html>
//!
//! * A constant of the document is a literal, `_0."status" = 'active'::text`: all plans see it. A literal in the text
//!   may not depend on anything but the text, see [`super::literal`].
//! * A list with a pattern, or another operator of whose rows the planner knows nothing without the value, is planned
//!   for its values at each execution where an index contains the column. The plan for all values looks cheap: it
//!   walks along the order of the list until it has a page, and reads most of the table if few rows match.
//! * A variable is hidden where the access path does not depend on its value, `_0."status" = (SELECT $1::text)`: no
//!   plan sees it, see [`super::veil`].

use super::builder::Builder;
use super::{Comparison, Predicate, Select, Term, Value, literal, veil};
use crate::model::operators::{OperandShape, Pattern, RowCost};
use crate::postgres::catalog::Table;
use crate::resolve::selection::Count;

/// How the operands of a comparison are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandForm {
    /// `$1::text`
    Parameter,
    /// `(SELECT $1::text)`, whose value the planner does not see.
    Veiled,
    /// `'active'::text`
    Literal,
}

/// The most bytes of literals in one list.
const LITERAL_BYTES: usize = 4096;

impl<'m> Builder<'m> {
    /// Chooses the form of each operand in a root list.
    ///
    /// A literal shows the planner a value of the caller before the statement is run, and the planner compares it with
    /// the statistics of the column. So lists whose table may have rows that the role does not see have parameters.
    pub(super) fn choose_operand_forms(&self, select: &mut Select<'m>) {
        if !self.constant_parameters() {
            let mut room = LITERAL_BYTES;
            write_constants(select, &mut room);
        }
        veil::hide_operands(select);
        select.needs_values = needs_values(select);
    }
}

fn write_constants(select: &mut Select<'_>, room: &mut usize) {
    if !select.scan.may_hide_rows() {
        select.safe.iter_mut().for_each(|predicate| write_constants_of(predicate, room));
    }
}

fn write_constants_of(predicate: &mut Predicate<'_>, room: &mut usize) {
    match predicate {
        Predicate::And(all) | Predicate::Or(all) => all.iter_mut().for_each(|inner| write_constants_of(inner, room)),
        Predicate::Not(inner) | Predicate::NotTrue(inner) => write_constants_of(inner, room),
        Predicate::Compare(comparison) => {
            if let Some(left) = literal_bytes(comparison).and_then(|bytes| room.checked_sub(bytes)) {
                comparison.form = OperandForm::Literal;
                *room = left;
            }
        }
        // Conditions on related rows have parameters: related tables may have rows that the role cannot reach, by a
        // condition of the relation or because it may not list them.
        _ => {}
    }
}

/// The length of the operands, if all of them may be literals.
fn literal_bytes(comparison: &Comparison<'_>) -> Option<usize> {
    let Term::Column(column) = &comparison.term else { return None };
    let operator = comparison.operator;
    let is_pattern = operator.takes == OperandShape::Pattern(Pattern::Like);
    let has_bound = matches!(operator.cost, RowCost::Equality | RowCost::Order | RowCost::Prefix);
    let is_plain = matches!(column.value(), Value::Stored(_)) && !column.raises() && !comparison.unnested;
    if !is_plain || !has_bound && !is_pattern {
        return None;
    }
    let lengths = comparison.operands.iter().map(|operand| {
        let text = operand.parameter.as_ref()?.constant()?;
        literal::is_fixed(&operand.scalar, operand.list, text).then_some(text.len())
    });
    lengths.sum()
}

/// Whether an index contains a column whose operator the planner cannot estimate without the value, and no other
/// condition finds few rows. A list without a small limit is left to Postgres: nothing makes the plan for all values
/// look cheaper than it is. So is a statement in which rows may be hidden, since each plan for values would compare
/// them with the statistics of these rows: `render` decides that, because it sees all tables of the statement.
fn needs_values(select: &Select<'_>) -> bool {
    let table = select.scan.table();
    select.limits.iter().any(Count::is_few)
        && select.safe.iter().any(|predicate| compares_unknown(predicate, table))
        && !veil::finds_few_rows(select)
}

fn compares_unknown(predicate: &Predicate<'_>, table: &Table) -> bool {
    match predicate {
        Predicate::And(all) | Predicate::Or(all) => all.iter().any(|inner| compares_unknown(inner, table)),
        // No index serves a negation.
        Predicate::Not(_) | Predicate::NotTrue(_) => false,
        Predicate::Compare(comparison) if comparison.form == OperandForm::Parameter => {
            let Term::Column(column) = &comparison.term else { return false };
            let Value::Stored(name) = *column.value() else { return false };
            match comparison.operator.cost {
                RowCost::Equality | RowCost::Order => false,
                RowCost::Prefix | RowCost::Varies | RowCost::Raises => table.is_in_any_index(name),
            }
        }
        _ => false,
    }
}
