//! Determines which expressions cannot raise an error, whatever the stored data is.
//!
//! Postgres may evaluate conditions, and everything in subqueries, before the row rule. An error
//! would reveal rows that the rule hides; an expression that cannot raise reveals nothing.

use std::ops::ControlFlow;

use sql::postgres::catalog::{Catalog, Type, TypeKind};
use sqlparser::ast::{
    ArrayElemTypeDef, BinaryOperator, CastKind, DataType, ExactNumberInfo, Expr, Function,
    FunctionArg, FunctionArgExpr, FunctionArguments, LimitClause, Query, Statement, TableFactor,
    UnaryOperator, Value, Visit, Visitor,
};

use super::before_row_rule::{EarlyVisitor, visit_early};
use super::called::{break_if, table_function};
use super::identifiers::{folded, plain_name};

/// Aggregates. Postgres computes them from the rows that remain.
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

/// Built-in types that the parser has no variant for, and that no other type is implicitly cast to.
const OWN: [&str; 7] = [
    "bpchar",
    "cidr",
    "inet",
    "name",
    "timestamptz",
    "timetz",
    "xml",
];

/// Whether a statement may raise an error where Postgres may evaluate it before a row rule.
pub(super) fn may_raise(statement: &Statement, catalog: &Catalog) -> bool {
    let mut raising = Raising {
        catalog,
        is_found: false,
    };
    visit_early(statement, &mut raising);
    raising.is_found || statement.visit(&mut Unchecked).is_break()
}

/// Looks for an expression that may raise.
struct Raising<'c> {
    catalog: &'c Catalog,
    is_found: bool,
}

impl EarlyVisitor for Raising<'_> {
    /// Postgres raises an error for a negative number of rows, so only a number that is written
    /// there is safe.
    fn query(&mut self, query: &Query) {
        let counts = match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, .. }) => {
                [limit.as_ref(), offset.as_ref().map(|offset| &offset.value)]
            }
            _ => [None, None],
        };
        let fetch = query
            .fetch
            .as_ref()
            .and_then(|fetch| fetch.quantity.as_ref());
        let mut counts = counts.into_iter().flatten().chain(fetch);
        self.is_found |= counts.any(|count| !is_number(count));
    }

    fn expression(&mut self, expression: &Expr) {
        // What is compared with a column, and of which type, is found by `compared`.
        let is_column = matches!(
            expression,
            Expr::Identifier(_) | Expr::CompoundIdentifier(_)
        );
        self.is_found |= !is_column && !cannot_raise(expression, self.catalog);
    }
}

/// Breaks at what is not looked at any further: a function in `FROM`, and a part that writes.
struct Unchecked;

impl Visitor for Unchecked {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        break_if(!matches!(statement, Statement::Query(_)))
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        break_if(table_function(table).is_some() || matches!(table, TableFactor::UNNEST { .. }))
    }
}

fn is_number(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Value(value) if matches!(value.value, Value::Number(..) | Value::Null)
    )
}

/// Whether an expression itself cannot raise; its operands are looked at on their own.
fn cannot_raise(expression: &Expr, catalog: &Catalog) -> bool {
    match expression {
        Expr::Value(_)
        | Expr::Exists { .. }
        | Expr::Nested(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::UnaryOp {
            op: UnaryOperator::Not,
            ..
        }
        | Expr::InSubquery { .. }
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::Between { .. } => true,
        Expr::BinaryOp { op, .. } => compares(op),
        Expr::AnyOp { compare_op, .. } => compares(compare_op),
        // The cast of a constant does not depend on stored data. But a float constant casts
        // what it is compared with to float.
        Expr::Cast {
            kind: CastKind::Cast | CastKind::DoubleColon,
            expr,
            data_type,
            ..
        } => matches!(**expr, Expr::Value(_)) && cast_cannot_raise(data_type, catalog),
        Expr::Function(function) => is_aggregate(function),
        _ => false,
    }
}

/// Whether binding a parameter converts it to the type, without casting the other operand of a
/// comparison.
fn cast_cannot_raise(data_type: &DataType, catalog: &Catalog) -> bool {
    match data_type {
        DataType::Array(ArrayElemTypeDef::SquareBracket(element, _)) => {
            cast_cannot_raise(element, catalog)
        }
        DataType::Numeric(ExactNumberInfo::None)
        | DataType::Decimal(ExactNumberInfo::None)
        | DataType::Dec(ExactNumberInfo::None)
        | DataType::Uuid
        | DataType::Int2(None)
        | DataType::SmallInt(None)
        | DataType::Int(None)
        | DataType::Int4(None)
        | DataType::Int8(None)
        | DataType::Integer(None)
        | DataType::BigInt(None)
        | DataType::Bool
        | DataType::Boolean
        | DataType::Date
        | DataType::Interval {
            fields: None,
            precision: None,
        }
        | DataType::Time(None, _)
        | DataType::Timestamp(None, _)
        | DataType::JSON
        | DataType::JSONB
        | DataType::Varchar(None)
        | DataType::CharacterVarying(None)
        | DataType::Text
        | DataType::Bytea => true,
        DataType::Custom(name, modifiers) if modifiers.is_empty() => {
            let name = name
                .0
                .last()
                .and_then(|part| part.as_ident())
                .map(folded)
                .unwrap_or_default();
            OWN.contains(&name.as_str()) || is_bound(&name, catalog)
        }
        _ => false,
    }
}

/// Whether a type outside `pg_catalog` is converted when the parameter is bound, so that errors
/// do not depend on rows. A domain's checks run for each row; labels of enums are validated
/// before; other types parse the parameter when they receive it.
fn is_bound(name: &str, catalog: &Catalog) -> bool {
    let mut types = catalog
        .types
        .iter()
        .filter(|found| found.name == name)
        .peekable();
    let bound = |found: &Type| match found.kind {
        TypeKind::Enum(_) => true,
        TypeKind::Base => found.schema != "pg_catalog",
        _ => false,
    };
    types.peek().is_some() && types.all(bound)
}

/// Whether it is an aggregate that cannot raise. It is computed from the rows that remain.
fn is_aggregate(function: &Function) -> bool {
    let Function {
        name,
        args,
        over,
        within_group,
        ..
    } = function;
    let FunctionArguments::List(list) = args else {
        return false;
    };
    let known = plain_name(name).is_some_and(|name| AGGREGATES.contains(&name.as_str()));
    let plain = |arg: &FunctionArg| {
        matches!(
            arg,
            FunctionArg::Unnamed(FunctionArgExpr::Expr(_) | FunctionArgExpr::Wildcard)
        )
    };
    known
        && over.is_none()
        && within_group.is_empty()
        && list.clauses.is_empty()
        && list.args.iter().all(plain)
}

/// `=`, `<` and so on, `AND` and `OR`.
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
