//! The subscribers of one translation. They are served by one statement over all their lists of
//! parameters, and each gets the result of its own list if it differs from the last one it got.
//! Subscribers with equal parameters share one row of the statement and the bytes of the result.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::OptionFuture;
use futures_util::{StreamExt, stream};
use sql::encode::cursor;
use sql::postgres::catalog::Oid;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::coverage::Coverage;
use super::groups::{Groups, Member};
use super::key_index::{KeyIndex, Touched};
use super::report::CohortReport;
use super::row_change::RowChange;
use super::{CohortKey, Membership, Subscriber, Subscriptions, Wake};
use crate::database::DatabaseError;
use crate::error::Error;
use crate::execute::BoundQuery;
use crate::execute::ExecutionState;
use crate::execute::live_query::{LiveQuery, ResultDigest, ResultRows, RunPolicy, Sharing};
use crate::limits::LimitExceeded;

/// The subscribers of one translation.
#[derive(Debug)]
pub(super) struct Cohort {
    execution: Arc<ExecutionState>,
    query: LiveQuery,
    /// The digest of the query's shape.
    shape: ResultDigest,
    /// The list of parameters that this cohort serves alone, because it takes long.
    slow: Option<Arc<BoundQuery>>,
    groups: Mutex<Groups>,
    /// Wakes the cohort: results may have changed, a subscriber waits for its first one, or the
    /// last one has left.
    woken: Notify,
    policy: Mutex<PolicyState>,
    /// The commit of the first of the changes that the current run is for.
    committed_at: Mutex<Option<SystemTime>>,
    /// The most lists of parameters in one statement, less after a batch that took too long.
    batch_size: AtomicUsize,
    /// Attempts that failed because the schema has changed.
    outdated: AtomicUsize,
    activity: Activity,
}

/// When the cohort last ran statements.
#[derive(Debug)]
struct Activity(Mutex<Instant>);

/// How the query has to be run, once it is known.
#[derive(Debug, Default)]
struct PolicyState {
    policy: Option<Arc<RunPolicy>>,
    /// How often a policy was forgotten.
    version: u64,
    /// How often the planner was asked in vain, and when it is asked again.
    failures: u32,
    not_before: Option<Instant>,
}

/// A subscriber that a reload has to plan anew.
pub(super) struct DetachedSubscriber {
    pub(super) subscriber: Arc<Subscriber>,
    /// The digest of the last result that was sent.
    pub(super) sent: Option<ResultDigest>,
    /// The position of a stream.
    pub(super) position: Vec<Option<String>>,
    /// The order of the stream.
    pub(super) ordering: Option<cursor::Ordering>,
}

/// The lists of parameters per statement. A longer statement would keep other requests from its
/// connection.
const MAX_BATCH_SIZE: usize = 500;

/// How many statements of one cohort run at the same time.
const MAX_CONCURRENT_STATEMENTS: usize = 4;

/// How long a cohort waits before it tries a failed statement again.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// The least time between two runs of a live query and of a stream, so that notifications, and
/// batches of a stream that follow each other, do not cause a flood of statements.
const SPACING: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

/// What each list of parameters adds to that time, and the most time between two runs.
const SPACING_PER_LIST: (Duration, Duration) =
    (Duration::from_micros(100), Duration::from_millis(150));

/// After the planner has failed, the time until it is asked again, which doubles up to the second
/// one. Until then the query runs as if it read every table and the clock.
const PLANNER_PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// A slow list leaves its connection to others for as long as it had it, and for so long at most:
/// after a pause of the database, every statement that was running seems slow.
const SLOW_SPACING: Duration = Duration::from_secs(1);

/// The most time of a statement for one list of parameters, if the role's limit is not less: others
/// wait for it.
const MAX_TIME_PER_SUBSCRIBER: Duration = Duration::from_secs(10);

/// The same for a list of a cohort that may serve others. One that takes longer gets a cohort of
/// its own.
const LIST_TIME: Duration = Duration::from_secs(2);

/// After so many runs that each take a quarter of that time at most, it returns to the others.
const QUICK_RUNS: u32 = 3;

/// A slow list that has not run for this time, longer than any of its statements takes, leaves its
/// place to others.
const SLOW_LIST_IDLE_TIME: Duration = Duration::from_secs(60);

/// The same as [`LIST_TIME`] for a batch. One that takes longer is divided.
const BATCH_TIME: Duration = Duration::from_secs(3);

/// The same for a part of a batch that took too long.
const PART_TIME: Duration = Duration::from_secs(1);

/// Into how many parts a batch is divided that took too long. Each further division takes
/// [`PART_TIME`].
const SPLIT_PARTS: usize = 16;

/// The most bytes of the values of a batch.
const BATCH_BYTES: usize = 1 << 20;

/// After so many attempts without a reload that makes the statement valid again, its subscribers
/// end with the error.
const OUTDATED_ATTEMPTS: usize = 40;

/// Runs a cohort until it has no subscribers or a reload replaces its state. Then it returns the
/// new state and the subscribers, whom it serves no more.
pub(super) async fn run(
    subscriptions: &Subscriptions,
    cohort: &Arc<Cohort>,
) -> Option<(Arc<ExecutionState>, Vec<DetachedSubscriber>)> {
    let reload = cohort.execution.reload.clone();
    let replaced = reload.replaced(&cohort.execution);
    tokio::pin!(replaced);
    let mut quick_runs = 0;
    loop {
        let mut began = Instant::now();
        let refresh = async {
            let slow = cohort
                .slow
                .is_some()
                .then(|| subscriptions.0.slow.acquire());
            let _turn = OptionFuture::from(slow).await;
            began = Instant::now();
            cohort.refresh(subscriptions).await
        };
        let refreshed = tokio::select! {
            refreshed = refresh => refreshed,
            execution = &mut replaced => return Some((execution, cohort.leave(subscriptions))),
        };
        let took = began.elapsed();
        quick_runs = if refreshed.is_ok() && took < LIST_TIME / 4 {
            quick_runs + 1
        } else {
            0
        };
        if cohort.slow.is_some() && quick_runs >= QUICK_RUNS {
            subscriptions.reunite(cohort);
        }
        if cohort.is_empty() && subscriptions.remove_if_empty(cohort) {
            return None;
        }
        let pause = async {
            match refreshed {
                Ok(()) => {
                    cohort.woken.notified().await;
                    let least = if cohort.slow.is_some() {
                        took.min(SLOW_SPACING)
                    } else {
                        Duration::ZERO
                    };
                    tokio::time::sleep(cohort.spacing().max(least)).await;
                }
                Err(_) => tokio::time::sleep(RETRY_DELAY).await,
            }
        };
        tokio::select! {
            () = pause => {}
            execution = &mut replaced => return Some((execution, cohort.leave(subscriptions))),
        }
    }
}

impl Activity {
    fn now() -> Activity {
        Activity(Mutex::new(Instant::now()))
    }

    fn renew(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn is_idle(&self, now: Instant) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.saturating_duration_since(last) > SLOW_LIST_IDLE_TIME
    }
}

impl PolicyState {
    /// Notes that the planner has failed, unless the policy was forgotten meanwhile.
    fn postpone(&mut self, version: u64, error: &Error, now: Instant) {
        if self.version != version {
            return;
        }
        let pause = PLANNER_PAUSE
            .0
            .saturating_mul(1 << self.failures.min(16))
            .min(PLANNER_PAUSE.1);
        if self.failures == 0 {
            tracing::warn!(
                code = error.spec().code,
                cause = error.cause(),
                "a subscription is run at each interval, because the planner does not say what \
                 it reads"
            );
        }
        self.failures += 1;
        self.not_before = Some(now + pause);
    }
}

impl Cohort {
    pub(super) fn new(execution: Arc<ExecutionState>, query: LiveQuery) -> Cohort {
        let shape = query.shape_digest();
        let groups = Mutex::default();
        let woken = Notify::new();
        let policy = Mutex::default();
        let committed_at = Mutex::default();
        let batch_size = AtomicUsize::new(MAX_BATCH_SIZE);
        let outdated = AtomicUsize::new(0);
        Cohort {
            execution,
            query,
            shape,
            slow: None,
            groups,
            woken,
            policy,
            committed_at,
            batch_size,
            outdated,
            activity: Activity::now(),
        }
    }

    /// A cohort of its own for a list of parameters of this one, without its subscribers.
    pub(super) fn cohort_of_one(&self, bound: &Arc<BoundQuery>) -> Cohort {
        Cohort {
            slow: Some(bound.clone()),
            ..Cohort::new(self.execution.clone(), self.query.clone())
        }
    }

    /// The lists of parameters.
    pub(super) fn lists(&self) -> Vec<Arc<BoundQuery>> {
        self.groups().lists().cloned().collect()
    }

    /// One of the subscribers.
    pub(super) fn any_subscriber(&self) -> Option<Arc<Subscriber>> {
        self.groups()
            .any_member()
            .map(|member| member.subscriber.clone())
    }

    /// The list of parameters that equal ones are kept as.
    pub(super) fn shared_list(&self, bound: &Arc<BoundQuery>) -> Arc<BoundQuery> {
        self.groups().shared(bound)
    }

    /// Moves the subscribers of a list of parameters to another cohort of the translation.
    pub(super) fn give(&self, bound: &Arc<BoundQuery>, other: &Arc<Cohort>) {
        let members = self.groups().remove(bound);
        // The lock is held until they are in, so that a subscriber that ends meanwhile is found.
        let mut groups = other.groups();
        for member in members {
            let mut membership = member.subscriber.membership();
            if !matches!(*membership, Membership::Ended) {
                *membership = Membership::In(other.clone(), bound.clone());
                drop(membership);
                groups.members(bound).push(member);
                groups.due().joined.insert(bound.clone());
            }
        }
        drop(groups);
        other.woken.notify_one();
    }

    /// Whether it serves a slow list of parameters that runs or waits for its turn, or did so a
    /// moment ago.
    pub(super) fn is_busy_with_slow(&self) -> bool {
        self.slow.is_some()
            && (self.groups().due_count() > 0 || !self.activity.is_idle(Instant::now()))
    }

    /// What distinguishes it from the other cohorts: the translation, and the list of parameters if
    /// it serves only one.
    pub(super) fn key(&self) -> CohortKey {
        (super::address(self.query.translation()), self.slow.clone())
    }

    /// Wakes the cohort if its results may have changed. Returns whether it did.
    pub(super) fn wake(&self, wake: Wake) -> bool {
        let policy = self.policy();
        if wake == Wake::Clock && self.query.is_stream() {
            self.retry_behind();
        }
        let dependencies = policy.as_ref().map(|policy| &policy.dependencies);
        let is_stale = match wake {
            Wake::Clock => {
                dependencies.is_none_or(|known| known.reads_clock) || self.has_clock_values()
            }
            Wake::Write | Wake::Everything => true,
            Wake::Table(oid) => dependencies
                .is_none_or(|known| known.reads_clock || known.tables.contains_key(&oid)),
        };
        if is_stale {
            self.touch(Touched::All, None);
        }
        is_stale
    }

    /// Wakes the cohort for the lists of parameters that a change has touched.
    pub(super) fn touch(&self, touched: Touched, committed_at: Option<SystemTime>) {
        self.groups().due().add(touched, committed_at);
        self.woken.notify_one();
    }

    /// Whether the query reads a table, or one that inherits from these.
    pub(super) fn reads(&self, table: Oid, parents: &[Oid]) -> bool {
        self.policy().is_none_or(|policy| {
            let tables = &policy.dependencies.tables;
            std::iter::once(&table)
                .chain(parents)
                .any(|oid| tables.contains_key(oid))
        })
    }

    /// The lists of parameters that a changed row can touch, of a table that the query reads.
    pub(super) fn touched(&self, table: Oid, change: &RowChange<'_>) -> Touched {
        self.groups()
            .index()
            .map_or(Touched::All, |index| index.touched(table, change))
    }

    /// Whether replication reports every change of the results.
    pub(super) fn is_covered(&self, coverage: &Coverage) -> bool {
        self.policy()
            .is_some_and(|policy| coverage.contains(&policy.dependencies))
            && !self.has_clock_values()
    }

    fn policy(&self) -> Option<Arc<RunPolicy>> {
        self.policy_state().policy.clone()
    }

    fn policy_state(&self) -> MutexGuard<'_, PolicyState> {
        self.policy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the planner asked again how the query has to be run, because the schema may have
    /// changed.
    pub(super) fn forget_policy(&self) {
        let mut state = self.policy_state();
        *state = PolicyState {
            version: state.version + 1,
            ..PolicyState::default()
        };
        drop(state);
        self.groups().set_index(None);
    }

    /// Asks the planner how the query has to be run, unless it is known or the planner has just
    /// failed. A failure is not one of the statement, which has run.
    async fn find_policy(&self, subscriptions: &Subscriptions) {
        let version = {
            let state = self.policy_state();
            if state.policy.is_some() || state.not_before.is_some_and(|time| Instant::now() < time)
            {
                return;
            }
            state.version
        };
        let deadline = Instant::now() + self.query.limits().enforced.time;
        let Some(bound) = self.groups().lists().next().cloned() else {
            return;
        };
        let policy = match self
            .query
            .policy(&self.execution.database, &bound, deadline)
            .await
        {
            Ok(policy) => Arc::new(policy),
            Err(error) => {
                return self
                    .policy_state()
                    .postpone(version, &error, Instant::now());
            }
        };
        let index = KeyIndex::new(&policy.dependencies.tables);
        // The lists are in the index before changes are looked up in it.
        let mut groups = self.groups();
        let mut state = self.policy_state();
        if state.version == version {
            groups.set_index(Some(index));
            state.policy = Some(policy);
        }
        drop((state, groups));
        subscriptions.count_cohort_change();
    }

    /// The least time between two runs. It grows with the work of a run.
    fn spacing(&self) -> Duration {
        let least = if self.query.is_stream() {
            SPACING.1
        } else {
            SPACING.0
        };
        let lists = u32::try_from(self.groups().due_count()).unwrap_or(u32::MAX);
        least
            .saturating_add(SPACING_PER_LIST.0.saturating_mul(lists))
            .min(SPACING_PER_LIST.1)
    }

    /// Whether a subscriber's parameters may stand for the current time.
    fn has_clock_values(&self) -> bool {
        self.groups().has_clock_values()
    }

    /// Gives the subscribers of a stream whose client was slow their next turn.
    fn retry_behind(&self) {
        let mut groups = self.groups();
        let behind = |(bound, members): (&Arc<BoundQuery>, &mut Vec<Member>)| {
            members
                .iter()
                .any(|member| member.is_behind)
                .then(|| bound.clone())
        };
        let behind: Vec<_> = groups.iter_mut().filter_map(behind).collect();
        if !behind.is_empty() {
            groups.due().add(Touched::Lists(behind), None);
            self.woken.notify_one();
        }
    }

    /// Adds a subscriber, with the digest of the last result that it was sent.
    pub(super) fn add(
        &self,
        bound: &Arc<BoundQuery>,
        subscriber: Arc<Subscriber>,
        sent: Option<ResultDigest>,
    ) {
        let member = Member {
            subscriber,
            sent,
            is_behind: false,
        };
        let mut groups = self.groups();
        // Its client may have ended it meanwhile, and has then looked for it in vain.
        if !matches!(*member.subscriber.membership(), Membership::Ended) {
            groups.members(bound).push(member);
            groups.due().joined.insert(bound.clone());
        }
        drop(groups);
        self.woken.notify_one();
    }

    pub(super) fn remove(&self, bound: &Arc<BoundQuery>, number: u64) {
        let mut groups = self.groups();
        if let Some(members) = groups.get_mut(bound) {
            members.retain(|member| member.subscriber.number != number);
            if members.is_empty() {
                groups.remove(bound);
            }
            if groups.len() == 0 {
                self.woken.notify_one();
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups().len() == 0
    }

    /// What it runs and for whom; none without subscribers.
    pub(super) fn report(&self) -> Option<CohortReport> {
        let policy = self.policy();
        let groups = self.groups();
        let first = &groups.members_of_all().next()?.subscriber;
        Some(CohortReport {
            role: first.session.role().to_owned(),
            operation: first.request.operation_name().map(str::to_owned),
            document: first.request.document().to_owned(),
            subscribers: groups.members_of_all().count(),
            parameter_lists: groups.len(),
            is_stream: self.query.is_stream(),
            is_slow: self.slow.is_some(),
            policy,
        })
    }

    fn groups(&self) -> MutexGuard<'_, Groups> {
        lock(&self.groups)
    }

    /// Removes the subscribers, so that they can join the cohorts of a new state, and the
    /// cohort.
    fn leave(self: &Arc<Self>, subscriptions: &Subscriptions) -> Vec<DetachedSubscriber> {
        let mut leavers = Vec::new();
        // Subscribers may join until the cohort is removed.
        while !subscriptions.remove_if_empty(self) {
            let groups = self.groups().take();
            for (bound, members) in groups {
                let position = bound.position(self.query.positions());
                leavers.extend(members.into_iter().map(
                    |Member {
                         subscriber, sent, ..
                     }| DetachedSubscriber {
                        subscriber,
                        sent,
                        position: position.clone(),
                        ordering: self.query.ordering(),
                    },
                ));
            }
        }
        for leaver in &leavers {
            let mut membership = leaver.subscriber.membership();
            if let Membership::In(..) = *membership {
                *membership = Membership::Nowhere;
            }
        }
        leavers
    }

    /// Runs the query for the lists of parameters that are due. The error is one after which it
    /// should be tried again.
    async fn refresh(self: &Arc<Self>, subscriptions: &Subscriptions) -> Result<(), Error> {
        let (wanted, due) = self.groups().take_due();
        if wanted.is_empty() {
            return Ok(());
        }
        let is_early = !due.joined.is_empty()
            && subscriptions
                .has_invisible_commits(&self.execution.database)
                .await;
        *self
            .committed_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = due.committed_at;
        self.activity.renew();
        let refreshed = self.run_lists(subscriptions, &wanted).await;
        self.activity.renew();
        if refreshed.is_err() {
            self.groups().due().merge(due);
        } else if is_early {
            self.run_again(due.joined);
        }
        refreshed
    }

    /// Runs the query again in a moment for subscribers that have joined: a change that replication
    /// reported before they did was not visible yet.
    fn run_again(self: &Arc<Self>, joined: HashSet<Arc<BoundQuery>>) {
        let cohort = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(RETRY_DELAY).await;
            if let Some(cohort) = cohort.upgrade() {
                cohort.groups().due().joined.extend(joined);
                cohort.woken.notify_one();
            }
        });
    }

    /// Runs the query for these lists of parameters.
    async fn run_lists(
        &self,
        subscriptions: &Subscriptions,
        lists: &[Arc<BoundQuery>],
    ) -> Result<(), Error> {
        let is_shared = match self.policy() {
            Some(policy) => policy.sharing == Sharing::Batch,
            None => self.query.may_share(),
        };
        let size = if is_shared {
            self.batch_size.load(Ordering::Relaxed)
        } else {
            1
        };
        let longest = |chunk: &[_]| match chunk {
            [_] if self.slow.is_some() => MAX_TIME_PER_SUBSCRIBER,
            [_] => LIST_TIME,
            _ => BATCH_TIME,
        };
        let chunks = chunks(lists, size).into_iter();
        let runs: Vec<_> = chunks
            .map(|chunk| self.run_chunk(subscriptions, chunk, longest(chunk)))
            .collect();
        let outcomes: Vec<_> = stream::iter(runs)
            .buffer_unordered(MAX_CONCURRENT_STATEMENTS)
            .collect()
            .await;
        outcomes.into_iter().collect::<Result<(), Error>>()?;
        self.find_policy(subscriptions).await;
        Ok(())
    }

    /// Runs one statement. If it fails, it is divided, until the list of parameters that causes the
    /// error is alone. One that takes long gets a cohort of its own.
    async fn run_chunk(
        &self,
        subscriptions: &Subscriptions,
        chunk: &[Arc<BoundQuery>],
        longest: Duration,
    ) -> Result<(), Error> {
        let began = Instant::now();
        let error = match self.run_statement(subscriptions, chunk, longest).await {
            Ok(()) => {
                self.outdated.store(0, Ordering::Relaxed);
                let size = self.batch_size.load(Ordering::Relaxed);
                if chunk.len() >= size && size < MAX_BATCH_SIZE && began.elapsed() < BATCH_TIME / 4
                {
                    self.batch_size
                        .store((2 * size).min(MAX_BATCH_SIZE), Ordering::Relaxed);
                }
                return Ok(());
            }
            Err(error) => error,
        };
        if self.is_temporary(&error).await {
            return Err(error);
        }
        if error.is_outdated() && self.outdated.fetch_add(1, Ordering::Relaxed) < OUTDATED_ATTEMPTS
        {
            self.execution.reload.request();
            return Err(error);
        }
        let is_late = matches!(error, Error::Database(DatabaseError::Timeout(_)));
        if is_late && longest == BATCH_TIME {
            self.batch_size
                .store((chunk.len() / 2).max(1), Ordering::Relaxed);
        }
        match chunk {
            [] => Ok(()),
            [only]
                if is_late
                    && longest < MAX_TIME_PER_SUBSCRIBER.min(self.query.limits().enforced.time) =>
            {
                if subscriptions.separate(self, only) {
                    Ok(())
                } else {
                    // There are too many such cohorts already, so the others have to wait.
                    Box::pin(self.run_chunk(subscriptions, chunk, MAX_TIME_PER_SUBSCRIBER)).await
                }
            }
            [only] => {
                let members = self.groups().remove(only);
                end(members, &Arc::new(self.execution.raised_errors.show(error)));
                Ok(())
            }
            _ => {
                let (parts, longest) = if is_late {
                    (SPLIT_PARTS, PART_TIME)
                } else {
                    (2, longest)
                };
                let mut outcome = Ok(());
                for part in chunk.chunks(chunk.len().div_ceil(parts)) {
                    let longest = if part.len() == 1 { LIST_TIME } else { longest };
                    outcome =
                        outcome.and(Box::pin(self.run_chunk(subscriptions, part, longest)).await);
                }
                outcome
            }
        }
    }

    /// Whether a statement that failed with this error may succeed in a moment. A statement that
    /// takes too long fails for good, unless it is the database that does not respond.
    async fn is_temporary(&self, error: &Error) -> bool {
        match error {
            Error::Database(DatabaseError::Unavailable(_) | DatabaseError::Queue(_))
            | Error::OutOfMemory(_) => true,
            Error::Database(DatabaseError::Timeout(_)) => {
                !self.execution.database.is_reachable().await
            }
            _ => false,
        }
    }

    /// Ends all subscribers.
    pub(super) fn end_all(&self, error: &Arc<Error>) {
        let groups = self.groups().take();
        end(groups.into_values().flatten(), error);
    }

    async fn run_statement(
        &self,
        subscriptions: &Subscriptions,
        chunk: &[Arc<BoundQuery>],
        longest: Duration,
    ) -> Result<(), Error> {
        let metrics = &subscriptions.0.settings.metrics;
        let lists: Vec<&BoundQuery> = chunk.iter().map(Arc::as_ref).collect();
        let no_room = OnceLock::new();
        let deliver = |number: usize, rows: ResultRows<'_>| {
            let delivered = match chunk.get(number) {
                Some(bound) if self.query.is_stream() => self.advance(subscriptions, bound, &rows),
                Some(bound) => self.deliver(subscriptions, bound, &rows),
                None => Ok(()),
            };
            match delivered {
                // Shorter results of others may have room.
                Err(error @ (Error::OutOfMemory(_) | Error::Limit(LimitExceeded::Memory(_)))) => {
                    let _ = no_room.set(error);
                    Ok(())
                }
                delivered => delivered,
            }
        };
        let limit = self.query.limits().enforced.time.min(longest);
        let mut retry = self.execution.database.retry(Instant::now() + limit);
        loop {
            metrics.statements.inc();
            match self
                .query
                .run(&self.execution, &lists, limit, &deliver)
                .await
            {
                Err(Error::Database(fault)) if retry.should_retry(&fault).await => {}
                Ok(()) => return no_room.into_inner().map_or(Ok(()), Err),
                outcome => return outcome,
            }
        }
    }

    /// Sends new rows of a stream, and moves the subscribers that take them to the position behind
    /// them.
    fn advance(
        &self,
        subscriptions: &Subscriptions,
        bound: &Arc<BoundQuery>,
        rows: &ResultRows<'_>,
    ) -> Result<(), Error> {
        let positions = self.query.positions();
        let Some(position) = rows.last_columns(positions.len()) else {
            return Ok(());
        };
        let result = self.query.encode(self.execution.memory, rows)?;
        let next = Arc::new(bound.at(positions, position));
        let mut groups = self.groups();
        let mut moved = Vec::new();
        let mut stayed = Vec::new();
        for mut member in groups.remove(bound) {
            let mut membership = member.subscriber.membership();
            let Membership::In(_, known) = &mut *membership else {
                continue;
            };
            member.is_behind = !member.subscriber.results.is_free();
            if member.is_behind {
                drop(membership);
                stayed.push(member);
                continue;
            }
            *known = next.clone();
            drop(membership);
            member.subscriber.results.send_latest(result.clone());
            subscriptions.0.settings.metrics.results.inc();
            moved.push(member);
        }
        if !stayed.is_empty() {
            groups.members(bound).extend(stayed);
        }
        if !moved.is_empty() {
            groups.members(&next).extend(moved);
            // There may be more rows than one batch, and rows that were reported for the position
            // before and are not visible yet.
            groups.due().joined.insert(next);
            self.woken.notify_one();
        }
        Ok(())
    }

    /// Sends a result to the subscribers whose last result was another one.
    fn deliver(
        &self,
        subscriptions: &Subscriptions,
        bound: &BoundQuery,
        rows: &ResultRows<'_>,
    ) -> Result<(), Error> {
        let encode = || self.query.encode(self.execution.memory, rows);
        let sent = send_changed(&self.groups, bound, rows.digest(self.shape), encode)?;
        let metrics = &subscriptions.0.settings.metrics;
        metrics.results.inc_by(sent.first + sent.further);
        // A first result is not that of a change.
        let committed_at = *self
            .committed_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(committed_at) = committed_at {
            let lag = committed_at.elapsed().unwrap_or_default().as_secs_f64();
            (0..sent.further).for_each(|_| metrics.lag.observe(lag));
        }
        Ok(())
    }
}

/// How many subscribers got a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SentResults {
    /// Those that got their first one.
    first: u64,
    /// The others.
    further: u64,
}

/// Sends a result to the subscribers of a list of parameters whose last result was another one. The
/// result is encoded without the lock, so that subscribers need not wait to join or leave.
fn send_changed(
    groups: &Mutex<Groups>,
    bound: &BoundQuery,
    digest: ResultDigest,
    encode: impl FnOnce() -> Result<Bytes, Error>,
) -> Result<SentResults, Error> {
    let is_other = |member: &Member| member.sent != Some(digest);
    if !lock(groups)
        .get_mut(bound)
        .is_some_and(|members| members.iter().any(is_other))
    {
        return Ok(SentResults::default());
    }
    let result = encode()?;
    let mut sent = SentResults::default();
    for member in lock(groups)
        .get_mut(bound)
        .into_iter()
        .flatten()
        .filter(|member| is_other(member))
    {
        match member.sent.replace(digest) {
            None => sent.first += 1,
            Some(_) => sent.further += 1,
        }
        member.subscriber.results.send_latest(result.clone());
    }
    Ok(sent)
}

fn lock(groups: &Mutex<Groups>) -> MutexGuard<'_, Groups> {
    groups.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends subscribers with an error.
fn end(members: impl IntoIterator<Item = Member>, error: &Arc<Error>) {
    for member in members {
        *member.subscriber.membership() = Membership::Ended;
        member.subscriber.results.end(Some(error.clone()));
    }
}

/// Divides lists of parameters into statements of at most `size` lists and [`BATCH_BYTES`] of
/// values.
fn chunks(lists: &[Arc<BoundQuery>], size: usize) -> Vec<&[Arc<BoundQuery>]> {
    let mut chunks = Vec::new();
    let mut rest = lists;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |list: &&Arc<BoundQuery>| {
            bytes += list.bytes();
            bytes <= BATCH_BYTES
        };
        let length = rest.iter().take(size).take_while(fits).count().max(1);
        let (chunk, others) = rest.split_at(length);
        chunks.push(chunk);
        rest = others;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::session::Session;
    use crate::limits::memory::MemoryBudget;
    use crate::request::Request;
    use crate::subscriptions::kept_request::KeptRequest;
    use crate::subscriptions::outbox::{OperationEvent, Outbox, OutboxReader, outbox};
    use crate::telemetry::metrics::SubscriptionMetrics;

    fn member(connection: &Outbox, number: u64) -> Member {
        let subscriber = Subscriber {
            number,
            session: Session::admin(),
            request: KeptRequest::new(&Request::default(), None),
            results: connection.sender(number),
            membership: Mutex::new(Membership::Nowhere),
            _memory: MemoryBudget::default().empty_reservation(),
        };
        Member {
            subscriber: Arc::new(subscriber),
            sent: None,
            is_behind: false,
        }
    }

    #[test]
    fn subscribers_join_and_leave_while_a_result_is_encoded() {
        let (connection, _reader): (Outbox, OutboxReader) =
            outbox(SubscriptionMetrics::default().queued_bytes);
        let bound = Arc::new(BoundQuery::default());
        let groups = Mutex::new(Groups::default());
        lock(&groups)
            .members(&bound)
            .extend([member(&connection, 1), member(&connection, 2)]);
        let digest = ResultDigest::from_number(7);
        let encode = || {
            let mut groups = groups.try_lock().expect("the lock is free");
            let members = groups.members(&bound);
            members.retain(|member| member.subscriber.number != 1);
            members.push(member(&connection, 3));
            Ok(Bytes::from_static(b"{}"))
        };
        assert_eq!(
            send_changed(&groups, &bound, digest, encode).unwrap(),
            SentResults {
                first: 2,
                further: 0
            }
        );
        assert!(
            lock(&groups)
                .members(&bound)
                .iter()
                .all(|member| member.sent == Some(digest))
        );
        assert_eq!(connection.queued_bytes(), 4);
        let again = || Err(Error::Internal("it has been sent".into()));
        assert_eq!(
            send_changed(&groups, &bound, digest, again).unwrap(),
            SentResults::default()
        );
    }

    #[tokio::test]
    async fn subscriber_ends_with_an_error_if_planning_panics() {
        let (connection, mut reader) = outbox(SubscriptionMetrics::default().queued_bytes);
        let subscriber = member(&connection, 1).subscriber;
        super::super::end_after_panic(subscriber.clone(), async { panic!("no plan") }).await;
        assert!(
            matches!(reader.next().await, (1, OperationEvent::Error(error)) if matches!(*error, Error::Internal(_)))
        );
        assert!(matches!(*subscriber.membership(), Membership::Ended));
    }

    #[test]
    fn slow_list_is_idle_a_while_after_its_last_run() {
        let before = Instant::now();
        let activity = Activity::now();
        assert!(!activity.is_idle(before + SLOW_LIST_IDLE_TIME));
        let later = Instant::now() + SLOW_LIST_IDLE_TIME + Duration::from_secs(1);
        assert!(activity.is_idle(later));
        *activity.0.lock().unwrap() = later;
        assert!(!activity.is_idle(later));
        activity.renew();
        assert!(
            activity.is_idle(later + SLOW_LIST_IDLE_TIME),
            "it has run now"
        );
    }

    #[test]
    fn planner_that_fails_is_asked_again_after_growing_pauses() {
        let mut state = PolicyState::default();
        let error = Error::Internal("no plan".into());
        let now = Instant::now();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            state.postpone(0, &error, now);
            pauses.push(state.not_before.map(|time| (time - now).as_secs()));
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60].map(Some));
        state = PolicyState {
            version: 1,
            ..PolicyState::default()
        };
        state.postpone(0, &error, now);
        assert_eq!(state.not_before, None, "it was forgotten meanwhile");
    }

    #[test]
    fn statements_have_bounded_lists_and_bytes() {
        let lists: Vec<_> = (0..5).map(|_| Arc::new(BoundQuery::default())).collect();
        let lengths: Vec<_> = chunks(&lists, 2).into_iter().map(<[_]>::len).collect();
        assert_eq!(lengths, [2, 2, 1]);
    }
}
