//! The input types of inserts: rows, nested rows, and `on_conflict`. Which columns they contain is
//! decided by [`super::writable`].

use super::*;

impl<'a> Schema<'a> {
    /// The columns and relations of `t_insert_input`. A table without insertable columns still
    /// accepts `{}`.
    pub(super) fn insert_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let columns = self.insertable_columns(table).into_iter();
        let columns = columns.map(|(column, name)| self.column_input(table, column, name));
        let relations = self
            .model
            .exposed(table)
            .map(|exposed| exposed.relations.iter())
            .into_iter()
            .flatten();
        let mut fields: Vec<_> = columns
            .chain(relations.filter_map(|relation| self.nested(table, relation)))
            .collect();
        if fields.is_empty() {
            fields.push(nothing());
        }
        fields
    }

    pub(super) fn insert_field(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        let exposed = self.model.exposed(table)?;
        let found = match exposed.member(name) {
            Some(RowMember::Column(column)) => {
                let name = exposed
                    .column_name(column)
                    .filter(|_| self.is_insertable(table, column))?;
                Some(self.column_input(table, column, name))
            }
            Some(RowMember::Relation(relation)) => self.nested(table, relation),
            _ => None,
        };
        let empty = || {
            self.insert_fields(table)
                .into_iter()
                .find(|field| field.name == name)
        };
        if name == PLACEHOLDER { empty() } else { found }
    }

    pub(super) fn column_input(
        &self,
        table: TableId,
        column: ColumnId,
        name: &'a str,
    ) -> InputField<'a> {
        let r#type = TypeRef::nullable(self.column_named(table, column));
        InputField {
            name,
            r#type,
            meaning: InputMeaning::Column(column),
        }
    }

    /// The field for nested rows, if the role may insert them and no preset sets the columns of the
    /// relation.
    fn nested(&self, table: TableId, relation: &'a Relation) -> Option<InputField<'a>> {
        self.inserts(table)
            .filter(|_| self.inserts(relation.to).is_some())?;
        let mut columns = relation.on.iter();
        let free = if self.holds_key(table, relation) {
            columns.all(|(here, _)| self.is_free_in_inserts(table, *here))
        } else {
            columns.all(|(_, there)| self.is_free_in_inserts(relation.to, *there))
        };
        let named = match relation.kind {
            RelationKind::Array => InputObject::ArrayInsert(relation.to),
            RelationKind::Object { .. } => InputObject::ObjectInsert(relation.to),
        };
        let r#type = TypeRef::nullable(TypeKey::Input(named));
        free.then_some(InputField {
            name: &relation.name,
            r#type,
            meaning: InputMeaning::Relation(relation),
        })
    }

    /// Whether the type is that of a nested insert which the role may use.
    pub(super) fn is_nested(&self, named: TypeKey) -> bool {
        let (TypeKey::Input(InputObject::ObjectInsert(to))
        | TypeKey::Input(InputObject::ArrayInsert(to))) = named
        else {
            return false;
        };
        let mut relations = self.relations_to(to);
        let takes = |field: InputField<'_>| field.r#type.named == named;
        relations.any(|(table, _, relation)| self.nested(table, relation).is_some_and(takes))
    }

    /// The fields `data` and `on_conflict` of `t_obj_rel_insert_input` and
    /// `t_arr_rel_insert_input`.
    pub(super) fn nested_fields(&self, table: TableId, data: TypeRef) -> Vec<InputField<'a>> {
        let conflict = self.has_conflicts(table).then(|| InputField {
            name: self.spelling(table).field("on_conflict"),
            r#type: TypeRef::nullable(TypeKey::Input(InputObject::OnConflict(table))),
            meaning: InputMeaning::OnConflict,
        });
        std::iter::once(InputField {
            name: "data",
            r#type: data,
            meaning: InputMeaning::Data,
        })
        .chain(conflict)
        .collect()
    }

    pub(super) fn conflict_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let constraint = TypeRef::required(TypeKey::Enum(Enum::Constraint(table)));
        let columns = TypeRef::required_list(TypeKey::Enum(Enum::UpdateColumn(table)));
        let mut fields = vec![
            InputField {
                name: "constraint",
                r#type: constraint,
                meaning: InputMeaning::Constraint,
            },
            InputField {
                name: self.spelling(table).field("update_columns"),
                r#type: columns,
                meaning: InputMeaning::UpdateColumns,
            },
        ];
        // A role that only inserts has no conditions on the table.
        fields.extend(
            self.has_conditions(table)
                .then(|| self.condition_field(table, false)),
        );
        fields
    }

    pub(super) fn condition_field(&self, table: TableId, required: bool) -> InputField<'a> {
        let named = TypeKey::Input(InputObject::BoolExp(table));
        let r#type = TypeRef {
            required,
            ..TypeRef::nullable(named)
        };
        InputField {
            name: "where",
            r#type,
            meaning: InputMeaning::Where,
        }
    }
}

/// The name of the placeholder in a type that would otherwise be empty.
pub(super) const PLACEHOLDER: &str = "_PLACEHOLDER";

fn nothing<'a>() -> InputField<'a> {
    let r#type = TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::Boolean));
    InputField {
        name: PLACEHOLDER,
        r#type,
        meaning: InputMeaning::Nothing,
    }
}
