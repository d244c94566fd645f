//! Finds the parts of a statement that write or lock rows.

use std::ops::ControlFlow;

use sqlparser::ast::{LockType, Query, Spanned, Statement, Visit, Visitor};
use sqlparser::tokenizer::Span;

/// A part that writes.
pub(super) struct Write {
    /// The words that begin it: `INSERT`.
    pub(super) words: &'static str,
    pub(super) span: Span,
}

/// The writing parts of a statement, those of `WITH` queries included, in the order of its text.
pub(super) fn writes(statement: &Statement) -> Vec<Write> {
    let mut visitor = Writes { found: Vec::new() };
    let _ = statement.visit(&mut visitor);
    visitor.found.sort_by_key(|write| write.span.start);
    visitor.found
}

struct Writes {
    found: Vec<Write>,
}

impl Visitor for Writes {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        let (words, token) = match statement {
            Statement::Insert(insert) => ("INSERT", &insert.insert_token),
            Statement::Update(update) => ("UPDATE", &update.update_token),
            Statement::Delete(delete) => ("DELETE", &delete.delete_token),
            Statement::Merge(merge) => ("MERGE", &merge.merge_token),
            // Any other statement but a query is refused.
            _ => return ControlFlow::Continue(()),
        };
        let span = token.0.span;
        self.found.push(Write { words, span });
        ControlFlow::Continue(())
    }

    /// A lock holds up others' writes, and needs the privilege to update.
    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.found.extend(query.locks.iter().map(|lock| Write {
            words: match lock.lock_type {
                LockType::Share => "FOR SHARE",
                LockType::Update => "FOR UPDATE",
            },
            span: query.span(),
        }));
        ControlFlow::Continue(())
    }
}
