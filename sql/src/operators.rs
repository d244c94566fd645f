//! The operators of conditions, in one table: GraphQL's name, Postgres' operator, operand and types.

use crate::names::Spelling;
use crate::types::Family;

/// An operator of a `…_comparison_exp`.
#[derive(Debug, PartialEq, Eq)]
pub struct Operator {
    /// Its name in GraphQL, in snake case: `_eq`.
    pub name: &'static str,
    /// How it is written in SQL.
    pub form: Form,
    /// The types it is offered for.
    pub on: On,
    /// What it means, for the schema and the reference page.
    pub about: &'static str,
}

/// How an operator is written in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `column <op> $n`; the operator lies in the schema of the type.
    Binary(&'static str),
    /// `column <op> ANY ($n)`, the operand being a list.
    Any(&'static str),
    /// `column <op> ALL ($n)`, the operand being a list.
    All(&'static str),
    /// `column <op> $n` over a pattern, which is checked before it is sent.
    Pattern(&'static str),
    /// `column IS NULL`, or `IS NOT NULL`, as the Boolean says.
    IsNull,
}

/// The types an operator is offered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// All of them.
    Every,
    /// Those with equality and order.
    Comparable,
    /// Those of them that a list can hold.
    Listable,
    /// Text, under a collation where equal means the same bytes.
    Text,
}

const fn operator(name: &'static str, form: Form, on: On, about: &'static str) -> Operator {
    Operator { name, form, on, about }
}

/// Every operator, in the order in which the schema shows them.
pub static OPERATORS: [Operator; 13] = [
    operator("_eq", Form::Binary("="), On::Comparable, "equal to"),
    operator("_neq", Form::Binary("<>"), On::Comparable, "not equal to"),
    operator("_gt", Form::Binary(">"), On::Comparable, "greater than"),
    operator("_gte", Form::Binary(">="), On::Comparable, "greater than or equal to"),
    operator("_lt", Form::Binary("<"), On::Comparable, "less than"),
    operator("_lte", Form::Binary("<="), On::Comparable, "less than or equal to"),
    operator("_in", Form::Any("="), On::Listable, "equal to one of the list"),
    operator("_nin", Form::All("<>"), On::Listable, "equal to none of the list"),
    operator("_is_null", Form::IsNull, On::Every, "null, or not null when false"),
    operator("_like", Form::Pattern("~~"), On::Text, "matches the LIKE pattern"),
    operator("_nlike", Form::Pattern("!~~"), On::Text, "does not match the LIKE pattern"),
    operator("_ilike", Form::Pattern("~~*"), On::Text, "matches the LIKE pattern, whatever the case"),
    operator("_nilike", Form::Pattern("!~~*"), On::Text, "does not match the LIKE pattern, whatever the case"),
];

impl Operator {
    /// The operator of that name, for a column of that family.
    pub fn find(spelling: Spelling, name: &str, family: Family, deterministic: bool) -> Option<&'static Operator> {
        let called = |operator: &&Operator| spelling.is_field(operator.name, name);
        OPERATORS.iter().filter(called).find(|operator| operator.is_offered(family, deterministic))
    }

    /// Whether the operator is offered for a family of types. Patterns raise under a nondeterministic collation.
    pub fn is_offered(&self, family: Family, deterministic: bool) -> bool {
        match self.on {
            On::Every => true,
            On::Comparable => family != Family::Opaque,
            On::Listable => !matches!(family, Family::Opaque | Family::Array),
            On::Text => family == Family::Text && deterministic,
        }
    }

    /// Whether the operand is a list.
    pub fn takes_list(&self) -> bool {
        matches!(self.form, Form::Any(_) | Form::All(_))
    }
}
