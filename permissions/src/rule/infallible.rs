//! Determines which expressions cannot raise an error, whatever the stored data is.
//!
//! Postgres may evaluate conditions, and everything in subqueries, before the row rule. An error
//! would reveal rows that the rule hides; an expression that cannot raise reveals nothing.

use sql::postgres::catalog::{Type, TypeKind};
use sqlparser::ast::{
    ArrayElemTypeDef, BinaryOperator, CastKind, DataType, ExactNumberInfo, Expr, Function,
    FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};

use super::expression::plain_name;
use super::writer::{Writer, folded};

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

impl Writer<'_, '_, '_> {
    /// Renders a condition, which Postgres may evaluate before the row rule.
    pub(super) fn write_condition(&mut self, condition: &Expr) {
        let outer = std::mem::replace(&mut self.in_condition, true);
        self.in_filter(|writer| writer.expression(condition));
        self.in_condition = outer;
    }

    /// Whether the expression being rendered may be evaluated before the row rule: in a condition,
    /// and anywhere in a subquery. The outermost SELECT computes its output from the rows that
    /// remain.
    pub(super) fn runs_before_row_rule(&self) -> bool {
        self.in_condition || self.nested > 1
    }

    /// Records whether an expression itself may raise. Its subexpressions are recorded when they
    /// are rendered.
    pub(super) fn record_raising(&mut self, expression: &Expr) {
        if !self.runs_before_row_rule() {
            return;
        }
        match expression {
            Expr::Identifier(ident) => self.note_compared(folded(ident)),
            Expr::CompoundIdentifier(idents) => idents
                .last()
                .into_iter()
                .for_each(|i| self.note_compared(folded(i))),
            _ => self.raises |= !self.cannot_raise(expression),
        }
    }

    /// Records a column that may be compared with one of another type; the implicit cast may raise.
    pub(super) fn note_compared(&mut self, column: String) {
        if self.is_statement() {
            self.compared.insert(column);
        }
    }

    /// Records whether the LIMIT of a subquery may raise: anything except a number may.
    pub(super) fn note_limit(&mut self, limit: &Expr) {
        let number = matches!(limit, Expr::Value(value) if matches!(value.value, Value::Number(..) | Value::Null));
        self.raises |= self.runs_before_row_rule() && !number;
    }

    fn cannot_raise(&self, expression: &Expr) -> bool {
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
            } => matches!(**expr, Expr::Value(_)) && self.cast_cannot_raise(data_type),
            Expr::Function(function) => is_aggregate(function),
            _ => false,
        }
    }

    /// Whether binding a parameter converts it to the type, without casting the other operand of a
    /// comparison.
    fn cast_cannot_raise(&self, data_type: &DataType) -> bool {
        match data_type {
            DataType::Array(ArrayElemTypeDef::SquareBracket(element, _)) => {
                self.cast_cannot_raise(element)
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
                OWN.contains(&name.as_str()) || self.is_bound(&name)
            }
            _ => false,
        }
    }

    /// Whether a type outside `pg_catalog` is converted when the parameter is bound, so that errors
    /// do not depend on rows. A domain's checks run for each row; labels of enums are validated
    /// before; other types parse the parameter when they receive it.
    fn is_bound(&self, name: &str) -> bool {
        let mut types = self
            .catalog()
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
