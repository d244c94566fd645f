//! The functions that are called with a list of arguments, in expressions and in `FROM`. Those
//! without one, such as `current_user` and `array(SELECT …)`, are Postgres' own.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Function, FunctionArguments, ObjectName, TableFactor};

/// The function that an expression calls.
pub(super) fn called_function(expression: &Expr) -> Option<&Function> {
    match expression {
        Expr::Function(function) if matches!(function.args, FunctionArguments::List(_)) => {
            Some(function)
        }
        _ => None,
    }
}

/// The function that an item of `FROM` calls.
pub(super) fn table_function(table: &TableFactor) -> Option<&ObjectName> {
    match table {
        TableFactor::Table {
            name,
            args: Some(_),
            ..
        }
        | TableFactor::Function { name, .. } => Some(name),
        _ => None,
    }
}

/// Ends a visit at what it looks for.
pub(super) fn break_if(is_found: bool) -> ControlFlow<()> {
    if is_found {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
