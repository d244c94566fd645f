//! Calls of functions: root fields, computed fields, and the arguments that are given for them.

use super::input::{ErrorPath, InputValue, VariableUse};
use super::read::MergedFields;
use super::{Coercion, Resolve};
use crate::error::{Cause, Error};
use crate::model::{ArgumentSource, Callable, Computed, Returns, Routine};
use crate::postgres::catalog::TableId;
use crate::resolve::selection::{Call, FieldKind, Filter, OrderAggregate, OrderBy, RootSelection, Term};
use crate::schema::{FieldDefinition, InputMeaning, InputObject};
use crate::statement::{Operand, OperandRequirement, Parameter};

impl<'a, 'm> Resolve<'a, 'm> {
    /// A function as a root field.
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

    /// A computed field.
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
            Returns::Value(_) => FieldKind::Value(Term::Computed(call, self.path(fields, definition, at)?)),
        })
    }

    /// A call with what stands under `args`.
    pub(super) fn called(
        &self,
        callable: &Callable,
        fields: &MergedFields<'a>,
        definition: &FieldDefinition<'m>,
        at: &ErrorPath,
    ) -> Result<Call, Error> {
        match self.argument(fields, definition, "args", "args", VariableUse::Shape, at)? {
            Some((given, at)) => self.call(callable, Some(&given), &at),
            None => self.call(callable, None, &at.argument("args")),
        }
    }

    /// A condition on a computed field: on its value, or some row of it that passes.
    pub(super) fn computed_filter(
        &self,
        computed: &'m Computed,
        given: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let call = self.call(&computed.callable, None, at)?;
        match computed.callable.returns {
            Returns::Row(table) | Returns::Rows(table) => {
                Ok(Filter::Called(call, table, Box::new(self.filter(table, given, at)?)))
            }
            Returns::Value(oid) | Returns::Values(oid) => {
                let comparison = self.schema.result_comparison(&computed.callable, oid);
                self.compare(&Term::Computed(call, None), comparison, given, at)
            }
        }
    }

    /// Sorting by a computed value.
    pub(super) fn computed_order(&self, computed: &Computed, at: &ErrorPath) -> Result<OrderBy<'m>, Error> {
        Ok(OrderBy::Value(Term::Computed(self.call(&computed.callable, None, at)?, None)))
    }

    /// What leads from an aggregate of a computed field's rows to sorting by it, and the table of the rows.
    #[allow(clippy::type_complexity)]
    pub(super) fn computed_measure(
        &self,
        computed: &Computed,
        at: &ErrorPath,
    ) -> Result<Option<(TableId, impl Fn(OrderAggregate) -> OrderBy<'m> + 'static)>, Error> {
        let call = self.call(&computed.callable, None, at)?;
        let table = computed.callable.table();
        Ok(table.map(|table| (table, move |measure| OrderBy::Called(call.clone(), table, measure))))
    }

    fn call(&self, callable: &Callable, args: Option<&InputValue<'a>>, at: &ErrorPath) -> Result<Call, Error> {
        let input = InputObject::Arguments(callable.id);
        let mut given: Vec<Option<Parameter>> = callable.arguments.iter().map(|_| None).collect();
        let fields = args.map(|args| self.object(args, at, VariableUse::Shape)).transpose()?.unwrap_or_default();
        for (key, value) in fields {
            let at = at.key(key);
            let field = self.schema.input_field(input, key);
            let Some(InputMeaning::Argument(place)) = field.map(|field| field.meaning) else {
                return Err(self.unknown_key(input, key, &at));
            };
            if let Some(slot) = given.get_mut(place) {
                *slot = Some(self.passed(callable, place, &value, &at)?);
            }
        }
        self.check_gaps(callable, &given, at)?;
        Ok(Call { id: callable.id, returns: callable.returns, given })
    }

    /// The parameter of an argument; null is passed as null.
    fn passed(
        &self,
        callable: &Callable,
        place: usize,
        given: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Parameter, Error> {
        let function = self.schema.model().catalog().function(callable.function);
        let oid = function.arguments.get(place).map_or(0, |argument| argument.r#type);
        let scalar = self.schema.scalar(oid);
        let (name, path, value) = (at.name.clone(), at.path.clone(), self.template(given));
        self.parameter(Operand {
            name,
            path,
            value,
            need: OperandRequirement::Nullable(scalar.input),
            expected: scalar.name,
        })
    }

    /// Refuses to leave out an argument without default, or to give one without a name behind one that is left out.
    fn check_gaps(&self, callable: &Callable, given: &[Option<Parameter>], at: &ErrorPath) -> Result<(), Error> {
        let function = self.schema.model().catalog().function(callable.function);
        let mut gap = false;
        // Hasura passes arguments by their places alone.
        let loose = self.coercion == Coercion::Loose;
        for ((takes, given), argument) in callable.arguments.iter().zip(given).zip(&function.arguments) {
            match (takes, given) {
                (ArgumentSource::Given(name), None) if !argument.default => {
                    return Err(at.key(name).error(Cause::NoDefault { name: name.clone() }));
                }
                (ArgumentSource::Given(_), None) => gap = true,
                (ArgumentSource::Given(name), Some(_)) if gap && (loose || argument.name.is_none()) => {
                    return Err(at.key(name).error(Cause::Gap { name: name.clone() }));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
