//! The subscribers of one translation. They are served by one statement over all their lists of parameters, and each
//! gets the result of its own list if it differs from the last one it got. Subscribers with equal parameters share one
//! row of the statement and the bytes of the result.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::OptionFuture;
use futures_util::{StreamExt, stream};
use sql::encode::cursor;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::{CohortKey, Place, Subscriber, Subscriptions, Wake};
use crate::database::DatabaseError;
use crate::error::Error;
use crate::execute::Executor;
use crate::execute::live_query::{BoundQuery, LiveQuery, ResultDigest, ResultRows, RunPolicy, Sharing};
use crate::limits::memory::OutOfMemory;

/// The subscribers of one translation.
#[derive(Debug)]
pub(super) struct Cohort {
    executor: Arc<Executor>,
    query: LiveQuery,
    /// The digest of the query's shape.
    shape: ResultDigest,
    /// The list of parameters that this cohort serves alone, because it takes long.
    slow: Option<Arc<BoundQuery>>,
    groups: Mutex<Groups>,
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

/// The subscribers by their parameters.
type Groups = HashMap<Arc<BoundQuery>, Vec<Member>>;

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
    /// The order of the stream.
    pub(super) ordering: Option<cursor::Ordering>,
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

/// The same for a list of a cohort that may serve others. One that takes longer gets a cohort of its own.
const LIST_TIME: Duration = Duration::from_secs(2);

/// After so many runs that each take a quarter of that time at most, it returns to the others.
const QUICK_RUNS: u32 = 3;

/// The same for a batch. One that takes longer is divided.
const BATCH_TIME: Duration = Duration::from_secs(3);

/// The same for a part of a batch that took too long.
const PART_TIME: Duration = Duration::from_secs(1);

/// Into how many parts a batch is divided that took too long. Each further division takes [`PART_TIME`].
const PARTS: usize = 16;

/// The most bytes of the values of a batch.
const BATCH_BYTES: usize = 1 << 20;

/// After so many attempts without a reload that makes the statement valid again, its subscribers end with the error.
const OUTDATED_ATTEMPTS: usize = 40;

/// Runs a cohort until it has no subscribers or a reload replaces its executor.
pub(super) async fn run(subscriptions: Subscriptions, cohort: Arc<Cohort>) {
    let reload = cohort.executor.reload.clone();
    let replaced = reload.replaced(&cohort.executor);
    tokio::pin!(replaced);
    let mut quick_runs = 0;
    loop {
        let (of_all, mut began) = (cohort.is_stale.swap(false, Ordering::AcqRel), Instant::now());
        let refresh = async {
            let slow = cohort.slow.is_some().then(|| subscriptions.0.slow.acquire());
            let _turn = OptionFuture::from(slow).await;
            began = Instant::now();
            cohort.refresh(&subscriptions, of_all).await
        };
        let refreshed = tokio::select! {
            refreshed = refresh => refreshed,
            executor = &mut replaced => return cohort.leave(&subscriptions, &executor).await,
        };
        let took = began.elapsed();
        quick_runs = if refreshed.is_ok() && took < LIST_TIME / 4 { quick_runs + 1 } else { 0 };
        if cohort.slow.is_some() && quick_runs >= QUICK_RUNS {
            subscriptions.reunite(&cohort);
        }
        if cohort.is_empty() && subscriptions.remove_if_empty(&cohort) {
            return;
        }
        let pause = async {
            match refreshed {
                Ok(()) => {
                    cohort.woken.notified().await;
                    // A slow list leaves its connection to others for as long as it had it.
                    let least = if cohort.slow.is_some() { took } else { Duration::ZERO };
                    tokio::time::sleep(cohort.spacing().max(least)).await;
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
        Cohort { executor, query, shape, slow: None, groups, is_stale, woken, policy, batch_size, outdated }
    }

    /// A cohort of its own for a list of parameters of this one, without its subscribers.
    pub(super) fn alone(&self, bound: &Arc<BoundQuery>) -> Cohort {
        Cohort { slow: Some(bound.clone()), ..Cohort::new(self.executor.clone(), self.query.clone()) }
    }

    /// The lists of parameters.
    pub(super) fn lists(&self) -> Vec<Arc<BoundQuery>> {
        self.groups().keys().cloned().collect()
    }

    /// Moves the subscribers of a list of parameters to another cohort of the translation.
    pub(super) fn give(&self, bound: &Arc<BoundQuery>, other: &Arc<Cohort>) {
        let members = self.groups().remove(bound).unwrap_or_default();
        // The lock is held until they are in, so that a subscriber that ends meanwhile is found.
        let mut groups = other.groups();
        for member in members {
            let mut place = member.subscriber.place();
            if !matches!(*place, Place::Ended) {
                *place = Place::In(other.clone(), bound.clone());
                drop(place);
                groups.entry(bound.clone()).or_default().push(Member { is_new: true, ..member });
            }
        }
        other.woken.notify_one();
    }

    /// What distinguishes it from the other cohorts: the translation, and the list of parameters if it serves only one.
    pub(super) fn key(&self) -> CohortKey {
        (super::address(self.query.translation()), self.slow.clone())
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

    fn groups(&self) -> MutexGuard<'_, Groups> {
        lock(&self.groups)
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
                    ordering: self.query.ordering(),
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
        let longest = |chunk: &[_]| match chunk {
            [_] if self.slow.is_some() => TIME,
            [_] => LIST_TIME,
            _ => BATCH_TIME,
        };
        let chunks = chunks(&wanted, size).into_iter();
        let runs: Vec<_> = chunks.map(|chunk| self.run_chunk(subscriptions, chunk, longest(chunk))).collect();
        let outcomes: Vec<_> = stream::iter(runs).buffer_unordered(CONCURRENT).collect().await;
        outcomes.into_iter().collect::<Result<(), Error>>()?;
        if sharing.is_none() {
            let deadline = Instant::now() + self.query.limits().enforced.time;
            let policy = self.query.policy(&self.executor.database, deadline).await?;
            let _ = self.policy.set(policy);
        }
        Ok(())
    }

    /// Runs one statement. If it fails, it is divided, until the list of parameters that causes the error is alone. One
    /// that takes long gets a cohort of its own.
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
                if chunk.len() >= size && size < BATCH && began.elapsed() < BATCH_TIME / 4 {
                    self.batch_size.store((2 * size).min(BATCH), Ordering::Relaxed);
                }
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
        let is_late = matches!(error, Error::Database(DatabaseError::Timeout(_)));
        if is_late && longest == BATCH_TIME {
            self.batch_size.store((chunk.len() / 2).max(1), Ordering::Relaxed);
        }
        match chunk {
            [] => Ok(()),
            [only] if is_late && longest < TIME.min(self.query.limits().enforced.time) => {
                match subscriptions.separate(self, only) {
                    true => Ok(()),
                    // There are too many such cohorts already, so the others have to wait.
                    false => Box::pin(self.run_chunk(subscriptions, chunk, TIME)).await,
                }
            }
            [only] => {
                let members = self.groups().remove(only).unwrap_or_default();
                end(members, &Arc::new(error));
                Ok(())
            }
            _ => {
                let (parts, longest) = if is_late { (PARTS, PART_TIME) } else { (2, longest) };
                let mut outcome = Ok(());
                for part in chunk.chunks(chunk.len().div_ceil(parts)) {
                    let longest = if part.len() == 1 { LIST_TIME } else { longest };
                    outcome = outcome.and(Box::pin(self.run_chunk(subscriptions, part, longest)).await);
                }
                outcome
            }
        }
    }

    /// Whether a statement that failed with this error may succeed in a moment. A statement that takes too long fails
    /// for good, unless it is the database that does not respond.
    async fn is_temporary(&self, error: &Error) -> bool {
        match error {
            Error::Database(DatabaseError::Unavailable(_) | DatabaseError::Queue(_)) => true,
            Error::Database(DatabaseError::Timeout(_)) => !self.executor.database.is_reachable().await,
            Error::OutOfMemory(OutOfMemory(bytes)) => self.executor.memory.has_room_for(*bytes),
            _ => false,
        }
    }

    /// Ends all subscribers.
    pub(super) fn end_all(&self, error: &Arc<Error>) {
        let groups = std::mem::take(&mut *self.groups());
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
                Err(Error::OutOfMemory(error)) => {
                    let _ = no_room.set(error);
                    Ok(())
                }
                delivered => delivered,
            }
        };
        let limit = self.query.limits().enforced.time.min(longest);
        let mut retry = self.executor.database.retry(Instant::now() + limit);
        loop {
            metrics.statements.inc();
            match self.query.run(&self.executor, &lists, limit, &deliver).await {
                Err(Error::Database(fault)) if retry.should_retry(&fault).await => {}
                Ok(()) => return no_room.get().map_or(Ok(()), |error| Err((*error).into())),
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
        let result = self.query.encode(self.executor.memory, rows)?;
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
        let encode = || self.query.encode(self.executor.memory, rows);
        let sent = send_changed(&self.groups, bound, rows.digest(self.shape), encode)?;
        subscriptions.0.settings.metrics.results.inc_by(sent);
        Ok(())
    }
}

/// Sends a result to the subscribers of a list of parameters whose last result was another one, and returns how many
/// they are. The result is encoded without the lock, so that subscribers need not wait to join or leave.
fn send_changed(
    groups: &Mutex<Groups>,
    bound: &BoundQuery,
    digest: ResultDigest,
    encode: impl FnOnce() -> Result<Bytes, Error>,
) -> Result<u64, Error> {
    let is_other = |member: &Member| member.sent != Some(digest);
    match lock(groups).get_mut(bound) {
        Some(members) if members.iter().any(is_other) => {}
        members => {
            members.into_iter().flatten().for_each(|member| member.is_new = false);
            return Ok(0);
        }
    }
    let (result, mut sent) = (encode()?, 0);
    for member in lock(groups).get_mut(bound).into_iter().flatten() {
        member.is_new = false;
        if member.sent != Some(digest) {
            member.sent = Some(digest);
            member.subscriber.results.send_latest(result.clone());
            sent += 1;
        }
    }
    Ok(sent)
}

fn lock(groups: &Mutex<Groups>) -> MutexGuard<'_, Groups> {
    groups.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::session::Session;
    use crate::limits::memory::MemoryBudget;
    use crate::request::Request;
    use crate::subscriptions::outbox::{Outbox, OutboxReader, outbox};

    fn member(connection: &Outbox, number: u64) -> Member {
        let subscriber = Subscriber {
            number,
            session: Session::admin(),
            request: Request::default(),
            results: connection.sender(number),
            place: Mutex::new(Place::Nowhere),
            _memory: MemoryBudget::default().empty_reservation(),
        };
        Member { subscriber: Arc::new(subscriber), sent: None, is_new: true, is_behind: false }
    }

    #[test]
    fn subscribers_join_and_leave_while_a_result_is_encoded() {
        let (connection, _reader): (Outbox, OutboxReader) = outbox();
        let (bound, groups) = (Arc::new(BoundQuery::default()), Mutex::new(Groups::new()));
        lock(&groups).insert(bound.clone(), vec![member(&connection, 1), member(&connection, 2)]);
        let digest = ResultDigest::of(7);
        let encode = || {
            let mut groups = groups.try_lock().expect("the lock is free");
            let members = groups.entry(bound.clone()).or_default();
            members.retain(|member| member.subscriber.number != 1);
            members.push(member(&connection, 3));
            Ok(Bytes::from_static(b"{}"))
        };
        assert_eq!(send_changed(&groups, &bound, digest, encode).unwrap(), 2);
        assert!(lock(&groups)[&bound].iter().all(|member| member.sent == Some(digest) && !member.is_new));
        assert_eq!(connection.queued_bytes(), 4);
        let again = || Err(Error::Internal("it has been sent".into()));
        assert_eq!(send_changed(&groups, &bound, digest, again).unwrap(), 0);
    }

    #[test]
    fn statements_have_bounded_lists_and_bytes() {
        let lists: Vec<_> = (0..5).map(|_| Arc::new(BoundQuery::default())).collect();
        let lengths: Vec<_> = chunks(&lists, 2).into_iter().map(<[_]>::len).collect();
        assert_eq!(lengths, [2, 2, 1]);
    }
}
