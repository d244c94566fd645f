//! Turns the resolved selection of a mutation into a plan: the statements of one transaction, in
//! order.
//!
//! A root field that writes is one statement where possible: `WITH _1 AS (UPDATE …) SELECT …`. Its
//! CTEs are planned in [`super::insert`] and [`super::change`], its response in
//! [`super::returning`].

use super::builder::Builder;
use super::read::json;
use super::{Denied, Expression, MutationPlan, Step};
use crate::encode::shape::Key;
use crate::model::access::Access;
use crate::resolve::Options;
use crate::resolve::selection::{Change, Outcome, Required, Root, RootSelection, Selection, Write};

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
                lead = builder.plan_under_key(&root.key, |builder| {
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
