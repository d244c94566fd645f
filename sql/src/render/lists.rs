//! Limits the size of lists within rows. Postgres builds each list as one value in memory, so a
//! list that grows too long is stopped while it is built.
//!
//! ```sql
//! array(SELECT CASE WHEN (sum(pg_column_size(g.v)) OVER (ROWS UNBOUNDED PRECEDING) <= n, or raise) THEN g.v END
//!       FROM (SELECT row(…) … OFFSET 0) AS g (v))
//! ```
//!
//! Postgres compares the running sum before it builds the next row, so a list ends at most one row
//! after it became too long, at every depth. Lists side by side share the limit. Lists with a small
//! limit and no lists inside are written without the sum.

use super::Render;
use super::select::MIN_LIST_BYTES;
use crate::encode::shape::{ResponseShape, Shape};
use crate::error::{Cause, RequestLimit};
use crate::plan::{Expression, PlanBody, PostLimit, Select};
use crate::resolve::selection::Count;
use crate::statement::{AssertionToken, Parameter};

/// Whether a statement reads few rows and builds no lists or aggregates of them, so that its cost
/// need not be estimated.
pub(super) fn is_small(body: &PlanBody<'_>, shape: &Shape) -> bool {
    match (body, &shape.response) {
        (PlanBody::Rows(_), ResponseShape::One { row, .. }) => row.is_plain(),
        (PlanBody::Rows(select), ResponseShape::Rows { row, .. }) => {
            row.is_plain() && select.limits.iter().any(Count::is_few)
        }
        _ => false,
    }
}

/// The number of lists in the columns of a row.
fn lists(columns: &[Expression<'_>]) -> usize {
    let count_lists = |column: &Expression<'_>| match column {
        Expression::Rows(_) | Expression::Values(..) | Expression::Gathered(..) => 1,
        Expression::Record(select) => lists(&select.output),
        _ => 0,
    };
    columns.iter().map(count_lists).sum()
}

/// Whether a list may be long: it has lists in its rows, or no small limit.
fn may_be_long(select: &Select<'_>) -> bool {
    lists(&select.output) > 0 || !select.limits.iter().any(Count::is_few)
}

impl Render<'_> {
    /// Divides the size limit among the lists of a row. Returns the previous limit.
    pub(super) fn share(&mut self, columns: &[Expression<'_>]) -> Option<usize> {
        let remaining = self.remaining;
        self.remaining = remaining.map(|remaining_bytes| {
            (remaining_bytes / lists(columns).max(1)).max(MIN_LIST_BYTES.min(remaining_bytes))
        });
        remaining
    }

    /// `array(SELECT row(…) …)`. If it may be long, its bytes are summed row by row, before the
    /// next row is built:
    ///
    /// ```sql
    /// array(SELECT CASE WHEN <alarm unless sum(pg_column_size(g.v)) OVER (ROWS UNBOUNDED PRECEDING) <= 8388608>
    ///   THEN g.v END FROM (SELECT row(…) … OFFSET 0) AS g (v))
    /// ```
    ///
    /// `OFFSET 0` keeps Postgres from building each row twice.
    pub(super) fn list(&mut self, select: &Select<'_>) {
        let Some(remaining) = self.remaining.filter(|_| may_be_long(select)) else {
            return self.subquery("array(", select, true);
        };
        self.writer.syntax("array(");
        self.bounded_list(remaining, |render| {
            render.select(select, true);
            let has_offset = matches!(select.after, PostLimit::Nothing) && select.offset.is_some();
            render
                .writer
                .syntax(if has_offset { "" } else { " OFFSET 0" });
        });
        self.writer.syntax(")");
    }

    /// The records of a list; the statement fails when their size exceeds the limit.
    pub(super) fn bounded_list(&mut self, remaining: usize, rows: impl FnOnce(&mut Self)) {
        self.writer.syntax(
            "SELECT CASE WHEN (CASE WHEN sum(pg_column_size(g.v)) OVER (ROWS UNBOUNDED \
                     PRECEDING) <= ",
        );
        self.writer.number(remaining as u64);
        self.writer.syntax(" THEN 't' ELSE (SELECT ");
        let word = self.list_word(remaining);
        self.writer.param(&Parameter::Word(word), "text");
        self.writer.syntax(") END)::bool THEN g.v END FROM (");
        rows(self);
        self.writer.syntax(") AS g (v)");
    }

    /// The token of the assertion for lists with that limit, shared by all of them.
    fn list_word(&mut self, remaining: usize) -> String {
        let cause = Cause::Limit {
            limit: RequestLimit::ListBytes,
            value: remaining,
        };
        if let Some(existing) = self.alarms.iter().find(|alarm| alarm.cause == cause) {
            return existing.token.clone();
        }
        let word = format!("{}.{}.", self.word, self.alarms.len() + 1);
        self.alarms.push(AssertionToken {
            token: word.clone(),
            cause,
            path: "$".into(),
        });
        word
    }
}
