//! Inserts of several requests in one transaction. While one of the places for them is free, an insert runs by itself,
//! at once. While all are in use, inserts wait, and those that wait are sent together before one `Sync` when a place is
//! free again: the server wakes up once and commits once for all of them. [`crate::execute`] decides which inserts.
//!
//! ```text
//! request 1   insert · commit ▸ begins the next
//! request 2        waits ·········· insert ┐
//! request 3             waits ····· insert ├ commit ▸ begins the next
//! request 4                  waits  insert ┘
//! ```
//!
//! The messages before a `Sync` are one transaction, so either all inserts of a group are committed or none. If one of
//! them fails, each runs again by itself, and its request gets its own error. A group waits for no lock longer than
//! [`LOCK_TIME`]. A client that disconnects ends no insert of others: a group is a task of its own.
//! <https://www.postgresql.org/docs/15/protocol-flow.html#PROTOCOL-FLOW-PIPELINING>

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sql::encode::shape::{Answer, Shape};
use sql::statement::Statement;
use sql::{Translation, TranslationKind};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::group_schedule::{GroupShare, Groups};
use super::{
    Completion, Database, DatabaseError, FailurePoint, GroupSettings, Parameters, Requester, Row, TransactionError,
    TransactionSteps, deadline,
};
use crate::limits::memory::COVERED;

/// An insert of one row, whose translation has one statement.
#[derive(Debug)]
pub struct GroupedInsert {
    /// The translation.
    pub translation: Arc<Translation>,
    /// The parameters of the statement.
    pub parameters: Parameters,
}

/// What becomes of an insert that might have run in a group.
#[derive(Debug)]
pub enum InsertTurn {
    /// It was committed, and returned these rows.
    Committed(Vec<Row>),
    /// Its request has to run it, and hold the place meanwhile if it got one.
    Alone(Parameters, Option<GroupPlace>),
}

/// A place in which a group, or an insert by itself, runs. When it is dropped, the waiting inserts run in it.
#[derive(Debug)]
pub struct GroupPlace {
    database: Database,
    share: GroupShare,
}

/// The places for groups, and the inserts that wait.
#[derive(Clone, Debug)]
pub(super) struct InsertGroups(Arc<Groups<Waiter>>);

/// An insert that waits.
#[derive(Debug)]
struct Waiter {
    insert: WaitingInsert,
    outcome: oneshot::Sender<Outcome>,
}

/// An insert that its group runs, or its own request after a long wait. The one that takes it out runs it.
#[derive(Clone, Debug)]
struct WaitingInsert(Arc<Mutex<Option<GroupedInsert>>>);

/// The outcome of a group for one of its inserts.
#[derive(Debug)]
enum Outcome {
    Committed(Vec<Row>),
    /// All of the group was undone, so the insert runs again.
    Undone(GroupedInsert),
    /// Whether the group was committed is unknown.
    Unknown(Box<TransactionError>),
}

/// An insert that a group has taken.
struct Member {
    insert: GroupedInsert,
    outcome: oneshot::Sender<Outcome>,
}

/// The maximum time that an insert waits for a place. The inserts of a group that takes longer run alone for a while.
const WAIT: Duration = Duration::from_millis(50);

/// The first statement of a group. It bounds the time that one insert waits for a lock, such as the lock of
/// another transaction that inserts the same key, because the later inserts of the group wait meanwhile.
const LOCK_TIME: &str = "SELECT pg_catalog.set_config('lock_timeout', '20ms', true)";

/// Its result is not read.
static LOCK_TIME_SHAPE: Shape = Shape { answer: Answer::Part(None) };

impl Database {
    /// Whether inserts run in groups. A pooler in transaction mode would need settings of its own for each transaction.
    pub fn groups_inserts(&self) -> bool {
        self.insert_groups.0.is_on && !self.is_pooled_by_transaction()
    }

    /// Runs an insert together with those of other requests, unless it has to run alone: there is a free place, too
    /// many inserts wait, it has waited too long, or its group was undone.
    ///
    /// Errors: it is unknown whether the insert was committed.
    pub async fn insert_grouped(
        &self,
        requester: &Requester,
        insert: GroupedInsert,
        deadline: Instant,
    ) -> Result<InsertTurn, TransactionError> {
        let (insert, mut outcome) = match self.insert_groups.join(requester, insert) {
            Joined::Waits(insert, outcome) => (insert, outcome),
            Joined::Runs(insert, share) => {
                let place = share.map(|share| GroupPlace { database: self.clone(), share });
                return Ok(InsertTurn::Alone(insert.parameters, place));
            }
        };
        let in_time = deadline::timeout_at(deadline.min(Instant::now() + WAIT), &mut outcome).await;
        let outcome = match (in_time, insert.take()) {
            // It was never sent: the places are in use for long, or its group got no connection.
            (_, Some(insert)) => {
                insert.translation.grouping.suspend();
                return Ok(InsertTurn::Alone(insert.parameters, None));
            }
            (Some(outcome), None) => outcome.ok(),
            (None, None) => deadline::timeout_at(deadline, outcome).await.and_then(Result::ok),
        };
        match outcome {
            Some(Outcome::Committed(rows)) => Ok(InsertTurn::Committed(rows)),
            Some(Outcome::Undone(insert)) => Ok(InsertTurn::Alone(insert.parameters, None)),
            Some(Outcome::Unknown(failed)) => Err(*failed),
            None => Err(TransactionError { fault: DatabaseError::Timeout(self.limit), when: FailurePoint::Late }),
        }
    }
}

/// How an insert begins.
enum Joined {
    Runs(GroupedInsert, Option<GroupShare>),
    Waits(WaitingInsert, oneshot::Receiver<Outcome>),
}

impl InsertGroups {
    pub(super) fn new(settings: &GroupSettings, pool: usize, client_limit: usize) -> InsertGroups {
        InsertGroups(Arc::new(Groups::new(settings, pool, client_limit)))
    }

    fn join(&self, requester: &Requester, insert: GroupedInsert) -> Joined {
        let mut schedule = self.0.schedule();
        let share = schedule.begin(requester);
        if share.is_some() || !schedule.may_wait(requester) {
            return Joined::Runs(insert, share);
        }
        let (sender, outcome) = oneshot::channel();
        let insert = WaitingInsert(Arc::new(Mutex::new(Some(insert))));
        schedule.wait(requester, Waiter { insert: insert.clone(), outcome: sender });
        Joined::Waits(insert, outcome)
    }
}

impl WaitingInsert {
    fn take(&self) -> Option<GroupedInsert> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for GroupPlace {
    fn drop(&mut self) {
        let ended = std::mem::take(&mut self.share);
        let next = self.database.insert_groups.0.schedule().next(ended, |waiter| !waiter.outcome.is_closed());
        let Some((waiters, share)) = next else { return };
        let place = GroupPlace { database: self.database.clone(), share };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(place.run(waiters));
        }
    }
}

impl GroupPlace {
    /// Runs the inserts that wait as one transaction.
    async fn run(self, waiters: VecDeque<Waiter>) {
        let database = &self.database;
        let deadline = Instant::now() + database.limit;
        // Without a connection the inserts are not taken, so their requests run them.
        let Ok(connection) = database.acquire(&Requester::default(), deadline).await else { return };
        let taken = waiters.into_iter().filter(|waiter| !waiter.outcome.is_closed());
        let taken = taken.filter_map(|Waiter { insert, outcome }| Some(Member { insert: insert.take()?, outcome }));
        let mut members: Vec<Member> = taken.collect();
        if members.is_empty() {
            return;
        }
        let began = Instant::now();
        let mut parameters = vec![Parameters::new()];
        parameters.extend(members.iter_mut().map(|member| std::mem::take(&mut member.insert.parameters)));
        let written = {
            let statements = members.iter().filter_map(|member| member.insert.statement());
            let (texts, shapes): (Vec<&str>, Vec<&Shape>) = std::iter::once((LOCK_TIME, &LOCK_TIME_SHAPE))
                .chain(statements.map(|statement| (statement.text.as_str(), &statement.shape)))
                .unzip();
            let covered = members.len() * COVERED;
            let steps = TransactionSteps {
                texts: &texts,
                shapes: &shapes,
                parameters: &parameters,
                has_settings: false,
                covered,
            };
            let mut memory = database.memory.empty_reservation();
            connection.write(steps, Completion::Commit, &mut memory, deadline).await
        };
        if began.elapsed() > WAIT {
            members.iter().for_each(|member| member.insert.translation.grouping.suspend());
        }
        let counters = &database.insert_groups.0.counters;
        // A request that is gone misses its outcome.
        match written {
            Ok(rows) => {
                counters.groups.inc();
                counters.statements.inc_by(members.len() as u64);
                for (member, rows) in members.into_iter().zip(rows.into_iter().skip(1)) {
                    if rows.iter().map(|row| row.len()).sum::<usize>() > COVERED {
                        member.insert.translation.grouping.suspend();
                    }
                    let _ = member.outcome.send(Outcome::Committed(rows));
                }
            }
            Err(failed) if failed.is_undone() => {
                if let FailurePoint::Step(step) = failed.when
                    && let Some(member) = step.checked_sub(1).and_then(|place| members.get(place))
                {
                    member.insert.translation.grouping.suspend_after_error();
                }
                for (Member { insert, outcome }, parameters) in members.into_iter().zip(parameters.into_iter().skip(1))
                {
                    let _ = outcome.send(Outcome::Undone(GroupedInsert { parameters, ..insert }));
                }
            }
            Err(failed) => {
                // To its request, an insert is the only step.
                let when = if failed.when == FailurePoint::Late { failed.when } else { FailurePoint::Step(0) };
                for member in members {
                    let failed = Box::new(TransactionError { fault: failed.fault.clone(), when });
                    let _ = member.outcome.send(Outcome::Unknown(failed));
                }
            }
        }
    }
}

impl GroupedInsert {
    /// The statement. None if the translation is another one than an insert.
    fn statement(&self) -> Option<&Statement> {
        match &self.translation.answer {
            TranslationKind::Mutation(mutation) => mutation.steps.first().map(|step| &step.statement),
            _ => None,
        }
    }
}
