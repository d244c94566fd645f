//! What of a statement Postgres may evaluate before the row rules of its tables: conditions, which
//! it orders by their cost, and everything in subqueries, which it may evaluate on their own. The
//! outermost `SELECT` computes its output from the rows that remain.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Join, JoinConstraint, JoinOperator, Query, Select, SetExpr, Statement, TableFactor,
    TableWithJoins, Visit, Visitor,
};

/// Looks at the parts of a statement that Postgres may evaluate before the row rules.
pub(super) trait EarlyVisitor {
    fn query(&mut self, _query: &Query) {}
    fn select(&mut self, _select: &Select) {}
    fn expression(&mut self, _expression: &Expr) {}
}

/// Shows a visitor these parts of a statement.
pub(super) fn visit_early(statement: &Statement, visitor: &mut dyn EarlyVisitor) {
    let query = match statement {
        Statement::Query(query) => Some(query),
        _ => None,
    };
    let mut early = Early {
        visitor,
        // In a statement that writes, even the outermost query is a part of another statement.
        depth: usize::from(query.is_none()),
    };
    let _ = statement.visit(&mut early);
    let mut conditions = Vec::new();
    if let Some(query) = query {
        add_conditions(&query.body, &mut conditions);
    }
    early.depth = 2;
    for condition in conditions {
        let _ = condition.visit(&mut early);
    }
}

/// Walks a statement, and passes on what is inside of a query that is inside of another.
struct Early<'v> {
    visitor: &'v mut dyn EarlyVisitor,
    depth: usize,
}

impl Visitor for Early<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.depth += 1;
        if self.depth > 1 {
            self.visitor.query(query);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if self.depth > 1 {
            self.visitor.select(select);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if self.depth > 1 {
            self.visitor.expression(expression);
        }
        ControlFlow::Continue(())
    }
}

/// The conditions of a query itself: `WHERE`, `HAVING` and `ON`.
fn add_conditions<'s>(body: &'s SetExpr, conditions: &mut Vec<&'s Expr>) {
    match body {
        SetExpr::Select(select) => {
            conditions.extend(&select.selection);
            conditions.extend(&select.having);
            for join in FromItems::new(&select.from).joins {
                if let Some(JoinConstraint::On(condition)) = constraint(join) {
                    conditions.push(condition);
                }
            }
        }
        SetExpr::SetOperation { left, right, .. } => {
            add_conditions(left, conditions);
            add_conditions(right, conditions);
        }
        // A query in parentheses is inside of another. The others have no conditions, or write.
        _ => {}
    }
}

/// The items and the joins of a `FROM`, those in parentheses included.
#[derive(Default)]
pub(super) struct FromItems<'f> {
    pub(super) tables: Vec<&'f TableFactor>,
    pub(super) joins: Vec<&'f Join>,
}

impl<'f> FromItems<'f> {
    pub(super) fn new(from: &'f [TableWithJoins]) -> FromItems<'f> {
        let mut items = FromItems::default();
        from.iter().for_each(|table| items.add(table));
        items
    }

    fn add(&mut self, table: &'f TableWithJoins) {
        let joined = table.joins.iter().map(|join| &join.relation);
        for relation in std::iter::once(&table.relation).chain(joined) {
            match relation {
                TableFactor::NestedJoin {
                    table_with_joins, ..
                } => self.add(table_with_joins),
                other => self.tables.push(other),
            }
        }
        self.joins.extend(&table.joins);
    }
}

/// The condition or the columns of a join, if it may have some.
pub(super) fn constraint(join: &Join) -> Option<&JoinConstraint> {
    match &join.join_operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::CrossJoin(constraint) => Some(constraint),
        // The others are refused.
        _ => None,
    }
}
