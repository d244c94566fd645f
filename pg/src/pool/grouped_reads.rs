//! Short reads of several requests on one connection. While one of these connections is free, a
//! read is sent at once. While all are in use, reads wait, and those that wait are sent together
//! before one `Sync` when a connection is free again: the server wakes up once for all of them.
//! The caller decides which reads are short.
//!
//! ```text
//! request 1   send ────────── rows ▸ send for 2, 3, 4
//! request 2        waits ···························· rows ▸ send for 5, 6 …
//! request 3             waits ························· gets its rows
//! request 4                  waits ····················· gets its rows
//! ```
//!
//! The request with the first read of a group reads the responses of the group; no other task is
//! involved. The messages before a `Sync` are one transaction, so an error ends the whole group.
//! Then, and if a group is late, the reads without a response run again, each on a connection of
//! its own. A client that disconnects ends no read of others.
//! <https://www.postgresql.org/docs/15/protocol-flow.html#PROTOCOL-FLOW-PIPELINING>

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::connection::{PooledConnection, PreparedStatement};
use crate::deadline;
use crate::error::{DatabaseError, PostgresError};
use crate::observer::Observer;
use crate::pool::group_schedule::{GroupLimits, GroupShare, Groups};
use crate::pool::queue::Requester;
use crate::protocol::tag;
use crate::query::{ExpectedColumns, Row};

/// A short read, whose rows are collected.
pub trait GroupedRead: ExpectedColumns {
    /// The SQL text.
    fn text(&self) -> &str;

    /// The values of `$1`, `$2` and so on, in text format.
    fn parameters(&self) -> &[Option<String>];

    /// Called if it is not as short as it seemed: it failed, was late, or returned too many rows.
    /// It should run alone for a while.
    fn suspend(&self);
}

/// The groups in which short reads run, and the reads that wait for the next.
#[derive(Clone)]
pub(crate) struct ReadGroups(Arc<Groups<Waiter>>);

/// A read that waits.
struct Waiter {
    read: Arc<dyn GroupedRead>,
    turn: oneshot::Sender<Turn>,
}

/// How the wait of a read ends. If the sender is dropped, it runs alone.
enum Turn {
    /// Another request has received its rows.
    Rows(Vec<Row>),
    /// It is the first of a group, whose responses its request receives.
    Receive(Box<Group>),
}

/// How a read begins.
enum Joined {
    Leads(Box<Group>),
    Waits(oneshot::Receiver<Turn>),
}

/// Reads that are sent together. The first belongs to the request that holds the group.
struct Group {
    groups: ReadGroups,
    /// None before the first read has a connection.
    connection: Option<PooledConnection>,
    /// Whom it counts for.
    share: GroupShare,
    first: Arc<dyn GroupedRead>,
    /// The rows of the first read, once it is complete.
    own: Option<Vec<Row>>,
    others: VecDeque<Waiter>,
    /// The statements without a response.
    statements: VecDeque<PreparedStatement>,
    /// The rows so far of the first of these statements.
    rows: Vec<Row>,
    /// Their length in bytes.
    bytes: usize,
    state: GroupState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupState {
    Waiting,
    Sent,
    /// Its request is gone, and a task of its own receives the responses.
    Abandoned,
    Ended,
}

/// How long a group may take before its reads run alone.
const GROUP_TIME: Duration = Duration::from_millis(50);

/// The maximum length of a message in bytes. A longer one closes the connection.
const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// The maximum length of the rows of a read in bytes. One that returns more runs alone, now and for
/// a while.
const MAX_ROWS_BYTES: usize = 64 << 10;

impl std::fmt::Debug for ReadGroups {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ReadGroups").finish_non_exhaustive()
    }
}

impl ReadGroups {
    pub(crate) fn new(limits: GroupLimits, observer: Arc<dyn Observer>) -> ReadGroups {
        ReadGroups(Arc::new(Groups::new(limits, observer)))
    }

    /// Whether there are any groups.
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_on
    }

    /// Runs a read in a group and returns its rows. None if it has to run alone: too many reads
    /// wait, it failed, or its group did. The first group on a connection awaits `connection`.
    pub(crate) async fn run(
        &self,
        requester: &Requester,
        read: Arc<dyn GroupedRead>,
        connection: impl Future<Output = Result<PooledConnection, DatabaseError>>,
        deadline: Instant,
    ) -> Option<Vec<Row>> {
        let rows = match self.join(requester, read)? {
            Joined::Leads(group) => group.run(connection).await?,
            Joined::Waits(turn) => match deadline::timeout_at(deadline, turn).await?.ok()? {
                Turn::Rows(rows) => rows,
                Turn::Receive(group) => group.run(connection).await?,
            },
        };
        self.0.observer.read_was_grouped();
        Some(rows)
    }

    fn join(&self, requester: &Requester, read: Arc<dyn GroupedRead>) -> Option<Joined> {
        let mut schedule = self.0.schedule();
        if let Some(share) = schedule.begin(requester) {
            drop(schedule);
            return Some(Joined::Leads(Group::new(
                self,
                None,
                share,
                read,
                VecDeque::new(),
            )));
        }
        if !schedule.may_wait(requester) {
            return None;
        }
        let (turn, waits) = oneshot::channel();
        schedule.wait(requester, Waiter { read, turn });
        Some(Joined::Waits(waits))
    }

    /// Sends waiting reads on a connection that is free again; without one, the first of them has
    /// to get one. If none may run, the connection returns to the pool.
    fn start_next(&self, connection: Option<PooledConnection>, ended: GroupShare) {
        let next = self
            .0
            .schedule()
            .next(ended, |waiter| !waiter.turn.is_closed());
        let Some((mut reads, share)) = next else {
            return drop(connection);
        };
        let Some(Waiter { read, turn }) = reads.pop_front() else {
            return;
        };
        let mut group = Group::new(self, connection, share, read, reads);
        if group.connection.is_some() {
            // Sent by the request that just ended, so that the server need not wait for another
            // task. An error is that of the connection, and found when it is read.
            let _ = group.send();
        }
        // If the request is gone meanwhile, the group is dropped.
        drop(turn.send(Turn::Receive(group)));
    }

    /// Ends a group that got no connection. The waiting reads run alone too, so that none waits for
    /// another's attempt.
    fn dismiss(&self, ended: GroupShare) {
        let waiting = self.0.schedule().dismiss(ended);
        drop(waiting);
    }
}

impl Group {
    fn new(
        groups: &ReadGroups,
        connection: Option<PooledConnection>,
        share: GroupShare,
        first: Arc<dyn GroupedRead>,
        others: VecDeque<Waiter>,
    ) -> Box<Group> {
        let statements = VecDeque::with_capacity(others.len() + 1);
        let groups = groups.clone();
        let own = None;
        let rows = Vec::new();
        let bytes = 0;
        let state = GroupState::Waiting;
        Box::new(Group {
            groups,
            connection,
            share,
            first,
            own,
            others,
            statements,
            rows,
            bytes,
            state,
        })
    }

    /// Returns the rows of the first read and passes theirs to the others.
    async fn run(
        mut self: Box<Self>,
        connection: impl Future<Output = Result<PooledConnection, DatabaseError>>,
    ) -> Option<Vec<Row>> {
        if self.connection.is_none() {
            let sent = connection.await.and_then(|connection| {
                self.connection = Some(connection);
                self.send()
            });
            if sent.is_err() {
                self.state = GroupState::Ended;
                self.groups.dismiss(std::mem::take(&mut self.share));
                return None;
            }
        }
        self.receive_all().await
    }

    /// Receives the responses and starts the next group.
    async fn receive_all(mut self: Box<Self>) -> Option<Vec<Row>> {
        match self.receive().await {
            Ok(()) => {
                self.state = GroupState::Ended;
                self.groups
                    .start_next(self.connection.take(), std::mem::take(&mut self.share));
                self.own.take()
            }
            Err(_) => {
                self.current().suspend();
                self.fail();
                None
            }
        }
    }

    /// Sends all reads before one `Sync`.
    fn send(&mut self) -> Result<(), DatabaseError> {
        let Group {
            connection: Some(pooled),
            first,
            others,
            statements,
            ..
        } = self
        else {
            return Ok(());
        };
        self.state = GroupState::Sent;
        let connection = pooled.connection()?;
        connection.protocol.set_length_limit(MAX_MESSAGE_BYTES);
        for read in std::iter::once(&*first).chain(others.iter().map(|waiter| &waiter.read)) {
            let text = read.text();
            let statement = connection.prepare(text)?;
            connection.execute(&statement, text, read.parameters(), !statement.is_checked())?;
            statements.push_back(statement);
        }
        connection.sync()?;
        connection.protocol.send_now();
        self.groups.0.observer.group_was_sent();
        Ok(())
    }

    /// Receives the responses up to the end of the group. The reads that the server did not run are
    /// dropped. The future may be dropped and made again.
    async fn receive(&mut self) -> Result<(), DatabaseError> {
        let deadline = Instant::now() + GROUP_TIME;
        loop {
            let Some(pooled) = &mut self.connection else {
                return Ok(());
            };
            let limit = pooled.limit();
            let connection = pooled.connection()?;
            match connection
                .protocol
                .next(deadline)
                .await
                .map_err(|stopped| stopped.fault(limit))?
            {
                tag::ROW => {
                    let row = connection.protocol.body();
                    self.bytes += row.len();
                    if self.bytes > MAX_ROWS_BYTES {
                        return Err(DatabaseError::RowTooLong(MAX_ROWS_BYTES));
                    }
                    self.rows.push(Row::from(row));
                }
                tag::PARSED => {
                    if let Some(statement) = self.statements.front_mut() {
                        statement.is_new = false;
                    }
                }
                letter @ (tag::COLUMNS | tag::NO_COLUMNS) => {
                    let read = match self.own {
                        None => Some(&self.first),
                        Some(_) => self.others.front().map(|waiter| &waiter.read),
                    };
                    if let (Some(statement), Some(read)) = (self.statements.front(), read) {
                        connection.check(statement.number, letter, |types| read.check(0, types))?;
                    }
                }
                tag::COMPLETE => self.complete(),
                tag::ERROR => {
                    let refusal = PostgresError::read(connection.protocol.body());
                    for (index, statement) in self.statements.drain(..).enumerate() {
                        if statement.is_new || index == 0 && refusal.is_stale {
                            connection.close_statement(statement.number);
                        }
                    }
                    self.current().suspend();
                    self.others.clear();
                }
                tag::READY => return Ok(()),
                _ => {}
            }
        }
    }

    /// Passes the rows of a statement that has completed to its request.
    fn complete(&mut self) {
        self.statements.pop_front();
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if self.own.is_none() {
            self.own = Some(rows);
        } else if let Some(waiter) = self.others.pop_front() {
            // Its request may be gone.
            let _ = waiter.turn.send(Turn::Rows(rows));
        }
    }

    /// The read whose response is received next.
    fn current(&self) -> &dyn GroupedRead {
        match (&self.own, self.others.front()) {
            (Some(_), Some(waiter)) => &*waiter.read,
            _ => &*self.first,
        }
    }

    /// Lets the reads without a response run alone, and the waiting ones on another connection. The
    /// connection's statement is cancelled if one runs.
    fn fail(&mut self) {
        self.state = GroupState::Ended;
        self.others.clear();
        drop(self.connection.take());
        self.groups
            .start_next(None, std::mem::take(&mut self.share));
    }
}

impl Drop for Group {
    /// A group whose request is gone is received by a task of its own, because its other reads
    /// belong to others.
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        match (self.state, runtime) {
            (GroupState::Ended, _) => {}
            (GroupState::Sent, Ok(runtime)) => {
                let connection = self.connection.take();
                let share = std::mem::take(&mut self.share);
                let mut group = Group::new(
                    &self.groups,
                    connection,
                    share,
                    self.first.clone(),
                    VecDeque::new(),
                );
                (group.own, group.rows, group.bytes) =
                    (self.own.take(), std::mem::take(&mut self.rows), self.bytes);
                (group.others, group.statements) = (
                    std::mem::take(&mut self.others),
                    std::mem::take(&mut self.statements),
                );
                (group.state, self.state) = (GroupState::Abandoned, GroupState::Ended);
                drop(runtime.spawn(group.receive_all()));
            }
            _ => self.fail(),
        }
    }
}
