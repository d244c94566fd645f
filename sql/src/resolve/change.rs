//! Resolves updates and deletes: the filter of the rows, the assignments to their columns, and the
//! `if_match` conditions. Changes of related rows are in [`super::related_change`].

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use super::read::{self, MergedFields};
use crate::error::{Cause, Error, NameKind, RequestLimit};
use crate::model::operators;
use crate::model::update_operators::UpdateOperator;
use crate::postgres::catalog::{ColumnId, TableId};
use crate::postgres::length_limits::LengthLimits;
use crate::postgres::types::Input;
use crate::resolve::selection::{Assignment, Delete, Expected, Filter, Term, Update};
use crate::schema::{FieldDefinition, InputMeaning, InputObject, TypeKey, TypeRef};
use crate::statement::OperandRequirement;

/// The maximum number of updates of an operation, including those of related rows. Each becomes
/// statements of its own.
const MAX_UPDATES: usize = 1_000;

/// The input objects of an update or a delete with their types: arguments of a field, or fields of
/// an input object.
pub(super) struct Parts<'a> {
    inputs: Vec<(InputObject, InputValue<'a>, ErrorPath<'static>)>,
    source: Source<'a>,
}

/// The origin of the parts.
enum Source<'a> {
    /// A field, with the names of the arguments that can contain a change.
    Field(Vec<&'a str>),
    /// An input object of this type.
    Object(InputObject),
}

impl<'a, 'm: 'a> Resolve<'a, 'm> {
    /// Resolves `update_t`: updates the rows that pass a condition.
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

    /// Resolves `update_t_by_pk`: updates the row with this primary key.
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

    /// Resolves `update_t_many`: several updates, executed in order.
    pub(super) fn update_many(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Vec<Update<'m>>, Error> {
        let input = InputObject::Updates(table);
        let parts = self.parts_of_field(fields, definition, at);
        let (input_value, at) = parts.required(|part| part == input, "updates", at)?;
        self.updates(table, input_value, 0, at)
    }

    /// Resolves a list of `t_updates`.
    pub(super) fn updates(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        depth: usize,
        at: &ErrorPath,
    ) -> Result<Vec<Update<'m>>, Error> {
        let input = InputObject::Updates(table);
        if input_value.is_null() {
            let item = TypeRef::required_list(TypeKey::Input(input));
            return Err(at.wrong_type(input_value, self.schema.written(item)));
        }
        let update = |(i, item): (usize, InputValue<'a>)| {
            let at = at.item(i);
            let parts = self.parts_of_object(input, &item, &at)?;
            let filter = self.condition_of(table, &parts, &at)?;
            self.updated(table, filter, false, &parts, depth, &at)
        };
        self.list(input_value, VariableUse::Shape)
            .into_iter()
            .enumerate()
            .map(update)
            .collect()
    }

    /// Resolves a `t_change_input`, an update without a filter of its own.
    pub(super) fn row_change(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        depth: usize,
        at: &ErrorPath,
    ) -> Result<Update<'m>, Error> {
        let parts = self.parts_of_object(InputObject::RowChange(table), input_value, at)?;
        self.updated(table, Filter::And(Vec::new()), false, &parts, depth, at)
    }

    /// Resolves `delete_t`: deletes the rows that pass a condition.
    pub(super) fn delete(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Delete<'m>, Error> {
        let parts = self.parts_of_field(fields, definition, at);
        Ok(Delete {
            table,
            filter: self.condition_of(table, &parts, at)?,
            by_key: false,
        })
    }

    /// Resolves `delete_t_by_pk`: deletes the row with this primary key.
    pub(super) fn delete_one(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Delete<'m>, Error> {
        Ok(Delete {
            table,
            filter: self.key(table, fields, at)?,
            by_key: true,
        })
    }

    // ---- parts

    /// Collects the arguments of a field whose type is an input object or a list of input objects.
    fn parts_of_field(
        &self,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Parts<'a> {
        let mut inputs = Vec::new();
        let mut changing = Vec::new();
        for argument in &definition.arguments {
            let TypeKey::Input(input) = argument.r#type.named else {
                continue;
            };
            changing.extend(changes(input).then_some(argument.name));
            let value = read::argument(fields, argument.name);
            if let Some(value) = value.and_then(|value| self.given(value, VariableUse::Shape)) {
                inputs.push((input, value, at.argument(argument.name).detached()));
            }
        }
        Parts {
            inputs,
            source: Source::Field(changing),
        }
    }

    /// Collects the fields of an input object whose type is an input object.
    pub(super) fn parts_of_object(
        &self,
        input: InputObject,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Parts<'a>, Error> {
        let mut parts = Parts {
            inputs: Vec::new(),
            source: Source::Object(input),
        };
        for (key, value) in self.object(
            &self.object_of(input_value, input, at)?,
            at,
            VariableUse::Shape,
        )? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            if let TypeKey::Input(of) = field.r#type.named {
                parts.inputs.push((of, value, at.detached()));
            }
        }
        Ok(parts)
    }

    /// The names of the parts that can contain a change.
    fn changing(&self, parts: &Parts<'a>) -> Vec<String> {
        match &parts.source {
            Source::Field(names) => names.iter().map(|&name| name.to_owned()).collect(),
            Source::Object(input) => {
                let fields = self.schema.input_fields(*input).into_iter();
                let changing = |named| matches!(named, TypeKey::Input(input) if changes(input));
                fields
                    .filter(|field| changing(field.r#type.named))
                    .map(|field| field.name.to_owned())
                    .collect()
            }
        }
    }

    /// The filter of the required `where`, in which no variable may be absent.
    pub(super) fn condition_of(
        &self,
        table: TableId,
        parts: &Parts<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let (input_value, at) =
            parts.required(|part| part == InputObject::BoolExp(table), "where", at)?;
        let filter = self.bounded(self.filter(table, input_value, at)?, at)?;
        self.require_variables(input_value, at)?;
        Ok(filter)
    }

    /// The filter of `pk_columns`: one comparison for each column of the key.
    fn key_of(
        &self,
        table: TableId,
        parts: &Parts<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let input = InputObject::KeyColumns(table);
        let name = self.schema.spelling(table).field("pk_columns");
        let (input_value, at) = parts.required(|part| part == input, name, at)?;
        let entries = self.entries(&self.object_of(input_value, input, at)?, at)?;
        let columns = self.primary_key(table, at)?;
        if let Some((key, _)) = entries
            .iter()
            .find(|(key, _)| !columns.iter().any(|(_, name)| name == key))
        {
            return Err(self.unknown_key(input, key, &at.key(key)));
        }
        let filter = |(column, name): (ColumnId, &str)| {
            let missing = || {
                at.error(Cause::Missing {
                    kind: NameKind::Field,
                    name: name.to_owned(),
                })
            };
            let (_, value) = entries
                .iter()
                .find(|(key, _)| *key == name)
                .ok_or_else(missing)?;
            self.key_column(table, column, value, &at.key(name))
        };
        Ok(Filter::And(
            columns
                .into_iter()
                .map(filter)
                .collect::<Result<_, Error>>()?,
        ))
    }

    // ---- the update itself

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
            path: at.path(),
            filter,
            by_key,
            assignments: Vec::new(),
            expected: Vec::new(),
            related: Vec::new(),
        };
        let mut changing = false;
        for (input, input_value, at) in parts
            .inputs
            .iter()
            .filter(|(_, input_value, _)| !input_value.is_null())
        {
            changing |= changes(*input);
            match *input {
                InputObject::Assign(_, modifier) => {
                    self.assign(table, modifier, input_value, at, &mut update.assignments)?;
                }
                InputObject::Related(_) => {
                    update.related = self.related_changes(table, input_value, depth + 1, at)?;
                }
                InputObject::Match(_) => update.expected = self.expected(table, input_value, at)?,
                _ => {}
            }
        }
        let at = parts.path_of(at);
        if !changing && !self.presets(table) {
            let names = self.changing(parts);
            return Err(at.error(Cause::NothingToUpdate { names }));
        }
        self.check_once(table, &update.assignments, &at)?;
        Ok(update)
    }

    /// Counts one update, and rejects more than an operation may have.
    pub(super) fn count_update(&self, at: &ErrorPath) -> Result<(), Error> {
        self.updates.set(self.updates.get() + 1);
        if self.updates.get() > MAX_UPDATES {
            Err(at.error(Cause::Limit {
                limit: RequestLimit::Updates,
                value: MAX_UPDATES,
            }))
        } else {
            Ok(())
        }
    }

    /// Whether the role's grant presets columns of every updated row.
    fn presets(&self, table: TableId) -> bool {
        self.schema
            .access()
            .update(table)
            .is_some_and(|grant| !grant.preset.is_empty())
    }

    /// Rejects columns that several operators change.
    fn check_once(
        &self,
        table: TableId,
        assignments: &[Assignment],
        at: &ErrorPath,
    ) -> Result<(), Error> {
        let spelling = self.schema.spelling(table);
        let mut columns: Vec<(ColumnId, Vec<String>)> = Vec::new();
        for assignment in assignments {
            let operator = spelling.field(assignment.modifier.name()).to_owned();
            match columns
                .iter_mut()
                .find(|(column, _)| *column == assignment.column)
            {
                Some((_, operators)) => operators.push(operator),
                None => columns.push((assignment.column, vec![operator])),
            }
        }
        columns.retain(|(_, operators)| operators.len() > 1);
        if columns.is_empty() {
            return Ok(());
        }
        let exposed = self.schema.model().exposed(table);
        let name = |column| {
            exposed
                .and_then(|exposed| exposed.column_name(column))
                .unwrap_or_default()
                .to_owned()
        };
        let columns = columns
            .into_iter()
            .map(|(column, operators)| (name(column), operators))
            .collect();
        Err(at.error(Cause::ChangedTwice { columns }))
    }

    /// Resolves the assignments of one operator.
    fn assign(
        &self,
        table: TableId,
        modifier: UpdateOperator,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        assignments: &mut Vec<Assignment>,
    ) -> Result<(), Error> {
        let input = InputObject::Assign(table, modifier);
        let input_value = self.object_of(input_value, input, at)?;
        self.reads_keys(&input_value, []);
        for (key, value) in self.entries(&input_value, at)? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            let InputMeaning::Column(column) = field.meaning else {
                continue;
            };
            if !self.is_given(&value) {
                continue;
            }
            let need = self.assigned(table, column, modifier, field.r#type);
            let value = self.bind(&value, need, self.schema.written(field.r#type), &at)?;
            assignments.push(Assignment {
                column,
                modifier,
                value,
            });
        }
        Ok(())
    }

    /// The requirement on an operator's operand, from the operand's type and the column's
    /// declaration. Only `_set` accepts null.
    fn assigned(
        &self,
        table: TableId,
        column: ColumnId,
        modifier: UpdateOperator,
        r#type: TypeRef,
    ) -> OperandRequirement {
        let limits = self.length_limits(table, column, modifier);
        let column = self.schema.model().table(table).column(column);
        let input = self
            .schema
            .scalar_input(r#type.named)
            .unwrap_or(Input::Other);
        let of_column = |input: Input| input.for_column(column.modifier).limited(limits);
        match modifier {
            UpdateOperator::Set if column.nullable => {
                OperandRequirement::Nullable(of_column(input))
            }
            UpdateOperator::Set => OperandRequirement::Value(of_column(input)),
            _ if r#type.list => OperandRequirement::List(input),
            _ => OperandRequirement::Value(input.limited(limits)),
        }
    }

    /// The limits on the length of an operator's operand: those of the column, for operators that
    /// set or add the operand.
    fn length_limits(
        &self,
        table: TableId,
        column: ColumnId,
        modifier: UpdateOperator,
    ) -> LengthLimits {
        let grant = self.schema.access().update(table);
        let limits = grant.and_then(|grant| grant.lengths.get(&column));
        let limits = limits.copied().unwrap_or_default();
        match modifier {
            UpdateOperator::Set
            | UpdateOperator::Inc
            | UpdateOperator::Mul
            | UpdateOperator::Append
            | UpdateOperator::Prepend => limits,
            UpdateOperator::ArrayAppend => limits.of_element(),
            UpdateOperator::DeleteKey
            | UpdateOperator::DeleteElem
            | UpdateOperator::DeleteAtPath
            | UpdateOperator::ArrayRemove => LengthLimits::default(),
        }
    }

    /// Resolves `if_match`: the values that columns must have. Null is a value here, and an omitted
    /// variable is an error instead of no condition.
    fn expected(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<Expected>, Error> {
        let input = InputObject::Match(table);
        let mut all = Vec::new();
        for (key, value) in self.entries(&self.object_of(input_value, input, at)?, at)? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            let InputMeaning::Column(column) = field.meaning else {
                continue;
            };
            let written = self.schema.written(field.r#type);
            let value = self.decisive(&value, &written, &at)?;
            let entry = self.schema.model().table(table).column(column);
            let input = self
                .schema
                .scalar_input(field.r#type.named)
                .unwrap_or(Input::Other);
            let need = OperandRequirement::Value(input.for_column(entry.modifier));
            let value = (!value.is_null())
                .then(|| self.bind(&value, need, written, &at))
                .transpose()?;
            all.push(Expected {
                column: Term::Column(column),
                operator: operators::equal(),
                value,
            });
        }
        Ok(all)
    }
}

impl<'a> Parts<'a> {
    /// Returns the part that `is_it` selects, or an error if it is missing.
    fn required(
        &self,
        is_it: impl Fn(InputObject) -> bool,
        name: &str,
        at: &ErrorPath,
    ) -> Result<(&InputValue<'a>, &ErrorPath<'static>), Error> {
        let kind = match self.source {
            Source::Field(_) => NameKind::Argument,
            Source::Object(_) => NameKind::Field,
        };
        let found = self.inputs.iter().find(|(input, ..)| is_it(*input));
        let missing = || {
            at.error(Cause::Missing {
                kind,
                name: name.to_owned(),
            })
        };
        found
            .map(|(_, input_value, at)| (input_value, at))
            .ok_or_else(missing)
    }

    /// The path of all parts together.
    fn path_of<'p>(&self, at: &'p ErrorPath<'p>) -> ErrorPath<'p> {
        match self.source {
            Source::Field(_) => ErrorPath::Parts(at, ".args"),
            Source::Object(_) => at.clone(),
        }
    }
}

/// Whether a part of that type can contain a change.
fn changes(part: InputObject) -> bool {
    matches!(part, InputObject::Assign(..) | InputObject::Related(_))
}
