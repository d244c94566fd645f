//! Compiles SQL statements of REST endpoints, which use the tables and session values of a
//! permission file.

use std::ops::Range;

use sql::native_query::{Query, UntypedStatement};

use crate::compile::Permissions;
use crate::diagnostic::{Diagnostic, SourceFile, Span};
use crate::file::Text;
use crate::report::Report;
use crate::rule::{CallPolicy, Rules};

/// A compiled statement, with its source map.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The statement's fragments and properties.
    pub query: Query,
    /// The span of the whole statement.
    pub(crate) source_span: Span,
    /// The source map, in order of fragments.
    pub(crate) marks: Vec<SourceMapEntry>,
}

/// Maps an offset in a fragment to a range of bytes in the file.
#[derive(Clone, Debug)]
pub(crate) struct SourceMapEntry {
    pub(crate) piece: usize,
    pub(crate) at: usize,
    pub(crate) span: Range<usize>,
}

/// Compiles a statement at a span of a file. The error contains every problem.
pub fn statement(
    permissions: &Permissions,
    source: &SourceFile,
    span: Range<usize>,
    text: &str,
    checked: CallPolicy,
) -> Result<Statement, Vec<Diagnostic>> {
    let mut report = Report::new(source);
    let rules = Rules::new(
        permissions.model.catalog(),
        &permissions.session,
        &[],
        &mut report,
    );
    let text = Text {
        value: text.to_owned(),
        span,
    };
    match rules.statement(&text, checked, &mut report) {
        Some(statement) if report.problems.is_empty() => Ok(statement),
        _ => Err(report.problems),
    }
}

impl Statement {
    /// The location of the whole statement.
    pub fn span(&self) -> &Span {
        &self.source_span
    }

    /// The location in the file of a character of the draft, counted from 1, or of the nearest
    /// mapped one before it.
    pub fn blamed(&self, draft: &UntypedStatement, position: u32) -> Option<Span> {
        let character = usize::try_from(position).ok()?.checked_sub(1)?;
        let byte = draft.text.char_indices().nth(character)?.0;
        let at =
            |mark: &SourceMapEntry| draft.pieces.get(mark.piece).map(|begins| begins + mark.at);
        let mark = self
            .marks
            .iter()
            .rev()
            .find(|mark| at(mark).is_some_and(|at| at <= byte))?;
        Some(self.source_span.file().span_of(mark.span.clone()))
    }
}
