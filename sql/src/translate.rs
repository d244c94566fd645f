//! The cold path in one call: resolve, plan, render.

mod native_query;

use std::sync::OnceLock;

use crate::encode::shape::Shape;
use crate::error::{Cause, Error};
use crate::graphql::document::OperationKind;
use crate::graphql::variables::{VariableFingerprint, Variables};
use crate::model::access::Access;
use crate::plan::{PlanBody, plan, required, write};
use crate::render::{self, Bounded, render};
use crate::resolve::selection::{RootSelection, Selection};
use crate::resolve::{Operation, Options};
use crate::statement::{Mutation, Statement, Step};

/// What an operation becomes for one role and one structure of variables.
#[derive(Debug)]
pub struct Translation {
    /// What is answered.
    pub answer: TranslationKind,
    /// The response keys of all root fields in order, and whether introspection answers them.
    pub roots: Vec<(String, bool)>,
    /// The variables that decided the text.
    pub structure: VariableFingerprint,
    /// What the planner expects of its statements, once it was asked.
    pub expected: OnceLock<ExpectedWork>,
}

/// What the planner expects of statements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpectedWork {
    /// Rows, those of lists within rows among them.
    pub rows: f64,
    /// Work, in the planner's units.
    pub cost: f64,
}

/// How an operation is answered.
#[derive(Debug)]
pub enum TranslationKind {
    /// By a statement.
    Statement(Box<Statement>),
    /// By the statements of a mutation.
    Mutation(Box<Mutation>),
    /// Without the database: the shape consumes no column.
    Constant(Shape),
}

/// A translation that failed.
#[derive(Debug, thiserror::Error)]
pub enum TranslateError {
    /// The request is wrong.
    #[error(transparent)]
    Request(#[from] Error),
    /// A plan asked for what is not granted: a fault of ours, never shown.
    #[error(transparent)]
    Denied(#[from] crate::plan::Denied),
}

impl TranslationKind {
    /// The statement, if there is one.
    pub fn statement(&self) -> Option<&Statement> {
        match self {
            TranslationKind::Statement(statement) => Some(statement),
            TranslationKind::Mutation(_) | TranslationKind::Constant(_) => None,
        }
    }
}

/// Translates an operation under a role's access.
pub fn translate(
    access: &Access,
    operation: &Operation,
    variables: &Variables,
    options: Options,
) -> Result<Translation, TranslateError> {
    let (selection, structure) = operation.select(access, variables, options)?;
    lower(access, operation.kind(), &selection, structure, options)
}

/// The second half of it: a selection is planned and rendered.
pub fn lower(
    access: &Access,
    kind: OperationKind,
    selection: &Selection<'_>,
    structure: VariableFingerprint,
    options: Options,
) -> Result<Translation, TranslateError> {
    let roots =
        selection.roots.iter().map(|r| (r.key.clone(), matches!(r.want, RootSelection::Introspection))).collect();
    if kind == OperationKind::Mutation {
        let answer = TranslationKind::Mutation(Box::new(mutation(access, selection, options)?));
        return Ok(Translation { answer, roots, structure, expected: OnceLock::new() });
    }
    let (body, shape) = plan(access, selection, options)?;
    let word = options.cursors.word();
    let within = Bounded { answer: options.answer_bytes, word: &word };
    let answer = match (required(access, selection, options)?, body) {
        (None, None) => TranslationKind::Constant(shape),
        (None, Some(body)) => TranslationKind::Statement(Box::new(bounded(render(access, &body, shape, within))?)),
        (Some(before), body) => {
            // The row is looked for even where nothing else is asked of the database.
            let body = body.unwrap_or(PlanBody::Row(Vec::new()));
            let statement = render::after(access, &before, &body, shape, within);
            TranslationKind::Statement(Box::new(bounded(statement)?))
        }
    };
    Ok(Translation { answer, roots, structure, expected: OnceLock::new() })
}

fn mutation(access: &Access, selection: &Selection<'_>, options: Options) -> Result<Mutation, TranslateError> {
    let (steps, end) = write(access, selection, options)?;
    let word = options.cursors.word();
    let steps = steps.iter().map(|step| {
        let step = render::step(access, step, &word, options.answer_bytes);
        Ok(Step { statement: bounded(step.statement)?, ..step })
    });
    Ok(Mutation { steps: steps.collect::<Result<_, Error>>()?, end: end.into() })
}

/// So many parameters has a statement of Postgres' protocol at most.
const PARAMETERS: usize = 65_535;

fn bounded(statement: Statement) -> Result<Statement, Error> {
    match statement.parameters.len() > PARAMETERS {
        true => Err(Cause::Limit { limit: "values of a request", value: PARAMETERS }.under("$")),
        false => Ok(statement),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::error::ErrorKind;
    use crate::model::names::Convention;
    use crate::testing::{admin, validate};

    fn refused(condition: &Json) -> Option<ErrorKind> {
        let access = admin(Convention::Snake);
        let text = "query($w: authors_bool_exp) { authors(where: $w) { id } }";
        let operation = validate(&access, text).unwrap();
        let given = json!({ "w": condition });
        let variables = operation.coerce(&access, given.as_object().unwrap()).unwrap();
        match translate(&access, &operation, &variables, Options::default()) {
            Err(TranslateError::Request(error)) => Some(error.kind()),
            _ => None,
        }
    }

    #[test]
    fn conditions_in_variables_are_bounded() {
        let many = |number: usize| json!({"_or": (0..number).map(|id| json!({"id": {"_eq": id}})).collect::<Vec<_>>()});
        assert_eq!(refused(&many(10_000)), None);
        assert_eq!(refused(&many(10_001)), Some(ErrorKind::LimitExceeded));
        let deep = |depth: usize| (0..depth).fold(json!({}), |inner, _| json!({"articles": {"author": inner}}));
        assert_eq!(refused(&deep(5)), None);
        assert_eq!(refused(&deep(6)), Some(ErrorKind::LimitExceeded));
        let wide = |width: usize| json!({"_or": vec![json!({"articles": {}}); width]});
        assert_eq!(refused(&wide(200)), None);
        assert_eq!(refused(&wide(201)), Some(ErrorKind::LimitExceeded));
    }
}
