//! `_related`: what becomes of rows that relations lead to, along with an update.

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::{Cause, Error};
use crate::model::Relation;
use crate::postgres::catalog::TableId;
use crate::resolve::selection::{Filter, RelatedChange, RelatedKind};
use crate::schema::{InputMeaning, InputObject, TypeKey};

/// How deep changes of related rows may stand inside each other; conditions on relations may as deep.
const DEPTH: usize = 10;

impl<'a, 'm: 'a> Resolve<'a, 'm> {
    /// The changes that a `t_related_input` means, in the order in which they are given.
    pub(super) fn related_changes(
        &self,
        table: TableId,
        given: &InputValue<'a>,
        depth: usize,
        at: &ErrorPath,
    ) -> Result<Vec<RelatedChange<'m>>, Error> {
        if depth > DEPTH {
            let limit = "changes of related rows inside each other";
            return Err(at.error(Cause::Limit { limit, value: DEPTH }));
        }
        let input = InputObject::Related(table);
        let mut changes = Vec::new();
        for (key, value) in self.present(input, given, at)? {
            let at = at.key(key);
            let field = self.schema.input_field(input, key).ok_or_else(|| self.unknown_key(input, key, &at))?;
            let (InputMeaning::Relation(relation), TypeKey::Input(input)) = (field.meaning, field.r#type.named) else {
                return Err(self.unknown_key(input, key, &at));
            };
            for (key, value) in self.present(input, &value, &at)? {
                let at = at.key(key);
                for change in self.related_kinds((table, relation), input, key, &value, depth, &at)? {
                    changes.push(RelatedChange { relation, path: at.path.clone(), change });
                }
            }
        }
        Ok(changes)
    }

    /// The changes that one key of a relation's `…_change_input` means.
    fn related_kinds(
        &self,
        (owner, relation): (TableId, &'m Relation),
        input: InputObject,
        key: &str,
        given: &InputValue<'a>,
        depth: usize,
        at: &ErrorPath,
    ) -> Result<Vec<RelatedKind<'m>>, Error> {
        let field = self.schema.input_field(input, key).ok_or_else(|| self.unknown_key(input, key, at))?;
        let (table, named) = (relation.to, field.r#type.named);
        let rows = || {
            self.count_update(at)?;
            self.related_rows(table, named, given, at)
        };
        let one = match field.meaning {
            InputMeaning::RelatedUpdate if field.r#type.list => {
                let updates = self.updates(table, given, depth, at)?;
                return Ok(updates.into_iter().map(RelatedKind::Update).collect());
            }
            InputMeaning::RelatedUpdate => Some(RelatedKind::Update(self.row_change(table, given, depth, at)?)),
            InputMeaning::RelatedInsert => {
                self.count_update(at)?;
                Some(RelatedKind::Insert(self.insert_related(owner, relation, given, at)?))
            }
            InputMeaning::RelatedDelete => rows()?.map(RelatedKind::Delete),
            InputMeaning::Link => rows()?.map(RelatedKind::Link),
            InputMeaning::Unlink => rows()?.map(RelatedKind::Unlink),
            _ => return Err(self.unknown_key(input, key, at)),
        };
        Ok(one.into_iter().collect())
    }

    /// Which of the related rows are meant: those that pass a condition, or, where there is one at most, that one or none.
    fn related_rows(
        &self,
        table: TableId,
        named: TypeKey,
        given: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Option<Filter<'m>>, Error> {
        match named {
            TypeKey::Input(input) => {
                let parts = self.parts_of_object(input, given, at)?;
                self.condition_of(table, &parts, at).map(Some)
            }
            _ => Ok(self.boolean(given, at)?.then(|| Filter::And(Vec::new()))),
        }
    }

    /// The keys of an object that are not null.
    fn present(
        &self,
        input: InputObject,
        given: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<(&'a str, InputValue<'a>)>, Error> {
        let mut given = self.object(&self.object_of(given, input, at)?, at, VariableUse::Shape)?;
        given.retain(|(_, value)| !value.is_null());
        Ok(given)
    }
}
