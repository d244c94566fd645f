//! Statements that write: one alone, or several as one transaction, all on their way before the first is answered. What
//! they say is left to `sql`, and what a failure means to [`crate::execute`].
//!
//! ```text
//! step · step · Sync                                          one round trip, once all are prepared
//! BEGIN — step · step · Sync · SET CONSTRAINTS ALL IMMEDIATE · ROLLBACK     a rehearsal
//! ```
//!
//! What stands before one `Sync` is one transaction without a `BEGIN`: it is committed at the `Sync`, and a step that fails
//! undoes all of it. So there is no moment at which a lost connection, a cancel request or a caller who is gone could leave a
//! part of it behind. <https://www.postgresql.org/docs/15/protocol-flow.html#PROTOCOL-FLOW-PIPELINING>

use sql::encode::shape::Shape;
use tokio::time::Instant;

use super::connection::{Connection, PreparedStatement};
use super::protocol::{ReceiveError, tag};
use super::{Database, DatabaseError, PooledConnection, PostgresError, Requester};
use crate::limits::memory::{COVERED, Reservation};

/// The parameters of a statement in text format.
pub type Parameters = Vec<Option<String>>;

/// A row as it came from the server, for [`super::RowColumns`].
pub type Row = Box<[u8]>;

/// How statements that write end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// What they did stays.
    Commit,
    /// They are undone, once it is clear that they could have stayed.
    Undo,
}

/// Why nothing was written, or why that is not known.
#[derive(Debug)]
pub struct TransactionError {
    /// What happened.
    pub fault: DatabaseError,
    /// When it happened.
    pub when: FailurePoint,
}

/// At which point statements that write have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailurePoint {
    /// Nothing of them had been run: at most they had been parsed.
    Before,
    /// The transaction did not begin, though what belongs into it was sent.
    Begin,
    /// The step of that number failed, all before it were undone.
    Step(usize),
    /// The end of the transaction failed.
    End,
    /// The outcome was not waited for.
    Late,
}

impl TransactionError {
    /// A fault before any of it was run.
    pub fn before(fault: DatabaseError) -> TransactionError {
        TransactionError { fault, when: FailurePoint::Before }
    }

    /// Whether the database holds none of what was to be written, and can be asked for it again.
    pub fn is_undone(&self) -> bool {
        match self.when {
            FailurePoint::Before => true,
            FailurePoint::Step(_) | FailurePoint::End => matches!(self.fault, DatabaseError::Refused(_)),
            FailurePoint::Begin | FailurePoint::Late => false,
        }
    }
}

impl Database {
    /// Runs statements that write on the gateway's own account, as one transaction; their parameters stand in the same order. Gives the rows of each.
    ///
    /// Dropped or late, they are cancelled and undone, unless they have come to their end by then.
    pub async fn write(
        &self,
        texts: &[&str],
        parameters: &[Parameters],
        ending: Completion,
        deadline: Instant,
    ) -> Result<Vec<Vec<Row>>, TransactionError> {
        let lease = self.acquire(&Requester::default(), deadline).await.map_err(TransactionError::before)?;
        lease.write(texts, &[], parameters, ending, &mut self.memory.empty_reservation(), deadline).await
    }
}

impl PooledConnection {
    /// Runs them on this connection where the columns of each are of the types that its shape is made for; else nothing is run. The rows are held in the memory that is reserved for them.
    pub async fn write(
        mut self,
        texts: &[&str],
        shapes: &[&Shape],
        parameters: &[Parameters],
        ending: Completion,
        memory: &mut Reservation,
        deadline: Instant,
    ) -> Result<Vec<Vec<Row>>, TransactionError> {
        let statements =
            prepare(&mut self, texts, shapes, parameters, deadline).await.map_err(TransactionError::before)?;
        Batch { lease: self, statements, parameters, memory, deadline }.run(ending).await
    }
}

/// Has all statements parsed before the first is run. This is also where a lost connection is best noticed.
async fn prepare(
    lease: &mut PooledConnection,
    texts: &[&str],
    shapes: &[&Shape],
    parameters: &[Parameters],
    deadline: Instant,
) -> Result<Vec<PreparedStatement>, DatabaseError> {
    if texts.len() != parameters.len() {
        return Err(DatabaseError::Protocol("parameters that do not fit their statement".into()));
    }
    let limit = lease.limit();
    let connection = lease.connection()?;
    let prepared = texts.iter().map(|text| connection.prepare(text));
    let statements = prepared.collect::<Result<Vec<PreparedStatement>, DatabaseError>>()?;
    let unchecked: Vec<_> = statements.iter().zip(shapes).filter(|(statement, _)| !statement.is_checked).collect();
    if unchecked.is_empty() && !statements.iter().any(|statement| statement.is_new) {
        return Ok(statements);
    }
    for (statement, _) in &unchecked {
        connection.wire.describe(&statement.number.name())?;
    }
    connection.wire.sync();
    let (mut refused, mut changed, mut unchecked) = (None, None, unchecked.into_iter());
    loop {
        match connection.wire.next(deadline).await.map_err(|stopped| stopped.fault(limit))? {
            letter @ (tag::COLUMNS | tag::NO_COLUMNS) => {
                if let Some((statement, shape)) = unchecked.next()
                    && let Err(fault) = connection.check(statement.number, shape, letter)
                {
                    changed = changed.or(Some(fault));
                }
            }
            tag::ERROR => refused = refused.or(Some(PostgresError::read(connection.wire.body()))),
            tag::READY => break,
            _ => {}
        }
    }
    let Some(refusal) = refused else { return changed.map_or(Ok(statements), Err) };
    for statement in statements.iter().filter(|statement| statement.is_new) {
        connection.close_statement(statement.number);
    }
    Err(DatabaseError::refused(refusal, limit))
}

/// Statements that are ready to leave.
struct Batch<'p> {
    lease: PooledConnection,
    statements: Vec<PreparedStatement>,
    parameters: &'p [Parameters],
    memory: &'p mut Reservation,
    deadline: Instant,
}

/// What became of the steps: the rows of those that ended well, and what the next was refused for.
struct Outcome {
    rows: Vec<Vec<Row>>,
    refused: Option<PostgresError>,
}

impl Batch<'_> {
    async fn run(mut self, ending: Completion) -> Result<Vec<Vec<Row>>, TransactionError> {
        match ending {
            Completion::Commit => self.commit().await,
            Completion::Undo => self.rehearse().await,
        }
    }

    async fn commit(&mut self) -> Result<Vec<Vec<Row>>, TransactionError> {
        self.send().map_err(TransactionError::before)?;
        let outcome = self.outcome().await?;
        self.into_rows(outcome)
    }

    /// Runs the steps inside of a transaction that is never committed. Its beginning is waited for: a cancel request that
    /// met `BEGIN` would have what follows run for real.
    async fn rehearse(&mut self) -> Result<Vec<Vec<Row>>, TransactionError> {
        let limit = self.lease.limit();
        let failed = |fault| TransactionError { fault, when: FailurePoint::Begin };
        let connection = self.lease.connection().map_err(TransactionError::before)?;
        connection.wire.simple_query("BEGIN").map_err(TransactionError::before)?;
        let begun = connection.wire.ready(self.deadline).await.map_err(|stopped| failed(stopped.fault(limit)))?;
        if let Some(refusal) = begun {
            return Err(failed(DatabaseError::refused(refusal, limit)));
        }
        self.send().map_err(failed)?;
        let wire = &mut self.lease.connection().map_err(failed)?.wire;
        // What is deferred to the end would else never be looked at.
        wire.simple_query("SET CONSTRAINTS ALL IMMEDIATE")
            .and_then(|()| wire.simple_query("ROLLBACK"))
            .map_err(failed)?;
        let outcome = self.outcome().await?;
        let (mut refused_later, deadline) = (None, self.deadline);
        for _ in 0..2 {
            let later = self.connection()?.wire.ready(deadline).await;
            refused_later = refused_later.or(later.map_err(|stopped| self.stopped(stopped, self.steps()))?);
        }
        self.into_rows(Outcome { refused: outcome.refused.or(refused_later), ..outcome })
    }

    fn steps(&self) -> usize {
        self.statements.len()
    }

    fn connection(&mut self) -> Result<&mut Connection, TransactionError> {
        self.lease.connection().map_err(TransactionError::before)
    }

    /// Puts all steps on their way, up to the `Sync` that ends them.
    fn send(&mut self) -> Result<(), DatabaseError> {
        let connection = self.lease.connection()?;
        connection.wire.make_room(self.parameters.iter().map(Vec::as_slice))?;
        for (statement, parameters) in self.statements.iter().zip(self.parameters) {
            connection.wire.execute(&statement.number.name(), parameters)?;
        }
        connection.sync()
    }

    /// Reads the rows of all steps, up to the server's word that it is ready.
    async fn outcome(&mut self) -> Result<Outcome, TransactionError> {
        let mut outcome = Outcome { rows: Vec::with_capacity(self.steps()), refused: None };
        let (mut rows, mut bytes) = (Vec::new(), 0);
        loop {
            let next = self.lease.connection().map_err(TransactionError::before)?.wire.next(self.deadline).await;
            match next {
                Ok(tag::ROW) => {
                    let row: Row = self.connection()?.wire.body().into();
                    bytes += row.len();
                    if bytes > COVERED {
                        // What was written stays then, and nobody knows.
                        let failed = |error| TransactionError {
                            fault: DatabaseError::OutOfMemory(error),
                            when: FailurePoint::Late,
                        };
                        self.memory.grow_to(bytes).map_err(failed)?;
                    }
                    rows.push(row);
                }
                Ok(tag::COMPLETE) => outcome.rows.push(std::mem::take(&mut rows)),
                Ok(tag::ERROR) => outcome.refused = Some(PostgresError::read(self.connection()?.wire.body())),
                Ok(tag::READY) => return Ok(outcome),
                Ok(_) => {}
                // The server has said why it hangs up.
                Err(ReceiveError::Lost(_)) if outcome.refused.is_some() => return Ok(outcome),
                Err(stopped) => return Err(self.stopped(stopped, outcome.rows.len())),
            }
        }
    }

    fn stopped(&self, stopped: ReceiveError, place: usize) -> TransactionError {
        let when = if stopped == ReceiveError::Late { FailurePoint::Late } else { self.when(place) };
        TransactionError { fault: stopped.fault(self.lease.limit()), when }
    }

    /// The only step is to blame for what comes to light at the end.
    fn when(&self, place: usize) -> FailurePoint {
        match self.steps() {
            1 => FailurePoint::Step(0),
            steps if place < steps => FailurePoint::Step(place),
            _ => FailurePoint::End,
        }
    }

    fn into_rows(&mut self, outcome: Outcome) -> Result<Vec<Vec<Row>>, TransactionError> {
        let Some(refusal) = outcome.refused else { return Ok(outcome.rows) };
        if refusal.is_stale
            && let Ok(connection) = self.lease.connection()
        {
            self.statements.iter().for_each(|statement| connection.close_statement(statement.number));
        }
        Err(TransactionError {
            fault: DatabaseError::refused(refusal, self.lease.limit()),
            when: self.when(outcome.rows.len()),
        })
    }
}
