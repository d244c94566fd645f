//! The renderer of one rule: the rendered parts, and the scopes for name resolution.

use std::collections::HashMap;
use std::ops::Range;

use sql::model::access::SessionValue;
use sql::postgres::catalog::{Catalog, ColumnId, Table};
use sql::postgres::types::quoted;
use sqlparser::ast::{Expr, Ident, Query, Spanned};
use sqlparser::tokenizer::Span;

use super::identifiers::{folded, name_of};
use super::optional_session;
use super::part::Part;
use super::rules::Rules;
use super::scope::{Columns, Cte, FromScope, Resolution};
use super::source_map::Locator;
use super::subject::RuleSubject;
use super::vacuous_state::VacuousConditions;
use crate::fault::Fault;
use crate::report::Report;
use crate::similar_names::{closest, did_you_mean, listed};
use crate::table_names::key;

/// Maximum length of a rule with its named rules expanded, in bytes.
const MAX_RULE_BYTES: usize = 1 << 17;

/// Renders one rule.
pub(super) struct Writer<'w, 'f, 'a> {
    pub(super) rules: &'w Rules<'f>,
    pub(super) report: &'w mut Report<'a>,
    /// The subject of the rule; `None` while a named rule is checked by itself.
    subject: Option<RuleSubject>,
    pub(super) frame: Frame<'w>,
    pub(super) parts: Vec<Part>,
    /// The aliases of the tables and WITH queries that are open.
    pub(super) aliases: Vec<String>,
    /// The named rules that are being expanded, outermost first.
    active: Vec<String>,
    failed: bool,
    pub(super) length: usize,
    /// Whether the output is discarded.
    pub(super) rehearses: bool,
    /// The state of the check for conditions that do not depend on the row.
    pub(super) vacuity: VacuousConditions,
}

/// The scopes of one rule's text. A named rule sees its own scopes and arguments, and nothing of
/// its caller.
pub(super) struct Frame<'w> {
    locator: &'w Locator,
    pub(super) levels: Vec<FromScope>,
    pub(super) ctes: Vec<Cte>,
    /// The rendered arguments of the named rule; `None` in a rule of a grant.
    args: Option<Args>,
}

/// A named rule's arguments, by name.
type Args = HashMap<String, Vec<Part>>;

impl<'w, 'f, 'a> Writer<'w, 'f, 'a> {
    /// Creates a writer for a rule on a subject.
    pub(super) fn about(
        rules: &'w Rules<'f>,
        subject: RuleSubject,
        locator: &'w Locator,
        report: &'w mut Report<'a>,
    ) -> Writer<'w, 'f, 'a> {
        let frame = Frame {
            locator,
            levels: vec![],
            ctes: vec![],
            args: None,
        };
        Writer::new(rules, Some(subject), frame, report)
    }

    fn new(
        rules: &'w Rules<'f>,
        subject: Option<RuleSubject>,
        frame: Frame<'w>,
        report: &'w mut Report<'a>,
    ) -> Writer<'w, 'f, 'a> {
        Writer {
            rules,
            report,
            subject,
            frame,
            parts: vec![],
            aliases: vec![],
            active: vec![],
            failed: false,
            length: 0,
            rehearses: false,
            vacuity: VacuousConditions::default(),
        }
    }

    /// Reports the faults of a named rule by itself, with placeholder columns as arguments.
    pub(super) fn check_named(rules: &'w Rules<'f>, name: &str, report: &'w mut Report<'a>) {
        let Some(named) = rules.named.get(name) else {
            return;
        };
        let args = named.written.args.iter().zip(0..).map(|(arg, index)| {
            let placeholder = Part::Column {
                column: ColumnId(index),
                span: None,
            };
            (arg.value.clone(), vec![placeholder])
        });
        let frame = Frame {
            locator: &named.locator,
            levels: vec![],
            ctes: vec![],
            args: None,
        };
        let mut writer = Writer::new(rules, None, frame, report);
        writer.named_body(name, args.collect(), Writer::expression);
    }

    /// Renders the rule; returns its parts, or `None` if it has a fault.
    pub(super) fn write(mut self, expression: &Expr) -> Option<Vec<Part>> {
        self.expression(expression);
        if self.failed {
            return None;
        }
        self.note_constant_rule(expression);
        Some(self.parts)
    }

    pub(super) fn failed(&self) -> bool {
        self.failed
    }

    pub(super) fn set_failed(&mut self, failed: bool) {
        self.failed = failed;
    }

    pub(super) fn catalog(&self) -> &'f Catalog {
        self.rules.catalog
    }

    /// Writes SQL that has no counterpart in the source.
    pub(super) fn sql(&mut self, text: &str) {
        self.part(Part::Sql {
            text: text.to_owned(),
            span: None,
        });
    }

    /// Writes SQL for a span of the rule.
    pub(super) fn sql_at(&mut self, text: &str, span: Span) {
        let span = Some(self.span(span));
        self.part(Part::Sql {
            text: text.to_owned(),
            span,
        });
    }

    /// Whether a whole statement is being rendered.
    pub(super) fn is_statement(&self) -> bool {
        self.subject == Some(RuleSubject::Statement)
    }

    pub(super) fn part(&mut self, part: Part) {
        self.length += if let Part::Sql { text, .. } = &part {
            text.len()
        } else {
            16
        };
        if self.length > MAX_RULE_BYTES {
            if !self.failed {
                let fault = if self.is_statement() {
                    Fault::StatementTooLong {}
                } else {
                    Fault::RuleTooLong {}
                };
                self.fault_at(fault, self.frame.locator.at(1, 1));
            }
            return;
        }
        self.parts.push(part);
    }

    pub(super) fn span(&self, span: Span) -> Range<usize> {
        self.frame.locator.span(span)
    }

    /// Reports a fault at a span of the rule.
    pub(super) fn fault(&mut self, fault: Fault, span: Span) {
        let span = self.span(span);
        self.fault_at(fault, span);
    }

    fn fault_at(&mut self, fault: Fault, span: Range<usize>) {
        self.fault_with(fault, &span, None);
    }

    pub(super) fn fault_with(&mut self, fault: Fault, span: &Range<usize>, help: Option<String>) {
        self.failed = true;
        self.report.add_with(fault, span, help);
    }

    /// Reports SQL that rules, or statements, do not support.
    pub(super) fn refuse(&mut self, what: &str, span: Span) {
        let what = what.to_owned();
        let fault = if self.is_statement() {
            Fault::StatementUnsupported { what }
        } else {
            Fault::RuleUnsupported { what }
        };
        self.fault(fault, span);
    }

    /// Renders into a separate list of parts.
    pub(super) fn apart<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Vec<Part>, T) {
        let before = std::mem::take(&mut self.parts);
        let result = write(self);
        (std::mem::replace(&mut self.parts, before), result)
    }

    /// Renders items separated by commas.
    pub(super) fn list<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.sql(", ");
            }
            one(self, item);
        }
    }

    /// An alias that hides neither an open table nor a scan (`_0`) of the statement that will
    /// contain the rule.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let name = shortened(name);
        let of_scan = name
            .strip_prefix('_')
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let first = (!of_scan).then(|| name.to_owned());
        let taken = |alias: &String| self.aliases.contains(alias);
        let fresh = first
            .into_iter()
            .chain(numbered)
            .find(|alias| !taken(alias))
            .unwrap_or_default();
        self.aliases.push(fresh.clone());
        fresh
    }

    /// Renders an unqualified name: a column, an argument, or a whole row.
    pub(super) fn identifier(&mut self, ident: &Ident) {
        let name = folded(ident);
        if name == "session" && ident.quote_style.is_none() {
            return self.lone_session(ident.span);
        }
        for index in (0..self.frame.levels.len()).rev() {
            let Some(level) = self.frame.levels.get(index) else {
                continue;
            };
            let text = match level.find(&name) {
                Resolution::Nothing => continue,
                Resolution::Merged(sql) => Ok((sql.to_owned(), None)),
                Resolution::Column(item) => Ok((
                    format!("{}.{}", quoted(&item.written), quoted(&name)),
                    Some(item.name.clone()),
                )),
                Resolution::Ambiguous(one, other) => Err(Fault::RuleAmbiguous {
                    column: name.clone(),
                    one: one.name.clone(),
                    other: other.name.clone(),
                }),
                Resolution::Unsure(item) => Err(Fault::RuleUnsure {
                    column: name.clone(),
                    item: item.name.clone(),
                }),
            };
            return match text {
                Ok((text, table)) => {
                    table
                        .into_iter()
                        .for_each(|table| self.note_shadow(&name, index, &table, ident.span));
                    self.sql_at(&text, ident.span);
                }
                Err(fault) => self.ambiguous(fault, ident.span),
            };
        }
        self.outer_identifier(&name, ident.span);
    }

    fn ambiguous(&mut self, fault: Fault, span: Span) {
        if self.failed && matches!(fault, Fault::RuleUnsure { .. }) {
            // The columns may be unknown because their table has a fault.
            return;
        }
        let help = match &fault {
            Fault::RuleUnsure { column, item } => {
                format!("write `{item}.{column}`, or name the columns: {item}(…) AS {item}(a, b)")
            }
            _ => "write the table's name before it".to_owned(),
        };
        let span = self.span(span);
        self.fault_with(fault, &span, Some(help));
    }

    fn lone_session(&mut self, span: Span) {
        let reason = "it means the caller's session; write `session.<name>`";
        self.fault(
            Fault::Reserved {
                name: "session".to_owned(),
                reason,
            },
            span,
        );
    }

    /// Renders a name that is no column of a subquery's tables.
    fn outer_identifier(&mut self, name: &str, span: Span) {
        if let Some(args) = &self.frame.args {
            if let Some(parts) = args.get(name).cloned() {
                return self.argument(parts, span);
            }
        } else if let Some(table) = self.subject.and_then(RuleSubject::row)
            && let Some(column) = self.catalog().table(table).find(name)
        {
            let span = Some(self.span(span));
            return self.part(Part::Column { column, span });
        }
        let whole = self
            .frame
            .levels
            .iter()
            .rev()
            .find_map(|level| level.item(name))
            .map(|item| quoted(&item.written));
        match whole {
            // The bare name could resolve to a column of that name in the statement that will
            // contain the rule.
            Some(whole) => self.sql_at(&format!("{whole}.*"), span),
            None => self.no_such_column(name, span),
        }
    }

    /// Renders an argument. Its end has the span of its name in the named rule, by which
    /// `RuleCheck` tells a fault of the named rule from one of the call.
    fn argument(&mut self, parts: Vec<Part>, span: Span) {
        self.sql("(");
        parts.into_iter().for_each(|part| self.part(part));
        self.sql_at(")", span);
    }

    fn no_such_column(&mut self, name: &str, span: Span) {
        if self.frame.args.is_none()
            && matches!(self.subject, Some(RuleSubject::Preset(..)))
            && self.is_own(name)
        {
            return self.fault(
                Fault::PresetColumn {
                    column: name.to_owned(),
                },
                span,
            );
        }
        if let (None, Some(table)) = (&self.frame.args, self.subject.and_then(RuleSubject::row))
            && self.catalog().table(table).name == name
        {
            return self.refuse("a whole row", span);
        }
        let known = self.visible_names();
        let help = suggest_name(name, known.iter().map(String::as_str));
        let session = self
            .rules
            .session
            .find(name)
            .map(|_| format!("did you mean `session.{name}`?"));
        let span = self.span(span);
        self.fault_with(
            Fault::RuleColumn {
                column: name.to_owned(),
            },
            &span,
            session.or(help),
        );
    }

    fn is_own(&self, name: &str) -> bool {
        self.own_table()
            .is_some_and(|table| table.find(name).is_some())
    }

    pub(super) fn own_table(&self) -> Option<&'f Table> {
        match self.subject? {
            RuleSubject::Statement => None,
            RuleSubject::Row(table)
            | RuleSubject::Read(table)
            | RuleSubject::Preset(table, _)
            | RuleSubject::Mask(table, _) => Some(self.catalog().table(table)),
        }
    }

    /// The unqualified names that would resolve.
    fn visible_names(&self) -> Vec<String> {
        let items = self.frame.levels.iter().flat_map(|level| &level.items);
        let mut names: Vec<String> = items
            .flat_map(|item| item.columns.names.iter().cloned())
            .collect();
        match (&self.frame.args, self.subject.and_then(RuleSubject::row)) {
            (Some(args), _) => names.extend(args.keys().cloned()),
            (None, Some(table)) => {
                names.extend(
                    self.catalog()
                        .table(table)
                        .columns
                        .iter()
                        .map(|column| column.name.clone()),
                );
            }
            _ => {}
        }
        names.sort();
        names
    }

    /// Renders `u.a`, `public.t.a`, `session.user_id`.
    pub(super) fn compound(&mut self, idents: &[Ident]) {
        let span = Span::union_iter(idents.iter().map(|ident| ident.span));
        match idents {
            [only] => self.identifier(only),
            [session, name] if folded(session) == "session" && session.quote_style.is_none() => {
                self.session_value(&folded(name), name.span);
            }
            [table, column] => {
                self.qualified(&folded(table), &folded(column), table.span, column.span);
            }
            [schema, table, column] => {
                self.fully_qualified(&folded(schema), &folded(table), column, span);
            }
            _ => self.refuse("a name of more than three parts", span),
        }
    }

    fn qualified(&mut self, table: &str, column: &str, table_span: Span, column_span: Span) {
        let item = self
            .frame
            .levels
            .iter()
            .rev()
            .find_map(|level| level.item(table));
        if let Some(item) = item {
            if item.columns.has(column) || item.columns.open {
                let text = format!("{}.{}", quoted(&item.written), quoted(column));
                return self.sql_at(&text, table_span.union(&column_span));
            }
            let help = suggest_name(column, item.columns.names.iter().map(String::as_str));
            let fault = Fault::UnknownColumn {
                column: column.to_owned(),
                table: table.to_owned(),
            };
            let span = self.span(column_span);
            return self.fault_with(fault, &span, help);
        }
        match self.row_table().filter(|own| own.name == table) {
            Some(own) => self.own_column(own, column, table_span, column_span),
            None => self.no_such_qualifier(table, table_span),
        }
    }

    /// The subject's table, if its row is visible.
    pub(super) fn row_table(&self) -> Option<&'f Table> {
        match (&self.frame.args, self.subject.and_then(RuleSubject::row)) {
            (None, Some(table)) => Some(self.catalog().table(table)),
            _ => None,
        }
    }

    fn own_column(&mut self, own: &Table, column: &str, table_span: Span, column_span: Span) {
        if let Some(column) = own.find(column) {
            let span = Some(self.span(table_span.union(&column_span)));
            return self.part(Part::Column { column, span });
        }
        let help = suggest_name(
            column,
            own.columns.iter().map(|column| column.name.as_str()),
        );
        let span = self.span(column_span);
        self.fault_with(
            Fault::UnknownColumn {
                column: column.to_owned(),
                table: key(own),
            },
            &span,
            help,
        );
    }

    fn fully_qualified(&mut self, schema: &str, table: &str, column: &Ident, span: Span) {
        let id = self.catalog().find(schema, table);
        let items = self
            .frame
            .levels
            .iter()
            .rev()
            .flat_map(|level| &level.items);
        let item = items
            .into_iter()
            .find(|item| id.is_some() && item.table == id);
        let name = folded(column);
        if let Some(item) = item {
            let text = format!("{}.{}", quoted(&item.written), quoted(&name));
            if item.columns.has(&name) {
                return self.sql_at(&text, span);
            }
            let help = suggest_name(&name, item.columns.names.iter().map(String::as_str));
            let fault = Fault::UnknownColumn {
                column: name,
                table: format!("{schema}.{table}"),
            };
            let span = self.span(column.span);
            return self.fault_with(fault, &span, help);
        }
        match self
            .row_table()
            .filter(|own| own.schema == schema && own.name == table)
        {
            Some(own) => self.own_column(own, &name, span, column.span),
            None => self.no_such_qualifier(&format!("{schema}.{table}"), span),
        }
    }

    fn no_such_qualifier(&mut self, table: &str, span: Span) {
        let items = self.frame.levels.iter().flat_map(|level| &level.items);
        let mut known: Vec<String> = items.map(|item| item.name.clone()).collect();
        known.extend(self.row_table().map(|own| own.name.clone()));
        known.push("session".to_owned());
        let help = suggest_name(table, known.iter().map(String::as_str));
        let composite = || self.visible_names().iter().any(|name| name == table);
        let help = help.or_else(|| {
            composite().then(|| format!("a field of a composite column is written `({table}).x`"))
        });
        let span = self.span(span);
        self.fault_with(
            Fault::RuleQualifier {
                qualifier: table.to_owned(),
            },
            &span,
            help,
        );
    }

    /// Renders `user_id` or `user_id?`.
    fn session_value(&mut self, written: &str, span: Span) {
        let (name, optional) = optional_session::split_name(written);
        match self.rules.session.find(name) {
            Some(Some(r#type)) => {
                let value = SessionValue {
                    name: name.to_owned(),
                    r#type,
                    optional,
                };
                let span = Some(self.span(span));
                self.part(Part::Session { value, span });
            }
            // The declaration has a fault, which was reported there.
            Some(None) => self.failed = true,
            None => {
                let near = did_you_mean(name, self.rules.session.names());
                let help =
                    near.unwrap_or_else(|| format!("declare it: [session] {name} = \"uuid\""));
                let span = self.span(span);
                self.fault_with(
                    Fault::UnknownSession {
                        name: name.to_owned(),
                    },
                    &span,
                    Some(help),
                );
            }
        }
    }

    /// The subject of the rule; `None` while a named rule is checked by itself.
    pub(super) fn rule_subject(&self) -> Option<RuleSubject> {
        self.subject
    }

    /// The number of named rules that are being expanded within each other.
    pub(super) fn depth(&self) -> usize {
        self.active.len()
    }

    /// Whether the text being rendered is that of a named rule with arguments.
    pub(super) fn takes_arguments(&self) -> bool {
        self.frame
            .args
            .as_ref()
            .is_some_and(|args| !args.is_empty())
    }

    /// The parts of an argument's value.
    pub(super) fn argument_parts(&self, name: &str) -> Option<&[Part]> {
        self.frame.args.as_ref()?.get(name).map(Vec::as_slice)
    }

    /// Whether the name is that of an argument in this rule.
    pub(super) fn is_argument(&self, name: &str) -> bool {
        self.frame
            .args
            .as_ref()
            .is_some_and(|args| args.contains_key(name))
    }

    /// Expands a named rule: `member_of(data_controller_id)`.
    pub(super) fn call(&mut self, name: &str, args: &[&Expr], span: Span) {
        let Some(named) = self.rules.named.get(name) else {
            return;
        };
        if self.length > MAX_RULE_BYTES || self.closes_cycle(name, span) {
            return;
        }
        let expected = named.written.args.len();
        if args.len() != expected {
            let names = listed(named.written.args.iter().map(|arg| arg.value.as_str()));
            let help = (expected > 0).then(|| format!("its arguments are {names}"));
            let fault = Fault::RuleArguments {
                rule: name.to_owned(),
                expected,
                found: args.len(),
            };
            let span = self.span(span);
            return self.fault_with(fault, &span, help);
        }
        self.sql("(");
        self.inside_named(name, args, Self::expression);
        self.sql(")");
    }

    /// Calls `with` on the text of a named rule that is called with these arguments; their number
    /// must be right.
    pub(super) fn inside_named(
        &mut self,
        name: &str,
        args: &[&Expr],
        with: impl FnOnce(&mut Self, &'w Expr),
    ) {
        let Some(named) = self.rules.named.get(name) else {
            return;
        };
        let written = args
            .iter()
            .map(|arg| self.apart(|writer| writer.expression(arg)).0);
        let written: Vec<Vec<Part>> = written.collect();
        let names = named.written.args.iter().map(|arg| arg.value.clone());
        self.named_body(name, names.zip(written).collect(), with);
    }

    /// Calls `with` on a named rule's text, in a scope that sees nothing of the caller's.
    fn named_body(&mut self, name: &str, args: Args, with: impl FnOnce(&mut Self, &'w Expr)) {
        let rules = self.rules;
        let Some(named) = rules.named.get(name) else {
            return;
        };
        let frame = Frame {
            locator: &named.locator,
            levels: vec![],
            ctes: vec![],
            args: Some(args),
        };
        let caller = std::mem::replace(&mut self.frame, frame);
        self.active.push(name.to_owned());
        with(self, &named.expression);
        self.active.pop();
        self.frame = caller;
    }

    fn closes_cycle(&mut self, name: &str, span: Span) -> bool {
        let Some(first) = self.active.iter().position(|active| active == name) else {
            return false;
        };
        let circle: Vec<&str> = self.active.iter().skip(first).map(String::as_str).collect();
        // A cycle is reported once, from the rule whose name comes first.
        if circle.iter().all(|other| *other >= name) {
            let path = circle
                .iter()
                .chain([&name])
                .copied()
                .collect::<Vec<_>>()
                .join(" → ");
            self.fault(Fault::RuleCycle { path }, span);
        }
        self.failed = true;
        true
    }

    /// Reports an argument that is also a column of a table in the rule.
    pub(super) fn tell_hidden_arguments(&mut self, columns: &Columns, table: &str, span: Span) {
        let Some(args) = &self.frame.args else { return };
        let mut hidden: Vec<String> = args
            .keys()
            .filter(|arg| columns.has(arg))
            .cloned()
            .collect();
        hidden.sort();
        for argument in hidden {
            let help = format!("give the argument another name, such as `the_{argument}`");
            let span = self.span(span);
            let fault = Fault::RuleArgumentColumn {
                argument,
                table: table.to_owned(),
            };
            self.fault_with(fault, &span, Some(help));
        }
    }

    /// Renders a subquery in parentheses.
    pub(super) fn subquery(&mut self, query: &Query) -> Columns {
        self.sql("(");
        let columns = self.query(query);
        self.sql(")");
        columns
    }

    /// Renders a subquery whose values are used.
    pub(super) fn values_of(&mut self, query: &Query) {
        let columns = self.dependent(query, false, |writer| writer.subquery(query));
        self.by_place(&columns, query.span());
    }

    /// Rejects whole rows where `"t".*` would expand to separate columns.
    pub(super) fn no_whole_row<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expr>) {
        for expression in expressions {
            if let Some(ident) = self.whole_row(expression).filter(|_| self.is_statement()) {
                let what = "a whole row by itself".to_owned();
                let span = self.span(ident.span);
                let help = format!("`to_jsonb({ident})` is an object of its columns");
                self.fault_with(Fault::StatementUnsupported { what }, &span, Some(help));
            }
        }
    }

    /// The name of a table used as its row.
    fn whole_row<'e>(&self, expression: &'e Expr) -> Option<&'e Ident> {
        match expression {
            Expr::Nested(expression) => self.whole_row(expression),
            Expr::Identifier(ident) => {
                let name = folded(ident);
                let mut levels = self.frame.levels.iter();
                let is_column =
                    levels.any(|level| !matches!(level.find(&name), Resolution::Nothing));
                let is_table = self
                    .frame
                    .levels
                    .iter()
                    .any(|level| level.item(&name).is_some());
                (is_table && !is_column).then_some(ident)
            }
            _ => None,
        }
    }
}

/// ``did you mean `x`?``, with a remark if the name needs quotes.
fn suggest_name<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let close = closest(name, known)?;
    let written = name_of(close, false);
    let quotes = if written == close { "" } else { ", in quotes" };
    Some(format!("did you mean `{written}`{quotes}?"))
}

/// A name cut so that a suffix fits within Postgres' limit on identifiers.
fn shortened(name: &str) -> &str {
    let end = (0..=name.len().min(50))
        .rev()
        .find(|&end| name.is_char_boundary(end));
    end.and_then(|end| name.get(..end)).unwrap_or(name)
}
