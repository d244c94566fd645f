//! Resolves `t_group`: the grouping keys, the filter, `having`, the order, and the fields selected
//! from each group. [`super::read`] resolves the aggregate fields.

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use super::read::MergedFields;
use crate::error::{Cause, Error, RequestLimit};
use crate::postgres::catalog::{ColumnId, TableId};
use crate::resolve::selection::{Count, GroupBy, GroupField, Groups};
use crate::schema::{
    Bucket, Direction, Enum, FieldDefinition, InputMeaning, InputObject, Meaning, Object,
};

/// The grouping columns, some of them truncated to a bucket.
type Keys = Vec<(ColumnId, Option<Bucket>)>;

impl<'a, 'm> Resolve<'a, 'm> {
    pub(super) fn groups(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Groups<'m>, Error> {
        let argument =
            |name, other, reads| self.argument(fields, definition, name, other, reads, at);
        let filter = match argument("where", "where", VariableUse::Shape)? {
            Some((input_value, at)) => {
                Some(self.bounded(self.filter(table, &input_value, &at)?, &at)?)
            }
            None => None,
        };
        let having = match argument("having", "having", VariableUse::Shape)? {
            Some((input_value, at)) => {
                Some(self.bounded(self.having(table, &input_value, &at)?, &at)?)
            }
            None => None,
        };
        let keys = self.group_keys(table, fields, definition, at)?;
        let order = match argument("order_by", "orderBy", VariableUse::Whole)? {
            Some((input_value, at)) => self.group_order(table, &keys, &input_value, &at)?,
            None => Vec::new(),
        };
        let limit = self.count(fields, "limit", at)?;
        let offset = self
            .count(fields, "offset", at)?
            .filter(|offset| !matches!(offset, Count::Number(0)));
        let object = Object::Group(table);
        let group = |fields: &MergedFields<'a>| self.group_field(table, &keys, fields, at);
        let fields = self.selected(object, fields, GroupField::Constant, group)?;
        Ok(Groups {
            table,
            filter,
            keys,
            having,
            order,
            limit,
            offset,
            fields,
        })
    }

    /// Resolves `by` and `bucket`. A column can be only one key.
    fn group_keys(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Keys, Error> {
        let mut keys = Keys::new();
        if let Some((input_value, at)) =
            self.argument(fields, definition, "by", "by", VariableUse::Whole, at)?
        {
            for (i, column) in self
                .select_columns(table, &input_value, &at)?
                .into_iter()
                .enumerate()
            {
                add_key(&mut keys, (column, None), &at.item(i))?;
            }
        }
        if let Some((input_value, at)) = self.argument(
            fields,
            definition,
            "bucket",
            "bucket",
            VariableUse::Whole,
            at,
        )? {
            for (field, value, at) in
                self.order_fields(InputObject::Buckets(table), &input_value, &at)?
            {
                let InputMeaning::Column(column) = field.meaning else {
                    continue;
                };
                let of = Enum::Bucket(self.schema.spelling(table));
                let name = self.enum_value(&value, &at, &self.enum_name(of))?;
                let unknown = || {
                    at.error(at.unknown_value(self.enum_name(of), name, &self.schema.values(of)))
                };
                let bucket = Bucket::find(name).ok_or_else(unknown)?;
                add_key(&mut keys, (column, Some(bucket)), &at)?;
            }
        }
        Ok(keys)
    }

    fn group_order(
        &self,
        table: TableId,
        keys: &Keys,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<(GroupBy, Direction)>, Error> {
        let mut order = Vec::new();
        for (i, item) in self
            .list(input_value, VariableUse::Whole)
            .into_iter()
            .enumerate()
        {
            if !item.is_null() {
                self.group_order_object(table, keys, &item, &at.item(i), &mut order)?;
            }
        }
        if order.len() > MOST_KEYS {
            Err(at.error(Cause::Limit {
                limit: RequestLimit::GroupOrders,
                value: MOST_KEYS,
            }))
        } else {
            Ok(order)
        }
    }

    fn group_order_object(
        &self,
        table: TableId,
        keys: &Keys,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        order: &mut Vec<(GroupBy, Direction)>,
    ) -> Result<(), Error> {
        for (field, value, at) in
            self.order_fields(InputObject::GroupOrderBy(table), input_value, at)?
        {
            let inner = match field.meaning {
                InputMeaning::GroupKey => InputObject::GroupKeyOrderBy(table),
                InputMeaning::Function(function) => InputObject::FunctionOrderBy(table, function),
                _ => {
                    order.push((GroupBy::Count, self.direction(&field, &value, &at)?));
                    continue;
                }
            };
            for (column_field, value, at) in self.order_fields(inner, &value, &at)? {
                let InputMeaning::Column(column) = column_field.meaning else {
                    continue;
                };
                let by = match field.meaning {
                    InputMeaning::Function(function) => GroupBy::Function(function, column),
                    _ => GroupBy::Key(self.key_place(keys, column, &at)?),
                };
                order.push((by, self.direction(&column_field, &value, &at)?));
            }
        }
        Ok(())
    }

    fn key_place(&self, keys: &Keys, column: ColumnId, at: &ErrorPath) -> Result<usize, Error> {
        let index = keys.iter().position(|(key, _)| *key == column);
        index.ok_or_else(|| {
            at.error(Cause::NotGrouped {
                column: at.name().to_owned(),
            })
        })
    }

    fn group_field(
        &self,
        table: TableId,
        keys: &Keys,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<GroupField, Error> {
        let (definition, at) = self.definition(Object::Group(table), fields, at)?;
        match definition.meaning {
            Meaning::GroupKey => Ok(GroupField::Key(self.group_key(table, keys, fields, &at)?)),
            _ => Ok(GroupField::Fields(self.calculations(table, fields, &at)?)),
        }
    }

    #[allow(clippy::type_complexity)]
    fn group_key(
        &self,
        table: TableId,
        keys: &Keys,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<(String, Result<usize, String>)>, Error> {
        let object = Object::GroupKey(table);
        self.selected(object, fields, Err, |fields| {
            match self.definition(object, fields, at)? {
                (
                    FieldDefinition {
                        meaning: Meaning::Column(column),
                        ..
                    },
                    at,
                ) => self.key_place(keys, column, &at).map(Ok),
                (_, at) => Err(at.error(Cause::NotGrouped {
                    column: at.name().to_owned(),
                })),
            }
        })
    }
}

/// The maximum number of order keys.
const MOST_KEYS: usize = 100;

/// Adds a key. A key that is already present is not added twice.
fn add_key(keys: &mut Keys, key: (ColumnId, Option<Bucket>), at: &ErrorPath) -> Result<(), Error> {
    match keys.iter().find(|(column, _)| *column == key.0) {
        Some(known) if *known == key => Ok(()),
        Some(_) => Err(at.error(Cause::Together {
            one: "'by'",
            other: "'bucket' of the same column",
        })),
        None => {
            keys.push(key);
            Ok(())
        }
    }
}
