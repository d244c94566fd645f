//! Expressions that cannot raise whatever is stored. Postgres may evaluate a condition before the row rule, and one on what
//! a subquery computes as well; where it cannot raise, nobody learns of rows that the rule hides.

use sqlparser::ast::{
    BinaryOperator, CastKind, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Select, SelectItem, UnaryOperator,
};

use super::expression::plain_name;
use super::writer::Writer;

/// Aggregates: Postgres computes them from the rows that are left.
const AGGREGATES: [&str; 12] = [
    "array_agg",
    "avg",
    "bool_and",
    "bool_or",
    "count",
    "every",
    "json_agg",
    "jsonb_agg",
    "max",
    "min",
    "string_agg",
    "sum",
];

impl Writer<'_, '_, '_> {
    /// Notes whether a condition of a SELECT may raise, or what a subquery computes, on which a condition may be put.
    pub(super) fn note_what_raises(&mut self, select: &Select) {
        let mut conditions = select.selection.iter().chain(&select.having);
        let computed = |item: &SelectItem| match item {
            SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => {
                !is_quiet(expression)
            }
            _ => false,
        };
        let inner = self.nested > 1 && select.projection.iter().any(computed);
        self.raises |= inner || conditions.any(|condition| !is_quiet(condition));
    }
}

/// Whether an expression cannot raise. Subqueries in it are asked for themselves.
pub(super) fn is_quiet(expression: &Expr) -> bool {
    match expression {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) | Expr::Exists { .. } => true,
        Expr::Nested(inner)
        | Expr::IsNull(inner)
        | Expr::IsNotNull(inner)
        | Expr::IsTrue(inner)
        | Expr::IsNotTrue(inner)
        | Expr::IsFalse(inner)
        | Expr::IsNotFalse(inner)
        | Expr::UnaryOp { op: UnaryOperator::Not, expr: inner }
        | Expr::InSubquery { expr: inner, .. } => is_quiet(inner),
        Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => is_quiet(left) && is_quiet(right),
        Expr::BinaryOp { left, op, right } => compares(op) && is_quiet(left) && is_quiet(right),
        Expr::InList { expr, list, .. } => is_quiet(expr) && list.iter().all(is_quiet),
        Expr::Between { expr, low, high, .. } => is_quiet(expr) && is_quiet(low) && is_quiet(high),
        // A value is cast whatever is stored.
        Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, expr, .. } => matches!(**expr, Expr::Value(_)),
        Expr::AnyOp { left, compare_op, right, .. } => compares(compare_op) && is_quiet(left) && is_quiet(right),
        Expr::Function(function) => {
            let known = plain_name(&function.name).is_some_and(|name| AGGREGATES.contains(&name.as_str()));
            let quiet = |arg: &FunctionArg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => is_quiet(expression),
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => true,
                _ => false,
            };
            let filtered = function.filter.as_ref().is_none_or(|filter| is_quiet(filter));
            matches!(&function.args, FunctionArguments::List(list) if known && filtered && list.args.iter().all(quiet))
        }
        _ => false,
    }
}

/// `=`, `<` and the like, `AND` and `OR`.
fn compares(op: &BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::And
            | BinaryOperator::Or
            | BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
    )
}
