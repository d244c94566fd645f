//! Decides whether the results of a live query are those of every caller without credentials, so
//! that caches may hold its event stream for all of them: it reads no session values, and nothing
//! but a write changes its result.

use pg::{Database, DatabaseError, Requester};
use sql::graphql::document::OperationKind;
use sql::statement::{Parameter, Statement};
use tokio::time::Instant;

use super::dependencies;
use super::execution::Execution;
use super::execution_options::AllowedOperations;
use super::execution_state::ExecutionState;
use super::request_context::RequestContext;
use super::valid_request::validate;
use crate::auth::session::{AuthKind, Session};
use crate::error::Error;
use crate::request::Request;

/// Whether a request is a live query whose results any caller of the session's role would get. A
/// stream of rows is none: each of its events counts. A request that is not valid, or that Postgres
/// refuses to plan, has no such results.
///
/// Errors: the planner could not be asked.
pub async fn is_public(
    state: &ExecutionState,
    session: &Session,
    request: &Request,
    deadline: Instant,
) -> Result<bool, Error> {
    if session.caller() != AuthKind::Unauthorized {
        return Ok(false);
    }
    let Ok(valid) = validate(state, session, request, AllowedOperations::Any) else {
        return Ok(false);
    };
    if valid.kind() != OperationKind::Subscription || valid.entry.operation.is_volatile() {
        return Ok(false);
    }
    let context = RequestContext::new(state, session, deadline);
    let plan = match valid.plan(state, session) {
        Ok((plan, _)) => plan,
        Err(error) => return refused(error),
    };
    let Some(statement) = plan
        .translation
        .kind
        .statement()
        .filter(|statement| is_same_for_all(statement))
    else {
        return Ok(false);
    };
    let execution = Execution::new(context, &plan.translation, &plan.variables);
    match execution.bind_live() {
        Ok(bound) if bound.reads_clock() => return Ok(false),
        Ok(_) => {}
        Err(error) => return refused(error),
    }
    if let Some(is_pure) = plan.translation.is_pure.get() {
        return Ok(*is_pure);
    }
    match is_pure(&state.database, &context.requester(), statement, deadline).await {
        Ok(is_pure) => Ok(*plan.translation.is_pure.get_or_init(|| is_pure)),
        Err(error) => refused(error.into()),
    }
}

/// Whether the statement reads nothing of its caller.
fn is_same_for_all(statement: &Statement) -> bool {
    let estimated = statement
        .estimates
        .iter()
        .flat_map(|estimate| &estimate.parameters);
    let reads_session = statement
        .parameters
        .iter()
        .chain(estimated)
        .any(Parameter::reads_session);
    statement.positions.is_empty() && !reads_session && statement.settings.is_none()
}

async fn is_pure(
    database: &Database,
    requester: &Requester,
    statement: &Statement,
    deadline: Instant,
) -> Result<bool, DatabaseError> {
    let plan = database
        .explain(
            requester,
            None,
            &statement.text,
            statement.parameters.len(),
            deadline,
        )
        .await?;
    dependencies::is_pure(database, requester, &plan, deadline).await
}

/// An error that says nothing about the request is passed on: the next attempt may succeed.
fn refused(error: Error) -> Result<bool, Error> {
    match error {
        Error::OutOfMemory(_) | Error::Internal(_) => Err(error),
        Error::Database(DatabaseError::Refused(_)) => Ok(false),
        Error::Database(_) => Err(error),
        _ => Ok(false),
    }
}
