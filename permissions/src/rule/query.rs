//! Renders subqueries: WITH, set operations, SELECT, VALUES, ORDER BY and LIMIT. Statements that
//! write are handled by `change`.

use sql::postgres::types::quoted;
use sqlparser::ast::{
    Cte as WithQuery, CteAsMaterialized, Distinct, Expr, Fetch, GroupByExpr, LimitClause,
    NamedWindowDefinition, NamedWindowExpr, Offset, OrderBy, OrderByExpr, OrderByKind, Query,
    Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, SetOperator,
    SetQuantifier, Spanned, Values, WildcardAdditionalOptions, With,
};
use sqlparser::tokenizer::Span;

use super::identifiers::{folded, plain_name};
use super::scope::{Columns, Cte, FromScope};
use super::writer::Writer;
use crate::fault::Fault;

/// What was open before a query.
pub(super) struct QueryScope {
    levels: usize,
    ctes: usize,
    aliases: usize,
    /// The expressions that the query's columns are compared with.
    sought: Vec<Option<String>>,
}

impl Writer<'_, '_, '_> {
    /// Renders a query; returns its columns.
    pub(super) fn query(&mut self, query: &Query) -> Columns {
        let scope = self.open_query(query);
        self.after_with(query, scope)
    }

    /// Opens the scope of a query, and renders its `WITH`.
    pub(super) fn open_query(&mut self, query: &Query) -> QueryScope {
        let Query {
            with,
            body: _,
            order_by: _,
            limit_clause: _,
            fetch: _,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        let plain = for_clause.is_none()
            && settings.is_none()
            && format_clause.is_none()
            && pipe_operators.is_empty();
        if !plain || !(locks.is_empty() || self.is_statement()) {
            self.refuse(
                "a query with a lock or in another database's syntax",
                query.span(),
            );
        }
        let scope = QueryScope {
            levels: self.frame.levels.len(),
            ctes: self.frame.ctes.len(),
            aliases: self.aliases.len(),
            sought: self.take_sought(),
        };
        if let Some(with) = with {
            self.with(with);
        }
        scope
    }

    /// Renders a query after its `WITH`, and closes its scope; returns its columns.
    pub(super) fn after_with(&mut self, query: &Query, scope: QueryScope) -> Columns {
        self.put_sought(scope.sought);
        let columns = self.body(&query.body, query.order_by.as_ref());
        self.limit(
            query.limit_clause.as_ref(),
            query.fetch.as_ref(),
            query.span(),
        );
        if self.is_statement() {
            query.locks.iter().for_each(|lock| self.lock(lock));
        }
        self.frame.levels.truncate(scope.levels);
        self.frame.ctes.truncate(scope.ctes);
        self.aliases.truncate(scope.aliases);
        columns
    }

    fn body(&mut self, body: &SetExpr, order_by: Option<&OrderBy>) -> Columns {
        let columns = self.set(body, true);
        if !matches!(body, SetExpr::Select(_)) {
            // ORDER BY of a set operation or VALUES sees only their output columns.
            self.frame.levels.push(FromScope {
                outputs: columns.names.clone(),
                ..FromScope::default()
            });
        }
        if let Some(OrderBy { kind, interpolate }) = order_by {
            match (kind, interpolate) {
                (OrderByKind::Expressions(order), None) => {
                    self.sql(" ORDER BY ");
                    self.order(order);
                }
                _ => self.refuse("an ORDER BY of this form", body.span()),
            }
        }
        columns
    }

    /// Renders one side of a set operation. The scope of a SELECT stays open if a clause follows.
    fn set(&mut self, set: &SetExpr, stays_open: bool) -> Columns {
        match set {
            SetExpr::Select(select) => {
                let levels = self.frame.levels.len();
                let columns = self.select(select);
                if !stays_open {
                    self.frame.levels.truncate(levels);
                }
                columns
            }
            SetExpr::Query(query) => {
                self.sql("(");
                let columns = self.query(query);
                self.sql(")");
                columns
            }
            SetExpr::SetOperation {
                left,
                op,
                set_quantifier,
                right,
            } => {
                let sought = self.take_sought();
                self.put_sought(sought.clone());
                let columns = self.set(left, false);
                self.set_operator(*op, *set_quantifier, set.span());
                self.put_sought(sought);
                let others = self.set(right, false);
                self.by_place(&columns, left.span());
                self.by_place(&others, right.span());
                columns
            }
            SetExpr::Values(values) => self.values(values, set.span()),
            SetExpr::Insert(change)
            | SetExpr::Update(change)
            | SetExpr::Delete(change)
            | SetExpr::Merge(change) => self.change(change),
            SetExpr::Table(_) => {
                self.refuse("TABLE", set.span());
                Columns::default()
            }
        }
    }

    fn set_operator(&mut self, op: SetOperator, quantifier: SetQuantifier, span: Span) {
        let quantifier = match quantifier {
            SetQuantifier::None => "",
            SetQuantifier::All => " ALL",
            SetQuantifier::Distinct => " DISTINCT",
            _ => return self.refuse("a set operation by name", span),
        };
        let op = match op {
            SetOperator::Union => "UNION",
            SetOperator::Except => "EXCEPT",
            SetOperator::Intersect => "INTERSECT",
            SetOperator::Minus => return self.refuse("MINUS", span),
        };
        self.sql(&format!(" {op}{quantifier} "));
    }

    pub(super) fn values(&mut self, values: &Values, span: Span) -> Columns {
        let Values {
            explicit_row,
            value_keyword,
            rows,
        } = values;
        if *explicit_row || *value_keyword {
            self.refuse("VALUES of this form", span);
        }
        self.sql("VALUES ");
        self.list(rows, |writer, row| {
            writer.sql("(");
            writer.no_whole_row(&row.content);
            writer.list(&row.content, |writer, value| writer.given(value));
            writer.sql(")");
        });
        let count = rows.first().map_or(0, |row| row.content.len());
        Columns::known((1..=count).map(|number| format!("column{number}")))
    }

    fn with(&mut self, with: &With) {
        let With {
            with_token: _,
            recursive,
            cte_tables,
        } = with;
        self.sql(if *recursive {
            "WITH RECURSIVE "
        } else {
            "WITH "
        });
        for (index, cte) in cte_tables.iter().enumerate() {
            if index > 0 {
                self.sql(", ");
            }
            self.with_query(cte, *recursive);
        }
        self.sql(" ");
    }

    fn with_query(&mut self, cte: &WithQuery, recursive: bool) {
        let WithQuery {
            alias,
            query,
            from,
            materialized,
            closing_paren_token: _,
        } = cte;
        if from.is_some()
            || alias.at.is_some()
            || alias
                .columns
                .iter()
                .any(|column| column.data_type.is_some())
        {
            self.refuse("a WITH query of this form", alias.name.span);
        }
        let name = folded(&alias.name);
        let written = self.fresh(&name);
        let names: Vec<String> = alias
            .columns
            .iter()
            .map(|column| folded(&column.name))
            .collect();
        self.sql(&quoted(&written));
        self.column_names(&names);
        self.sql(match materialized {
            None => " AS (",
            Some(CteAsMaterialized::Materialized) => " AS MATERIALIZED (",
            Some(CteAsMaterialized::NotMaterialized) => " AS NOT MATERIALIZED (",
        });
        if recursive {
            // A recursive query may read itself, with the columns of its alias or of its first
            // SELECT.
            let columns = self.quietly(|writer| writer.query(query)).renamed(&names);
            self.frame.ctes.push(Cte {
                name: name.clone(),
                written: written.clone(),
                columns,
            });
            // If the output is discarded, the columns suffice: rendering twice would double the
            // work with each level of nesting.
            if !self.rehearses {
                let columns = self.query(query);
                self.renamed(columns, &names, alias.name.span);
            }
        } else {
            let columns = self.query(query);
            let columns = self.renamed(columns, &names, alias.name.span);
            self.frame.ctes.push(Cte {
                name,
                written,
                columns,
            });
        }
        self.sql(")");
    }

    /// The columns with these names, assigned by position.
    pub(super) fn renamed(&mut self, columns: Columns, names: &[String], span: Span) -> Columns {
        if !names.is_empty() {
            self.by_place(&columns, span);
        }
        columns.renamed(names)
    }

    /// Rejects columns used by position if their positions depend on the role.
    pub(super) fn by_place(&mut self, columns: &Columns, span: Span) {
        if columns.by_role {
            let what = "`*` where columns are matched by position".to_owned();
            let span = self.span(span);
            let help = "the columns of a table depend on the role: name them".to_owned();
            self.fault_with(Fault::StatementUnsupported { what }, &span, Some(help));
        }
    }

    /// Renders `("a", "b")`, or nothing.
    pub(super) fn column_names(&mut self, names: &[String]) {
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            self.sql(&format!("({})", names.join(", ")));
        }
    }

    /// Renders a SELECT and leaves its scope open, for ORDER BY.
    fn select(&mut self, select: &Select) -> Columns {
        self.refuse_foreign_forms(select);
        let sought = self.take_sought();
        self.frame.levels.push(FromScope::default());
        let (from, ()) = self.apart(|writer| writer.from(&select.from));
        let (projection, columns) =
            self.apart(|writer| writer.output(|writer| writer.projection(&select.projection)));
        self.judge_outputs(&sought, &select.projection);
        self.sql("SELECT");
        self.distinct(select.distinct.as_ref(), &columns);
        self.parts.extend(projection);
        self.parts.extend(from);
        if let Some(condition) = &select.selection {
            self.sql(" WHERE ");
            self.in_filter(|writer| writer.expression(condition));
        }
        self.outputs(columns.names.clone());
        self.group_by(&select.group_by);
        if let Some(having) = &select.having {
            self.sql(" HAVING ");
            self.in_filter(|writer| writer.expression(having));
        }
        self.windows(&select.named_window);
        columns
    }

    fn outputs(&mut self, names: Vec<String>) {
        if let Some(level) = self.frame.levels.last_mut() {
            level.outputs = names;
        }
    }

    fn refuse_foreign_forms(&mut self, select: &Select) {
        let Select {
            select_token: _,
            optimizer_hints,
            distinct: _,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection: _,
            exclude,
            into,
            from: _,
            lateral_views,
            prewhere,
            selection: _,
            connect_by,
            group_by: _,
            cluster_by,
            distribute_by,
            sort_by,
            having: _,
            named_window: _,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if into.is_some() {
            self.refuse("SELECT INTO", select.span());
        }
        let clauses = connect_by.is_empty()
            && cluster_by.is_empty()
            && distribute_by.is_empty()
            && sort_by.is_empty();
        let options =
            select_modifiers.is_none() && top.is_none() && exclude.is_none() && prewhere.is_none();
        let forms =
            qualify.is_none() && value_table_mode.is_none() && *flavor == SelectFlavor::Standard;
        if !(clauses && options && forms && optimizer_hints.is_empty() && lateral_views.is_empty())
        {
            self.refuse("a SELECT in another database's syntax", select.span());
        }
    }

    fn distinct(&mut self, distinct: Option<&Distinct>, columns: &Columns) {
        match distinct {
            None => {}
            Some(Distinct::All) => self.sql(" ALL"),
            Some(Distinct::Distinct) => self.sql(" DISTINCT"),
            Some(Distinct::On(expressions)) => {
                self.outputs(columns.names.clone());
                self.sql(" DISTINCT ON (");
                self.list(expressions, |writer, expression| {
                    writer.sorted_by(expression, true);
                });
                self.sql(")");
                self.outputs(vec![]);
            }
        }
    }

    pub(super) fn projection(&mut self, items: &[SelectItem]) -> Columns {
        let mut columns = Columns::default();
        for (index, item) in items.iter().enumerate() {
            self.sql(if index > 0 { ", " } else { " " });
            match item {
                SelectItem::UnnamedExpr(expression) => {
                    self.no_whole_row([expression]);
                    self.expression(expression);
                    // A column without a name counts, too, for positions.
                    let name = column_name(expression).unwrap_or_else(|| "?column?".to_owned());
                    if self.loses_its_name(expression) {
                        self.sql(&format!(" AS {}", quoted(&name)));
                    }
                    columns.names.push(name);
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    self.no_whole_row([expr]);
                    self.expression(expr);
                    self.sql(&format!(" AS {}", quoted(&folded(alias))));
                    columns.names.push(folded(alias));
                }
                SelectItem::Wildcard(options) => {
                    self.plain_wildcard(options);
                    self.sql("*");
                    let all = self
                        .frame
                        .levels
                        .last()
                        .map(FromScope::all)
                        .unwrap_or_default();
                    columns.extend(all);
                }
                SelectItem::QualifiedWildcard(kind, options) => {
                    self.plain_wildcard(options);
                    let all = self.qualified_wildcard(kind);
                    columns.extend(all);
                }
                SelectItem::ExprWithAliases { expr, .. } => {
                    self.refuse("several aliases", expr.span());
                }
            }
        }
        columns
    }

    /// Whether the rendered expression would give its column another name than the source does.
    fn loses_its_name(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Identifier(ident) => {
                let name = folded(ident);
                let merged = self
                    .frame
                    .levels
                    .last()
                    .is_some_and(|level| level.merged(&name).is_some());
                merged || self.is_argument(&name)
            }
            Expr::Function(function) => {
                let name = plain_name(&function.name).unwrap_or_default();
                self.rules.named.contains_key(name.as_str())
            }
            Expr::Cast { expr, .. } | Expr::Nested(expr) => self.loses_its_name(expr),
            _ => false,
        }
    }

    fn plain_wildcard(&mut self, options: &WildcardAdditionalOptions) {
        let WildcardAdditionalOptions {
            wildcard_token,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias,
        } = options;
        let plain = opt_ilike.is_none()
            && opt_exclude.is_none()
            && opt_except.is_none()
            && opt_replace.is_none();
        if !plain || opt_rename.is_some() || opt_alias.is_some() {
            self.refuse("a wildcard of this form", wildcard_token.0.span);
        }
    }

    fn qualified_wildcard(&mut self, kind: &SelectItemQualifiedWildcardKind) -> Columns {
        let SelectItemQualifiedWildcardKind::ObjectName(name) = kind else {
            self.refuse("a wildcard of this form", kind.span());
            return Columns::default();
        };
        let wanted = match name.0.as_slice() {
            [part] => part.as_ident().map(folded),
            _ => None,
        };
        let item = wanted.as_ref().and_then(|wanted| {
            self.frame
                .levels
                .iter()
                .rev()
                .find_map(|level| level.item(wanted))
        });
        let found = item.map(|item| (quoted(&item.written), item.columns.clone()));
        let Some((written, columns)) = found else {
            let qualifier = plain_name(name).unwrap_or_default();
            self.fault(Fault::RuleQualifier { qualifier }, name.span());
            return Columns::default();
        };
        self.sql_at(&format!("{written}.*"), name.span());
        columns
    }

    fn group_by(&mut self, group_by: &GroupByExpr) {
        match group_by {
            GroupByExpr::Expressions(expressions, modifiers) if modifiers.is_empty() => {
                if !expressions.is_empty() {
                    self.sql(" GROUP BY ");
                    self.list(expressions, |writer, expression| {
                        writer.sorted_by(expression, false);
                    });
                }
            }
            other => self.refuse("a GROUP BY of this form", other.span()),
        }
    }

    fn windows(&mut self, windows: &[NamedWindowDefinition]) {
        for (index, NamedWindowDefinition(name, window)) in windows.iter().enumerate() {
            self.sql(if index > 0 { ", " } else { " WINDOW " });
            self.sql(&format!("{} AS ", quoted(&folded(name))));
            match window {
                NamedWindowExpr::WindowSpec(window) => self.window(window),
                NamedWindowExpr::NamedWindow(other) => {
                    self.refuse("a window defined as another window's name", other.span);
                }
            }
        }
    }

    /// Renders the expressions of an ORDER BY.
    pub(super) fn order(&mut self, order: &[OrderByExpr]) {
        self.list(
            order,
            |writer,
             OrderByExpr {
                 expr,
                 options,
                 with_fill,
             }| {
                if with_fill.is_some() {
                    writer.refuse("WITH FILL", expr.span());
                }
                writer.sorted_by(expr, true);
                let words = options.to_string();
                if words.bytes().all(|b| b.is_ascii_alphabetic() || b == b' ') {
                    writer.sql(&if words.is_empty() {
                        words
                    } else {
                        format!(" {}", words.trim())
                    });
                } else {
                    writer.refuse("an ORDER BY of this form", expr.span());
                }
            },
        );
    }

    /// Renders an expression of ORDER BY or GROUP BY. Its name may be that of an output column:
    /// ORDER BY prefers output columns to those of the tables, GROUP BY the reverse.
    fn sorted_by(&mut self, expression: &Expr, outputs_first: bool) {
        if let (Expr::Identifier(ident), Some(level)) = (expression, self.frame.levels.last()) {
            let name = folded(ident);
            let of_table = level.items.iter().any(|item| item.columns.has(&name))
                || level.merged(&name).is_some();
            if level.outputs.contains(&name) && (outputs_first || !of_table) {
                return self.sql_at(&quoted(&name), ident.span);
            }
        }
        self.no_whole_row([expression]);
        self.expression(expression);
    }

    fn limit(&mut self, limit: Option<&LimitClause>, fetch: Option<&Fetch>, span: Span) {
        match limit {
            None => {}
            Some(LimitClause::LimitOffset {
                limit,
                offset,
                limit_by,
            }) if limit_by.is_empty() => {
                if let Some(limit) = limit {
                    self.sql(" LIMIT ");
                    self.expression(limit);
                }
                if let Some(Offset { value, rows: _ }) = offset {
                    self.sql(" OFFSET ");
                    self.expression(value);
                }
            }
            Some(_) => self.refuse("a LIMIT of this form", span),
        }
        match fetch {
            None => {}
            Some(Fetch {
                with_ties,
                percent: false,
                quantity: Some(quantity),
            }) => {
                self.sql(" FETCH FIRST (");
                self.expression(quantity);
                self.sql(if *with_ties {
                    ") ROWS WITH TIES"
                } else {
                    ") ROWS ONLY"
                });
            }
            Some(_) => self.refuse("a FETCH of this form", span),
        }
    }

    /// Renders and discards the output and the faults, which are reported when the expression is
    /// rendered for good.
    pub(super) fn quietly<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let problems = self.report.problems.len();
        let failed = self.failed();
        let length = self.length;
        let rehearses = self.rehearses;
        self.rehearses = true;
        let (_, result) = self.apart(write);
        (self.length, self.rehearses) = (length, rehearses);
        self.report.problems.truncate(problems);
        self.set_failed(failed);
        result
    }
}

/// The name that Postgres gives to an output column, if it has one.
fn column_name(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Identifier(ident) => Some(folded(ident)),
        Expr::CompoundIdentifier(idents) => idents.last().map(folded),
        Expr::Function(function) => function
            .name
            .0
            .last()
            .and_then(|part| part.as_ident())
            .map(folded),
        Expr::Cast { expr, .. } | Expr::Nested(expr) | Expr::Collate { expr, .. } => {
            column_name(expr)
        }
        Expr::Exists { .. } => Some("exists".to_owned()),
        Expr::Case {
            else_result: Some(otherwise),
            ..
        } => column_name(otherwise).or_else(|| Some("case".to_owned())),
        Expr::Case { .. } => Some("case".to_owned()),
        Expr::Array(_) => Some("array".to_owned()),
        _ => None,
    }
}
