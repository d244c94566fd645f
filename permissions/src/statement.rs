//! Statements of the rest map: SQL in a file of its own, over the tables and session values of a permission file.

use std::ops::Range;

use sql::native_query::{Query, UntypedStatement};

use crate::compile::Permissions;
use crate::diagnostic::{Diagnostic, SourceFile, Span};
use crate::file::Text;
use crate::report::Report;
use crate::rule::{CallPolicy, Rules};

/// A statement, and where each part of it was written.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What is asked.
    pub query: Query,
    /// Where all of it stands.
    pub(crate) place: Span,
    /// Which bytes of the file stand at a byte of a piece, in order.
    pub(crate) marks: Vec<SourceMapEntry>,
}

/// Which bytes of a file stand at a byte of a piece.
#[derive(Clone, Debug)]
pub(crate) struct SourceMapEntry {
    pub(crate) piece: usize,
    pub(crate) at: usize,
    pub(crate) span: Range<usize>,
}

/// Compiles a statement that stands at a place of a file; every problem is told at once.
pub fn statement(
    permissions: &Permissions,
    source: &SourceFile,
    span: Range<usize>,
    text: &str,
    checked: CallPolicy,
) -> Result<Statement, Vec<Diagnostic>> {
    let mut report = Report::new(source);
    let rules = Rules::new(permissions.model.catalog(), &permissions.session, &[], &mut report);
    let text = Text { value: text.to_owned(), span };
    match rules.statement(&text, checked, &mut report) {
        Some(statement) if report.problems.is_empty() => Ok(statement),
        _ => Err(report.problems),
    }
}

impl Statement {
    /// Where all of it stands.
    pub fn place(&self) -> &Span {
        &self.place
    }

    /// What stands in the file at a character of a draft, counted from 1, or next before it.
    pub fn blamed(&self, draft: &UntypedStatement, position: u32) -> Option<Span> {
        let character = usize::try_from(position).ok()?.checked_sub(1)?;
        let byte = draft.text.char_indices().nth(character)?.0;
        let at = |mark: &SourceMapEntry| draft.pieces.get(mark.piece).map(|begins| begins + mark.at);
        let mark = self.marks.iter().rev().find(|mark| at(mark).is_some_and(|at| at <= byte))?;
        Some(self.place.file().place(mark.span.clone()))
    }
}
