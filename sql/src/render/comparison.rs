//! A comparison, written as the table of operators says.

use super::Render;
use crate::plan::{Comparison, Operand};
use crate::postgres::types::Scalar;

impl Render<'_> {
    /// The operator's SQL, what stands in braces put in: `{x} {=} ANY ({})` is `_0."id" = ANY ($1::int4[])`.
    pub(super) fn comparison(&mut self, comparison: &Comparison<'_>, fenced: bool) {
        let fenced = comparison.veiled || fenced && comparison.work.is_none();
        let mut rest = comparison.operator.sql;
        while let Some((before, from)) = rest.split_once('{') {
            let (hole, after) = from.split_once('}').unwrap_or((from, ""));
            self.writer.syntax(before);
            self.hole(hole, comparison, fenced);
            rest = after;
        }
        self.writer.syntax(rest);
    }

    fn hole(&mut self, hole: &'static str, comparison: &Comparison<'_>, fenced: bool) {
        let scalar = &comparison.scalar;
        match hole {
            "x" => {
                self.term(&comparison.term);
                self.bare(scalar);
                self.as_base(scalar);
            }
            "schema" => self.writer.ident(&scalar.schema),
            field => match comparison.operands.iter().find(|operand| operand.field == field) {
                Some(operand) if comparison.unnested => self.rows_of_list(operand),
                Some(operand) => self.operand(operand, fenced),
                None => match comparison.operator.default_of(field) {
                    Some(default) => self.writer.syntax(default),
                    None => self.operator(field, scalar),
                },
            },
        }
    }

    /// `$1::uuid`; `(SELECT $1::…)` outside a fence, which hides the value from the planner's look at statistics.
    fn operand(&mut self, operand: &Operand, fenced: bool) {
        let Some(parameter) = &operand.parameter else { return self.writer.syntax("NULL") };
        let dimensions = if operand.list { "[]" } else { "" };
        self.writer.syntax(if fenced { "(SELECT " } else { "" });
        match &operand.scalar.over_domain {
            Some(_) => {
                self.writer.param(parameter, "text");
                self.as_base(&operand.scalar);
            }
            None => self.parameter(parameter, &operand.scalar, dimensions),
        }
        self.writer.syntax(if fenced { ")" } else { "" });
        // A bare subquery under ANY or ALL would be read as a set of rows.
        if fenced && operand.list {
            self.writer.syntax("::");
            self.writer.type_name(&operand.scalar.sql, dimensions);
        }
    }

    /// `SELECT unnest($1::int4[])`
    fn rows_of_list(&mut self, operand: &Operand) {
        let Some(parameter) = &operand.parameter else { return self.writer.syntax("NULL") };
        self.writer.syntax("SELECT unnest(");
        self.parameter(parameter, &operand.scalar, "[]");
        self.writer.syntax(")");
    }

    /// `::text[]` for an array over a domain of text.
    pub(super) fn as_base(&mut self, scalar: &Scalar) {
        if let Some(base) = &scalar.over_domain {
            self.writer.syntax("::");
            self.writer.type_name(base, "");
        }
    }

    /// `=`, or `OPERATOR("ext".=)` where the type has operators of its own.
    pub(super) fn operator(&mut self, symbol: &'static str, scalar: &Scalar) {
        match &scalar.operator_schema {
            None => self.writer.syntax(symbol),
            Some(schema) => {
                self.writer.syntax("OPERATOR(");
                self.writer.ident(schema);
                self.writer.syntax(".");
                self.writer.syntax(symbol);
                self.writer.syntax(")");
            }
        }
    }
}
