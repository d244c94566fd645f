//! What a rule consists of once it is rendered: SQL, columns of its row, session values.

use std::ops::Range;

use sql::model::access::{RuleFragment, SessionValue};
use sql::postgres::catalog::{ColumnId, TableId};

/// A fragment of a rule, and its range of bytes in the file.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Sql {
        text: String,
        span: Option<Range<usize>>,
    },
    Column {
        column: ColumnId,
        span: Option<Range<usize>>,
    },
    Session {
        value: SessionValue,
        span: Option<Range<usize>>,
    },
    /// A table that becomes a scan for the caller's role; only in statements.
    Table { table: TableId, span: Range<usize> },
    /// A parameter; only in statements.
    Parameter { name: String, span: Range<usize> },
}

/// Converts parts to fragments, joining adjacent texts.
pub(super) fn pieces(parts: &[Part]) -> Vec<RuleFragment> {
    let mut pieces: Vec<RuleFragment> = vec![];
    for part in parts {
        match (part, pieces.last_mut()) {
            (Part::Sql { text, .. }, Some(RuleFragment::Sql(last))) => last.push_str(text),
            (Part::Sql { text, .. }, _) => pieces.push(RuleFragment::Sql(text.clone())),
            (Part::Column { column, .. }, _) => pieces.push(RuleFragment::Column(*column)),
            (Part::Session { value, .. }, _) => pieces.push(RuleFragment::Session(value.clone())),
            (Part::Table { .. } | Part::Parameter { .. }, _) => {}
        }
    }
    pieces
}
