//! Renders native queries: each table becomes a subquery with its row rule.

use super::Render;
use super::writer::Writer;
use crate::encode::shape::Shape;
use crate::model::access::Access;
use crate::plan::{NamedPiece, NativeQuery, ScannedTable};
use crate::postgres::types::{Cast, Scalar};
use crate::statement::{Parameter, Statement};

/// A query whose types are unknown, with the position of each fragment in its text.
pub fn draft(access: &Access, named: &NativeQuery<'_>, shape: Shape) -> (Statement, Vec<usize>) {
    let mut render = Render::new(access);
    let positions = render.pieces(&named.pieces);
    (render.finish(shape), positions)
}

/// A query of known types over its tables alone, without rules and with null for each parameter;
/// its text has the functions that the query itself calls, without those of rules.
pub fn bare(access: &Access, named: &NativeQuery<'_>) -> String {
    let mut render = Render {
        writer: Writer::for_nulls(),
        ..Render::new(access)
    };
    for piece in &named.pieces {
        match piece {
            NamedPiece::Opened(opened) => render.table_alone(opened),
            piece => render.named_piece(piece),
        }
    }
    render.writer.finish().text
}

impl Render<'_> {
    /// `SELECT _0."a", _0."b"::text FROM (statement) AS _0`
    pub(super) fn named_sql(&mut self, named: &NativeQuery<'_>) {
        let Some(alias) = named.alias else { return };
        self.writer.syntax("SELECT");
        for (index, (name, output)) in named.columns.iter().zip(&named.outputs).enumerate() {
            self.writer.syntax(if index > 0 { ", " } else { " " });
            self.cast(output.cast, |render| render.writer.column(alias, name));
        }
        self.writer.syntax(" FROM (");
        self.pieces(&named.pieces);
        self.writer.syntax(") AS ");
        self.writer.alias(alias);
    }

    /// Writes the fragments, and returns the position of each.
    pub(super) fn pieces(&mut self, pieces: &[NamedPiece<'_>]) -> Vec<usize> {
        let mut positions = Vec::with_capacity(pieces.len());
        for piece in pieces {
            positions.push(self.writer.length());
            self.named_piece(piece);
        }
        positions
    }

    fn named_piece(&mut self, piece: &NamedPiece<'_>) {
        match piece {
            NamedPiece::Sql(text) => self.writer.rule(text),
            NamedPiece::Opened(opened) => self.opened(opened),
            NamedPiece::Session(value) => self.session(value),
            NamedPiece::Parameter(parameter, None) => self.writer.untyped(parameter),
            NamedPiece::Parameter(parameter, Some(oid)) => {
                self.typed(parameter, &self.access.model().scalar(*oid));
            }
        }
    }

    /// `array(SELECT row(_1."a", _1."b"::text) FROM _1)`
    pub(super) fn gathered(&mut self, part: u32, columns: &[(String, Cast)]) {
        self.writer.syntax("array(");
        match self.remaining {
            Some(remaining) => self.bounded_list(remaining, |render| {
                render.part_rows(part, columns);
                render.writer.syntax(" OFFSET 0");
            }),
            None => self.part_rows(part, columns),
        }
        self.writer.syntax(")");
    }

    /// `SELECT row(_1."a", …) FROM _1`
    fn part_rows(&mut self, part: u32, columns: &[(String, Cast)]) {
        self.writer.syntax("SELECT row(");
        for (index, (name, cast)) in columns.iter().enumerate() {
            self.writer.syntax(if index > 0 { ", " } else { "" });
            self.cast(*cast, |render| render.writer.column(part, name));
        }
        self.writer.syntax(") FROM ");
        self.writer.alias(part);
    }

    /// A value of a type, parsed from its text: `$1::int4`, `$1::text::"public"."mood"`.
    fn typed(&mut self, parameter: &Parameter, scalar: &Scalar) {
        if scalar.builtin {
            return self.writer.param(parameter, &scalar.sql);
        }
        self.writer.param(parameter, "text");
        self.writer.syntax("::");
        self.writer.type_name(&scalar.sql, "");
    }

    /// `(SELECT _1."id" AS "id" FROM t AS _1 WHERE (rule) OFFSET 0)`; `OFFSET 0` only if a fence is
    /// needed. The next fragment has the table's alias: `AS "s"`.
    fn opened(&mut self, opened: &ScannedTable<'_>) {
        self.writer.syntax("(SELECT");
        for (index, (column, name)) in opened.columns.iter().enumerate() {
            self.writer.syntax(if index > 0 { ", " } else { " " });
            self.column(column);
            self.writer.syntax(" AS ");
            self.writer.ident(name);
        }
        self.writer.syntax(" FROM ");
        self.table(&opened.scan);
        self.conditions(&opened.scan, &[]);
        self.writer
            .syntax(if opened.fenced { " OFFSET 0)" } else { ")" });
    }

    /// `(SELECT _1."id" AS "id" FROM t AS _1)`: the granted columns as stored, without a row rule.
    fn table_alone(&mut self, opened: &ScannedTable<'_>) {
        self.writer.syntax("(SELECT");
        for (index, (_, name)) in opened.columns.iter().enumerate() {
            self.writer.syntax(if index > 0 { ", " } else { " " });
            self.writer.column(opened.scan.alias(), name);
            self.writer.syntax(" AS ");
            self.writer.ident(name);
        }
        self.writer.syntax(" FROM ");
        self.table(&opened.scan);
        self.writer.syntax(")");
    }
}
