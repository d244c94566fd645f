//! Input rows of inserts: which rows form a batch, and their columns as array parameters, one for
//! each column.
//!
//! The statement's text does not depend on the number of rows, so [`resolved_rows`] collects the
//! rows again for each request.
//!
//! The text depends on the distinct sets of keys in the rows, in the order of their first
//! appearance, and not on values, nulls or the number of rows: inserts of 1 row and of 1,000 rows
//! with the same keys share a plan. For a column without a default, a missing key and null are the
//! same.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use serde_json::Value as Json;

use super::refused_value::RefusedValue;
use super::{ValueBudget, misfit};
use crate::error::{Cause, Error};
use crate::graphql::variables::{Template, Variables};
use crate::postgres::types::Input;

mod resolved_rows;

pub(super) use resolved_rows::ResolvedRows;
use resolved_rows::{Level, RowBatch};

/// The rows of one table at one position of an argument that have the same keys. Rows of nested
/// inserts are collected under their relations, from one list to the next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GivenRows {
    /// The argument: a row, or a list of rows.
    pub value: Arc<Template>,
    /// The argument's path in the request: `$.selectionSet.insert_users.args.objects`.
    pub path: String,
    /// Whether the argument is a list by its type; the path of an item then contains its index,
    /// from 0.
    pub list: bool,
    /// The relations from the argument's rows to these rows, each with whether it is a list. The
    /// value of each relation is an object whose `data` contains the rows.
    pub relations: Vec<(String, bool)>,
    /// The keys that exactly these rows have: names of columns, and of relations whose rows are
    /// inserted first. A relation whose value is null counts as absent.
    pub keys: Vec<String>,
    /// All relations of the level whose rows are inserted first.
    pub before: Vec<String>,
    /// The keys whose presence does not distinguish batches: relations whose rows are inserted
    /// later, and columns for which null and an absent key mean the same.
    pub free: Vec<String>,
    /// The keys of the last relation's objects that may contain `on_conflict`. Its value must be
    /// equal in all objects.
    pub on_conflict: Vec<String>,
}

/// A parameter made from input rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RowsParameter {
    /// The values of a column: an array with one element for each row, in order. An element is NULL
    /// if the value is null or absent. Elements are separated by commas for every type.
    Column(GivenColumn),
    /// The column's value in the only row ([`GivenRows::is_single`]); null stays null.
    Value(GivenColumn),
    /// `int8[]`: the number of each row among all rows at its position, whatever their keys, from
    /// 1.
    Number,
    /// `int8[]`: the number of the parent row of each row, from 1. Only for nested rows.
    Parent,
}

/// A column of input rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GivenColumn {
    /// The column's key in the rows.
    pub key: String,
    /// The accepted input of the column.
    pub input: Input,
    /// The column's type in GraphQL notation.
    pub expected: String,
}

impl GivenColumn {
    /// Whether multiple values are sent as `text[]` and cast one by one: an array of the type would
    /// have more dimensions or another separator, or no cast could read it.
    pub fn travels_as_text(&self) -> bool {
        fn is_text(input: &Input) -> bool {
            match input {
                Input::Array(_)
                | Input::Vector
                | Input::Delimited(_)
                | Input::GeoJson { .. }
                | Input::Raster => true,
                Input::Loose(inner) => is_text(inner),
                Input::Limited(limited) => is_text(&limited.0),
                _ => false,
            }
        }
        is_text(&self.input)
    }
}

impl GivenRows {
    /// Whether there is at most one row by the types. A column is then sent as one value instead of
    /// an array.
    pub fn is_single(&self) -> bool {
        !self.list && self.relations.iter().all(|(_, list)| !list)
    }

    /// The path of these rows in the request, without indexes:
    /// `$.selectionSet.insert_users.args.objects.orders.data`.
    pub fn path(&self) -> String {
        self.relations
            .iter()
            .fold(self.path.clone(), |path, (relation, _)| {
                format!("{path}.{relation}.data")
            })
    }

    /// Rejects values that do not fit their columns, and `on_conflict` values that differ within a
    /// level.
    pub(crate) fn check<'p>(
        level: Option<&'p GivenRows>,
        columns: impl Iterator<Item = (&'p GivenRows, &'p RowsParameter)>,
        variables: &'p Variables,
        budget: &mut ValueBudget,
    ) -> Result<(), Error> {
        let mut resolved = ResolvedRows::within(*budget);
        for (rows, parameter) in level
            .map(|rows| (rows, &RowsParameter::Number))
            .into_iter()
            .chain(columns)
        {
            budget.take(rows.bind(parameter, variables, &mut resolved)?.as_deref())?;
        }
        Ok(())
    }

    /// Binds the parameter in Postgres' text format: an array, or the value of a single row.
    pub(super) fn bind<'a>(
        &'a self,
        parameter: &RowsParameter,
        variables: &'a Variables,
        resolved: &mut ResolvedRows<'a>,
    ) -> Result<Option<String>, Error> {
        let (level, pick) = resolved.pick(self, variables)?;
        match parameter {
            RowsParameter::Column(column) => {
                self.column(&level, &pick, column, variables).map(Some)
            }
            RowsParameter::Value(column) => self.value(&level, &pick, column, variables),
            RowsParameter::Number => {
                let first = resolved.first_row();
                Ok(Some(numbers(pick.rows.iter().map(|row| row - first + 1))))
            }
            RowsParameter::Parent => {
                let first = resolved.first_parent(&level);
                Ok(Some(numbers(
                    level.parents(&pick).map(|row| row - first + 1),
                )))
            }
        }
    }

    /// The value of a column that Postgres refuses: that of the only row with a value, or of the
    /// only row whose value contains `quoted`. Without such a row the path is that of all rows.
    pub(super) fn refused_value(
        &self,
        column: &GivenColumn,
        quoted: Option<&str>,
        variables: &Variables,
    ) -> RefusedValue {
        let mut resolved = ResolvedRows::within(ValueBudget::default());
        let path = resolved
            .pick(self, variables)
            .ok()
            .and_then(|(level, pick)| {
                let values = level.values(&pick, &column.key, variables);
                let text = |value: Option<Cow<'_, Json>>| {
                    let value = value?;
                    column.input.text(&value).ok()
                };
                let given: Vec<(u32, String)> = values
                    .filter_map(|(row, value)| Some((row, text(value)?)))
                    .collect();
                let is_refused = |text: &str| quoted.is_some_and(|quoted| text.contains(quoted));
                let mut refused = given
                    .iter()
                    .filter(|(_, text)| given.len() == 1 || is_refused(text));
                match (refused.next(), refused.next()) {
                    (Some((row, _)), None) => {
                        Some(format!("{}.{}", level.path(self, *row), column.key))
                    }
                    _ => None,
                }
            });
        RefusedValue {
            name: column.key.clone(),
            path: path.unwrap_or_else(|| self.path()),
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
        for (index, (row, value)) in level.values(pick, &column.key, variables).enumerate() {
            if index > 0 {
                text.push(',');
            }
            match value {
                Some(value) if !value.is_null() => {
                    column.input.element(&value, &mut text).map_err(|found| {
                        let cause = misfit(
                            &column.key,
                            column.expected.as_str().into(),
                            Some(&column.input),
                            &value,
                            found,
                        );
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
            Some((row, Some(value))) if !value.is_null() => {
                column.input.text(&value).map(Some).map_err(|found| {
                    let cause = misfit(
                        &column.key,
                        column.expected.as_str().into(),
                        Some(&column.input),
                        &value,
                        found,
                    );
                    self.error(level, row, column, cause)
                })
            }
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
    for (index, number) in numbers.enumerate() {
        let _ = write!(text, "{}{number}", if index > 0 { "," } else { "" });
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests;
