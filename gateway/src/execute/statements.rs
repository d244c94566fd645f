//! The statements of a translation: their parameters, and the errors with which they fail.

use sql::graphql::variables::Variables;
use sql::statement::{AssertionToken, Statement, ValueBudget};
use sql::{Translation, TranslationKind};

use crate::auth::session::Session;
use crate::error::Error;
use pg::{DatabaseError, Parameters, PostgresError};

/// The statements of a translation, in order.
pub fn statements(translation: &Translation) -> impl Iterator<Item = &Statement> {
    let (alone, steps) = match &translation.kind {
        TranslationKind::Statement(statement) => (Some(statement.as_ref()), &[][..]),
        TranslationKind::Mutation(mutation) => (None, mutation.steps.as_slice()),
        // The parts of an operation with actions are executed as translations of their own.
        TranslationKind::Constant(_) | TranslationKind::Composite(_) => (None, &[][..]),
    };
    alone
        .into_iter()
        .chain(steps.iter().map(|step| &step.statement))
}

/// Binds the parameters of each statement, in text format, within the value budget.
pub fn bind(
    translation: &Translation,
    variables: &Variables,
    session: &Session,
    budget: &mut ValueBudget,
) -> Result<Vec<Parameters>, Error> {
    statements(translation)
        .map(|statement| Ok(statement.bind(variables, session, budget)?))
        .collect()
}

/// Binds the parameters of each run of a statement: some statements of a mutation run for one row
/// after another.
pub(super) fn bind_runs(
    translation: &Translation,
    variables: &Variables,
    session: &Session,
    budget: &mut ValueBudget,
) -> Result<Vec<Parameters>, Error> {
    match &translation.kind {
        TranslationKind::Mutation(mutation) => Ok(mutation.bind(variables, session, budget)?),
        _ => bind(translation, variables, session, budget),
    }
}

/// Whether a translation selects `__schema` or `__type`.
pub(super) fn selects_introspection(translation: &Translation) -> bool {
    translation.roots.iter().any(|root| root.is_introspection)
}

/// Converts a database error of a query. A failed assertion of its statement becomes the cause of
/// that assertion.
pub(super) fn query_error(statement: &Statement, fault: DatabaseError) -> Error {
    let alarm = match &fault {
        DatabaseError::Refused(refusal) => failed_assertion(statement, refusal),
        _ => None,
    };
    match alarm {
        Some(alarm) => alarm.cause.clone().under(alarm.path.clone()).into(),
        None => Error::Database(fault),
    }
}

/// Finds the assertion of a statement that failed with this error.
pub(super) fn failed_assertion<'s>(
    statement: &'s Statement,
    refusal: &PostgresError,
) -> Option<&'s AssertionToken> {
    if refusal.sqlstate == "22P02" {
        statement.alarm(&refusal.message)
    } else {
        None
    }
}
