//! Renders arrays and composite values as JSON where `to_json` would write a type inside in another
//! form than Postern writes columns of it: `CREATE CAST (t AS json)` decides the form inside of
//! arrays and composite values alone.

use super::Render;
use crate::postgres::catalog::{CompositeField, Oid, TypeKind};
use crate::postgres::types::{has_own_json, is_composite_inside};

impl Render<'_> {
    /// A value, of which `to_json` and `row_to_json` make the form of Postern:
    ///
    /// ```sql
    /// (SELECT CASE WHEN c.v IS DISTINCT FROM NULL THEN
    ///   (SELECT row_to_json(r) FROM (SELECT (c.v)."a"::text AS "a", (c.v)."n" AS "n") AS r) END
    ///   FROM (SELECT _0."value" AS v) AS c)
    /// ```
    pub(super) fn composed(&mut self, oid: Oid, value: impl FnOnce(&mut Self)) {
        let catalog = self.access.model().catalog().clone();
        let Some(base) = catalog
            .base_type(oid)
            .filter(|base| has_own_json(&catalog, base))
        else {
            return value(self);
        };
        match &base.kind {
            TypeKind::Array(element) if is_composite_inside(&catalog, base) => {
                self.composed_list(*element, value);
            }
            TypeKind::Array(_) => {
                value(self);
                self.writer.syntax("::text[]");
            }
            TypeKind::Composite(fields) => self.composed_row(fields, value),
            _ => {
                value(self);
                self.writer.syntax("::text");
            }
        }
    }

    fn composed_row(&mut self, fields: &[CompositeField], value: impl FnOnce(&mut Self)) {
        self.writer.syntax(
            "(SELECT CASE WHEN c.v IS DISTINCT FROM NULL THEN (SELECT row_to_json(r) FROM (SELECT ",
        );
        for (index, field) in fields.iter().enumerate() {
            self.writer.syntax(if index > 0 { ", " } else { "" });
            let attribute: Box<dyn FnOnce(&mut Self)> = Box::new(|render| {
                render.writer.syntax("(c.v).");
                render.writer.ident(&field.name);
            });
            self.composed(field.r#type, attribute);
            self.writer.syntax(" AS ");
            self.writer.ident(&field.name);
        }
        self.writer.syntax(") AS r) END FROM (SELECT ");
        value(self);
        self.writer.syntax(" AS v) AS c)");
    }

    /// An array of one or two dimensions, element by element. Arrays of more dimensions are left to
    /// Postgres.
    ///
    /// Subscripts are counted by `unnest`, of which the planner expects ten rows. It expects a
    /// thousand of `generate_subscripts`, so that a list of small arrays would be refused for its
    /// cost.
    fn composed_list(&mut self, element: Oid, value: impl FnOnce(&mut Self)) {
        let item = |subscripts: &'static str| -> Box<dyn FnOnce(&mut Self)> {
            Box::new(move |render| render.writer.syntax(subscripts))
        };
        self.writer
            .syntax("(SELECT CASE array_ndims(c.v) WHEN 1 THEN (SELECT json_agg(");
        self.composed(element, item("(c.v)[array_lower(c.v, 1) - 1 + s.i]"));
        self.writer.syntax(
            ") FROM unnest(array_fill(0, ARRAY[array_length(c.v, 1)])) WITH ORDINALITY AS s(n, i))",
        );
        self.writer
            .syntax(" WHEN 2 THEN (SELECT json_agg((SELECT json_agg(");
        self.composed(
            element,
            item("(c.v)[array_lower(c.v, 1) - 1 + s.i][array_lower(c.v, 2) - 1 + t.i]"),
        );
        self.writer.syntax(
            ") FROM unnest(array_fill(0, ARRAY[array_length(c.v, 2)])) WITH ORDINALITY \
                     AS t(n, i)))",
        );
        self.writer.syntax(
            " FROM unnest(array_fill(0, ARRAY[array_length(c.v, 1)])) WITH ORDINALITY AS s(n, i))",
        );
        self.writer.syntax(" ELSE to_json(c.v) END FROM (SELECT ");
        value(self);
        self.writer.syntax(" AS v) AS c)");
    }
}
