//! Subscriptions to the outcome of an asynchronous action. No table's rules apply to the log of
//! actions, and a call is asked for by its id, so its outcome is read again at short intervals and
//! sent when it has changed.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::outbox::ResultSender;
use crate::auth::session::Session;
use crate::error::Error;
use crate::execute::{self, AllowedOperations, ExecutionOptions, ExecutionState, ReloadRequests};
use crate::request::Request;
use crate::telemetry::metrics::SubscriptionMetrics;

/// A running subscription. Dropping it ends the subscription.
#[derive(Debug)]
pub(super) struct FollowedAction {
    task: AbortHandle,
    metrics: SubscriptionMetrics,
}

/// The first pause between two reads, and the longest: a change is sent within two seconds.
const FIRST_READ_DELAY: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_millis(1500);

/// The first result of a subscription to an outcome. Errors end it before it has begun.
pub(super) async fn first(
    execution: &Arc<ExecutionState>,
    session: &Session,
    request: &Request,
) -> Result<Bytes, Error> {
    let deadline = Instant::now() + execution.limits.for_role(session.role()).enforced.time;
    let options = ExecutionOptions::new(AllowedOperations::Subscriptions, deadline);
    let options = ExecutionOptions {
        buffered: true,
        ..options
    };
    // Boxed because its future is large.
    let response = Box::pin(execute::respond(execution, session, request, options)).await?;
    response.payload.collect().await
}

impl FollowedAction {
    /// Begins to follow an outcome after its first result.
    pub(super) fn begin(
        execution: &Arc<ExecutionState>,
        session: &Session,
        request: &Request,
        sent: Bytes,
        results: ResultSender,
        metrics: SubscriptionMetrics,
    ) -> FollowedAction {
        metrics.subscribers.inc();
        let reload = execution.reload.clone();
        let session = session.clone();
        let request = request.clone();
        let task = tokio::spawn(follow(reload, session, request, sent, results)).abort_handle();
        FollowedAction { task, metrics }
    }
}

impl Drop for FollowedAction {
    fn drop(&mut self) {
        self.task.abort();
        self.metrics.subscribers.dec();
    }
}

/// Reads until the connection has ended. The version is looked up each time, so that a reload is
/// not kept waiting, and one that takes the action from the role ends the subscription.
async fn follow(
    reload: ReloadRequests,
    session: Session,
    request: Request,
    mut sent: Bytes,
    results: ResultSender,
) {
    let mut pause = FIRST_READ_DELAY;
    loop {
        tokio::time::sleep(pause).await;
        let Some(execution) = reload.latest() else {
            return;
        };
        if !results.is_free() {
            continue;
        }
        match first(&execution, &session, &request).await {
            Ok(result) if result == sent => pause = (pause * 2).min(LONGEST_PAUSE),
            Ok(result) => {
                pause = FIRST_READ_DELAY;
                sent = result.clone();
                if !results.send_latest(result) {
                    return;
                }
            }
            // The database may come back.
            Err(error) if error.spec().retryable => pause = LONGEST_PAUSE,
            Err(error) => return results.end(Some(Arc::new(error))),
        }
    }
}
