//! Rows that a request gives to be inserted: which they are, and their columns as parameters, one array for each.
//!
//! The text of a statement says nothing of how many rows there are, so they are found again for every request, in
//! [`resolved_rows`].

use std::fmt::Write;
use std::sync::Arc;

use super::{ValueBudget, misfit};
use crate::error::{Cause, Error};
use crate::graphql::variables::{Template, Variables};
use crate::postgres::types::Input;

mod resolved_rows;

pub(super) use resolved_rows::ResolvedRows;
use resolved_rows::{Level, RowBatch};

/// Rows of one table of which the same is given, at one place of an argument. Rows of nested inserts are found under
/// their relations, from one list to the next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GivenRows {
    /// The argument: a row, or a list of rows.
    pub value: Arc<Template>,
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
    /// All names here of which it decides nothing whether they are given: relations whose rows go after, and columns
    /// for which null and nothing are the same.
    pub free: Vec<String>,
    /// The names under which the objects of the way's last relation may say what happens to rows that are there
    /// already. They all have to say the same.
    pub on_conflict: Vec<String>,
}

/// A column of given rows, as one parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RowsParameter {
    /// The values of a column: an array with an element for each row, in their order. Null stays null, as does what is
    /// not given. Elements are separated by commas, whatever the type.
    Column(GivenColumn),
    /// The column's value in the only row ([`GivenRows::is_single`]); null is null.
    Value(GivenColumn),
    /// `int8[]`: the number of each row among all rows at its place, whatever is given of them, from 1.
    Number,
    /// `int8[]`: the number of the row, one step up the way, that it comes with, from 1. Only for rows with a way.
    Parent,
}

/// A column as rows give it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GivenColumn {
    /// The key that it has in the rows.
    pub key: String,
    /// What fits the column.
    pub input: Input,
    /// Its type, as GraphQL writes it.
    pub expected: String,
}

impl GivenColumn {
    /// Whether many values travel as `text[]`, to be cast one by one: an array of the type would have more dimensions, or
    /// another separator, or be read by no cast.
    pub fn travels_as_text(&self) -> bool {
        fn is_text(input: &Input) -> bool {
            match input {
                Input::Array(_) | Input::Vector | Input::Delimited(_) | Input::GeoJson { .. } | Input::Raster => true,
                Input::Loose(inner) => is_text(inner),
                _ => false,
            }
        }
        is_text(&self.input)
    }
}

impl GivenRows {
    /// Whether it is one row at most, by the types: then a column is one value and not an array of values.
    pub fn is_single(&self) -> bool {
        !self.list && self.way.iter().all(|(_, list)| !list)
    }

    /// Their place in the request, whichever rows they come with: `$.selectionSet.insert_users.args.objects.orders.data`.
    pub fn place(&self) -> String {
        self.way.iter().fold(self.path.clone(), |path, (relation, _)| format!("{path}.{relation}.data"))
    }

    /// Refuses values that do not fit, and what is not said the same way everywhere.
    pub(crate) fn check<'p>(
        level: Option<&'p GivenRows>,
        columns: impl Iterator<Item = (&'p GivenRows, &'p RowsParameter)>,
        variables: &'p Variables,
        room: &mut ValueBudget,
    ) -> Result<(), Error> {
        let mut found = ResolvedRows::within(*room);
        for (rows, what) in level.map(|rows| (rows, &RowsParameter::Number)).into_iter().chain(columns) {
            room.take(rows.bind(what, variables, &mut found)?.as_deref())?;
        }
        Ok(())
    }

    /// The parameter in Postgres' text form: an array, or the value of a single row.
    pub(super) fn bind<'a>(
        &'a self,
        what: &RowsParameter,
        variables: &'a Variables,
        found: &mut ResolvedRows<'a>,
    ) -> Result<Option<String>, Error> {
        let (level, pick) = found.pick(self, variables)?;
        match what {
            RowsParameter::Column(column) => self.column(&level, &pick, column, variables).map(Some),
            RowsParameter::Value(column) => self.value(&level, &pick, column, variables),
            RowsParameter::Number => Ok(Some(numbers(pick.rows.iter().map(|row| row + 1)))),
            RowsParameter::Parent => Ok(Some(numbers(level.parents(&pick).map(|row| row + 1)))),
        }
    }

    fn column<'a>(
        &self,
        level: &Level<'a>,
        pick: &RowBatch,
        column: &GivenColumn,
        variables: &'a Variables,
    ) -> Result<String, Error> {
        let mut text = String::with_capacity(2 + 16 * pick.rows.len());
        text.push('{');
        for (place, (row, value)) in level.values(pick, &column.key, variables).enumerate() {
            if place > 0 {
                text.push(',');
            }
            match value {
                Some(value) if !value.is_null() => {
                    column.input.element(&value, &mut text).map_err(|found| {
                        let cause = misfit(&column.key, &column.expected, Some(&column.input), &value, found);
                        self.error(level, row, column, cause)
                    })?;
                }
                _ => text.push_str("NULL"),
            }
        }
        text.push('}');
        Ok(text)
    }

    fn value<'a>(
        &self,
        level: &Level<'a>,
        pick: &RowBatch,
        column: &GivenColumn,
        variables: &'a Variables,
    ) -> Result<Option<String>, Error> {
        match level.values(pick, &column.key, variables).next() {
            Some((row, Some(value))) if !value.is_null() => column.input.text(&value).map(Some).map_err(|found| {
                let cause = misfit(&column.key, &column.expected, Some(&column.input), &value, found);
                self.error(level, row, column, cause)
            }),
            _ => Ok(None),
        }
    }

    fn error(&self, level: &Level<'_>, row: u32, column: &GivenColumn, cause: Cause) -> Error {
        cause.under(format!("{}.{}", level.path(self, row), column.key))
    }
}

/// `{1,2,3}`
fn numbers(numbers: impl Iterator<Item = u32>) -> String {
    let mut text = String::from("{");
    for (place, number) in numbers.enumerate() {
        let _ = write!(text, "{}{number}", if place > 0 { "," } else { "" });
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests;
