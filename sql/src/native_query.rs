//! Named SQL: a parametrised statement of the rest map, whose tables are opened for whoever asks, as those of a document
//! are. It names no user and no role; [`Query::draft`] is what Postgres types, [`Query::translate`] what is run: one that
//! reads as a query, one that writes as a mutation.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value as Json};

use crate::encode::shape::{Answer, Field, Key, Node, Shape};
use crate::error::{Cause, Error};
use crate::graphql::variables::{Template, VariableFingerprint, VariablePath, Variables};
use crate::model::access::{Access, SessionValue};
use crate::plan::{self, PlanBody};
use crate::postgres::catalog::{Oid, TableId};
use crate::postgres::types::{Input, Scalar};
use crate::resolve::Options;
use crate::resolve::selection::Required;
use crate::statement::required_row::Requirement;
use crate::statement::{Mutation, Operand, OperandRequirement, Parameter};
use crate::{Translation, TranslationKind, render};

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
    /// The statement for a role, its parameters of no type: `SELECT "s"."id" FROM (SELECT … FROM t AS _0 WHERE rule) AS "s"
    /// WHERE "s"."x" = $1`. A column that is not granted is not there, so Postgres refuses a statement that names it.
    pub fn draft(&self, access: &Access, options: Options) -> Result<UntypedStatement, RoleMismatch> {
        let named = self.plan(access, None, options)?;
        let nothing = Shape { answer: Answer::Row(Vec::new()) };
        let (statement, pieces) = render::draft(access, &named, nothing);
        let place = |name: &String| {
            let is_it = |of: &Parameter| matches!(of, Parameter::Request(operand) if operand.name == *name);
            statement.parameters.iter().position(is_it).ok_or_else(|| RoleMismatch::Nowhere(name.clone()))
        };
        let places = self.parameters.iter().map(place).collect::<Result<_, _>>()?;
        Ok(UntypedStatement { places, text: statement.text, pieces })
    }

    /// The statement for a role, over its tables alone and with null for every value: its text without what rules call.
    pub fn bare(&self, access: &Access, types: &Types, options: Options) -> Result<String, RoleMismatch> {
        Ok(render::bare(access, &self.plan(access, Some(types), options)?))
    }

    fn plan<'m>(
        &self,
        access: &'m Access,
        types: Option<&Types>,
        options: Options,
    ) -> Result<plan::NativeQuery<'m>, RoleMismatch> {
        plan::named(access, self, types, options).map_err(|_| self.denied(access))
    }

    /// What of it is not granted.
    fn denied(&self, access: &Access) -> RoleMismatch {
        let name = |table: TableId| access.model().catalog().table(table).name.clone();
        let is_denied = |table: &TableId| access.select(*table).is_none();
        let tables = || {
            self.pieces.iter().filter_map(|piece| match piece {
                QueryFragment::Table(table) => Some(*table),
                _ => None,
            })
        };
        let required = self.requirement.as_ref().map(|row| row.table);
        match (tables().chain(required).find(is_denied), tables().find(|table| !access.lists(*table))) {
            (None, Some(unlisted)) => RoleMismatch::Unlisted(name(unlisted)),
            (denied, _) => RoleMismatch::Denied(denied.map(name).unwrap_or_default()),
        }
    }

    /// What is run for a role: the rows, as a list under a key.
    pub fn translate(
        &self,
        access: &Access,
        types: &Types,
        key: &str,
        options: Options,
    ) -> Result<Translation, RoleMismatch> {
        let named = self.plan(access, Some(types), options)?;
        let mut fields: Vec<Field> = Vec::new();
        for (name, output) in named.columns.iter().zip(&named.outputs) {
            let field = Field { key: Key::new(name), node: Node::Value(output.encoder.clone()) };
            if fields.iter().any(|known| known.key == field.key) {
                return Err(RoleMismatch::Twice(name.clone()));
            }
            fields.push(field);
        }
        let required = self.requirement.as_ref().map(|row| {
            let catalog = access.model().catalog();
            let key = Parameter::Request(Arc::new(row.operand(catalog)));
            Required::new(catalog, row.table, row.column, key)
        });
        let (row, word) = (Node::Object(fields), options.cursors.word());
        let within = render::Bounded { answer: options.answer_bytes, word: &word };
        let answer = match (self.writes, required) {
            (true, required) => {
                let steps = plan::named_steps(access, named, row, key, required.as_ref(), options);
                let steps = steps.map_err(|_| self.denied(access))?;
                let steps =
                    steps.iter().map(|s| render::step(access, s, &options.cursors.word(), options.answer_bytes));
                TranslationKind::Mutation(Box::new(Mutation { steps: steps.collect(), end: "}".into() }))
            }
            (false, None) => {
                let shape = Shape { answer: Answer::Rows { key: Key::new(key), row } };
                TranslationKind::Statement(Box::new(render::render(
                    access,
                    &PlanBody::Named(Box::new(named)),
                    shape,
                    within,
                )))
            }
            (false, Some(required)) => {
                let shape = Shape { answer: Answer::Rows { key: Key::new(key), row } };
                let before = plan::precondition(access, &required, options).map_err(|_| self.denied(access))?;
                let body = PlanBody::Named(Box::new(named));
                let statement = render::after(access, &before, &body, shape, within);
                TranslationKind::Statement(Box::new(statement))
            }
        };
        let roots = vec![(key.to_owned(), false)];
        Ok(Translation { answer, roots, structure: VariableFingerprint::default(), expected: OnceLock::new() })
    }

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
