//! Streams the rows of a running statement. Their columns are raw bytes borrowed from the read
//! buffer, never copied; decoding them is left to the caller.

use std::sync::Arc;

use tokio::time::Instant;

use crate::connection::{PooledConnection, PreparedStatement};
use crate::error::{DatabaseError, PostgresError};
use crate::protocol::row_columns::RowColumns;
use crate::protocol::{ReceiveError, tag};
use crate::query::{ExpectedColumns, Query};

/// The rows of a running statement. Dropping it early cancels the statement.
pub struct Rows {
    pooled: PooledConnection,
    statement: PreparedStatement,
    /// The statement that sets the settings of the transaction, if there is one.
    settings: Option<PreparedStatement>,
    /// Compares the column types, until that has happened.
    unchecked: Option<Arc<dyn ExpectedColumns>>,
    deadline: Instant,
    /// The maximum size of the response in bytes.
    limit: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The statement before it sets the settings. That one comes after the settings of a pooler's
    /// transaction if they `follow_others`.
    Settings {
        follow_others: bool,
    },
    Running,
    /// The statement has failed; `ReadyForQuery` is still outstanding.
    Refused(Box<PostgresError>),
    Ended,
}

/// What a row may be longer than the response that is made of it, for its columns.
const OVERHEAD_BYTES: usize = 1 << 20;

impl PooledConnection {
    /// Runs a statement. It is sent when the first row is polled.
    pub fn query(self, query: Query<'_>, deadline: Instant) -> Result<Rows, DatabaseError> {
        Rows::open(self, query, None::<fn() -> _>, deadline)
    }

    /// Like [`PooledConnection::query`], if the columns have the types that `expected` returns. It
    /// is called only if this connection has to compare them, which it does once.
    pub fn query_checked(
        self,
        query: Query<'_>,
        expected: impl FnOnce() -> Arc<dyn ExpectedColumns>,
        deadline: Instant,
    ) -> Result<Box<Rows>, DatabaseError> {
        // Boxed, because it is moved several times before the response body owns it.
        Rows::open(self, query, Some(expected), deadline).map(Box::new)
    }
}

impl Rows {
    /// Encodes the messages of a statement, and before them those that set the settings of its
    /// transaction. They are sent when the first row is polled.
    fn open(
        mut pooled: PooledConnection,
        query: Query<'_>,
        expected: Option<impl FnOnce() -> Arc<dyn ExpectedColumns>>,
        deadline: Instant,
    ) -> Result<Rows, DatabaseError> {
        let connection = pooled.connection()?;
        connection
            .protocol
            .make_room(std::iter::once(query.parameters))?;
        connection.close_evicted()?;
        connection.begin()?;
        // Up to the `Sync` all messages are one transaction, so the settings hold for the statement
        // and end with it.
        let settings = query
            .settings
            .map(|settings| connection.execute_settings(settings))
            .transpose()?;
        let statement = connection.prepare_for(query.text, query.needs_values)?;
        let unchecked = expected
            .filter(|_| !statement.is_checked() || connection.is_pooled())
            .map(|expected| expected());
        connection.execute(
            &statement,
            query.text,
            query.parameters,
            unchecked.is_some(),
        )?;
        let state = match settings {
            Some(_) => State::Settings {
                follow_others: connection.is_pooled(),
            },
            None => State::Running,
        };
        connection.sync()?;
        Ok(Rows {
            pooled,
            statement,
            settings,
            unchecked,
            deadline,
            limit: usize::MAX,
            state,
        })
    }

    /// The next row, or `None` when the statement has completed.
    pub async fn next(&mut self) -> Result<Option<RowColumns<'_>>, DatabaseError> {
        let limit = self.pooled.limit();
        loop {
            if matches!(self.state, State::Ended) {
                return Ok(None);
            }
            let protocol = &mut self.pooled.connection()?.protocol;
            match (protocol.next(self.deadline).await, &self.state) {
                (Ok(tag::ROW), State::Running) => break,
                (Ok(tag::PARSED), State::Settings { .. }) => {
                    self.settings
                        .iter_mut()
                        .for_each(|settings| settings.is_new = false);
                }
                (
                    Ok(tag::COMPLETE),
                    State::Settings {
                        follow_others: true,
                    },
                ) => {
                    self.state = State::Settings {
                        follow_others: false,
                    };
                }
                (
                    Ok(tag::COMPLETE),
                    State::Settings {
                        follow_others: false,
                    },
                ) => self.state = State::Running,
                (Ok(tag::PARSED), _) => self.statement.is_new = false,
                (Ok(letter @ (tag::COLUMNS | tag::NO_COLUMNS)), State::Running) => {
                    self.check(letter)?;
                }
                (Ok(tag::ERROR), State::Settings { .. } | State::Running) => {
                    self.state = State::Refused(Box::new(PostgresError::read(protocol.body())));
                }
                (Ok(tag::READY) | Err(ReceiveError::Lost(_)), State::Refused(_)) => {
                    return Err(self.refused());
                }
                (Ok(tag::READY), State::Settings { .. } | State::Running) => {
                    self.state = State::Ended;
                    return Ok(None);
                }
                (Ok(_), _) => {}
                (Err(ReceiveError::Long), _) if self.limit < usize::MAX => {
                    return Err(DatabaseError::RowTooLong(self.limit));
                }
                (Err(stopped), _) => return Err(stopped.fault(limit)),
            }
        }
        Ok(Some(RowColumns::new(
            self.pooled.connection()?.protocol.body(),
        )))
    }

    /// Compares the column types that the server describes with those that are expected.
    fn check(&mut self, letter: u8) -> Result<(), DatabaseError> {
        let Some(expected) = self.unchecked.take() else {
            return Ok(());
        };
        self.pooled
            .connection()?
            .check(self.statement.number, letter, |types| {
                expected.check(0, types)
            })
    }

    /// Limits the size of the response that is made of the rows, in bytes: a row that is longer
    /// than `factor` times that, and a little for its columns, is rejected before it is read.
    pub fn limit_response_bytes(&mut self, bytes: usize, factor: usize) {
        self.limit = bytes;
        if let Ok(connection) = self.pooled.connection() {
            connection
                .protocol
                .set_length_limit(bytes.saturating_mul(factor).saturating_add(OVERHEAD_BYTES));
        }
    }

    /// The deadline of the statement.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The next row if it is already buffered.
    pub fn next_buffered(&mut self) -> Option<RowColumns<'_>> {
        let protocol = &mut self.pooled.connection().ok()?.protocol;
        match self.state {
            State::Running if protocol.next_row() => Some(RowColumns::new(protocol.body())),
            _ => None,
        }
    }

    fn refused(&mut self) -> DatabaseError {
        let State::Refused(mut refusal) = std::mem::replace(&mut self.state, State::Ended) else {
            return DatabaseError::Protocol("an error that is none".into());
        };
        if let Ok(connection) = self.pooled.connection() {
            // A pooler keeps the stale statement for this text; a reload leads to other texts.
            refusal.is_outdated |= refusal.is_stale && connection.is_pooled();
            for statement in self.settings.iter().chain([&self.statement]) {
                if statement.is_new || refusal.is_stale {
                    connection.close_statement(statement.number);
                }
            }
        }
        DatabaseError::refused(*refusal, self.pooled.limit())
    }
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Rows")
            .field("pooled", &self.pooled)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
