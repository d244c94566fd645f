//! A mutation on its way to the database and back: its statements as one transaction, tried again where all of it was
//! undone, its errors with their place, and the answer from the rows of every step.

use bytes::Bytes;
use sql::Cause;
use sql::encode;
use sql::encode::shape::Answer as Form;
use sql::statement::{ANSWER, AssertionToken, Mutation, Statement, Step};

use crate::database::{Completion, DatabaseError, FailurePoint, PostgresError, Row, RowColumns, TransactionError};
use crate::error::Error;
use crate::limits::LimitExceeded;
use crate::limits::memory::{COVERED, MemoryBudget, Reservation};

/// The answer of a mutation, `{"data":…}`, made of the rows of its steps.
pub(super) struct Answer<'m> {
    mutation: &'m Mutation,
    ending: Completion,
    limit: usize,
    memory: Reservation,
}

impl<'m> Answer<'m> {
    /// An answer that may have so many bytes, before there are rows.
    pub(super) fn new(mutation: &'m Mutation, ending: Completion, limit: usize, memory: MemoryBudget) -> Answer<'m> {
        Answer { mutation, ending, limit, memory: memory.empty_reservation() }
    }

    /// What the rows are held in.
    pub(super) fn memory(&mut self) -> &mut Reservation {
        &mut self.memory
    }

    /// The answer of a mutation without steps.
    pub(super) fn empty(self) -> Result<Bytes, Error> {
        Ok(written(self.mutation, &[])?.into())
    }

    /// The answer, from the one row of each step.
    pub(super) fn written(mut self, rows: &[Vec<Row>]) -> Result<Bytes, Error> {
        let answer = written(self.mutation, rows).map_err(|error| done(error, self.ending))?;
        let answer = bounded(answer, self.ending, self.limit)?;
        let bytes = answer.capacity();
        if bytes > COVERED {
            // What was committed is answered, whether there is room or not: the rows had it, and go.
            self.memory.grow_to_unchecked(bytes);
        }
        Ok(self.memory.hold(answer))
    }
}

/// An answer that cannot be written after all. What was committed must not be run again, so its error is none of a database
/// that has changed.
fn done(error: Error, ending: Completion) -> Error {
    match (error, ending) {
        (Error::Database(DatabaseError::SchemaChanged(cause)), Completion::Commit) => {
            Error::Database(DatabaseError::Unreadable(cause))
        }
        (error, _) => error,
    }
}

/// What went wrong, and where: an alarm of the step, or what the database refuses.
pub(super) fn to_error(mutation: &Mutation, failed: TransactionError) -> Error {
    let step = match failed.when {
        FailurePoint::Step(place) => mutation.steps.get(place),
        _ => None,
    };
    match (failed.fault, failed.when) {
        (DatabaseError::Refused(refusal), FailurePoint::Begin) => {
            Error::Internal(format!("a transaction did not begin: {refusal}"))
        }
        (DatabaseError::Refused(refusal), _) => match step.and_then(|step| alarm(&step.statement, &refusal)) {
            Some(AssertionToken { cause: Cause::Limit { limit: ANSWER, value }, .. }) => {
                LimitExceeded::Answer(*value).into()
            }
            Some(alarm) => alarm.cause.clone().under(alarm.path.clone()).into(),
            None => Error::NotWritten { refusal, path: step.map_or("$".into(), |step| step.path.clone()) },
        },
        (fault, _) => Error::Database(fault),
    }
}

/// The alarm of a statement that a refusal tells of.
pub(super) fn alarm<'s>(statement: &'s Statement, refusal: &PostgresError) -> Option<&'s AssertionToken> {
    if refusal.sqlstate == "22P02" { statement.alarm(&refusal.message) } else { None }
}

/// What Postgres found short enough may still be longer as JSON. An error would say then that nothing was done, so what has
/// been committed is answered.
fn bounded(answer: Vec<u8>, ending: Completion, limit: usize) -> Result<Vec<u8>, Error> {
    match (answer.len() > limit, ending) {
        (true, Completion::Rollback) => Err(LimitExceeded::Answer(limit).into()),
        (true, Completion::Commit) => {
            tracing::warn!(bytes = answer.len(), limit, "the answer of a mutation is over the limit");
            Ok(answer)
        }
        (false, _) => Ok(answer),
    }
}

/// Writes the answer from the one row of each step.
fn written(mutation: &Mutation, rows: &[Vec<Row>]) -> Result<Vec<u8>, Error> {
    let mut out = b"{\"data\":".to_vec();
    for (place, step) in mutation.steps.iter().enumerate() {
        out.extend_from_slice(step.lead.as_bytes());
        part(step, rows.get(place).map_or(&[], Vec::as_slice), &mut out)?;
    }
    out.extend_from_slice(mutation.end.as_bytes());
    out.push(b'}');
    Ok(out)
}

fn part(step: &Step, rows: &[Row], out: &mut Vec<u8>) -> Result<(), Error> {
    match (&step.statement.shape.answer, rows) {
        // A statement that somebody wrote may return none.
        (Form::Part(None), _) => Ok(()),
        (Form::Part(Some(node)), [row]) => Ok(encode::row(node, &mut RowColumns::new(row), out)?),
        (Form::Part(Some(_)), rows) => Err(Error::Internal(format!("{} rows of a step that has one", rows.len()))),
        _ => Err(Error::Internal("a step that is no part of an answer".into())),
    }
}
