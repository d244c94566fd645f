//! The row that an endpoint of the REST map requires: it must be visible to the caller before any
//! part of the operation is executed.
//!
//! In a query, the first arm of a `UNION ALL` looks for the row and raises an assertion if there is
//! none; a condition on the query's rows would be skipped where Postgres sees beforehand that there
//! are none. The arm reads from a CTE, so that no parallel worker gets it. In a mutation it is the
//! first step. The key column needs no grant; a role without a grant on the table sees no row.

use crate::graphql::variables::{Template, VariablePath};
use crate::postgres::catalog::{Catalog, ColumnId, TableId};
use crate::postgres::types::Scalar;
use crate::statement::{Operand, OperandRequirement};

/// A row that must be visible to the caller. A row that belongs to another user and a row that does
/// not exist give the same error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// The table of the row.
    pub table: TableId,
    /// The only column of the table's primary key.
    pub column: ColumnId,
    /// The variable that contains the key: one that the operation declares, or an additional one.
    pub parameter: String,
}

impl Requirement {
    /// Requires the row of a table whose key a variable contains. Returns `None` unless the primary
    /// key is one column.
    pub fn new(catalog: &Catalog, table: TableId, parameter: &str) -> Option<Requirement> {
        let found = catalog.table(table);
        match found.primary_key()?.columns.as_slice() {
            [column] => Some(Requirement {
                table,
                column: found.find(column)?,
                parameter: parameter.to_owned(),
            }),
            _ => None,
        }
    }

    /// The type of the key, and so of an additional variable.
    pub fn scalar(&self, catalog: &Catalog) -> Scalar {
        Scalar::from_oid(
            catalog,
            catalog.table(self.table).column(self.column).r#type,
        )
    }

    /// The key as a non-null operand.
    pub(crate) fn operand(&self, catalog: &Catalog) -> Operand {
        let scalar = self.scalar(catalog);
        Operand {
            name: self.parameter.clone(),
            path: format!("$.variables.{}", self.parameter),
            value: Template::Variable(VariablePath::variable(&self.parameter)),
            requirement: OperandRequirement::Value(scalar.input),
            expected: format!("{}!", scalar.name).into(),
        }
    }
}
