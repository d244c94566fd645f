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
mod coverage;
mod followed_action;
mod groups;
mod kept_request;
mod key_index;
mod recent_commits;
mod report;
mod row_change;
mod slot_limits;
mod snapshot;
pub mod outbox;
pub mod refused_updates;
pub mod source;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream};
use prometheus::IntGauge;
use sql::graphql::document::OperationKind;
use sql::postgres::catalog::Oid;
use sql::{Cause, Translation};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::auth::session::Session;
use crate::config::SubscriptionSource;
use crate::database::{Database, DatabaseError, QueueError};
use crate::error::Error;
use crate::execute::live_query::{LiveQuery, ResultDigest};
use crate::execute::{
    self, AllowedOperations, BoundQuery, ExecutionOptions, ExecutionState, ReloadRequests,
    ValidRequest,
};
use crate::limits::memory;
use crate::limits::memory::Reservation;
use crate::request::Request;
use crate::telemetry::log::panic_text;
use crate::telemetry::metrics::SubscriptionMetrics;
use cohort::{Cohort, DetachedSubscriber};
use coverage::Coverage;
use followed_action::FollowedAction;
use kept_request::KeptRequest;
use outbox::ResultSender;
use recent_commits::RecentCommits;
pub use report::CohortReport;
pub use slot_limits::SlotLimits;
use snapshot::Snapshot;

/// The subscriptions of a process. Clones share them; they outlive reloads.
#[derive(Clone, Debug)]
pub struct Subscriptions(Arc<Inner>);

/// How subscriptions are run.
#[derive(Clone, Debug)]
pub struct SubscriptionSettings {
    /// From where the process learns of changes.
    pub source: SubscriptionSource,
    /// The time between two looks at the database for new transactions.
    pub interval: Duration,
    /// When a replication slot is given up.
    pub slot_limits: SlotLimits,
    /// Counts subscribers, statements and results.
    pub metrics: SubscriptionMetrics,
}

impl Default for SubscriptionSettings {
    fn default() -> SubscriptionSettings {
        let source = SubscriptionSource::Auto;
        let interval = Duration::from_secs(1);
        let slot_limits = SlotLimits::default();
        let metrics = SubscriptionMetrics::default();
        SubscriptionSettings {
            source,
            interval,
            slot_limits,
            metrics,
        }
    }
}

#[derive(Debug)]
struct Inner {
    settings: SubscriptionSettings,
    cohorts: Mutex<Cohorts>,
    /// The turns of slow lists of parameters.
    slow: Semaphore,
    /// The turns of new subscriptions that are planned again.
    planned_again: Semaphore,
    next: AtomicU64,
    /// The changes that replication reports while it runs.
    coverage: RwLock<Option<Arc<Coverage>>>,
    /// Counts the cohorts that have come, gone, or found out what they read.
    cohort_changes: AtomicU64,
    /// The transactions that replication has reported and that may not be visible yet.
    recent_commits: RecentCommits,
    /// Held while a replication starts.
    starting: Arc<tokio::sync::Mutex<()>>,
    /// The sources that work, of [`SOURCES`].
    working_sources: Mutex<[bool; SOURCES.len()]>,
}

#[derive(Debug, Default)]
struct Cohorts {
    by_translation: HashMap<CohortKey, Arc<Cohort>>,
    /// How many of them serve a slow list of parameters.
    slow: usize,
    /// Whether a task watches the database for them.
    is_watched: bool,
}

/// The address of the translation that a cohort keeps alive, and the slow list of parameters that
/// it serves alone.
type CohortKey = (usize, Option<Arc<BoundQuery>>);

/// Why cohorts are woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wake {
    /// Time has passed.
    Clock,
    /// Some table was written to.
    Write,
    /// The table with this OID was written to.
    Table(Oid),
    /// Changes may have been missed.
    Everything,
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

/// A subscriber, wherever it is: a reload moves it to another cohort.
#[derive(Debug)]
struct Subscriber {
    number: u64,
    session: Session,
    request: KeptRequest,
    results: ResultSender,
    membership: Mutex<Membership>,
    /// Reserves memory for the request and its parameters.
    _memory: Reservation,
}

/// The cohort and the parameters of a subscriber.
#[derive(Debug)]
enum Membership {
    /// In no cohort: not yet, or because a reload is planning it anew.
    Nowhere,
    In(Arc<Cohort>, Arc<BoundQuery>),
    /// The subscription has ended.
    Ended,
}

impl Subscriptions {
    /// No subscriptions yet.
    pub fn new(settings: SubscriptionSettings) -> Subscriptions {
        let cohorts = Mutex::default();
        let coverage = RwLock::default();
        let next = AtomicU64::new(0);
        let cohort_changes = AtomicU64::new(0);
        Subscriptions(Arc::new(Inner {
            settings,
            cohorts,
            slow: Semaphore::new(SLOW_AT_ONCE),
            planned_again: Semaphore::new(PLANNED_AT_ONCE),
            next,
            coverage,
            cohort_changes,
            recent_commits: RecentCommits::default(),
            starting: Arc::default(),
            working_sources: Mutex::default(),
        }))
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
            let metrics = self.0.settings.metrics.clone();
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
        self.0.settings.metrics.subscribers.inc();
        self.join(&execution, query, bound, &subscriber, None);
        let member = CohortMember(subscriber, self.0.settings.metrics.subscribers.clone());
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
        let first = self.0.settings.interval.min(PLAN_AGAIN.0);
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
        self.cohorts()
            .by_translation
            .get(&(address(query.translation()), None))?
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
        let mut cohorts = self.cohorts();
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
                    tokio::spawn(changes::watch(self.clone(), execution.reload.clone()));
                }
                cohorts.by_translation.insert(key, cohort.clone());
                self.count_cohort_change();
                self.0.settings.metrics.cohorts.inc();
                tokio::spawn(self.clone().run(cohort.clone()));
                cohort
            }
        };
        let bound = cohort.shared_list(&bound);
        let mut membership = subscriber.membership();
        if let Membership::Nowhere = *membership {
            *membership = Membership::In(cohort.clone(), bound.clone());
            // The lock of a cohort is taken before that of a subscriber, never after it.
            drop(membership);
            cohort.add(&bound, subscriber.clone(), sent);
        }
    }

    /// Runs a cohort, and after a reload plans its subscribers anew. After a panic they end with an
    /// error.
    async fn run(self, cohort: Arc<Cohort>) {
        match AssertUnwindSafe(cohort::run(&self, &cohort))
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
                while !self.remove_if_empty(&cohort) {
                    cohort.end_all(&error);
                }
            }
        }
    }

    /// Removes a cohort that has no subscribers. Returns false if one has joined meanwhile.
    fn remove_if_empty(&self, cohort: &Arc<Cohort>) -> bool {
        let mut cohorts = self.cohorts();
        if !cohort.is_empty() {
            return false;
        }
        let key = cohort.key();
        if cohorts
            .by_translation
            .get(&key)
            .is_some_and(|known| Arc::ptr_eq(known, cohort))
        {
            cohorts.by_translation.remove(&key);
            cohorts.slow -= usize::from(key.1.is_some());
            self.0.settings.metrics.cohorts.dec();
            self.count_cohort_change();
        }
        true
    }

    /// Moves the subscribers of a slow list of parameters to a cohort of its own, so that others do
    /// not wait for it. Returns false if there are as many such cohorts as there may be.
    fn separate(&self, cohort: &Cohort, bound: &Arc<BoundQuery>) -> bool {
        let alone = Arc::new(cohort.cohort_of_one(bound));
        let mut cohorts = self.cohorts();
        match cohorts.by_translation.get(&alone.key()) {
            // A stream has come to the position at which another one was slow.
            Some(known) => cohort.give(bound, known),
            None if cohorts.busy_slow() >= MAX_SLOW => return false,
            None => {
                cohort.give(bound, &alone);
                cohorts.by_translation.insert(alone.key(), alone.clone());
                cohorts.slow += 1;
                self.count_cohort_change();
                self.0.settings.metrics.cohorts.inc();
                tokio::spawn(self.clone().run(alone));
            }
        }
        true
    }

    /// Moves the subscribers of parameters that are slow no more to the cohort of the others, if
    /// there is one.
    fn reunite(&self, alone: &Cohort) {
        let cohorts = self.cohorts();
        if let Some(shared) = cohorts.by_translation.get(&(alone.key().0, None)) {
            alone
                .lists()
                .iter()
                .for_each(|bound| alone.give(bound, shared));
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
                    tokio::time::sleep(self.0.settings.interval.min(PLAN_AGAIN.0)).await;
                }
                Err(error) => return subscriber.end(Arc::new(error)),
            }
        }
    }

    /// Wakes the cohorts whose results may have changed. Those whose changes replication reports
    /// are not woken by others.
    fn wake(&self, wake: Wake) {
        let metrics = &self.0.settings.metrics;
        let counter = match wake {
            Wake::Clock => &metrics.woken_by_clock,
            Wake::Write => &metrics.woken_by_snapshot,
            Wake::Table(_) => &metrics.woken_by_notification,
            Wake::Everything => &metrics.woken_by_replication,
        };
        let coverage = self.coverage();
        for cohort in self.cohorts().by_translation.values() {
            let is_covered = || {
                coverage
                    .as_ref()
                    .is_some_and(|coverage| cohort.is_covered(coverage))
            };
            // A covered stream may have to give slow clients their next turn.
            let wake = match wake {
                Wake::Table(_) if is_covered() => continue,
                Wake::Write if is_covered() => Wake::Clock,
                wake => wake,
            };
            if cohort.wake(wake) {
                counter.inc();
            }
        }
    }

    /// Whether a cohort has changes that replication does not report.
    fn has_uncovered(&self) -> bool {
        let Some(coverage) = self.coverage() else {
            return true;
        };
        self.cohorts()
            .by_translation
            .values()
            .any(|cohort| !cohort.is_covered(&coverage))
    }

    /// The cohorts that read a table, or one of its parents.
    fn readers(&self, table: Oid, parents: &[Oid]) -> Vec<Weak<Cohort>> {
        let cohorts = self.cohorts();
        let readers = cohorts
            .by_translation
            .values()
            .filter(|cohort| cohort.reads(table, parents));
        readers.map(Arc::downgrade).collect()
    }

    /// Has all cohorts find out again what they read.
    fn forget_policies(&self) {
        self.cohorts()
            .by_translation
            .values()
            .for_each(|cohort| cohort.forget_policy());
        self.count_cohort_change();
    }

    fn count_cohort_change(&self) {
        self.0.cohort_changes.fetch_add(1, Ordering::Release);
    }

    fn cohort_changes(&self) -> u64 {
        self.0.cohort_changes.load(Ordering::Acquire)
    }

    fn coverage(&self) -> Option<Arc<Coverage>> {
        self.0
            .coverage
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set_coverage(&self, coverage: Option<Arc<Coverage>>) {
        *self
            .0
            .coverage
            .write()
            .unwrap_or_else(PoisonError::into_inner) = coverage;
    }

    fn recent_commits(&self) -> &RecentCommits {
        &self.0.recent_commits
    }

    /// Whether a transaction that replication has reported may not be visible yet.
    async fn has_invisible_commits(&self, database: &Database) -> bool {
        if self.recent_commits().is_empty() {
            return false;
        }
        let reported = self.recent_commits().xids();
        let snapshot = database
            .query_text(CURRENT_SNAPSHOT, Instant::now() + self.0.settings.interval)
            .await;
        match snapshot.ok().as_deref().and_then(Snapshot::parse) {
            Some(snapshot) => {
                self.recent_commits().remove_ended(&snapshot);
                reported.iter().any(|xid| !snapshot.has_ended(*xid))
            }
            None => true,
        }
    }

    /// Shows in the metrics the best source that works.
    fn show_source(&self, source: SubscriptionSource, works: bool) {
        let mut working = self
            .0
            .working_sources
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for ((known, _), working) in SOURCES.iter().zip(working.iter_mut()) {
            if *known == source {
                *working = works;
            }
        }
        let best = working.iter().position(|works| *works);
        for (index, (_, name)) in SOURCES.iter().enumerate() {
            self.0
                .settings
                .metrics
                .source
                .with_label_values(&[name])
                .set(i64::from(best == Some(index)));
        }
    }

    /// Whether there is nothing to watch for any more.
    fn stop_if_empty(&self) -> bool {
        let mut cohorts = self.cohorts();
        cohorts.is_watched = !cohorts.by_translation.is_empty();
        !cohorts.is_watched
    }

    fn cohorts(&self) -> MutexGuard<'_, Cohorts> {
        self.0
            .cohorts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cohorts {
    /// How many cohorts serve a slow list of parameters that keeps the database busy. Idle ones
    /// need no place.
    fn busy_slow(&self) -> usize {
        if self.slow == 0 {
            0
        } else {
            self.by_translation
                .values()
                .filter(|cohort| cohort.is_busy_with_slow())
                .count()
        }
    }
}

impl Subscriber {
    fn membership(&self) -> MutexGuard<'_, Membership> {
        self.membership
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves its cohort for good.
    fn leave(&self) {
        let location = std::mem::replace(&mut *self.membership(), Membership::Ended);
        if let Membership::In(cohort, bound) = location {
            cohort.remove(&bound, self.number);
        }
    }

    /// Ends the subscription with an error.
    fn end(&self, error: Arc<Error>) {
        self.leave();
        self.results.end(Some(error));
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

/// How many statements of slow lists of parameters run at the same time.
const SLOW_AT_ONCE: usize = 4;

/// The most busy cohorts of slow lists of parameters. Further ones delay the other subscribers of
/// their query.
const MAX_SLOW: usize = 64;

/// The sources of changes with their names in the metrics, the best one first.
const SOURCES: [(SubscriptionSource, &str); 3] = [
    (SubscriptionSource::Replication, "replication"),
    (SubscriptionSource::Triggers, "triggers"),
    (SubscriptionSource::Snapshot, "snapshot"),
];

const CURRENT_SNAPSHOT: &str = "SELECT pg_current_snapshot()::text";

/// How many subscribers a reload plans at the same time, and how many new ones are planned again.
const PLANNED_AT_ONCE: usize = 16;

/// The longest first pause before a subscriber is planned again, if the database is away, and the
/// longest one of a new subscriber, whose pauses double.
const PLAN_AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(2));

/// The key of a cohort's translation.
fn address(translation: &Arc<Translation>) -> usize {
    Arc::as_ptr(translation).addr()
}
