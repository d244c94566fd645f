//! Functions in the schema: as root fields, as computed fields of rows, and the input types of
//! their arguments. A function is offered if the role may call it and read the rows that it
//! returns.

use super::*;
use crate::postgres::catalog::Volatility;

impl<'a> Schema<'a> {
    /// The functions that are query fields for this role.
    fn routines(&self) -> impl Iterator<Item = &'a Routine> {
        let access = self.access;
        self.model
            .routines()
            .iter()
            .filter(move |routine| !routine.mutates && access.may_call(routine))
    }

    pub(super) fn routine_root(&self, name: &str) -> Option<FieldDefinition<'a>> {
        let (routine, aggregate) = self.model.routine(name)?;
        let granted = !routine.mutates && self.access.may_call(routine);
        match aggregate {
            _ if !granted => None,
            true => self.routine_aggregate(routine),
            false => self.routine(routine),
        }
    }

    /// The functions that are mutation fields for this role; they have no aggregates.
    pub(super) fn mutating(&self) -> impl Iterator<Item = FieldDefinition<'a>> {
        let schema = *self;
        let access = self.access;
        let granted = self
            .model
            .routines()
            .iter()
            .filter(move |routine| routine.mutates && access.may_call(routine));
        granted.filter_map(move |routine| schema.routine(routine))
    }

    /// Whether a field calls a volatile function. Computed fields never do.
    pub(crate) fn is_volatile(&self, meaning: &Meaning<'_>) -> bool {
        let (Meaning::Routine(routine) | Meaning::RoutineAggregate(routine)) = meaning else {
            return false;
        };
        self.model
            .catalog()
            .function(routine.callable.function)
            .volatility
            == Volatility::Volatile
    }

    /// The mutation field with that name, if it is a function.
    pub(super) fn mutating_root(&self, name: &str) -> Option<FieldDefinition<'a>> {
        let (routine, aggregate) = self.model.routine(name)?;
        let granted = routine.mutates && !aggregate && self.access.may_call(routine);
        granted.then(|| self.routine(routine)).flatten()
    }

    pub(super) fn routine_roots(&self) -> Vec<FieldDefinition<'a>> {
        let both = |routine| [self.routine(routine), self.routine_aggregate(routine)];
        self.routines().flat_map(both).flatten().collect()
    }

    fn routine(&self, routine: &'a Routine) -> Option<FieldDefinition<'a>> {
        let callable = &routine.callable;
        let shown = |table| self.has_fields(table) && self.reads(table, Purpose::Call(callable.id));
        callable.table().is_none_or(shown).then(|| FieldDefinition {
            name: &routine.name,
            r#type: result(callable),
            arguments: self.call_arguments(callable),
            meaning: Meaning::Routine(routine),
        })
    }

    fn routine_aggregate(&self, routine: &'a Routine) -> Option<FieldDefinition<'a>> {
        let name = routine.aggregate.as_deref()?;
        let purpose = Purpose::CallAggregate(routine.callable.id);
        routine
            .callable
            .table()
            .filter(|table| self.reads(*table, purpose))?;
        self.call_aggregate(name, &routine.callable, Meaning::RoutineAggregate(routine))
    }

    fn reads(&self, table: TableId, purpose: Purpose) -> bool {
        self.access.read(table, purpose).is_some()
    }

    fn call_aggregate(
        &self,
        name: &'a str,
        callable: &'a Callable,
        meaning: Meaning<'a>,
    ) -> Option<FieldDefinition<'a>> {
        let table = callable.table()?;
        self.open(table)
            .filter(|(_, select)| select.aggregates.is_some())?;
        let r#type = TypeRef::required(TypeKey::Object(Object::Aggregate(table)));
        Some(FieldDefinition {
            name,
            r#type,
            arguments: self.call_arguments(callable),
            meaning,
        })
    }

    /// The argument `args`, and for functions that return rows the arguments that select among
    /// them.
    fn call_arguments(&self, callable: &'a Callable) -> Vec<Argument<'a>> {
        let named = TypeKey::Input(InputObject::Arguments(callable.id));
        let required = !self.is_called_bare(callable);
        let args = Argument {
            name: "args",
            r#type: TypeRef {
                required,
                ..TypeRef::nullable(named)
            },
        };
        let rows = match (callable.returns, callable.id) {
            (Returns::Rows(table), _) => self.row_arguments(table),
            (Returns::Value(oid), CallId::Computed(..)) => self.path_argument(oid),
            _ => Vec::new(),
        };
        callable
            .given()
            .next()
            .map(|_| args)
            .into_iter()
            .chain(rows)
            .collect()
    }

    /// Whether a function can be called without arguments from the client.
    fn is_called_bare(&self, callable: &Callable) -> bool {
        let function = self.catalog.function(callable.function);
        callable.given().all(|(index, _)| {
            function
                .arguments
                .get(index)
                .is_some_and(|argument| argument.default)
        })
    }

    /// The fields of `f_args`.
    pub(super) fn args(&self, id: CallId) -> Vec<InputField<'a>> {
        let Some(callable) = self.model.callable(id) else {
            return Vec::new();
        };
        let function = self.catalog.function(callable.function);
        let field = |(index, name): (usize, &'a str)| {
            let r#type = TypeRef::nullable(TypeKey::Scalar(function.arguments.get(index)?.r#type));
            Some(InputField {
                name,
                r#type,
                meaning: InputMeaning::Argument(index),
            })
        };
        callable.given().filter_map(field).collect()
    }

    // ---- computed fields

    /// Whether the role may use a computed field: by its grant on the table of the returned rows,
    /// or because the field is granted by name.
    fn is_computed_granted(&self, table: TableId, computed: &Computed) -> bool {
        let Some((_, select)) = self.open(table) else {
            return false;
        };
        match computed.callable.table() {
            Some(of) => self.access.select(of).is_some(),
            None => select.computed.contains(&computed.name),
        }
    }

    pub(super) fn computed_members(&self, table: TableId) -> impl Iterator<Item = RowMember<'a>> {
        let computed = self
            .model
            .exposed(table)
            .map(|exposed| exposed.computed.iter())
            .into_iter()
            .flatten();
        computed.flat_map(|computed| {
            let aggregate = computed
                .aggregate
                .is_some()
                .then_some(RowMember::ComputedAggregate(computed));
            std::iter::once(RowMember::Computed(computed)).chain(aggregate)
        })
    }

    pub(super) fn computed(
        &self,
        table: TableId,
        computed: &'a Computed,
    ) -> Option<FieldDefinition<'a>> {
        let callable = &computed.callable;
        let rows = callable
            .table()
            .is_none_or(|table| self.has_fields(table) && self.shows_rows(table));
        (rows && self.is_computed_granted(table, computed)).then(|| FieldDefinition {
            name: &computed.name,
            r#type: result(callable),
            arguments: self.call_arguments(callable),
            meaning: Meaning::Computed(computed),
        })
    }

    pub(super) fn computed_aggregate(
        &self,
        table: TableId,
        computed: &'a Computed,
    ) -> Option<FieldDefinition<'a>> {
        let name = computed
            .aggregate
            .as_deref()
            .filter(|_| self.is_computed_granted(table, computed))?;
        self.call_aggregate(
            name,
            &computed.callable,
            Meaning::ComputedAggregate(computed),
        )
    }

    /// A computed field in `where`: a comparison of its value, or a condition on the rows that it
    /// returns.
    pub(super) fn computed_condition(
        &self,
        table: TableId,
        computed: &'a Computed,
    ) -> Option<InputField<'a>> {
        if !self.is_computed_granted(table, computed) || !self.is_called_bare(&computed.callable) {
            return None;
        }
        let shown = computed
            .callable
            .table()
            .is_none_or(|table| self.shows_rows(table));
        let named = match computed.callable.returns {
            _ if !shown => return None,
            Returns::Value(oid) => {
                InputObject::Comparison(self.result_comparison(&computed.callable, oid))
            }
            Returns::Row(of) | Returns::Rows(of) => InputObject::BoolExp(of),
            Returns::Values(_) => return None,
        };
        let meaning = InputMeaning::Computed(computed);
        Some(InputField {
            name: &computed.name,
            r#type: TypeRef::nullable(TypeKey::Input(named)),
            meaning,
        })
    }

    /// The comparison input of a function's result.
    pub fn result_comparison(&self, callable: &Callable, oid: Oid) -> Comparison {
        Comparison {
            r#type: oid,
            deterministic: true,
            spelling: callable.spelling,
            modifier: None,
            of: None,
        }
    }

    /// A computed field in `order_by`.
    pub(super) fn computed_order(
        &self,
        table: TableId,
        computed: &'a Computed,
    ) -> Option<InputField<'a>> {
        self.is_sortable(table, computed).then(|| InputField {
            name: &computed.name,
            r#type: TypeRef::nullable(TypeKey::Enum(Enum::Direction(computed.callable.spelling))),
            meaning: InputMeaning::Computed(computed),
        })
    }

    /// The aggregate of a computed field's rows in `order_by`.
    pub(super) fn computed_aggregate_order(
        &self,
        table: TableId,
        computed: &'a Computed,
    ) -> Option<InputField<'a>> {
        let granted =
            self.is_computed_granted(table, computed) && self.is_called_bare(&computed.callable);
        let name = computed.aggregate.as_deref()?;
        let of = computed.callable.table()?;
        let named = TypeKey::Input(InputObject::AggregateOrderBy(of));
        let meaning = InputMeaning::ComputedAggregate(computed);
        granted.then_some(InputField {
            name,
            r#type: TypeRef::nullable(named),
            meaning,
        })
    }

    /// Whether rows can be sorted by a computed field.
    pub(super) fn is_sortable(&self, table: TableId, computed: &Computed) -> bool {
        let Returns::Value(oid) = computed.callable.returns else {
            return false;
        };
        self.is_computed_granted(table, computed)
            && self.is_called_bare(&computed.callable)
            && self.scalar(oid).family != Family::Opaque
    }

    // ---- names

    /// The type with that name that only functions use: `f_args`, and the scalars of arguments and
    /// results.
    pub(super) fn call_named(&self, name: &str) -> Option<TypeKey> {
        self.call_types().find(|named| self.name(*named) == name)
    }

    /// The types of arguments and results of the functions that the role may call.
    pub(super) fn call_types(&self) -> impl Iterator<Item = TypeKey> {
        let routines = self
            .model
            .routines()
            .iter()
            .filter(move |routine| self.access.may_call(routine));
        let callables = routines
            .map(|routine| &routine.callable)
            .chain(self.granted_computed());
        callables.flat_map(move |callable| self.types(callable))
    }

    fn granted_computed(&self) -> impl Iterator<Item = &'a Callable> {
        self.readable().flat_map(move |(exposed, _)| {
            let granted = exposed
                .computed
                .iter()
                .filter(move |computed| self.is_computed_granted(exposed.table, computed));
            granted.map(|computed| &computed.callable)
        })
    }

    /// The comparison inputs of the computed values that the role may use.
    pub(super) fn computed_comparisons(&self) -> impl Iterator<Item = Comparison> {
        self.granted_computed()
            .filter_map(|callable| match callable.returns {
                Returns::Value(oid) if self.is_called_bare(callable) => {
                    Some(self.result_comparison(callable, oid))
                }
                _ => None,
            })
    }

    fn types(&self, callable: &Callable) -> impl Iterator<Item = TypeKey> {
        let function = self.catalog.function(callable.function);
        let given: Vec<usize> = callable.given().map(|(index, _)| index).collect();
        let args =
            (!given.is_empty()).then_some(TypeKey::Input(InputObject::Arguments(callable.id)));
        let result = match callable.returns {
            Returns::Value(oid) | Returns::Values(oid) => Some(TypeKey::Scalar(oid)),
            Returns::Row(_) | Returns::Rows(_) => None,
        };
        let scalars = given
            .into_iter()
            .filter_map(|position| function.arguments.get(position));
        args.into_iter()
            .chain(result)
            .chain(scalars.map(|argument| TypeKey::Scalar(argument.r#type)))
    }
}

fn result(callable: &Callable) -> TypeRef {
    match callable.returns {
        Returns::Value(oid) => TypeRef::nullable(TypeKey::Scalar(oid)),
        Returns::Values(oid) => TypeRef {
            sparse: true,
            ..TypeRef::required_list(TypeKey::Scalar(oid))
        },
        Returns::Row(table) => TypeRef::nullable(TypeKey::Object(Object::Row(table))),
        Returns::Rows(table) => TypeRef::required_list(TypeKey::Object(Object::Row(table))),
    }
}
