//! The subscribers of one translation. They are served by one statement over all their lists of parameters, and each
//! gets the result of its own list if it differs from the last one it got. Subscribers with equal parameters share one
//! row of the statement and the bytes of the result.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::{Place, Subscriber, Subscriptions, Wake};
use crate::database::DatabaseError;
use crate::error::Error;
use crate::execute::Executor;
use crate::execute::live_query::{BoundQuery, LiveQuery, ResultDigest, ResultRows, RunPolicy, Sharing};

/// The subscribers of one translation.
#[derive(Debug)]
pub(super) struct Cohort {
    executor: Arc<Executor>,
    query: LiveQuery,
    /// The digest of the query's shape.
    shape: ResultDigest,
    groups: Mutex<HashMap<Arc<BoundQuery>, Vec<Member>>>,
    /// Whether results may have changed since the last run.
    is_stale: AtomicBool,
    /// Wakes the cohort: results may have changed, a subscriber waits for its first one, or the last one has left.
    woken: Notify,
    policy: OnceLock<RunPolicy>,
    /// The most lists of parameters in one statement, less after a batch that took too long.
    batch_size: AtomicUsize,
    /// Attempts that failed because the schema has changed.
    outdated: AtomicUsize,
}

#[derive(Debug)]
struct Member {
    subscriber: Arc<Subscriber>,
    /// The digest of the last result that was sent.
    sent: Option<ResultDigest>,
    /// Whether it waits for its first result from this cohort or, in a stream, for the next rows.
    is_new: bool,
    /// Whether the connection has not taken the last rows of the stream yet.
    is_behind: bool,
}

/// A subscriber that a reload has to plan anew.
pub(super) struct Leaver {
    pub(super) subscriber: Arc<Subscriber>,
    /// The digest of the last result that was sent.
    pub(super) sent: Option<ResultDigest>,
    /// The position of a stream.
    pub(super) position: Vec<Option<String>>,
}

/// The lists of parameters per statement. A longer statement would keep other requests from its connection.
const BATCH: usize = 500;

/// How many statements of one cohort run at the same time.
const CONCURRENT: usize = 4;

/// How long a cohort waits before it tries a failed statement again.
const PAUSE: Duration = Duration::from_millis(250);

/// The least time between two runs of a live query and of a stream, so that notifications, and batches of a stream that
/// follow each other, do not cause a flood of statements.
const SPACING: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

/// What each list of parameters adds to that time, and the most time between two runs.
const SPACING_PER_LIST: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(150));

/// The most time of a statement for one list of parameters, if the role's limit is not less: others wait for it.
const TIME: Duration = Duration::from_secs(10);

/// The same for a batch. One that takes longer is divided.
const BATCH_TIME: Duration = Duration::from_secs(3);

/// The most bytes of the values of a batch.
const BATCH_BYTES: usize = 1 << 20;

/// After so many attempts without a reload that makes the statement valid again, its subscribers end with the error.
const OUTDATED_ATTEMPTS: usize = 40;

/// Runs a cohort until it has no subscribers or a reload replaces its executor.
pub(super) async fn run(subscriptions: Subscriptions, cohort: Arc<Cohort>) {
    let reload = cohort.executor.reload.clone();
    let replaced = reload.replaced(&cohort.executor);
    tokio::pin!(replaced);
    loop {
        let of_all = cohort.is_stale.swap(false, Ordering::AcqRel);
        let refreshed = tokio::select! {
            refreshed = cohort.refresh(&subscriptions, of_all) => refreshed,
            executor = &mut replaced => return cohort.leave(&subscriptions, &executor).await,
        };
        if cohort.is_empty() && subscriptions.remove_if_empty(&cohort) {
            return;
        }
        let pause = async {
            match refreshed {
                Ok(()) => {
                    cohort.woken.notified().await;
                    tokio::time::sleep(cohort.spacing()).await;
                }
                Err(_) => {
                    // A stream does not remember which of its subscribers were to run.
                    cohort.is_stale.fetch_or(of_all || cohort.query.is_stream(), Ordering::AcqRel);
                    tokio::time::sleep(PAUSE).await;
                }
            }
        };
        tokio::select! {
            () = pause => {}
            executor = &mut replaced => return cohort.leave(&subscriptions, &executor).await,
        }
    }
}

impl Cohort {
    pub(super) fn new(executor: Arc<Executor>, query: LiveQuery) -> Cohort {
        let (shape, groups) = (query.shape_digest(), Mutex::default());
        let (is_stale, woken, policy) = (AtomicBool::new(false), Notify::new(), OnceLock::new());
        let (batch_size, outdated) = (AtomicUsize::new(BATCH), AtomicUsize::new(0));
        Cohort { executor, query, shape, groups, is_stale, woken, policy, batch_size, outdated }
    }

    pub(super) fn query(&self) -> &LiveQuery {
        &self.query
    }

    /// Wakes the cohort if its results may have changed.
    pub(super) fn wake(&self, wake: Wake) {
        let policy = self.policy.get();
        if wake == Wake::Clock && self.query.is_stream() {
            self.retry_behind();
        }
        let is_stale = match wake {
            Wake::Clock => policy.is_none_or(|policy| policy.reads_clock) || self.has_clock_values(),
            Wake::Write => true,
            Wake::Table(oid) => policy.is_none_or(|policy| policy.reads_clock || policy.tables.contains_key(&oid)),
        };
        if is_stale {
            self.is_stale.store(true, Ordering::Release);
            self.woken.notify_one();
        }
    }

    /// The least time between two runs. It grows with the work of a run.
    fn spacing(&self) -> Duration {
        let least = if self.query.is_stream() { SPACING.1 } else { SPACING.0 };
        let lists = u32::try_from(self.groups().len()).unwrap_or(u32::MAX);
        least.saturating_add(SPACING_PER_LIST.0.saturating_mul(lists)).min(SPACING_PER_LIST.1)
    }

    /// Whether a subscriber's parameters may stand for the current time.
    fn has_clock_values(&self) -> bool {
        self.groups().keys().any(|bound| bound.reads_clock())
    }

    /// Gives the subscribers of a stream whose client was slow their next turn.
    fn retry_behind(&self) {
        for member in self.groups().values_mut().flatten().filter(|member| member.is_behind) {
            member.is_new = true;
            self.woken.notify_one();
        }
    }

    /// Adds a subscriber, with the digest of the last result that it was sent.
    pub(super) fn add(&self, bound: &Arc<BoundQuery>, subscriber: Arc<Subscriber>, sent: Option<ResultDigest>) {
        let member = Member { subscriber, sent, is_new: true, is_behind: false };
        let mut groups = self.groups();
        // Its client may have ended it meanwhile, and has then looked for it in vain.
        if !matches!(*member.subscriber.place(), Place::Ended) {
            groups.entry(bound.clone()).or_default().push(member);
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
            if groups.is_empty() {
                self.woken.notify_one();
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups().is_empty()
    }

    fn groups(&self) -> MutexGuard<'_, HashMap<Arc<BoundQuery>, Vec<Member>>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the subscribers to the cohorts of a new executor.
    async fn leave(self: &Arc<Self>, subscriptions: &Subscriptions, executor: &Arc<Executor>) {
        let mut leavers = Vec::new();
        // Subscribers may join until the cohort is removed.
        while !subscriptions.remove_if_empty(self) {
            let groups = std::mem::take(&mut *self.groups());
            for (bound, members) in groups {
                let position = bound.position(self.query.positions());
                leavers.extend(members.into_iter().map(|Member { subscriber, sent, .. }| Leaver {
                    subscriber,
                    sent,
                    position: position.clone(),
                }));
            }
        }
        for leaver in &leavers {
            let mut place = leaver.subscriber.place();
            if let Place::In(..) = *place {
                *place = Place::Nowhere;
            }
        }
        Box::pin(subscriptions.plan_again(executor, leavers)).await;
    }

    /// Runs the query for all lists of parameters, or for those with a subscriber that has no result yet. The error is
    /// one after which it should be tried again.
    async fn refresh(&self, subscriptions: &Subscriptions, of_all: bool) -> Result<(), Error> {
        let wanted: Vec<Arc<BoundQuery>> = {
            let groups = self.groups();
            let wanted = |members: &Vec<Member>| of_all || members.iter().any(|member| member.is_new);
            groups.iter().filter(|(_, members)| wanted(members)).map(|(bound, _)| bound.clone()).collect()
        };
        if self.query.is_stream() {
            // A stream without new rows has no result that would say so.
            let mut groups = self.groups();
            for bound in &wanted {
                groups.get_mut(bound).into_iter().flatten().for_each(|member| member.is_new = false);
            }
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let sharing = self.policy.get().map(|policy| policy.sharing);
        let is_shared = match sharing {
            Some(sharing) => sharing == Sharing::Batch,
            None => self.query.translation().answer.statement().is_some_and(|statement| statement.batch.is_some()),
        };
        let size = if is_shared { self.batch_size.load(Ordering::Relaxed) } else { 1 };
        let runs: Vec<_> =
            chunks(&wanted, size).into_iter().map(|chunk| self.run_chunk(subscriptions, chunk)).collect();
        let outcomes: Vec<_> = stream::iter(runs).buffer_unordered(CONCURRENT).collect().await;
        outcomes.into_iter().collect::<Result<(), Error>>()?;
        if sharing.is_none() {
            let deadline = Instant::now() + self.query.limits().enforced.time;
            let policy = self.query.policy(&self.executor.database, deadline).await?;
            let _ = self.policy.set(policy);
        }
        Ok(())
    }

    /// Runs one statement. If it fails, it is divided, until the list of parameters that causes the error is alone.
    async fn run_chunk(&self, subscriptions: &Subscriptions, chunk: &[Arc<BoundQuery>]) -> Result<(), Error> {
        let error = match self.run_statement(subscriptions, chunk).await {
            Ok(()) => {
                self.outdated.store(0, Ordering::Relaxed);
                return Ok(());
            }
            Err(error) => error,
        };
        if self.is_temporary(&error).await {
            return Err(error);
        }
        if error.is_outdated() && self.outdated.fetch_add(1, Ordering::Relaxed) < OUTDATED_ATTEMPTS {
            self.executor.reload.request();
            return Err(error);
        }
        if let Error::Database(DatabaseError::Timeout(_)) = error {
            self.batch_size.store((chunk.len() / 2).max(1), Ordering::Relaxed);
        }
        match chunk {
            [] => Ok(()),
            [only] => {
                let members = self.groups().remove(only).unwrap_or_default();
                end(members, &Arc::new(error));
                Ok(())
            }
            _ => {
                let (one, other) = chunk.split_at(chunk.len() / 2);
                let one = Box::pin(self.run_chunk(subscriptions, one)).await;
                one.and(Box::pin(self.run_chunk(subscriptions, other)).await)
            }
        }
    }

    /// Whether a statement that failed with this error may succeed in a moment. A statement that takes too long fails
    /// for good, unless it is the database that does not respond.
    async fn is_temporary(&self, error: &Error) -> bool {
        match error {
            Error::Database(DatabaseError::Unavailable(_) | DatabaseError::Queue(_)) => true,
            Error::Database(DatabaseError::Timeout(_)) => !self.executor.database.is_reachable().await,
            _ => false,
        }
    }

    /// Ends all subscribers.
    pub(super) fn end_all(&self, error: &Arc<Error>) {
        let groups = std::mem::take(&mut *self.groups());
        end(groups.into_values().flatten(), error);
    }

    async fn run_statement(&self, subscriptions: &Subscriptions, chunk: &[Arc<BoundQuery>]) -> Result<(), Error> {
        let metrics = &subscriptions.0.settings.metrics;
        let lists: Vec<&BoundQuery> = chunk.iter().map(Arc::as_ref).collect();
        let deliver = |number: usize, rows: ResultRows<'_>| match chunk.get(number) {
            Some(bound) if self.query.is_stream() => self.advance(subscriptions, bound, &rows),
            Some(bound) => self.deliver(subscriptions, bound, &rows),
            None => Ok(()),
        };
        let longest = if chunk.len() > 1 { BATCH_TIME } else { TIME };
        let limit = self.query.limits().enforced.time.min(longest);
        let mut retry = self.executor.database.retry(Instant::now() + limit);
        loop {
            metrics.statements.inc();
            match self.query.run(&self.executor, &lists, limit, deliver).await {
                Err(Error::Database(fault)) if retry.should_retry(&fault).await => {}
                outcome => return outcome,
            }
        }
    }

    /// Sends new rows of a stream, and moves the subscribers that take them to the position behind them.
    fn advance(
        &self,
        subscriptions: &Subscriptions,
        bound: &Arc<BoundQuery>,
        rows: &ResultRows<'_>,
    ) -> Result<(), Error> {
        let positions = self.query.positions();
        let Some(position) = rows.last_columns(positions.len()) else { return Ok(()) };
        let result = self.query.encode(rows)?;
        let next = Arc::new(bound.at(positions, position));
        let mut groups = self.groups();
        let (mut moved, mut stayed) = (Vec::new(), Vec::new());
        for mut member in groups.remove(bound).unwrap_or_default() {
            let mut place = member.subscriber.place();
            let Place::In(_, known) = &mut *place else { continue };
            member.is_behind = !member.subscriber.results.is_free();
            member.is_new = !member.is_behind;
            if member.is_behind {
                drop(place);
                stayed.push(member);
                continue;
            }
            *known = next.clone();
            drop(place);
            member.subscriber.results.send_latest(result.clone());
            subscriptions.0.settings.metrics.results.inc();
            moved.push(member);
        }
        if !stayed.is_empty() {
            groups.insert(bound.clone(), stayed);
        }
        if !moved.is_empty() {
            groups.entry(next).or_default().extend(moved);
            // There may be more rows than one batch.
            self.woken.notify_one();
        }
        Ok(())
    }

    /// Sends a result to the subscribers whose last result was another one.
    fn deliver(&self, subscriptions: &Subscriptions, bound: &BoundQuery, rows: &ResultRows<'_>) -> Result<(), Error> {
        let digest = rows.digest(self.shape);
        let mut groups = self.groups();
        let Some(members) = groups.get_mut(bound) else { return Ok(()) };
        members.iter_mut().for_each(|member| member.is_new = false);
        if members.iter().all(|member| member.sent == Some(digest)) {
            return Ok(());
        }
        let result = self.query.encode(rows)?;
        for member in members.iter_mut().filter(|member| member.sent != Some(digest)) {
            member.sent = Some(digest);
            member.subscriber.results.send_latest(result.clone());
            subscriptions.0.settings.metrics.results.inc();
        }
        Ok(())
    }
}

/// Ends subscribers with an error.
fn end(members: impl IntoIterator<Item = Member>, error: &Arc<Error>) {
    for member in members {
        *member.subscriber.place() = Place::Ended;
        member.subscriber.results.end(Some(error.clone()));
    }
}

/// Divides lists of parameters into statements of at most `size` lists and [`BATCH_BYTES`] of values.
fn chunks(lists: &[Arc<BoundQuery>], size: usize) -> Vec<&[Arc<BoundQuery>]> {
    let (mut chunks, mut rest) = (Vec::new(), lists);
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
