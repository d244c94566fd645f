//! Runs subscriptions: live queries, which send a result whenever it has changed, and streams, which send rows
//! once, in the order of a cursor. Every transport calls
//! [`Subscriptions::start`] with an authenticated session and gets the results through its [`outbox`].
//!
//! ```text
//! subscribers ─▶ cohort (one translation) ─▶ one statement over all lists of parameters ─▶ changed results ─▶ outboxes
//!                   ▲ woken by `changes`: a transaction has written
//! ```

mod changes;
mod cohort;
pub mod outbox;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream};
use sql::Translation;
use sql::graphql::document::OperationKind;
use sql::postgres::catalog::Oid;
use tokio::time::Instant;

use crate::auth::session::Session;
use crate::database::DatabaseError;
use crate::error::Error;
use crate::execute::live_query::{BoundQuery, LiveQuery, ResultDigest};
use crate::execute::{self, AllowedOperations, ExecutionOptions, Executor};
use crate::limits::memory;
use crate::limits::memory::Reservation;
use crate::request::Request;
use crate::telemetry::log::panic_text;
use crate::telemetry::metrics::SubscriptionMetrics;
use cohort::{Cohort, Leaver};
use outbox::ResultSender;

/// The subscriptions of a process. Clones share them; they outlive reloads.
#[derive(Clone, Debug)]
pub struct Subscriptions(Arc<Inner>);

/// How subscriptions are run.
#[derive(Clone, Debug)]
pub struct SubscriptionSettings {
    /// The time between two looks at the database for new transactions.
    pub interval: Duration,
    /// Counts subscribers, statements and results.
    pub metrics: SubscriptionMetrics,
}

impl Default for SubscriptionSettings {
    fn default() -> SubscriptionSettings {
        SubscriptionSettings { interval: Duration::from_secs(1), metrics: SubscriptionMetrics::default() }
    }
}

#[derive(Debug)]
struct Inner {
    settings: SubscriptionSettings,
    /// The cohorts, by the address of the translation that each of them keeps alive.
    cohorts: Mutex<Cohorts>,
    next: AtomicU64,
}

#[derive(Debug, Default)]
struct Cohorts {
    by_translation: HashMap<usize, Arc<Cohort>>,
    /// Whether a task watches the database for them.
    is_watched: bool,
}

/// Why cohorts are woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wake {
    /// Time has passed.
    Clock,
    /// Some table was written to.
    Write,
    /// The table with this OID was written to.
    Table(Oid),
}

/// A running subscription. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription(Arc<Subscriber>, SubscriptionMetrics);

/// A subscriber, wherever it is: a reload moves it to another cohort.
#[derive(Debug)]
struct Subscriber {
    number: u64,
    session: Session,
    request: Request,
    results: ResultSender,
    place: Mutex<Place>,
    /// Reserves memory for the request and its parameters.
    _memory: Reservation,
}

/// The cohort and the parameters of a subscriber.
#[derive(Debug)]
enum Place {
    /// In no cohort: not yet, or because a reload is planning it anew.
    Nowhere,
    In(Arc<Cohort>, Arc<BoundQuery>),
    /// The subscription has ended.
    Ended,
}

impl Subscriptions {
    /// No subscriptions yet.
    pub fn new(settings: SubscriptionSettings) -> Subscriptions {
        Subscriptions(Arc::new(Inner { settings, cohorts: Mutex::default(), next: AtomicU64::new(0) }))
    }

    /// Starts an operation of any kind, whose results go to `results`. A query or a mutation has ended when this
    /// returns, without a [`Subscription`]; the first result of a subscription follows at once.
    ///
    /// Errors: the request is invalid or may not be executed, or a query or mutation failed. Nothing was sent then.
    pub async fn start(
        &self,
        executor: &Arc<Executor>,
        session: &Session,
        request: &Request,
        results: ResultSender,
    ) -> Result<Option<Subscription>, Error> {
        let deadline = Instant::now() + executor.limits.for_role(session.role()).enforced.time;
        if execute::kind(executor, session, request)? != OperationKind::Subscription {
            let options = ExecutionOptions::new(AllowedOperations::All, deadline);
            let answer = execute::answer(executor, session, request, ExecutionOptions { buffered: true, ..options });
            results.send_latest(answer.await?.payload.collect(executor.memory).await?);
            results.end(None);
            return Ok(None);
        }
        let (query, bound) = Box::pin(LiveQuery::of(executor, session, request, deadline)).await?;
        if let Some(result) = query.constant() {
            results.send_latest(result?);
            results.end(None);
            return Ok(None);
        }
        let mut memory = executor.memory.empty_reservation();
        // The request's variables are kept beside the values that were made from them.
        memory::reserve_if_large(&mut memory, request.query.len() + 2 * bound.bytes())?;
        let subscriber = Arc::new(Subscriber {
            number: self.0.next.fetch_add(1, Ordering::Relaxed),
            session: session.clone(),
            request: request.clone(),
            results,
            place: Mutex::new(Place::Nowhere),
            _memory: memory,
        });
        self.0.settings.metrics.subscribers.inc();
        self.join(executor, query, bound, &subscriber, None);
        Ok(Some(Subscription(subscriber, self.0.settings.metrics.clone())))
    }

    /// Adds a subscriber to the cohort of its query.
    fn join(
        &self,
        executor: &Arc<Executor>,
        query: LiveQuery,
        bound: BoundQuery,
        subscriber: &Arc<Subscriber>,
        sent: Option<ResultDigest>,
    ) {
        let key = address(query.translation());
        let bound = Arc::new(bound);
        let mut cohorts = self.cohorts();
        let cohort = match cohorts.by_translation.get(&key) {
            Some(cohort) => cohort.clone(),
            None => {
                let cohort = Arc::new(Cohort::new(executor.clone(), query));
                if !std::mem::replace(&mut cohorts.is_watched, true) {
                    tokio::spawn(changes::watch(self.clone(), executor.reload.clone()));
                }
                cohorts.by_translation.insert(key, cohort.clone());
                self.0.settings.metrics.cohorts.inc();
                tokio::spawn(self.clone().run(cohort.clone()));
                cohort
            }
        };
        let mut place = subscriber.place();
        if let Place::Nowhere = *place {
            *place = Place::In(cohort.clone(), bound.clone());
            // The lock of a cohort is taken before that of a subscriber, never after it.
            drop(place);
            cohort.add(&bound, subscriber.clone(), sent);
        }
    }

    /// Runs a cohort. After a panic its subscribers end with an error.
    async fn run(self, cohort: Arc<Cohort>) {
        if let Err(panic) = AssertUnwindSafe(cohort::run(self.clone(), cohort.clone())).catch_unwind().await {
            let error = Arc::new(Error::Internal(panic_text(&*panic)));
            while !self.remove_if_empty(&cohort) {
                cohort.end_all(&error);
            }
        }
    }

    /// Removes a cohort that has no subscribers. Returns false if one has joined meanwhile.
    fn remove_if_empty(&self, cohort: &Arc<Cohort>) -> bool {
        let mut cohorts = self.cohorts();
        if !cohort.is_empty() {
            return false;
        }
        let key = address(cohort.query().translation());
        if cohorts.by_translation.get(&key).is_some_and(|known| Arc::ptr_eq(known, cohort)) {
            cohorts.by_translation.remove(&key);
            self.0.settings.metrics.cohorts.dec();
        }
        true
    }

    /// Plans the subscribers of a cohort anew after a reload. Those that are no longer allowed end with an error.
    async fn plan_again(&self, executor: &Arc<Executor>, leavers: Vec<Leaver>) {
        let planned: Vec<_> = leavers.into_iter().map(|leaver| self.plan_leaver(executor, leaver)).collect();
        stream::iter(planned).buffer_unordered(PLANNED_AT_ONCE).collect::<()>().await;
    }

    async fn plan_leaver(&self, executor: &Arc<Executor>, Leaver { subscriber, sent, position }: Leaver) {
        let Subscriber { session, request, results, .. } = &*subscriber;
        loop {
            if let Place::Ended = *subscriber.place() {
                return;
            }
            let deadline = Instant::now() + executor.limits.for_role(session.role()).enforced.time;
            match Box::pin(LiveQuery::of(executor, session, request, deadline)).await {
                Ok((query, bound)) => {
                    let positions = query.positions();
                    let is_same = positions.len() == position.len();
                    let bound = if is_same { bound.at(positions, position) } else { bound };
                    return self.join(executor, query, bound, &subscriber, sent);
                }
                // The database is away or busy.
                Err(
                    Error::Database(DatabaseError::Unavailable(_) | DatabaseError::Queue(_)) | Error::OutOfMemory(_),
                ) => {
                    tokio::time::sleep(self.0.settings.interval).await;
                }
                Err(error) => return results.end(Some(Arc::new(error))),
            }
        }
    }

    /// Wakes the cohorts whose results may have changed.
    fn wake(&self, wake: Wake) {
        let metrics = &self.0.settings.metrics;
        match wake {
            Wake::Clock => metrics.unchanged.inc(),
            Wake::Write => metrics.written.inc(),
            Wake::Table(_) => metrics.notified.inc(),
        }
        self.cohorts().by_translation.values().for_each(|cohort| cohort.wake(wake));
    }

    /// Whether there is nothing to watch for any more.
    fn stop_if_empty(&self) -> bool {
        let mut cohorts = self.cohorts();
        cohorts.is_watched = !cohorts.by_translation.is_empty();
        !cohorts.is_watched
    }

    fn cohorts(&self) -> MutexGuard<'_, Cohorts> {
        self.0.cohorts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscriber {
    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let place = std::mem::replace(&mut *self.0.place(), Place::Ended);
        if let Place::In(cohort, bound) = place {
            cohort.remove(&bound, self.0.number);
        }
        self.1.subscribers.dec();
    }
}

/// How many subscribers a reload plans at the same time.
const PLANNED_AT_ONCE: usize = 16;

/// The key of a cohort.
fn address(translation: &Arc<Translation>) -> usize {
    Arc::as_ptr(translation).addr()
}
