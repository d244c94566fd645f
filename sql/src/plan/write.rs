//! From selection to plan for mutations: the statements of one transaction, in order.
//!
//! A root field that writes is one statement where it can be: `WITH _1 AS (UPDATE …) SELECT …`, its parts in
//! [`super::insert`] and [`super::change`]. What it answers is made in [`super::returning`].

use std::rc::Rc;

use super::builder::Builder;
use super::read::json;
use super::{Column, Denied, Expression, NativeQuery, RowCountSource, Scan, Select};
use crate::encode::shape;
use crate::encode::shape::{Answer, Key, Node};
use crate::error::Cause;
use crate::model::access::Access;
use crate::resolve::Options;
use crate::resolve::selection::{Change, Outcome, Required, Root, RootSelection, Selection, Write};

pub use super::change::{Assigned, Condition, DeletePlan, SelectForUpdate, UpdatePlan, UpdateTarget, is_locked};
use super::insert::{CheckCte, InputRows, InsertPlan};

/// One statement of a mutation: `WITH parts SELECT output WHERE demands`. It returns one row.
#[derive(Debug)]
pub struct Step<'m> {
    /// What is written of the answer before this statement's part of it.
    pub lead: String,
    /// The place in the request, for errors of the database.
    pub path: String,
    /// What stands before the `SELECT`, in the order in which it is read.
    pub parts: Vec<Cte<'m>>,
    /// Where the only part answers by itself, the rows that it writes: the output is what it returns.
    pub direct: Option<Scan<'m>>,
    /// What has to hold once all parts have run.
    pub demands: Vec<Assertion<'m>>,
    /// The columns of the row.
    pub output: Vec<Expression<'m>>,
    /// Further columns, which hand something over and are nobody's.
    pub handed: Vec<Expression<'m>>,
    /// What they become; none where they are nobody's.
    pub node: Option<Node>,
}

/// A part of a statement: `_1 AS (…)`.
#[derive(Debug)]
pub struct Cte<'m> {
    /// The number of its name, out of the same row as aliases.
    pub number: u32,
    /// What it does.
    pub kind: PartKind<'m>,
}

/// What a part of a statement does.
#[derive(Debug)]
pub enum PartKind<'m> {
    /// Rows that the request gives.
    Given(Box<InputRows<'m>>),
    /// Judges rows before they are written.
    Guard(Box<CheckCte<'m>>),
    /// `INSERT`
    Insert(Box<InsertPlan<'m>>),
    /// Rows that are to be updated, locked and with their new values: `SELECT … FOR NO KEY UPDATE`.
    Lock(Box<SelectForUpdate<'m>>),
    /// A row that others are linked to.
    Find(Rc<Select<'m>>),
    /// `UPDATE`
    Update(Box<UpdatePlan<'m>>),
    /// `DELETE`
    Delete(Box<DeletePlan<'m>>),
    /// A statement that somebody wrote.
    Named(Box<NativeQuery<'m>>),
}

/// Something that has to be so; if it is not, the statement fails with an [`crate::statement::AssertionToken`].
#[derive(Debug)]
pub struct Assertion<'m> {
    /// What has to be so.
    pub what: AssertionKind<'m>,
    /// What it means when it is not.
    pub cause: Cause,
    /// The place in the request.
    pub path: String,
}

/// What has to be so.
#[derive(Debug)]
pub enum AssertionKind<'m> {
    /// These are so many rows at most, taken together.
    AtMost(Vec<RowCountSource>, u32),
    /// The part has exactly so many rows.
    Exactly(u32, u32),
    /// The part has exactly one row in which a rule over its rows, under the rule's alias, holds.
    Reached(u32, Column<'m>),
    /// The first part has as many rows as the second.
    AsMany(u32, u32),
    /// A value is true.
    Holds(Expression<'m>),
}

/// Plans the root fields of a mutation; the text that ends the answer stands beside the steps.
pub fn write<'m>(
    access: &'m Access,
    selection: &Selection<'m>,
    options: Options,
) -> Result<(Vec<Step<'m>>, String), Denied> {
    let mut builder = Builder::new(access, options);
    let writes = |root: &Root<'_>| !matches!(root.want, RootSelection::Constant(_));
    let mut steps = Vec::new();
    if let Some(required) = &selection.required {
        steps.push(builder.precondition(required)?);
    }
    if selection.roots.iter().any(writes) {
        steps.extend(builder.settings());
    }
    let mut lead = "{".to_owned();
    for (place, root) in selection.roots.iter().enumerate() {
        lead.push_str(if place > 0 { "," } else { "" });
        lead.push_str(Key::new(&root.key).as_str());
        match &root.want {
            RootSelection::Constant(text) => lead.push_str(&json(text)),
            want => {
                builder.restart();
                lead = builder.root_field(want, lead, &mut steps)?;
            }
        }
    }
    lead.push('}');
    Ok((steps, lead))
}

impl<'m> Builder<'m> {
    /// The statements of a root field. Takes what is written before its answer, and returns what follows.
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
        let Some(node) = self.root(want, &mut step.output)? else { return Err(Denied) };
        step.node = Some(node);
        steps.push(step);
        Ok(String::new())
    }

    fn written(&mut self, write: &Write<'m>, lead: String, steps: &mut Vec<Step<'m>>) -> Result<String, Denied> {
        match (&write.change, &write.outcome) {
            (Change::Insert(insert), outcome) => self.inserted(write, insert, outcome, lead, steps),
            (Change::Delete(delete), outcome) => self.deleted(write, delete, outcome, lead, steps),
            (Change::Update(updates), Outcome::Responses(_)) => {
                let (mut lead, mut before) = (lead + "[", Vec::new());
                for (place, update) in updates.iter().enumerate() {
                    lead.push_str(if place > 0 { "," } else { "" });
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

    /// The statement that looks for the row which is required. It goes first, so nothing is written without that row.
    pub(super) fn precondition(&mut self, required: &Required) -> Result<Step<'m>, Denied> {
        let demands = vec![self.visible(required)?];
        Ok(Step { demands, ..Step::new(String::new(), "$".into()) })
    }

    /// The statement that gives the transaction its settings, where there are any.
    pub(super) fn settings(&mut self) -> Option<Step<'m>> {
        let settings = self.access().settings();
        if settings.is_empty() {
            return None;
        }
        let output = settings.iter().map(|(name, setting)| Expression::Setting(name, setting)).collect();
        Some(Step { output, ..Step::new(String::new(), "$".into()) })
    }
}

impl Step<'_> {
    /// A statement that does nothing yet.
    pub(super) fn new<'m>(lead: String, path: String) -> Step<'m> {
        Step {
            lead,
            path,
            parts: Vec::new(),
            direct: None,
            demands: Vec::new(),
            output: Vec::new(),
            handed: Vec::new(),
            node: None,
        }
    }

    /// What its row becomes.
    pub fn shape(&self) -> shape::Shape {
        shape::Shape { answer: Answer::Part(self.node.clone()) }
    }
}
