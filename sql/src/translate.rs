//! The cold path in one call: resolve, plan, render.

use crate::access::Access;
use crate::error::{Cause, Error};
use crate::plan::plan;
use crate::render::render;
use crate::resolve::{Operation, Options};
use crate::selection::Want;
use crate::shape::Shape;
use crate::statement::Statement;
use crate::variables::{Structure, Variables};

/// What an operation becomes for one role and one structure of variables.
#[derive(Debug)]
pub struct Translation {
    /// What is answered.
    pub answer: Answered,
    /// The response keys of all root fields in order, and whether introspection answers them.
    pub roots: Vec<(String, bool)>,
    /// The variables that decided the text.
    pub structure: Structure,
}

/// How an operation is answered.
#[derive(Debug)]
pub enum Answered {
    /// By a statement.
    Statement(Box<Statement>),
    /// Without the database: the shape consumes no column.
    Constant(Shape),
}

/// A translation that failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The request is wrong.
    #[error(transparent)]
    Request(#[from] Error),
    /// A plan asked for what is not granted: a fault of ours, never shown.
    #[error(transparent)]
    Denied(#[from] crate::plan::Denied),
}

impl Answered {
    /// The statement, if there is one.
    pub fn statement(&self) -> Option<&Statement> {
        match self {
            Answered::Statement(statement) => Some(statement),
            Answered::Constant(_) => None,
        }
    }
}

/// Translates an operation under a role's access.
pub fn translate(
    access: &Access,
    operation: &Operation,
    variables: &Variables,
    options: Options,
) -> Result<Translation, Failure> {
    let (selection, structure) = operation.select(access, variables, options)?;
    let roots = selection.roots.iter().map(|r| (r.key.clone(), matches!(r.want, Want::Introspection))).collect();
    let (body, shape) = plan(access, &selection, options)?;
    let answer = match body {
        Some(body) => Answered::Statement(Box::new(bounded(render(access, &body, shape))?)),
        None => Answered::Constant(shape),
    };
    Ok(Translation { answer, roots, structure })
}

/// So many parameters has a statement of Postgres' protocol at most.
const PARAMETERS: usize = 65_535;

fn bounded(statement: Statement) -> Result<Statement, Error> {
    match statement.parameters.len() > PARAMETERS {
        true => Err(Cause::Limit { limit: "values of a request", value: PARAMETERS }.under("$")),
        false => Ok(statement),
    }
}
