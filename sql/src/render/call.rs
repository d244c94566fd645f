//! Renders calls of functions, and the whole rows that are passed to them.

use super::Render;
use crate::plan::{Argument, ArgumentValue, Call, Row, Scan};
use crate::postgres::types::{Cast, domain_name};
use crate::statement::Parameter;

impl Render<'_> {
    /// `"public"."f"($1::int4, "b" => $2::text)`: positional notation until an argument is left
    /// out, then named notation.
    pub(super) fn call(&mut self, call: &Call<'_>) {
        self.writer.ident(&call.function.schema);
        self.writer.syntax(".");
        self.writer.ident(&call.function.name);
        self.writer.syntax("(");
        for (i, argument) in call.arguments.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.argument(argument, argument.index > i);
        }
        self.writer.syntax(")");
    }

    /// The row that a function returns, or no row if it returns null, which Postgres would read as
    /// a row of nulls:
    ///
    /// ```sql
    /// unnest(array(SELECT g.v FROM (SELECT f($1) OFFSET 0) AS g (v) WHERE g.v IS DISTINCT FROM NULL))
    /// ```
    ///
    /// `unnest` keeps the type of the row, and `OFFSET 0` the function from being called twice.
    pub(super) fn single_row(&mut self, call: &Call<'_>) {
        self.writer.syntax("unnest(array(SELECT g.v FROM (SELECT ");
        self.call(call);
        self.writer
            .syntax(" OFFSET 0) AS g (v) WHERE g.v IS DISTINCT FROM NULL))");
    }

    /// A call as a value: `f(…)`, or `CASE WHEN … THEN f(…) END` if it is not granted on every row.
    pub(super) fn called(&mut self, call: &Call<'_>) {
        let Some(only) = &call.only else {
            return self.call(call);
        };
        self.writer.syntax("CASE WHEN ");
        self.column(only);
        self.writer.syntax(" THEN ");
        self.call(call);
        self.writer.syntax(" END");
    }

    fn argument(&mut self, argument: &Argument<'_>, named: bool) {
        self.writer
            .syntax(if argument.variadic { "VARIADIC " } else { "" });
        if let (true, Some(name)) = (named, argument.name) {
            self.writer.ident(name);
            self.writer.syntax(" => ");
        }
        let catalog = self.access.model().catalog();
        match &argument.passed {
            ArgumentValue::Parameter(parameter, oid) => {
                self.parameter(parameter, &self.access.model().scalar(*oid), "");
                if let Some(domain) = domain_name(catalog, *oid) {
                    self.writer.syntax("::");
                    self.writer.type_name(&domain, "");
                }
            }
            ArgumentValue::Session(oid) => {
                self.parameter(
                    &Parameter::WholeSession,
                    &self.access.model().scalar(*oid),
                    "",
                );
            }
            ArgumentValue::Row(row) => self.whole_row(row),
        }
    }

    /// `_0.*`, which passes the row as a whole; outside a subquery the column that the subquery
    /// exports, `_0."_row"`.
    pub(super) fn whole_row(&mut self, row: &Row<'_>) {
        if self.wrapped.contains(&row.alias) {
            return self.writer.column(row.alias, &row.name());
        }
        self.writer.alias(row.alias);
        self.writer.syntax(".*");
    }

    /// The whole row among the columns that a subquery exports: `_0.*::"public"."users" AS "_row"`.
    pub(super) fn exported_row(&mut self, scan: &Scan<'_>, separator: &'static str) {
        let Some(row) = scan.exported_row() else {
            return;
        };
        self.writer.syntax(separator);
        self.whole_row(&row);
        if !self.wrapped.contains(&row.alias) {
            self.named_row(&row);
        }
    }

    /// `::"public"."users" AS "_row"`
    fn named_row(&mut self, row: &Row<'_>) {
        self.writer.syntax("::");
        self.table_name(row.table);
        self.writer.syntax(" AS ");
        self.writer.ident(&row.name());
    }

    /// `_0.*::"public"."users" AS "_row"`, regardless of subqueries around it.
    pub(super) fn plain_row(&mut self, row: &Row<'_>) {
        self.writer.alias(row.alias);
        self.writer.syntax(".*");
        self.named_row(row);
    }

    /// Records whether the rows of a scan come from a subquery; those of derived scans always do.
    pub(super) fn wrap_scan(&mut self, scan: &Scan<'_>, wrapped: bool) {
        self.wrap(scan.alias(), wrapped || scan.is_derived());
    }

    /// Records whether the rows of a scan come from a subquery at the current position of the text.
    pub(super) fn wrap(&mut self, alias: u32, wrapped: bool) {
        if wrapped {
            self.wrapped.insert(alias)
        } else {
            self.wrapped.remove(&alias)
        };
    }

    /// `array(SELECT row(_0."value") FROM f($1) AS _0("value"))`
    pub(super) fn values(&mut self, call: &Call<'_>, alias: u32, cast: Cast) {
        self.writer.syntax("array(");
        match self.remaining {
            Some(remaining) => self.bounded_list(remaining, |render| {
                render.value_rows(call, alias, cast);
                render.writer.syntax(" OFFSET 0");
            }),
            None => self.value_rows(call, alias, cast),
        }
        self.writer.syntax(")");
    }

    /// `SELECT row(_0."value") FROM f($1) AS _0("value")`
    fn value_rows(&mut self, call: &Call<'_>, alias: u32, cast: Cast) {
        self.writer.syntax("SELECT row(");
        self.cast(cast, |render| render.writer.column(alias, VALUE));
        self.writer.syntax(") FROM ");
        self.call(call);
        self.writer.syntax(" AS ");
        self.writer.alias(alias);
        self.writer.syntax("(");
        self.writer.ident(VALUE);
        self.writer.syntax(")");
        if let Some(only) = &call.only {
            self.writer.syntax(" WHERE ");
            self.column(only);
        }
    }
}

/// The column name for a function that returns values.
const VALUE: &str = "value";
