//! Runs subscriptions: live queries, which send a result whenever it has changed, and streams,
//! which send rows once, in the order of a cursor. Every transport calls [`Subscriptions::start`]
//! with an authenticated session and gets the results through its [`outbox`].
//!
//! ```text
//! subscribers ─▶ cohort (one translation) ─▶ one statement over all lists of parameters ─▶ changed results ─▶ outboxes
//!                   ▲ woken by `changes`: a transaction has written
//! ```

mod changes;
mod cohort;
mod cohort_context;
mod cohort_registry;
mod coverage;
mod followed_action;
mod kept_request;
mod key_index;
mod members;
mod recent_commits;
mod report;
mod row_change;
mod settings;
mod slot_limits;
mod snapshot;
pub mod outbox;
pub mod refused_updates;
pub mod source;

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream};
use pg::memory;
use pg::{DatabaseError, QueueError};
use prometheus::IntGauge;
use sql::Cause;
use sql::graphql::document::OperationKind;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::auth::session::Session;
use crate::error::Error;
use crate::execute::live_query::{LiveQuery, ResultDigest};
use crate::execute::{
    self, AllowedOperations, BoundQuery, ExecutionOptions, ExecutionState, ReloadRequests,
    ValidRequest,
};
use crate::request::Request;
use crate::telemetry::log::panic_text;
use cohort::{Cohort, CohortRun, DetachedSubscriber, Next, address};
use cohort_context::CohortContext;
use cohort_registry::CohortRegistry;
use followed_action::FollowedAction;
use kept_request::KeptRequest;
use members::{Membership, Subscriber};
use outbox::ResultSender;
pub use report::CohortReport;
pub use settings::SubscriptionSettings;
pub use slot_limits::SlotLimits;

/// The subscriptions of a process. Clones share them; they outlive reloads.
#[derive(Clone, Debug)]
pub struct Subscriptions(Arc<SharedSubscriptions>);

#[derive(Debug)]
struct SharedSubscriptions {
    registry: Arc<CohortRegistry>,
    /// The turns of new subscriptions that are planned again.
    planned_again: Semaphore,
    /// The number of the next subscriber.
    next: AtomicU64,
}

/// An operation that has started.
#[derive(Debug)]
pub struct StartedOperation {
    /// The subscription; none if the operation has ended.
    pub subscription: Option<Subscription>,
    /// Whether the operation is on no allow list and runs only because allow lists are not
    /// enforced.
    pub is_unlisted: bool,
}

/// A running subscription. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription {
    _kind: SubscriptionKind,
}

/// What a subscription reads.
#[derive(Debug)]
enum SubscriptionKind {
    /// Rows of the database.
    Rows { _member: CohortMember },
    /// The outcome of an asynchronous action.
    Action { _followed: FollowedAction },
}

/// The place of a subscriber in a cohort. Dropping it removes the subscriber.
#[derive(Debug)]
struct CohortMember(Arc<Subscriber>, IntGauge);

impl Subscriptions {
    /// No subscriptions yet.
    pub fn new(settings: SubscriptionSettings) -> Subscriptions {
        Subscriptions(Arc::new(SharedSubscriptions {
            registry: Arc::new(CohortRegistry::new(settings)),
            planned_again: Semaphore::new(PLANNED_AT_ONCE),
            next: AtomicU64::new(0),
        }))
    }

    /// The cohorts that have subscribers, in no order.
    pub fn report(&self) -> Vec<CohortReport> {
        self.registry().report()
    }

    fn registry(&self) -> &CohortRegistry {
        &self.0.registry
    }

    fn context(&self) -> &CohortContext {
        &self.0.registry.context
    }

    /// Starts an operation of any kind, whose results go to `results`. A query or a mutation has
    /// ended when this returns, without a [`Subscription`]; the first result of a subscription
    /// follows at once.
    ///
    /// Errors: the request is invalid or may not be executed, or a query or mutation failed.
    /// Nothing was sent then.
    pub async fn start(
        &self,
        execution: &Arc<ExecutionState>,
        session: &Session,
        request: &Request,
        valid: ValidRequest<'_>,
        results: ResultSender,
    ) -> Result<StartedOperation, Error> {
        let deadline = Instant::now() + execution.limits.for_role(session.role()).enforced.time;
        let is_unlisted = valid.is_unlisted();
        let ended = StartedOperation {
            subscription: None,
            is_unlisted,
        };
        if valid.kind() != OperationKind::Subscription {
            let options = ExecutionOptions::new(AllowedOperations::All, deadline);
            let options = ExecutionOptions {
                buffered: true,
                ..options
            };
            let response_value =
                execute::respond_to_valid(execution, session, request, valid, options).await?;
            let response = response_value.payload.collect().await?;
            let mut memory = execution.memory_of(session).empty_reservation();
            if response.len() <= memory::MAX_COVERED_BYTES {
                // The request's own reservation ends now. Until here it has covered a short
                // response.
                memory.grow_to_unchecked(response.len());
            }
            results.send_latest(memory.hold_shared(response));
            results.end(None);
            return Ok(ended);
        }
        if execution.actions.has_asynchronous()
            && execute::selects_actions(execution, session, &valid)?
        {
            let first = followed_action::first(execution, session, request).await?;
            results.send_latest(first.clone());
            let metrics = self.context().settings.metrics.clone();
            let followed =
                FollowedAction::begin(execution, session, request, first, results, metrics);
            let subscription = Some(Subscription {
                _kind: SubscriptionKind::Action {
                    _followed: followed,
                },
            });
            return Ok(StartedOperation {
                subscription,
                is_unlisted,
            });
        }
        let (execution, query, bound) = match Box::pin(LiveQuery::from_translation(
            execution, session, valid, deadline,
        ))
        .await
        {
            Ok((query, bound)) => (execution.clone(), query, bound),
            Err(error) => {
                Box::pin(self.plan_with_retries(execution, session, request, error)).await?
            }
        };
        if let Some(result) = query.constant() {
            results.send_latest(result?);
            results.end(None);
            return Ok(ended);
        }
        let mut memory = execution.memory_of(session).empty_reservation();
        // The request's variables are kept beside the values that were made from them.
        memory::reserve_if_large(&mut memory, request.query.len() + 2 * bound.bytes())?;
        let beside = self.subscriber_of(&query);
        let subscriber = Arc::new(Subscriber {
            number: self.0.next.fetch_add(1, Ordering::Relaxed),
            session: session.clone(),
            request: KeptRequest::new(request, beside.as_ref().map(|beside| &beside.request)),
            results,
            membership: Mutex::new(Membership::Nowhere),
            _memory: memory,
        });
        self.context().settings.metrics.subscribers.inc();
        self.join(&execution, query, bound, &subscriber, None);
        let member = CohortMember(
            subscriber,
            self.context().settings.metrics.subscribers.clone(),
        );
        let subscription = Some(Subscription {
            _kind: SubscriptionKind::Rows { _member: member },
        });
        Ok(StartedOperation {
            subscription,
            is_unlisted,
        })
    }

    /// Plans a subscription again that has failed with this error: once the database responds,
    /// since clients do not repeat an operation that has ended with an error, or after the reload
    /// that a changed schema needs. Many that wait come back one by one. The transport ends the
    /// task if its client leaves.
    async fn plan_with_retries(
        &self,
        execution: &Arc<ExecutionState>,
        session: &Session,
        request: &Request,
        mut error: Error,
    ) -> Result<(Arc<ExecutionState>, LiveQuery, BoundQuery), Error> {
        let (mut execution, reload, mut is_reloaded) =
            (execution.clone(), execution.reload.clone(), false);
        let first = self.context().settings.interval.min(PLAN_AGAIN.0);
        let mut pause = None;
        loop {
            // Others that have waited may fill the queue when the database responds again.
            let newer = if pause.is_some() && is_busy(&error) || is_away(&execution, &error).await {
                let longest =
                    pause.map_or(first, |longest: Duration| (longest * 2).min(PLAN_AGAIN.1));
                pause = Some(longest);
                tokio::time::sleep(longest.mul_f64(0.5 + rand::random::<f64>() / 2.0)).await;
                // A reload in the meantime may lead to another database.
                reload.latest()
            } else if error.is_outdated() && !std::mem::replace(&mut is_reloaded, true) {
                let limit = execution.limits.for_role(session.role()).enforced.time;
                reload.reloaded(&execution, Instant::now() + limit).await
            } else {
                None
            };
            let Some(newer) = newer else {
                return Err(error);
            };
            execution = newer;
            let turn = self.0.planned_again.acquire().await;
            let planned = plan(&execution, session, request).await;
            drop(turn);
            match planned {
                Ok((query, bound)) => return Ok((execution, query, bound)),
                Err(next) => error = next,
            }
        }
    }

    /// A subscriber of the same query.
    fn subscriber_of(&self, query: &LiveQuery) -> Option<Arc<Subscriber>> {
        self.registry()
            .cohorts()
            .by_translation
            .get(&(address(query.translation()), None))?
            .members
            .any_subscriber()
    }

    /// Adds a subscriber to the cohort of its query.
    fn join(
        &self,
        execution: &Arc<ExecutionState>,
        query: LiveQuery,
        bound: BoundQuery,
        subscriber: &Arc<Subscriber>,
        sent: Option<ResultDigest>,
    ) {
        let bound = Arc::new(bound);
        let mut key = (address(query.translation()), None);
        let mut cohorts = self.registry().cohorts();
        if cohorts.slow > 0 {
            let slow = (key.0, Some(bound.clone()));
            key = if cohorts.by_translation.contains_key(&slow) {
                slow
            } else {
                key
            };
        }
        let cohort = match cohorts.by_translation.get(&key) {
            Some(cohort) => cohort.clone(),
            None => {
                let cohort = Arc::new(Cohort::new(execution.clone(), query));
                if !std::mem::replace(&mut cohorts.is_watched, true) {
                    let registry = self.0.registry.clone();
                    tokio::spawn(changes::watch(registry, execution.reload.clone()));
                }
                cohorts.by_translation.insert(key, cohort.clone());
                self.context().count_cohort_change();
                self.context().settings.metrics.cohorts.inc();
                tokio::spawn(self.clone().run(cohort.clone()));
                cohort
            }
        };
        let members = &cohort.members;
        let bound = members.groups().shared(&bound);
        let mut membership = subscriber.membership();
        if let Membership::Nowhere = *membership {
            *membership = Membership::In(members.clone(), bound.clone());
            // The lock of a cohort is taken before that of a subscriber, never after it.
            drop(membership);
            members.add(&bound, subscriber.clone(), sent);
        }
    }

    /// Runs a cohort, and after a reload plans its subscribers anew. After a panic they end with an
    /// error.
    async fn run(self, cohort: Arc<Cohort>) {
        match AssertUnwindSafe(self.run_until_ended(&cohort))
            .catch_unwind()
            .await
        {
            Ok(None) => {}
            Ok(Some((execution, leavers))) => {
                // Planning may take long, and the cohort holds the version from before the reload.
                drop(cohort);
                self.plan_again(execution, leavers).await;
            }
            Err(panic) => {
                let error = Arc::new(Error::Internal(panic_text(&*panic)));
                while !self.registry().remove_if_empty(&cohort) {
                    cohort.end_all(&error);
                }
            }
        }
    }

    /// Runs a cohort until it has no subscribers or a reload replaces its state. Then it returns
    /// the new state and the subscribers, whom the cohort serves no more.
    async fn run_until_ended(
        &self,
        cohort: &Arc<Cohort>,
    ) -> Option<(Arc<ExecutionState>, Vec<DetachedSubscriber>)> {
        let mut run = CohortRun::new(cohort);
        loop {
            match run.next(self.context()).await {
                Next::Separate(lists) => lists.iter().for_each(|list| self.separate(cohort, list)),
                Next::Reunite => self.reunite(cohort),
                Next::Ended => {}
                Next::Replaced(state) => return Some((state, self.detach(cohort))),
            }
            if cohort.is_empty() && self.registry().remove_if_empty(cohort) {
                return None;
            }
        }
    }

    /// Removes a cohort, and returns its subscribers.
    fn detach(&self, cohort: &Arc<Cohort>) -> Vec<DetachedSubscriber> {
        let mut detached = Vec::new();
        // Subscribers may join until the cohort is removed.
        while !self.registry().remove_if_empty(cohort) {
            detached.extend(cohort.take_subscribers());
        }
        detached
    }

    /// Moves the subscribers of a slow list of parameters to a cohort of its own, so that others do
    /// not wait for it. If there are as many such cohorts as there may be, the others have to wait.
    fn separate(&self, cohort: &Cohort, list: &Arc<BoundQuery>) {
        let alone = Arc::new(cohort.cohort_of_one(list));
        let mut cohorts = self.registry().cohorts();
        match cohorts.by_translation.get(&alone.key()) {
            // A stream has come to the position at which another one was slow.
            Some(known) => cohort.members.give(list, &known.members),
            None if cohorts.busy_slow() >= MAX_SLOW => cohort.tolerate(list),
            None => {
                cohort.members.give(list, &alone.members);
                cohorts.by_translation.insert(alone.key(), alone.clone());
                cohorts.slow += 1;
                self.context().count_cohort_change();
                self.context().settings.metrics.cohorts.inc();
                tokio::spawn(self.clone().run(alone));
            }
        }
    }

    /// Moves the subscribers of parameters that are slow no more to the cohort of the others, if
    /// there is one.
    fn reunite(&self, alone: &Cohort) {
        let cohorts = self.registry().cohorts();
        if let Some(shared) = cohorts.by_translation.get(&(alone.key().0, None)) {
            alone.members.give_all(&shared.members);
        }
    }

    /// Plans the subscribers of a cohort anew after a reload. Those that are no longer allowed end
    /// with an error, and so does one for whom planning panics.
    async fn plan_again(&self, execution: Arc<ExecutionState>, leavers: Vec<DetachedSubscriber>) {
        // The execution state is not held while they are planned: another reload may replace it.
        let reload = execution.reload.clone();
        drop(execution);
        let planned = leavers.into_iter();
        let planned = planned.map(|leaver| {
            end_after_panic(leaver.subscriber.clone(), self.plan_leaver(&reload, leaver))
        });
        let planned: Vec<_> = planned.collect();
        Box::pin(
            stream::iter(planned)
                .buffer_unordered(PLANNED_AT_ONCE)
                .collect::<()>(),
        )
        .await;
    }

    async fn plan_leaver(&self, reload: &ReloadRequests, leaver: DetachedSubscriber) {
        let DetachedSubscriber {
            subscriber,
            sent,
            position,
            ordering,
        } = leaver;
        let session = &subscriber.session;
        let request = match subscriber.request.restore() {
            Ok(request) => request,
            Err(error) => return subscriber.end(Arc::new(error)),
        };
        loop {
            if let Membership::Ended = *subscriber.membership() {
                return;
            }
            // None if the process ends.
            let Some(execution) = reload.latest() else {
                return;
            };
            match plan(&execution, session, &request).await {
                // In another order the position would repeat rows, or leave some out.
                Ok((query, _)) if query.ordering() != ordering => {
                    let cause = Cause::Cursor {
                        name: "cursor".to_owned(),
                    };
                    return subscriber.end(Arc::new(cause.under("$").into()));
                }
                Ok((query, bound)) => {
                    let bound = bound.at(query.positions(), position);
                    return self.join(&execution, query, bound, &subscriber, sent);
                }
                // The database is away or busy. A reload in the meantime may lead to another one.
                Err(error) if is_busy(&error) || is_away(&execution, &error).await => {
                    drop(execution);
                    tokio::time::sleep(self.context().settings.interval.min(PLAN_AGAIN.0)).await;
                }
                Err(error) => return subscriber.end(Arc::new(error)),
            }
        }
    }
}

impl Drop for CohortMember {
    fn drop(&mut self) {
        self.0.leave();
        self.1.dec();
    }
}

/// Plans a subscription.
async fn plan(
    execution: &ExecutionState,
    session: &Session,
    request: &Request,
) -> Result<(LiveQuery, BoundQuery), Error> {
    let deadline = Instant::now() + execution.limits.for_role(session.role()).enforced.time;
    let valid = execute::validate(
        execution,
        session,
        request,
        AllowedOperations::Subscriptions,
    )?;
    Box::pin(LiveQuery::from_translation(
        execution, session, valid, deadline,
    ))
    .await
}

/// Whether an error of planning says that the database is away. A database that does not respond is
/// seen as a timeout, of the statement or, where such statements have all connections, of the
/// queue.
async fn is_away(execution: &ExecutionState, error: &Error) -> bool {
    match error {
        Error::Database(DatabaseError::Unavailable(_)) => true,
        Error::Database(DatabaseError::Timeout(_) | DatabaseError::Queue(QueueError::Time(_))) => {
            !execution.database.has_responded().await
        }
        _ => false,
    }
}

/// Whether an error of planning says that there is no room at the moment.
fn is_busy(error: &Error) -> bool {
    matches!(
        error,
        Error::Database(DatabaseError::Queue(_)) | Error::OutOfMemory(_)
    )
}

/// Ends a subscription with an error if this panics.
async fn end_after_panic(subscriber: Arc<Subscriber>, planning: impl Future<Output = ()>) {
    if let Err(panic) = AssertUnwindSafe(planning).catch_unwind().await {
        subscriber.end(Arc::new(Error::Internal(panic_text(&*panic))));
    }
}

/// The most busy cohorts of slow lists of parameters. Further ones delay the other subscribers of
/// their query.
const MAX_SLOW: usize = 64;

/// How many subscribers a reload plans at the same time, and how many new ones are planned again.
const PLANNED_AT_ONCE: usize = 16;

/// The longest first pause before a subscriber is planned again, if the database is away, and the
/// longest one of a new subscriber, whose pauses double.
const PLAN_AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(2));

#[cfg(test)]
mod tests {
    use super::outbox::{OperationEvent, outbox};
    use super::*;
    use crate::telemetry::metrics::SubscriptionMetrics;
    use pg::memory::MemoryBudget;

    #[tokio::test]
    async fn subscriber_ends_with_an_error_if_planning_panics() {
        let (connection, mut reader) = outbox(SubscriptionMetrics::default().queued_bytes);
        let subscriber = Arc::new(Subscriber {
            number: 1,
            session: Session::admin(),
            request: KeptRequest::new(&Request::default(), None),
            results: connection.sender(1),
            membership: Mutex::new(Membership::Nowhere),
            _memory: MemoryBudget::default().empty_reservation(),
        });
        end_after_panic(subscriber.clone(), async { panic!("no plan") }).await;
        assert!(
            matches!(reader.next().await, (1, OperationEvent::Error(error)) if matches!(*error, Error::Internal(_)))
        );
        assert!(matches!(*subscriber.membership(), Membership::Ended));
    }
}
