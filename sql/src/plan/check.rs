//! What has to be true of rows that are written, by the role's grant.

use crate::model::access::Rule;
use crate::postgres::catalog::Table;

/// A check of rows.
#[derive(Clone, Debug)]
pub struct Check<'m> {
    /// The number of the rows in the statement.
    pub rows: u32,
    /// Their table.
    pub table: &'m Table,
    /// What has to be true of each.
    pub rule: &'m Rule,
    /// The place in the request.
    pub path: String,
}
