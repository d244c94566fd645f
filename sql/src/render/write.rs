//! Renders the statements of mutations: `WITH _1 AS (…) SELECT … WHERE demands`, and the assertions
//! that make them fail with a token.

use super::{Bounded, Render};
use crate::encode::shape::Node;
use crate::error::{Cause, RequestLimit};
use crate::model::access::Access;
use crate::plan::{Assertion, AssertionKind, Check, Cte, PartKind, RowCountSource, Step};
use crate::statement::{self, AssertionToken, Parameter};

/// Renders the statement of a step. With `most`, a response part of more bytes makes the statement
/// fail before its first byte is sent.
pub fn step(access: &Access, step: &Step<'_>, word: &str, most: Option<usize>) -> statement::Step {
    let mut render = Render::bounded_by(
        access,
        Bounded {
            max_response_bytes: most,
            word,
        },
    );
    render.is_small = step.node.as_ref().is_none_or(|node| !node.nests_lists());
    if let (
        Some(scan),
        [
            Cte {
                kind: PartKind::Insert(insert),
                ..
            },
        ],
    ) = (&step.direct, step.parts.as_slice())
    {
        render.insert_rows(insert.as_ref());
        render.writer.syntax(" RETURNING ");
        render.expressions(&step.output);
        render.report_scan(scan);
        return finished(step, render);
    }
    if let (
        None,
        [
            Cte {
                kind: PartKind::Named(named),
                ..
            },
        ],
    ) = (&step.node, step.parts.as_slice())
    {
        render.pieces(&named.pieces);
        return finished(step, render);
    }
    for (i, part) in step.parts.iter().enumerate() {
        render.writer.syntax(match &part.kind {
            // The query begins with a `WITH` clause of its own, and there is no other part.
            PartKind::Named(named) if named.head > 0 => "",
            _ if i > 0 => ", ",
            _ => "WITH ",
        });
        render.part(part);
    }
    render
        .writer
        .syntax(if step.parts.is_empty() { "" } else { " " });
    match most.filter(|_| step.node.as_ref().is_some_and(Node::has_list)) {
        Some(most) => render.bounded(step, most),
        None => render.columns(step),
    }
    finished(step, render)
}

fn finished(step: &Step<'_>, render: Render<'_>) -> statement::Step {
    let statement = render.finish(step.shape());
    statement::Step {
        lead: step.response_prefix.as_str().into(),
        statement,
        path: step.path.clone(),
    }
}

impl Render<'_> {
    /// `SELECT … WHERE demands`
    fn columns(&mut self, step: &Step<'_>) {
        self.writer.syntax("SELECT");
        self.output(&step.output, false);
        for (i, expression) in step.transfers.iter().enumerate() {
            self.writer.syntax(if i > 0 || !step.output.is_empty() {
                ", "
            } else {
                " "
            });
            self.expression(expression);
        }
        for (i, demand) in step.assertions.iter().enumerate() {
            self.writer.syntax(if i > 0 { " AND " } else { " WHERE " });
            self.demand(demand);
        }
    }

    /// `SELECT * FROM (SELECT … OFFSET 0) AS written (_0, _1)
    /// WHERE pg_column_size(_0)::int8 + pg_column_size(_1) <= 1000`
    fn bounded(&mut self, step: &Step<'_>, most: usize) {
        let columns = |count: usize| (0_u32..).take(count);
        self.writer.syntax("SELECT * FROM (");
        self.columns(step);
        // `OFFSET 0` makes Postgres compute each column once, before its size is taken.
        self.writer.syntax(" OFFSET 0) AS written (");
        for column in columns(step.output.len() + step.transfers.len()) {
            self.writer.syntax(if column > 0 { ", " } else { "" });
            self.writer.alias(column);
        }
        self.writer.syntax(") WHERE ");
        self.alarm(
            &Cause::Limit {
                limit: RequestLimit::AnswerBytes,
                value: most,
            },
            &step.path,
            |render| {
                for column in columns(step.output.len()) {
                    render.writer.syntax(if column > 0 { " + " } else { "" });
                    render.writer.syntax("coalesce(pg_column_size(");
                    render.writer.alias(column);
                    render.writer.syntax("), 0)::int8");
                }
                render.writer.syntax(" <= ");
                render.writer.number(most as u64);
            },
        );
    }

    /// `_1 AS (…)`. CTEs that only read are `MATERIALIZED`, so that Postgres evaluates them once.
    fn part(&mut self, part: &Cte<'_>) {
        let (head, own) = match &part.kind {
            PartKind::Named(named) => named
                .pieces
                .split_at_checked(named.head)
                .unwrap_or_default(),
            _ => (&[][..], &[][..]),
        };
        self.pieces(head);
        self.writer.syntax(if head.is_empty() { "" } else { ", " });
        self.writer.alias(part.number);
        self.writer.syntax(match part.kind {
            PartKind::Given(_) | PartKind::Guard(_) | PartKind::Lock(_) | PartKind::Find(_) => {
                " AS MATERIALIZED ("
            }
            PartKind::Insert(_)
            | PartKind::Update(_)
            | PartKind::Delete(_)
            | PartKind::Named(_) => " AS (",
        });
        match &part.kind {
            PartKind::Given(given) => self.given(given),
            PartKind::Guard(guard) => self.guard(guard),
            PartKind::Insert(insert) => self.insert(insert),
            PartKind::Find(select) => self.select(select, false),
            PartKind::Lock(locking) => self.lock(locking),
            PartKind::Update(updating) => self.update(updating),
            PartKind::Delete(deleting) => self.delete(deleting),
            PartKind::Named(_) => {
                self.pieces(own);
            }
        }
        self.writer.syntax(")");
    }

    /// The condition of an assertion, evaluated once all CTEs have run.
    pub(super) fn demand(&mut self, demand: &Assertion<'_>) {
        let reads = self.reads.len();
        self.alarm(&demand.cause, &demand.path, |render| match &demand.what {
            AssertionKind::AtMost { counted, most } => {
                render.affected(counted);
                render.writer.syntax(" <= ");
                render.writer.number((*most).into());
            }
            AssertionKind::ExactlyOne { part } => {
                render.total(&[*part]);
                render.writer.syntax(" = 1");
            }
            AssertionKind::ExactlyOneWhere { part, rule } => {
                render.writer.syntax("(SELECT count(*) FROM ");
                render.writer.alias(*part);
                render.writer.syntax(" AS ");
                render.writer.alias(rule.alias());
                render.writer.syntax(" WHERE ");
                render.column(rule);
                render.writer.syntax(") = 1");
            }
            AssertionKind::AsMany { part, other } => {
                render.total(&[*part]);
                render.writer.syntax(" = ");
                render.total(&[*other]);
            }
            AssertionKind::IsTrue(expression) => render.expression(expression),
        });
        let read = self.reads.iter_mut().skip(reads);
        read.for_each(|reading| reading.required = demand.cause == Cause::Required);
    }

    fn total(&mut self, parts: &[u32]) {
        let counted: Vec<_> = parts.iter().copied().map(RowCountSource::Part).collect();
        self.affected(&counted);
    }

    /// `bool_and((rule) IS TRUE) IS NOT FALSE`: true if there are no rows.
    pub(super) fn holds_for_all(&mut self, check: &Check<'_>) {
        self.writer.syntax("bool_and((");
        self.rule(check.rule, check.table, check.rows);
        self.writer.syntax(") IS TRUE) IS NOT FALSE");
    }

    /// `(CASE WHEN (condition) IS TRUE THEN 't' ELSE (SELECT $1::text) END)::bool`: true, or the
    /// statement fails because the assertion's token is no boolean. The outer cast and the subquery
    /// keep Postgres from computing it at planning time.
    pub(super) fn alarm(&mut self, cause: &Cause, path: &str, condition: impl FnOnce(&mut Self)) {
        // The dot at the end keeps token 1 from being found in token 12.
        let word = format!("{}.{}.", self.word, self.alarms.len() + 1);
        self.writer.syntax("(CASE WHEN (");
        self.alarms.push(AssertionToken {
            token: word.clone(),
            cause: cause.clone(),
            path: path.to_owned(),
        });
        condition(self);
        self.writer.syntax(") IS TRUE THEN 't' ELSE (SELECT ");
        self.writer.param(&Parameter::Word(word), "text");
        self.writer.syntax(") END)::bool");
    }
}
