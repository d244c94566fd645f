//! Resolves streams: `batch_size`, the cursor with its first value, and the condition.

use std::sync::Arc;

use super::Resolve;
use super::input::{ErrorPath, VariableUse};
use super::read::{MergedFields, argument};
use crate::error::{Cause, Error, NameKind, RequestLimit};
use crate::postgres::catalog::{ColumnId, TableId};
use crate::resolve::selection::{Arguments, Order, OrderBy, Rows, Term};
use crate::schema::{
    CURSOR_ORDERINGS, Direction, Enum, FieldDefinition, InputMeaning, InputObject, TypeKey, TypeRef,
};
use crate::statement::{Operand, OperandRequirement};

/// The most columns of a cursor. Each may occur once.
const MAX_CURSOR_COLUMNS: usize = 8;

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves a stream to its rows, in the order of the cursor and then of the key.
    pub(super) fn stream(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Rows<'m>, Error> {
        let mut arguments = Arguments::default();
        if let Some((value, at)) =
            self.argument(fields, definition, "where", "where", VariableUse::Shape, at)?
        {
            arguments.filter = Some(self.bounded(self.filter(table, &value, &at)?, &at)?);
        }
        let spelling = self.schema.spelling(table);
        arguments.limit = self.batch_size(fields, spelling.field("batch_size"), at)?;
        self.cursors(table, fields, at, &mut arguments)?;
        for key in self.key_order(table, at)? {
            let OrderBy::Value(Term::Column(column)) = key.by else {
                continue;
            };
            if !arguments.order.iter().any(|order| is_column(order, column)) {
                arguments.order.push(key);
                arguments.position.push(None);
            }
        }
        Ok(Rows {
            table,
            arguments,
            fields: self.fields(table, fields, at)?,
        })
    }

    /// Resolves `cursor`: columns, each with its first value and its direction. The columns of one
    /// object are in the order of the table, with those of the key at the end.
    fn cursors(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
        arguments: &mut Arguments<'m>,
    ) -> Result<(), Error> {
        let at = at.argument("cursor");
        let missing = |name: &str, at: &ErrorPath| {
            at.error(Cause::Missing {
                kind: NameKind::Field,
                name: name.to_owned(),
            })
        };
        let cursor =
            argument(fields, "cursor").and_then(|value| self.given(value, VariableUse::Shape));
        let cursor = cursor.ok_or_else(|| missing("cursor", &at))?;
        let initial = self.schema.spelling(table).field("initial_value");
        let keys: Vec<ColumnId> = self
            .primary_key(table, &at)?
            .into_iter()
            .map(|(column, _)| column)
            .collect();
        for (i, item) in self
            .list(&cursor, VariableUse::Shape)
            .into_iter()
            .enumerate()
            .filter(|(_, item)| !item.is_null())
        {
            let at = at.item(i);
            let parts = self.object(
                &self.object_of(&item, InputObject::StreamCursor(table), &at)?,
                &at,
                VariableUse::Shape,
            )?;
            let part = |name: &str| {
                parts
                    .iter()
                    .find(|(key, value)| *key == name && !value.is_null())
                    .map(|(_, value)| value)
            };
            let direction = match part("ordering") {
                None => Direction::Asc,
                Some(value) => {
                    let expected = self.schema.name(TypeKey::Enum(Enum::CursorOrdering(
                        self.schema.spelling(table),
                    )));
                    let at = at.key("ordering");
                    let value = self
                        .read(value, VariableUse::Whole)
                        .unwrap_or_else(|| value.clone());
                    let name = self.enum_value(&value, &at, &expected)?;
                    let found = CURSOR_ORDERINGS.iter().find(|(known, _)| *known == name);
                    let values = || {
                        CURSOR_ORDERINGS
                            .iter()
                            .map(|(known, _)| (*known).to_owned())
                            .collect()
                    };
                    let wrong = || Cause::UnknownEnumValue {
                        name: at.name().to_owned(),
                        expected: expected.clone(),
                        found: name.to_owned(),
                        values: values(),
                    };
                    found.ok_or_else(|| at.error(wrong()))?.1
                }
            };
            let input = InputObject::StreamCursorValue(table);
            let value = part(initial).ok_or_else(|| missing(initial, &at))?;
            let at = at.key(initial);
            let mut columns = Vec::new();
            for (key, value) in self.entries(&self.object_of(value, input, &at)?, &at)? {
                let at = at.key(key);
                let field = self
                    .schema
                    .input_field(input, key)
                    .ok_or_else(|| self.unknown_key(input, key, &at))?;
                let InputMeaning::Column(column) = field.meaning else {
                    continue;
                };
                let is_full = arguments.order.len() + columns.len() >= MAX_CURSOR_COLUMNS;
                if is_full || arguments.order.iter().any(|order| is_column(order, column)) {
                    return Err(at.error(Cause::Limit {
                        limit: RequestLimit::StreamCursors,
                        value: MAX_CURSOR_COLUMNS,
                    }));
                }
                let r#type = self.schema.model().table(table).column(column).r#type;
                let requirement =
                    OperandRequirement::Value(self.schema.scalar(r#type).input.clone());
                let expected = self
                    .schema
                    .written(TypeRef::required(TypeKey::Scalar(r#type)));
                let name = at.name().to_owned();
                let path = at.path();
                let start = Operand {
                    name,
                    path,
                    value: self.template(&value),
                    requirement,
                    expected: expected.into(),
                };
                columns.push((column, start));
            }
            // The members of an input object have no order, so it does not decide: the key stands
            // last.
            columns.sort_by_key(|(column, _)| (keys.iter().position(|key| key == column), *column));
            for (column, start) in columns {
                arguments.order.push(Order {
                    by: OrderBy::Value(Term::Column(column)),
                    direction,
                });
                arguments.position.push(Some(Arc::new(start)));
            }
        }
        if arguments.position.is_empty() {
            Err(missing(initial, &at))
        } else {
            Ok(())
        }
    }
}

fn is_column(order: &Order<'_>, column: ColumnId) -> bool {
    matches!(order.by, OrderBy::Value(Term::Column(known)) if known == column)
}
