//! Finds what a rule or statement calls that is not known to be Postgres' own, and to read nothing
//! but its arguments, the session and the clock. What such a function or operator reads is unknown,
//! and it may write.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sql::postgres::catalog::Catalog;
use sqlparser::ast::{
    BinaryOperator, DataType, Expr, ObjectName, Spanned, Statement, TableAlias, TableFactor,
    TypedString, Visit, Visitor,
};
use sqlparser::tokenizer::Span;

use super::built_in::{reads_only_arguments, reads_setting};
use super::called::{called_function, table_function};
use super::data_type::looks_up;
use super::rules::Rules;

/// A function, an operator, or a type whose values are looked up in the system catalogs.
pub(super) struct ForeignCall {
    pub(super) name: String,
    pub(super) span: Span,
}

/// The foreign calls of a statement, in the order of its text. The caller of an endpoint may see
/// neither the system catalogs nor settings, which describe the server; a rule may read both.
pub(super) fn foreign_calls(statement: &Statement, catalog: &Catalog) -> Vec<ForeignCall> {
    let mut visitor = ForeignCalls {
        catalog,
        rules: None,
        visited: HashSet::new(),
        found: Vec::new(),
    };
    let _ = statement.visit(&mut visitor);
    visitor.found.sort_by_key(|call| call.span.start);
    visitor.found
}

/// Whether a part of a rule, or a named rule that it calls, has a foreign call.
pub(super) fn calls_foreign(node: &impl Visit, rules: &Rules<'_>) -> bool {
    let mut visitor = ForeignCalls {
        catalog: rules.catalog,
        rules: Some(rules),
        visited: HashSet::new(),
        found: Vec::new(),
    };
    let _ = node.visit(&mut visitor);
    !visitor.found.is_empty()
}

struct ForeignCalls<'r, 'f> {
    catalog: &'r Catalog,
    /// The named rules that may be called; `None` in a statement, which has none.
    rules: Option<&'r Rules<'f>>,
    /// The named rules that were visited.
    visited: HashSet<&'r str>,
    found: Vec<ForeignCall>,
}

impl ForeignCalls<'_, '_> {
    fn add(&mut self, name: String, span: Span) {
        self.found.push(ForeignCall { name, span });
    }

    fn function(&mut self, function: &ObjectName) {
        let is_foreign_in_statement = self.rules.is_none() && reads_setting(function);
        if is_foreign_in_statement || !reads_only_arguments(function, self.catalog) {
            self.add(function.to_string(), function.span());
        }
    }

    /// An operator is foreign if it is written `OPERATOR(schema.+)`. Those without a schema are
    /// found along the search path, where `pg_catalog` comes first.
    fn operator(&mut self, op: &BinaryOperator, right: &Expr) {
        if let BinaryOperator::PGCustomBinaryOperator(parts) = op
            && parts.first().is_none_or(|schema| schema != "pg_catalog")
        {
            self.add(op.to_string(), right.span());
        }
    }

    /// A cast to a type whose values are names of database objects.
    fn cast(&mut self, data_type: &DataType, span: Span) {
        if self.rules.is_none() && looks_up(data_type) {
            self.add(data_type.to_string().to_lowercase(), span);
        }
    }

    fn alias(&mut self, alias: &TableAlias) {
        for column in &alias.columns {
            if let Some(data_type) = &column.data_type {
                self.cast(data_type, column.name.span);
            }
        }
    }
}

impl Visitor for ForeignCalls<'_, '_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        match expression {
            Expr::BinaryOp { op, right, .. }
            | Expr::AnyOp {
                compare_op: op,
                right,
                ..
            }
            | Expr::AllOp {
                compare_op: op,
                right,
                ..
            } => self.operator(op, right),
            Expr::Cast {
                expr, data_type, ..
            } => self.cast(data_type, expr.span()),
            Expr::TypedString(TypedString {
                data_type, value, ..
            }) => self.cast(data_type, value.span),
            _ => {}
        }
        let Some(function) = called_function(expression) else {
            return ControlFlow::Continue(());
        };
        match self.rules.and_then(|rules| rules.called(function)) {
            Some(named) if self.visited.insert(&named.written.name.value) => {
                named.expression.visit(self)
            }
            Some(_) => ControlFlow::Continue(()),
            None => {
                self.function(&function.name);
                ControlFlow::Continue(())
            }
        }
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        if let Some(function) = table_function(table) {
            self.function(function);
        }
        if let TableFactor::Table { alias, .. }
        | TableFactor::Function { alias, .. }
        | TableFactor::UNNEST { alias, .. } = table
        {
            alias.iter().for_each(|alias| self.alias(alias));
        }
        ControlFlow::Continue(())
    }
}
