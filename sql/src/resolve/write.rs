//! Resolves the root fields of mutations: the fields that they return. Their changes are resolved
//! in [`super::insert`] and [`super::change`].

use super::Resolve;
use super::input::ErrorPath;
use super::read::{MergedFields, unknown};
use crate::error::{Cause, Error, RequestLimit};
use crate::model::Root;
use crate::model::names::RootKind;
use crate::postgres::catalog::TableId;
use crate::resolve::selection::{Change, Outcome, ResponseField, ResponseKind, Write};
use crate::schema::{FieldDefinition, Meaning, Object, TypeKey};

/// The maximum number of returned fields and of conditions in them, counted once for each update of
/// a list: a statement of its own returns the fields of each update.
const MAX_RETURNED_FIELDS: usize = 20_000;

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves a root field that writes rows.
    pub(super) fn write(
        &self,
        root: &'m Root,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Write<'m>, Error> {
        let table = root.table;
        let change = match root.kind {
            RootKind::Insert | RootKind::InsertOne => {
                Change::Insert(self.insert(root, fields, definition, at)?)
            }
            RootKind::Update => Change::Update(vec![self.update(table, fields, definition, at)?]),
            RootKind::UpdateOne => {
                Change::Update(vec![self.update_one(table, fields, definition, at)?])
            }
            RootKind::UpdateMany => {
                Change::Update(self.update_many(table, fields, definition, at)?)
            }
            RootKind::Delete => Change::Delete(self.delete(table, fields, definition, at)?),
            RootKind::DeleteOne => Change::Delete(self.delete_one(table, fields, at)?),
            _ => {
                return Err(unknown(
                    at,
                    &self.schema.name(TypeKey::Object(Object::Mutation)),
                ));
            }
        };
        let before = self.selected_count();
        let outcome = self.outcome(root, fields, at)?;
        if let (Change::Update(updates), Outcome::Responses(_)) = (&change, &outcome) {
            self.responses
                .set(self.responses.get() + updates.len() * (self.selected_count() - before));
            if self.responses.get() > MAX_RETURNED_FIELDS {
                let limit = RequestLimit::UpdateFields;
                return Err(at.error(Cause::Limit {
                    limit,
                    value: MAX_RETURNED_FIELDS,
                }));
            }
        }
        Ok(Write {
            path: at.path(),
            change,
            outcome,
        })
    }

    /// The number of fields and conditions that the request has selected so far.
    fn selected_count(&self) -> usize {
        let (columns, relations) = self.conditions.get();
        self.fields.get() + columns + relations
    }

    fn outcome(
        &self,
        root: &Root,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Outcome<'m>, Error> {
        Ok(match root.kind {
            RootKind::InsertOne | RootKind::UpdateOne | RootKind::DeleteOne => {
                Outcome::Row(self.fields(root.table, fields, at)?)
            }
            RootKind::UpdateMany => Outcome::Responses(self.response(root.table, fields, at)?),
            _ => Outcome::Response(self.response(root.table, fields, at)?),
        })
    }

    /// Resolves the fields of `t_mutation_response`.
    fn response(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<ResponseField<'m>>, Error> {
        let object = Object::Response(table);
        let kinds = self.selected(object, fields, ResponseKind::Constant, |fields| {
            let (definition, at) = self.definition(object, fields, at)?;
            match definition.meaning {
                Meaning::AffectedRows => Ok(ResponseKind::AffectedRows),
                Meaning::Returning => Ok(ResponseKind::Returning(self.fields(table, fields, &at)?)),
                _ => Err(unknown(&at, &self.schema.name(TypeKey::Object(object)))),
            }
        })?;
        Ok(kinds
            .into_iter()
            .map(|(key, kind)| ResponseField { key, kind })
            .collect())
    }
}
