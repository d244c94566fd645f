//! Encodes the response of a mutation from the rows of its steps, and converts the errors of its
//! transaction. The statements run in [`super::execution`].

use bytes::Bytes;
use pg::memory::{MAX_COVERED_BYTES, MemoryBudget, Reservation};
use pg::{
    Completion, DatabaseError, FailurePoint, GivenValue, PostgresError, Row, RowColumns,
    TransactionError,
};
use sql::encode;
use sql::encode::shape::ResponseShape as Form;
use sql::graphql::variables::Variables;
use sql::model::update_operators::UpdateOperator;
use sql::statement::{AssertionToken, Mutation, RefusedValue, Statement, Step};
use sql::{Cause, RequestLimit};

use super::database_query::EncodedColumns;
use super::statements::failed_assertion;
use crate::error::Error;
use crate::limits::LimitExceeded;

/// Encodes the response of a mutation, `{"data":…}`, from the rows of its steps.
pub(super) struct MutationResponse<'m> {
    mutation: &'m Mutation,
    ending: Completion,
    limit: usize,
    memory: Reservation,
}

impl<'m> MutationResponse<'m> {
    /// Makes an encoder for a response of at most `limit` bytes.
    pub(super) fn new(
        mutation: &'m Mutation,
        ending: Completion,
        limit: usize,
        memory: MemoryBudget,
    ) -> MutationResponse<'m> {
        MutationResponse {
            mutation,
            ending,
            limit,
            memory: memory.empty_reservation(),
        }
    }

    /// The reservation for the rows.
    pub(super) fn memory(&mut self) -> &mut Reservation {
        &mut self.memory
    }

    /// Encodes the response of a mutation without steps.
    pub(super) fn empty(self) -> Result<Bytes, Error> {
        Ok(written(self.mutation, &[])?.into())
    }

    /// Encodes the response from the one row of each step.
    pub(super) fn written(mut self, rows: &[Vec<Row>]) -> Result<Bytes, Error> {
        let response =
            written(self.mutation, rows).map_err(|error| hide_schema_change(error, self.ending))?;
        let response_value = check_length(response, self.ending, self.limit)?;
        let bytes = response_value.capacity();
        if bytes > MAX_COVERED_BYTES {
            // A committed mutation is answered even if there is no memory: the rows already held as
            // much, and are dropped.
            self.memory.grow_to_unchecked(bytes);
        }
        Ok(self.memory.hold(response_value))
    }
}

/// Which step each statement of a transaction is a run of. Most steps run once.
pub(super) enum StepRuns {
    /// Each step runs once.
    Once,
    /// The steps of the runs, in order, and the number of steps.
    Several(Vec<usize>, usize),
}

impl StepRuns {
    /// The runs for these variables.
    pub(super) fn new(mutation: &Mutation, variables: &Variables) -> Result<StepRuns, Error> {
        if mutation.row_by_row.is_empty() {
            return Ok(StepRuns::Once);
        }
        let runs = mutation.runs(variables)?;
        Ok(StepRuns::Several(
            runs.iter().map(|run| run.step).collect(),
            mutation.steps.len(),
        ))
    }

    /// The step of each run, in order.
    pub(super) fn steps<'m>(&self, mutation: &'m Mutation) -> impl Iterator<Item = &'m Step> {
        let (once, several) = match self {
            StepRuns::Once => (mutation.steps.as_slice(), &[][..]),
            StepRuns::Several(steps, _) => (&[][..], steps.as_slice()),
        };
        once.iter()
            .chain(several.iter().filter_map(|step| mutation.steps.get(*step)))
    }

    /// The rows of each step, of those of each run. A step that runs several times returns nothing.
    pub(super) fn rows_by_step(&self, rows: Vec<Vec<Row>>) -> Vec<Vec<Row>> {
        let StepRuns::Several(steps, count) = self else {
            return rows;
        };
        let mut by_step = vec![Vec::new(); *count];
        for (step, rows) in steps.iter().zip(rows) {
            if let Some(of_step) = by_step.get_mut(*step) {
                *of_step = rows;
            }
        }
        by_step
    }

    /// The failure with the step in place of its run.
    pub(super) fn failure_by_step(&self, failed: TransactionError) -> TransactionError {
        match (self, failed.when) {
            (StepRuns::Several(steps, _), FailurePoint::Step(run)) => {
                let when = steps
                    .get(run)
                    .map_or(FailurePoint::End, |step| FailurePoint::Step(*step));
                TransactionError { when, ..failed }
            }
            _ => failed,
        }
    }
}

/// Converts an error of encoding. A committed mutation must not run again, so its error must not be
/// one that causes a retry after a reload.
fn hide_schema_change(error: Error, ending: Completion) -> Error {
    match (error, ending) {
        (Error::Database(DatabaseError::SchemaChanged(cause)), Completion::Commit) => {
            Error::Database(DatabaseError::Unreadable(cause))
        }
        (error, _) => error,
    }
}

/// Converts the error of a failed transaction: a failed assertion of the step, or a database error
/// with the step's path.
pub(super) fn to_error(mutation: &Mutation, failed: TransactionError) -> Error {
    let step = match failed.when {
        FailurePoint::Step(index) => mutation.steps.get(index),
        _ => None,
    };
    match (failed.fault, failed.when) {
        (DatabaseError::Refused(refusal), FailurePoint::Begin) => {
            Error::Internal(format!("a transaction did not begin: {refusal}"))
        }
        (DatabaseError::Refused(refusal), _) => {
            match step.and_then(|step| failed_assertion(&step.statement, &refusal)) {
                Some(AssertionToken {
                    cause:
                        Cause::Limit {
                            limit: RequestLimit::AnswerBytes,
                            value,
                        },
                    ..
                }) => LimitExceeded::Answer(*value).into(),
                Some(alarm) => alarm.cause.clone().under(alarm.path.clone()).into(),
                None => Error::NotWritten {
                    refusal,
                    path: step.map_or("$".into(), |step| step.path.clone()),
                },
            }
        }
        (fault, _) => Error::Database(fault),
    }
}

/// Names the value of the request that Postgres refuses, if the error tells which one it is.
pub(super) fn name_value(
    mut error: Error,
    statement: Option<&Statement>,
    variables: &Variables,
) -> Error {
    if let (Some(refusal), Some(statement)) = (error.refusal_mut(), statement) {
        let value = match refusal.parameter {
            Some(number) => {
                statement.refused_value(usize::from(number.get()), refusal.quoted(), variables)
            }
            None => {
                update_operator(refusal).and_then(|operator| statement.update_operand(operator))
            }
        };
        refusal.value =
            value.map(|RefusedValue { name, path }| Box::new(GivenValue { name, path }));
        // Without a value, a name that is unknown comes from stored rows. Extensions refuse stored
        // values, too.
        refusal.is_of_value &= refusal.sqlstate == "XX000" || statement.has_values();
    }
    error
}

/// The update operator that does not apply to a stored value, by the routine of Postgres that
/// computes it.
fn update_operator(refusal: &PostgresError) -> Option<UpdateOperator> {
    match &*refusal.routine {
        _ if refusal.is_nested => None,
        "jsonb_delete_idx" => Some(UpdateOperator::DeleteElem),
        "jsonb_delete" => Some(UpdateOperator::DeleteKey),
        "jsonb_delete_path" => Some(UpdateOperator::DeleteAtPath),
        _ => None,
    }
}

/// Checks the length of the response. Postgres checks its own measure of the rows, and JSON may be
/// longer. An error would say that nothing was changed, so a committed mutation is answered.
fn check_length(
    response_value: Vec<u8>,
    ending: Completion,
    limit: usize,
) -> Result<Vec<u8>, Error> {
    match (response_value.len() > limit, ending) {
        (true, Completion::Rollback) => Err(LimitExceeded::Answer(limit).into()),
        (true, Completion::Commit) => {
            tracing::warn!(
                bytes = response_value.len(),
                limit,
                "the response of a mutation is larger than the limit"
            );
            Ok(response_value)
        }
        (false, _) => Ok(response_value),
    }
}

/// Encodes the response from the one row of each step.
fn written(mutation: &Mutation, rows: &[Vec<Row>]) -> Result<Vec<u8>, Error> {
    let mut out = b"{\"data\":".to_vec();
    for (index, step) in mutation.steps.iter().enumerate() {
        out.extend_from_slice(step.lead.as_bytes());
        encode_step(step, rows.get(index).map_or(&[], Vec::as_slice), &mut out)?;
    }
    out.extend_from_slice(mutation.end.as_bytes());
    out.push(b'}');
    Ok(out)
}

fn encode_step(step: &Step, rows: &[Row], out: &mut Vec<u8>) -> Result<(), Error> {
    match (&step.statement.shape.response, rows) {
        // A statement from the REST map may return no row.
        (Form::Part(None), _) => Ok(()),
        (Form::Part(Some(node)), [row]) => {
            let mut columns = EncodedColumns(RowColumns::new(row));
            Ok(encode::row(node, &mut columns, out)?)
        }
        (Form::Part(Some(_)), rows) => Err(Error::Internal(format!(
            "{} rows of a step that has one",
            rows.len()
        ))),
        _ => Err(Error::Internal(
            "a step that is no part of an answer".into(),
        )),
    }
}
