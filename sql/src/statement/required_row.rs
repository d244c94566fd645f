//! A row that has to be visible to the caller before anything of an operation is answered or written: what an endpoint
//! of the rest map requires.

use crate::graphql::variables::{Template, VariablePath};
use crate::postgres::catalog::{Catalog, ColumnId, TableId};
use crate::postgres::types::Scalar;
use crate::statement::{Operand, OperandRequirement};

/// A row that has to be visible to the caller. Another's row and one that does not exist are the same: not visible.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// Its table.
    pub table: TableId,
    /// The only column of the table's primary key.
    pub column: ColumnId,
    /// The variable that holds the key: one that the operation declares, or one beside those.
    pub parameter: String,
}

impl Requirement {
    /// The row of a table that a variable holds the key of; none where the primary key is not one column.
    pub fn of(catalog: &Catalog, table: TableId, parameter: &str) -> Option<Requirement> {
        let found = catalog.table(table);
        match found.primary_key()?.columns.as_slice() {
            [column] => Some(Requirement { table, column: found.find(column)?, parameter: parameter.to_owned() }),
            _ => None,
        }
    }

    /// The type of the key, and so of a variable that stands beside those of the operation.
    pub fn scalar(&self, catalog: &Catalog) -> Scalar {
        Scalar::of(catalog, catalog.table(self.table).column(self.column).r#type)
    }

    /// The key, as a value of that type which is not null.
    pub(crate) fn operand(&self, catalog: &Catalog) -> Operand {
        let scalar = self.scalar(catalog);
        Operand {
            name: self.parameter.clone(),
            path: format!("$.variables.{}", self.parameter),
            value: Template::Variable(VariablePath::variable(&self.parameter)),
            need: OperandRequirement::Value(scalar.input),
            expected: format!("{}!", scalar.name),
        }
    }
}
