//! The runs of a mutation's steps. Each step runs once, except those of inserts whose rows are
//! written one after another: a check that reads the table then sees the rows before its own. The
//! order is that of the document: first the rows that a row refers to, then the row, then the rows
//! that refer to it. Rows of a list that need no order among each other are one run.

use std::ops::Range;
use std::sync::Arc;

use super::rows::ResolvedRows;
use super::{GivenRows, Mutation, SessionValues, ValueBudget};
use crate::error::Error;
use crate::graphql::variables::Variables;

/// The step that inserts the rows of a level, and those of the levels nested in it.
#[derive(Debug)]
pub struct LevelSteps {
    /// The index of the step in [`Mutation::steps`].
    pub step: usize,
    /// The position of the rows: any of their batches.
    pub rows: Arc<GivenRows>,
    /// Whether each row of a list is a run of its own even if no row of the list has nested rows.
    pub splits_lists: bool,
    /// The levels whose rows are inserted before the row that they came with.
    pub before: Vec<LevelSteps>,
    /// The levels whose rows are inserted after their parent row.
    pub after: Vec<LevelSteps>,
}

/// A run of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRun {
    /// The index of the step in [`Mutation::steps`].
    pub step: usize,
    /// The rows of the step's level that it inserts; `None` for a step that runs once.
    rows: Option<Range<u32>>,
}

/// The bytes that a run counts against the budget of values, beyond its parameters: the messages of
/// the protocol.
const RUN_BYTES: usize = 256;

impl Mutation {
    /// The runs of the steps for these variables, in order.
    pub fn runs(&self, variables: &Variables) -> Result<Vec<StepRun>, Error> {
        self.resolved_runs(variables, &mut ResolvedRows::within(ValueBudget::default()))
    }

    /// Binds the parameters of all runs, in order, like [`super::Statement::bind`]. Fails, too, if
    /// the operation inserts more rows than it may.
    pub fn bind(
        &self,
        variables: &Variables,
        caller: &dyn SessionValues,
        budget: &mut ValueBudget,
    ) -> Result<Vec<Vec<Option<String>>>, Error> {
        self.row_limits.check(variables, *budget)?;
        if self.row_by_row.is_empty() {
            return self
                .steps
                .iter()
                .map(|step| step.statement.bind(variables, caller, budget))
                .collect();
        }
        let mut resolved = ResolvedRows::within(*budget);
        let runs = self.resolved_runs(variables, &mut resolved)?;
        budget.take_bytes(runs.len().saturating_mul(RUN_BYTES))?;
        let mut bound = Vec::with_capacity(runs.len());
        for StepRun { step, rows } in runs {
            resolved.limit_to(rows);
            let Some(step) = self.steps.get(step) else {
                continue;
            };
            bound.push(
                step.statement
                    .bind_resolved(variables, caller, budget, &mut resolved)?,
            );
        }
        Ok(bound)
    }

    fn resolved_runs<'a>(
        &'a self,
        variables: &'a Variables,
        resolved: &mut ResolvedRows<'a>,
    ) -> Result<Vec<StepRun>, Error> {
        let once = |step| StepRun { step, rows: None };
        let mut runs = Runs {
            variables,
            resolved,
            runs: Vec::new(),
        };
        let mut next = 0;
        for root in &self.row_by_row {
            runs.runs.extend((next..root.first_step()).map(once));
            let rows = runs.rows_under(root, 0..0)?;
            runs.add_list(root, rows)?;
            next = root.last_step() + 1;
        }
        runs.runs.extend((next..self.steps.len()).map(once));
        Ok(runs.runs)
    }
}

impl LevelSteps {
    fn first_step(&self) -> usize {
        self.before
            .first()
            .map_or(self.step, LevelSteps::first_step)
    }

    fn last_step(&self) -> usize {
        self.after.last().map_or(self.step, LevelSteps::last_step)
    }
}

/// The runs while they are listed.
struct Runs<'r, 'a> {
    variables: &'a Variables,
    resolved: &'r mut ResolvedRows<'a>,
    runs: Vec<StepRun>,
}

impl<'a> Runs<'_, 'a> {
    fn rows_under(
        &mut self,
        level: &'a LevelSteps,
        parents: Range<u32>,
    ) -> Result<Range<u32>, Error> {
        self.resolved
            .rows_under(&level.rows, parents, self.variables)
    }

    /// The rows of one list: row by row if any of them has nested rows, as in Hasura, or if the
    /// level asks for it.
    fn add_list(&mut self, level: &'a LevelSteps, rows: Range<u32>) -> Result<(), Error> {
        let mut nests = false;
        for nested in level.before.iter().chain(&level.after) {
            nests |= !self.rows_under(nested, rows.clone())?.is_empty();
        }
        if rows.is_empty() || !(nests || level.splits_lists) {
            return self.add_rows(level, rows);
        }
        rows.into_iter()
            .try_for_each(|row| self.add_rows(level, row..row + 1))
    }

    /// One run of a level, between those of the levels nested in it.
    fn add_rows(&mut self, level: &'a LevelSteps, rows: Range<u32>) -> Result<(), Error> {
        for before in &level.before {
            // Without rows it runs as well: it empties the settings that the run of this level
            // reads.
            let nested = self.rows_under(before, rows.clone())?;
            self.add_list(before, nested)?;
        }
        self.runs.push(StepRun {
            step: level.step,
            rows: Some(rows.clone()),
        });
        for after in &level.after {
            let nested = self.rows_under(after, rows.clone())?;
            if !nested.is_empty() {
                self.add_list(after, nested)?;
            }
        }
        Ok(())
    }
}
