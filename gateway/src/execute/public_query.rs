//! Decides whether the results of a live query are those of every caller without credentials, so that caches may hold its
//! event stream for all of them: it reads no session values, and nothing but a write changes its result.

use sql::graphql::document::OperationKind;
use sql::statement::Parameter;
use tokio::time::Instant;

use super::live_query::{BoundQuery, LiveQuery};
use super::{AllowedOperations, Executor, dependencies, validate};
use crate::auth::session::{AuthKind, Session};
use crate::error::Error;
use crate::request::Request;

/// Whether a request is a live query whose results any caller of the session's role would get. A stream of rows is none:
/// each of its events counts.
///
/// Errors: the request is not valid, or the planner could not be asked.
pub async fn is_public(
    executor: &Executor,
    session: &Session,
    request: &Request,
    deadline: Instant,
) -> Result<bool, Error> {
    if session.caller() != AuthKind::Unauthorized {
        return Ok(false);
    }
    let valid = validate(executor, session, request, AllowedOperations::Any)?;
    if valid.kind() != OperationKind::Subscription || valid.entry.operation.is_volatile() {
        return Ok(false);
    }
    let (query, bound) = Box::pin(LiveQuery::of(executor, session, valid, deadline)).await?;
    query.is_public(executor, &bound, deadline).await
}

impl LiveQuery {
    async fn is_public(&self, executor: &Executor, bound: &BoundQuery, deadline: Instant) -> Result<bool, Error> {
        let Some(statement) = self.translation().answer.statement() else { return Ok(false) };
        let estimated = statement.estimates.iter().flat_map(|estimate| &estimate.parameters);
        let reads_session = statement.parameters.iter().chain(estimated).any(Parameter::reads_session);
        if self.is_stream() || reads_session || statement.settings.is_some() || bound.reads_clock() {
            return Ok(false);
        }
        let (text, places) = (&statement.text, statement.parameters.len());
        let plan = executor.database.explain(&self.requester(), None, text, places, deadline).await?;
        Ok(dependencies::is_pure(&executor.database, &plan, deadline).await?)
    }
}
