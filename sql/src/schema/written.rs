//! The names of the types that only mutations use, in both directions. All other names are in
//! [`super::named`].

use std::collections::HashSet;

use super::*;
use crate::model::update_operators::UpdateOperator;

/// Makes the key of a helper type for a table.
type Helper = fn(TableId) -> TypeKey;

/// The suffixes of helper types' names.
const HELPERS: [(&str, Helper); 14] = [
    ("mutation_response", |t| {
        TypeKey::Object(Object::Response(t))
    }),
    ("insert_input", |t| TypeKey::Input(InputObject::Insert(t))),
    ("obj_rel_insert_input", |t| {
        TypeKey::Input(InputObject::ObjectInsert(t))
    }),
    ("arr_rel_insert_input", |t| {
        TypeKey::Input(InputObject::ArrayInsert(t))
    }),
    ("on_conflict", |t| {
        TypeKey::Input(InputObject::OnConflict(t))
    }),
    ("constraint", |t| TypeKey::Enum(Enum::Constraint(t))),
    ("update_column", |t| TypeKey::Enum(Enum::UpdateColumn(t))),
    ("pk_columns_input", |t| {
        TypeKey::Input(InputObject::KeyColumns(t))
    }),
    ("updates", |t| TypeKey::Input(InputObject::Updates(t))),
    ("if_match_input", |t| TypeKey::Input(InputObject::Match(t))),
    ("related_input", |t| TypeKey::Input(InputObject::Related(t))),
    ("related_where_input", |t| {
        TypeKey::Input(InputObject::RelatedWhere(t))
    }),
    ("change_input", |t| {
        TypeKey::Input(InputObject::RowChange(t))
    }),
    // The condition of a write to a table that the role may not read.
    ("bool_exp", |t| TypeKey::Input(InputObject::BoolExp(t))),
];

impl<'a> Schema<'a> {
    /// The name of an input type of mutations.
    pub(super) fn input_name(&self, input: InputObject) -> Option<String> {
        let (table, ending) = match input {
            InputObject::Insert(table) => (table, "insert_input".into()),
            InputObject::InsertAs(_, index) => return self.model.root_at(index)?.input.clone(),
            InputObject::ObjectInsert(table) => (table, "obj_rel_insert_input".into()),
            InputObject::ArrayInsert(table) => (table, "arr_rel_insert_input".into()),
            InputObject::OnConflict(table) => (table, "on_conflict".into()),
            InputObject::KeyColumns(table) => (table, "pk_columns_input".into()),
            InputObject::Updates(table) => (table, "updates".into()),
            InputObject::Match(table) => (table, "if_match_input".into()),
            InputObject::Related(table) => (table, "related_input".into()),
            InputObject::RelatedWhere(table) => (table, "related_where_input".into()),
            InputObject::RowChange(table) => (table, "change_input".into()),
            InputObject::Assign(table, modifier) => (table, format!("{}_input", word(modifier))),
            InputObject::RelatedChange(table, position) => {
                let relation = self
                    .model
                    .exposed(table)?
                    .relations
                    .get(position as usize)?;
                (table, related(relation))
            }
            _ => return None,
        };
        Some(self.model.exposed(table)?.helper(&ending))
    }

    /// The type with that name that only mutations use, except scalars.
    pub(super) fn mutation_named(&self, name: &str) -> Option<TypeKey> {
        self.mutation_helper(name)
            .or_else(|| self.renamed_input(name))
            .or_else(|| self.related_change(name))
    }

    fn mutation_helper(&self, name: &str) -> Option<TypeKey> {
        let endings = self
            .writable()
            .filter_map(|exposed| Some((exposed.table, exposed.suffix(name)?)));
        let mut helpers = endings.filter_map(|(table, ending)| helper(table, &ending));
        helpers.find(|named| self.is_written_type(*named))
    }

    /// Whether the role's mutations use a type.
    fn is_written_type(&self, named: TypeKey) -> bool {
        match named {
            TypeKey::Object(Object::Response(table)) => self.responds(table),
            TypeKey::Input(InputObject::Insert(table)) => self.inserts(table).is_some(),
            TypeKey::Input(InputObject::ObjectInsert(_) | InputObject::ArrayInsert(_)) => {
                self.is_nested(named)
            }
            TypeKey::Input(InputObject::OnConflict(table))
            | TypeKey::Enum(Enum::Constraint(table) | Enum::UpdateColumn(table)) => {
                self.has_conflicts(table)
            }
            TypeKey::Input(InputObject::KeyColumns(table)) => self.updates_by_key(table),
            TypeKey::Input(InputObject::Updates(table)) => {
                self.updates_many(table) || self.is_related(named)
            }
            TypeKey::Input(InputObject::RowChange(_) | InputObject::RelatedWhere(_)) => {
                self.is_related(named)
            }
            TypeKey::Input(InputObject::Assign(table, modifier)) => {
                !self.assignable(table, modifier).is_empty()
            }
            TypeKey::Input(InputObject::Match(table)) => {
                self.updates(table).is_some()
                    && self.is_changed(table)
                    && !self.match_columns(table).is_empty()
            }
            TypeKey::Input(InputObject::Related(table)) => self.is_related_to(table),
            TypeKey::Input(InputObject::BoolExp(table)) => self.is_changed_by_condition(table),
            _ => false,
        }
    }

    /// Whether the role may write conditions on the table, in reads or in writes.
    pub(super) fn has_conditions(&self, table: TableId) -> bool {
        self.open(table).is_some() || self.is_changed_by_condition(table)
    }

    /// Whether the role updates or deletes rows by a condition.
    fn is_changed_by_condition(&self, table: TableId) -> bool {
        self.deletes(table).is_some() || self.updates(table).is_some() && self.is_changed(table)
    }

    /// The insert type of a root field whose alias renames it.
    fn renamed_input(&self, name: &str) -> Option<TypeKey> {
        let mut roots = self
            .model
            .roots()
            .zip(0..)
            .filter(|(root, _)| root.input.as_deref() == Some(name));
        let (root, index) = roots.find(|(root, _)| self.is_written_by(root))?;
        Some(TypeKey::Input(InputObject::InsertAs(root.table, index)))
    }

    fn related_change(&self, name: &str) -> Option<TypeKey> {
        let changed = self
            .writable()
            .filter(|exposed| name.starts_with(&exposed.types));
        let fields = changed.flat_map(|exposed| self.related_fields(exposed.table));
        fields
            .map(|field| field.r#type.named)
            .find(|named| self.name(*named) == name)
    }

    /// The columns that the role may write.
    pub(super) fn written_columns(&self) -> impl Iterator<Item = (TableId, ColumnId)> {
        self.writable()
            .map(|exposed| exposed.table)
            .flat_map(move |table| {
                let columns = self
                    .insertable_columns(table)
                    .into_iter()
                    .chain(self.updatable_columns(table));
                columns.map(move |(column, _)| (table, column))
            })
    }

    /// The type of a column that the role may write, or of the elements of an array operator.
    pub(super) fn written_scalar(&self, name: &str) -> Option<TypeKey> {
        let mut seen = HashSet::new();
        let mut is_it = |named: &TypeKey| seen.insert(*named) && self.name(*named) == name;
        self.writable()
            .map(|exposed| exposed.table)
            .find_map(|table| {
                let inserted = self.insertable_columns(table).into_iter();
                let updated = self.updatable_columns(table).into_iter();
                let element = |(column, _): (ColumnId, &str)| {
                    self.assigned(table, column, UpdateOperator::ArrayAppend)
                };
                let elements = updated.clone().filter_map(element).map(TypeKey::Scalar);
                let columns = inserted
                    .chain(updated)
                    .map(|(column, _)| self.column_named(table, column));
                columns.chain(elements).find(&mut is_it)
            })
    }
}

/// The helper type of a table by the suffix of its name.
fn helper(table: TableId, ending: &str) -> Option<TypeKey> {
    let plain = HELPERS
        .iter()
        .find(|(known, _)| *known == ending)
        .map(|(_, make)| make(table));
    let assign = || {
        let written = ending.strip_suffix("_input")?;
        let (modifier, _) = UpdateOperator::ALL
            .into_iter()
            .find(|(modifier, _)| word(*modifier) == written)?;
        Some(TypeKey::Input(InputObject::Assign(table, modifier)))
    };
    plain.or_else(assign)
}

/// `set` for `_set`.
fn word(modifier: UpdateOperator) -> &'static str {
    modifier.name().trim_start_matches('_')
}

/// The name contains the relation's name, so that no table name and suffix can produce it.
fn related(relation: &Relation) -> String {
    format!("related_{}_input", relation.name)
}
