//! Native queries: parametrised SQL statements of the REST map, parsed into pieces. Tables, session
//! values and parameters stand apart from the text, so that [`Query::translate`] can put a role's
//! view of each table in its place.
//!
//! Each table becomes a subquery of the caller's granted columns, masks included, under the row
//! rule. A column that is not granted does not exist in the statement, so Postgres refuses it when
//! the map is loaded. If a condition or a computed expression is more than a comparison of columns
//! and values, the tables stand behind `OFFSET 0`.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::error::{Cause, Error};
use crate::graphql::variables::{Template, VariablePath, Variables};
use crate::model::access::SessionValue;
use crate::postgres::catalog::{Oid, TableId};
use crate::postgres::types::{Input, Scalar};
use crate::statement::required_row::Requirement;
use crate::statement::{Operand, OperandRequirement, Parameter};

/// A parsed statement, with its tables and parameters separated from the SQL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The fragments of the statement, in order.
    pub pieces: Vec<QueryFragment>,
    /// The parameter names, in order of first use.
    pub parameters: Vec<String>,
    /// The parameters that may be omitted; an omitted one is null.
    pub optional: Vec<String>,
    /// The number of leading fragments that form the `WITH` clause, in which data-modifying
    /// statements are allowed.
    pub head: usize,
    /// Whether the statement calls a volatile function of Postgres' own.
    pub volatile: bool,
    /// Whether the statement writes, or calls a function that may write.
    pub writes: bool,
    /// Whether an expression that Postgres may evaluate before a row rule can raise an error that
    /// depends on stored values. The tables are then read behind an optimization fence, so that the
    /// error discloses nothing about hidden rows.
    pub can_raise: bool,
    /// The types of the columns that the statement names where Postgres may evaluate them before a
    /// row rule: comparing columns of different types may involve an implicit cast that raises an
    /// error.
    pub compared: Vec<Oid>,
    /// Whether `UNION`, `VALUES` or the like may combine such columns of different types into one.
    pub unifies_types: bool,
    /// The row that must be visible to the caller first.
    pub requirement: Option<Requirement>,
}

/// A fragment of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryFragment {
    /// SQL, deparsed from the parsed tree.
    Sql(String),
    /// A table in `FROM`.
    Table(TableId),
    /// A session value.
    Session(SessionValue),
    /// A parameter, by its index.
    Parameter(usize),
}

/// A statement that Postgres prepares for a role to infer the types of parameters and columns.
#[derive(Clone, Debug)]
pub struct UntypedStatement {
    /// The SQL text.
    pub text: String,
    /// The index of each of the query's parameters among the parameters of the text, counted from
    /// 0.
    pub places: Vec<usize>,
    /// The byte offset at which each fragment starts in the text.
    pub pieces: Vec<usize>,
}

/// The types of a statement's parameters and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    /// The types of the parameters, in order.
    pub parameters: Vec<Oid>,
    /// The names and types of the columns.
    pub columns: Vec<(String, Oid)>,
}

/// Why a role cannot execute a statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoleMismatch {
    /// A table of the statement is not granted.
    #[error("table `{0}` is not granted")]
    Denied(String),
    /// A table of the statement is granted, but its rows may not be listed.
    #[error("the rows of table `{0}` are granted through aggregates or relations alone")]
    NotListable(String),
    /// A declared parameter that does not occur in the text.
    #[error("parameter `{0}` stands nowhere in it")]
    UnusedParameter(String),
    /// Two columns with the same name, which a JSON object cannot both contain.
    #[error("two columns are called `{0}`")]
    DuplicateColumn(String),
}

impl Query {
    /// Collects the values of the query's parameters. Their types are checked when they are bound.
    ///
    /// Errors: a required parameter is missing, or an unknown one is present.
    pub fn coerce(&self, given: &Arc<Map<String, Json>>) -> Result<Variables, Error> {
        let required = self.requirement.as_ref().map(|row| &row.parameter);
        let known = || self.parameters.iter().chain(required);
        let optional = |name: &String| self.optional.contains(name) && required != Some(name);
        if let Some(name) = known().find(|&name| !given.contains_key(name) && !optional(name)) {
            return Err(Cause::MissingVariable { name: name.clone() }.under("$"));
        }
        let names: Vec<String> = given
            .keys()
            .filter(|&name| !known().any(|known| known == name))
            .cloned()
            .collect();
        if names.is_empty() {
            Ok(Variables::new(given.clone(), Map::new()))
        } else {
            Err(Cause::UnexpectedVariables { names }.under("$"))
        }
    }
}

/// The parameter with that name, nullable if it is optional. Without a scalar it accepts any type
/// until types are inferred.
pub(crate) fn parameter(name: &str, scalar: Option<&Scalar>, optional: bool) -> Parameter {
    let (input, expected) = match scalar {
        Some(scalar) => (scalar.input.clone(), scalar.name.as_str()),
        None => (Input::Other, ""),
    };
    let (need, expected) = if optional {
        (OperandRequirement::Nullable(input), expected.to_owned())
    } else {
        (OperandRequirement::Value(input), format!("{expected}!"))
    };
    let value = Template::Variable(VariablePath::variable(name));
    let (name, path) = (name.to_owned(), format!("$.variables.{name}"));
    Parameter::Request(Arc::new(Operand {
        name,
        path,
        value,
        requirement: need,
        expected: expected.into(),
    }))
}
