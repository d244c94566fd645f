//! The options of resolving and planning an operation.

use crate::encode::cursor::Secret;

/// How input values are coerced to their types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coercion {
    /// As the GraphQL specification defines it.
    #[default]
    Strict,
    /// As Hasura does it: variables are checked where they are used, an omitted variable is null, a
    /// declared variable may be unused, and a column accepts any text that Postgres accepts for its
    /// type.
    Loose,
}

/// The options of [`super::Operation::select`], beside the variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Whether limits in variables become parameters instead of numbers in the text.
    pub limit_parameters: bool,
    /// Whether bigint, numeric and double precision values are encoded as strings.
    pub stringify_numbers: bool,
    /// The secret with which cursors are authenticated.
    pub cursors: Secret,
    /// The approximate maximum size of a mutation's lists in bytes. A mutation whose result is
    /// larger is rolled back.
    pub answer_bytes: Option<usize>,
    /// The maximum size of a request's values in bytes, in the form that is sent to Postgres.
    pub value_bytes: Option<usize>,
    /// The coercion of input values; it must be the one passed to
    /// [`super::Operation::validate_as`].
    pub coercion: Coercion,
    /// How lists are read whose row rule is a membership.
    pub memberships: MembershipStrategy,
    /// How nested lists are read.
    pub lists: NestedListStrategy,
}

/// How lists are read whose row rule is a membership. Every strategy returns the same rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MembershipStrategy {
    /// Chosen by the statistics in the catalog.
    #[default]
    ByStatistics,
    /// Through the memberships wherever that is correct.
    Always,
    /// With the rule as a condition.
    Never,
}

/// How nested lists are read from Postgres. Every strategy gives the same response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NestedListStrategy {
    /// As levels if that is expected to be cheaper and the root has few rows, otherwise as records.
    #[default]
    Chosen,
    /// As levels wherever that is possible.
    Levels,
    /// As arrays of records inside the parent rows.
    Records,
}
