//! Runs mutations: one statement, or several as one transaction, all sent before the first response
//! is read.
//!
//! ```text
//! step · step · Sync                                          one round trip, once all are prepared
//! BEGIN — step · step · Sync · SET CONSTRAINTS ALL IMMEDIATE · ROLLBACK     a dry run
//! ```
//!
//! The messages before one `Sync` are one transaction without a `BEGIN`: the server commits it at
//! the `Sync`, and a step that fails undoes all of it. So a lost connection, a cancel request or a
//! disconnected client can never leave a part of it committed.
//! <https://www.postgresql.org/docs/15/protocol-flow.html#PROTOCOL-FLOW-PIPELINING>

use tokio::time::Instant;

use crate::connection::{Connection, PooledConnection, PreparedStatement};
use crate::database::Database;
use crate::error::transaction_error::{FailurePoint, TransactionError};
use crate::error::{DatabaseError, PostgresError};
use crate::memory::{MAX_COVERED_BYTES, Reservation};
use crate::pool::queue::Requester;
use crate::protocol::row_columns::RowColumns;
use crate::protocol::{ReceiveError, tag};
use crate::query::{ExpectedColumns, Parameters, Row};
use crate::wal_position::WalPosition;

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The changes are committed.
    Commit,
    /// The changes are rolled back after all deferred constraints were checked.
    Rollback,
}

/// The statements of a transaction.
#[derive(Clone, Copy)]
pub struct TransactionSteps<'s> {
    /// Their texts.
    pub texts: &'s [&'s str],
    /// What their column types are compared with; `None` if nothing is compared.
    pub columns: Option<&'s dyn ExpectedColumns>,
    /// Their parameters.
    pub parameters: &'s [Parameters],
    /// Whether the first sets the settings of the role. Then the others are parsed under them: what
    /// they may name can depend on the role of the database.
    pub has_settings: bool,
}

impl Database {
    /// Runs mutations on behalf of the owner of the pool as one transaction, with the parameters in
    /// the order of the statements. Returns the rows of each statement.
    ///
    /// When the future is dropped or the deadline passes, the statements are cancelled and undone,
    /// unless they have already completed.
    pub async fn write(
        &self,
        texts: &[&str],
        parameters: &[Parameters],
        ending: Completion,
        deadline: Instant,
    ) -> Result<Vec<Vec<Row>>, TransactionError> {
        let steps = TransactionSteps {
            texts,
            columns: None,
            parameters,
            has_settings: false,
        };
        self.write_steps(steps, ending, deadline).await
    }

    /// Like [`Database::write`], perhaps with settings first.
    pub async fn write_steps(
        &self,
        steps: TransactionSteps<'_>,
        ending: Completion,
        deadline: Instant,
    ) -> Result<Vec<Vec<Row>>, TransactionError> {
        let pooled = self
            .acquire(&Requester::default(), deadline)
            .await
            .map_err(TransactionError::before)?;
        pooled
            .write(
                steps,
                ending,
                &mut self.memory.empty_reservation(),
                deadline,
            )
            .await
    }
}

impl Database {
    /// A position in the write-ahead log behind every transaction that has been committed.
    pub async fn wal_position(&self, deadline: Instant) -> Option<WalPosition> {
        let text = self.query_scalar(WAL_POSITION, &[], deadline).await.ok()?;
        WalPosition::from_file_and_lsn(&text)
    }
}

impl PooledConnection {
    /// Runs the statements on this connection if the column types of each are those that are
    /// expected; otherwise runs none. The rows are charged to `memory`.
    pub async fn write(
        mut self,
        steps: TransactionSteps<'_>,
        ending: Completion,
        memory: &mut Reservation,
        deadline: Instant,
    ) -> Result<Vec<Vec<Row>>, TransactionError> {
        let statements = prepare(&mut self, steps, deadline)
            .await
            .map_err(TransactionError::before)?;
        Batch {
            pooled: self,
            steps,
            statements,
            memory,
            deadline,
        }
        .run(ending)
        .await
    }

    /// Like [`PooledConnection::write`] with a commit. Returns also a position in the write-ahead
    /// log behind the transaction; a replica that has replayed it shows the changes. It is asked
    /// for in the same packet.
    pub async fn write_with_position(
        mut self,
        steps: TransactionSteps<'_>,
        memory: &mut Reservation,
        deadline: Instant,
    ) -> Result<(Vec<Vec<Row>>, Option<WalPosition>), TransactionError> {
        let statements = prepare(&mut self, steps, deadline)
            .await
            .map_err(TransactionError::before)?;
        Batch {
            pooled: self,
            steps,
            statements,
            memory,
            deadline,
        }
        .commit_with_position()
        .await
    }
}

/// Parses all statements before the first is run, except the settings that they are parsed under. A
/// lost connection is detected here, while a retry is still safe.
async fn prepare(
    pooled: &mut PooledConnection,
    steps: TransactionSteps<'_>,
    deadline: Instant,
) -> Result<Vec<PreparedStatement>, DatabaseError> {
    let TransactionSteps {
        texts,
        columns,
        parameters,
        has_settings,
    } = steps;
    if texts.len() != parameters.len() {
        return Err(DatabaseError::Protocol(
            "parameters that do not fit their statement".into(),
        ));
    }
    let limit = pooled.limit();
    let connection = pooled.connection()?;
    connection.close_evicted()?;
    // What precedes the first statement that is parsed, which has to be known before.
    let has_preamble = has_settings || connection.is_pooled();
    let parses = has_preamble
        && if columns.is_none() {
            // Without a name, and without a comparison, a statement is parsed when it is run.
            !connection.is_unnamed() && !connection.has_prepared(texts)
        } else {
            !connection.has_checked(texts)
        };
    if connection.is_pooled() && columns.is_some() && parses {
        connection.begin()?;
    }
    let mut statements = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let statement = connection.prepare(text)?;
        // They end with the transaction of these messages, and are set again when the statements
        // run.
        if index == 0 && has_settings && parses {
            connection.execute(
                &statement,
                text,
                parameters.first().map_or(&[][..], Vec::as_slice),
                false,
            )?;
        }
        statements.push(statement);
    }
    let unchecked: Vec<usize> = statements
        .iter()
        .enumerate()
        .filter(|(_, statement)| columns.is_some() && !statement.is_checked())
        .map(|(index, _)| index)
        .collect();
    if unchecked.is_empty()
        && (connection.is_unnamed() || !statements.iter().any(|statement| statement.is_new))
    {
        return Ok(statements);
    }
    for index in &unchecked {
        if let (Some(statement), Some(text)) = (statements.get(*index), texts.get(*index)) {
            connection.describe(statement, text)?;
        }
    }
    connection.sync_keeping_evicted();
    let mut refused = None;
    let mut changed = None;
    let mut unchecked = unchecked.into_iter();
    loop {
        match connection
            .protocol
            .next(deadline)
            .await
            .map_err(|stopped| stopped.fault(limit))?
        {
            letter @ (tag::COLUMNS | tag::NO_COLUMNS) => {
                if let Some(index) = unchecked.next()
                    && let (Some(statement), Some(columns)) = (statements.get(index), columns)
                    && let Err(fault) = connection.check(statement.number, letter, |types| {
                        columns.check(index, types)
                    })
                {
                    changed = changed.or(Some(fault));
                }
            }
            tag::ERROR => {
                refused = refused.or(Some(PostgresError::read(connection.protocol.body())));
            }
            tag::READY => break,
            _ => {}
        }
    }
    let Some(refusal) = refused else {
        return changed.map_or(Ok(statements), Err);
    };
    for statement in statements.iter().filter(|statement| statement.is_new) {
        connection.close_statement(statement.number);
    }
    Err(DatabaseError::refused(refusal, limit))
}

/// A position behind every transaction that has been committed, with the file of the log that it is
/// in.
const WAL_POSITION: &str = "SELECT pg_catalog.pg_walfile_name(p) || ' ' || p FROM \
                            pg_catalog.pg_current_wal_insert_lsn() AS p";

/// Statements that are prepared and ready to send.
struct Batch<'p> {
    pooled: PooledConnection,
    steps: TransactionSteps<'p>,
    statements: Vec<PreparedStatement>,
    memory: &'p mut Reservation,
    deadline: Instant,
}

/// The outcome of the steps: the rows of those that succeeded, and the error of the first that
/// failed.
struct Outcome {
    rows: Vec<Vec<Row>>,
    refused: Option<PostgresError>,
    /// The columns of a statement differ from the expected ones, although they were checked when it
    /// was first seen.
    changed: Option<String>,
}

impl Batch<'_> {
    async fn run(mut self, ending: Completion) -> Result<Vec<Vec<Row>>, TransactionError> {
        match ending {
            Completion::Commit => self.commit().await,
            Completion::Rollback => self.dry_run().await,
        }
    }

    async fn commit(&mut self) -> Result<Vec<Vec<Row>>, TransactionError> {
        self.send().map_err(TransactionError::before)?;
        let outcome = self.outcome().await?;
        self.committed(outcome)
    }

    async fn commit_with_position(
        mut self,
    ) -> Result<(Vec<Vec<Row>>, Option<WalPosition>), TransactionError> {
        self.send().map_err(TransactionError::before)?;
        self.connection()?
            .protocol
            .simple_query(WAL_POSITION)
            .map_err(TransactionError::before)?;
        let outcome = self.outcome().await?;
        // The outcome of the transaction is known; without its position the caller's next read may
        // be too early.
        let position = self.position().await;
        Ok((self.committed(outcome)?, position))
    }

    /// Reads the answer to [`WAL_POSITION`].
    async fn position(&mut self) -> Option<WalPosition> {
        let deadline = self.deadline;
        let mut position = None;
        let protocol = &mut self.pooled.connection().ok()?.protocol;
        loop {
            match protocol.next(deadline).await.ok()? {
                tag::ROW => position = RowColumns::new(protocol.body()).text(),
                tag::READY => return WalPosition::from_file_and_lsn(&position?),
                _ => {}
            }
        }
    }

    fn committed(&mut self, outcome: Outcome) -> Result<Vec<Vec<Row>>, TransactionError> {
        match (&outcome.refused, &outcome.changed) {
            (None, Some(changed)) => {
                let fault = DatabaseError::Unreadable(changed.clone());
                Err(TransactionError {
                    fault,
                    when: FailurePoint::Late,
                })
            }
            _ => self.take_rows(outcome),
        }
    }

    /// Runs the steps in a transaction that is never committed. It waits for the response to
    /// `BEGIN` first: if a cancel request hit `BEGIN`, the statements after it would be run and
    /// committed.
    async fn dry_run(&mut self) -> Result<Vec<Vec<Row>>, TransactionError> {
        let limit = self.pooled.limit();
        let failed = |fault| TransactionError {
            fault,
            when: FailurePoint::Begin,
        };
        let connection = self.pooled.connection().map_err(TransactionError::before)?;
        connection
            .protocol
            .simple_query("BEGIN")
            .map_err(TransactionError::before)?;
        let begun = connection
            .protocol
            .ready(self.deadline)
            .await
            .map_err(|stopped| failed(stopped.fault(limit)))?;
        if let Some(refusal) = begun {
            return Err(failed(DatabaseError::refused(refusal, limit)));
        }
        self.send().map_err(failed)?;
        let protocol = &mut self.pooled.connection().map_err(failed)?.protocol;
        // Without this, deferred constraints would never be checked.
        protocol
            .simple_query("SET CONSTRAINTS ALL IMMEDIATE")
            .and_then(|()| protocol.simple_query("ROLLBACK"))
            .map_err(failed)?;
        let outcome = self.outcome().await?;
        let mut refused_later = None;
        let deadline = self.deadline;
        for _ in 0..2 {
            let later = self.connection()?.protocol.ready(deadline).await;
            refused_later =
                refused_later.or(later.map_err(|stopped| self.stopped(stopped, self.count()))?);
        }
        if let Some(changed) = &outcome.changed {
            return Err(TransactionError::before(DatabaseError::SchemaChanged(
                changed.clone(),
            )));
        }
        self.take_rows(Outcome {
            refused: outcome.refused.or(refused_later),
            ..outcome
        })
    }

    fn count(&self) -> usize {
        self.statements.len()
    }

    fn connection(&mut self) -> Result<&mut Connection, TransactionError> {
        self.pooled.connection().map_err(TransactionError::before)
    }

    /// Encodes all steps and the `Sync` that ends them.
    fn send(&mut self) -> Result<(), DatabaseError> {
        let connection = self.pooled.connection()?;
        connection
            .protocol
            .make_room(self.steps.parameters.iter().map(Vec::as_slice))?;
        connection.begin()?;
        let is_described = connection.is_pooled();
        for ((statement, text), parameters) in self
            .statements
            .iter()
            .zip(self.steps.texts)
            .zip(self.steps.parameters)
        {
            connection.execute(statement, text, parameters, is_described)?;
        }
        connection.sync()
    }

    /// Reads the rows of all steps up to `ReadyForQuery`.
    async fn outcome(&mut self) -> Result<Outcome, TransactionError> {
        let mut outcome = Outcome {
            rows: Vec::with_capacity(self.count()),
            refused: None,
            changed: None,
        };
        let mut rows = Vec::new();
        let mut bytes = 0;
        // Through a pooler, the settings complete before the first step.
        let mut before = usize::from(self.connection()?.is_pooled());
        let mut described = 0;
        loop {
            let next = self
                .pooled
                .connection()
                .map_err(TransactionError::before)?
                .protocol
                .next(self.deadline)
                .await;
            match next {
                Ok(tag::ROW) => {
                    bytes += self.connection()?.protocol.body().len();
                    if bytes > MAX_COVERED_BYTES {
                        // The transaction commits, but its outcome cannot be reported to the
                        // client.
                        let failed = |error| TransactionError {
                            fault: DatabaseError::OutOfMemory(error),
                            when: FailurePoint::Late,
                        };
                        self.memory.grow_to(bytes).map_err(failed)?;
                    }
                    rows.push(self.connection()?.protocol.body().into());
                }
                Ok(tag::COMPLETE) if before > 0 => before -= 1,
                Ok(tag::COMPLETE) => outcome.rows.push(std::mem::take(&mut rows)),
                Ok(letter @ (tag::COLUMNS | tag::NO_COLUMNS)) => {
                    let index = described;
                    described += 1;
                    if let Err(changed) = self.check(index, letter) {
                        outcome.changed = outcome.changed.or(Some(changed));
                    }
                }
                Ok(tag::ERROR) => {
                    outcome.refused = Some(PostgresError::read(self.connection()?.protocol.body()));
                }
                Ok(tag::READY) => return Ok(outcome),
                Ok(_) => {}
                // The server reported an error before it closed the connection.
                Err(ReceiveError::Lost(_)) if outcome.refused.is_some() => return Ok(outcome),
                Err(stopped) => return Err(self.stopped(stopped, outcome.rows.len())),
            }
        }
    }

    /// Compares the columns of a step with those that are expected.
    fn check(&mut self, index: usize, letter: u8) -> Result<(), String> {
        let (Some(statement), Some(columns)) = (self.statements.get(index), self.steps.columns)
        else {
            return Ok(());
        };
        let number = statement.number;
        let connection = self
            .pooled
            .connection()
            .map_err(|fault| fault.to_string())?;
        connection
            .check(number, letter, |types| columns.check(index, types))
            .map_err(|fault| fault.to_string())
    }

    fn stopped(&self, stopped: ReceiveError, index: usize) -> TransactionError {
        let when = if stopped == ReceiveError::Late {
            FailurePoint::Late
        } else {
            self.when(index)
        };
        TransactionError {
            fault: stopped.fault(self.pooled.limit()),
            when,
        }
    }

    /// The failed step. With a single step, an error at the end of the transaction is attributed to
    /// that step.
    fn when(&self, index: usize) -> FailurePoint {
        match self.count() {
            1 => FailurePoint::Step(0),
            steps if index < steps => FailurePoint::Step(index),
            _ => FailurePoint::End,
        }
    }

    fn take_rows(&mut self, outcome: Outcome) -> Result<Vec<Vec<Row>>, TransactionError> {
        let Some(refusal) = outcome.refused else {
            return Ok(outcome.rows);
        };
        if refusal.is_stale
            && let Ok(connection) = self.pooled.connection()
        {
            self.statements
                .iter()
                .for_each(|statement| connection.close_statement(statement.number));
        }
        Err(TransactionError {
            fault: DatabaseError::refused(refusal, self.pooled.limit()),
            when: self.when(outcome.rows.len()),
        })
    }
}
