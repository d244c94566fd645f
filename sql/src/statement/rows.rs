//! Rows that a request gives to be inserted: which they are, and their columns as parameters, one array for each.
//!
//! The text of a statement says nothing of how many rows there are, so they are found again for every request.

use crate::error::Error;
use crate::types::Input;
use crate::variables::{Template, Variables};

/// Rows of one table of which the same is given, at one place of an argument. Rows of nested inserts are found under
/// their relations, from one list to the next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GivenRows {
    /// The argument: a row, or a list of rows.
    pub value: Template,
    /// Its place in the request: `$.selectionSet.insert_users.args.objects`.
    pub path: String,
    /// Whether the argument is a list by its type; an item's place then has its number, from 0.
    pub list: bool,
    /// The relations that lead from the argument's rows to these, each with whether it leads to a list. Under each lies
    /// an object whose `data` has the rows.
    pub way: Vec<(String, bool)>,
    /// What is given of these rows and of no others: names of columns, and of relations whose rows go before. A relation
    /// that is null counts as not given.
    pub keys: Vec<String>,
    /// All names of relations here whose rows go before.
    pub before: Vec<String>,
    /// All names of relations here whose rows go after: whether they are given decides nothing.
    pub after: Vec<String>,
}

/// A column of given rows, as one parameter: an array with an element for each row, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RowsParameter {
    /// The values of a column. Null stays null.
    Column {
        /// The key that it has in the rows.
        key: String,
        /// What fits the column.
        input: Input,
        /// Its type, as GraphQL writes it.
        expected: String,
    },
    /// `int8[]`: the number of each row among all rows at its place, whatever is given of them, from 1.
    Number,
    /// `int8[]`: the number of the row, one step up the way, that it comes with, from 1. Only for rows with a way.
    Parent,
}

impl GivenRows {
    /// The array of a column, in Postgres' text form.
    pub(super) fn bind(&self, _what: &RowsParameter, _variables: &Variables) -> Result<String, Error> {
        Ok("{}".into())
    }
}
