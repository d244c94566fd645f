//! Operations that require a row to be visible, and the variable that contains its key. Endpoints
//! of the REST map add the requirement; the statement checks it.

use std::sync::Arc;

use super::variable_definition::Declared;
use super::{Operation, Resolve};
use crate::error::{Cause, Error};
use crate::model::access::Access;
use crate::resolve::selection::Required;
use crate::schema::Schema;
use crate::statement::required_row::Requirement;

impl Operation {
    /// Adds a row that must be visible to the caller before any part of the operation is executed.
    /// If the operation does not declare the variable that contains the key, the variable is added
    /// as required, with the key's type.
    pub fn requiring(mut self, access: &Access, requirement: Arc<Requirement>) -> Operation {
        let name = &requirement.parameter;
        if !self.variables.iter().any(|declared| declared.name == *name) {
            let r#type = access
                .model()
                .table(requirement.table)
                .column(requirement.column)
                .r#type;
            self.variables
                .push(Declared::beside(Schema::new(access), name, r#type));
        }
        self.used.insert(name.clone());
        Operation {
            requirement: Some(requirement),
            ..self
        }
    }

    /// The row that the operation requires.
    pub fn requirement(&self) -> Option<&Arc<Requirement>> {
        self.requirement.as_ref()
    }
}

impl<'m> Resolve<'_, 'm> {
    /// The required row with its key as a parameter. It is never visible to a role that may not
    /// read the table's rows.
    pub(super) fn required(&self, requirement: &Requirement) -> Result<Required, Error> {
        let table = requirement.table;
        let column = requirement.column;
        if !self.schema.access().may_read_rows(table) {
            return Err(Cause::Required.under("$"));
        }
        let catalog = self.schema.model().catalog();
        let parameter = self.parameter(requirement.operand(catalog))?;
        Ok(Required::new(catalog, table, column, parameter))
    }
}
