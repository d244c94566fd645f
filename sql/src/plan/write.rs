//! Turns the resolved selection of a mutation into a plan: the statements of one transaction, in
//! order.
//!
//! A root field that writes is one statement where possible: `WITH _1 AS (UPDATE …) SELECT …`. Its
//! CTEs are planned in [`super::insert`] and [`super::change`], its response in
//! [`super::returning`].

use std::rc::Rc;

use super::builder::Builder;
use super::read::json;
use super::{Column, Denied, Expression, NativeQuery, RowCountSource, Scan, Select};
use crate::encode::shape;
use crate::encode::shape::{Key, Node, ResponseShape};
use crate::error::Cause;
use crate::model::access::Access;
use crate::resolve::Options;
use crate::resolve::selection::{Change, Outcome, Required, Root, RootSelection, Selection, Write};
use crate::statement::LevelSteps;

pub use super::change::{
    Assigned, Condition, DeletePlan, SelectForUpdate, UpdatePlan, UpdateTarget, is_locked,
};
use super::insert::{CheckCte, InputRows, InsertPlan};

/// One statement of a mutation: `WITH parts SELECT output WHERE demands`. It returns one row.
#[derive(Debug)]
pub struct Step<'m> {
    /// The response text before the part that this statement returns.
    pub response_prefix: String,
    /// The path in the request, for errors of the database.
    pub path: String,
    /// The CTEs before the `SELECT`, in the order of the text.
    pub parts: Vec<Cte<'m>>,
    /// For a statement without `WITH`, the rows that its only part writes: the output is in that
    /// part's `RETURNING`.
    pub direct: Option<Scan<'m>>,
    /// The assertions that have to pass once all parts have run.
    pub assertions: Vec<Assertion<'m>>,
    /// The columns of the row that are sent to the client.
    pub output: Vec<Expression<'m>>,
    /// Further columns, which transfer values to later statements and are not sent.
    pub transfers: Vec<Expression<'m>>,
    /// The part of the response that the output becomes; none if nothing is sent.
    pub node: Option<Node>,
}

/// A part of a statement, a common table expression: `_1 AS (…)`.
#[derive(Debug)]
pub struct Cte<'m> {
    /// The number in its name, from the same sequence as aliases.
    pub number: u32,
    /// The query of the CTE.
    pub kind: PartKind<'m>,
}

/// The query of a CTE.
#[derive(Debug)]
pub enum PartKind<'m> {
    /// The rows of the request's input.
    Given(Box<InputRows<'m>>),
    /// Checks on rows before they are written.
    Guard(Box<CheckCte<'m>>),
    /// `INSERT`
    Insert(Box<InsertPlan<'m>>),
    /// The rows to update, locked and with their new values: `SELECT … FOR NO KEY UPDATE`.
    Lock(Box<SelectForUpdate<'m>>),
    /// The row that others are linked to.
    Find(Rc<Select<'m>>),
    /// `UPDATE`
    Update(Box<UpdatePlan<'m>>),
    /// `DELETE`
    Delete(Box<DeletePlan<'m>>),
    /// A native query.
    Named(Box<NativeQuery<'m>>),
}

/// A condition that has to be true; otherwise the statement fails with an
/// [`crate::statement::AssertionToken`].
#[derive(Debug)]
pub struct Assertion<'m> {
    /// The condition.
    pub what: AssertionKind<'m>,
    /// The cause reported when it fails.
    pub cause: Cause,
    /// The path in the request.
    pub path: String,
}

/// The condition of an assertion.
#[derive(Debug)]
pub enum AssertionKind<'m> {
    /// The row counts add up to at most that number.
    AtMost(Vec<RowCountSource>, u32),
    /// The CTE has exactly that number of rows.
    Exactly(u32, u32),
    /// The CTE has exactly one row, and a rule over its rows, under the rule's alias, is true for
    /// it.
    ExactlyOneWhere(u32, Column<'m>),
    /// The first CTE has as many rows as the second.
    AsMany(u32, u32),
    /// An expression is true.
    IsTrue(Expression<'m>),
}

/// The statements of a mutation, in order.
#[derive(Debug)]
pub struct MutationPlan<'m> {
    /// The statements.
    pub steps: Vec<Step<'m>>,
    /// The inserts whose statements run for one row after another.
    pub row_by_row: Vec<LevelSteps>,
    /// The response text after the last statement.
    pub response_suffix: String,
}

/// Plans the root fields of a mutation.
pub fn write<'m>(
    access: &'m Access,
    selection: &Selection<'m>,
    options: Options,
) -> Result<MutationPlan<'m>, Denied> {
    let mut builder = Builder::new(access, options);
    let writes = |root: &Root<'_>| !matches!(root.selection, RootSelection::Constant(_));
    let mut steps = Vec::new();
    // First, because the required row may be visible only under them.
    if selection.required.is_some() || selection.roots.iter().any(writes) {
        steps.extend(builder.settings());
    }
    if let Some(required) = &selection.required {
        steps.push(builder.precondition(required)?);
    }
    let mut lead = "{".to_owned();
    for (index, root) in selection.roots.iter().enumerate() {
        lead.push_str(if index > 0 { "," } else { "" });
        lead.push_str(Key::new(&root.key).as_str());
        match &root.selection {
            RootSelection::Constant(text) => lead.push_str(&json(text)),
            want => {
                builder.restart();
                lead = builder.under(&root.key, |builder| {
                    builder.root_field(want, lead, &mut steps)
                })?;
            }
        }
    }
    lead.push('}');
    Ok(MutationPlan {
        steps,
        row_by_row: builder.row_by_row,
        response_suffix: lead,
    })
}

impl<'m> Builder<'m> {
    /// Plans the statements of a root field. `lead` is the response text before it; returns the
    /// text after it.
    fn root_field(
        &mut self,
        want: &RootSelection<'m>,
        lead: String,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<String, Denied> {
        if let RootSelection::Write(write) = want {
            return self.written(write, lead, steps);
        }
        let mut step = Step::new(lead, "$".into());
        let Some(node) = self.root(want, &mut step.output)? else {
            return Err(Denied);
        };
        step.node = Some(node);
        steps.push(step);
        Ok(String::new())
    }

    fn written(
        &mut self,
        write: &Write<'m>,
        lead: String,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<String, Denied> {
        match (&write.change, &write.outcome) {
            (Change::Insert(insert), outcome) => self.inserted(write, insert, outcome, lead, steps),
            (Change::Delete(delete), outcome) => self.deleted(write, delete, outcome, lead, steps),
            (Change::Update(updates), Outcome::Responses(_)) => {
                let mut lead = lead + "[";
                let mut before = Vec::new();
                for (index, update) in updates.iter().enumerate() {
                    lead.push_str(if index > 0 { "," } else { "" });
                    if before.is_empty() {
                        self.restart();
                    }
                    lead = self.updated(update, &write.outcome, &mut before, lead, steps)?;
                }
                Ok(lead + "]")
            }
            (Change::Update(updates), outcome) => match updates.as_slice() {
                [update] => self.updated(update, outcome, &mut Vec::new(), lead, steps),
                _ => Err(Denied),
            },
        }
    }

    /// The statement that asserts that the required row is visible. It goes first, so nothing is
    /// written without that row.
    pub(super) fn precondition(&mut self, required: &Required) -> Result<Step<'m>, Denied> {
        let demands = vec![self.visible(required)?];
        Ok(Step {
            assertions: demands,
            ..Step::new(String::new(), "$".into())
        })
    }

    /// The statement that sets the settings of the transaction, if the role has any.
    pub(super) fn settings(&mut self) -> Option<Step<'m>> {
        let settings = self.access().settings();
        if settings.is_empty() {
            return None;
        }
        let output = settings
            .iter()
            .map(|(name, setting)| Expression::Setting(name, setting))
            .collect();
        Some(Step {
            output,
            ..Step::new(String::new(), "$".into())
        })
    }
}

impl Step<'_> {
    /// A statement without parts and output.
    pub(super) fn new<'m>(lead: String, path: String) -> Step<'m> {
        Step {
            response_prefix: lead,
            path,
            parts: Vec::new(),
            direct: None,
            assertions: Vec::new(),
            output: Vec::new(),
            transfers: Vec::new(),
            node: None,
        }
    }

    /// The part of the response that its row becomes.
    pub fn shape(&self) -> shape::Shape {
        shape::Shape {
            response: ResponseShape::Part(self.node.clone()),
        }
    }
}
