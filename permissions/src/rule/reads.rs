//! What a rule reads besides its row. Responses are computed again when one of these tables
//! changes, and a membership is over one of them.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use sql::model::access::RuleDependencies;
use sql::postgres::catalog::TableKind;
use sqlparser::ast::{Expr, Query, TableFactor, Visit, Visitor};

use super::called::called_function;
use super::foreign_calls::calls_foreign;
use super::identifiers::{find_table, folded, name_parts};
use super::rules::Rules;

/// The tables that a rule without faults reads, those of named rules that it calls included.
/// Anything, if it calls a function that may read what the rule does not name.
pub(super) fn reads(expression: &Expr, rules: &Rules<'_>) -> RuleDependencies {
    if calls_foreign(expression, rules) {
        return RuleDependencies::Anything;
    }
    let mut visitor = TablesRead {
        rules,
        queries: Vec::new(),
        visited: HashSet::new(),
        found: RuleDependencies::Nothing,
    };
    let _ = expression.visit(&mut visitor);
    visitor.found
}

/// Whether what is read by the name of such a table is that table alone. What a view or a foreign
/// table reads is not in the catalog.
pub(super) fn is_read_alone(kind: TableKind) -> bool {
    match kind {
        TableKind::Table | TableKind::Partitioned | TableKind::Materialized => true,
        TableKind::View | TableKind::Foreign | TableKind::Result => false,
    }
}

struct TablesRead<'r, 'f> {
    rules: &'r Rules<'f>,
    /// The queries around the current one, outermost first.
    queries: Vec<OpenQuery>,
    /// The named rules that were visited.
    visited: HashSet<&'r str>,
    found: RuleDependencies,
}

/// A query that is being visited.
#[derive(Default)]
struct OpenQuery {
    /// Its `WITH` queries: where each is in the tree, and its name.
    with: Vec<(*const Query, String)>,
    /// How many of them have been visited. Only those hide tables of their names: `WITH orders AS
    /// (SELECT … FROM orders)` reads the table. Nor does a recursive one hide a table from itself,
    /// which may count a table that it does not read, and never leaves one out.
    visible: usize,
}

impl TablesRead<'_, '_> {
    fn is_with_query(&self, name: &str) -> bool {
        self.queries.iter().any(|query| {
            query
                .with
                .iter()
                .take(query.visible)
                .any(|(_, with)| with == name)
        })
    }
}

impl Visitor for TablesRead<'_, '_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let with = query.with.iter().flat_map(|with| &with.cte_tables);
        self.queries.push(OpenQuery {
            with: with
                .map(|with| (&raw const *with.query, folded(&with.alias.name)))
                .collect(),
            visible: 0,
        });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.queries.pop();
        if let Some(outer) = self.queries.last_mut() {
            let is_with = |(with, _): &(*const Query, String)| std::ptr::eq(*with, query);
            outer.visible += usize::from(outer.with.iter().any(is_with));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        let TableFactor::Table {
            name, args: None, ..
        } = table
        else {
            return ControlFlow::Continue(());
        };
        let is_hidden = matches!(
            name_parts(name).as_deref(), Some([only]) if self.is_with_query(only)
        );
        if let Some(id) = find_table(self.rules.catalog, name).filter(|_| !is_hidden) {
            let read = if is_read_alone(self.rules.catalog.table(id).kind) {
                RuleDependencies::Tables(Arc::new([id]))
            } else {
                RuleDependencies::Anything
            };
            self.found = std::mem::take(&mut self.found).union(read);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        let named = called_function(expression).and_then(|function| self.rules.called(function));
        if let Some(named) = named.filter(|named| self.visited.insert(&named.written.name.value)) {
            // A named rule sees nothing of the queries around its call.
            let outer = std::mem::take(&mut self.queries);
            let _ = named.expression.visit(self);
            self.queries = outer;
        }
        ControlFlow::Continue(())
    }
}
