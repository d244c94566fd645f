//! The rows of a running statement as they arrive, and their columns as raw bytes: borrowed from what was read off the
//! socket, never copied.

use std::sync::Arc;

use sql::Translation;
use tokio::time::Instant;

use super::connection::PreparedStatement;
use super::protocol::{ReceiveError, tag};
use super::{DatabaseError, PooledConnection, PostgresError};

/// A statement that runs. Dropping it before its end cancels it.
#[derive(Debug)]
pub struct Rows {
    lease: PooledConnection,
    statement: PreparedStatement,
    /// What its columns become, until they are known to be of the types for that.
    unchecked: Option<Arc<Translation>>,
    deadline: Instant,
    /// The most bytes of the answer that they make.
    limit: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Running,
    /// It has failed, and the server has still to say that it is done with it.
    Refused(Box<PostgresError>),
    Ended,
}

/// A row in binary is at most so many times as long as its JSON, give or take a little: a small number in a record has 12
/// bytes for `"a":1`.
const SHARE: usize = 4;
const BESIDE: usize = 1 << 20;

/// The columns of a row in order, as [`sql::encode`] reads them.
#[derive(Clone, Copy, Debug)]
pub struct RowColumns<'a> {
    left: u16,
    bytes: &'a [u8],
}

impl Rows {
    /// Says the statement, which leaves when the first row is asked for.
    pub(super) fn open(
        mut lease: PooledConnection,
        statement: &str,
        parameters: &[Option<String>],
        deadline: Instant,
        translation: Option<&Arc<Translation>>,
    ) -> Result<Rows, DatabaseError> {
        let connection = lease.connection()?;
        connection.wire.make_room(std::iter::once(parameters))?;
        let statement = connection.prepare(statement)?;
        let unchecked = translation.filter(|_| !statement.is_checked).cloned();
        if unchecked.is_some() {
            connection.wire.describe(&statement.number.name())?;
        }
        connection.wire.execute(&statement.number.name(), parameters)?;
        connection.sync()?;
        Ok(Rows { lease, statement, unchecked, deadline, limit: usize::MAX, state: State::Running })
    }

    /// The next row, or none when the statement has ended well.
    pub async fn next(&mut self) -> Result<Option<RowColumns<'_>>, DatabaseError> {
        let limit = self.lease.limit();
        loop {
            if matches!(self.state, State::Ended) {
                return Ok(None);
            }
            let wire = &mut self.lease.connection()?.wire;
            match (wire.next(self.deadline).await, &self.state) {
                (Ok(tag::ROW), State::Running) => break,
                (Ok(tag::PARSED), _) => self.statement.is_new = false,
                (Ok(letter @ (tag::COLUMNS | tag::NO_COLUMNS)), State::Running) => self.check(letter)?,
                (Ok(tag::ERROR), State::Running) => {
                    self.state = State::Refused(Box::new(PostgresError::read(wire.body())))
                }
                (Ok(tag::READY) | Err(ReceiveError::Lost(_)), State::Refused(_)) => return Err(self.refused()),
                (Ok(tag::READY), State::Running) => {
                    self.state = State::Ended;
                    return Ok(None);
                }
                (Ok(_), _) => {}
                (Err(ReceiveError::Long), _) if self.limit < usize::MAX => return Err(DatabaseError::Long(self.limit)),
                (Err(stopped), _) => return Err(stopped.fault(limit)),
            }
        }
        Ok(Some(RowColumns::new(self.lease.connection()?.wire.body())))
    }

    /// Compares the columns that the server describes with those that the shape is made for.
    fn check(&mut self, letter: u8) -> Result<(), DatabaseError> {
        let Some(translation) = self.unchecked.take() else { return Ok(()) };
        let Some(statement) = translation.answer.statement() else { return Ok(()) };
        self.lease.connection()?.check(self.statement.number, &statement.shape, letter)
    }

    /// Refuses rows that cannot become an answer of at most so many bytes, before they are read.
    pub fn make_at_most(&mut self, bytes: usize) {
        self.limit = bytes;
        if let Ok(connection) = self.lease.connection() {
            connection.wire.set_length_limit(bytes.saturating_mul(SHARE).saturating_add(BESIDE));
        }
    }

    /// Until when the statement may take.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The next row, if it is there without waiting.
    pub fn held(&mut self) -> Option<RowColumns<'_>> {
        let wire = &mut self.lease.connection().ok()?.wire;
        match self.state {
            State::Running if wire.next_row() => Some(RowColumns::new(wire.body())),
            _ => None,
        }
    }

    fn refused(&mut self) -> DatabaseError {
        let State::Refused(refusal) = std::mem::replace(&mut self.state, State::Ended) else {
            return DatabaseError::Protocol("an error that is none".into());
        };
        if let Ok(connection) = self.lease.connection()
            && (self.statement.is_new || refusal.is_stale)
        {
            connection.close_statement(self.statement.number);
        }
        DatabaseError::refused(*refusal, self.lease.limit())
    }
}

impl<'a> RowColumns<'a> {
    /// The columns of a row as it comes from the server: their number, then the length and the bytes of each.
    pub fn new(row: &'a [u8]) -> RowColumns<'a> {
        match row.split_first_chunk() {
            Some((count, bytes)) => RowColumns { left: u16::from_be_bytes(*count), bytes },
            None => RowColumns { left: 0, bytes: row },
        }
    }

    /// The next column as text, where it is one.
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
        assert_eq!(RowColumns::new(b"\0\x01\0\0\0\x09ab").next(), Err(Error::Truncated));
        assert_eq!(RowColumns::new(b"\0\x01\xff\xff\xff\xfe").next(), Err(Error::Length(-2)));
        assert_eq!(RowColumns::new(b"").next(), Err(Error::FewColumns));
        assert_eq!(RowColumns::new(b"\0\x01\0\0\0\x02ab").text(), Some("ab".into()));
    }
}
