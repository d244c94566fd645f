//! A mutation ready to be run: statements in order, all in one transaction.

use super::Statement;
use crate::error::Cause;

/// The statements of one mutation. All are sent at once and awaited in order; one that needs what an earlier one found
/// reads it from a setting of the transaction.
#[derive(Debug)]
pub struct Mutation {
    /// The statements.
    pub steps: Vec<Step>,
    /// What is written after the last of them: the end of the answer's object.
    pub end: Box<str>,
}

/// A statement of a mutation and its part of the answer. It returns one row, whose columns its shape consumes
/// ([`crate::encode::shape::Answer::Part`]).
#[derive(Debug)]
pub struct Step {
    /// What is written of the answer before its own part: keys, constants, brackets.
    pub lead: Box<str>,
    /// The statement.
    pub statement: Statement,
    /// The field's place in the request, for errors of the database: `$.selectionSet.insert_users.args.objects`.
    pub path: String,
}

/// Something that makes a statement fail when it is not so: SQL that, in the other case, turns a word into a boolean
/// (docs/decisions/0030). The word is found in Postgres' message and goes no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionToken {
    /// The word: a parameter of the statement, which nobody can guess.
    pub word: String,
    /// What it means.
    pub cause: Cause,
    /// The place in the request.
    pub path: String,
}

/// What an alarm's [`Cause::Limit`] is a limit on.
pub const ANSWER: &str = "bytes of the answer";

/// What the [`Cause::Limit`] is a limit on where a list within a row is too long to be built.
pub const LIST: &str = "bytes of the lists in a row";

impl Statement {
    /// The alarm that a message of Postgres' with SQLSTATE 22P02 tells of.
    pub fn alarm(&self, message: &str) -> Option<&AssertionToken> {
        self.alarms.iter().find(|alarm| message.contains(&alarm.word))
    }
}
