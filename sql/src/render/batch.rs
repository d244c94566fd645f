//! Writes the statement that runs one query for many subscribers. Each row of its arrays has the
//! parameters of one subscriber, and the query is joined to it laterally:
//!
//! ```sql
//! SELECT "_s"."n", "_r".* FROM unnest($1::text[], $3::text[]) WITH ORDINALITY AS "_s" ("p1", "p3", "n")
//!   LEFT JOIN LATERAL (SELECT true, "_q".* FROM (SELECT … WHERE "id" = "_s"."p1"::int4 …) AS "_q" OFFSET 0) AS "_r"
//!   ON true
//! ```
//!
//! `OFFSET 0` keeps Postgres from turning the join into another one: it runs the query once for
//! each row of the arrays, in a nested loop, with the plan that the query has alone. So the rows
//! come in the order of the arrays and, for each of their rows, in the order of the query. The
//! query is the one that [`super::render`] writes, with its row rules and fences; only its
//! placeholders differ.

use std::fmt::Write;

use super::writer::Writer;
use super::{Bounded, Render};
use crate::model::access::Access;
use crate::plan::PlanBody;
use crate::statement::Statement;

/// Adds the [`Statement::batch`] of a plan's statement. None if no parameter varies, or one is an
/// estimate.
pub fn batch(
    access: &Access,
    body: &PlanBody<'_>,
    statement: &mut Statement,
    bounded: Bounded<'_>,
) {
    let varying = || {
        statement
            .parameters
            .iter()
            .zip(1..)
            .filter(|(parameter, _)| parameter.varies())
    };
    if varying().next().is_none() || !statement.estimates.is_empty() {
        return;
    }
    let mut render = Render {
        writer: Writer::for_columns(),
        ..Render::bounded_by(access, bounded)
    };
    render.body(body);
    let query = render.writer.finish();
    if query.parameters != statement.parameters {
        return;
    }
    let query = query.text;
    let mut arrays = String::new();
    let mut names = String::new();
    for (_, index) in varying() {
        let separator = if arrays.is_empty() { "" } else { ", " };
        let _ = write!(arrays, "{separator}${index}::text[]");
        let _ = write!(names, "\"p{index}\", ");
    }
    // A stream without new rows returns none; the result of any other query may be empty.
    let join = if statement.positions.is_empty() {
        "LEFT JOIN"
    } else {
        "JOIN"
    };
    statement.batch = Some(
        format!(
            r#"SELECT "_s"."n", "_r".* FROM unnest({arrays}) WITH ORDINALITY AS "_s" ({names}"n") {join} LATERAL (SELECT true, "_q".* FROM ({query}) AS "_q" OFFSET 0) AS "_r" ON true"#
        )
        .into(),
    );
}
