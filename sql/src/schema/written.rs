//! The names of the types that only mutations lead to, both ways.

use std::collections::HashSet;

use super::*;
use crate::modifiers::Modifier;

/// What a helper type of a table is.
type Helper = fn(TableId) -> Named;

/// The endings of helper types' names and what they stand for.
const HELPERS: [(&str, Helper); 14] = [
    ("mutation_response", |t| Named::Object(Object::Response(t))),
    ("insert_input", |t| Named::Input(InputObject::Insert(t))),
    ("obj_rel_insert_input", |t| Named::Input(InputObject::ObjectInsert(t))),
    ("arr_rel_insert_input", |t| Named::Input(InputObject::ArrayInsert(t))),
    ("on_conflict", |t| Named::Input(InputObject::OnConflict(t))),
    ("constraint", |t| Named::Enum(Enum::Constraint(t))),
    ("update_column", |t| Named::Enum(Enum::UpdateColumn(t))),
    ("pk_columns_input", |t| Named::Input(InputObject::KeyColumns(t))),
    ("updates", |t| Named::Input(InputObject::Updates(t))),
    ("if_match_input", |t| Named::Input(InputObject::Match(t))),
    ("related_input", |t| Named::Input(InputObject::Related(t))),
    ("related_where_input", |t| Named::Input(InputObject::RelatedWhere(t))),
    ("change_input", |t| Named::Input(InputObject::RowChange(t))),
    // Of a table that the role may not read, what says which of its rows are written.
    ("bool_exp", |t| Named::Input(InputObject::BoolExp(t))),
];

impl<'a> Schema<'a> {
    /// The name of an input type of mutations.
    pub(super) fn input_name(&self, input: InputObject) -> Option<String> {
        let (table, ending) = match input {
            InputObject::Insert(table) => (table, "insert_input".into()),
            InputObject::InsertAs(_, place) => return self.model.root_at(place)?.input.clone(),
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
            InputObject::RelatedChange(table, place) => {
                let relation = self.model.exposed(table)?.relations.get(place as usize)?;
                (table, related(relation))
            }
            _ => return None,
        };
        Some(self.model.exposed(table)?.helper(&ending))
    }

    /// The type of that name which only mutations lead to, scalars excepted.
    pub(super) fn mutation_named(&self, name: &str) -> Option<Named> {
        self.mutation_helper(name).or_else(|| self.renamed_input(name)).or_else(|| self.related_change(name))
    }

    fn mutation_helper(&self, name: &str) -> Option<Named> {
        let endings = self.writable().filter_map(|exposed| Some((exposed.table, exposed.suffix(name)?)));
        let mut helpers = endings.filter_map(|(table, ending)| helper(table, &ending));
        helpers.find(|named| self.is_written_type(*named))
    }

    /// Whether the role's mutations lead to a type.
    fn is_written_type(&self, named: Named) -> bool {
        match named {
            Named::Object(Object::Response(table)) => self.responds(table),
            Named::Input(InputObject::Insert(table)) => self.inserts(table).is_some(),
            Named::Input(InputObject::ObjectInsert(_) | InputObject::ArrayInsert(_)) => self.is_nested(named),
            Named::Input(InputObject::OnConflict(table))
            | Named::Enum(Enum::Constraint(table) | Enum::UpdateColumn(table)) => self.has_conflicts(table),
            Named::Input(InputObject::KeyColumns(table)) => self.updates_by_key(table),
            Named::Input(InputObject::Updates(table)) => self.updates_many(table) || self.is_related(named),
            Named::Input(InputObject::RowChange(_) | InputObject::RelatedWhere(_)) => self.is_related(named),
            Named::Input(InputObject::Assign(table, modifier)) => !self.assignable(table, modifier).is_empty(),
            Named::Input(InputObject::Match(table)) => {
                self.updates(table).is_some() && self.is_changed(table) && !self.match_columns(table).is_empty()
            }
            Named::Input(InputObject::Related(table)) => self.is_related_to(table),
            Named::Input(InputObject::BoolExp(table)) => {
                self.deletes(table).is_some() || self.updates(table).is_some() && self.is_changed(table)
            }
            _ => false,
        }
    }

    /// The insert type of a root field whose alias gives it a name of its own.
    fn renamed_input(&self, name: &str) -> Option<Named> {
        let mut roots = self.model.roots().zip(0..).filter(|(root, _)| root.input.as_deref() == Some(name));
        let (root, place) = roots.find(|(root, _)| self.is_written_by(root))?;
        Some(Named::Input(InputObject::InsertAs(root.table, place)))
    }

    fn related_change(&self, name: &str) -> Option<Named> {
        let changed = self.writable().filter(|exposed| name.starts_with(&exposed.types));
        let fields = changed.flat_map(|exposed| self.related_fields(exposed.table));
        fields.map(|field| field.r#type.named).find(|named| self.name(*named) == name)
    }

    /// The type of some column that the role may write, or of the elements that change one.
    pub(super) fn written_scalar(&self, name: &str) -> Option<Named> {
        let mut seen = HashSet::new();
        let mut is_it = |named: &Named| seen.insert(*named) && self.name(*named) == name;
        self.writable().map(|exposed| exposed.table).find_map(|table| {
            let inserted = self.insertable_columns(table).into_iter();
            let updated = self.updatable_columns(table).into_iter();
            let element = |(column, _): (ColumnId, &str)| self.assigned(table, column, Modifier::ArrayAppend);
            let elements = updated.clone().filter_map(element).map(Named::Scalar);
            let columns = inserted.chain(updated).map(|(column, _)| self.column_named(table, column));
            columns.chain(elements).find(&mut is_it)
        })
    }
}

/// The helper type of a table whose name ends like this.
fn helper(table: TableId, ending: &str) -> Option<Named> {
    let plain = HELPERS.iter().find(|(known, _)| *known == ending).map(|(_, make)| make(table));
    let assign = || {
        let written = ending.strip_suffix("_input")?;
        let (modifier, _) = Modifier::ALL.into_iter().find(|(modifier, _)| word(*modifier) == written)?;
        Some(Named::Input(InputObject::Assign(table, modifier)))
    };
    plain.or_else(assign)
}

/// `set` of `_set`.
fn word(modifier: Modifier) -> &'static str {
    modifier.name().trim_start_matches('_')
}

/// The relation's name stands inside, so that no table's name and ending make the same.
fn related(relation: &Relation) -> String {
    format!("related_{}_input", relation.name)
}
