//! The subscribers of one translation. They are served by one statement over all their lists of
//! parameters, and each gets the result of its own list if it differs from the last one it got.
//! Subscribers with equal parameters share one row of the statement and the bytes of the result.
//!
//! | File | Decides |
//! |---|---|
//! | [`policy`] | what the query reads, and whether subscribers may share a statement |
//! | [`batches`] | which lists of parameters run together, and what happens if a statement fails |
//! | [`delivery`] | who gets a result |

mod batches;
mod delivery;
mod policy;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::future::OptionFuture;
use sql::Translation;
use sql::encode::cursor;
use sql::postgres::catalog::Oid;
use tokio::time::Instant;

use super::cohort_context::CohortContext;
use super::coverage::Coverage;
use super::key_index::Touched;
use super::members::{CohortMembers, Member, Membership, Subscriber, end};
use super::report::CohortReport;
use super::row_change::RowChange;
use crate::error::Error;
use crate::execute::live_query::{LiveQuery, ResultDigest, Sharing};
use crate::execute::{BoundQuery, ExecutionState};
use batches::{BatchHistory, Batches, LIST_TIME};
use delivery::Delivery;
use policy::QueryPolicy;

/// The subscribers of one translation.
#[derive(Debug)]
pub(super) struct Cohort {
    execution: Arc<ExecutionState>,
    query: LiveQuery,
    /// The digest of the query's shape.
    shape: ResultDigest,
    /// The list of parameters that this cohort serves alone, because it takes long.
    slow: Option<Arc<BoundQuery>>,
    pub(super) members: Arc<CohortMembers>,
    policy: QueryPolicy,
    history: BatchHistory,
    activity: Activity,
}

/// What distinguishes a cohort from others: the address of the translation that it keeps alive, and
/// the slow list of parameters that it serves alone.
pub(super) type CohortKey = (usize, Option<Arc<BoundQuery>>);

/// The address of a translation, by which its cohort is found.
pub(super) fn address(translation: &Arc<Translation>) -> usize {
    Arc::as_ptr(translation).addr()
}

/// Why cohorts are woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wake {
    /// Time has passed.
    Clock,
    /// Some table was written to.
    Write,
    /// The table with this OID was written to.
    Table(Oid),
    /// Changes may have been missed.
    Everything,
}

/// What a cohort that has run leaves to those who know the other cohorts.
pub(super) enum Next {
    /// These lists of parameters take long. They should get cohorts of their own, so that others do
    /// not wait for them.
    Separate(Vec<Arc<BoundQuery>>),
    /// Its list of parameters takes long no more, and may return to the cohort of the others.
    Reunite,
    /// It has no subscribers.
    Ended,
    /// A reload has replaced its state by this one. Its subscribers have to be planned anew.
    Replaced(Arc<ExecutionState>),
}

/// A cohort while it runs.
pub(super) struct CohortRun<'c> {
    cohort: &'c Arc<Cohort>,
    /// How many runs in a row were quick.
    quick_runs: u32,
    /// The last run, until the pause after it is over.
    last: Option<FinishedRun>,
}

/// A run of a cohort.
struct FinishedRun {
    succeeded: bool,
    time: Duration,
}

/// When the cohort last ran statements.
#[derive(Debug)]
struct Activity(Mutex<Instant>);

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

/// How long a cohort waits before it tries a failed statement again.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// The least time between two runs of a live query and of a stream, so that notifications, and
/// batches of a stream that follow each other, do not cause a flood of statements.
const SPACING: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

/// What each list of parameters adds to that time, and the most time between two runs.
const SPACING_PER_LIST: (Duration, Duration) =
    (Duration::from_micros(100), Duration::from_millis(150));

/// A slow list leaves its connection to others for as long as it had it, and for so long at most:
/// after a pause of the database, every statement that was running seems slow.
const SLOW_SPACING: Duration = Duration::from_secs(1);

/// After so many runs that each take a quarter of that time at most, it returns to the others.
const QUICK_RUNS: u32 = 3;

/// A slow list that has not run for this time, longer than any of its statements takes, leaves its
/// place to others.
const SLOW_LIST_IDLE_TIME: Duration = Duration::from_secs(60);

impl<'c> CohortRun<'c> {
    pub(super) fn new(cohort: &'c Arc<Cohort>) -> CohortRun<'c> {
        CohortRun {
            cohort,
            quick_runs: 0,
            last: None,
        }
    }

    /// Runs the cohort until there is something that it cannot do itself.
    pub(super) async fn next(&mut self, context: &CohortContext) -> Next {
        let execution = &self.cohort.execution;
        let replaced = execution.reload.replaced(execution);
        tokio::select! {
            next = self.run(context) => next,
            state = replaced => Next::Replaced(state),
        }
    }

    async fn run(&mut self, context: &CohortContext) -> Next {
        let cohort = self.cohort;
        loop {
            if let Some(last) = &self.last {
                cohort.pause(last).await;
            }
            let slow = cohort.slow.is_some().then(|| context.slow.acquire());
            let turn = OptionFuture::from(slow).await;
            let began = Instant::now();
            let refreshed = cohort.refresh(context).await;
            drop(turn);
            let last = FinishedRun {
                succeeded: refreshed.is_ok(),
                time: began.elapsed(),
            };
            let is_quick = last.succeeded && last.time < LIST_TIME / 4;
            self.quick_runs = if is_quick { self.quick_runs + 1 } else { 0 };
            self.last = Some(last);
            let slow_lists = cohort.history.take_slow();
            if !slow_lists.is_empty() {
                return Next::Separate(slow_lists);
            }
            if cohort.slow.is_some() && self.quick_runs >= QUICK_RUNS {
                return Next::Reunite;
            }
            if cohort.is_empty() {
                return Next::Ended;
            }
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

impl Cohort {
    pub(super) fn new(execution: Arc<ExecutionState>, query: LiveQuery) -> Cohort {
        Cohort {
            execution,
            shape: query.shape_digest(),
            query,
            slow: None,
            members: Arc::default(),
            policy: QueryPolicy::default(),
            history: BatchHistory::default(),
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

    /// What distinguishes it from the other cohorts.
    pub(super) fn key(&self) -> CohortKey {
        (address(self.query.translation()), self.slow.clone())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.groups().len() == 0
    }

    /// Whether it serves a slow list of parameters that runs or waits for its turn, or did so a
    /// moment ago.
    pub(super) fn is_busy_with_slow(&self) -> bool {
        self.slow.is_some()
            && (self.members.groups().due_count() > 0 || !self.activity.is_idle(Instant::now()))
    }

    /// Lets a slow list of parameters take long in the next run, while others wait: there are too
    /// many cohorts of slow lists already.
    pub(super) fn tolerate(&self, list: &Arc<BoundQuery>) {
        self.history.tolerate(list);
        let touched = Touched::Lists(vec![list.clone()]);
        self.touch(touched, None);
    }

    /// Wakes the cohort if its results may have changed. Returns whether it did.
    pub(super) fn wake(&self, wake: Wake) -> bool {
        let policy = self.policy.get();
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
        self.members.groups().due().add(touched, committed_at);
        self.members.wake();
    }

    /// Whether the query reads a table, or one that inherits from these.
    pub(super) fn reads(&self, table: Oid, parents: &[Oid]) -> bool {
        self.policy.get().is_none_or(|policy| {
            let tables = &policy.dependencies.tables;
            std::iter::once(&table)
                .chain(parents)
                .any(|oid| tables.contains_key(oid))
        })
    }

    /// The lists of parameters that a changed row can touch, of a table that the query reads.
    pub(super) fn touched(&self, table: Oid, change: &RowChange<'_>) -> Touched {
        self.members
            .groups()
            .index()
            .map_or(Touched::All, |index| index.touched(table, change))
    }

    /// Whether replication reports every change of the results.
    pub(super) fn is_covered(&self, coverage: &Coverage) -> bool {
        self.policy
            .get()
            .is_some_and(|policy| coverage.contains(&policy.dependencies))
            && !self.has_clock_values()
    }

    /// Has the planner asked again how the query has to be run, because the schema may have
    /// changed.
    pub(super) fn forget_policy(&self) {
        self.policy.forget();
        self.members.groups().set_index(None);
    }

    /// Waits until the cohort has to run again.
    async fn pause(&self, last: &FinishedRun) {
        if !last.succeeded {
            return tokio::time::sleep(RETRY_DELAY).await;
        }
        self.members.woken().await;
        let least = if self.slow.is_some() {
            last.time.min(SLOW_SPACING)
        } else {
            Duration::ZERO
        };
        tokio::time::sleep(self.spacing().max(least)).await;
    }

    /// The least time between two runs. It grows with the work of a run.
    fn spacing(&self) -> Duration {
        let least = if self.query.is_stream() {
            SPACING.1
        } else {
            SPACING.0
        };
        let lists = u32::try_from(self.members.groups().due_count()).unwrap_or(u32::MAX);
        least
            .saturating_add(SPACING_PER_LIST.0.saturating_mul(lists))
            .min(SPACING_PER_LIST.1)
    }

    /// Whether a subscriber's parameters may stand for the current time.
    fn has_clock_values(&self) -> bool {
        self.members.groups().has_clock_values()
    }

    /// Gives the subscribers of a stream whose client was slow their next turn.
    fn retry_behind(&self) {
        let mut groups = self.members.groups();
        let behind = |(bound, members): (&Arc<BoundQuery>, &mut Vec<Member>)| {
            members
                .iter()
                .any(|member| member.is_behind)
                .then(|| bound.clone())
        };
        let behind: Vec<_> = groups.iter_mut().filter_map(behind).collect();
        if !behind.is_empty() {
            groups.due().add(Touched::Lists(behind), None);
            self.members.wake();
        }
    }

    /// What it runs and for whom; none without subscribers.
    pub(super) fn report(&self) -> Option<CohortReport> {
        let policy = self.policy.get();
        let groups = self.members.groups();
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

    /// Removes the subscribers, so that they can join the cohorts of a new state.
    pub(super) fn take_subscribers(&self) -> Vec<DetachedSubscriber> {
        let mut detached = Vec::new();
        for (bound, members) in self.members.groups().take() {
            let position = bound.position(self.query.positions());
            detached.extend(members.into_iter().map(
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
        for subscriber in &detached {
            let mut membership = subscriber.subscriber.membership();
            if let Membership::In(..) = *membership {
                *membership = Membership::Nowhere;
            }
        }
        detached
    }

    /// Ends all subscribers.
    pub(super) fn end_all(&self, error: &Arc<Error>) {
        let groups = self.members.groups().take();
        end(groups.into_values().flatten(), error);
    }

    /// Runs the query for the lists of parameters that are due. The error is one after which it
    /// should be tried again.
    async fn refresh(self: &Arc<Self>, context: &CohortContext) -> Result<(), Error> {
        let (wanted, due) = self.members.groups().take_due();
        if wanted.is_empty() {
            return Ok(());
        }
        let is_early = !due.joined.is_empty()
            && context
                .has_invisible_commits(&self.execution.database)
                .await;
        self.activity.renew();
        let refreshed = self.run_lists(context, &wanted, due.committed_at).await;
        self.activity.renew();
        if refreshed.is_err() {
            self.members.groups().due().merge(due);
        } else if is_early {
            self.run_again(due.joined);
        }
        refreshed
    }

    /// Runs the query again in a moment for subscribers that have joined: a change that replication
    /// reported before they did was not visible yet.
    fn run_again(&self, joined: HashSet<Arc<BoundQuery>>) {
        let members = Arc::downgrade(&self.members);
        tokio::spawn(async move {
            tokio::time::sleep(RETRY_DELAY).await;
            if let Some(members) = members.upgrade() {
                members.groups().due().joined.extend(joined);
                members.wake();
            }
        });
    }

    /// Runs the query for these lists of parameters. `committed_at` is the commit of the first of
    /// the changes that the run is for.
    async fn run_lists(
        &self,
        context: &CohortContext,
        lists: &[Arc<BoundQuery>],
        committed_at: Option<SystemTime>,
    ) -> Result<(), Error> {
        let is_shared = match self.policy.get() {
            Some(policy) => policy.sharing == Sharing::Batch,
            None => self.query.may_share(),
        };
        let batches = Batches {
            state: &self.execution,
            history: &self.history,
            delivery: Delivery {
                query: &self.query,
                shape: self.shape,
                members: &self.members,
                memory: self.execution.memory,
                metrics: &context.settings.metrics,
                committed_at,
            },
            is_alone: self.slow.is_some(),
        };
        batches.run(lists, is_shared).await?;
        let database = &self.execution.database;
        if self.policy.find(&self.query, database, &self.members).await {
            context.count_cohort_change();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
