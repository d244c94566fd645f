//! Resolves function calls: functions as root fields, computed fields, and their arguments.
//! [`super::read`] resolves the fields selected from the rows that they return.

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use super::read::MergedFields;
use crate::error::{Cause, Error};
use crate::model::{ArgumentSource, Callable, Computed, Returns, Routine};
use crate::postgres::catalog::TableId;
use crate::resolve::selection::{
    Call, FieldKind, Filter, OrderAggregate, OrderBy, RootSelection, Term,
};
use crate::schema::{FieldDefinition, InputMeaning, InputObject};
use crate::statement::{Operand, OperandRequirement, Parameter};

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves a function that is a root field.
    pub(super) fn routine(
        &self,
        routine: &'m Routine,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<RootSelection<'m>, Error> {
        let call = self.called(&routine.callable, fields, definition, at)?;
        Ok(match routine.callable.table() {
            Some(table) => RootSelection::Called(call, self.rows(table, fields, definition, at)?),
            None => RootSelection::Value(call),
        })
    }

    /// Resolves a computed field.
    pub(super) fn computed(
        &self,
        computed: &'m Computed,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<FieldKind<'m>, Error> {
        let call = self.called(&computed.callable, fields, definition, at)?;
        Ok(match computed.callable.returns {
            Returns::Row(table) | Returns::Rows(table) => {
                FieldKind::Called(call, self.rows(table, fields, definition, at)?)
            }
            Returns::Values(_) => FieldKind::Values(call),
            Returns::Value(_) => {
                FieldKind::Value(Term::Computed(call, self.path(fields, definition, at)?))
            }
        })
    }

    /// Resolves a call with the arguments given under `args`.
    pub(super) fn called(
        &self,
        callable: &Callable,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Call, Error> {
        match self.argument(fields, definition, "args", "args", VariableUse::Shape, at)? {
            Some((input_value, at)) => self.call(callable, Some(&input_value), &at),
            None => self.call(callable, None, &at.argument("args")),
        }
    }

    /// Resolves a condition on a computed field: on its value, or that one of its rows passes a
    /// condition.
    pub(super) fn computed_filter(
        &self,
        computed: &'m Computed,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let call = self.call(&computed.callable, None, at)?;
        match computed.callable.returns {
            Returns::Row(table) | Returns::Rows(table) => Ok(Filter::Called(
                call,
                table,
                Box::new(self.filter(table, input_value, at)?),
            )),
            Returns::Value(oid) | Returns::Values(oid) => {
                let comparison = self.schema.result_comparison(&computed.callable, oid);
                self.compare(&Term::Computed(call, None), comparison, input_value, at)
            }
        }
    }

    /// Resolves an order by a computed value.
    pub(super) fn computed_order(
        &self,
        computed: &Computed,
        at: &ErrorPath,
    ) -> Result<OrderBy<'m>, Error> {
        Ok(OrderBy::Value(Term::Computed(
            self.call(&computed.callable, None, at)?,
            None,
        )))
    }

    /// For a computed field that returns rows: their table, and a function that makes the order by
    /// one of their aggregates.
    #[allow(clippy::type_complexity)]
    pub(super) fn computed_measure(
        &self,
        computed: &Computed,
        at: &ErrorPath,
    ) -> Result<Option<(TableId, impl Fn(OrderAggregate) -> OrderBy<'m> + 'static)>, Error> {
        let call = self.call(&computed.callable, None, at)?;
        let table = computed.callable.table();
        Ok(table.map(|table| {
            (table, move |measure| {
                OrderBy::Called(call.clone(), table, measure)
            })
        }))
    }

    fn call(
        &self,
        callable: &Callable,
        args: Option<&InputValue<'a>>,
        at: &ErrorPath,
    ) -> Result<Call, Error> {
        let input = InputObject::Arguments(callable.id);
        let mut parameters: Vec<Option<Parameter>> =
            callable.arguments.iter().map(|_| None).collect();
        let fields = args
            .map(|args| self.object(args, at, VariableUse::Shape))
            .transpose()?
            .unwrap_or_default();
        for (key, value) in fields {
            let at = at.key(key);
            let field = self.schema.input_field(input, key);
            let Some(InputMeaning::Argument(index)) = field.map(|field| field.meaning) else {
                return Err(self.unknown_key(input, key, &at));
            };
            if let Some(slot) = parameters.get_mut(index) {
                *slot = Some(self.passed(callable, index, &value, &at)?);
            }
        }
        self.check_gaps(callable, &parameters, at)?;
        Ok(Call {
            id: callable.id,
            returns: callable.returns,
            given: parameters,
        })
    }

    /// The parameter of an argument; null is passed as null.
    fn passed(
        &self,
        callable: &Callable,
        index: usize,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Parameter, Error> {
        let function = self.schema.model().catalog().function(callable.function);
        let oid = function
            .arguments
            .get(index)
            .map_or(0, |argument| argument.r#type);
        let scalar = self.schema.scalar(oid);
        let name = at.name().to_owned();
        let path = at.path();
        let value = self.template(input_value);
        self.parameter(Operand {
            name,
            path,
            value,
            requirement: OperandRequirement::Nullable(scalar.input.clone()),
            expected: scalar.name.as_str().into(),
        })
    }

    /// Rejects an omitted argument that has no default, and an argument without a name that follows
    /// an omitted one.
    fn check_gaps(
        &self,
        callable: &Callable,
        parameters: &[Option<Parameter>],
        at: &ErrorPath,
    ) -> Result<(), Error> {
        let function = self.schema.model().catalog().function(callable.function);
        let mut gap = false;
        for ((takes, parameter), argument) in callable
            .arguments
            .iter()
            .zip(parameters)
            .zip(&function.arguments)
        {
            match (takes, parameter) {
                (ArgumentSource::Given(name), None) if !argument.default => {
                    return Err(at.key(name).error(Cause::NoDefault { name: name.clone() }));
                }
                (ArgumentSource::Given(_), None) => gap = true,
                (ArgumentSource::Given(name), Some(_)) if gap && argument.name.is_none() => {
                    return Err(at.key(name).error(Cause::Gap { name: name.clone() }));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
