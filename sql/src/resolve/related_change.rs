//! Resolves `_related`: changes of related rows along with an update. The updates and inserts
//! themselves are resolved by [`super::change`] and [`super::insert`].

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::{Cause, Error, RequestLimit};
use crate::model::Relation;
use crate::postgres::catalog::TableId;
use crate::resolve::selection::{Filter, RelatedChange, RelatedKind};
use crate::schema::{InputMeaning, InputObject, TypeKey};

/// The maximum nesting depth of changes of related rows, equal to that of conditions on relations.
const MAX_DEPTH: usize = 10;

impl<'a, 'm: 'a> Resolve<'a, 'm> {
    /// Resolves a `t_related_input` to changes, in document order.
    pub(super) fn related_changes(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        depth: usize,
        at: &ErrorPath,
    ) -> Result<Vec<RelatedChange<'m>>, Error> {
        if depth > MAX_DEPTH {
            let limit = RequestLimit::NestedChanges;
            return Err(at.error(Cause::Limit {
                limit,
                value: MAX_DEPTH,
            }));
        }
        let input = InputObject::Related(table);
        let mut changes = Vec::new();
        for (key, value) in self.present(input, input_value, at)? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            let (InputMeaning::Relation(relation), TypeKey::Input(input)) =
                (field.meaning, field.r#type.named)
            else {
                return Err(self.unknown_key(input, key, &at));
            };
            for (key, value) in self.present(input, &value, &at)? {
                let at = at.key(key);
                for change in
                    self.related_kinds((table, relation), input, key, &value, depth, &at)?
                {
                    changes.push(RelatedChange {
                        relation,
                        path: at.path(),
                        change,
                    });
                }
            }
        }
        Ok(changes)
    }

    /// Resolves one key of a relation's `…_change_input`.
    fn related_kinds(
        &self,
        (owner, relation): (TableId, &'m Relation),
        input: InputObject,
        key: &str,
        input_value: &InputValue<'a>,
        depth: usize,
        at: &ErrorPath,
    ) -> Result<Vec<RelatedKind<'m>>, Error> {
        let field = self
            .schema
            .input_field(input, key)
            .ok_or_else(|| self.unknown_key(input, key, at))?;
        let table = relation.to;
        let named = field.r#type.named;
        let rows = || {
            self.count_update(at)?;
            self.related_rows(table, named, input_value, at)
        };
        let one = match field.meaning {
            InputMeaning::RelatedUpdate if field.r#type.list => {
                let updates = self.updates(table, input_value, depth, at)?;
                return Ok(updates.into_iter().map(RelatedKind::Update).collect());
            }
            InputMeaning::RelatedUpdate => Some(RelatedKind::Update(self.row_change(
                table,
                input_value,
                depth,
                at,
            )?)),
            InputMeaning::RelatedInsert => {
                self.count_update(at)?;
                Some(RelatedKind::Insert(self.insert_related(
                    owner,
                    relation,
                    input_value,
                    at,
                )?))
            }
            InputMeaning::RelatedDelete => rows()?.map(RelatedKind::Delete),
            InputMeaning::Link => rows()?.map(RelatedKind::Link),
            InputMeaning::Unlink => rows()?.map(RelatedKind::Unlink),
            _ => return Err(self.unknown_key(input, key, at)),
        };
        Ok(one.into_iter().collect())
    }

    /// The filter on the related rows: a condition, or for a relation to one row a Boolean that
    /// selects it.
    fn related_rows(
        &self,
        table: TableId,
        named: TypeKey,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Option<Filter<'m>>, Error> {
        match named {
            TypeKey::Input(input) => {
                let parts = self.parts_of_object(input, input_value, at)?;
                self.condition_of(table, &parts, at).map(Some)
            }
            _ => Ok(self
                .boolean(input_value, at)?
                .then(|| Filter::And(Vec::new()))),
        }
    }

    /// The keys of an object whose value is not null.
    fn present(
        &self,
        input: InputObject,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<(&'a str, InputValue<'a>)>, Error> {
        let mut entries = self.object(
            &self.object_of(input_value, input, at)?,
            at,
            VariableUse::Shape,
        )?;
        entries.retain(|(_, value)| !value.is_null());
        Ok(entries)
    }
}
