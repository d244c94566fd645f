//! Limits on the rows that one operation inserts. The number of rows is known from the request, so
//! they are checked when the parameters are bound, before any statement runs.

use std::sync::Arc;

use super::rows::ResolvedRows;
use super::{GivenRows, ValueBudget};
use crate::error::{Cause, Error};
use crate::graphql::variables::Variables;

/// The limits of all tables that an operation inserts into.
#[derive(Debug, Default)]
pub struct RowLimits(pub Vec<RowLimit>);

/// A limit on the rows of a table that an operation inserts, over all fields and nested inserts.
#[derive(Debug)]
pub struct RowLimit {
    /// The table's GraphQL name.
    pub table: String,
    /// The limit.
    pub value: u32,
    /// Every position with rows of the table, by any of its batches.
    pub levels: Vec<Arc<GivenRows>>,
}

impl RowLimits {
    /// Rejects an operation that inserts more rows of a table than its limit. The path is that of
    /// the rows that exceed it.
    pub fn check(&self, variables: &Variables, budget: ValueBudget) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut resolved = ResolvedRows::within(budget);
        for RowLimit {
            table,
            value,
            levels,
        } in &self.0
        {
            let mut rows = 0;
            for level in levels {
                rows += resolved.count(level, variables)?;
                if rows > *value as usize {
                    let cause = Cause::Inserted {
                        table: table.clone(),
                        value: *value,
                    };
                    return Err(cause.under(level.path()));
                }
            }
        }
        Ok(())
    }
}
