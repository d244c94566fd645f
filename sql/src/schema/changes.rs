//! The input types of mutations: rows to insert, conflicts, changes of rows and of rows related to them.

use super::*;
use crate::model::Offer;
use crate::selection::Modifier;

impl<'a> Schema<'a> {
    // ---- inserts

    /// The columns and relations of `t_insert_input`. A table of which nothing may be given still takes `{}`.
    pub(super) fn insert_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let columns = self.insertable_columns(table).into_iter();
        let columns = columns.map(|(column, name)| self.column_input(table, column, name));
        let relations = self.model.exposed(table).map(|exposed| exposed.relations.iter()).into_iter().flatten();
        let mut fields: Vec<_> = columns.chain(relations.filter_map(|relation| self.nested(table, relation))).collect();
        if fields.is_empty() {
            fields.push(nothing());
        }
        fields
    }

    pub(super) fn insert_field(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        let exposed = self.model.exposed(table)?;
        let found = match exposed.member(name) {
            Some(Member::Column(column)) => {
                let name = exposed.column_name(column).filter(|_| self.is_insertable(table, column))?;
                Some(self.column_input(table, column, name))
            }
            Some(Member::Relation(relation)) => self.nested(table, relation),
            _ => None,
        };
        let empty = || self.insert_fields(table).into_iter().find(|field| field.name == name);
        if name == PLACEHOLDER { empty() } else { found }
    }

    fn column_input(&self, table: TableId, column: ColumnId, name: &'a str) -> InputField<'a> {
        let r#type = TypeRef::nullable(self.column_named(table, column));
        InputField { name, r#type, meaning: InputMeaning::Column(column) }
    }

    /// Rows that are inserted along with one, where the role may insert them and no preset says what they belong to.
    fn nested(&self, table: TableId, relation: &'a Relation) -> Option<InputField<'a>> {
        self.inserts(table).filter(|_| self.inserts(relation.to).is_some())?;
        let mut columns = relation.on.iter();
        let free = match self.holds_key(table, relation) {
            true => columns.all(|(here, _)| self.is_free_in_inserts(table, *here)),
            false => columns.all(|(_, there)| self.is_free_in_inserts(relation.to, *there)),
        };
        let named = match relation.kind {
            RelationKind::Array => InputObject::ArrayInsert(relation.to),
            RelationKind::Object { .. } => InputObject::ObjectInsert(relation.to),
        };
        let r#type = TypeRef::nullable(Named::Input(named));
        free.then_some(InputField { name: &relation.name, r#type, meaning: InputMeaning::Relation(relation) })
    }

    /// The relations that lead from tables which the role may write to a table, with their places.
    fn relations_to(&self, to: TableId) -> impl Iterator<Item = (TableId, u32, &'a Relation)> {
        let all = self.writable().flat_map(|exposed| {
            let relations = exposed.relations.iter().zip(0..);
            relations.map(|(relation, place)| (exposed.table, place, relation))
        });
        all.filter(move |(_, _, relation)| relation.to == to)
    }

    /// Whether rows are inserted along with others by a type.
    pub(super) fn is_nested(&self, named: Named) -> bool {
        let (Named::Input(InputObject::ObjectInsert(to)) | Named::Input(InputObject::ArrayInsert(to))) = named else {
            return false;
        };
        let mut relations = self.relations_to(to);
        let takes = |field: InputField<'_>| field.r#type.named == named;
        relations.any(|(table, _, relation)| self.nested(table, relation).is_some_and(takes))
    }

    /// `data` and `on_conflict` of `t_obj_rel_insert_input` and `t_arr_rel_insert_input`.
    pub(super) fn nested_fields(&self, table: TableId, data: TypeRef) -> Vec<InputField<'a>> {
        let conflict = self.has_conflicts(table).then(|| InputField {
            name: self.spelling(table).field("on_conflict"),
            r#type: TypeRef::nullable(Named::Input(InputObject::OnConflict(table))),
            meaning: InputMeaning::OnConflict,
        });
        std::iter::once(InputField { name: "data", r#type: data, meaning: InputMeaning::Data })
            .chain(conflict)
            .collect()
    }

    pub(super) fn conflict_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let constraint = TypeRef::required(Named::Enum(Enum::Constraint(table)));
        let columns = TypeRef::required_list(Named::Enum(Enum::UpdateColumn(table)));
        vec![
            InputField { name: "constraint", r#type: constraint, meaning: InputMeaning::Constraint },
            InputField {
                name: self.spelling(table).field("update_columns"),
                r#type: columns,
                meaning: InputMeaning::UpdateColumns,
            },
            self.condition_field(table, false),
        ]
    }

    fn condition_field(&self, table: TableId, required: bool) -> InputField<'a> {
        let named = Named::Input(InputObject::BoolExp(table));
        let r#type = TypeRef { required, ..TypeRef::nullable(named) };
        InputField { name: "where", r#type, meaning: InputMeaning::Where }
    }

    // ---- updates

    /// Whether an update can change anything: columns, or related rows.
    pub(super) fn is_changed(&self, table: TableId) -> bool {
        self.changes(table) || self.is_related_to(table)
    }

    /// The operators, `if_match` and `_related`, by name.
    pub(super) fn change_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        if self.updates(table).is_none() {
            return Vec::new();
        }
        let modifiers = self.modifiers(table).into_iter().map(|modifier| self.modifier_field(table, modifier));
        let mut fields: Vec<_> = modifiers.chain(self.match_field(table)).chain(self.related_field(table)).collect();
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
        let (modifier, _) = Modifier::ALL.into_iter().find(|(_, word)| spelling.is_field(word, name))?;
        (!self.assignable(table, modifier).is_empty()).then(|| self.modifier_field(table, modifier))
    }

    fn modifier_field(&self, table: TableId, modifier: Modifier) -> InputField<'a> {
        InputField {
            name: self.spelling(table).field(modifier.name()),
            r#type: TypeRef::nullable(Named::Input(InputObject::Assign(table, modifier))),
            meaning: InputMeaning::Assign(modifier),
        }
    }

    fn match_field(&self, table: TableId) -> Option<InputField<'a>> {
        let mut columns = self.columns(table).into_iter();
        columns.any(|(column, _)| self.is_matched(table, column)).then(|| InputField {
            name: self.spelling(table).field(MATCH),
            r#type: TypeRef::nullable(Named::Input(InputObject::Match(table))),
            meaning: InputMeaning::Match,
        })
    }

    fn related_field(&self, table: TableId) -> Option<InputField<'a>> {
        self.is_related_to(table).then(|| InputField {
            name: self.spelling(table).field(RELATED),
            r#type: TypeRef::nullable(Named::Input(InputObject::Related(table))),
            meaning: InputMeaning::Related,
        })
    }

    /// The columns of `t_set_input` and the like.
    pub(super) fn assign_fields(&self, table: TableId, modifier: Modifier) -> Vec<InputField<'a>> {
        let columns = self.updatable_columns(table).into_iter();
        columns.filter_map(|(column, name)| self.assign_input(table, column, name, modifier)).collect()
    }

    pub(super) fn assign_field(&self, table: TableId, modifier: Modifier, name: &str) -> Option<InputField<'a>> {
        let exposed = self.model.exposed(table)?;
        let column = exposed.column(name).filter(|column| self.is_updatable(table, *column))?;
        self.assign_input(table, column, exposed.column_name(column)?, modifier)
    }

    fn assign_input(
        &self,
        table: TableId,
        column: ColumnId,
        name: &'a str,
        modifier: Modifier,
    ) -> Option<InputField<'a>> {
        let r#type = self.assigned_type(table, column, modifier)?;
        Some(InputField { name, r#type, meaning: InputMeaning::Column(column) })
    }

    /// The type of the values by which a column is changed.
    fn assigned_type(&self, table: TableId, column: ColumnId, modifier: Modifier) -> Option<TypeRef> {
        let oid = self.assigned(table, column, modifier)?;
        Some(match modifier {
            Modifier::Set => TypeRef::nullable(self.column_named(table, column)),
            Modifier::DeleteKey => TypeRef::nullable(Named::BuiltIn(BuiltIn::String)),
            Modifier::DeleteElem => TypeRef::nullable(Named::BuiltIn(BuiltIn::Int)),
            Modifier::DeleteAtPath => TypeRef::list(Named::BuiltIn(BuiltIn::String)),
            Modifier::Mul if oid != self.model.table(table).column(column).r#type => {
                TypeRef::nullable(Named::BuiltIn(BuiltIn::Float))
            }
            _ => TypeRef::nullable(Named::Scalar(oid)),
        })
    }

    pub(super) fn match_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let columns = self.match_columns(table).into_iter();
        columns.map(|(column, name)| self.column_input(table, column, name)).collect()
    }

    pub(super) fn match_column_field(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        let exposed = self.model.exposed(table)?;
        let column = exposed.column(name).filter(|column| self.is_matched(table, *column))?;
        Some(self.column_input(table, column, exposed.column_name(column)?))
    }

    pub(super) fn key_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let columns = self.key_columns(table).unwrap_or_default().into_iter();
        let required = |field: InputField<'a>| TypeRef { required: true, ..field.r#type };
        let fields = columns.map(|(column, name)| self.column_input(table, column, name));
        fields.map(|field| InputField { r#type: required(field.clone()), ..field }).collect()
    }

    pub(super) fn updates_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        self.change_fields(table).into_iter().chain([self.condition_field(table, true)]).collect()
    }

    pub(super) fn updates_field(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        if name == "where" { Some(self.condition_field(table, true)) } else { self.change_field(table, name) }
    }

    pub(super) fn row_change_field(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        self.change_field(table, name)
    }

    // ---- related rows

    /// Whether an update can change rows that are related to those of the table.
    pub(super) fn is_related_to(&self, table: TableId) -> bool {
        let mut relations = self.model.exposed(table).map(|exposed| exposed.relations.iter()).into_iter().flatten();
        relations.any(|relation| self.relation_field(table, relation, 0).is_some())
    }

    /// The relations of `t_related_input`.
    pub(super) fn related_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let relations = self.model.exposed(table).map(|exposed| exposed.relations.iter()).into_iter().flatten();
        relations.zip(0..).filter_map(|(relation, place)| self.relation_field(table, relation, place)).collect()
    }

    pub(super) fn related_named(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        let mut relations = self.model.exposed(table)?.relations.iter().zip(0..);
        let (relation, place) = relations.find(|(relation, _)| relation.name == name)?;
        self.relation_field(table, relation, place)
    }

    fn relation_field(&self, table: TableId, relation: &'a Relation, place: u32) -> Option<InputField<'a>> {
        let offered = self.model.offer() == Offer::Everything && self.updates(table).is_some();
        (offered && !self.related_changes(table, relation).is_empty()).then(|| InputField {
            name: &relation.name,
            r#type: TypeRef::nullable(Named::Input(InputObject::RelatedChange(table, place))),
            meaning: InputMeaning::Relation(relation),
        })
    }

    /// What may become of the rows that the relation at that place leads to.
    pub(super) fn related_change_fields(&self, table: TableId, place: u32) -> Vec<InputField<'a>> {
        let relation = self.model.exposed(table).and_then(|exposed| exposed.relations.get(place as usize));
        relation.map(|relation| self.related_changes(table, relation)).unwrap_or_default()
    }

    fn related_changes(&self, table: TableId, relation: &'a Relation) -> Vec<InputField<'a>> {
        let to = relation.to;
        let holds = self.holds_key(table, relation);
        let mut ends = relation.on.iter().map(|(here, there)| if holds { (table, *here) } else { (to, *there) });
        let links = ends.clone().all(|(table, column)| self.is_updatable(table, column));
        let unlinks = links && ends.any(|(table, column)| self.model.table(table).column(column).nullable);
        let free = || holds || relation.on.iter().all(|(_, there)| self.is_free_in_inserts(to, *there));
        let inserts = self.inserts(to).is_some() && (links || !holds) && free();
        let many = relation.kind == RelationKind::Array;
        let insert = Named::Input(InputObject::Insert(to));
        let filter = TypeRef::nullable(Named::Input(InputObject::RelatedWhere(to)));
        let flag = TypeRef::nullable(Named::BuiltIn(BuiltIn::Boolean));
        let all = match many {
            true => [
                ("delete", filter, InputMeaning::RelatedDelete, self.deletes(to).is_some()),
                ("insert", TypeRef::list(insert), InputMeaning::RelatedInsert, inserts),
                ("link", filter, InputMeaning::Link, links),
                ("unlink", filter, InputMeaning::Unlink, unlinks),
                (
                    "update",
                    TypeRef::list(Named::Input(InputObject::Updates(to))),
                    InputMeaning::RelatedUpdate,
                    self.changes(to),
                ),
            ],
            false => [
                ("delete", flag, InputMeaning::RelatedDelete, self.deletes(to).is_some()),
                ("insert", TypeRef::nullable(insert), InputMeaning::RelatedInsert, inserts),
                ("link", filter, InputMeaning::Link, links),
                ("unlink", flag, InputMeaning::Unlink, unlinks),
                (
                    "update",
                    TypeRef::nullable(Named::Input(InputObject::RowChange(to))),
                    InputMeaning::RelatedUpdate,
                    self.changes(to),
                ),
            ],
        };
        let offered = all.into_iter().filter(|(.., offered)| *offered);
        offered.map(|(name, r#type, meaning, _)| InputField { name, r#type, meaning }).collect()
    }

    pub(super) fn related_where_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        vec![self.condition_field(table, true)]
    }

    /// Whether some change of related rows takes the type.
    pub(super) fn is_related(&self, named: Named) -> bool {
        let Named::Input(
            InputObject::Updates(to)
            | InputObject::RowChange(to)
            | InputObject::RelatedWhere(to)
            | InputObject::Insert(to),
        ) = named
        else {
            return false;
        };
        let mut relations = self
            .relations_to(to)
            .filter(|(table, place, relation)| self.relation_field(*table, relation, *place).is_some());
        let takes = |field: InputField<'_>| field.r#type.named == named;
        relations.any(|(table, _, relation)| self.related_changes(table, relation).into_iter().any(takes))
    }
}

/// What stands where a type would be empty.
pub(super) const PLACEHOLDER: &str = "_PLACEHOLDER";

const MATCH: &str = "if_match";
const RELATED: &str = "_related";

fn nothing<'a>() -> InputField<'a> {
    let r#type = TypeRef::nullable(Named::BuiltIn(BuiltIn::Boolean));
    InputField { name: PLACEHOLDER, r#type, meaning: InputMeaning::Nothing }
}
