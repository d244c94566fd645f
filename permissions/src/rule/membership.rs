//! Decomposes a rule into a membership: a conjunction that contains an `EXISTS`, `IN` or `= ANY`
//! over one other table.
//!
//! Walks the tree of a rule that has been rendered, and renders its conjuncts separately. The
//! planner decides whether reading through the membership pays; this file ensures that both forms
//! are equivalent.

use sql::model::access::{Membership, RuleFragment};
use sql::postgres::catalog::{Catalog, ColumnId, Oid, Table, TableId};
use sql::postgres::types::quoted;
use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    GroupByExpr, Query, Select, SelectItem, SetExpr, TableFactor, Value,
};

use super::identifiers::{find_table, unqualified_name};
use super::part::{Part, pieces};
use super::reads::is_read_alone;
use super::scope::FromScope;
use super::writer::Writer;

/// A conjunct, and the membership that it is, if it is one.
type Conjunct = (Vec<Part>, Option<MembershipDraft>);

/// A membership under construction.
struct MembershipDraft {
    table: TableId,
    from: String,
    on: Vec<(ColumnId, ColumnId)>,
    fixed: Vec<ColumnId>,
    /// The conditions on the membership only.
    conditions: Vec<Vec<Part>>,
    /// The comparisons with the row.
    compared: Vec<Vec<Part>>,
}

/// An operand of a comparison.
enum Side {
    /// A column of the row.
    Row(ColumnId),
    /// A column of the membership.
    There(ColumnId),
    /// A session value, with its type.
    Session(Oid),
    /// A literal, which is a number or takes the other operand's type.
    Literal,
    /// Any other expression.
    Other,
}

impl<'w> Writer<'w, '_, '_> {
    /// The rule as a membership, if it is one.
    pub(super) fn membership(mut self, expression: &Expr) -> Option<Membership> {
        let all = self.conjunction(expression)?;
        best(all, self.catalog())
    }

    /// The operands of the rule's top-level `AND`, with named rules expanded.
    pub(super) fn taken_apart(mut self, expression: &Expr) -> Option<Vec<Vec<RuleFragment>>> {
        let all = self.conjunction(expression)?;
        Some(all.iter().map(|(parts, _)| pieces(parts)).collect())
    }

    fn conjunction(&mut self, expression: &Expr) -> Option<Vec<Conjunct>> {
        let problems = self.report.problems.len();
        let mut all = Vec::new();
        self.conjuncts(expression, &mut all);
        // The rule was rendered before, so no fault is expected. If there is one, the rule is not
        // decomposed, and nothing is reported twice.
        let clean = !self.failed() && self.report.problems.len() == problems;
        self.report.problems.truncate(problems);
        clean.then_some(all)
    }

    fn conjuncts(&mut self, expression: &Expr, all: &mut Vec<Conjunct>) {
        match expression {
            Expr::BinaryOp {
                left,
                op: BinaryOperator::And,
                right,
            } => {
                self.conjuncts(left, all);
                self.conjuncts(right, all);
            }
            Expr::Nested(inner) => self.conjuncts(inner, all),
            Expr::Function(function) if let Some((name, args)) = self.named_call(function) => {
                self.inside_named(&name, &args, |writer, inner| writer.conjuncts(inner, all));
            }
            other => {
                let found = self.found(other);
                all.push((self.apart(|writer| writer.expression(other)).0, found));
            }
        }
    }

    /// The name and arguments of a call of a named rule.
    fn named_call<'e>(&self, function: &'e Function) -> Option<(String, Vec<&'e Expr>)> {
        let name = unqualified_name(function)?;
        let FunctionArguments::List(list) = &function.args else {
            return None;
        };
        let expression = |arg: &'e FunctionArg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression),
            _ => None,
        };
        let args = list.args.iter().map(expression).collect::<Option<_>>()?;
        self.rules
            .named
            .contains_key(name.as_str())
            .then_some((name, args))
    }

    /// `EXISTS (SELECT …)`, `x IN (SELECT …)`, `x = ANY (SELECT …)`, `x = ANY (array(SELECT …))`
    fn found(&mut self, expression: &Expr) -> Option<MembershipDraft> {
        match expression {
            Expr::Exists {
                subquery,
                negated: false,
            } => self.subject(subquery, None),
            Expr::InSubquery {
                expr,
                subquery,
                negated: false,
            } => self.subject(subquery, Some(expr)),
            Expr::AnyOp {
                left,
                compare_op: BinaryOperator::Eq,
                right,
                ..
            } => self.subject(listed_query(right)?, Some(left)),
            _ => None,
        }
    }

    /// A query over one table that has only conditions.
    fn subject(&mut self, query: &Query, compared: Option<&Expr>) -> Option<MembershipDraft> {
        let select = plain_select(query)?;
        let compared = match compared {
            Some(Expr::Tuple(items)) => items.iter().map(|item| self.side(item, None).1).collect(),
            Some(one) => vec![self.side(one, None).1],
            None => vec![],
        };
        self.frame.levels.push(FromScope::default());
        let aliases = self.aliases.len();
        let found = self
            .one_table(select)
            .and_then(|(found, there)| self.conditions(select, &compared, found, &there));
        self.aliases.truncate(aliases);
        self.frame.levels.pop();
        found
    }

    /// The single table of a query, and its columns as rendered.
    fn one_table(&mut self, select: &Select) -> Option<(MembershipDraft, Vec<String>)> {
        let (parts, ()) = self.apart(|writer| writer.from(&select.from));
        let TableFactor::Table { name, .. } = &select.from.first()?.relation else {
            return None;
        };
        let table = find_table(self.catalog(), name)?;
        if !is_read_alone(self.catalog().table(table).kind) {
            return None;
        }
        let item = self.frame.levels.last()?.items.first()?;
        let columns = self
            .catalog()
            .table(table)
            .columns
            .iter()
            .map(|column| &column.name);
        if !item.columns.names.iter().eq(columns) {
            return None;
        }
        let there = item
            .columns
            .names
            .iter()
            .map(|name| format!("{}.{}", quoted(&item.written), quoted(name)));
        let there = there.collect();
        let from = text(&parts)?.strip_prefix(" FROM ")?.to_owned();
        let on = vec![];
        let fixed = vec![];
        let conditions = vec![];
        let compared = vec![];
        Some((
            MembershipDraft {
                table,
                from,
                on,
                fixed,
                conditions,
                compared,
            },
            there,
        ))
    }

    fn conditions(
        &mut self,
        select: &Select,
        compared: &[Vec<Part>],
        mut found: MembershipDraft,
        there: &[String],
    ) -> Option<MembershipDraft> {
        self.compared(select, compared, &mut found, there)?;
        let mut all = vec![];
        select
            .selection
            .iter()
            .for_each(|condition| flatten_and(condition, &mut all));
        for condition in all {
            self.condition(condition, &mut found, there)?;
        }
        (!found.on.is_empty()).then_some(found)
    }

    /// Pairs the compared expressions with the columns of the query; their numbers must be equal.
    fn compared(
        &mut self,
        select: &Select,
        compared: &[Vec<Part>],
        found: &mut MembershipDraft,
        there: &[String],
    ) -> Option<()> {
        if compared.is_empty() {
            return select.projection.iter().all(is_idle).then_some(());
        }
        if compared.len() != select.projection.len() {
            return None;
        }
        for (row, item) in compared.iter().zip(&select.projection) {
            let (SelectItem::UnnamedExpr(expression)
            | SelectItem::ExprWithAlias {
                expr: expression, ..
            }) = item
            else {
                return None;
            };
            let (Side::There(over), parts) = self.side(expression, Some(there)) else {
                return None;
            };
            self.pair(column_of(row)?, over, found)?;
            found
                .compared
                .push([row.as_slice(), &[sql(" = ")], &parts].concat());
        }
        Some(())
    }

    fn condition(
        &mut self,
        condition: &Expr,
        found: &mut MembershipDraft,
        there: &[String],
    ) -> Option<()> {
        let written = self.apart(|writer| writer.expression(condition)).0;
        let sides = match condition {
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Eq,
                right,
            } => (
                self.side(left, Some(there)).0,
                self.side(right, Some(there)).0,
            ),
            _ => (Side::Other, Side::Other),
        };
        if let (Side::Row(here), Side::There(over)) | (Side::There(over), Side::Row(here)) = sides {
            self.pair(here, over, found)?;
            found.compared.push(written);
            return Some(());
        }
        if written
            .iter()
            .any(|part| matches!(part, Part::Column { .. }))
        {
            return None;
        }
        let catalog = self.catalog();
        let table = catalog.table(found.table);
        match sides {
            (Side::Session(r#type), Side::There(over))
            | (Side::There(over), Side::Session(r#type))
                if catalog.is_compared_alike(table, over, r#type) =>
            {
                found.fixed.push(over);
            }
            (Side::Literal, Side::There(over)) | (Side::There(over), Side::Literal)
                if catalog.is_compared_alike(table, over, table.column(over).r#type) =>
            {
                found.fixed.push(over);
            }
            _ => {}
        }
        found.conditions.push(written);
        Some(())
    }

    /// Pairs a column of the row with one of the membership, if a key would compare them the same
    /// way.
    fn pair(&self, here: ColumnId, over: ColumnId, found: &mut MembershipDraft) -> Option<()> {
        let row = self.own_table()?;
        let table = self.catalog().table(found.table);
        let alike = |table: &Table, column, other: &Table, over| {
            self.catalog()
                .is_compared_alike(table, column, other.column(over).r#type)
        };
        let fits = alike(row, here, table, over) && alike(table, over, row, here);
        fits.then(|| found.on.push((here, over)))
    }

    /// The kind of an operand, and its parts; `there` are the rendered columns of the membership.
    fn side(&mut self, expression: &Expr, there: Option<&[String]>) -> (Side, Vec<Part>) {
        let parts = self.apart(|writer| writer.expression(expression)).0;
        let side = match without_parentheses(&parts) {
            [Part::Column { column, .. }] => Side::Row(*column),
            [Part::Session { value, .. }] => Side::Session(value.r#type),
            [Part::Sql { text, .. }] => match column_position(there.unwrap_or_default(), text) {
                Some(column) => Side::There(column),
                None if is_literal(expression) => Side::Literal,
                None => Side::Other,
            },
            _ => Side::Other,
        };
        (side, parts)
    }
}

/// The best of several memberships: one that a row matches at most once is preferred, and among
/// these one with `fixed` columns; of equals the first.
fn best(all: Vec<Conjunct>, catalog: &Catalog) -> Option<Membership> {
    let merit = |found: &MembershipDraft| match found.membership() {
        membership if !membership.is_unique(catalog) => 1,
        membership if membership.fixed.is_empty() => 2,
        _ => 3,
    };
    let places = all
        .iter()
        .enumerate()
        .filter_map(|(index, (_, found))| Some((index, merit(found.as_ref()?))));
    let (best, _) = places.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
    let mut chosen = None;
    let mut rows = vec![];
    for (position, (parts, found)) in all.into_iter().enumerate() {
        match found.filter(|_| position == best) {
            Some(found) => {
                chosen = Some(found.membership());
                rows.extend(found.compared);
            }
            None => rows.push(parts),
        }
    }
    Some(Membership {
        rows: pieces(&join_with_and(rows)),
        ..chosen?
    })
}

impl MembershipDraft {
    /// The membership, without the conditions on the row.
    fn membership(&self) -> Membership {
        Membership {
            table: self.table,
            on: self.on.clone(),
            fixed: self.fixed.clone(),
            from: self.from.clone(),
            conditions: pieces(&join_with_and(self.conditions.iter().cloned())),
            rows: vec![],
        }
    }
}

/// The column that is rendered as `text`.
fn column_position(there: &[String], text: &str) -> Option<ColumnId> {
    there
        .iter()
        .position(|column| column == text)
        .map(|index| ColumnId(index as u32))
}

fn column_of(parts: &[Part]) -> Option<ColumnId> {
    match without_parentheses(parts) {
        [Part::Column { column, .. }] => Some(*column),
        _ => None,
    }
}

/// Parts without enclosing parentheses.
fn without_parentheses(parts: &[Part]) -> &[Part] {
    match parts {
        [
            Part::Sql { text: open, .. },
            inner @ ..,
            Part::Sql { text: close, .. },
        ] if open == "(" && close == ")" => without_parentheses(inner),
        parts => parts,
    }
}

/// The text of parts that are all SQL.
fn text(parts: &[Part]) -> Option<String> {
    let text = |part: &Part| match part {
        Part::Sql { text, .. } => Some(text.clone()),
        _ => None,
    };
    parts.iter().map(text).collect()
}

fn sql(text: &str) -> Part {
    Part::Sql {
        text: text.to_owned(),
        span: None,
    }
}

/// `(a) AND (b)`
fn join_with_and(all: impl IntoIterator<Item = Vec<Part>>) -> Vec<Part> {
    let mut parts = vec![];
    for condition in all {
        parts.push(sql(if parts.is_empty() { "(" } else { " AND (" }));
        parts.extend(condition);
        parts.push(sql(")"));
    }
    parts
}

fn flatten_and<'e>(condition: &'e Expr, all: &mut Vec<&'e Expr>) {
    match condition {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::And,
            right,
        } => {
            flatten_and(left, all);
            flatten_and(right, all);
        }
        Expr::Nested(inner) => flatten_and(inner, all),
        other => all.push(other),
    }
}

/// `(SELECT …)`, or `array(SELECT …)`.
fn listed_query(expression: &Expr) -> Option<&Query> {
    match expression {
        Expr::Subquery(query) => Some(query),
        Expr::Nested(inner) => listed_query(inner),
        Expr::Function(Function {
            args: FunctionArguments::Subquery(query),
            ..
        }) => Some(query),
        _ => None,
    }
}

/// A SELECT from one table without grouping, order, limit or window.
fn plain_select(query: &Query) -> Option<&Select> {
    let SetExpr::Select(select) = query.body.as_ref() else {
        return None;
    };
    let whole = query.with.is_none() && query.order_by.is_none() && query.limit_clause.is_none();
    let whole = whole && query.fetch.is_none() && query.locks.is_empty();
    let ungrouped = matches!(&select.group_by, GroupByExpr::Expressions(by, modifiers) if by.is_empty() && modifiers.is_empty());
    let ungrouped = ungrouped && select.having.is_none() && select.named_window.is_empty();
    let distinct = matches!(
        select.distinct,
        None | Some(Distinct::All | Distinct::Distinct)
    );
    let single = match select.from.as_slice() {
        [only] => {
            only.joins.is_empty() && matches!(only.relation, TableFactor::Table { args: None, .. })
        }
        _ => false,
    };
    (whole && ungrouped && distinct && single).then_some(select)
}

/// Whether a column of an `EXISTS` has no effect.
fn is_idle(item: &SelectItem) -> bool {
    match item {
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => true,
        SelectItem::UnnamedExpr(expression)
        | SelectItem::ExprWithAlias {
            expr: expression, ..
        } => {
            matches!(
                expression,
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_)
            )
        }
        SelectItem::ExprWithAliases { .. } => false,
    }
}

/// Whether an expression is a literal other than null.
fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Value(value) => !matches!(value.value, Value::Null),
        Expr::Nested(inner) => is_literal(inner),
        _ => false,
    }
}
