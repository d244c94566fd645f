//! Renders a query with a precondition: it fails before it reads anything if the required row is
//! not visible.

use super::{Bounded, Render, lists};
use crate::encode::shape::Shape;
use crate::model::access::Access;
use crate::plan::{PlanBody, Precondition};
use crate::statement::Statement;

/// The statement of a plan, which fails with an assertion token before it reads a row if the
/// precondition is false:
///
/// ```sql
/// WITH _1 (c0) AS MATERIALIZED (SELECT demand) SELECT null, … FROM _1 WHERE NOT _1.c0 UNION ALL (SELECT …)
/// ```
///
/// The arms are executed one after the other. A condition on the rows themselves would not work:
/// Postgres does not evaluate it if the planner finds that there are no rows. Because the first arm
/// reads from a CTE, no parallel worker executes it.
pub fn after(
    access: &Access,
    before: &Precondition<'_>,
    body: &PlanBody<'_>,
    shape: Shape,
    bounded: Bounded<'_>,
) -> Statement {
    let mut render = Render::bounded_by(access, bounded);
    render.is_small = lists::is_small(body, &shape);
    render.writer.syntax("WITH ");
    render.writer.alias(before.part);
    render.writer.syntax(" (c0) AS MATERIALIZED (SELECT ");
    render.demand(&before.demand);
    render.writer.syntax(") SELECT");
    for column in 0..body.width() {
        render
            .writer
            .syntax(if column > 0 { ", null" } else { " null" });
    }
    render.writer.syntax(" FROM ");
    render.writer.alias(before.part);
    render.writer.syntax(" WHERE NOT ");
    render.writer.alias(before.part);
    render.writer.syntax(".c0 UNION ALL (");
    render.body(body);
    render.writer.syntax(")");
    render.finish_read(shape)
}
