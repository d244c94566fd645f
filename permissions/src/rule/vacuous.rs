//! Reports conditions that do not depend on the row: a comparison of a column with itself, and a
//! subquery that depends neither on the row nor on the session. Both occur when an unqualified name
//! in a subquery resolves to a column of the subquery's own table:
//!
//! ```sql
//! EXISTS (SELECT FROM orders o WHERE o.id = id)  -- `id` is `o.id`, not the column of the row
//! ```
//!
//! Both are checked on the rendered parts, where each column is qualified with the alias of its
//! table.

use std::ops::Range;

use sql::postgres::types::quoted;
use sqlparser::ast::{
    Array, BinaryOperator, CastKind, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, Query, SelectItem, Spanned, UnaryOperator,
};
use sqlparser::tokenizer::Span;

use super::foreign_calls::calls_foreign;
use super::identifiers::{folded, name_of, plain_name};
use super::part::Part;
use super::subject::RuleSubject;
use super::vacuous_state::{Shadow, Subquery};
use super::writer::Writer;
use crate::fault::Fault;

/// The functions without parentheses that depend on the connected user.
const CALLER: [&str; 4] = ["current_role", "current_user", "session_user", "user"];

/// The state at the start of a subquery.
struct OperandScope {
    parts: usize,
    aliases: usize,
    levels: usize,
    shadows: usize,
    tables: usize,
    in_term: bool,
    in_filter: bool,
    constant: Vec<Subquery>,
}

impl Writer<'_, '_, '_> {
    // ---- comparisons

    /// Reports a comparison whose operands are the same column.
    pub(super) fn judge_comparison(&mut self, expression: &Expr) {
        if self.is_statement() {
            return;
        }
        match expression {
            Expr::BinaryOp { left, op, right } if compares(op) => self.judge_sides(left, right),
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                self.judge_sides(left, right);
            }
            Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => {
                self.judge_sides(expr, pattern);
            }
            Expr::InList { expr, list, .. } => {
                list.iter().for_each(|item| self.judge_sides(expr, item));
            }
            Expr::Between {
                expr, low, high, ..
            } => {
                [low, high]
                    .into_iter()
                    .for_each(|end| self.judge_sides(expr, end));
            }
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => {
                elements(right)
                    .iter()
                    .for_each(|item| self.judge_sides(left, item));
            }
            _ => {}
        }
    }

    fn judge_sides(&mut self, left: &Expr, right: &Expr) {
        match (items(left), items(right)) {
            (Some(left), Some(right)) => {
                left.into_iter()
                    .zip(right)
                    .for_each(|(left, right)| self.judge_sides(left, right));
            }
            _ => {
                let Some(meaning) = self.meaning(left) else {
                    return;
                };
                if self.meaning(right).as_ref() == Some(&meaning) {
                    self.report_same(left, right);
                }
            }
        }
    }

    /// Records the expressions that the columns of a subquery are compared with.
    pub(super) fn seek(&mut self, compared: &Expr) {
        if !self.is_statement() {
            let compared = items(compared).unwrap_or_else(|| vec![compared]);
            self.vacuity.sought = compared
                .into_iter()
                .map(|item| self.meaning(item))
                .collect();
        }
    }

    /// Takes the expressions that the columns of the next SELECT are compared with, so that they do
    /// not apply to another SELECT.
    pub(super) fn take_sought(&mut self) -> Vec<Option<String>> {
        std::mem::take(&mut self.vacuity.sought)
    }

    /// Sets the expressions that the columns of the next SELECT are compared with.
    pub(super) fn put_sought(&mut self, sought: Vec<Option<String>>) {
        self.vacuity.sought = sought;
    }

    /// Reports columns of a SELECT that equal the expression they are compared with.
    pub(super) fn judge_outputs(&mut self, sought: &[Option<String>], items: &[SelectItem]) {
        for (sought, item) in sought.iter().zip(items) {
            if let (
                Some(sought),
                SelectItem::UnnamedExpr(expression)
                | SelectItem::ExprWithAlias {
                    expr: expression, ..
                },
            ) = (sought, item)
                && self.meaning(expression).as_ref() == Some(sought)
            {
                let what = shown(expression);
                let help = "name a column of the subquery's own tables; this one belongs to what \
                            the subquery is compared with";
                let span = self.span(expression.span());
                self.fault_with(
                    Fault::RuleSelfComparison { what },
                    &span,
                    Some(help.to_owned()),
                );
            }
        }
    }

    /// A text that is equal for equal expressions over columns. `None` for queries, named rules and
    /// comparisons.
    fn meaning(&mut self, expression: &Expr) -> Option<String> {
        if !self.is_simple(expression) {
            return None;
        }
        let parts = self.quietly(|writer| {
            writer.set_failed(false);
            writer.expression(expression);
            (!writer.failed()).then(|| std::mem::take(&mut writer.parts))
        })?;
        meaning_of(&parts)
    }

    fn is_simple(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) => true,
            Expr::Nested(inner)
            | Expr::UnaryOp { expr: inner, .. }
            | Expr::Collate { expr: inner, .. } => self.is_simple(inner),
            Expr::Cast {
                kind: CastKind::Cast | CastKind::DoubleColon,
                expr,
                ..
            } => self.is_simple(expr),
            Expr::BinaryOp { left, op, right } => {
                !compares(op) && self.is_simple(left) && self.is_simple(right)
            }
            Expr::Function(function) => {
                let named = plain_name(&function.name)
                    .is_some_and(|name| self.rules.named.contains_key(name.as_str()));
                !named
                    && plain_arguments(function)
                        .is_some_and(|args| args.iter().all(|arg| self.is_simple(arg)))
            }
            _ => false,
        }
    }

    fn report_same(&mut self, left: &Expr, right: &Expr) {
        let one = shown(left);
        let other = shown(right);
        let fault = Fault::RuleSelfComparison { what: one.clone() };
        let fault = if one == other {
            fault
        } else {
            Fault::RuleSameColumn { one, other }
        };
        let unqualified = [right, left].into_iter().find_map(unqualified);
        let span = Span::union_iter([left.span(), right.span()]);
        // In a named rule, the argument of the call is at fault, unless the rule's own text is.
        let argument = [right, left]
            .into_iter()
            .find_map(|side| self.argument_span(side));
        let span = argument.unwrap_or_else(|| self.span(span));
        let help = self.help_for_column(unqualified.as_deref());
        self.fault_with(fault, &span, help);
    }

    /// The span of an argument in the call.
    fn argument_span(&self, expression: &Expr) -> Option<Range<usize>> {
        match expression {
            Expr::Nested(inner) => self.argument_span(inner),
            Expr::Identifier(ident) => {
                let outside = self.frame.levels.iter().all(|level| {
                    !matches!(
                        level.find(&folded(ident)),
                        super::scope::Resolution::Column(_)
                    )
                });
                self.argument_parts(&folded(ident))
                    .filter(|_| outside)?
                    .iter()
                    .find_map(span_of)
            }
            _ => None,
        }
    }

    /// A suggestion how to name a column of the row in a subquery, where the name resolves to an
    /// inner table.
    fn help_for_column(&self, column: Option<&str>) -> Option<String> {
        let own = self.row_table().filter(|_| !self.frame.levels.is_empty())?;
        let hidden = self
            .frame
            .levels
            .iter()
            .any(|level| level.item(&own.name).is_some());
        let found = column
            .and_then(|column| own.find(column))
            .map(|column| own.column(column).name.as_str());
        Some(match (found, hidden) {
            (_, true) => format!(
                "`{0}` is the table of the subquery here: give it another name, \
                                  `{0} AS other`, and write `{0}.…` for the row",
                own.name
            ),
            (Some(column), false) => {
                format!("write `{}.{column}` for the column of the row", own.name)
            }
            (None, false) => format!("a column of the row is written `{}.…`", own.name),
        })
    }

    // ---- subqueries

    /// Renders an expression, and reports the subqueries whose values it uses unless another part
    /// of it depends on the row or on the session.
    pub(super) fn term(&mut self, expression: &Expr, write: impl FnOnce(&mut Self)) {
        if self.vacuity.in_term || connects(expression) {
            return write(self);
        }
        let start = self.parts.len();
        let before = std::mem::take(&mut self.vacuity.constant);
        self.vacuity.in_term = true;
        write(self);
        self.vacuity.in_term = false;
        let constant = std::mem::replace(&mut self.vacuity.constant, before);
        if constant.is_empty() || self.is_constant_mask() {
            return;
        }
        let parts = self.parts.get(start..).unwrap_or_default();
        let reads_column = self.reads_column(parts, self.aliases.len());
        let reads_session = reads_session(parts) || calls_foreign(expression, self.rules);
        for subquery in constant.into_iter().filter(|_| !reads_column) {
            self.report_constant(Subquery {
                reads_session: reads_session || subquery.reads_session,
                ..subquery
            });
        }
    }

    /// A mask that is equal for every row reveals nothing.
    fn is_constant_mask(&self) -> bool {
        matches!(self.rule_subject(), Some(RuleSubject::Mask(..))) && self.frame.levels.is_empty()
    }

    /// Renders a subquery of an expression. If `exists`, only the existence of its rows matters;
    /// otherwise its value is used.
    pub(super) fn dependent<T>(
        &mut self,
        query: &Query,
        exists: bool,
        write: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let start = OperandScope {
            parts: self.parts.len(),
            aliases: self.aliases.len(),
            levels: self.frame.levels.len(),
            shadows: self.vacuity.shadows.len(),
            tables: self.vacuity.tables,
            in_term: std::mem::replace(&mut self.vacuity.in_term, false),
            in_filter: std::mem::replace(&mut self.vacuity.in_filter, false),
            constant: std::mem::take(&mut self.vacuity.constant),
        };
        let sees_outside = self.sees_outside();
        let result = write(self);
        self.vacuity.in_term = start.in_term;
        self.vacuity.in_filter = start.in_filter;
        let parts = self.parts.get(start.parts..).unwrap_or_default();
        let reads_column = self.reads_column(parts, start.aliases);
        let shadows = self.vacuity.shadows.split_off(start.shadows);
        self.vacuity.constant = start.constant;
        self.vacuity.reads_tables |=
            self.vacuity.tables > start.tables && (self.depth() == 0 || self.takes_arguments());
        if sees_outside && !reads_column && self.vacuity.tables > start.tables {
            let depth = self.depth();
            let mut inside = shadows
                .iter()
                .filter(|shadow| shadow.depth == depth && shadow.level >= start.levels);
            let shadow = inside.find_map(|shadow| {
                let mut outer = shadow.outer.clone();
                outer.retain(|(level, _)| level.is_none_or(|level| level < start.levels));
                (!outer.is_empty()).then(|| Shadow {
                    outer,
                    ..shadow.clone()
                })
            });
            let subquery = Subquery {
                span: self.span(query.span()),
                reads_session: reads_session(parts) || calls_foreign(query, self.rules),
                shadow,
            };
            if exists {
                self.report_constant(subquery);
            } else {
                self.vacuity.constant.push(subquery);
            }
        }
        // A name shadowed by this subquery's tables may also be shadowed by those of an enclosing
        // subquery.
        self.vacuity.shadows.extend(shadows);
        result
    }

    /// Notes a row rule that reads tables and no column of the row: it holds for all rows or for
    /// none, although it may have been meant for those that belong to what it finds.
    pub(super) fn note_constant_rule(&mut self, expression: &Expr) {
        let own = match self.rule_subject() {
            Some(RuleSubject::Row(_) | RuleSubject::Read(_)) => self.row_table(),
            _ => None,
        };
        let Some(own) =
            own.filter(|_| self.vacuity.reads_tables && !self.reads_column(&self.parts, 0))
        else {
            return;
        };
        let help = format!(
            "compare something in it with a column of the row, `{}.…`; a \
                            condition that is meant for all rows alike is \
                            written as a named rule without arguments",
            own.name
        );
        let span = self.span(expression.span());
        self.report.record(Fault::ConstantRule {}, &span, &help);
    }

    /// Whether a subquery could depend on anything outside of it. A named rule is checked by
    /// itself, with columns as arguments; one without arguments is deliberately independent of the
    /// row.
    fn sees_outside(&self) -> bool {
        let judged = self.rule_subject().is_none() || self.depth() == 0;
        let outer =
            !self.frame.levels.is_empty() || self.row_table().is_some() || self.takes_arguments();
        judged && outer && !self.is_statement()
    }

    fn report_constant(&mut self, subquery: Subquery) {
        if self.failed() {
            // The expression at fault may be the one that the subquery would depend on.
            return;
        }
        match subquery.shadow {
            Some(Shadow {
                column,
                inner,
                outer,
                span,
                ..
            }) => {
                let outer = outer
                    .into_iter()
                    .map(|(_, name)| name)
                    .next()
                    .unwrap_or_default();
                let [own, other, name] = [&outer, &inner, &column].map(|name| name_of(name, false));
                let help = format!("write `{own}.{name}` or `{other}.{name}`, whichever is meant");
                self.fault_with(
                    Fault::RuleShadow {
                        column,
                        inner,
                        outer,
                    },
                    &span,
                    Some(help),
                );
            }
            None if subquery.reads_session => {}
            None => {
                let column = match self.row_table() {
                    Some(own) => format!("a column of the row, `{}.…`", own.name),
                    None => "an argument of the rule".to_owned(),
                };
                let help = format!(
                    "compare something in it with {column}; a condition that \
                                    holds for all rows alike is written as a named rule \
                                    without arguments"
                );
                self.fault_with(Fault::RuleConstant {}, &subquery.span, Some(help));
            }
        }
    }

    /// Whether parts read a column of the row, or of one of the first `aliases` open tables.
    fn reads_column(&self, parts: &[Part], aliases: usize) -> bool {
        let open: Vec<String> = self
            .aliases
            .iter()
            .take(aliases)
            .map(|alias| format!("{}.", quoted(alias)))
            .collect();
        parts.iter().any(|part| match part {
            Part::Column { .. } => true,
            Part::Sql { text, .. } => {
                !is_string(text) && open.iter().any(|alias| text.contains(alias.as_str()))
            }
            _ => false,
        })
    }

    /// Records a name that resolves to a column of a table at this level, but may have been meant
    /// for an outer scope.
    pub(super) fn note_shadow(&mut self, column: &str, level: usize, inner: &str, span: Span) {
        if self.is_statement() || !self.vacuity.in_filter {
            return;
        }
        let levels = self.frame.levels.iter().enumerate().take(level).rev();
        let having = |(index, found): (usize, &super::scope::FromScope)| {
            let item = found.items.iter().find(|item| item.columns.has(column))?;
            Some((Some(index), item.name.clone()))
        };
        let mut outer: Vec<(Option<usize>, String)> = levels.filter_map(having).collect();
        outer.extend(
            self.row_table()
                .filter(|own| own.find(column).is_some())
                .map(|own| (None, own.name.clone())),
        );
        if !outer.is_empty() {
            let depth = self.depth();
            let span = self.span(span);
            let column = column.to_owned();
            let inner = inner.to_owned();
            self.vacuity.shadows.push(Shadow {
                depth,
                level,
                column,
                inner,
                outer,
                span,
            });
        }
    }

    /// Renders the output of a SELECT.
    pub(super) fn output<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.vacuity.in_filter, false);
        let result = write(self);
        self.vacuity.in_filter = before;
        result
    }

    /// Renders a condition of a SELECT, which has its own terms.
    pub(super) fn in_filter<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.vacuity.in_filter, true);
        let result = write(self);
        self.vacuity.in_filter = before;
        result
    }
}

/// Whether parts depend on the caller. A foreign call counts, too, since what it reads is unknown.
fn reads_session(parts: &[Part]) -> bool {
    let of_caller = |text: &str| {
        CALLER.contains(&text) || text.trim_start_matches("pg_catalog.") == "current_setting"
    };
    parts.iter().any(|part| match part {
        Part::Session { .. } => true,
        Part::Sql { text, .. } => of_caller(text),
        _ => false,
    })
}

/// Whether an expression only combines conditions.
fn connects(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Nested(_)
            | Expr::BinaryOp {
                op: BinaryOperator::And | BinaryOperator::Or,
                ..
            }
            | Expr::UnaryOp {
                op: UnaryOperator::Not,
                ..
            }
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
    )
}

/// Operators whose result for a value and itself is constant.
fn compares(op: &BinaryOperator) -> bool {
    let symbol = |name: &str| {
        matches!(
            name,
            "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "@>" | "<@" | "~" | "~~"
        )
    };
    match op {
        BinaryOperator::Eq
        | BinaryOperator::NotEq
        | BinaryOperator::Lt
        | BinaryOperator::LtEq
        | BinaryOperator::Gt
        | BinaryOperator::GtEq
        | BinaryOperator::PGOverlap
        | BinaryOperator::AtArrow
        | BinaryOperator::ArrowAt
        | BinaryOperator::PGRegexMatch
        | BinaryOperator::PGRegexIMatch
        | BinaryOperator::PGRegexNotMatch
        | BinaryOperator::PGRegexNotIMatch
        | BinaryOperator::PGLikeMatch
        | BinaryOperator::PGILikeMatch
        | BinaryOperator::PGNotLikeMatch
        | BinaryOperator::PGNotILikeMatch
        | BinaryOperator::PGStartsWith => true,
        BinaryOperator::PGCustomBinaryOperator(parts) => {
            parts.last().is_some_and(|name| symbol(name))
        }
        _ => false,
    }
}

/// The items of a row constructor: `(a, b)`, `ROW(a, b)`.
fn items(expression: &Expr) -> Option<Vec<&Expr>> {
    match expression {
        Expr::Tuple(items) => Some(items.iter().collect()),
        Expr::Nested(inner) => items(inner),
        Expr::Function(function) if plain_name(&function.name).as_deref() == Some("row") => {
            plain_arguments(function)
        }
        _ => None,
    }
}

/// The elements of an array constructor.
fn elements(expression: &Expr) -> &[Expr] {
    match expression {
        Expr::Array(Array { elem, .. }) => elem,
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => elements(inner),
        _ => &[],
    }
}

/// The arguments of a function call that contains only expressions.
fn plain_arguments(function: &Function) -> Option<Vec<&Expr>> {
    let FunctionArguments::List(list) = &function.args else {
        return None;
    };
    let plain =
        function.filter.is_none() && function.over.is_none() && function.within_group.is_empty();
    let argument = |arg| match arg {
        &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref expression)) => Some(expression),
        _ => None,
    };
    list.args
        .iter()
        .map(argument)
        .collect::<Option<Vec<&Expr>>>()
        .filter(|_| plain && list.clauses.is_empty())
}

/// The text of parts, with columns qualified by table alias and without redundant parentheses;
/// `None` without a column.
fn meaning_of(parts: &[Part]) -> Option<String> {
    let column = |text: &str| {
        (text.starts_with('"') && text.contains("\".")) || text.starts_with("COALESCE(\"")
    };
    let has_column = parts.iter().any(|part| match part {
        Part::Column { .. } => true,
        Part::Sql { text, .. } => column(text),
        _ => false,
    });
    let mut written: Vec<String> = Vec::new();
    for part in parts {
        written.push(match part {
            Part::Sql { text, .. } => text.clone(),
            Part::Column { column, .. } => format!("\0{}", column.0),
            Part::Session { value, .. } => {
                format!("\0{}{}", value.name, if value.optional { "?" } else { "" })
            }
            Part::Table { .. } | Part::Parameter { .. } => return None,
        });
        while let [.., open, _, close] = written.as_slice()
            && (open.as_str(), close.as_str()) == ("(", ")")
        {
            written.pop();
            let inner = written.pop().unwrap_or_default();
            written.pop();
            written.push(inner);
        }
    }
    has_column.then(|| written.join(" "))
}

/// The name of an unqualified column.
fn unqualified(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Identifier(ident) => Some(folded(ident)),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => unqualified(inner),
        _ => None,
    }
}

fn span_of(part: &Part) -> Option<Range<usize>> {
    match part {
        Part::Sql { span, .. } | Part::Column { span, .. } | Part::Session { span, .. } => {
            span.clone()
        }
        Part::Table { span, .. } | Part::Parameter { span, .. } => Some(span.clone()),
    }
}

fn is_string(text: &str) -> bool {
    ["'", "E'", "B'", "X'"]
        .iter()
        .any(|begin| text.starts_with(begin))
}

/// An expression as in the source, truncated to 40 characters.
fn shown(expression: &Expr) -> String {
    let text = expression.to_string();
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
