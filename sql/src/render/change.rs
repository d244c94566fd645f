//! Renders `UPDATE`, `DELETE` and `SELECT … FOR NO KEY UPDATE`.

use super::Render;
use crate::error::{Cause, LengthLimit};
use crate::model::update_operators::UpdateOperator;
use crate::plan::{
    Assigned, Check, Condition, DeletePlan, Predicate, ResultLimit, Scan, SelectForUpdate,
    TransferredKey, UpdatePlan, UpdateTarget, free_name, is_locked,
};
use crate::postgres::catalog::Column;
use crate::postgres::types::{Scalar, domain_name};
use crate::statement::Parameter;

/// The type that cannot be multiplied by itself.
const MONEY: &str = "money";

impl Render<'_> {
    // ---- statements

    /// `UPDATE t AS _0 SET "a" = … WHERE … RETURNING …`
    pub(super) fn update(&mut self, updating: &UpdatePlan<'_>) {
        let alias = updating.target.alias();
        self.writer.syntax("UPDATE ");
        self.target(&updating.target);
        self.writer.syntax(" SET ");
        for (i, (column, value)) in updating.assignments.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.writer.ident(&column.name);
            self.writer.syntax(" = ");
            self.assigned(column, value, alias);
        }
        match &updating.rows {
            UpdateTarget::Condition(condition) => self.row_conditions(&updating.target, condition),
            UpdateTarget::Locked(key, check) => self.locked_rows(&updating.target, key, check),
        }
        self.returning(&updating.returned, alias);
        if let Some(check) = &updating.check {
            self.writer.syntax(", ");
            self.stored_row_check(check);
        }
    }

    /// `DELETE FROM t AS _0 WHERE … RETURNING …`
    pub(super) fn delete(&mut self, deleting: &DeletePlan<'_>) {
        self.writer.syntax("DELETE FROM ");
        self.target(&deleting.target);
        self.row_conditions(&deleting.target, &deleting.condition);
        self.returning(&deleting.returned, deleting.target.alias());
    }

    /// `SELECT _0."id" AS "_key0", … AS "a" FROM t AS _0 WHERE … FOR NO KEY UPDATE OF _0`: locks
    /// the rows and returns their new values.
    pub(super) fn lock(&mut self, locking: &SelectForUpdate<'_>) {
        let alias = locking.target.alias();
        let mut separator = "SELECT ";
        for (column, name) in &locking.key {
            self.writer.syntax(separator);
            self.writer.column(alias, &column.name);
            self.writer.syntax(" AS ");
            self.writer.ident(name);
            separator = ", ";
        }
        for (column, value) in &locking.assignments {
            self.writer.syntax(separator);
            self.new_value_as_stored(column, value, alias);
            separator = ", ";
        }
        let returned = locking
            .returned
            .as_ref()
            .map(|returned| returned.used_columns())
            .unwrap_or_default();
        for name in locking
            .kept
            .iter()
            .map(|column| column.name.as_str())
            .chain(returned)
        {
            self.writer.syntax(separator);
            self.writer.column(alias, name);
            separator = ", ";
        }
        if let Some(row) = locking
            .returned
            .as_ref()
            .and_then(|returned| returned.row(alias))
        {
            self.writer.syntax(separator);
            self.plain_row(&row);
            separator = ", ";
        }
        self.writer.syntax(if separator == ", " {
            " FROM "
        } else {
            "SELECT FROM "
        });
        self.target(&locking.target);
        self.row_conditions(&locking.target, &locking.condition);
        if is_locked(locking.target.table()) {
            self.writer.syntax(" FOR NO KEY UPDATE OF ");
            self.writer.alias(alias);
        }
    }

    /// `"public"."t" AS _0`
    fn target(&mut self, target: &Scan<'_>) {
        self.wrap_scan(target, false);
        self.table(target);
    }

    // ---- the rows

    /// ` WHERE (rule) AND safe AND CASE WHEN (rule) AND safe THEN raising ELSE false END`: Postgres
    /// may evaluate conditions in any order, except inside a `CASE`. A subquery as a fence would
    /// not be evaluated again when Postgres rechecks a row after a concurrent update.
    fn row_conditions(&mut self, target: &Scan<'_>, condition: &Condition<'_>) {
        self.conditions(target, &condition.safe);
        if condition.raising.is_empty() && condition.expected.is_none() {
            return;
        }
        let first = !target.filters_rows() && condition.safe.is_empty();
        self.writer.syntax(if first { " WHERE " } else { " AND " });
        let mut ends = 0;
        if !first {
            self.writer.syntax("CASE WHEN ");
            self.rule_and(target, &condition.safe);
            self.writer.syntax(" THEN ");
            ends += 1;
        }
        if let Some((expected, path)) = &condition.expected {
            if !condition.raising.is_empty() {
                self.writer.syntax("CASE WHEN ");
                self.conjunction(&condition.raising, true);
                self.writer.syntax(" THEN ");
                ends += 1;
            }
            self.alarm(&Cause::Mismatch, path, |render| {
                render.conjunction(expected, true);
            });
        } else {
            self.conjunction(&condition.raising, true);
        }
        (0..ends).for_each(|_| self.writer.syntax(" ELSE false END"));
    }

    fn rule_and(&mut self, target: &Scan<'_>, safe: &[Predicate<'_>]) {
        if target.filters_rows() {
            self.rules(target);
            self.writer
                .syntax(if safe.is_empty() { "" } else { " AND " });
        }
        self.conjunction(safe, false);
    }

    /// ` FROM _1 WHERE _2."id" = _1."_key0" AND (SELECT … FROM _1)`: the locked rows, after the
    /// check on all of them.
    fn locked_rows(&mut self, target: &Scan<'_>, key: &[(&Column, String)], check: &Check<'_>) {
        let alias = target.alias();
        let part = check.rows;
        self.writer.syntax(" FROM ");
        self.writer.alias(part);
        // The rule is applied again, because a declared key need not be unique.
        self.conditions(target, &[]);
        self.writer.syntax(if target.filters_rows() {
            " AND "
        } else {
            " WHERE "
        });
        for (column, name) in key {
            let locked = |render: &mut Self| {
                render.writer.column(part, name);
                render.cast_for_comparison(&render.access.model().scalar(column.r#type));
            };
            self.equals(
                column.r#type,
                |render| render.writer.column(alias, &column.name),
                locked,
            );
            self.writer.syntax(" AND ");
        }
        self.writer.syntax("(SELECT ");
        self.alarm(&Cause::Check, &check.path, |render| {
            render.holds_for_all(check);
        });
        self.writer.syntax(" FROM ");
        self.writer.alias(part);
        self.writer.syntax(")");
    }

    /// The check on a row as stored.
    fn stored_row_check(&mut self, check: &Check<'_>) {
        self.alarm(&Cause::Check, &check.path, |render| {
            render.rule(check.rule, check.table, check.rows);
        });
        // Without an alias the column would be called `bool`, as a column of the table may be.
        self.writer.syntax(" AS ");
        self.writer.ident(&free_name(check.table, "_judged"));
    }

    // ---- new values

    /// `(…)::int4 AS "a"`: cast to the column's type, so that the check reads the value that will
    /// be stored.
    fn new_value_as_stored(&mut self, column: &Column, value: &Assigned<'_>, alias: u32) {
        let scalar = self.access.model().scalar(column.r#type);
        self.writer.syntax("(");
        self.assigned(column, value, alias);
        self.writer.syntax(")::");
        self.writer.type_name(&scalar.sql, "");
        self.writer.syntax(" AS ");
        self.writer.ident(&column.name);
    }

    fn assigned(&mut self, column: &Column, value: &Assigned<'_>, alias: u32) {
        match value {
            Assigned::Given(modifier, parameter) => {
                self.modified(column, *modifier, parameter, alias);
            }
            Assigned::Extended(modifier, parameter, limit) => {
                self.extended(column, *modifier, parameter, limit, alias);
            }
            // A preset reads no column of the row.
            Assigned::Preset(rule, table) => {
                self.writer.syntax("(");
                self.rule(rule, table, alias);
                self.writer.syntax(")");
            }
            Assigned::Null => self.writer.syntax("NULL"),
            Assigned::Locked(part) => self.writer.column(*part, &column.name),
            Assigned::Transferred(key) => self.first_transferred(key),
        }
    }

    /// `(current_setting('postern.s2', true)::text[])[1]::int4`
    fn first_transferred(&mut self, key: &TransferredKey<'_>) {
        self.writer.syntax("(");
        self.setting(key.setting);
        self.writer.syntax("::text[])[1]::");
        let scalar = self.access.model().scalar(key.r#type);
        self.writer.type_name(&scalar.sql, "");
    }

    /// `CASE WHEN assertion THEN _0."a" || $1 END`, where the assertion is `(char_length((_0."a" ||
    /// $1)::text) > 9) IS NOT TRUE`: the new value, or the statement fails because it is too long.
    /// Only rows that are updated have a new value.
    fn extended(
        &mut self,
        column: &Column,
        modifier: UpdateOperator,
        parameter: &Parameter,
        limit: &ResultLimit,
        alias: u32,
    ) {
        let cause = Cause::TooLong {
            name: limit.name.clone(),
            limit: limit.limit,
        };
        self.writer.syntax("CASE WHEN ");
        self.alarm(&cause, &limit.path, |render| {
            let (before, after, most) = match limit.limit {
                LengthLimit::Characters(most) => ("(char_length((", ")::text) > ", most),
                LengthLimit::Elements(most) => ("(cardinality(", ") > ", most),
            };
            render.writer.syntax(before);
            render.modified(column, modifier, parameter, alias);
            render.writer.syntax(after);
            render.writer.number(most.into());
            render.writer.syntax(") IS NOT TRUE");
        });
        self.writer.syntax(" THEN ");
        self.modified(column, modifier, parameter, alias);
        self.writer.syntax(" END");
    }

    /// `_0."a" + $1::int4`
    fn modified(
        &mut self,
        column: &Column,
        modifier: UpdateOperator,
        parameter: &Parameter,
        alias: u32,
    ) {
        let scalar = self.access.model().scalar(column.r#type);
        let (before, after) = match modifier {
            UpdateOperator::Set => return self.parameter(parameter, &scalar, ""),
            UpdateOperator::Prepend => {
                self.parameter(parameter, &scalar, "");
                self.writer.syntax(" || ");
                return self.writer.column(alias, &column.name);
            }
            UpdateOperator::ArrayAppend => ("array_append(", ", "),
            UpdateOperator::ArrayRemove => ("array_remove(", ", "),
            UpdateOperator::Inc => ("", " + "),
            UpdateOperator::Mul => ("", " * "),
            UpdateOperator::Append => ("", " || "),
            UpdateOperator::DeleteKey | UpdateOperator::DeleteElem => ("", " - "),
            UpdateOperator::DeleteAtPath => ("", " #- "),
        };
        self.writer.syntax(before);
        self.writer.column(alias, &column.name);
        self.as_base(&scalar);
        self.writer.syntax(after);
        match modifier {
            UpdateOperator::DeleteKey => self.writer.param(parameter, "text"),
            UpdateOperator::DeleteElem => self.writer.param(parameter, "int4"),
            UpdateOperator::DeleteAtPath => self.writer.param(parameter, "text[]"),
            UpdateOperator::Mul if scalar.sql == MONEY => self.writer.param(parameter, "float8"),
            // The input syntax of money has no exponents.
            UpdateOperator::Inc if scalar.sql == MONEY => {
                self.writer.param(parameter, "numeric");
                self.writer.syntax("::money");
            }
            UpdateOperator::ArrayAppend | UpdateOperator::ArrayRemove => {
                self.array_element(parameter, &scalar);
            }
            _ => self.parameter(parameter, &scalar, ""),
        }
        self.writer.syntax(if before.is_empty() { "" } else { ")" });
    }

    /// An element of an array. If the array is over a domain, the element has the base type, like
    /// the array.
    fn array_element(&mut self, parameter: &Parameter, array: &Scalar) {
        let element = array
            .element
            .map(|element| self.access.model().scalar(element));
        match element {
            Some(element) => self.parameter(parameter, &element, ""),
            None => self.writer.param(parameter, "text"),
        }
        // Of a domain over arrays the elements have no base type: Postgres has no arrays of arrays.
        let domain = array.element.filter(|_| array.over_domain.is_none());
        if let Some(domain) =
            domain.and_then(|element| domain_name(self.access.model().catalog(), element))
        {
            self.writer.syntax("::");
            self.writer.type_name(&domain, "");
        }
    }
}
