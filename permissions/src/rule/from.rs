//! Renders FROM clauses: tables of the catalog, WITH queries, subqueries, functions and joins, each
//! with an alias.

use sql::postgres::catalog::{TableId, TypeKind};
use sql::postgres::types::quoted;
use sqlparser::ast::{
    Expr, FunctionArg, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, Query,
    Spanned, TableAlias, TableFactor, TableFunctionArgs, TableWithJoins,
};
use sqlparser::tokenizer::Span;

use super::identifiers::{folded, plain_name};
use super::part::Part;
use super::scope::{Columns, Item};
use super::writer::Writer;
use crate::fault::Fault;
use crate::similar_names::did_you_mean;
use crate::table_names::key;

/// Built-in functions that return a set of plain values; their column has the name of the table
/// alias.
const PLAIN: [&str; 9] = [
    "generate_series",
    "generate_subscripts",
    "json_object_keys",
    "jsonb_object_keys",
    "jsonb_path_query",
    "regexp_matches",
    "regexp_split_to_table",
    "string_to_table",
    "unnest",
];

/// Built-in functions whose columns have fixed names.
const WITH_NAMES: [(&str, &[&str]); 8] = [
    ("json_array_elements", &["value"]),
    ("json_array_elements_text", &["value"]),
    ("jsonb_array_elements", &["value"]),
    ("jsonb_array_elements_text", &["value"]),
    ("json_each", &["key", "value"]),
    ("json_each_text", &["key", "value"]),
    ("jsonb_each", &["key", "value"]),
    ("jsonb_each_text", &["key", "value"]),
];

/// The side of a join that provides the value of a USING column.
#[derive(Clone, Copy)]
enum Value {
    Left,
    Right,
    Either,
}

impl Writer<'_, '_, '_> {
    /// Renders a FROM clause into the innermost scope.
    pub(super) fn from(&mut self, tables: &[TableWithJoins]) {
        self.tables(" FROM ", tables);
    }

    /// Renders a list of tables after another keyword.
    pub(super) fn tables(&mut self, word: &str, tables: &[TableWithJoins]) {
        for (index, table) in tables.iter().enumerate() {
            self.sql(if index > 0 { ", " } else { word });
            self.joined(table);
        }
    }

    fn joined(&mut self, table: &TableWithJoins) {
        let TableWithJoins { relation, joins } = table;
        let first = self.items().len();
        self.factor(relation);
        joins.iter().for_each(|join| self.join(join, first));
    }

    /// The items of the innermost FROM clause so far.
    fn items(&self) -> &[Item] {
        self.frame.levels.last().map_or(&[], |level| &level.items)
    }

    /// Renders a join; its left side is the items from index `first` on.
    fn join(&mut self, join: &Join, first: usize) {
        let Join {
            relation,
            global,
            join_operator,
        } = join;
        let (words, constraint, value) = match join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => {
                (" JOIN ", constraint, Value::Left)
            }
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
                (" LEFT JOIN ", constraint, Value::Left)
            }
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
                (" RIGHT JOIN ", constraint, Value::Right)
            }
            JoinOperator::FullOuter(constraint) => (" FULL JOIN ", constraint, Value::Either),
            JoinOperator::CrossJoin(constraint) => (" CROSS JOIN ", constraint, Value::Left),
            _ => return self.refuse("a join in another database's syntax", relation.span()),
        };
        if *global {
            self.refuse("GLOBAL", relation.span());
        }
        self.sql(words);
        let second = self.items().len();
        self.factor(relation);
        match constraint {
            JoinConstraint::On(condition) => {
                self.sql(" ON ");
                self.in_filter(|writer| writer.expression(condition));
            }
            JoinConstraint::Using(columns) => self.using(columns, first, second, value),
            JoinConstraint::Natural => {
                self.refuse(
                    "NATURAL JOIN, whose columns change with the tables,",
                    relation.span(),
                );
            }
            JoinConstraint::None => {}
        }
    }

    fn using(&mut self, columns: &[ObjectName], first: usize, second: usize, value: Value) {
        let mut names = vec![];
        for column in columns {
            let [ObjectNamePart::Identifier(ident)] = column.0.as_slice() else {
                self.refuse("a column of this form", column.span());
                continue;
            };
            let name = folded(ident);
            self.merge(&name, first, second, value, ident.span);
            names.push(name);
        }
        self.sql(" USING ");
        self.column_names(&names);
    }

    /// Merges a USING column: `"a"."x"`, or `COALESCE("a"."x", "b"."x")` if either side may be
    /// missing.
    fn merge(&mut self, name: &str, first: usize, second: usize, value: Value, span: Span) {
        let sides = self.items().split_at_checked(second).unwrap_or_default();
        let having = |items: &[Item]| -> Vec<String> {
            let items = items.iter().filter(|item| item.columns.has(name));
            items
                .map(|item| format!("{}.{}", quoted(&item.written), quoted(name)))
                .collect()
        };
        let left = having(sides.0.get(first..).unwrap_or_default());
        let right = having(sides.1);
        let merged = self
            .frame
            .levels
            .last()
            .and_then(|level| level.merged(name))
            .map(str::to_owned);
        let left = merged.or_else(|| {
            if let [only] = left.as_slice() {
                Some(only.clone())
            } else {
                None
            }
        });
        let (Some(left), [right]) = (left, right.as_slice()) else {
            return self.fault(
                Fault::RuleColumn {
                    column: name.to_owned(),
                },
                span,
            );
        };
        let sql = match value {
            Value::Left => left,
            Value::Right => right.clone(),
            Value::Either => format!("COALESCE({left}, {right})"),
        };
        if let Some(level) = self.frame.levels.last_mut() {
            level.merged.retain(|(merged, _)| merged != name);
            level.merged.push((name.to_owned(), sql));
        }
    }

    pub(super) fn factor(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version: None,
                with_ordinality,
                partitions,
                json_path: None,
                sample: None,
                index_hints,
            } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty() => {
                match args {
                    None if !*with_ordinality => self.table(name, alias.as_ref()),
                    Some(TableFunctionArgs {
                        args,
                        settings: None,
                    }) => {
                        self.set_of(name, args, *with_ordinality, alias.as_ref());
                    }
                    _ => self.refuse("a table in another database's syntax", factor.span()),
                }
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample: None,
            } => {
                self.derived(*lateral, subquery, alias.as_ref(), factor.span());
            }
            TableFactor::Function {
                lateral,
                name,
                args,
                with_ordinality,
                alias,
            } => {
                self.sql(if *lateral { "LATERAL " } else { "" });
                self.set_of(name, args, *with_ordinality, alias.as_ref());
            }
            TableFactor::UNNEST {
                alias,
                array_exprs,
                with_offset: false,
                with_offset_alias: None,
                with_ordinality,
            } => {
                self.unnest(array_exprs, *with_ordinality, alias.as_ref(), factor.span());
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias: None,
            } => {
                self.sql("(");
                self.joined(table_with_joins);
                self.sql(")");
            }
            other => self.refuse("a table of this form", other.span()),
        }
    }

    /// Adds a table to the innermost scope and renders its alias `AS "u"`; returns the alias.
    pub(super) fn named(
        &mut self,
        name: &str,
        table: Option<TableId>,
        columns: Columns,
        span: Span,
    ) -> String {
        if name == "session" {
            let reason = "it means the caller's session; give the table another name: AS s";
            self.fault(
                Fault::Reserved {
                    name: name.to_owned(),
                    reason,
                },
                span,
            );
        }
        self.tell_hidden_arguments(&columns, name, span);
        let written = self.fresh(name);
        let twice = self
            .frame
            .levels
            .last()
            .is_some_and(|level| level.item(name).is_some());
        if twice {
            self.fault(
                Fault::RuleTableTwice {
                    name: name.to_owned(),
                },
                span,
            );
        }
        let item = Item {
            name: name.to_owned(),
            written: written.clone(),
            table,
            columns,
        };
        if let Some(level) = self.frame.levels.last_mut() {
            level.items.push(item);
        }
        self.sql(&format!(" AS {}", quoted(&written)));
        written
    }

    /// The column names of an alias. Only aliases of functions (`typed`) may have column types.
    fn alias_columns(&mut self, alias: Option<&TableAlias>, typed: bool) -> Vec<String> {
        let Some(alias) = alias else { return vec![] };
        let has_types = alias
            .columns
            .iter()
            .any(|column| column.data_type.is_some());
        if alias.at.is_some() || (has_types && !typed) {
            self.refuse("an alias of this form", alias.name.span);
        }
        alias
            .columns
            .iter()
            .map(|column| folded(&column.name))
            .collect()
    }

    fn table(&mut self, name: &ObjectName, alias: Option<&TableAlias>) {
        let span = name.span();
        let parts: Option<Vec<String>> = name
            .0
            .iter()
            .map(|part| part.as_ident().map(folded))
            .collect();
        let names = self.alias_columns(alias, false);
        let found = match parts.as_deref() {
            Some([only]) => match self.with_query_named(only) {
                Some((written, columns)) => {
                    self.sql_at(&quoted(&written), span);
                    let called = alias.map_or(only.clone(), |alias| folded(&alias.name));
                    let columns = self.renamed(columns, &names, span);
                    self.named(&called, None, columns, span);
                    return self.column_names(&names);
                }
                None => self.catalog().find_unqualified(only),
            },
            Some([schema, table]) => self.catalog().find(schema, table),
            _ => None,
        };
        match found {
            Some(id) => self.catalog_table(id, alias, &names, span),
            None => self.no_such_table(name, alias, span),
        }
    }

    fn with_query_named(&self, name: &str) -> Option<(String, Columns)> {
        let cte = self.frame.ctes.iter().rev().find(|cte| cte.name == name)?;
        Some((cte.written.clone(), cte.columns.clone()))
    }

    fn catalog_table(
        &mut self,
        id: TableId,
        alias: Option<&TableAlias>,
        names: &[String],
        span: Span,
    ) {
        self.vacuity.tables += 1;
        let table = self.catalog().table(id);
        if self.is_statement() {
            if !names.is_empty() {
                self.refuse("a table with renamed columns", span);
            }
            let span = self.span(span);
            self.part(Part::Table { table: id, span });
        } else {
            self.sql_at(
                &format!("{}.{}", quoted(&table.schema), quoted(&table.name)),
                span,
            );
        }
        let columns =
            Columns::known(table.columns.iter().map(|column| column.name.clone())).renamed(names);
        let columns = Columns {
            by_role: self.is_statement(),
            ..columns
        };
        let called = alias.map_or_else(|| table.name.clone(), |alias| folded(&alias.name));
        let unnamed = alias.is_none().then_some(id);
        self.named(
            &called,
            unnamed,
            columns,
            alias.map_or(span, |alias| alias.name.span),
        );
        self.column_names(names);
    }

    pub(super) fn no_such_table(
        &mut self,
        name: &ObjectName,
        alias: Option<&TableAlias>,
        span: Span,
    ) {
        let table = plain_name(name).unwrap_or_else(|| name.to_string());
        let mut known: Vec<String> = self.catalog().tables.iter().map(key).collect();
        known.extend(self.frame.ctes.iter().map(|cte| cte.name.clone()));
        let help = did_you_mean(&table, known.iter().map(String::as_str));
        let range = self.span(span);
        self.fault_with(Fault::UnknownTable { table }, &range, help);
        // The table is added to the scope nonetheless, so that its columns are not reported, too.
        let last = name
            .0
            .last()
            .and_then(|part| part.as_ident())
            .map(folded)
            .unwrap_or_default();
        let called = alias.map_or(last, |alias| folded(&alias.name));
        self.named(
            &called,
            None,
            Columns {
                open: true,
                ..Columns::default()
            },
            span,
        );
    }

    fn derived(&mut self, lateral: bool, query: &Query, alias: Option<&TableAlias>, span: Span) {
        let names = self.alias_columns(alias, false);
        self.sql(if lateral { "LATERAL (" } else { "(" });
        // Without LATERAL it sees the tables of outer queries, but not its siblings.
        let beside = match self.frame.levels.last_mut() {
            Some(level) if !lateral => std::mem::take(level),
            _ => super::scope::FromScope::default(),
        };
        let columns = self.query(query);
        let columns = self.renamed(columns, &names, alias.map_or(span, |alias| alias.name.span));
        if let (false, Some(level)) = (lateral, self.frame.levels.last_mut()) {
            *level = beside;
        }
        self.sql(")");
        match alias {
            Some(alias) => {
                self.named(&folded(&alias.name), None, columns, alias.name.span);
                self.column_names(&names);
            }
            None => self.refuse("a subquery in FROM without a name", span),
        }
    }

    /// Renders a function in FROM.
    fn set_of(
        &mut self,
        name: &ObjectName,
        args: &[FunctionArg],
        ordinality: bool,
        alias: Option<&TableAlias>,
    ) {
        let span = name.span();
        let Some(text) = plain_name(name) else {
            return self.refuse("a function of this form", span);
        };
        if let [ObjectNamePart::Identifier(ident)] = name.0.as_slice()
            && self.rules.named.contains_key(folded(ident).as_str())
        {
            return self.refuse(&format!("named rule `{text}` as a table"), span);
        }
        self.sql_at(&text, span);
        self.sql("(");
        self.function_arguments(args);
        self.sql(")");
        let own = name
            .0
            .last()
            .and_then(|part| part.as_ident())
            .map(folded)
            .unwrap_or_default();
        let called = alias.map_or_else(|| own.clone(), |alias| folded(&alias.name));
        let columns = self.function_columns(name, &own, &called);
        self.with_ordinality(ordinality, &called, columns, alias, span);
    }

    fn unnest(
        &mut self,
        arrays: &[Expr],
        ordinality: bool,
        alias: Option<&TableAlias>,
        span: Span,
    ) {
        self.sql("unnest(");
        self.expressions(arrays);
        self.sql(")");
        let called = alias.map_or_else(|| "unnest".to_owned(), |alias| folded(&alias.name));
        let columns = match arrays {
            [_] => Columns::known([called.clone()]),
            // Several columns of one name, which cannot be told apart.
            _ => Columns {
                open: true,
                ..Columns::default()
            },
        };
        self.with_ordinality(ordinality, &called, columns, alias, span);
    }

    fn with_ordinality(
        &mut self,
        ordinality: bool,
        called: &str,
        mut columns: Columns,
        alias: Option<&TableAlias>,
        span: Span,
    ) {
        if ordinality {
            self.sql(" WITH ORDINALITY");
            columns.names.push("ordinality".to_owned());
        }
        let names = self.alias_columns(alias, true);
        let typed = alias.is_some_and(|alias| {
            alias
                .columns
                .iter()
                .any(|column| column.data_type.is_some())
        });
        if typed {
            self.named(called, None, Columns::known(names), span);
            return self.typed_columns(alias);
        }
        let open = columns.open && names.is_empty();
        let columns = Columns {
            open,
            ..columns.renamed(&names)
        };
        // The columns are rendered explicitly: a column is named after its table alias, which may
        // have been changed.
        let written = if open { vec![] } else { columns.names.clone() };
        self.named(called, None, columns, span);
        self.column_names(&written);
    }

    /// `(a int, b text)`
    fn typed_columns(&mut self, alias: Option<&TableAlias>) {
        self.sql("(");
        self.list(
            alias.map_or(&[][..], |alias| &alias.columns),
            |writer, column| {
                writer.sql(&format!("{} ", quoted(&folded(&column.name))));
                match &column.data_type {
                    Some(data_type) => writer.data_type(data_type, column.name.span),
                    None => writer.refuse(
                        "a column without a type beside others with one",
                        column.name.span,
                    ),
                }
            },
        );
        self.sql(")");
    }

    /// The columns of a function's result, as far as they are known.
    fn function_columns(&self, name: &ObjectName, own: &str, called: &str) -> Columns {
        let unknown = Columns {
            open: true,
            ..Columns::known([called.to_owned()])
        };
        let schema = match name.0.as_slice() {
            [schema, _] => schema.as_ident().map(folded),
            _ => None,
        };
        let here = |function: &&sql::postgres::catalog::Function| {
            function.name == own
                && schema
                    .as_ref()
                    .is_none_or(|schema| *schema == function.schema)
        };
        let mut declared = self.catalog().functions.iter().filter(here);
        match (declared.next(), declared.next()) {
            (Some(function), None) => {
                match self.catalog().type_of(function.result).map(|t| &t.kind) {
                    Some(TypeKind::Composite(fields)) => {
                        Columns::known(fields.iter().map(|field| field.name.clone()))
                    }
                    Some(TypeKind::Pseudo) | None => unknown,
                    // The column is rendered with this name, whatever the name of the OUT argument
                    // is.
                    Some(_) => Columns::known([called.to_owned()]),
                }
            }
            (Some(_), Some(_)) => unknown,
            (None, _) => match WITH_NAMES.iter().find(|(function, _)| *function == own) {
                Some((_, names)) => Columns::known(names.iter().map(|name| (*name).to_owned())),
                None if PLAIN.contains(&own) => Columns::known([called.to_owned()]),
                None => unknown,
            },
        }
    }
}
