//! Database functions exposed in GraphQL: as root fields, and as computed fields of a table.

use crate::model::names::Spelling;
use crate::postgres::catalog::{FunctionId, Oid, TableId};

/// Identifies a function field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallId {
    /// The root field at that index of [`Model::routines`](super::Model::routines).
    Routine(u32),
    /// The computed field of a table at that index.
    Computed(TableId, u32),
}

/// A function exposed as a root field.
#[derive(Clone, Debug)]
pub struct Routine {
    /// The name in GraphQL.
    pub name: String,
    /// The name of the aggregate root field, if the function returns rows of a table.
    pub aggregate: Option<String>,
    /// The function and its arguments.
    pub callable: Callable,
    /// Whether it is a mutation field rather than a query field.
    pub mutates: bool,
    /// Whether every role that may read the result's table may call it.
    pub inferred: bool,
}

/// A function exposed as a field of a table's rows.
#[derive(Clone, Debug)]
pub struct Computed {
    /// The name in GraphQL.
    pub name: String,
    /// The name of the aggregate field, if the function returns rows of a table.
    pub aggregate: Option<String>,
    /// The function and its arguments.
    pub callable: Callable,
}

/// A function, its arguments and its result.
#[derive(Clone, Debug)]
pub struct Callable {
    /// The field that calls it.
    pub id: CallId,
    /// The function.
    pub function: FunctionId,
    /// The source of each argument, in the function's order.
    pub arguments: Vec<ArgumentSource>,
    /// The result.
    pub returns: Returns,
    /// The name of the input type for the arguments: `f_args`.
    pub args: String,
    /// How fixed words are spelled in its arguments and its input type.
    pub spelling: Spelling,
}

/// The source of a function's argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentSource {
    /// The row that the field belongs to.
    Row,
    /// The caller's session.
    Session,
    /// The request's argument of this name.
    Given(String),
}

/// The result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// One value.
    Value(Oid),
    /// A list of values.
    Values(Oid),
    /// A row of a table, or null.
    Row(TableId),
    /// Rows of a table.
    Rows(TableId),
}

impl Callable {
    /// The arguments that requests supply, with their positions.
    pub fn given(&self) -> impl Iterator<Item = (usize, &str)> {
        self.arguments
            .iter()
            .enumerate()
            .filter_map(|(index, takes)| match takes {
                ArgumentSource::Given(name) => Some((index, name.as_str())),
                ArgumentSource::Row | ArgumentSource::Session => None,
            })
    }

    /// The table whose rows the function returns.
    pub fn table(&self) -> Option<TableId> {
        match self.returns {
            Returns::Row(table) | Returns::Rows(table) => Some(table),
            Returns::Value(_) | Returns::Values(_) => None,
        }
    }
}
