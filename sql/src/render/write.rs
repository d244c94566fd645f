//! Statements that write: `WITH _1 AS (…) SELECT … WHERE demands`, and what makes them fail by their own words.

use super::Render;
use crate::access::Access;
use crate::error::Cause;
use crate::plan::{Counted, Demand, Demanded, Part, PartKind, Step};
use crate::statement::{self, Alarm, Parameter};

/// The statement of a step, with its place in the answer.
pub fn step(access: &Access, step: &Step<'_>, word: &str) -> statement::Step {
    let mut render = Render::new(access);
    word.clone_into(&mut render.word);
    if let (Some(scan), [Part { kind: PartKind::Insert(insert), .. }]) = (&step.direct, step.parts.as_slice()) {
        render.insert_rows(insert.as_ref());
        render.writer.syntax(" RETURNING ");
        render.expressions(&step.output);
        render.note(scan);
        return finished(step, render);
    }
    for (i, part) in step.parts.iter().enumerate() {
        render.writer.syntax(if i > 0 { ", " } else { "WITH " });
        render.part(part);
    }
    render.writer.syntax(if step.parts.is_empty() { "SELECT" } else { " SELECT" });
    render.output(&step.output, false);
    for (i, expression) in step.handed.iter().enumerate() {
        render.writer.syntax(if i > 0 || !step.output.is_empty() { ", " } else { " " });
        render.expression(expression);
    }
    for (i, demand) in step.demands.iter().enumerate() {
        render.writer.syntax(if i > 0 { " AND " } else { " WHERE " });
        render.demand(demand);
    }
    finished(step, render)
}

fn finished(step: &Step<'_>, render: Render<'_>) -> statement::Step {
    let statement = render.finish(step.shape());
    statement::Step { lead: step.lead.as_str().into(), statement, path: step.path.clone() }
}

impl Render<'_> {
    /// `_1 AS (…)`. Rows that are only read are found once, whatever Postgres would rather do.
    fn part(&mut self, part: &Part<'_>) {
        self.writer.alias(part.number);
        self.writer.syntax(match part.kind {
            PartKind::Given(_) | PartKind::Guard(_) | PartKind::Lock(_) => " AS MATERIALIZED (",
            PartKind::Insert(_) | PartKind::Update(_) | PartKind::Delete(_) => " AS (",
        });
        match &part.kind {
            PartKind::Given(given) => self.given(given),
            PartKind::Guard(guard) => self.guard(guard),
            PartKind::Insert(insert) => self.insert(insert),
            PartKind::Lock(locking) => self.lock(locking),
            PartKind::Update(updating) => self.update(updating),
            PartKind::Delete(deleting) => self.delete(deleting),
        }
        self.writer.syntax(")");
    }

    /// What has to hold once all parts have run.
    fn demand(&mut self, demand: &Demand<'_>) {
        self.alarm(&demand.cause, &demand.path, |render| match &demand.what {
            Demanded::AtMost(counted, most) => {
                render.affected(counted);
                render.writer.syntax(" <= ");
                render.writer.number((*most).into());
            }
            Demanded::Exactly(part, rows) => {
                render.total(&[*part]);
                render.writer.syntax(" = ");
                render.writer.number((*rows).into());
            }
            Demanded::AsMany(part, other) => {
                render.total(&[*part]);
                render.writer.syntax(" = ");
                render.total(&[*other]);
            }
            Demanded::Holds(expression) => render.expression(expression),
        });
    }

    fn total(&mut self, parts: &[u32]) {
        let counted: Vec<_> = parts.iter().copied().map(Counted::Part).collect();
        self.affected(&counted);
    }

    /// `(CASE WHEN (condition) IS TRUE THEN 't' ELSE (SELECT $1::text) END)::bool`: true, or the statement fails with the
    /// word of an alarm. The cast outside and the subquery keep Postgres from computing it while it plans.
    pub(super) fn alarm(&mut self, cause: &Cause, path: &str, condition: impl FnOnce(&mut Self)) {
        // The dot at the end keeps alarm 1 out of alarm 12.
        let word = format!("{}.{}.", self.word, self.alarms.len() + 1);
        self.writer.syntax("(CASE WHEN (");
        self.alarms.push(Alarm { word: word.clone(), cause: cause.clone(), path: path.to_owned() });
        condition(self);
        self.writer.syntax(") IS TRUE THEN 't' ELSE (SELECT ");
        self.writer.param(&Parameter::Word(word), "text");
        self.writer.syntax(") END)::bool");
    }
}
