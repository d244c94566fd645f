//! The operators of conditions, in tables: GraphQL's name, how it is written in SQL, what it takes, for which types.
//!
//! The schema, the resolver, the renderer and the reference page `docs/operators.md` are all made from these tables. A row
//! is enough for an operator that takes a value, a list or an object of values of some types.

use crate::model::names::Spelling;
use crate::postgres::types::{Class, Family, Scalar};

mod table;
mod spatial;
mod path;
mod search;
pub(crate) mod regular;

pub use path::{PATH_TYPES, PathType};
pub use search::Mode;

/// An operator of a `…_comparison_exp`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Operator {
    /// Its name in GraphQL, in snake case: `_eq`.
    pub name: &'static str,
    /// How it is written in SQL. In braces stand: `{x}` what is compared; `{}` the operand, or `{field}` a field of an
    /// operand that is an object; `{schema}` the schema of the type; and operators like `{@>}`, which get the schema of
    /// the type's own operators where these are an extension's. All else is written as it is, and must not depend on the
    /// search path: what could be found elsewhere is written `OPERATOR(pg_catalog.@>)`.
    pub sql: &'static str,
    /// What is given for it.
    pub takes: OperandShape,
    /// The types it is offered for.
    pub on: ApplicableTypes,
    /// What evaluating it on a row takes, and so what of the row that may reveal beside the result.
    pub cost: RowCost,
    /// What it means, for the schema and the reference page.
    pub about: &'static str,
}

/// What evaluating an operator on one row takes, beside what its types may do.
///
/// A caller can measure it. So it decides whether a condition may be evaluated on rows that a row rule hides
/// ([`crate::plan::Predicate::work`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowCost {
    /// As long as a comparison for equality.
    Equality,
    /// As long as a comparison by order, which reads both values up to where they differ.
    Order,
    /// As long as a comparison by order, where the operand is a pattern that only asks for a beginning (`abc%`). Other patterns
    /// take time that depends on pattern and value.
    Prefix,
    /// Time that depends on operand and stored value, without a bound.
    Varies,
    /// It may raise depending on stored data, and take any time.
    Raises,
}

/// What is given for an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandShape {
    /// A value.
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
    /// Conditions on the column as one of these types, by name: `_cast: {String: {…}}`.
    Cast(&'static [(&'static str, Type)]),
    /// Conditions on what lies at a path inside JSON, as a type: `_path: {at: ["a"], as: Int, _gt: 3}`.
    Path,
    /// A search in texts: `_fts: {query: "…", config: "english", mode: PLAIN}`.
    Search,
}

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// That of the column.
    Same,
    /// That of the elements of an array, or of the values that a range is over.
    Element,
    /// `text`
    Text,
    /// `float8`
    Float,
    /// `int4`
    Int,
    /// `bool`
    Boolean,
    /// The type of that name in the schema of the column's type. Where it is not there, the operator is not offered.
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
    /// Its name, in GraphQL in snake case and in the operator's SQL.
    pub name: &'static str,
    /// Its type.
    pub r#type: Type,
    /// The SQL that stands for it where it is not given; none when it has to be.
    pub default: Option<&'static str>,
}

/// The kinds of patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// For `LIKE`.
    Like,
    /// For `SIMILAR TO`.
    Similar,
    /// A regular expression.
    Regular,
}

/// The types an operator is offered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApplicableTypes {
    /// All of them.
    Every,
    /// Those with equality and order.
    Comparable,
    /// Those of them that a list can hold.
    Listable,
    /// Those of [`ApplicableTypes::Comparable`] that have an operator `<>`, which PostGIS has not.
    Unequal,
    /// Those of [`ApplicableTypes::Listable`] that have it.
    UnequalListable,
    /// The types of PostGIS that can be compared.
    Spatial,
    /// Text, under a collation where equal means the same bytes.
    Text,
    /// The same without `citext`.
    PlainText,
    /// `citext`
    Citext,
    /// The types of a class.
    Class(Class),
}

/// Every operator, in the order in which the schema shows them.
pub fn all() -> impl Iterator<Item = &'static Operator> {
    table::OPERATORS.iter().chain(spatial::OPERATORS)
}

/// `_eq`, by which the row of a key is looked up.
pub fn equal() -> &'static Operator {
    &table::EQUAL
}

impl Operator {
    /// The operator of that name, for a column of that type.
    pub fn find(spelling: Spelling, name: &str, scalar: &Scalar, deterministic: bool) -> Option<&'static Operator> {
        let called = |operator: &&Operator| spelling.is_field(operator.name, name);
        all().filter(called).find(|operator| operator.is_offered(scalar, deterministic))
    }

    /// Whether the operator is offered for a type. Patterns raise under a nondeterministic collation.
    pub fn is_offered(&self, scalar: &Scalar, deterministic: bool) -> bool {
        let text = scalar.family == Family::Text && deterministic;
        let comparable = scalar.family != Family::Opaque;
        let listable = comparable && scalar.family != Family::Array;
        match self.on {
            ApplicableTypes::Every => true,
            ApplicableTypes::Comparable => comparable,
            ApplicableTypes::Listable => listable,
            ApplicableTypes::Unequal => comparable && scalar.spatial.is_none(),
            ApplicableTypes::UnequalListable => listable && scalar.spatial.is_none(),
            ApplicableTypes::Spatial => comparable && scalar.spatial.is_some(),
            ApplicableTypes::Text => text,
            ApplicableTypes::PlainText => text && scalar.builtin,
            ApplicableTypes::Citext => text && !scalar.builtin,
            ApplicableTypes::Class(class) => scalar.class == class,
        }
    }

    /// Whether it may raise depending on stored data, beside what its types may do.
    pub fn raises(&self) -> bool {
        self.cost == RowCost::Raises
    }

    /// The SQL that stands for a field of the operand that is not given.
    pub fn default_of(&self, field: &str) -> Option<&'static str> {
        let OperandShape::Object(object) = self.takes else { return None };
        object.fields.iter().find(|f| f.name == field)?.default
    }

    /// Whether the operand is a list.
    pub fn takes_list(&self) -> bool {
        matches!(self.takes, OperandShape::List(_) | OperandShape::Pair(_))
    }

    /// Whether the operand is looked for in all of a value, so that its length counts for each row.
    pub fn is_pattern(&self) -> bool {
        let queries = |of: Type| matches!(of, Type::Beside("lquery" | "ltxtquery"));
        match self.takes {
            OperandShape::Pattern(_) | OperandShape::Search => true,
            OperandShape::One(of) | OperandShape::List(of) => queries(of),
            _ => false,
        }
    }

    /// Whether all that is given for it is one parameter.
    pub fn takes_parameter(&self) -> bool {
        matches!(
            self.takes,
            OperandShape::One(_) | OperandShape::List(_) | OperandShape::Pair(_) | OperandShape::Pattern(_)
        )
    }
}
