//! Translates an operation into statements: resolve, plan, render. The gateway calls it when its
//! plan cache has no entry; parsing comes before and encoding of rows after it.

mod actions;
mod expected_work;
mod native_query;
mod runs;

use std::sync::OnceLock;

pub use actions::{CompositeOperation, OperationPart};
pub use expected_work::{CountedWork, ExpectedWork, ExpectedWorkCache};
pub use runs::{Grouping, GroupingState, ResponseLength};

use crate::encode::shape::Shape;
use crate::error::{Cause, Error, RequestLimit};
use crate::graphql::document::OperationKind;
use crate::graphql::variables::{VariableFingerprint, Variables};
use crate::model::access::Access;
use crate::plan::{MutationPlan, PlanBody, plan, required, write};
use crate::render::{self, Bounded, render};
use crate::resolve::selection::{RootSelection, Selection};
use crate::resolve::{Operation, Options};
use crate::statement::{Mutation, SettingsStatement, Statement, Step};

/// The translation of an operation for one role and one fingerprint of its variables.
#[derive(Debug)]
pub struct Translation {
    /// How the operation is executed.
    pub kind: TranslationKind,
    /// The response keys of all root fields in order, and whether each is answered by
    /// introspection.
    pub roots: Vec<(String, bool)>,
    /// The variables that determined the SQL text.
    pub structure: VariableFingerprint,
    /// The planner's estimates for the statements.
    pub expected: ExpectedWorkCache,
    /// Whether nothing but a write changes the result, as the planner's output shows, set once it
    /// was queried.
    pub is_pure: OnceLock<bool>,
    /// The length of recent responses.
    pub length: ResponseLength,
    /// Whether the statement runs together with those of other requests.
    pub grouping: Grouping,
}

impl Translation {
    /// A translation that has not run.
    pub fn new(
        kind: TranslationKind,
        roots: Vec<(String, bool)>,
        structure: VariableFingerprint,
    ) -> Translation {
        let length = ResponseLength::default();
        let grouping = Grouping::default();
        Translation {
            kind,
            roots,
            structure,
            expected: ExpectedWorkCache::default(),
            is_pure: OnceLock::new(),
            length,
            grouping,
        }
    }
}

/// How an operation is executed.
#[derive(Debug)]
pub enum TranslationKind {
    /// One statement.
    Statement(Box<Statement>),
    /// The statements of a mutation.
    Mutation(Box<Mutation>),
    /// No statement: the shape consumes no column.
    Constant(Shape),
    /// Actions, perhaps beside fields of the database.
    Composite(Box<CompositeOperation>),
}

/// A failed translation.
#[derive(Debug, thiserror::Error)]
pub enum TranslateError {
    /// The request is invalid.
    #[error(transparent)]
    Request(#[from] Error),
    /// A plan used something that is not granted. This is a defect of the translator and is never
    /// shown to a client.
    #[error(transparent)]
    Denied(#[from] crate::plan::Denied),
}

impl TranslationKind {
    /// The statement that sets the settings under which the planner has to look at the statements,
    /// if there are any.
    pub fn settings(&self) -> Option<&SettingsStatement> {
        match self {
            TranslationKind::Statement(statement) => statement.settings.as_deref(),
            TranslationKind::Mutation(mutation) => mutation.settings.as_deref(),
            TranslationKind::Constant(_) | TranslationKind::Composite(_) => None,
        }
    }

    /// The statement of a query, if it needs one.
    pub fn statement(&self) -> Option<&Statement> {
        match self {
            TranslationKind::Statement(statement) => Some(statement),
            TranslationKind::Mutation(_)
            | TranslationKind::Constant(_)
            | TranslationKind::Composite(_) => None,
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
    if actions::selects_actions(&selection) {
        actions::lower_composite(access, operation.kind(), selection, structure, options)
    } else {
        lower(access, operation.kind(), &selection, structure, options)
    }
}

/// Plans and renders a resolved selection.
pub fn lower(
    access: &Access,
    kind: OperationKind,
    selection: &Selection<'_>,
    structure: VariableFingerprint,
    options: Options,
) -> Result<Translation, TranslateError> {
    let roots = roots(selection);
    if kind == OperationKind::Mutation {
        let translation_kind =
            TranslationKind::Mutation(Box::new(mutation(access, selection, options)?));
        return Ok(Translation::new(translation_kind, roots, structure));
    }
    let (body, shape) = plan(access, selection, options)?;
    let word = options.cursors.assertion_token();
    let within = Bounded {
        max_response_bytes: options.answer_bytes,
        word,
    };
    let body_kind = match (required(access, selection, options)?, body) {
        (None, None) => TranslationKind::Constant(shape),
        (None, Some(body)) => {
            let mut statement = bounded(render(access, &body, shape, within))?;
            if kind == OperationKind::Subscription {
                render::batch(access, &body, &mut statement, within);
            }
            TranslationKind::Statement(Box::new(statement))
        }
        (Some(before), body) => {
            // The row is required even if nothing else is read from the database.
            let body = body.unwrap_or(PlanBody::Row(Vec::new()));
            let statement = render::after(access, &before, &body, shape, within);
            TranslationKind::Statement(Box::new(bounded(statement)?))
        }
    };
    Ok(Translation::new(body_kind, roots, structure))
}

/// The response keys, and whether each is answered by introspection.
fn roots(selection: &Selection<'_>) -> Vec<(String, bool)> {
    let roots = selection.roots.iter();
    roots
        .map(|root| {
            (
                root.key.clone(),
                matches!(root.selection, RootSelection::Introspection),
            )
        })
        .collect()
}

fn mutation(
    access: &Access,
    selection: &Selection<'_>,
    options: Options,
) -> Result<Mutation, TranslateError> {
    let MutationPlan {
        steps,
        row_by_row,
        response_suffix,
    } = write(access, selection, options)?;
    let word = options.cursors.assertion_token();
    let steps = steps.iter().map(|step| {
        let step = render::step(access, step, word, options.answer_bytes);
        Ok(Step {
            statement: bounded(step.statement)?,
            ..step
        })
    });
    let steps = steps.collect::<Result<_, Error>>()?;
    Ok(Mutation {
        steps,
        row_by_row,
        end: response_suffix.into(),
        settings: settings_of_plans(access),
    })
}

/// The settings under which the planner has to look at the steps of a mutation.
fn settings_of_plans(access: &Access) -> Option<Box<SettingsStatement>> {
    render::settings(access.settings_of_reads()).map(Box::new)
}

/// The maximum number of parameters of a statement in Postgres' protocol.
const MAX_PARAMETERS: usize = 65_535;

fn bounded(statement: Statement) -> Result<Statement, Error> {
    if statement.parameters.len() > MAX_PARAMETERS {
        Err(Cause::Limit {
            limit: RequestLimit::Parameters,
            value: MAX_PARAMETERS,
        }
        .under("$"))
    } else {
        Ok(statement)
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
        let values = json!({ "w": condition });
        let variables = operation
            .coerce(&access, values.as_object().unwrap())
            .unwrap();
        match translate(&access, &operation, &variables, Options::default()) {
            Err(TranslateError::Request(error)) => Some(error.kind()),
            _ => None,
        }
    }

    #[test]
    fn conditions_in_variables_are_limited() {
        let many = |number: usize| json!({"_or": (0..number).map(|id| json!({"id": {"_eq": id}})).collect::<Vec<_>>()});
        assert_eq!(refused(&many(10_000)), None);
        assert_eq!(refused(&many(10_001)), Some(ErrorKind::LimitExceeded));
        let deep = |depth: usize| {
            (0..depth).fold(json!({}), |inner, _| json!({"articles": {"author": inner}}))
        };
        assert_eq!(refused(&deep(5)), None);
        assert_eq!(refused(&deep(6)), Some(ErrorKind::LimitExceeded));
        let wide = |width: usize| json!({"_or": vec![json!({"articles": {}}); width]});
        assert_eq!(refused(&wide(200)), None);
        assert_eq!(refused(&wide(201)), Some(ErrorKind::LimitExceeded));
    }
}
