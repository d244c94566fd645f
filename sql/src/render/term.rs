//! Renders terms (columns, JSON paths, casts, search ranks) and full-text searches.

use super::Render;
use crate::plan::{Column, Search, Term};
use crate::postgres::types::quoted;
use crate::statement::Parameter;

impl Render<'_> {
    pub(super) fn term(&mut self, term: &Term<'_>) {
        match term {
            Term::Column(column) => self.column(column),
            Term::Measure(measured) => self.measured(measured),
            Term::Inside(column, path) => self.json_path(column, path),
            Term::Path(column, path, r#type) => {
                self.writer.syntax("(");
                for (i, part) in r#type.sql.split("{v}").enumerate() {
                    if i > 0 {
                        self.json_path(column, path);
                    }
                    self.writer.syntax(part);
                }
                self.writer.syntax(")");
            }
            Term::Cast { term, r#type, .. } => {
                let scalar = self.access.model().scalar(*r#type);
                self.term(term);
                self.writer.syntax("::");
                self.writer.type_name(&scalar.sql, "");
            }
            Term::Rank(search) => {
                self.writer.syntax("ts_rank(");
                self.document(search);
                self.writer.syntax(", ");
                self.query(search, false);
                self.writer.syntax(")");
            }
        }
    }

    /// `(column #> $1::text[])`
    fn json_path(&mut self, column: &Column<'_>, path: &Parameter) {
        self.writer.syntax("(");
        self.column(column);
        self.writer.syntax(" #> ");
        self.writer.param(path, "text[]");
        self.writer.syntax(")");
    }

    /// `to_tsvector('"pg_catalog"."english"'::regconfig, _0."body") @@ websearch_to_tsquery(…,
    /// $1::text)`
    pub(super) fn search(&mut self, search: &Search<'_>, fenced: bool) {
        self.document(search);
        self.writer.syntax(" @@ ");
        self.query(search, fenced && search.raises());
    }

    /// The text as `tsvector`. The configuration is a constant, so that an index over the
    /// expression serves.
    fn document(&mut self, search: &Search<'_>) {
        if search.ready {
            return self.term(&search.term);
        }
        self.writer.syntax("to_tsvector(");
        self.config(search);
        self.term(&search.term);
        let scalar = self.access.model().scalar(search.term.r#type());
        self.writer
            .syntax(if scalar.builtin { ")" } else { "::text)" });
    }

    fn query(&mut self, search: &Search<'_>, fenced: bool) {
        self.writer.syntax(search.mode.function());
        self.writer.syntax("(");
        self.config(search);
        self.writer.syntax(if fenced { "(SELECT " } else { "" });
        self.writer.param(&search.query, "text");
        self.writer.syntax(if fenced { "))" } else { ")" });
    }

    /// `'"pg_catalog"."english"'::regconfig, `; empty to use the database's default configuration.
    fn config(&mut self, search: &Search<'_>) {
        if let Some((schema, name)) = &search.config {
            self.writer
                .literal(&format!("{}.{}", quoted(schema), quoted(name)));
            self.writer.syntax("::regconfig, ");
        }
    }
}
