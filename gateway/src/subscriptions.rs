//! Runs subscriptions: live queries, which send a result whenever it has changed, and streams. Every transport calls
//! [`subscribe`] with an authenticated session and gets the results through its [`outbox`].

pub mod outbox;

use std::sync::Arc;

use sql::graphql::document::OperationKind;
use tokio::time::Instant;

use crate::auth::session::Session;
use crate::error::Error;
use crate::execute::{self, AllowedOperations, ExecutionOptions, Executor};
use crate::request::Request;
use outbox::ResultSender;

/// A running subscription. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription {}

/// Starts an operation of any kind, whose results go to `results`. A query or a mutation has ended when this returns,
/// without a [`Subscription`]; of a subscription the first result follows at once.
///
/// Errors: the request is invalid or may not be executed, or a query or mutation failed. Nothing was sent then.
pub async fn start(
    executor: &Arc<Executor>,
    session: &Session,
    request: &Request,
    results: ResultSender,
) -> Result<Option<Subscription>, Error> {
    let deadline = Instant::now() + executor.limits.for_role(session.role()).enforced.time;
    let kind = execute::kind(executor, session, request)?;
    let operations = match kind {
        OperationKind::Query | OperationKind::Mutation => AllowedOperations::All,
        OperationKind::Subscription => AllowedOperations::Subscriptions,
    };
    let options = ExecutionOptions { buffered: true, ..ExecutionOptions::new(operations, deadline) };
    let answer = execute::answer(executor, session, request, options).await?;
    results.send_latest(answer.payload.collect(executor.memory).await?);
    if kind == OperationKind::Subscription {
        return Ok(Some(Subscription {}));
    }
    results.end(None);
    Ok(None)
}
