//! Named SQL: a parametrised statement of the rest map, whose tables are opened for whoever asks, as those of a document
//! are. It names no user and no role; [`Query::draft`] is what Postgres types, [`Query::translate`] what is run.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::access::{Access, SessionValue};
use crate::catalog::{Oid, TableId};
use crate::error::{Cause, Error};
use crate::plan::{self, Body, Denied};
use crate::requirement::Requirement;
use crate::resolve::Options;
use crate::selection::Required;
use crate::shape::{Answer, Field, Key, Node, Shape};
use crate::statement::{Need, Operand, Parameter};
use crate::types::{Input, Scalar};
use crate::variables::{Place, Structure, Template, Variables};
use crate::{Answered, Translation, render};

/// A statement as it was parsed. Its tables and parameters stand apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The SQL, in order.
    pub pieces: Vec<Piece>,
    /// The names of its parameters, in the order in which they first come.
    pub parameters: Vec<String>,
    /// Whether a condition may raise because of what is stored: then its tables stand behind a fence, so that nobody
    /// learns of rows that a rule hides.
    pub raises: bool,
    /// The row that has to be visible first.
    pub requirement: Option<Requirement>,
}

/// A piece of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
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
pub struct Draft {
    /// The text.
    pub text: String,
    /// The place of each parameter of the statement among those of the text, counted from 0.
    pub places: Vec<usize>,
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
pub enum Unfit {
    /// A table of it is not granted.
    #[error("a table that is not granted")]
    Denied,
    /// Two columns of one name, of which an object has room for one.
    #[error("two columns are called `{0}`")]
    Twice(String),
}

impl From<Denied> for Unfit {
    fn from(_: Denied) -> Unfit {
        Unfit::Denied
    }
}

impl Query {
    /// The statement for a role, its parameters of no type: `SELECT "s"."id" FROM (SELECT … FROM t AS _0 WHERE rule) AS "s"
    /// WHERE "s"."x" = $1`. A column that is not granted is not there, so Postgres refuses a statement that names it.
    pub fn draft(&self, access: &Access, options: Options) -> Result<Draft, Unfit> {
        let named = plan::named(access, self, None, options)?;
        let nothing = Shape { answer: Answer::Row(Vec::new()) };
        let statement = render::render(access, &Body::Named(Box::new(named)), nothing);
        let place = |name: &String| {
            let is_it = |of: &Parameter| matches!(of, Parameter::Request(operand) if operand.name == *name);
            statement.parameters.iter().position(is_it).unwrap_or_default()
        };
        Ok(Draft { places: self.parameters.iter().map(place).collect(), text: statement.text })
    }

    /// What is run for a role: the rows, as a list under a key.
    pub fn translate(&self, access: &Access, types: &Types, key: &str, options: Options) -> Result<Translation, Unfit> {
        let named = plan::named(access, self, Some(types), options)?;
        let mut fields: Vec<Field> = Vec::new();
        for (name, output) in named.columns.iter().zip(&named.outputs) {
            let field = Field { key: Key::new(name), node: Node::Value(output.encoder.clone()) };
            if fields.iter().any(|known| known.key == field.key) {
                return Err(Unfit::Twice(name.clone()));
            }
            fields.push(field);
        }
        let shape = Shape { answer: Answer::Rows { key: Key::new(key), row: Node::Object(fields) } };
        let body = Body::Named(Box::new(named));
        let statement = match &self.requirement {
            None => render::render(access, &body, shape),
            Some(row) => {
                let catalog = access.model().catalog();
                let key = Parameter::Request(Arc::new(row.operand(catalog)));
                let required = Required::new(catalog, row.table, row.column, key);
                let before = plan::before(access, &required, options)?;
                render::after(access, &before, &options.cursors.word(), &body, shape)
            }
        };
        let roots = vec![(key.to_owned(), false)];
        Ok(Translation { answer: Answered::Statement(Box::new(statement)), roots, structure: Structure::default() })
    }

    /// The values of its parameters. Whether they fit is asked when they are bound.
    ///
    /// Errors: one that is missing, one that it does not have.
    pub fn coerce(&self, given: &Arc<Map<String, Json>>) -> Result<Variables, Error> {
        let known = || self.parameters.iter().chain(self.requirement.as_ref().map(|row| &row.parameter));
        if let Some(name) = known().find(|&name| !given.contains_key(name)) {
            return Err(Cause::MissingVariable { name: name.clone() }.under("$"));
        }
        let names: Vec<String> = given.keys().filter(|&name| !known().any(|known| known == name)).cloned().collect();
        match names.is_empty() {
            true => Ok(Variables::new(given.clone(), Map::new())),
            false => Err(Cause::UnexpectedVariables { names }.under("$")),
        }
    }
}

/// The parameter of that name; of any type, until its own is known.
pub(crate) fn parameter(name: &str, scalar: Option<&Scalar>) -> Parameter {
    let (input, expected) = match scalar {
        Some(scalar) => (scalar.input.clone(), scalar.name.clone()),
        None => (Input::Other, String::new()),
    };
    let value = Template::Variable(Place::variable(name));
    let (name, path) = (name.to_owned(), format!("$.variables.{name}"));
    Parameter::Request(Arc::new(Operand { name, path, value, need: Need::Nullable(input), expected }))
}
