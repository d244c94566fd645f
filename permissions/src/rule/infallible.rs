//! Expressions that cannot raise whatever is stored. Postgres may evaluate a condition before the row rule, and whatever
//! stands in a subquery as well; where it cannot raise, nobody learns of rows that the rule hides.

use sql::postgres::catalog::{Type, TypeKind};
use sqlparser::ast::{
    ArrayElemTypeDef, BinaryOperator, CastKind, DataType, ExactNumberInfo, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};

use super::expression::plain_name;
use super::writer::{Writer, folded};

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

/// Types of Postgres' own that the parser knows by no word of theirs, and that nothing else is cast to by itself.
const OWN: [&str; 7] = ["bpchar", "cidr", "inet", "name", "timestamptz", "timetz", "xml"];

impl Writer<'_, '_, '_> {
    /// Writes a condition: Postgres may evaluate it before the row rule.
    pub(super) fn write_condition(&mut self, condition: &Expr) {
        let outer = std::mem::replace(&mut self.in_condition, true);
        self.in_filter(|writer| writer.expression(condition));
        self.in_condition = outer;
    }

    /// Whether what is written now may be evaluated before the row rule: in a condition, and anywhere in a subquery. The
    /// outermost SELECT computes everything else from the rows that are left.
    pub(super) fn runs_before_row_rule(&self) -> bool {
        self.in_condition || self.nested > 1
    }

    /// Notes whether an expression may raise by itself. Whatever is in it comes by too.
    pub(super) fn record_raising(&mut self, expression: &Expr) {
        if !self.runs_before_row_rule() {
            return;
        }
        match expression {
            Expr::Identifier(ident) => self.note_compared(folded(ident)),
            Expr::CompoundIdentifier(idents) => idents.last().into_iter().for_each(|i| self.note_compared(folded(i))),
            _ => self.raises |= !self.cannot_raise(expression),
        }
    }

    /// Notes a column that may be compared with one of another type, the cast to which may raise.
    pub(super) fn note_compared(&mut self, column: String) {
        if self.is_statement() {
            self.compared.insert(column);
        }
    }

    /// Notes what a LIMIT of a subquery may raise, which only a number cannot.
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
            | Expr::UnaryOp { op: UnaryOperator::Not, .. }
            | Expr::InSubquery { .. }
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::InList { .. }
            | Expr::Between { .. } => true,
            Expr::BinaryOp { op, .. } => compares(op),
            Expr::AnyOp { compare_op, .. } => compares(compare_op),
            // A value is cast whatever is stored; but a float makes floats of what it is compared with.
            Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, expr, data_type, .. } => {
                matches!(**expr, Expr::Value(_)) && self.cast_cannot_raise(data_type)
            }
            Expr::Function(function) => is_aggregate(function),
            _ => false,
        }
    }

    /// Whether a parameter is of the type when it is bound, and nothing else that is compared with it has to become so.
    fn cast_cannot_raise(&self, data_type: &DataType) -> bool {
        match data_type {
            DataType::Array(ArrayElemTypeDef::SquareBracket(element, _)) => self.cast_cannot_raise(element),
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
            | DataType::Interval { fields: None, precision: None }
            | DataType::Time(None, _)
            | DataType::Timestamp(None, _)
            | DataType::JSON
            | DataType::JSONB
            | DataType::Varchar(None)
            | DataType::CharacterVarying(None)
            | DataType::Text
            | DataType::Bytea => true,
            DataType::Custom(name, modifiers) if modifiers.is_empty() => {
                let name = name.0.last().and_then(|part| part.as_ident()).map(folded).unwrap_or_default();
                OWN.contains(&name.as_str()) || self.is_bound(&name)
            }
            _ => false,
        }
    }

    /// Whether a type outside of Postgres is no domain, whose checks are asked on each row. The labels of enums are looked
    /// at before; of other types the parameter tells once it has one.
    fn is_bound(&self, name: &str) -> bool {
        let mut types = self.catalog().types.iter().filter(|found| found.name == name).peekable();
        let bound = |found: &Type| match found.kind {
            TypeKind::Enum(_) => true,
            TypeKind::Base => found.schema != "pg_catalog",
            _ => false,
        };
        types.peek().is_some() && types.all(bound)
    }
}

/// Whether it is an aggregate that cannot raise, of the rows that are left.
fn is_aggregate(function: &Function) -> bool {
    let Function { name, args, over, within_group, .. } = function;
    let FunctionArguments::List(list) = args else { return false };
    let known = plain_name(name).is_some_and(|name| AGGREGATES.contains(&name.as_str()));
    let plain =
        |arg: &FunctionArg| matches!(arg, FunctionArg::Unnamed(FunctionArgExpr::Expr(_) | FunctionArgExpr::Wildcard));
    known && over.is_none() && within_group.is_empty() && list.clauses.is_empty() && list.args.iter().all(plain)
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
