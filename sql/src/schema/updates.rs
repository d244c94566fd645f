//! The input types of updates: operators, `if_match`, and primary keys. Which columns they contain
//! is decided by [`super::writable`].

use super::related::RELATED;
use super::*;
use crate::model::update_operators::UpdateOperator;

impl<'a> Schema<'a> {
    /// Whether an update can change anything: columns, or related rows.
    pub(super) fn is_changed(&self, table: TableId) -> bool {
        self.changes(table) || self.is_related_to(table)
    }

    /// The fields for the operators, `if_match` and `_related`, sorted by name.
    pub(super) fn change_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        if self.updates(table).is_none() {
            return Vec::new();
        }
        let modifiers = self
            .modifiers(table)
            .into_iter()
            .map(|modifier| self.modifier_field(table, modifier));
        let mut fields: Vec<_> = modifiers
            .chain(self.match_field(table))
            .chain(self.related_field(table))
            .collect();
        fields.sort_by_key(|field| field.name);
        fields
    }

    fn change_field(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        let spelling = self.spelling(table);
        self.updates(table)?;
        if spelling.is_field(MATCH, name) {
            return self.match_field(table);
        }
        if spelling.is_field(RELATED, name) {
            return self.related_field(table);
        }
        let (modifier, _) = UpdateOperator::ALL
            .into_iter()
            .find(|(_, word)| spelling.is_field(word, name))?;
        (!self.assignable(table, modifier).is_empty()).then(|| self.modifier_field(table, modifier))
    }

    fn modifier_field(&self, table: TableId, modifier: UpdateOperator) -> InputField<'a> {
        InputField {
            name: self.spelling(table).field(modifier.name()),
            r#type: TypeRef::nullable(TypeKey::Input(InputObject::Assign(table, modifier))),
            meaning: InputMeaning::Assign(modifier),
        }
    }

    fn match_field(&self, table: TableId) -> Option<InputField<'a>> {
        let mut columns = self.columns(table).into_iter();
        columns
            .any(|(column, _)| self.is_matched(table, column))
            .then(|| InputField {
                name: self.spelling(table).field(MATCH),
                r#type: TypeRef::nullable(TypeKey::Input(InputObject::Match(table))),
                meaning: InputMeaning::Match,
            })
    }

    /// The columns of `t_set_input` and of the other operators' inputs.
    pub(super) fn assign_fields(
        &self,
        table: TableId,
        modifier: UpdateOperator,
    ) -> Vec<InputField<'a>> {
        let columns = self.updatable_columns(table).into_iter();
        columns
            .filter_map(|(column, name)| self.assign_input(table, column, name, modifier))
            .collect()
    }

    pub(super) fn assign_field(
        &self,
        table: TableId,
        modifier: UpdateOperator,
        name: &str,
    ) -> Option<InputField<'a>> {
        let exposed = self.model.exposed(table)?;
        let column = exposed
            .column(name)
            .filter(|column| self.is_updatable(table, *column))?;
        self.assign_input(table, column, exposed.column_name(column)?, modifier)
    }

    fn assign_input(
        &self,
        table: TableId,
        column: ColumnId,
        name: &'a str,
        modifier: UpdateOperator,
    ) -> Option<InputField<'a>> {
        let r#type = self.assigned_type(table, column, modifier)?;
        Some(InputField {
            name,
            r#type,
            meaning: InputMeaning::Column(column),
        })
    }

    /// The GraphQL type of an operator's operand for a column.
    fn assigned_type(
        &self,
        table: TableId,
        column: ColumnId,
        modifier: UpdateOperator,
    ) -> Option<TypeRef> {
        let oid = self.assigned(table, column, modifier)?;
        Some(match modifier {
            UpdateOperator::Set => TypeRef::nullable(self.column_named(table, column)),
            UpdateOperator::DeleteKey => TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::String)),
            UpdateOperator::DeleteElem => TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::Int)),
            UpdateOperator::DeleteAtPath => TypeRef::list(TypeKey::BuiltIn(BuiltIn::String)),
            UpdateOperator::Mul if oid != self.model.table(table).column(column).r#type => {
                TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::Float))
            }
            _ => TypeRef::nullable(TypeKey::Scalar(oid)),
        })
    }

    pub(super) fn match_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let columns = self.match_columns(table).into_iter();
        columns
            .map(|(column, name)| self.column_input(table, column, name))
            .collect()
    }

    pub(super) fn match_column_field(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        let exposed = self.model.exposed(table)?;
        let column = exposed
            .column(name)
            .filter(|column| self.is_matched(table, *column))?;
        Some(self.column_input(table, column, exposed.column_name(column)?))
    }

    pub(super) fn key_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let columns = self.key_columns(table).unwrap_or_default().into_iter();
        let required = |field: InputField<'a>| TypeRef {
            required: true,
            ..field.r#type
        };
        let fields = columns.map(|(column, name)| self.column_input(table, column, name));
        fields
            .map(|field| InputField {
                r#type: required(field.clone()),
                ..field
            })
            .collect()
    }

    pub(super) fn updates_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        self.change_fields(table)
            .into_iter()
            .chain([self.condition_field(table, true)])
            .collect()
    }

    pub(super) fn updates_field(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        if name == "where" {
            Some(self.condition_field(table, true))
        } else {
            self.change_field(table, name)
        }
    }

    pub(super) fn row_change_field(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        self.change_field(table, name)
    }
}

const MATCH: &str = "if_match";
