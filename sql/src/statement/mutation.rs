//! A mutation ready to be executed: an ordered list of statements that run in one transaction, and
//! the assertions that may abort it.
//!
//! A failed assertion casts a random text to `boolean`, and Postgres' error contains that text. No
//! client can guess it, so a message from elsewhere is never taken for a failed check:
//!
//! ```sql
//! (CASE WHEN (condition) IS TRUE THEN 't' ELSE (SELECT $1::text) END)::bool
//! ```
//!
//! The cast stands outside of the `CASE` and the token comes from a subquery, so that Postgres does
//! not evaluate them while it plans. Once the gateway has sent the end of the transaction, a write
//! cannot be undone; so limits on responses are such assertions too, approximate ones, because
//! Postgres' binary form and JSON differ in length.

use super::{LevelSteps, RowLimits, SettingsStatement, Statement};
use crate::error::Cause;

/// The statements of one mutation. All are sent at once and their results awaited in order; a
/// statement that needs a result of an earlier one reads it from a setting of the transaction.
#[derive(Debug)]
pub struct Mutation {
    /// The statements.
    pub steps: Vec<Step>,
    /// The inserts whose steps run for one row after another.
    pub row_by_row: Vec<LevelSteps>,
    /// The limits on the rows that are inserted.
    pub row_limits: RowLimits,
    /// The text written after the part of the last step: the end of the response object.
    pub end: Box<str>,
    /// The statement that sets the settings under which the planner has to look at the steps, if
    /// they hold for reads, too. The transaction itself has a step for them.
    pub settings: Option<Box<SettingsStatement>>,
}

/// A statement of a mutation and its part of the response. It returns one row, whose columns its
/// shape consumes ([`crate::encode::shape::Answer::Part`]).
#[derive(Debug)]
pub struct Step {
    /// The response text written before the step's own part: keys, constants, brackets.
    pub lead: Box<str>,
    /// The statement.
    pub statement: Statement,
    /// The path of the field in the request, for database errors:
    /// `$.selectionSet.insert_users.args.objects`.
    pub path: String,
}

/// An assertion inside a statement: SQL that casts a word to boolean if the asserted condition does
/// not hold, so that the statement fails, see above. The word is found in Postgres' error message
/// and is not passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionToken {
    /// The word: a parameter of the statement that a client cannot guess.
    pub token: String,
    /// The cause that the failed assertion reports.
    pub cause: Cause,
    /// The path in the request.
    pub path: String,
}

impl Statement {
    /// Finds the assertion whose failure caused a Postgres error message with SQLSTATE 22P02.
    pub fn alarm(&self, message: &str) -> Option<&AssertionToken> {
        self.assertions
            .iter()
            .find(|alarm| message.contains(&alarm.token))
    }
}
