//! Plans and renders a resolved selection.

use super::row_limits::row_limits;
use super::translation::{RootField, TranslateError, Translation, TranslationKind};
use crate::error::{Cause, Error, RequestLimit};
use crate::graphql::document::OperationKind;
use crate::graphql::variables::VariableFingerprint;
use crate::model::access::Access;
use crate::plan::{MutationPlan, PlanBody, plan, required, write};
use crate::render::{self, Bounded, render};
use crate::resolve::Options;
use crate::resolve::selection::{RootSelection, Selection};
use crate::statement::{Mutation, SettingsStatement, Statement, Step};

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
        (None, None) => TranslationKind::Constant(Box::new(shape)),
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

pub(super) fn roots(selection: &Selection<'_>) -> Vec<RootField> {
    let roots = selection.roots.iter();
    roots
        .map(|root| RootField {
            key: root.key.clone(),
            is_introspection: matches!(root.selection, RootSelection::Introspection),
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
        row_limits: row_limits(access, &selection.roots),
        end: response_suffix.into(),
        settings: settings_of_plans(access),
    })
}

/// The settings under which the planner has to look at the steps of a mutation.
pub(super) fn settings_of_plans(access: &Access) -> Option<Box<SettingsStatement>> {
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
