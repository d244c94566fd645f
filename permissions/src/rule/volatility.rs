//! Whether a statement calls a function of Postgres whose result differs between calls.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Statement, TableFactor, Visit, Visitor};

use super::built_in::is_volatile;
use super::called::{break_if, called_function, table_function};

/// Whether a statement is volatile. One with foreign calls counts as one that writes, so those are
/// not looked at.
pub(super) fn calls_volatile(statement: &Statement) -> bool {
    statement.visit(&mut VolatileCall).is_break()
}

/// Breaks at the first volatile function.
struct VolatileCall;

impl Visitor for VolatileCall {
    type Break = ();

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        break_if(called_function(expression).is_some_and(|function| is_volatile(&function.name)))
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        break_if(table_function(table).is_some_and(is_volatile))
    }
}
