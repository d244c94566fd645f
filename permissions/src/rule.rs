//! Row rules, checks and presets: SQL expressions, resolved against the catalog and written again as pieces.

use std::ops::Range;

use sql::access::{Rule, SessionValue, Source};
use sql::catalog::{Catalog, ColumnId, TableId};

use crate::fault::Fault;
use crate::file::{NamedRule, Text};
use crate::problem::Place;
use crate::report::Report;
use crate::session::Session;

/// What an expression is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A row of a table.
    Row(TableId),
    /// A value for a column; it sees no row.
    Preset(TableId, ColumnId),
}

/// A compiled expression, with where each part of it was written.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) rule: Rule,
    pub(crate) parts: Vec<Part>,
    pub(crate) place: Place,
    /// What would help when Postgres does not know a function.
    pub(crate) hint: Option<String>,
}

/// A piece of a rule and the bytes of the file that it comes from.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Sql { text: String, span: Option<Range<usize>> },
    Column { column: ColumnId, span: Option<Range<usize>> },
    Session { value: SessionValue, span: Option<Range<usize>> },
}

/// The named rules of a file, and what rules are resolved against.
pub(crate) struct Rules<'f> {
    #[allow(dead_code)]
    catalog: &'f Catalog,
    #[allow(dead_code)]
    session: &'f Session,
    #[allow(dead_code)]
    named: &'f [NamedRule],
}

impl<'f> Rules<'f> {
    pub(crate) fn new(catalog: &'f Catalog, session: &'f Session, named: &'f [NamedRule], _: &mut Report<'_>) -> Self {
        Rules { catalog, session, named }
    }

    pub(crate) fn compile(&self, _: Subject, text: &Text, report: &mut Report<'_>) -> Option<Compiled> {
        let word = text.value.trim().to_ascii_lowercase();
        if word != "true" && word != "false" {
            report.add(Fault::NotYet { what: "a rule other than true and false".into() }, &text.span);
            return None;
        }
        let place = report.place(&text.span);
        let source = Source { file: report.file.name.clone(), line: place.line(), text: text.value.as_str().into() };
        let rule = Rule { pieces: vec![sql::access::Piece::Sql(word.clone())], source };
        Some(Compiled { rule, parts: vec![Part::Sql { text: word, span: Some(text.span.clone()) }], place, hint: None })
    }
}
