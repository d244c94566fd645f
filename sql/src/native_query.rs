//! Native queries: parametrised SQL statements of the REST map, parsed into pieces. Tables, session values and parameters stand
//! apart from the text, so that [`Query::translate`] can put a role's view of each table in its place.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::error::{Cause, Error};
use crate::graphql::variables::{Template, VariablePath, Variables};
use crate::model::access::SessionValue;
use crate::postgres::catalog::{Oid, TableId};
use crate::postgres::types::{Input, Scalar};
use crate::statement::required_row::Requirement;
use crate::statement::{Operand, OperandRequirement, Parameter};

/// A statement as it was parsed. Its tables and parameters stand apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The SQL, in order.
    pub pieces: Vec<QueryFragment>,
    /// The names of its parameters, in the order in which they first come.
    pub parameters: Vec<String>,
    /// Those of them that need not be given, and are null then.
    pub optional: Vec<String>,
    /// So many of the pieces are its `WITH` clause, in which statements that write may stand.
    pub head: usize,
    /// Whether it calls a function of Postgres' own of which each call matters.
    pub volatile: bool,
    /// Whether it writes, or calls what may.
    pub writes: bool,
    /// Whether what Postgres may evaluate before a row rule may raise because of what is stored: then its tables stand
    /// behind a fence, so that nobody learns of rows that the rule hides.
    pub raises: bool,
    /// The types of the columns that are named there.
    pub compared: Vec<Oid>,
    /// Whether columns of different types may become one there.
    pub united: bool,
    /// The row that has to be visible first.
    pub requirement: Option<Requirement>,
}

/// A piece of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryFragment {
    /// SQL, written again from the parsed tree.
    Sql(String),
    /// A table in `FROM`.
    Table(TableId),
    /// A session value.
    Session(SessionValue),
    /// A parameter, by its place.
    Parameter(usize),
}

/// What Postgres is asked to prepare for a role, so that it says of which types everything is.
#[derive(Clone, Debug)]
pub struct UntypedStatement {
    /// The text.
    pub text: String,
    /// The place of each parameter of the statement among those of the text, counted from 0.
    pub places: Vec<usize>,
    /// Where in the text each piece of the statement begins.
    pub pieces: Vec<usize>,
}

/// Of which types a statement's parameters and columns are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    /// Those of its parameters, in their order.
    pub parameters: Vec<Oid>,
    /// The names and types of its columns.
    pub columns: Vec<(String, Oid)>,
}

/// Why a statement is none for a role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoleMismatch {
    /// A table of it is not granted.
    #[error("table `{0}` is not granted")]
    Denied(String),
    /// A table of it is granted, but not each of its rows by itself.
    #[error("the rows of table `{0}` are granted through aggregates or relations alone")]
    Unlisted(String),
    /// A parameter that is none of its text.
    #[error("parameter `{0}` stands nowhere in it")]
    Nowhere(String),
    /// Two columns of one name, of which an object has room for one.
    #[error("two columns are called `{0}`")]
    Twice(String),
}

impl Query {
    /// The values of its parameters. Whether they fit is asked when they are bound.
    ///
    /// Errors: one that is missing, one that it does not have.
    pub fn coerce(&self, given: &Arc<Map<String, Json>>) -> Result<Variables, Error> {
        let required = self.requirement.as_ref().map(|row| &row.parameter);
        let known = || self.parameters.iter().chain(required);
        let optional = |name: &String| self.optional.contains(name) && required != Some(name);
        if let Some(name) = known().find(|&name| !given.contains_key(name) && !optional(name)) {
            return Err(Cause::MissingVariable { name: name.clone() }.under("$"));
        }
        let names: Vec<String> = given.keys().filter(|&name| !known().any(|known| known == name)).cloned().collect();
        match names.is_empty() {
            true => Ok(Variables::new(given.clone(), Map::new())),
            false => Err(Cause::UnexpectedVariables { names }.under("$")),
        }
    }
}

/// The parameter of that name, which may be null or not; of any type, until its own is known.
pub(crate) fn parameter(name: &str, scalar: Option<&Scalar>, optional: bool) -> Parameter {
    let (input, expected) = match scalar {
        Some(scalar) => (scalar.input.clone(), scalar.name.as_str()),
        None => (Input::Other, ""),
    };
    let (need, expected) = match optional {
        true => (OperandRequirement::Nullable(input), expected.to_owned()),
        false => (OperandRequirement::Value(input), format!("{expected}!")),
    };
    let value = Template::Variable(VariablePath::variable(name));
    let (name, path) = (name.to_owned(), format!("$.variables.{name}"));
    Parameter::Request(Arc::new(Operand { name, path, value, need, expected }))
}
