//! Compiles SQL statements of REST endpoints, which use the tables and session values of a
//! permission file.

use std::ops::Range;

use crate::compile::Permissions;
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::report::Report;
use crate::rule::{CallPolicy, Rules, Statement};
use crate::toml_reader::Text;

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
