//! Root fields of mutations: what is written is left to the files of its kinds, what is answered stands here.

use super::Resolve;
use super::input::ErrorPath;
use super::read::{MergedFields, unknown};
use crate::error::{Cause, Error};
use crate::model::Root;
use crate::model::names::RootKind;
use crate::postgres::catalog::TableId;
use crate::resolve::selection::{Change, Outcome, ResponseField, ResponseKind, Write};
use crate::schema::{FieldDefinition, Meaning, Object, TypeKey};

/// The most fields and conditions of answers, counted once for each update of a list: each update answers by a statement
/// of its own.
const ANSWERS: usize = 20_000;

impl<'a, 'm> Resolve<'a, 'm> {
    /// A root field that writes rows.
    pub(super) fn write(
        &self,
        root: &'m Root,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Write<'m>, Error> {
        let table = root.table;
        let change = match root.kind {
            RootKind::Insert | RootKind::InsertOne => Change::Insert(self.insert(root, fields, definition, at)?),
            RootKind::Update => Change::Update(vec![self.update(table, fields, definition, at)?]),
            RootKind::UpdateOne => Change::Update(vec![self.update_one(table, fields, definition, at)?]),
            RootKind::UpdateMany => Change::Update(self.update_many(table, fields, definition, at)?),
            RootKind::Delete => Change::Delete(self.delete(table, fields, definition, at)?),
            RootKind::DeleteOne => Change::Delete(self.delete_one(table, fields, at)?),
            _ => return Err(unknown(at, &self.schema.name(TypeKey::Object(Object::Mutation)))),
        };
        let before = self.asked();
        let outcome = self.outcome(root, fields, at)?;
        if let (Change::Update(updates), Outcome::Responses(_)) = (&change, &outcome) {
            self.answers.set(self.answers.get() + updates.len() * (self.asked() - before));
            if self.answers.get() > ANSWERS {
                let limit = "fields that all updates of a request answer";
                return Err(at.error(Cause::Limit { limit, value: ANSWERS }));
            }
        }
        Ok(Write { path: at.path.clone(), change, outcome })
    }

    /// How many fields and conditions the request has asked for so far.
    fn asked(&self) -> usize {
        let (columns, relations) = self.conditions.get();
        self.fields.get() + columns + relations
    }

    fn outcome(&self, root: &Root, fields: &MergedFields<'a>, at: &ErrorPath) -> Result<Outcome<'m>, Error> {
        Ok(match root.kind {
            RootKind::InsertOne | RootKind::UpdateOne | RootKind::DeleteOne => {
                Outcome::Row(self.fields(root.table, fields, at)?)
            }
            RootKind::UpdateMany => Outcome::Responses(self.response(root.table, fields, at)?),
            _ => Outcome::Response(self.response(root.table, fields, at)?),
        })
    }

    /// The fields of `t_mutation_response`.
    fn response(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<ResponseField<'m>>, Error> {
        let object = Object::Response(table);
        let kinds = self.selected(object, fields, ResponseKind::Constant, |fields| {
            let (definition, at) = self.definition(object, fields, &at.path)?;
            match definition.meaning {
                Meaning::AffectedRows => Ok(ResponseKind::AffectedRows),
                Meaning::Returning => Ok(ResponseKind::Returning(self.fields(table, fields, &at)?)),
                _ => Err(unknown(&at, &self.schema.name(TypeKey::Object(object)))),
            }
        })?;
        Ok(kinds.into_iter().map(|(key, kind)| ResponseField { key, kind }).collect())
    }
}
