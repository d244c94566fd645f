//! The columns that a statement names where Postgres may evaluate them before a row rule. Comparing
//! columns of different types, or making one column of them, may involve an implicit cast, whose
//! error would tell of rows that the rule hides.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use sql::postgres::catalog::{Catalog, Oid, TableId};
use sqlparser::ast::{
    Expr, JoinConstraint, ObjectName, Query, Select, SelectItem, SelectItemQualifiedWildcardKind,
    SetExpr, Statement, TableFactor, Visit, Visitor,
};

use super::before_row_rule::{EarlyVisitor, FromItems, constraint, visit_early};
use super::identifiers::{find_table, folded, name_parts};

/// The types of the columns of these tables that the statement names there, without duplicates.
/// Columns count by name: whichever table has it, the types that may meet are the same.
pub(super) fn compared_types(
    statement: &Statement,
    tables: &[TableId],
    catalog: &Catalog,
) -> Vec<Oid> {
    let mut names = ComparedNames {
        catalog,
        named: HashSet::new(),
        are_all_named: false,
    };
    let _ = statement.visit(&mut names);
    visit_early(statement, &mut names);
    let columns = tables
        .iter()
        .flat_map(|table| &catalog.table(*table).columns)
        .filter(|column| names.are_all_named || names.named.contains(&column.name));
    let types: BTreeSet<Oid> = columns.map(|column| column.r#type).collect();
    types.into_iter().collect()
}

/// Whether the statement makes one column of several there: by `UNION` and the like, or by
/// `VALUES`.
pub(super) fn unifies_types(statement: &Statement) -> bool {
    let mut unions = Unions { are_found: false };
    visit_early(statement, &mut unions);
    unions.are_found
}

struct ComparedNames<'c> {
    catalog: &'c Catalog,
    named: HashSet<String>,
    /// Whether a wildcard may stand for the columns of any table.
    are_all_named: bool,
}

impl ComparedNames<'_> {
    /// Adds the columns that `*` or `table.*` stands for. Those of subqueries and `WITH` queries
    /// are named inside of them.
    fn wildcard(&mut self, select: &Select, qualifier: Option<&ObjectName>) {
        let mut is_found = qualifier.is_none();
        for table in FromItems::new(&select.from).tables {
            let TableFactor::Table { name, alias, .. } = table else {
                continue;
            };
            let called = alias
                .as_ref()
                .map_or_else(|| name_parts(name), |alias| Some(vec![folded(&alias.name)]))
                .and_then(|mut parts| parts.pop());
            let wanted = qualifier.and_then(name_parts);
            if wanted.is_some_and(|wanted| wanted.last() != called.as_ref()) {
                continue;
            }
            is_found = true;
            if let Some(id) = find_table(self.catalog, name) {
                let columns = &self.catalog.table(id).columns;
                self.named
                    .extend(columns.iter().map(|column| column.name.clone()));
            }
        }
        // It is a subquery, or a table of a query around this one.
        self.are_all_named |= !is_found;
    }
}

impl EarlyVisitor for ComparedNames<'_> {
    fn select(&mut self, select: &Select) {
        for item in &select.projection {
            match item {
                SelectItem::Wildcard(_) => self.wildcard(select, None),
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    _,
                ) => self.wildcard(select, Some(name)),
                _ => {}
            }
        }
    }

    fn expression(&mut self, expression: &Expr) {
        match expression {
            Expr::Identifier(ident) => {
                self.named.insert(folded(ident));
            }
            Expr::CompoundIdentifier(idents) => {
                self.named.extend(idents.last().map(folded));
            }
            _ => {}
        }
    }
}

/// The columns of `USING` are compared wherever it is, and are no expressions.
impl Visitor for ComparedNames<'_> {
    type Break = ();

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        for join in FromItems::new(&select.from).joins {
            if let Some(JoinConstraint::Using(columns)) = constraint(join) {
                let names = columns.iter().filter_map(|name| name_parts(name)?.pop());
                self.named.extend(names);
            }
        }
        ControlFlow::Continue(())
    }
}

struct Unions {
    are_found: bool,
}

impl EarlyVisitor for Unions {
    fn query(&mut self, query: &Query) {
        self.are_found |= matches!(
            *query.body,
            SetExpr::SetOperation { .. } | SetExpr::Values(_)
        );
    }
}
