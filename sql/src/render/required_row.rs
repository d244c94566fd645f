//! A query that is answered only where something is so.

use super::{Bounded, Render, lists};
use crate::encode::shape::Shape;
use crate::model::access::Access;
use crate::plan::{PlanBody, Precondition};
use crate::statement::Statement;

/// The statement of a plan, which fails with the word of an alarm before it reads a row, unless what is demanded is so:
///
/// ```sql
/// WITH _1 (c0) AS MATERIALIZED (SELECT demand) SELECT null, … FROM _1 WHERE NOT _1.c0 UNION ALL (SELECT …)
/// ```
///
/// The arms are run one after the other. A condition on the rows themselves would not do: it is never looked at where
/// Postgres sees beforehand that there are none. Read from a table expression, the first arm is never given to a worker that
/// runs beside others.
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
        render.writer.syntax(if column > 0 { ", null" } else { " null" });
    }
    render.writer.syntax(" FROM ");
    render.writer.alias(before.part);
    render.writer.syntax(" WHERE NOT ");
    render.writer.alias(before.part);
    render.writer.syntax(".c0 UNION ALL (");
    render.body(body);
    render.writer.syntax(")");
    render.finish(shape)
}
