//! Renders comparisons from the SQL templates of the operator table.

use super::Render;
use crate::model::operators;
use crate::plan::{Comparison, Operand};
use crate::postgres::types::Scalar;
use crate::statement::Parameter;

impl Render<'_> {
    /// The operator's SQL template with its placeholders in braces filled in: `{x} {=} ANY ({})` is
    /// `_0."id" = ANY ($1::int4[])`.
    pub(super) fn comparison(&mut self, comparison: &Comparison<'_>, fenced: bool) {
        let is_hidden = fenced && comparison.work.is_none();
        if let Some(function) = comparison.scalar.comparison_function("=")
            && comparison.operator == operators::equal()
        {
            let operand = |render: &mut Self| render.placeholder("", comparison, is_hidden);
            return self.compare_by_function(
                function,
                |render| render.placeholder("x", comparison, is_hidden),
                operand,
            );
        }
        let mut rest = comparison.operator.sql;
        while let Some((before, from)) = rest.split_once('{') {
            let (placeholder, after) = from.split_once('}').unwrap_or((from, ""));
            self.writer.syntax(before);
            self.placeholder(placeholder, comparison, is_hidden);
            rest = after;
        }
        self.writer.syntax(rest);
    }

    fn placeholder(
        &mut self,
        placeholder: &'static str,
        comparison: &Comparison<'_>,
        is_hidden: bool,
    ) {
        let scalar = &comparison.scalar;
        match placeholder {
            "x" => {
                self.term(&comparison.term);
                self.as_compared(scalar);
            }
            "schema" => self.writer.ident(&scalar.schema),
            field => match comparison
                .operands
                .iter()
                .find(|operand| operand.field == field)
            {
                Some(operand) if comparison.unnested => self.rows_of_list(operand),
                Some(operand) => self.operand(operand, is_hidden),
                None => match comparison.operator.default_of(field) {
                    Some(default) => self.writer.syntax(default),
                    None => self.operator(field, scalar),
                },
            },
        }
    }

    /// `$1::uuid`; hidden, as outside a fence, `(SELECT $1::…)`, which keeps the planner from
    /// comparing the value with the statistics of rows that the role does not see.
    fn operand(&mut self, operand: &Operand, is_hidden: bool) {
        let Some(parameter) = &operand.parameter else {
            return self.writer.syntax("NULL");
        };
        let dimensions = if operand.list { "[]" } else { "" };
        self.writer.syntax(if is_hidden { "(SELECT " } else { "" });
        self.compared_parameter(parameter, &operand.scalar, dimensions);
        self.writer.syntax(if is_hidden { ")" } else { "" });
        // Under `ANY` or `ALL` a subquery without a cast would be read as a set of rows.
        if is_hidden && operand.list {
            self.writer.syntax("::");
            self.writer.type_name(
                operand
                    .scalar
                    .compared_as
                    .as_ref()
                    .unwrap_or(&operand.scalar.sql),
                dimensions,
            );
        }
    }

    /// A parameter as the type that columns of its type are compared as.
    pub(super) fn compared_parameter(
        &mut self,
        parameter: &Parameter,
        scalar: &Scalar,
        dimensions: &'static str,
    ) {
        match (&scalar.over_domain, &scalar.compared_as) {
            (Some(_), _) => {
                self.writer.param(parameter, "text");
                self.as_base(scalar);
            }
            // A pattern need not be a value of the type.
            (None, Some(compared_as)) if matches!(parameter, Parameter::Pattern(_)) => {
                self.writer.param(parameter, "text");
                self.writer.syntax("::");
                self.writer.type_name(compared_as, dimensions);
            }
            (None, _) => {
                self.parameter(parameter, scalar, dimensions);
                if let Some(passes_as) = scalar.passes_as() {
                    self.writer.syntax("::");
                    self.writer.type_name(passes_as, dimensions);
                }
            }
        }
    }

    /// The casts after a column that is compared.
    pub(super) fn as_compared(&mut self, scalar: &Scalar) {
        self.cast_for_comparison(scalar);
        self.as_base(scalar);
    }

    /// `SELECT unnest($1::int4[])`
    fn rows_of_list(&mut self, operand: &Operand) {
        let Some(parameter) = &operand.parameter else {
            return self.writer.syntax("NULL");
        };
        self.writer.syntax("SELECT unnest(");
        self.compared_parameter(parameter, &operand.scalar, "[]");
        self.writer.syntax(")");
    }

    /// `::text[]` for an array over a domain of text.
    pub(super) fn as_base(&mut self, scalar: &Scalar) {
        if let Some(base) = &scalar.over_domain {
            self.writer.syntax("::");
            self.writer.type_name(base, "");
        }
    }

    /// `=`, or `OPERATOR("ext".=)` if the type has operators of its own.
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
