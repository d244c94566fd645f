//! Resolves conditions on the rows of a relation: some, every or none of them passes. The
//! conditions on the rows themselves are resolved by [`super::filter`].

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::Error;
use crate::model::{Relation, RelationKind};
use crate::resolve::selection::Filter;
use crate::schema::{InputMeaning, InputObject, Quantifier};

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves the condition on a relation.
    pub(super) fn related(
        &self,
        relation: &'m Relation,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        match relation.kind {
            RelationKind::Object { .. } => Ok(Filter::Related(
                relation,
                Box::new(self.filter(relation.to, input_value, at)?),
            )),
            RelationKind::Array => self.quantified(relation, input_value, at),
        }
    }

    /// Plain keys are conditions on one row, which must exist; so does an object without keys. Each
    /// of `_some`, `_every` and `_none` is a condition of its own.
    fn quantified(
        &self,
        relation: &'m Relation,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let mut row = Vec::new();
        let mut all = Vec::new();
        let input = InputObject::ArrayBoolExp(relation.to);
        for (key, value) in self.object(
            &self.object_of(input_value, input, at)?,
            at,
            VariableUse::Shape,
        )? {
            let at = at.key(key);
            let field = self.schema.input_field(input, key);
            match field.map(|field| field.meaning) {
                Some(InputMeaning::Quantifier(quantifier)) => {
                    all.push(quantifier.filter(relation, self.filter(relation.to, &value, &at)?));
                }
                _ => row.push(self.member(relation.to, key, &value, &at)?),
            }
        }
        if !row.is_empty() || all.is_empty() {
            all.push(Quantifier::Some.filter(relation, Filter::And(row)));
        }
        match all.pop() {
            Some(only) if all.is_empty() => Ok(only),
            last => Ok(Filter::And(all.into_iter().chain(last).collect())),
        }
    }
}

impl Quantifier {
    /// The filter for a quantifier. Every row passes if there is no row that does not pass.
    fn filter<'m>(self, relation: &'m Relation, inner: Filter<'m>) -> Filter<'m> {
        let related = |inner| Filter::Related(relation, Box::new(inner));
        match self {
            Quantifier::Some => related(inner),
            Quantifier::Every => Filter::Not(Box::new(related(Filter::NotTrue(Box::new(inner))))),
            Quantifier::None => Filter::Not(Box::new(related(inner))),
        }
    }
}
