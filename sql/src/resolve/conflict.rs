//! Resolves `on_conflict`: the unique index that decides whether a row exists already, and the
//! columns that are then updated. Inserts at every level use it.

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::{Cause, Error, NameKind};
use crate::postgres::catalog::{ArbiterIndex, ColumnId, TableId};
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
        let mut arbiter = None;
        let mut columns = Vec::new();
        let mut filter = None;
        for (name, value) in self.entries(&self.object_of(input_value, input, at)?, at)? {
            let at = at.key(name);
            let field = self
                .schema
                .input_field(input, name)
                .ok_or_else(|| self.unknown_key(input, name, &at))?;
            match field.meaning {
                InputMeaning::Constraint => {
                    let expected = self.schema.name(TypeKey::Enum(Enum::Constraint(table)));
                    arbiter = Some(self.arbiter_index(
                        table,
                        &self.whole(&value, &expected, &at)?,
                        &at,
                    )?);
                }
                InputMeaning::UpdateColumns => {
                    if let Some(value) = self.read(&value, VariableUse::Whole) {
                        columns = self.update_columns(table, &value, &at)?;
                    }
                }
                _ => {
                    let given = self
                        .read(&value, VariableUse::Shape)
                        .filter(|value| !value.is_null());
                    if let Some(given) = given {
                        filter = Some(self.bounded(self.filter(table, &given, &at)?, &at)?);
                    }
                    self.require_variables(&value, &at)?;
                }
            }
        }
        let missing = || {
            at.error(Cause::Missing {
                kind: NameKind::Field,
                name: "constraint".into(),
            })
        };
        Ok(OnConflict {
            arbiter: arbiter.ok_or_else(missing)?,
            columns,
            filter,
        })
    }

    /// The unique index with that name.
    fn arbiter_index(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<ArbiterIndex<'m>, Error> {
        let of = Enum::Constraint(table);
        let expected = self.schema.name(TypeKey::Enum(of));
        let name = self.enum_value(input_value, at, &expected)?;
        let found = self
            .schema
            .arbiter_indexes(table)
            .into_iter()
            .find(|index| index.name() == name);
        found.ok_or_else(|| at.error(at.unknown_value(expected, name, &self.schema.values(of))))
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
        for (i, item) in self
            .list(input_value, VariableUse::Whole)
            .into_iter()
            .enumerate()
        {
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
