//! Writes plans as SQL text: the only module that writes the SQL of translated requests.
//!
//! Every value is a parameter or a quoted literal, and every name is quoted. All text goes through
//! the methods of [`writer`].

use crate::encode::shape::Shape;
use crate::model::access::Access;
use crate::plan::PlanBody;
use crate::statement::Statement;

pub mod action;
mod select;
mod settings;
mod write;
mod lists;
mod batch;
mod required_row;
mod native_query;
mod insert;
mod upsert;
mod change;
mod outcome;
mod membership;
mod key_join;
mod level_union;
mod term;
mod comparison;
mod composed;
mod group;
mod call;
mod writer;
mod keyset;

pub use batch::batch;
pub use native_query::{bare, draft};
pub use required_row::after;
pub use select::Bounded;
use select::Render;
pub use settings::settings;
pub use write::step;

/// Renders the statement of a plan.
pub fn render(
    access: &Access,
    body: &PlanBody<'_>,
    shape: Shape,
    bounded: Bounded<'_>,
) -> Statement {
    let mut render = Render::bounded_by(access, bounded);
    render.is_small = lists::is_small(body, &shape);
    render.body(body);
    render.finish_read(shape)
}
