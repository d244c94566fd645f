//! The check that the role's grant requires of written rows.

use crate::model::access::Rule;
use crate::postgres::catalog::Table;

/// A check on written rows.
#[derive(Clone, Debug)]
pub struct Check<'m> {
    /// The number of the CTE with the rows.
    pub rows: u32,
    /// Their table.
    pub table: &'m Table,
    /// The rule that each row has to satisfy.
    pub rule: &'m Rule,
    /// The path of the input in the request, for errors.
    pub path: String,
}
