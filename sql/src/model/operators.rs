//! The operators of `where` conditions, as tables: GraphQL name, SQL template, operand, applicable
//! types.
//!
//! The schema, the resolver, the renderer and the reference page `docs/operators.md` are generated
//! from these tables. To add an operator whose operand is a value, a list or an object of values,
//! add a row.

use crate::model::names::Spelling;
use crate::postgres::types::Scalar;

mod operator;
mod table;
mod spatial;
mod path;
mod search;
pub(crate) mod regular;

pub use operator::{
    ApplicableTypes, Object, ObjectField, OperandShape, Operator, OperatorKind, Pattern, RowCost,
    Type,
};
pub use path::{PATH_TYPES, PathType};
pub use search::Mode;

/// Every operator, in schema order.
pub fn all() -> impl Iterator<Item = &'static Operator> {
    table::OPERATORS.iter().chain(spatial::OPERATORS)
}

/// The operator `_eq`, which lookups by key use.
pub fn equal() -> &'static Operator {
    &table::EQUAL
}

impl Operator {
    /// The operator of that name for a column of that type, if the type has one.
    pub fn find(
        spelling: Spelling,
        name: &str,
        scalar: &Scalar,
        deterministic: bool,
    ) -> Option<&'static Operator> {
        let called = |operator: &&Operator| spelling.is_field(operator.name, name);
        all()
            .filter(called)
            .find(|operator| operator.is_offered(scalar, deterministic))
    }
}
