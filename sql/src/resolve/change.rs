//! Updates and deletes: which rows, what becomes of their columns, and what these have to hold before.
//!
//! What becomes of rows that relations lead to is in [`super::related_change`].

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use super::read::MergedFields;
use super::variable_definition::scalar_input;
use crate::error::{Cause, Error};
use crate::model::operators;
use crate::model::update_operators::UpdateOperator;
use crate::postgres::catalog::{ColumnId, TableId};
use crate::postgres::types::Input;
use crate::resolve::selection::{Assignment, Delete, Expected, Filter, Term, Update};
use crate::schema::{FieldDefinition, InputMeaning, InputObject, TypeKey, TypeRef};
use crate::statement::OperandRequirement;

/// The most updates of an operation, each of which becomes statements; those of related rows among them.
const UPDATES: usize = 1_000;

/// What is given of an update or a delete, by the types of its parts: arguments of a field, or keys of an object.
pub(super) struct Parts<'a> {
    given: Vec<(InputObject, InputValue<'a>, ErrorPath)>,
    source: Source<'a>,
}

/// What holds the parts.
enum Source<'a> {
    /// A field; the arguments with which it would change something.
    Field(Vec<&'a str>),
    /// An object of this type.
    Object(InputObject),
}

impl<'a, 'm: 'a> Resolve<'a, 'm> {
    /// `update_t`: the rows that pass a condition.
    pub(super) fn update(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Update<'m>, Error> {
        let parts = self.parts_of_field(fields, definition, at);
        let filter = self.condition_of(table, &parts, at)?;
        self.updated(table, filter, false, &parts, 0, at)
    }

    /// `update_t_by_pk`: the row with this primary key.
    pub(super) fn update_one(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Update<'m>, Error> {
        let parts = self.parts_of_field(fields, definition, at);
        let filter = self.key_of(table, &parts, at)?;
        self.updated(table, filter, true, &parts, 0, at)
    }

    /// `update_t_many`: one update after the other.
    pub(super) fn update_many(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Vec<Update<'m>>, Error> {
        let input = InputObject::Updates(table);
        let parts = self.parts_of_field(fields, definition, at);
        let (given, at) = parts.required(|part| part == input, "updates", at)?;
        self.updates(table, given, 0, at)
    }

    /// The updates of a list of `t_updates`.
    pub(super) fn updates(
        &self,
        table: TableId,
        given: &InputValue<'a>,
        depth: usize,
        at: &ErrorPath,
    ) -> Result<Vec<Update<'m>>, Error> {
        let input = InputObject::Updates(table);
        if given.is_null() {
            let item = TypeRef::required_list(TypeKey::Input(input));
            return Err(at.wrong_type(given, &self.schema.written(item)));
        }
        let update = |(i, item): (usize, InputValue<'a>)| {
            let at = at.item(i);
            let parts = self.parts_of_object(input, &item, &at)?;
            let filter = self.condition_of(table, &parts, &at)?;
            self.updated(table, filter, false, &parts, depth, &at)
        };
        self.list(given, VariableUse::Shape).into_iter().enumerate().map(update).collect()
    }

    /// The update that a `t_change_input` means, of whatever row.
    pub(super) fn row_change(
        &self,
        table: TableId,
        given: &InputValue<'a>,
        depth: usize,
        at: &ErrorPath,
    ) -> Result<Update<'m>, Error> {
        let parts = self.parts_of_object(InputObject::RowChange(table), given, at)?;
        self.updated(table, Filter::And(Vec::new()), false, &parts, depth, at)
    }

    /// `delete_t`: the rows that pass a condition.
    pub(super) fn delete(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Delete<'m>, Error> {
        let parts = self.parts_of_field(fields, definition, at);
        Ok(Delete { table, filter: self.condition_of(table, &parts, at)?, by_key: false })
    }

    /// `delete_t_by_pk`: the row with this primary key.
    pub(super) fn delete_one(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Delete<'m>, Error> {
        Ok(Delete { table, filter: self.key(table, fields, at)?, by_key: true })
    }

    // ---- parts

    /// The arguments of a field that are objects, or lists of them.
    fn parts_of_field(&self, fields: &MergedFields<'a>, definition: &FieldDefinition<'m>, at: &ErrorPath) -> Parts<'a> {
        let (mut given, mut changing) = (Vec::new(), Vec::new());
        for argument in &definition.arguments {
            let TypeKey::Input(input) = argument.r#type.named else { continue };
            changing.extend(changes(input).then_some(argument.name));
            let value = fields.first().and_then(|field| field.get_argument(argument.name));
            if let Some(value) = value.and_then(|value| self.given(&value.node, VariableUse::Shape)) {
                given.push((input, value, at.argument(argument.name)));
            }
        }
        Parts { given, source: Source::Field(changing) }
    }

    /// The keys of an object that are objects themselves.
    pub(super) fn parts_of_object(
        &self,
        input: InputObject,
        given: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Parts<'a>, Error> {
        let mut parts = Parts { given: Vec::new(), source: Source::Object(input) };
        for (key, value) in self.object(&self.object_of(given, input, at)?, at, VariableUse::Shape)? {
            let at = at.key(key);
            let field = self.schema.input_field(input, key).ok_or_else(|| self.unknown_key(input, key, &at))?;
            if let TypeKey::Input(of) = field.r#type.named {
                parts.given.push((of, value, at));
            }
        }
        Ok(parts)
    }

    /// The names of the parts that would change something.
    fn changing(&self, parts: &Parts<'a>) -> Vec<String> {
        match &parts.source {
            Source::Field(names) => names.iter().map(|&name| name.to_owned()).collect(),
            Source::Object(input) => {
                let fields = self.schema.input_fields(*input).into_iter();
                let changing = |named| matches!(named, TypeKey::Input(input) if changes(input));
                fields.filter(|field| changing(field.r#type.named)).map(|field| field.name.to_owned()).collect()
            }
        }
    }

    /// `where`, which has to be there.
    pub(super) fn condition_of(&self, table: TableId, parts: &Parts<'a>, at: &ErrorPath) -> Result<Filter<'m>, Error> {
        let (given, at) = parts.required(|part| part == InputObject::BoolExp(table), "where", at)?;
        self.bounded(self.filter(table, given, at)?, at)
    }

    /// `pk_columns`: a filter on each of the key's columns.
    fn key_of(&self, table: TableId, parts: &Parts<'a>, at: &ErrorPath) -> Result<Filter<'m>, Error> {
        let input = InputObject::KeyColumns(table);
        let name = self.schema.spelling(table).field("pk_columns");
        let (given, at) = parts.required(|part| part == input, name, at)?;
        let given = self.entries(&self.object_of(given, input, at)?, at)?;
        let columns = self.schema.key_columns(table).unwrap_or_default();
        if let Some((key, _)) = given.iter().find(|(key, _)| !columns.iter().any(|(_, name)| name == key)) {
            return Err(self.unknown_key(input, key, &at.key(key)));
        }
        let filter = |(column, name): (ColumnId, &str)| {
            let missing = || at.error(Cause::Missing { what: "field", name: name.to_owned() });
            let (_, value) = given.iter().find(|(key, _)| *key == name).ok_or_else(missing)?;
            self.key_column(table, column, value, &at.key(name))
        };
        Ok(Filter::And(columns.into_iter().map(filter).collect::<Result<_, Error>>()?))
    }

    // ---- what becomes of a row

    fn updated(
        &self,
        table: TableId,
        filter: Filter<'m>,
        by_key: bool,
        parts: &Parts<'a>,
        depth: usize,
        at: &ErrorPath,
    ) -> Result<Update<'m>, Error> {
        self.count_update(at)?;
        let mut update = Update {
            table,
            path: at.path.clone(),
            filter,
            by_key,
            assignments: Vec::new(),
            expected: Vec::new(),
            related: Vec::new(),
        };
        let mut changing = false;
        for (input, given, at) in parts.given.iter().filter(|(_, given, _)| !given.is_null()) {
            changing |= changes(*input);
            match *input {
                InputObject::Assign(_, modifier) => {
                    self.assign(table, modifier, given, at, &mut update.assignments)?;
                }
                InputObject::Related(_) => update.related = self.related_changes(table, given, depth + 1, at)?,
                InputObject::Match(_) => update.expected = self.expected(table, given, at)?,
                _ => {}
            }
        }
        let at = parts.place(at);
        if !changing && !self.presets(table) {
            let names = self.changing(parts);
            return Err(at.error(Cause::NothingToUpdate { names }));
        }
        self.check_once(table, &update.assignments, &at)?;
        Ok(update)
    }

    /// Refuses more updates than an operation may have.
    pub(super) fn count_update(&self, at: &ErrorPath) -> Result<(), Error> {
        self.updates.set(self.updates.get() + 1);
        match self.updates.get() > UPDATES {
            true => Err(at.error(Cause::Limit { limit: "updates of a request", value: UPDATES })),
            false => Ok(()),
        }
    }

    /// Whether columns of every updated row are set by the role's grant.
    fn presets(&self, table: TableId) -> bool {
        self.schema.access().update(table).is_some_and(|grant| !grant.preset.is_empty())
    }

    /// Refuses columns that several operators change.
    fn check_once(&self, table: TableId, assignments: &[Assignment], at: &ErrorPath) -> Result<(), Error> {
        let spelling = self.schema.spelling(table);
        let mut columns: Vec<(ColumnId, Vec<String>)> = Vec::new();
        for assignment in assignments {
            let operator = spelling.field(assignment.modifier.name()).to_owned();
            match columns.iter_mut().find(|(column, _)| *column == assignment.column) {
                Some((_, operators)) => operators.push(operator),
                None => columns.push((assignment.column, vec![operator])),
            }
        }
        columns.retain(|(_, operators)| operators.len() > 1);
        if columns.is_empty() {
            return Ok(());
        }
        let exposed = self.schema.model().exposed(table);
        let name = |column| exposed.and_then(|exposed| exposed.column_name(column)).unwrap_or_default().to_owned();
        let columns = columns.into_iter().map(|(column, operators)| (name(column), operators)).collect();
        Err(at.error(Cause::ChangedTwice { columns }))
    }

    /// What an operator makes of columns.
    fn assign(
        &self,
        table: TableId,
        modifier: UpdateOperator,
        given: &InputValue<'a>,
        at: &ErrorPath,
        assignments: &mut Vec<Assignment>,
    ) -> Result<(), Error> {
        let input = InputObject::Assign(table, modifier);
        let given = self.object_of(given, input, at)?;
        self.reads_keys(&given, []);
        for (key, value) in self.entries(&given, at)? {
            let at = at.key(key);
            let field = self.schema.input_field(input, key).ok_or_else(|| self.unknown_key(input, key, &at))?;
            let InputMeaning::Column(column) = field.meaning else { continue };
            if !self.is_given(&value) {
                continue;
            }
            let need = self.assigned(table, column, modifier, field.r#type);
            let value = self.bind(&value, need, self.schema.written(field.r#type), &at)?;
            assignments.push(Assignment { column, modifier, value });
        }
        Ok(())
    }

    /// What an operator takes for a column: the operand's type says so, and the column's declaration. Null is only set.
    fn assigned(
        &self,
        table: TableId,
        column: ColumnId,
        modifier: UpdateOperator,
        r#type: TypeRef,
    ) -> OperandRequirement {
        let column = self.schema.model().table(table).column(column);
        let input = scalar_input(self.schema, r#type.named).unwrap_or(Input::Other);
        match modifier {
            UpdateOperator::Set if column.nullable => OperandRequirement::Nullable(input.of_column(column.modifier)),
            UpdateOperator::Set => OperandRequirement::Value(input.of_column(column.modifier)),
            _ if r#type.list => OperandRequirement::List(input),
            _ => OperandRequirement::Value(input),
        }
    }

    /// `if_match`: what columns have to hold. Null is a value here, and one whose variable is missing is an error rather
    /// than nothing to hold.
    fn expected(&self, table: TableId, given: &InputValue<'a>, at: &ErrorPath) -> Result<Vec<Expected>, Error> {
        let input = InputObject::Match(table);
        let mut all = Vec::new();
        for (key, value) in self.entries(&self.object_of(given, input, at)?, at)? {
            let at = at.key(key);
            let field = self.schema.input_field(input, key).ok_or_else(|| self.unknown_key(input, key, &at))?;
            let InputMeaning::Column(column) = field.meaning else { continue };
            let written = self.schema.written(field.r#type);
            let value = self.decisive(&value, &written, &at)?;
            let entry = self.schema.model().table(table).column(column);
            let input = scalar_input(self.schema, field.r#type.named).unwrap_or(Input::Other);
            let need = OperandRequirement::Value(input.of_column(entry.modifier));
            let value = (!value.is_null()).then(|| self.bind(&value, need, written, &at)).transpose()?;
            all.push(Expected { column: Term::Column(column), operator: operators::equal(), value });
        }
        Ok(all)
    }
}

impl<'a> Parts<'a> {
    /// A part that has to be there.
    fn required(
        &self,
        is_it: impl Fn(InputObject) -> bool,
        name: &str,
        at: &ErrorPath,
    ) -> Result<(&InputValue<'a>, &ErrorPath), Error> {
        let what = match self.source {
            Source::Field(_) => "argument",
            Source::Object(_) => "field",
        };
        let found = self.given.iter().find(|(input, ..)| is_it(*input));
        let missing = || at.error(Cause::Missing { what, name: name.to_owned() });
        found.map(|(_, given, at)| (given, at)).ok_or_else(missing)
    }

    /// The place of all parts together.
    fn place(&self, at: &ErrorPath) -> ErrorPath {
        match self.source {
            Source::Field(_) => ErrorPath { path: format!("{}.args", at.path), name: at.name.clone() },
            Source::Object(_) => at.clone(),
        }
    }
}

/// Whether a part of that type changes something.
fn changes(part: InputObject) -> bool {
    matches!(part, InputObject::Assign(..) | InputObject::Related(_))
}
