//! What the check of vacuous conditions remembers while a rule is rendered.

use std::ops::Range;

/// The state of the check of one rule.
#[derive(Default)]
pub(super) struct VacuousConditions {
    /// Whether a term is being rendered: an operand of AND, OR and NOT.
    pub(super) in_term: bool,
    /// Whether a condition of a SELECT is being rendered.
    pub(super) in_filter: bool,
    /// Subqueries whose value the current term uses, and which depend on nothing outside of them.
    pub(super) constant: Vec<Subquery>,
    /// Unqualified names that are also a column of a table in an outer scope.
    pub(super) shadows: Vec<Shadow>,
    /// The meanings of the expressions that the columns of the next SELECT are compared with.
    pub(super) sought: Vec<Option<String>>,
    /// Whether a subquery reads tables, other than in a named rule without arguments.
    pub(super) reads_tables: bool,
    /// The number of tables that the rule has named so far.
    pub(super) tables: usize,
}

/// A subquery that reads no column of an outer scope.
pub(super) struct Subquery {
    pub(super) span: Range<usize>,
    pub(super) reads_session: bool,
    pub(super) shadow: Option<Shadow>,
}

/// An unqualified name in a condition of a subquery, and the tables in outer scopes that have such
/// a column.
#[derive(Clone)]
pub(super) struct Shadow {
    /// The number of named rules being expanded around it; each has its own scopes.
    pub(super) depth: usize,
    /// The level of the table that the name resolves to.
    pub(super) level: usize,
    pub(super) column: String,
    pub(super) inner: String,
    /// The tables in outer scopes, with their levels, innermost first; last the row's own table,
    /// which has no level.
    pub(super) outer: Vec<(Option<usize>, String)>,
    pub(super) span: Range<usize>,
}
