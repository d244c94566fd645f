//! Resolves the selection sets of a query: root fields, rows, relations and aggregates. Arguments
//! such as `where` and `order_by` are resolved by the files named after them.

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{
    Directive, Field as Written, OperationDefinition, OperationType, Selection as Item,
    SelectionSet,
};
use async_graphql_value::Value;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use indexmap::map::Entry;

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::{Cause, Error, ExpectedKind, NameKind};
use crate::model::Root as RootField;
use crate::model::names::RootKind;
use crate::model::operators;
use crate::postgres::catalog::{ColumnId, TableId};
use crate::resolve::selection::{
    Aggregate, AggregateField, Arguments, BoundOperand, Calculation, CalculationKind, Count, Field,
    FieldKind, Filter, PartKind, Root, RootSelection, Rows, Selection, Term,
};
use crate::schema::{
    CountMode, Enum, FieldDefinition, Function, Meaning, Object, TypeKey, TypeRef,
};
use crate::statement::{Operand, OperandRequirement, Parameter};

/// The fields with one response key. Their names and arguments are equal, and their selections are
/// merged.
pub(super) struct MergedFields<'a> {
    first: &'a Written,
    /// Empty for almost every response key, and then not allocated.
    others: Vec<&'a Written>,
}

/// The fields of an object, by response key.
type CollectedFields<'a> = IndexMap<&'a str, MergedFields<'a>, RandomState>;

impl<'a> MergedFields<'a> {
    fn all(&self) -> impl Iterator<Item = &'a Written> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves the root fields of an operation.
    pub(super) fn operation(
        &self,
        operation: &'a OperationDefinition,
    ) -> Result<Selection<'m>, Error> {
        let object = match operation.ty {
            OperationType::Mutation => Object::Mutation,
            OperationType::Query => Object::Query,
            OperationType::Subscription => Object::Subscription,
        };
        let mut roots = Vec::new();
        for (key, fields) in self.collect([&operation.selection_set.node])? {
            let name = name(&fields);
            let want = match name {
                "__typename" => RootSelection::Constant(self.schema.name(TypeKey::Object(object))),
                _ => self.root(object, &fields, &ErrorPath::ROOT)?,
            };
            roots.push(Root {
                key: key.to_owned(),
                selection: want,
            });
        }
        Ok(Selection {
            roots,
            required: None,
        })
    }

    fn root(
        &self,
        object: Object,
        fields: &MergedFields<'a>,
        path: &ErrorPath,
    ) -> Result<RootSelection<'m>, Error> {
        let (definition, at) = self.definition(object, fields, path)?;
        let unknown = || unknown(&at, &self.schema.name(TypeKey::Object(object)));
        let root = match definition.meaning {
            Meaning::Root(root) => root,
            Meaning::Routine(routine) => return self.routine(routine, fields, &definition, &at),
            Meaning::RoutineAggregate(routine) => {
                let call = self.called(&routine.callable, fields, &definition, &at)?;
                let table = routine.callable.table().ok_or_else(unknown)?;
                return Ok(RootSelection::CalledAggregate(
                    call,
                    self.aggregate(table, fields, &definition, &at)?,
                ));
            }
            Meaning::Constant(text) => return Ok(RootSelection::Constant(text.to_owned())),
            Meaning::Action(index, _) => {
                return Ok(RootSelection::Action(Box::new(self.action(
                    index,
                    fields,
                    &definition,
                    &at,
                )?)));
            }
            Meaning::Introspection => return Ok(RootSelection::Introspection),
            _ => return Err(unknown()),
        };
        Ok(match root.kind {
            _ if object == Object::Mutation => {
                RootSelection::Write(Box::new(self.write(root, fields, &definition, &at)?))
            }
            RootKind::One => RootSelection::One(self.one(root, fields, &at)?),
            RootKind::Stream => {
                RootSelection::Stream(self.stream(root.table, fields, &definition, &at)?)
            }
            RootKind::Group => {
                RootSelection::Groups(self.groups(root.table, fields, &definition, &at)?)
            }
            RootKind::Aggregate => {
                RootSelection::Aggregate(self.aggregate(root.table, fields, &definition, &at)?)
            }
            RootKind::Connection => {
                RootSelection::Connection(self.connection(root.table, fields, &definition, &at)?)
            }
            _ => RootSelection::List(self.rows(root.table, fields, &definition, &at)?),
        })
    }

    pub(super) fn rows(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Rows<'m>, Error> {
        let arguments = self.arguments(table, fields, definition, at)?;
        let mut rows = Rows {
            table,
            arguments,
            fields: self.fields(table, fields, at)?,
        };
        self.place_cursors(&mut rows, fields, definition, at)?;
        Ok(rows)
    }

    /// Resolves a row by its primary key: a filter on each of the key's columns.
    fn one(
        &self,
        root: &'m RootField,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Rows<'m>, Error> {
        let table = root.table;
        let arguments = Arguments {
            filter: Some(self.key(table, fields, at)?),
            ..Arguments::default()
        };
        Ok(Rows {
            table,
            arguments,
            fields: self.fields(table, fields, at)?,
        })
    }

    /// The filter of the arguments for the primary key's columns.
    pub(super) fn key(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let mut filters = Vec::new();
        for (column, name) in self.primary_key(table, at)? {
            let at = at.argument(name);
            let missing = || {
                at.error(Cause::Missing {
                    kind: NameKind::Argument,
                    name: name.to_owned(),
                })
            };
            let value = argument(fields, name).ok_or_else(missing)?;
            filters.push(self.key_column(table, column, &InputValue::Literal(value), &at)?);
        }
        Ok(Filter::And(filters))
    }

    /// The columns of the primary key. Fields that need one exist only where the role may read it,
    /// so that the error is never seen; without it, a filter by an unknown key would select every
    /// row.
    pub(super) fn primary_key(
        &self,
        table: TableId,
        at: &ErrorPath,
    ) -> Result<Vec<(ColumnId, &'m str)>, Error> {
        let on = || self.schema.name(TypeKey::Object(Object::Row(table)));
        self.schema
            .key_columns(table)
            .ok_or_else(|| unknown(at, &on()))
    }

    /// The filter of the value of one primary key column.
    pub(super) fn key_column(
        &self,
        table: TableId,
        column: ColumnId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let r#type = self.schema.model().table(table).column(column).r#type;
        let need = OperandRequirement::Value(self.schema.scalar(r#type).input.clone());
        let expected = self
            .schema
            .written(TypeRef::required(TypeKey::Scalar(r#type)));
        // The row is looked up by this value alone, so its length need not determine the SQL text.
        let parameter = Some(self.bind(input_value, need, expected, at)?);
        let list = false;
        let short = true;
        let bound = BoundOperand {
            field: "",
            parameter,
            r#type,
            list,
            short,
        };
        Ok(Filter::Compare(
            Term::Column(column),
            operators::equal(),
            vec![bound],
        ))
    }

    // ---- arguments

    pub(super) fn arguments(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Arguments<'m>, Error> {
        let mut arguments = Arguments::default();
        if let Some((input_value, at)) =
            self.argument(fields, definition, "where", "where", VariableUse::Shape, at)?
        {
            arguments.filter = Some(self.bounded(self.filter(table, &input_value, &at)?, &at)?);
        }
        if let Some((input_value, at)) = self.argument(
            fields,
            definition,
            "order_by",
            "orderBy",
            VariableUse::Whole,
            at,
        )? {
            arguments.order = self.order(table, &input_value, &at)?;
        }
        if let Some((input_value, at)) = self.argument(
            fields,
            definition,
            "distinct_on",
            "distinctOn",
            VariableUse::Whole,
            at,
        )? {
            arguments.distinct_on = self.select_columns(table, &input_value, &at)?;
        }
        self.check_distinct(table, &arguments.distinct_on, &arguments.order, at)?;
        arguments.limit = self.count(fields, "limit", at)?;
        let offset = self.count(fields, "offset", at)?;
        arguments.offset = offset.filter(|offset| !matches!(offset, Count::Number(0)));
        Ok(arguments)
    }

    /// An argument that may be null or absent, in either of its spellings.
    pub(super) fn argument<'p>(
        &self,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        name: &'static str,
        other: &'static str,
        reads: VariableUse,
        at: &'p ErrorPath<'p>,
    ) -> Result<Option<(InputValue<'a>, ErrorPath<'p>)>, Error> {
        let written = |name: &'static str| {
            let value = argument(fields, name)?;
            definition
                .arguments
                .iter()
                .any(|argument| argument.name == name)
                .then_some((name, value))
        };
        let (name, value) = match (written(name), written(other)) {
            (Some(_), Some(_)) if name != other => {
                return Err(at.error(Cause::TwoSpellings {
                    argument: name.to_owned(),
                }));
            }
            (Some(found), _) | (None, Some(found)) => found,
            (None, None) => return Ok(None),
        };
        let input_value = self
            .given(value, reads)
            .filter(|input_value| !input_value.is_null());
        Ok(input_value.map(|input_value| (input_value, at.argument(name))))
    }

    /// Resolves `limit` or `offset` to a number in the text, which the planner can see, or to a
    /// parameter if [`Options::limit_parameters`](super::Options::limit_parameters) is set, since
    /// each number would be another statement.
    pub(super) fn count(
        &self,
        fields: &MergedFields<'a>,
        name: &str,
        at: &ErrorPath,
    ) -> Result<Option<Count>, Error> {
        let is_long = name == "offset" && self.coercion == super::Coercion::Loose;
        let requirement = if is_long {
            OperandRequirement::LongCount
        } else {
            OperandRequirement::Count
        };
        self.number_of_rows(fields, name, (requirement, ExpectedKind::Count), at)
    }

    /// Resolves the batch size of a stream, like [`Resolve::count`]. A batch of no rows would never
    /// end.
    pub(super) fn batch_size(
        &self,
        fields: &MergedFields<'a>,
        name: &str,
        at: &ErrorPath,
    ) -> Result<Option<Count>, Error> {
        self.number_of_rows(
            fields,
            name,
            (OperandRequirement::BatchSize, ExpectedKind::BatchSize),
            at,
        )
    }

    fn number_of_rows(
        &self,
        fields: &MergedFields<'a>,
        name: &str,
        (requirement, expected): (OperandRequirement, ExpectedKind),
        at: &ErrorPath,
    ) -> Result<Option<Count>, Error> {
        let Some(value) = argument(fields, name) else {
            return Ok(None);
        };
        let at = at.argument(name);
        let name = at.name().to_owned();
        let path = at.path();
        let operand = |value| Operand {
            name,
            path,
            value,
            requirement,
            expected,
        };
        if self.options.limit_parameters
            && let Value::Variable(variable) = value
        {
            let operand = operand(super::input::template(value));
            let parameter = Parameter::Request(operand.into());
            let few = self.is_few(variable);
            return Ok(Some(Count::Parameter { parameter, few }));
        }
        let Some(input_value) = self.given(value, VariableUse::Whole) else {
            return Ok(None);
        };
        let text = operand(self.template(&input_value)).bind(self.variables)?;
        Ok(text.and_then(|text| text.parse().ok()).map(Count::Number))
    }

    // ---- fields

    pub(super) fn fields(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<Field<'m>>, Error> {
        let object = Object::Row(table);
        let kinds = self.selected(object, fields, FieldKind::Constant, |fields| {
            self.field(table, fields, at)
        })?;
        Ok(kinds
            .into_iter()
            .map(|(key, kind)| Field { key, kind })
            .collect())
    }

    fn field(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<FieldKind<'m>, Error> {
        let object = Object::Row(table);
        let (definition, at) = self.definition(object, fields, at)?;
        Ok(match definition.meaning {
            Meaning::Column(column) => {
                FieldKind::Value(self.column(column, fields, &definition, &at)?)
            }
            Meaning::Cursor => FieldKind::Cursor(self.key_order(table, &at)?),
            Meaning::Connection(relation) => FieldKind::Connection(
                relation,
                self.connection(relation.to, fields, &definition, &at)?,
            ),
            Meaning::Object(relation) => {
                FieldKind::Object(relation, self.fields(relation.to, fields, &at)?)
            }
            Meaning::Array(relation) => {
                FieldKind::Array(relation, self.rows(relation.to, fields, &definition, &at)?)
            }
            Meaning::Aggregate(relation) => FieldKind::Aggregate(
                relation,
                self.aggregate(relation.to, fields, &definition, &at)?,
            ),
            Meaning::Computed(computed) => self.computed(computed, fields, &definition, &at)?,
            Meaning::ComputedAggregate(computed) => {
                let call = self.called(&computed.callable, fields, &definition, &at)?;
                let table = computed.callable.table().ok_or_else(|| unknown(&at, ""))?;
                FieldKind::CalledAggregate(call, self.aggregate(table, fields, &definition, &at)?)
            }
            _ => return Err(unknown(&at, &self.schema.name(TypeKey::Object(object)))),
        })
    }

    /// A column, or the value at a given path inside it.
    fn column(
        &self,
        column: ColumnId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Term, Error> {
        match self.path(fields, definition, at)? {
            None => Ok(Term::Column(column)),
            Some(path) => Ok(Term::Inside(column, path)),
        }
    }

    /// Resolves the `path` argument of a JSON column, which always becomes a parameter.
    pub(super) fn path(
        &self,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Option<Parameter>, Error> {
        let Some(offered) = definition
            .arguments
            .iter()
            .find(|argument| argument.name == "path")
        else {
            return Ok(None);
        };
        let Some(value) = argument(fields, offered.name).filter(|value| **value != Value::Null)
        else {
            return Ok(None);
        };
        let at = at.argument(offered.name);
        let value = super::input::template(value);
        let expected = self.schema.written(offered.r#type).into();
        let operand = Operand {
            name: at.name().to_owned(),
            path: at.path(),
            value,
            requirement: OperandRequirement::JsonPath,
            expected,
        };
        self.parameter(operand).map(Some)
    }

    // ---- aggregates

    fn aggregate(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Aggregate<'m>, Error> {
        let arguments = self.arguments(table, fields, definition, at)?;
        let object = Object::Aggregate(table);
        let kinds = self.selected(object, fields, PartKind::Constant, |fields| {
            self.part(table, fields, at)
        })?;
        Ok(Aggregate {
            table,
            arguments,
            parts: kinds
                .into_iter()
                .map(|(key, kind)| AggregateField { key, kind })
                .collect(),
        })
    }

    fn part(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<PartKind<'m>, Error> {
        let (definition, at) = self.definition(Object::Aggregate(table), fields, at)?;
        Ok(match definition.meaning {
            Meaning::Nodes => PartKind::Nodes(self.fields(table, fields, &at)?),
            _ => PartKind::Fields(self.calculations(table, fields, &at)?),
        })
    }

    pub(super) fn calculations(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<Calculation>, Error> {
        let object = Object::AggregateFields(table);
        let calculation = |fields: &MergedFields<'a>| self.calculation(table, fields, at);
        let kinds = self.selected(object, fields, CalculationKind::Constant, calculation)?;
        Ok(kinds
            .into_iter()
            .map(|(key, kind)| Calculation { key, kind })
            .collect())
    }

    fn calculation(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<CalculationKind, Error> {
        let (definition, at) = self.definition(Object::AggregateFields(table), fields, at)?;
        match definition.meaning {
            Meaning::Function(function) => Ok(CalculationKind::Function(
                function,
                self.function(table, function, fields, &at)?,
            )),
            _ => self.counted(table, fields, &definition, &at),
        }
    }

    fn counted(
        &self,
        table: TableId,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<CalculationKind, Error> {
        let columns = match self.argument(
            fields,
            definition,
            "columns",
            "columns",
            VariableUse::Whole,
            at,
        )? {
            Some((input_value, at)) => {
                let of = self
                    .schema
                    .counted(table)
                    .unwrap_or(Enum::SelectColumn(table));
                self.enum_columns(of, &input_value, &at)?
            }
            None => Vec::new(),
        };
        let distinct = match self.argument(
            fields,
            definition,
            "distinct",
            "distinct",
            VariableUse::Whole,
            at,
        )? {
            Some((input_value, at)) => self.boolean(&input_value, &at)?,
            None => false,
        };
        let mode =
            match self.argument(fields, definition, "mode", "mode", VariableUse::Whole, at)? {
                Some((input_value, at)) => self.count_mode(table, &input_value, &at)?,
                None => CountMode::Exact,
            };
        Ok(CalculationKind::Count {
            columns,
            distinct,
            mode,
        })
    }

    #[allow(clippy::type_complexity)]
    fn function(
        &self,
        table: TableId,
        function: Function,
        fields: &MergedFields<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<(String, Result<ColumnId, String>)>, Error> {
        let object = Object::FunctionFields(table, function);
        self.selected(object, fields, Err, |fields| {
            match self.definition(object, fields, at)? {
                (
                    FieldDefinition {
                        meaning: Meaning::Column(column),
                        ..
                    },
                    _,
                ) => Ok(Ok(column)),
                (_, at) => Err(unknown(&at, &self.schema.name(TypeKey::Object(object)))),
            }
        })
    }

    // ---- selection sets

    /// Resolves the selection sets of the fields of an object, by response key: `__typename` by
    /// `constant`, other fields by `resolve`.
    pub(super) fn selected<T>(
        &self,
        object: Object,
        fields: &MergedFields<'a>,
        constant: impl Fn(String) -> T,
        resolve: impl Fn(&MergedFields<'a>) -> Result<T, Error>,
    ) -> Result<Vec<(String, T)>, Error> {
        let sets = fields.all().map(|field| &field.selection_set.node);
        let one = |(key, fields): (&str, MergedFields<'a>)| match name(&fields) {
            "__typename" => Ok((
                key.to_owned(),
                constant(self.schema.name(TypeKey::Object(object))),
            )),
            _ => Ok((key.to_owned(), resolve(&fields)?)),
        };
        self.collect(sets)?.into_iter().map(one).collect()
    }

    /// The field's definition, and its path.
    pub(super) fn definition<'p>(
        &self,
        object: Object,
        fields: &MergedFields<'a>,
        path: &'p ErrorPath<'p>,
    ) -> Result<(FieldDefinition<'m>, ErrorPath<'p>), Error>
    where
        'a: 'p,
    {
        let name = name(fields);
        let at = path.field(name);
        match self.schema.field(object, name) {
            Some(definition) => Ok((definition, at)),
            None => Err(unknown(&at, &self.schema.name(TypeKey::Object(object)))),
        }
    }

    /// Collects the fields of selection sets by response key, with fragments expanded and without
    /// fields that directives skip. <https://spec.graphql.org/October2021/#CollectFields()>
    fn collect(
        &self,
        sets: impl IntoIterator<Item = &'a SelectionSet>,
    ) -> Result<CollectedFields<'a>, Error> {
        let mut collected = CollectedFields::default();
        for set in sets {
            self.collect_into(set, &mut collected)?;
        }
        self.fields.set(self.fields.get() + collected.len());
        Ok(collected)
    }

    fn collect_into(
        &self,
        set: &'a SelectionSet,
        collected: &mut CollectedFields<'a>,
    ) -> Result<(), Error> {
        collected.reserve(set.items.len());
        for item in &set.items {
            if !self.is_included(item.node.directives())? {
                continue;
            }
            match &item.node {
                Item::Field(field) => {
                    let key = field.node.response_key().node.as_str();
                    match collected.entry(key) {
                        Entry::Vacant(entry) => {
                            entry.insert(MergedFields {
                                first: &field.node,
                                others: Vec::new(),
                            });
                        }
                        Entry::Occupied(mut entry) => entry.get_mut().others.push(&field.node),
                    }
                }
                Item::InlineFragment(inline) => {
                    self.collect_into(&inline.node.selection_set.node, collected)?;
                }
                Item::FragmentSpread(spread) => {
                    if let Some(fragment) = self.document.fragment(&spread.node.fragment_name.node)
                    {
                        self.collect_into(&fragment.node.selection_set.node, collected)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether `@include` is true and `@skip` is false, if present.
    fn is_included(&self, directives: &'a [Positioned<Directive>]) -> Result<bool, Error> {
        for directive in directives {
            let name = directive.node.name.node.as_str();
            let Some(value) = directive.node.get_argument("if") else {
                continue;
            };
            let Some(input_value) = self.given(&value.node, VariableUse::Whole) else {
                continue;
            };
            let at = ErrorPath::Named(&ErrorPath::ROOT, "if");
            let condition = self.boolean(&input_value, &at)?;
            if (name == "include" && !condition) || (name == "skip" && condition) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn name<'a>(fields: &MergedFields<'a>) -> &'a str {
    fields.first.name.node.as_str()
}

/// The value of an argument.
pub(super) fn argument<'a>(fields: &MergedFields<'a>, name: &str) -> Option<&'a Value> {
    fields.first.get_argument(name).map(|value| &value.node)
}

pub(super) fn unknown(at: &ErrorPath, on: &str) -> Error {
    at.error(Cause::UnknownField {
        field: at.name().to_owned(),
        on: on.to_owned(),
    })
}
