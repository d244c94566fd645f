//! Named SQL: the tables of a statement as subqueries under their row rules.

use super::Render;
use crate::plan::{Named, NamedPiece, Opened};
use crate::statement::Parameter;
use crate::types::Scalar;

impl Render<'_> {
    /// `SELECT _0."a", _0."b"::text FROM (statement) AS _0`; the statement by itself while its types are not known.
    pub(super) fn named_sql(&mut self, named: &Named<'_>) {
        let Some(alias) = named.alias else { return self.pieces(&named.pieces) };
        self.writer.syntax("SELECT");
        for (place, (name, output)) in named.columns.iter().zip(&named.outputs).enumerate() {
            self.writer.syntax(if place > 0 { ", " } else { " " });
            self.cast(output.cast, |render| render.writer.column(alias, name));
        }
        self.writer.syntax(" FROM (");
        self.pieces(&named.pieces);
        self.writer.syntax(") AS ");
        self.writer.alias(alias);
    }

    fn pieces(&mut self, pieces: &[NamedPiece<'_>]) {
        for piece in pieces {
            match piece {
                NamedPiece::Sql(text) => self.writer.rule(text),
                NamedPiece::Opened(opened) => self.opened(opened),
                NamedPiece::Session(value) => self.session(value),
                NamedPiece::Parameter(parameter, None) => self.writer.untyped(parameter),
                NamedPiece::Parameter(parameter, Some(oid)) => {
                    self.typed(parameter, &Scalar::of(self.access.model().catalog(), *oid));
                }
            }
        }
    }

    /// A value as a type, read from its text whatever it is: `$1::int4`, `$1::text::"public"."mood"`.
    fn typed(&mut self, parameter: &Parameter, scalar: &Scalar) {
        if scalar.builtin {
            return self.writer.param(parameter, &scalar.sql);
        }
        self.writer.param(parameter, "text");
        self.writer.syntax("::");
        self.writer.type_name(&scalar.sql, "");
    }

    /// `(SELECT _1."id" AS "id" FROM t AS _1 WHERE (rule) OFFSET 0)`, without the last two words where there is no fence. What
    /// it is called stands behind it: `AS "s"`.
    fn opened(&mut self, opened: &Opened<'_>) {
        self.writer.syntax("(SELECT");
        for (place, (column, name)) in opened.columns.iter().enumerate() {
            self.writer.syntax(if place > 0 { ", " } else { " " });
            self.column(column);
            self.writer.syntax(" AS ");
            self.writer.ident(name);
        }
        self.writer.syntax(" FROM ");
        self.table(&opened.scan);
        self.conditions(&opened.scan, &[]);
        self.writer.syntax(if opened.fenced { " OFFSET 0)" } else { ")" });
    }
}
