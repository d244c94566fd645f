//! Resolves `on_conflict`: the key that decides whether a row exists already, and the columns that are then updated.
//! Inserts at every level use it.

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::{Cause, Error, NameKind};
use crate::postgres::catalog::{ColumnId, TableId};
use crate::resolve::selection::OnConflict;
use crate::schema::{Enum, InputMeaning, InputObject, TypeKey};

/// The only value of a column enum that has no columns.
const PLACEHOLDER: &str = "_PLACEHOLDER";

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves a `t_on_conflict`.
    pub(super) fn on_conflict(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<OnConflict<'m>, Error> {
        let input = InputObject::OnConflict(table);
        let (mut key, mut columns, mut filter) = (None, Vec::new(), None);
        for (name, value) in self.entries(&self.object_of(input_value, input, at)?, at)? {
            let at = at.key(name);
            let field = self.schema.input_field(input, name).ok_or_else(|| self.unknown_key(input, name, &at))?;
            match field.meaning {
                InputMeaning::Constraint => {
                    let expected = self.schema.name(TypeKey::Enum(Enum::Constraint(table)));
                    key = Some(self.constraint(table, &self.whole(&value, &expected, &at)?, &at)?);
                }
                InputMeaning::UpdateColumns => {
                    if let Some(value) = self.read(&value, VariableUse::Whole) {
                        columns = self.update_columns(table, &value, &at)?;
                    }
                }
                _ => {
                    if let Some(value) = self.read(&value, VariableUse::Shape).filter(|value| !value.is_null()) {
                        filter = Some(self.bounded(self.filter(table, &value, &at)?, &at)?);
                    }
                }
            }
        }
        let missing = || at.error(Cause::Missing { kind: NameKind::Field, name: "constraint".into() });
        Ok(OnConflict { key: key.ok_or_else(missing)?, columns, filter })
    }

    /// The columns of the key with that name.
    fn constraint(&self, table: TableId, input_value: &InputValue<'a>, at: &ErrorPath) -> Result<Vec<ColumnId>, Error> {
        let of = Enum::Constraint(table);
        let expected = self.schema.name(TypeKey::Enum(of));
        let name = self.enum_value(input_value, at, &expected)?;
        let entry = self.schema.model().table(table);
        let key = self.schema.constraints(table).into_iter().find(|key| key.name == name);
        let columns = key.and_then(|key| key.columns.iter().map(|column| entry.find(column)).collect());
        columns.ok_or_else(|| at.error(at.unknown_value(expected, name, &self.schema.values(of))))
    }

    fn update_columns(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<ColumnId>, Error> {
        let of = Enum::UpdateColumn(table);
        let expected = self.schema.name(TypeKey::Enum(of));
        if input_value.is_null() {
            return Err(at.wrong_type(input_value, format!("[{expected}!]!")));
        }
        let mut columns = Vec::new();
        for (i, item) in self.list(input_value, VariableUse::Whole).into_iter().enumerate() {
            let at = at.item(i);
            if self.enum_value(&item, &at, &expected)? == PLACEHOLDER {
                return Err(at.error(Cause::Placeholder));
            }
            let column = self.enum_column(of, &item, &at)?;
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        Ok(columns)
    }
}
