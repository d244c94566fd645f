//! A row of the tables of operators.

use crate::postgres::types::{Class, Family, Scalar};

/// An operator of a `…_comparison_exp`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Operator {
    /// The kind, by which the planner and the schema know it.
    pub kind: OperatorKind,
    /// The name in GraphQL, in snake case: `_eq`.
    pub name: &'static str,
    /// The SQL template. Placeholders are in braces: `{x}` is the compared expression; `{}` is the
    /// operand, or `{field}` a field of an operand that is an object; `{schema}` is the schema of
    /// the type; an operator such as `{@>}` is qualified with the schema of the type's operators
    /// where these belong to an extension. The rest is copied and must not depend on the search
    /// path: an operator that another schema could shadow is written `OPERATOR(pg_catalog.@>)`.
    pub sql: &'static str,
    /// The operand.
    pub takes: OperandShape,
    /// The types that have the operator.
    pub on: ApplicableTypes,
    /// The cost of evaluating it on a row, which determines what a caller can learn about the row
    /// from the time that it takes.
    pub cost: RowCost,
    /// The description, for the schema and the reference page.
    pub about: &'static str,
}

/// The kinds of operators that the planner and the schema treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperatorKind {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `= ANY`: equal to one of a list.
    In,
    /// `<> ALL`: equal to none of a list.
    NotIn,
    /// `IS NULL`
    IsNull,
    /// Any other operator.
    Other,
}

/// The cost of evaluating an operator on one row, besides what its types cost.
///
/// A caller can measure it, so it decides whether a condition may be evaluated on rows that a row
/// rule hides ([`crate::plan::Predicate::work`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowCost {
    /// The time of a comparison for equality.
    Equality,
    /// The time of a comparison by order, which reads both values up to the first difference.
    Order,
    /// The time of a comparison by order, if the operand is a pattern that only fixes a prefix
    /// (`abc%`). Other patterns take time that depends on pattern and value.
    Prefix,
    /// Time that depends on operand and stored value, without a limit.
    Varies,
    /// It may raise an error depending on stored data, and take any time.
    Raises,
}

/// The form of an operator's operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandShape {
    /// One value.
    One(Type),
    /// A list of values, none of them null.
    List(Type),
    /// A list of exactly two values, none of them null.
    Pair(Type),
    /// A value of the column's type that is a pattern, checked before it is sent.
    Pattern(Pattern),
    /// A Boolean that decides the text: `IS NULL` or `IS NOT NULL`.
    IsNull,
    /// An object, each field of it a parameter.
    Object(&'static Object),
    /// Conditions on the column cast to one of these types, by name: `_cast: {String: {…}}`.
    Cast(&'static [(&'static str, Type)]),
    /// Conditions on the value at a path inside JSON, as a type: `_path: {at: ["a"], as: Int, _gt:
    /// 3}`.
    Path,
    /// A full-text search: `_fts: {query: "…", config: "english", mode: PLAIN}`.
    Search,
}

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// The type of the column.
    Same,
    /// The element type of an array, or the subtype of a range.
    Element,
    /// `text`
    Text,
    /// `float8`
    Float,
    /// `int4`
    Int,
    /// `bool`
    Boolean,
    /// The type of that name in the schema of the column's type. Without such a type the column
    /// does not have the operator.
    Beside(&'static str),
}

/// An operand that is an object.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// The name of its type in GraphQL, in snake case: `st_d_within_input`.
    pub name: &'static str,
    /// Its fields.
    pub fields: &'static [ObjectField],
}

/// A field of an operand that is an object.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ObjectField {
    /// The name, as the template of the operator has it; GraphQL spells it by convention.
    pub name: &'static str,
    /// Its type.
    pub r#type: Type,
    /// The SQL used if the field is absent; `None` makes it required.
    pub default: Option<&'static str>,
}

/// The kinds of patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// A pattern of `LIKE`.
    Like,
    /// A pattern of `SIMILAR TO`.
    Similar,
    /// A regular expression.
    Regular,
}

/// The types that have an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApplicableTypes {
    /// All types.
    Every,
    /// The types with equality and order.
    Comparable,
    /// The types of [`ApplicableTypes::Comparable`] that can be elements of a list.
    Listable,
    /// The types of [`ApplicableTypes::Comparable`] that have an operator `<>`.
    Unequal,
    /// The types of [`ApplicableTypes::Listable`] that have an operator `<>`.
    UnequalListable,
    /// The types with equality and order that have no operator `<>`: those of PostGIS, and of some
    /// extensions.
    WithoutUnequal,
    /// The types of [`ApplicableTypes::WithoutUnequal`] that can be elements of a list.
    WithoutUnequalListable,
    /// Text, under a deterministic collation, where equal means equal bytes.
    Text,
    /// As [`ApplicableTypes::Text`], without `citext`.
    PlainText,
    /// `citext`
    Citext,
    /// The types of a class.
    Class(Class),
}

impl Operator {
    /// Whether columns of a type have the operator. Patterns raise an error under a
    /// nondeterministic collation.
    pub fn is_offered(&self, scalar: &Scalar, deterministic: bool) -> bool {
        let text = scalar.family == Family::Text && deterministic;
        let text = text && scalar.comparable;
        let comparable = scalar.family != Family::Opaque && scalar.comparable;
        let listable = comparable && scalar.family != Family::Array;
        match self.on {
            ApplicableTypes::Every => true,
            ApplicableTypes::Comparable => comparable,
            ApplicableTypes::Listable => listable,
            ApplicableTypes::Unequal => comparable && scalar.unequal,
            ApplicableTypes::UnequalListable => listable && scalar.unequal,
            ApplicableTypes::WithoutUnequal => comparable && !scalar.unequal,
            ApplicableTypes::WithoutUnequalListable => listable && !scalar.unequal,
            ApplicableTypes::Text => text,
            ApplicableTypes::PlainText => text && !scalar.ignores_case,
            ApplicableTypes::Citext => text && scalar.ignores_case,
            ApplicableTypes::Class(class) => scalar.class == class,
        }
    }

    /// Whether it tests for equality or null and nothing else, as enum values allow.
    pub fn tests_equality(&self) -> bool {
        match self.kind {
            OperatorKind::Equal
            | OperatorKind::NotEqual
            | OperatorKind::In
            | OperatorKind::NotIn
            | OperatorKind::IsNull => true,
            OperatorKind::Other => false,
        }
    }

    /// Whether it may raise an error depending on stored data, besides errors of its types.
    pub fn raises(&self) -> bool {
        self.cost == RowCost::Raises
    }

    /// The SQL that replaces an absent field of the operand.
    pub fn default_of(&self, field: &str) -> Option<&'static str> {
        let OperandShape::Object(object) = self.takes else {
            return None;
        };
        object.fields.iter().find(|f| f.name == field)?.default
    }

    /// Whether the operand is searched for in the whole value, so that its length adds to the cost
    /// of each row.
    pub fn is_pattern(&self) -> bool {
        let queries = |of: Type| matches!(of, Type::Beside("lquery" | "ltxtquery"));
        match self.takes {
            OperandShape::Pattern(_) | OperandShape::Search => true,
            OperandShape::One(of) | OperandShape::List(of) | OperandShape::Pair(of) => queries(of),
            OperandShape::IsNull
            | OperandShape::Object(_)
            | OperandShape::Cast(_)
            | OperandShape::Path => false,
        }
    }
}
