//! Statements of the rest map: SQL in a file of its own, over the tables and session values of a permission file.

use std::ops::Range;

use sql::named::Query;

use crate::compile::Permissions;
use crate::file::Text;
use crate::problem::{Problem, SourceFile};
use crate::report::Report;
use crate::rule::{Checked, Rules};

/// Compiles a statement that stands at a place of a file; every problem is told at once.
pub fn statement(
    permissions: &Permissions,
    source: &SourceFile,
    span: Range<usize>,
    text: &str,
    checked: Checked,
) -> Result<Query, Vec<Problem>> {
    let mut report = Report::new(source);
    let rules = Rules::new(permissions.model.catalog(), &permissions.session, &[], &mut report);
    let text = Text { value: text.to_owned(), span };
    match rules.statement(&text, checked, &mut report) {
        Some(query) if report.problems.is_empty() => Ok(query),
        _ => Err(report.problems),
    }
}
