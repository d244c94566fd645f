//! Functions of the database as GraphQL sees them: as root fields, and as computed fields of a table.

use crate::model::names::Spelling;
use crate::postgres::catalog::{FunctionId, Oid, TableId};

/// Which function field is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallId {
    /// The root field at that place of [`Model::routines`](super::Model::routines).
    Routine(u32),
    /// The computed field at that place of a table.
    Computed(TableId, u32),
}

/// A function as a root field.
#[derive(Clone, Debug)]
pub struct Routine {
    /// Its name in GraphQL.
    pub name: String,
    /// The name of its aggregate, where it returns rows of a table.
    pub aggregate: Option<String>,
    /// How it is called.
    pub callable: Callable,
    /// Whether it is a field of mutations rather than of queries.
    pub mutates: bool,
    /// Whether every role may call it that may read the table of its result.
    pub inferred: bool,
}

/// A function as a field of a table's rows.
#[derive(Clone, Debug)]
pub struct Computed {
    /// Its name in GraphQL.
    pub name: String,
    /// The name of its aggregate, where it returns rows of a table.
    pub aggregate: Option<String>,
    /// How it is called.
    pub callable: Callable,
}

/// How a function is called, and what it returns.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Which field it is.
    pub id: CallId,
    /// The function.
    pub function: FunctionId,
    /// What its arguments take, in the function's order.
    pub arguments: Vec<ArgumentSource>,
    /// What it returns.
    pub returns: Returns,
    /// The name of the input type that holds the given arguments: `f_args`.
    pub args: String,
    /// How fixed words are spelled in what belongs to it.
    pub spelling: Spelling,
}

/// What an argument of a function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentSource {
    /// The row that the field belongs to.
    Row,
    /// The caller's session.
    Session,
    /// What is given under this name.
    Given(String),
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// A value.
    Value(Oid),
    /// A list of values.
    Values(Oid),
    /// A row of a table, or null.
    Row(TableId),
    /// Rows of a table.
    Rows(TableId),
}

impl Callable {
    /// The arguments that are given by a request, with their places.
    pub fn given(&self) -> impl Iterator<Item = (usize, &str)> {
        self.arguments.iter().enumerate().filter_map(|(place, takes)| match takes {
            ArgumentSource::Given(name) => Some((place, name.as_str())),
            ArgumentSource::Row | ArgumentSource::Session => None,
        })
    }

    /// The table whose rows it returns.
    pub fn table(&self) -> Option<TableId> {
        match self.returns {
            Returns::Row(table) | Returns::Rows(table) => Some(table),
            Returns::Value(_) | Returns::Values(_) => None,
        }
    }
}
