//! Conditions on rows that a relation leads to: some of them, every one, none.

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::Error;
use crate::model::{Relation, RelationKind};
use crate::resolve::selection::Filter;
use crate::schema::{InputMeaning, InputObject, Quantifier};

impl<'a, 'm> Resolve<'a, 'm> {
    /// The filter that the condition of a relation means.
    pub(super) fn related(
        &self,
        relation: &'m Relation,
        given: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        match relation.kind {
            RelationKind::Object { .. } => {
                Ok(Filter::Related(relation, Box::new(self.filter(relation.to, given, at)?)))
            }
            RelationKind::Array => self.quantified(relation, given, at),
        }
    }

    /// Plain keys are about one and the same row, which there has to be; without any key too. Each explicit form
    /// stands for itself.
    fn quantified(&self, relation: &'m Relation, given: &InputValue<'a>, at: &ErrorPath) -> Result<Filter<'m>, Error> {
        let (mut row, mut all) = (Vec::new(), Vec::new());
        let input = InputObject::ArrayBoolExp(relation.to);
        for (key, value) in self.object(&self.object_of(given, input, at)?, at, VariableUse::Shape)? {
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
    /// The condition on related rows: every one fits where there is none that does not.
    fn filter<'m>(self, relation: &'m Relation, inner: Filter<'m>) -> Filter<'m> {
        let related = |inner| Filter::Related(relation, Box::new(inner));
        match self {
            Quantifier::Some => related(inner),
            Quantifier::Every => Filter::Not(Box::new(related(Filter::NotTrue(Box::new(inner))))),
            Quantifier::None => Filter::Not(Box::new(related(inner))),
        }
    }
}
