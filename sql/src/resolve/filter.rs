//! Resolves `where`: from a `…_bool_exp` to a filter. Conditions on columns are resolved by
//! [`super::compare`], those on relations by [`super::related`].

use std::sync::Arc;

use super::input::{ErrorPath, InputValue, VariableUse};
use super::{Coercion, Resolve};
use crate::error::{Cause, Error, ExpectedKind, RequestLimit};
use crate::postgres::catalog::TableId;
use crate::resolve::selection::{Filter, Having, Term};
use crate::schema::{InputMeaning, InputObject};
use crate::statement::{Literal, Operand, Parameter};

/// Limits on the conditions of an operation, most of which may be in variables: the number of
/// conditions on columns, the number on relations, and the nesting depth of relations. Postgres
/// plans nested relations as joins, which takes time that grows with a power of their number.
const MAX_CONDITIONS: usize = 10_000;
const MAX_RELATIONS: usize = 200;
const RELATED_DEPTH: usize = 10;

impl<'a, 'm> Resolve<'a, 'm> {
    /// Returns the filter, or an error if the operation has too many conditions.
    pub(super) fn bounded(&self, filter: Filter<'m>, at: &ErrorPath) -> Result<Filter<'m>, Error> {
        let (mut columns, mut relations) = self.conditions.get();
        let depth = weigh(&filter, &mut columns, &mut relations);
        self.conditions.set((columns, relations));
        let bounds = [
            (RequestLimit::Conditions, columns, MAX_CONDITIONS),
            (RequestLimit::RelationConditions, relations, MAX_RELATIONS),
            (RequestLimit::NestedRelationConditions, depth, RELATED_DEPTH),
        ];
        match bounds.into_iter().find(|(_, size, bound)| size > bound) {
            Some((limit, _, value)) => Err(at.error(Cause::Limit { limit, value })),
            None => Ok(filter),
        }
    }

    /// Resolves a `t_bool_exp`; all of its keys must hold.
    pub(super) fn filter(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let mut all = Vec::new();
        let input = InputObject::BoolExp(table);
        for (key, value) in self.object(
            &self.object_of(input_value, input, at)?,
            at,
            VariableUse::Shape,
        )? {
            all.push(self.member(table, key, &value, &at.key(key))?);
        }
        Ok(Filter::And(all))
    }

    /// Resolves one key of a `t_bool_exp`.
    pub(super) fn member(
        &self,
        table: TableId,
        key: &str,
        value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let input = InputObject::BoolExp(table);
        let field = self
            .schema
            .input_field(input, key)
            .ok_or_else(|| self.unknown_key(input, key, at))?;
        Ok(match field.meaning {
            InputMeaning::And => Filter::And(self.filters(table, value, at)?),
            InputMeaning::Or => Filter::Or(self.filters(table, value, at)?),
            InputMeaning::Not => Filter::Not(Box::new(self.filter(table, value, at)?)),
            InputMeaning::Column(column) => self.compare(
                &Term::Column(column),
                self.schema.comparison(table, column),
                value,
                at,
            )?,
            InputMeaning::Relation(relation) => self.related(relation, value, at)?,
            InputMeaning::Aggregate(relation) => self.aggregates(relation, value, at)?,
            InputMeaning::Computed(computed) => self.computed_filter(computed, value, at)?,
            _ => return Err(self.unknown_key(input, key, at)),
        })
    }

    fn filters(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<Filter<'m>>, Error> {
        if input_value.is_null() {
            return Err(at.wrong_type(input_value, ExpectedKind::Conditions));
        }
        let items = self
            .list(input_value, VariableUse::Shape)
            .into_iter()
            .enumerate();
        items
            .map(|(i, item)| self.filter(table, &item, &at.item(i)))
            .collect()
    }

    /// Makes a parameter. An operand without variables becomes a constant and is checked here.
    pub(super) fn parameter(&self, mut operand: Operand) -> Result<Parameter, Error> {
        use crate::graphql::variables::Template;
        if self.coercion == Coercion::Loose {
            operand.requirement = operand.requirement.loosened();
        }
        // A statement contains a value once, however often the document uses the variable.
        if self.operands.borrow().contains(&operand) {
            return Ok(Parameter::Request(Arc::new(operand)));
        }
        let mut budget = self.budget.get();
        let text = operand.bind_within(self.variables, &budget)?;
        budget.take(text.as_deref())?;
        self.budget.set(budget);
        if let (Template::Json(_), Some(text)) = (&operand.value, text) {
            return Ok(Parameter::Constant(Literal::new(text, &operand)));
        }
        let operand = Arc::new(operand);
        self.operands.borrow_mut().insert(operand.clone());
        Ok(Parameter::Request(operand))
    }

    pub(super) fn unknown_key(&self, input: InputObject, key: &str, at: &ErrorPath) -> Error {
        let on = self.schema.name(crate::schema::TypeKey::Input(input));
        at.error(Cause::UnknownInputField {
            field: key.to_owned(),
            on,
        })
    }
}

/// Counts the conditions on columns and on relations, and returns the nesting depth of the
/// relations.
fn weigh(filter: &Filter<'_>, columns: &mut usize, relations: &mut usize) -> usize {
    match filter {
        Filter::And(all) | Filter::Or(all) => all
            .iter()
            .map(|f| weigh(f, columns, relations))
            .max()
            .unwrap_or(0),
        Filter::Not(inner) | Filter::NotTrue(inner) => weigh(inner, columns, relations),
        Filter::Related(_, inner) | Filter::Called(_, _, inner) => {
            *relations += 1;
            1 + weigh(inner, columns, relations)
        }
        Filter::Aggregate(_, having) => {
            *relations += 1;
            1 + weigh_having(having, columns, relations)
        }
        Filter::Having(having) => weigh_having(having, columns, relations),
        Filter::IsNull { .. } | Filter::Compare(..) | Filter::Search(_) => {
            *columns += 1;
            0
        }
    }
}

fn weigh_having(having: &Having<'_>, columns: &mut usize, relations: &mut usize) -> usize {
    weigh(&having.test, columns, relations);
    having
        .filter
        .as_ref()
        .map_or(0, |filter| weigh(filter, columns, relations))
}
