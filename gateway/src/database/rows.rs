//! Streams the rows of a running statement. Their columns are raw bytes borrowed from the read
//! buffer, never copied; encoding them as JSON is left to [`sql::encode`].

use std::sync::Arc;

use sql::Translation;
use sql::encode::shape::Shape;
use sql::statement::BoundSettings;
use tokio::time::Instant;

use super::connection::PreparedStatement;
use super::protocol::{ReceiveError, tag};
use super::{DatabaseError, PooledConnection, PostgresError};

/// The rows of a running statement. Dropping it early cancels the statement.
#[derive(Debug)]
pub struct Rows {
    pooled: PooledConnection,
    statement: PreparedStatement,
    /// The statement that sets the settings of the transaction, if there is one.
    settings: Option<PreparedStatement>,
    /// The translation whose shape the column types are compared with, until that has happened.
    unchecked: Option<Arc<Translation>>,
    /// The number of columns before those of the shape.
    leading_columns: usize,
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

/// A binary row with lists or records is at most this many times as long as its JSON, plus
/// `OVERHEAD_BYTES`: a small number in a record takes 12 bytes for `"a":1`. One without is no
/// longer than its JSON, plus `OVERHEAD_BYTES` for its columns.
const BINARY_TO_JSON: usize = 4;
const OVERHEAD_BYTES: usize = 1 << 20;

/// The columns of a row in order, as [`sql::encode`] reads them.
#[derive(Clone, Copy, Debug)]
pub struct RowColumns<'a> {
    left: u16,
    bytes: &'a [u8],
}

impl Rows {
    /// Encodes the messages of a statement, and before them those that set the settings of its
    /// transaction. They are sent when the first row is polled.
    pub(super) fn open(
        mut pooled: PooledConnection,
        statement: &str,
        (parameters, settings): (&[Option<String>], Option<BoundSettings<'_>>),
        deadline: Instant,
        translation: Option<&Arc<Translation>>,
        leading_columns: usize,
    ) -> Result<Rows, DatabaseError> {
        let connection = pooled.connection()?;
        connection.protocol.make_room(std::iter::once(parameters))?;
        connection.close_evicted()?;
        connection.begin()?;
        // Up to the `Sync` all messages are one transaction, so the settings hold for the statement
        // and end with it.
        let settings = settings
            .map(|settings| connection.execute_settings(settings))
            .transpose()?;
        let text = statement;
        // A batch has its values in arrays, which no plan sees.
        let single = translation
            .filter(|_| leading_columns == 0)
            .and_then(|of| of.kind.statement());
        let needs_values = single.is_some_and(|statement| statement.needs_values);
        let statement = connection.prepare_for(text, needs_values)?;
        let unchecked = translation
            .filter(|_| !statement.is_checked() || connection.is_pooled())
            .cloned();
        connection.execute(&statement, text, parameters, unchecked.is_some())?;
        let state = match settings {
            Some(_) => State::Settings {
                follow_others: connection.is_pooled(),
            },
            None => State::Running,
        };
        connection.sync()?;
        let limit = usize::MAX;
        Ok(Rows {
            pooled,
            statement,
            settings,
            unchecked,
            leading_columns,
            deadline,
            limit,
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

    /// Compares the column types that the server describes with those of the shape.
    fn check(&mut self, letter: u8) -> Result<(), DatabaseError> {
        let Some(translation) = self.unchecked.take() else {
            return Ok(());
        };
        let Some(statement) = translation.kind.statement() else {
            return Ok(());
        };
        self.pooled.connection()?.check(
            self.statement.number,
            &statement.shape,
            self.leading_columns,
            letter,
        )
    }

    /// Limits the size of the response in bytes: longer rows of this shape are rejected before they
    /// are read.
    pub fn limit_response_bytes(&mut self, bytes: usize, shape: Option<&Shape>) {
        self.limit = bytes;
        let factor = if shape.is_some_and(Shape::is_flat) {
            1
        } else {
            BINARY_TO_JSON
        };
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

impl<'a> RowColumns<'a> {
    /// Reads a `DataRow` message: the number of columns, then the length and bytes of each.
    pub fn new(row: &'a [u8]) -> RowColumns<'a> {
        match row.split_first_chunk() {
            Some((count, bytes)) => RowColumns {
                left: u16::from_be_bytes(*count),
                bytes,
            },
            None => RowColumns {
                left: 0,
                bytes: row,
            },
        }
    }

    /// The number of bytes of the columns that have not been read.
    pub fn byte_length(&self) -> usize {
        self.bytes.len()
    }

    /// The columns that have not been read, as bytes from which [`RowColumns::from_rest`] reads
    /// them again.
    pub fn rest(&self) -> (u16, &'a [u8]) {
        (self.left, self.bytes)
    }

    /// The columns of [`RowColumns::rest`].
    pub fn from_rest(left: u16, bytes: &'a [u8]) -> RowColumns<'a> {
        RowColumns { left, bytes }
    }

    /// The next column as text, or `None` for null or invalid UTF-8.
    pub fn text(&mut self) -> Option<String> {
        let bytes = sql::encode::Columns::next(self).ok().flatten()?;
        String::from_utf8(bytes.to_vec()).ok()
    }
}

impl<'a> sql::encode::Columns<'a> for RowColumns<'a> {
    #[inline]
    fn next(&mut self) -> Result<Option<&'a [u8]>, sql::encode::Error> {
        use sql::encode::Error;
        self.left = self.left.checked_sub(1).ok_or(Error::FewColumns)?;
        let (length, rest) = self.bytes.split_first_chunk().ok_or(Error::Truncated)?;
        let length = i32::from_be_bytes(*length);
        self.bytes = rest;
        if length == -1 {
            return Ok(None);
        }
        let length = usize::try_from(length).map_err(|_| Error::Length(length))?;
        let (value, rest) = rest.split_at_checked(length).ok_or(Error::Truncated)?;
        self.bytes = rest;
        Ok(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sql::encode::{Columns, Error};

    #[test]
    fn columns_are_read_within_their_row() {
        let row = b"\0\x03\0\0\0\x02ab\xff\xff\xff\xff\0\0\0\0";
        let mut columns = RowColumns::new(row);
        assert_eq!(columns.next(), Ok(Some(&b"ab"[..])));
        assert_eq!(columns.next(), Ok(None));
        assert_eq!(columns.next(), Ok(Some(&b""[..])));
        assert_eq!(columns.next(), Err(Error::FewColumns));
        assert_eq!(
            RowColumns::new(b"\0\x01\0\0\0\x09ab").next(),
            Err(Error::Truncated)
        );
        assert_eq!(
            RowColumns::new(b"\0\x01\xff\xff\xff\xfe").next(),
            Err(Error::Length(-2))
        );
        assert_eq!(RowColumns::new(b"").next(), Err(Error::FewColumns));
        assert_eq!(
            RowColumns::new(b"\0\x01\0\0\0\x02ab").text(),
            Some("ab".into())
        );
    }
}
