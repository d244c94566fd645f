//! The input types of changes of related rows: `t_related_input` and its helper types. The changes
//! offered depend on the role's grants on the related table.

use super::*;
use crate::model::DefaultExposure;

pub(super) const RELATED: &str = "_related";

impl<'a> Schema<'a> {
    pub(super) fn related_field(&self, table: TableId) -> Option<InputField<'a>> {
        self.is_related_to(table).then(|| InputField {
            name: self.spelling(table).field(RELATED),
            r#type: TypeRef::nullable(TypeKey::Input(InputObject::Related(table))),
            meaning: InputMeaning::Related,
        })
    }

    /// Whether an update of the table can also change related rows.
    pub(super) fn is_related_to(&self, table: TableId) -> bool {
        let mut relations = self
            .model
            .exposed(table)
            .map(|exposed| exposed.relations.iter())
            .into_iter()
            .flatten();
        relations.any(|relation| self.relation_field(table, relation, 0).is_some())
    }

    /// The relations of `t_related_input`.
    pub(super) fn related_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let relations = self
            .model
            .exposed(table)
            .map(|exposed| exposed.relations.iter())
            .into_iter()
            .flatten();
        relations
            .zip(0..)
            .filter_map(|(relation, index)| self.relation_field(table, relation, index))
            .collect()
    }

    pub(super) fn related_named(&self, table: TableId, name: &str) -> Option<InputField<'a>> {
        let mut relations = self.model.exposed(table)?.relations.iter().zip(0..);
        let (relation, index) = relations.find(|(relation, _)| relation.name == name)?;
        self.relation_field(table, relation, index)
    }

    pub(super) fn relation_field(
        &self,
        table: TableId,
        relation: &'a Relation,
        index: u32,
    ) -> Option<InputField<'a>> {
        let offered =
            self.model.offer() == DefaultExposure::Everything && self.updates(table).is_some();
        (offered && !self.related_changes(table, relation).is_empty()).then(|| InputField {
            name: &relation.name,
            r#type: TypeRef::nullable(TypeKey::Input(InputObject::RelatedChange(table, index))),
            meaning: InputMeaning::Relation(relation),
        })
    }

    /// The possible changes of the rows of the relation with that index.
    pub(super) fn related_change_fields(&self, table: TableId, index: u32) -> Vec<InputField<'a>> {
        let relation = self
            .model
            .exposed(table)
            .and_then(|exposed| exposed.relations.get(index as usize));
        relation
            .map(|relation| self.related_changes(table, relation))
            .unwrap_or_default()
    }

    fn related_changes(&self, table: TableId, relation: &'a Relation) -> Vec<InputField<'a>> {
        let to = relation.to;
        let many = relation.kind == RelationKind::Array;
        let input = |input, many| TypeRef {
            list: many,
            ..TypeRef::nullable(TypeKey::Input(input))
        };
        let filter = input(InputObject::RelatedWhere(to), false);
        let all = if many {
            filter
        } else {
            TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::Boolean))
        };
        let changes = if many {
            InputObject::Updates(to)
        } else {
            InputObject::RowChange(to)
        };
        let (sets, unlinks) = self.links(table, relation);
        // A row that this table's foreign key is to reference must be looked up first.
        let links = sets && (!self.holds_key(table, relation) || self.shows_rows(to));
        let fields = [
            (
                "delete",
                all,
                InputMeaning::RelatedDelete,
                self.deletes(to).is_some(),
            ),
            (
                "insert",
                input(InputObject::Insert(to), many),
                InputMeaning::RelatedInsert,
                self.inserts_related(table, relation),
            ),
            ("link", filter, InputMeaning::Link, links),
            ("unlink", all, InputMeaning::Unlink, unlinks),
            (
                "update",
                input(changes, many),
                InputMeaning::RelatedUpdate,
                self.changes(to),
            ),
        ];
        let offered = fields.into_iter().filter(|(.., offered)| *offered);
        offered
            .map(|(name, r#type, meaning, _)| InputField {
                name,
                r#type,
                meaning,
            })
            .collect()
    }

    /// Whether the foreign key columns of the relation may be set, and whether they may be set to
    /// null.
    fn links(&self, table: TableId, relation: &Relation) -> (bool, bool) {
        let holds = self.holds_key(table, relation);
        let mut ends = relation.on.iter().map(|(here, there)| {
            if holds {
                (table, *here)
            } else {
                (relation.to, *there)
            }
        });
        let links = ends
            .clone()
            .all(|(table, column)| self.is_updatable(table, column));
        (
            links,
            links && ends.any(|(table, column)| self.model.table(table).column(column).nullable),
        )
    }

    /// Whether the role may insert rows of the relation: no preset sets the relation's columns.
    fn inserts_related(&self, table: TableId, relation: &Relation) -> bool {
        let free = || {
            relation
                .on
                .iter()
                .all(|(_, there)| self.is_free_in_inserts(relation.to, *there))
        };
        self.inserts(relation.to).is_some()
            && if self.holds_key(table, relation) {
                self.links(table, relation).0
            } else {
                free()
            }
    }

    pub(super) fn related_where_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        vec![self.condition_field(table, true)]
    }

    /// Whether a change of related rows uses the type.
    pub(super) fn is_related(&self, named: TypeKey) -> bool {
        let TypeKey::Input(
            InputObject::Updates(to)
            | InputObject::RowChange(to)
            | InputObject::RelatedWhere(to)
            | InputObject::Insert(to),
        ) = named
        else {
            return false;
        };
        let mut relations = self.relations_to(to).filter(|(table, index, relation)| {
            self.relation_field(*table, relation, *index).is_some()
        });
        let takes = |field: InputField<'_>| field.r#type.named == named;
        relations.any(|(table, _, relation)| {
            self.related_changes(table, relation).into_iter().any(takes)
        })
    }

    /// The relations to a table from tables that the role may write, with their indexes.
    pub(super) fn relations_to(
        &self,
        to: TableId,
    ) -> impl Iterator<Item = (TableId, u32, &'a Relation)> {
        let all = self.writable().flat_map(|exposed| {
            let relations = exposed.relations.iter().zip(0..);
            relations.map(|(relation, index)| (exposed.table, index, relation))
        });
        all.filter(move |(_, _, relation)| relation.to == to)
    }
}
