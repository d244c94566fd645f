//! Statements that write: `WITH … SELECT …`.

use super::Render;
use crate::access::Access;
use crate::plan::Step;
use crate::statement;

/// The statement of a step, with its place in the answer.
pub fn step(access: &Access, step: &Step<'_>) -> statement::Step {
    let mut render = Render::new(access);
    render.writer.syntax("SELECT ");
    render.expressions(&step.output);
    let statement = render.finish(step.shape());
    statement::Step { lead: step.lead.as_str().into(), statement, path: step.path.clone() }
}
