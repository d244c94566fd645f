//! Writes `SELECT`, with its expressions and conditions, and finishes statements. The other files
//! of this folder add methods to [`Render`].

use std::collections::HashSet;

use super::settings::settings;
use super::writer::{Writer, WrittenText};
use crate::encode::shape::Shape;
use crate::model::access::{Access, Rule, RuleFragment, SessionValue};
use crate::model::aggregates::FunctionResult;
use crate::plan::{
    Column, CountedColumn, Expression, Join, PlanBody, PostLimit, Predicate, Scan, ScanSource,
    Select, Value,
};
use crate::postgres::catalog::{Oid, Table};
use crate::postgres::spatial;
use crate::postgres::spatial::Spatial;
use crate::postgres::types::{Cast, MinMaxStrategy, Scalar};
use crate::resolve::selection::Count;
use crate::schema::Direction;
use crate::statement::{AssertionToken, Estimate, Parameter, ScanReport, Statement};

/// The bytes of all lists of one row are at most the response limit divided by this number.
/// Postgres has several copies of a value in memory while it builds it: as parts, as a whole,
/// inside the enclosing value, and in the message to the client.
const RESPONSE_SHARE: usize = 8;

/// The least limit of a list in bytes, regardless of the number of other lists.
pub(super) const MIN_LIST_BYTES: usize = 256 << 10;

/// The limit on the size of lists within rows, and the prefix of the tokens that a statement fails
/// with when it is exceeded.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<'w> {
    /// The most bytes of the response; none for no limit.
    pub max_response_bytes: Option<usize>,
    /// The prefix of assertion tokens.
    pub word: &'w str,
}

/// The state of writing one statement.
pub(super) struct Render<'a> {
    pub(super) access: &'a Access,
    pub(super) writer: Writer,
    pub(super) reads: Vec<ScanReport>,
    pub(super) estimates: Vec<Estimate>,
    pub(super) alarms: Vec<AssertionToken>,
    /// The prefix of assertion tokens.
    pub(super) word: String,
    /// The scans whose rows come from a subquery at the current position of the text.
    pub(super) wrapped: HashSet<u32>,
    /// The most bytes of each list that is written next; none for no limit.
    pub(super) remaining: Option<usize>,
    /// Whether the statement reads few rows and builds no lists.
    pub(super) is_small: bool,
    /// Whether a list of the statement should be planned for the values of its parameters.
    pub(super) needs_values: bool,
    /// Whether a table may have rows that the role does not see.
    pub(super) hides_rows: bool,
}

impl<'a> Render<'a> {
    pub(super) fn new(access: &'a Access) -> Render<'a> {
        let reads = Vec::new();
        let estimates = Vec::new();
        let alarms = Vec::new();
        let wrapped = HashSet::new();
        let writer = Writer::default();
        let word = String::new();
        Render {
            access,
            writer,
            reads,
            estimates,
            alarms,
            word,
            wrapped,
            remaining: None,
            is_small: false,
            needs_values: false,
            hides_rows: false,
        }
    }

    pub(super) fn bounded_by(access: &'a Access, bounded: Bounded<'_>) -> Render<'a> {
        let word = bounded.word.to_owned();
        let remaining = bounded.max_response_bytes.map(list_bytes);
        Render {
            word,
            remaining,
            ..Render::new(access)
        }
    }

    pub(super) fn finish(self, shape: Shape) -> Statement {
        let WrittenText {
            text,
            parameters,
            repeated,
        } = self.writer.finish();
        let placed = self
            .estimates
            .into_iter()
            .enumerate()
            .filter_map(|(number, estimate)| {
                let column_index = parameters
                    .iter()
                    .position(|parameter| *parameter == Parameter::Estimate(number))?;
                Some(Estimate {
                    index: column_index,
                    ..estimate
                })
            });
        let estimates = placed.collect();
        let position = |parameter: &Parameter| match parameter {
            Parameter::Position { column_index, .. } => Some(*column_index),
            _ => None,
        };
        let mut positions: Vec<_> = parameters
            .iter()
            .enumerate()
            .filter_map(|(index, of)| Some((position(of)?, index)))
            .collect();
        positions.sort_unstable();
        let positions = positions.into_iter().map(|(_, index)| index).collect();
        let scans = self.reads;
        let assertions = self.alarms;
        let batch = None;
        let settings = None;
        Statement {
            text,
            parameters,
            repeated,
            shape,
            scans,
            estimates,
            assertions,
            is_small: self.is_small,
            needs_values: self.needs_values && !self.hides_rows,
            batch,
            positions,
            settings,
        }
    }

    /// Finishes the statement of a query, which has the role's settings before it. The statements
    /// of a mutation follow one that sets them for all.
    pub(super) fn finish_read(self, shape: Shape) -> Statement {
        let settings = settings(self.access.settings_of_reads()).map(Box::new);
        Statement {
            settings,
            ..self.finish(shape)
        }
    }
}

impl Render<'_> {
    // ---- select

    pub(super) fn body(&mut self, body: &PlanBody<'_>) {
        match body {
            PlanBody::Rows(select) => self.select(select, false),
            PlanBody::Levels(levels) => self.levels(levels),
            PlanBody::Row(columns) => {
                self.writer.syntax("SELECT ");
                self.expressions(columns);
            }
            PlanBody::Named(named) => self.named_sql(named),
        }
    }

    /// `SELECT … FROM … WHERE … ORDER BY … LIMIT …`; with `record` the output is one record.
    pub(super) fn select(&mut self, select: &Select<'_>, record: bool) {
        let reads = self.reads.len();
        self.needs_values |= select.strategy.needs_values;
        self.writer.syntax("SELECT");
        self.wrap_scan(
            &select.scan,
            select.is_fenced() || !matches!(select.after, PostLimit::Nothing),
        );
        self.wrap_joins(select);
        if matches!(select.after, PostLimit::Nothing) {
            self.distinct_on(select);
        }
        self.output(&select.output, record);
        self.writer.syntax(" FROM ");
        match &select.after {
            PostLimit::Nothing => {
                self.source(select);
                self.groups(select);
                self.tail(select);
            }
            PostLimit::Aggregate => self.limited_rows(select),
            PostLimit::Join(joins) => {
                self.limited_rows(select);
                joins.iter().for_each(|join| self.join(join));
                self.order(select);
            }
        }
        self.report_scans(select, reads);
    }

    /// Adds the list strategy of a select to the report of its table, which is among the reports
    /// from `since` on.
    pub(super) fn report_scans(&mut self, select: &Select<'_>, since: usize) {
        let Some(strategy) = select.strategy.report(self.access.model().catalog()) else {
            return;
        };
        let alias = format!("_{}", select.scan.alias());
        let mut reads = self.reads.iter_mut().skip(since);
        if let Some(report) = reads.find(|report| report.alias == alias) {
            report.form = Some(strategy);
        }
    }

    /// Marks joins that are rendered as subqueries, because no key proves that at most one row
    /// matches.
    pub(super) fn wrap_joins(&mut self, select: &Select<'_>) {
        let late = if let PostLimit::Join(joins) = &select.after {
            joins.as_slice()
        } else {
            &[]
        };
        for join in select.joins.iter().chain(late) {
            self.wrap(join.scan.alias(), !join.is_plain());
        }
    }

    pub(super) fn output(&mut self, output: &[Expression<'_>], record: bool) {
        if !record && output.is_empty() {
            return;
        }
        self.writer.syntax(if record { " row(" } else { " " });
        self.expressions(output);
        self.writer.syntax(if record { ")" } else { "" });
    }

    /// The rows that `LIMIT` leaves, as a subquery with the table's alias, so that column
    /// references stay valid.
    pub(super) fn limited_rows(&mut self, select: &Select<'_>) {
        self.writer.syntax("(SELECT");
        self.wrap_scan(
            &select.scan,
            select.is_fenced() || select.memberships().is_some(),
        );
        self.distinct_on(select);
        self.used_columns(&select.scan);
        self.writer.syntax(" FROM ");
        match select.memberships() {
            Some(memberships) => self.membership_scan(select, memberships),
            None => self.source(select),
        }
        self.tail(select);
        self.writer.syntax(") AS ");
        self.writer.alias(select.scan.alias());
        self.wrap(select.scan.alias(), true);
    }

    pub(super) fn used_columns(&mut self, scan: &Scan<'_>) {
        let mut separator = " ";
        for name in scan.used_columns() {
            self.writer.syntax(separator);
            self.writer.column(scan.alias(), name);
            separator = ", ";
        }
        self.exported_row(scan, separator);
        if let Some(location) = scan.ordinal_column() {
            self.writer.syntax(", ");
            self.writer.column(scan.alias(), &location);
        }
    }

    pub(super) fn distinct_on(&mut self, select: &Select<'_>) {
        if !select.distinct_on.is_empty() {
            self.writer.syntax(" DISTINCT ON (");
            self.expressions(&select.distinct_on);
            self.writer.syntax(")");
        }
    }

    /// The table with its conditions. If an expression after them may raise or take time and the
    /// rule hides rows, an optimization fence is in between: `(SELECT … WHERE rule AND safe OFFSET
    /// 0) AS _0 WHERE outside`.
    pub(super) fn source(&mut self, select: &Select<'_>) {
        if !select.is_fenced() {
            self.table(&select.scan);
            self.key_join(select);
            select.joins.iter().for_each(|join| self.join(join));
            return self.conditions(&select.scan, &select.placement.beside_rule);
        }
        self.fence(
            &select.scan,
            &select.placement.beside_rule,
            Some(select).filter(|select| select.is_sorted_inside()),
        );
        self.key_join(select);
        select.joins.iter().for_each(|join| self.join(join));
        if !select.placement.outside_fence.is_empty() {
            self.writer.syntax(" WHERE ");
            self.conjunction(&select.placement.outside_fence, true);
        }
    }

    /// `(SELECT … FROM t AS _0 WHERE rule AND safe OFFSET 0) AS _0`: nothing outside is evaluated
    /// on a row that the rule hides. The rows have the order of the given select.
    pub(super) fn fence(
        &mut self,
        scan: &Scan<'_>,
        safe: &[Predicate<'_>],
        sorted: Option<&Select<'_>>,
    ) {
        self.writer.syntax("(SELECT");
        self.wrap_scan(scan, false);
        self.used_columns(scan);
        self.writer.syntax(" FROM ");
        self.table(scan);
        self.conditions(scan, safe);
        if let Some(select) = sorted {
            self.order(select);
        }
        self.writer.syntax(" OFFSET 0) AS ");
        self.writer.alias(scan.alias());
        self.wrap(scan.alias(), true);
    }

    pub(super) fn table(&mut self, scan: &Scan<'_>) {
        let table = scan.table();
        match scan.origin() {
            ScanSource::Call(call) if call.is_single_row => self.single_row(call),
            ScanSource::Call(call) => self.call(call),
            ScanSource::Table => self.table_name(table),
            ScanSource::Written(parts) => {
                self.parts(parts, &scan.used_columns(), scan.exported_row().as_ref());
            }
            ScanSource::Keyed(keys) => self.keyed(scan, keys),
            ScanSource::Transferred(setting) => self.render_transferred_rows(scan, *setting),
        }
        self.writer.syntax(" AS ");
        self.writer.alias(scan.alias());
        self.report_scan(scan);
    }

    /// Reports the table that is read, and its row rule.
    pub(super) fn report_scan(&mut self, scan: &Scan<'_>) {
        let table = scan.table();
        self.hides_rows |= scan.may_hide_rows();
        self.reads.push(ScanReport {
            alias: format!("_{}", scan.alias()),
            table: (table.schema.clone(), table.name.clone()),
            rule: scan.rule().source(),
            values: scan
                .replaced_columns()
                .into_iter()
                .map(|(name, source)| (name.to_owned(), source.clone()))
                .collect(),
            form: None,
            required: false,
            path: scan.path().to_owned(),
        });
        self.note_readable(scan);
    }

    /// Reports the rule for reading that written rows have to pass as well.
    pub(super) fn note_readable(&mut self, scan: &Scan<'_>) {
        let table = scan.table();
        self.reads.extend(scan.readable().map(|rule| ScanReport {
            alias: format!("_{}", scan.alias()),
            table: (table.schema.clone(), table.name.clone()),
            rule: rule.source(),
            values: Vec::new(),
            form: None,
            required: false,
            path: scan.path().to_owned(),
        }));
    }

    pub(super) fn table_name(&mut self, table: &Table) {
        self.writer.ident(&table.schema);
        self.writer.syntax(".");
        self.writer.ident(&table.name);
    }

    pub(super) fn conditions(&mut self, scan: &Scan<'_>, safe: &[Predicate<'_>]) {
        if scan.filters_rows() {
            self.writer.syntax(" WHERE ");
            self.rules(scan);
        }
        if !safe.is_empty() {
            self.writer.syntax(if scan.filters_rows() {
                " AND "
            } else {
                " WHERE "
            });
            self.conjunction(safe, false);
        }
    }

    /// ` LEFT JOIN t AS _1 ON …`; a `LATERAL` subquery with `LIMIT 1` if no key proves that at most
    /// one row matches. `LIMIT` also keeps the computed columns of a view inside the subquery.
    pub(super) fn join(&mut self, join: &Join<'_>) {
        let scan = &join.scan;
        if join.is_plain() {
            self.writer.syntax(" LEFT JOIN ");
            self.table(scan);
            self.writer.syntax(" ON ");
            self.join_conditions(join);
            return;
        }
        self.writer.syntax(" LEFT JOIN LATERAL (SELECT");
        self.wrap(scan.alias(), join.raises());
        self.used_columns(scan);
        self.writer.syntax(" FROM ");
        if join.raises() {
            self.fence(scan, &[], None);
            self.writer.syntax(" WHERE ");
            self.join_columns(join);
        } else {
            self.table(scan);
            self.writer.syntax(" WHERE ");
            self.join_conditions(join);
        }
        self.writer.syntax(" LIMIT 1) AS ");
        self.writer.alias(scan.alias());
        self.writer.syntax(" ON true");
        self.wrap(scan.alias(), true);
    }

    pub(super) fn join_columns(&mut self, join: &Join<'_>) {
        for (i, (here, there)) in join.on.iter().enumerate() {
            self.writer.syntax(if i > 0 { " AND " } else { "" });
            self.equal(there, here);
        }
        if let Some(reach) = &join.reach {
            self.writer.syntax(" AND ");
            self.column(reach);
        }
    }

    pub(super) fn join_conditions(&mut self, join: &Join<'_>) {
        self.join_columns(join);
        if join.scan.filters_rows() {
            self.writer.syntax(" AND (");
            self.rule(join.scan.rule(), join.scan.table(), join.scan.alias());
            self.writer.syntax(")");
        }
    }

    pub(super) fn tail(&mut self, select: &Select<'_>) {
        self.order(select);
        if !select.limits.is_empty() {
            self.writer.syntax(" LIMIT ");
            self.limit(&select.limits);
            self.writer.syntax(if select.peek { " + 1" } else { "" });
        }
        if let Some(offset) = &select.offset {
            self.writer.syntax(" OFFSET ");
            self.count(offset);
        }
    }

    pub(super) fn order(&mut self, select: &Select<'_>) {
        for (i, (expression, direction)) in select.order.iter().enumerate() {
            self.writer.syntax(if i == 0 { " ORDER BY " } else { ", " });
            self.expression(expression);
            self.writer.syntax(direction_sql(*direction));
        }
    }

    /// The least of the limits, as a number if all are numbers; null for no limit.
    pub(super) fn limit(&mut self, limits: &[Count]) {
        let number = limits
            .iter()
            .filter_map(|limit| {
                if let Count::Number(n) = limit {
                    Some(*n)
                } else {
                    None
                }
            })
            .min();
        let parameter = limits
            .iter()
            .find(|limit| matches!(limit, Count::Parameter { .. }));
        match (number, parameter) {
            (None, None) => self.writer.syntax("NULL"),
            (Some(number), None) => self.writer.number(number),
            (None, Some(parameter)) => self.count(parameter),
            (Some(number), Some(parameter)) => {
                self.writer.syntax("least(");
                self.writer.number(number);
                self.writer.syntax(", ");
                self.count(parameter);
                self.writer.syntax(")");
            }
        }
    }

    pub(super) fn count(&mut self, count: &Count) {
        match count {
            Count::Number(number) => self.writer.number(*number),
            Count::Parameter { parameter, .. } => self.writer.param(parameter, "int8"),
        }
    }

    // ---- values

    pub(super) fn expressions(&mut self, expressions: &[Expression<'_>]) {
        let remaining = self.share(expressions);
        for (i, expression) in expressions.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.expression(expression);
        }
        self.remaining = remaining;
    }

    pub(super) fn expression(&mut self, expression: &Expression<'_>) {
        match expression {
            Expression::Output(term, cast) => self.cast(*cast, |render| render.term(term)),
            Expression::Compared { term, as_text } => {
                self.term(term);
                if *as_text {
                    self.writer.syntax("::text");
                } else {
                    self.cast_for_sorting(&self.access.model().scalar(term.r#type()));
                }
            }
            Expression::Present(column) => {
                self.column(column);
                self.null_test(&self.access.model().scalar(column.r#type()), false);
            }
            Expression::Rows(select) => self.list(select),
            Expression::Record(select) => self.subquery("(", select, true),
            Expression::Single(select) => self.subquery("(", select, false),
            Expression::Exists(select) => self.subquery("EXISTS (", select, false),
            Expression::Limit(limits) => {
                self.limit(limits);
                self.writer.syntax("::int8");
            }
            Expression::Planned { select, threshold } => self.planned(select, *threshold),
            Expression::Text(inner) => {
                self.writer.syntax("(");
                self.expression(inner);
                self.writer.syntax(")::text");
            }
            Expression::Null(r#type) => self.null(r#type),
            Expression::Level(number) => self.level_number(*number),
            Expression::AtLeast(rows) => self.at_least(rows, None),
            Expression::Grouped(grouping) => self.grouped(grouping),
            Expression::Key(grouping, cast) => self.key(grouping, *cast),
            Expression::Values(call, alias, cast) => self.values(call, *alias, *cast),
            Expression::Gathered(part, columns) => self.gathered(*part, columns),
            Expression::Affected(counted) => self.affected(counted),
            Expression::Setting(name, setting) => self.set(name, setting),
            Expression::Transfer(setting, handing) => self.transfer(*setting, handing),
            Expression::KeyPosition => self.key_position(),
            Expression::Place(alias, name) => self.writer.column(*alias, name),
            Expression::Count { columns, distinct } => self.counted(columns, *distinct),
            Expression::Aggregate(function, extreme, column, cast) => {
                let greatest = match function.result() {
                    _ if *extreme == MinMaxStrategy::Native => None,
                    FunctionResult::Greatest => Some(true),
                    FunctionResult::Least => Some(false),
                    FunctionResult::Sum | FunctionResult::Statistic | FunctionResult::Boolean => {
                        None
                    }
                };
                self.cast(*cast, |render| match greatest {
                    Some(greatest) => render.sorted_extreme(greatest, column),
                    None => {
                        render.writer.syntax(function.name());
                        render.writer.syntax("(");
                        render.column(column);
                        render.writer.syntax(")");
                    }
                });
            }
        }
    }

    /// `$1::int8`, a planner estimate fetched before the statement runs; or with a threshold, `CASE
    /// WHEN $1 > 10000 THEN $1 ELSE (SELECT count(*) …) END`.
    pub(super) fn planned(&mut self, select: &Select<'_>, bound: Option<u64>) {
        let number = Parameter::Estimate(self.question(select, bound.is_some()));
        let Some(bound) = bound else {
            return self.writer.param(&number, "int8");
        };
        self.writer.syntax("CASE WHEN ");
        self.writer.param(&number, "int8");
        self.writer.syntax(" > ");
        self.writer.number(bound);
        self.writer.syntax(" THEN ");
        self.writer.param(&number, "int8");
        self.writer.syntax(" ELSE (SELECT count(*) FROM ");
        self.source(select);
        self.writer.syntax(") END");
    }

    /// Adds an `EXPLAIN` statement that estimates the rows of a select; returns its number.
    pub(super) fn question(&mut self, select: &Select<'_>, counted: bool) -> usize {
        let mut question = Render::new(self.access);
        question.writer.syntax("EXPLAIN (FORMAT JSON) ");
        question.select(select, false);
        let WrittenText {
            text, parameters, ..
        } = question.writer.finish();
        // A select that is also counted is reported by its own text.
        if !counted {
            self.reads.extend(question.reads);
        }
        let existing = self
            .estimates
            .iter()
            .position(|existing| existing.text == text && existing.parameters == parameters);
        existing.unwrap_or_else(|| {
            self.estimates.push(Estimate {
                text,
                parameters,
                index: 0,
            });
            self.estimates.len() - 1
        })
    }

    pub(super) fn subquery(&mut self, open: &'static str, select: &Select<'_>, record: bool) {
        self.writer.syntax(open);
        self.select(select, record);
        self.writer.syntax(")");
    }

    /// `(array_agg(x ORDER BY x) FILTER (WHERE x IS NOT NULL))[1]`, for types without `min` and
    /// `max`.
    pub(super) fn sorted_extreme(&mut self, greatest: bool, column: &Column<'_>) {
        self.writer.syntax("(array_agg(");
        self.column(column);
        self.writer.syntax(" ORDER BY ");
        self.column(column);
        self.cast_for_sorting(&self.access.model().scalar(column.r#type()));
        self.writer.syntax(if greatest { " DESC" } else { "" });
        self.writer.syntax(") FILTER (WHERE ");
        self.column(column);
        self.null_test(&self.access.model().scalar(column.r#type()), false);
        self.writer.syntax("))[1]");
    }

    pub(super) fn counted(&mut self, columns: &[CountedColumn<'_>], distinct: bool) {
        if columns.is_empty() {
            return self.writer.syntax("count(*)");
        }
        self.writer.syntax(if distinct {
            "count(DISTINCT "
        } else {
            "count("
        });
        let several = columns.len() > 1;
        self.writer.syntax(if several { "(" } else { "" });
        for (i, CountedColumn { column, as_text }) in columns.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            self.column(column);
            if *as_text {
                self.writer.syntax("::text");
            } else {
                self.cast_for_sorting(&self.access.model().scalar(column.r#type()));
            }
        }
        self.writer.syntax(if several { "))" } else { ")" });
    }

    pub(super) fn cast(&mut self, cast: Cast, inner: impl FnOnce(&mut Self)) {
        match cast {
            Cast::Json => self.writer.syntax("to_json("),
            Cast::GeoJson => self.spatial_function("ST_AsGeoJSON("),
            Cast::GeoJsonList => self.geojson_list(),
            Cast::TextList => self.writer.syntax("to_json("),
            Cast::Composed(oid) => {
                self.composed(oid, inner);
                return self.writer.syntax("::text");
            }
            Cast::None | Cast::Text => {}
        }
        inner(self);
        self.writer.syntax(match cast {
            Cast::None => "",
            Cast::Text => "::text",
            Cast::Json => ")::text",
            Cast::TextList => "::text[])::text",
            Cast::Composed(_) => "",
            Cast::GeoJson => ", 15, 4)",
            Cast::GeoJsonList => " AS v) AS c)::text",
        });
    }

    /// `(SELECT CASE array_ndims(c.v) WHEN 1 THEN (SELECT json_agg(ST_AsGeoJSON(…)) FROM
    /// unnest(c.v) AS x) ELSE to_json(c.v) END FROM (SELECT`: an array as a list of GeoJSON. Arrays
    /// of several dimensions are left to PostGIS.
    pub(super) fn geojson_list(&mut self) {
        self.writer
            .syntax("(SELECT CASE array_ndims(c.v) WHEN 1 THEN (SELECT json_agg(");
        self.spatial_function("ST_AsGeoJSON(");
        self.writer
            .syntax("x, 15, 4)::json) FROM unnest(c.v) AS x) ELSE to_json(c.v) END FROM (SELECT ");
    }

    /// A function of PostGIS, up to its opening parenthesis.
    pub(super) fn spatial_function(&mut self, name: &'static str) {
        if let Some(schema) = spatial::schema(self.access.model().catalog()) {
            self.writer.ident(schema);
            self.writer.syntax(".");
        }
        self.writer.syntax(name);
    }

    pub(super) fn column(&mut self, column: &Column<'_>) {
        match column.value() {
            Value::Stored(name) => self.writer.column(column.alias(), name),
            Value::Call(call) => self.called(call),
            Value::Rule(table, rule) => {
                self.writer.syntax("(");
                self.rule(rule, table, column.alias());
                self.writer.syntax(")");
            }
        }
    }

    // ---- conditions

    pub(super) fn conjunction(&mut self, predicates: &[Predicate<'_>], fenced: bool) {
        for (i, predicate) in predicates.iter().enumerate() {
            self.writer.syntax(if i > 0 { " AND " } else { "" });
            self.predicate(predicate, fenced);
        }
    }

    pub(super) fn predicate(&mut self, predicate: &Predicate<'_>, fenced: bool) {
        match predicate {
            Predicate::And(all) if all.is_empty() => self.writer.syntax("true"),
            Predicate::Or(all) if all.is_empty() => self.writer.syntax("false"),
            Predicate::And(all) => self.connected(all, " AND ", fenced),
            Predicate::Or(all) => self.connected(all, " OR ", fenced),
            Predicate::Not(inner) => {
                self.writer.syntax("NOT (");
                self.predicate(inner, fenced);
                self.writer.syntax(")");
            }
            Predicate::NotTrue(inner) => {
                self.writer.syntax("(");
                self.predicate(inner, fenced);
                self.writer.syntax(") IS NOT TRUE");
            }
            Predicate::IsNull { term, is_null } => {
                self.term(term);
                self.null_test(&self.access.model().scalar(term.r#type()), *is_null);
            }
            Predicate::Equal(left, right) => self.equal(left, right),
            Predicate::Condition(column) => self.column(column),
            Predicate::InLevelKeys {
                column,
                level,
                index,
            } => self.in_level_keys(column, *level, *index),
            Predicate::Compare(comparison) => self.comparison(comparison, fenced),
            Predicate::Search(search) => self.search(search, fenced),
            Predicate::Keyset(beyond) => self.render_keyset(beyond, fenced),
            Predicate::AtLeast(rows, filter) => self.at_least(rows, filter.as_deref()),
            Predicate::InTransferredKeys(pairs) => self.in_transferred_keys(pairs),
            Predicate::Present(alias) => {
                self.writer.syntax("NOT (");
                self.writer.alias(*alias);
                self.writer.syntax(".* IS NULL)");
            }
            Predicate::Exists(select) => {
                self.writer.syntax("EXISTS (");
                self.select(select, false);
                self.writer.syntax(")");
            }
            Predicate::Within(column, select) => {
                let any = |render: &mut Self| {
                    render.writer.syntax("ANY (");
                    render.select(select, false);
                    render.writer.syntax(")");
                };
                self.equals(column.r#type(), |render| render.column(column), any);
            }
        }
    }

    /// ` IS NULL` or ` IS NOT NULL`. Of a row, these would ask whether all of its fields are null,
    /// or none of them; ` IS NOT DISTINCT FROM NULL` asks for the row itself.
    pub(super) fn null_test(&mut self, scalar: &Scalar, is_null: bool) {
        self.writer.syntax(match (scalar.is_row(), is_null) {
            (false, true) => " IS NULL",
            (false, false) => " IS NOT NULL",
            (true, true) => " IS NOT DISTINCT FROM NULL",
            (true, false) => " IS DISTINCT FROM NULL",
        });
    }

    pub(super) fn connected(&mut self, all: &[Predicate<'_>], word: &'static str, fenced: bool) {
        self.writer.syntax("(");
        for (i, predicate) in all.iter().enumerate() {
            self.writer.syntax(if i > 0 { word } else { "" });
            self.predicate(predicate, fenced);
        }
        self.writer.syntax(")");
    }

    /// `_0."id" = …`, with the operator of the type.
    pub(super) fn equals(
        &mut self,
        r#type: Oid,
        left: impl FnOnce(&mut Self),
        right: impl FnOnce(&mut Self),
    ) {
        let scalar = self.access.model().scalar(r#type);
        let left = |render: &mut Self| {
            left(render);
            render.cast_for_comparison(&scalar);
        };
        if let Some(function) = scalar.comparison_function("=") {
            return self.compare_by_function(function, left, right);
        }
        left(self);
        self.writer.syntax(" ");
        self.operator("=", &scalar);
        self.writer.syntax(" ");
        right(self);
    }

    /// `pg_catalog.enum_eq(_0."id", …)`
    pub(super) fn compare_by_function(
        &mut self,
        function: &'static str,
        left: impl FnOnce(&mut Self),
        right: impl FnOnce(&mut Self),
    ) {
        self.writer.syntax(function);
        self.writer.syntax("(");
        left(self);
        self.writer.syntax(", ");
        right(self);
        self.writer.syntax(")");
    }

    /// Equality of two columns that a relation joins. Their types share one `=` unless they belong
    /// to an extension.
    pub(super) fn equal(&mut self, left: &Column<'_>, right: &Column<'_>) {
        let right = |render: &mut Self| {
            render.column(right);
            render.cast_for_comparison(&render.access.model().scalar(right.r#type()));
        };
        self.equals(left.r#type(), |render| render.column(left), right);
    }

    /// A parameter. A type that is not built in is sent as text, which saves the driver a lookup of
    /// the type. GeoJSON goes through a function, except in lists.
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        scalar: &Scalar,
        dimensions: &'static str,
    ) {
        if let (Some(Spatial::Geometry | Spatial::Geography), "") = (scalar.spatial, dimensions) {
            self.spatial_function("ST_GeomFromGeoJSON(");
            self.writer.param(parameter, "text");
            self.writer.syntax(")::");
            self.writer.type_name(&scalar.sql, dimensions);
        } else if scalar.builtin {
            match dimensions {
                "" => self.writer.param(parameter, &scalar.sql),
                dimensions => self
                    .writer
                    .param(parameter, &format!("{}{dimensions}", scalar.sql)),
            }
        } else {
            self.writer.param(parameter, "text");
            self.writer.syntax("::");
            self.writer.type_name(&scalar.sql, dimensions);
        }
    }

    /// The cast `::"public"."mood"` after a column of a domain over that type, where Postgres has
    /// no operators for the domain, or `::text` for a type that passes as text.
    pub(super) fn cast_for_comparison(&mut self, scalar: &Scalar) {
        if let Some(compared_as) = &scalar.compared_as {
            self.writer.syntax("::");
            self.writer.type_name(compared_as, "");
        }
    }

    /// The cast `::text` after a column that is sorted, grouped or counted, of a type that passes
    /// as text: the type need not have a collation.
    pub(super) fn cast_for_sorting(&mut self, scalar: &Scalar) {
        if let Some(passes_as) = scalar.passes_as() {
            self.writer.syntax("::");
            self.writer.type_name(passes_as, "");
        }
    }

    /// The rules of a scan: `(rule)`, or `(rule) AND (rule)` for written rows that have to be
    /// readable too.
    pub(super) fn rules(&mut self, scan: &Scan<'_>) {
        for (i, rule) in scan.rules().enumerate() {
            self.writer.syntax(if i > 0 { " AND (" } else { "(" });
            self.rule(rule, scan.table(), scan.alias());
            self.writer.syntax(")");
        }
    }

    pub(super) fn rule(&mut self, rule: &Rule, table: &Table, alias: u32) {
        rule.pieces
            .iter()
            .for_each(|piece| self.piece(piece, table, alias));
    }

    pub(super) fn piece(&mut self, piece: &RuleFragment, table: &Table, alias: u32) {
        match piece {
            RuleFragment::Sql(sql) => self.writer.rule(sql),
            RuleFragment::Column(column) => self.writer.column(alias, &table.column(*column).name),
            RuleFragment::Session(value) => self.session(value),
        }
    }

    pub(super) fn session(&mut self, value: &SessionValue) {
        let scalar = self.access.model().scalar(value.r#type);
        let parameter = Parameter::Session {
            name: value.name.clone(),
            input: scalar.input.clone(),
            expected: scalar.name.clone(),
            optional: value.optional,
        };
        self.parameter(&parameter, &scalar, "");
    }
}

fn direction_sql(direction: Direction) -> &'static str {
    match direction {
        Direction::Asc | Direction::AscNullsLast => "",
        Direction::AscNullsFirst => " NULLS FIRST",
        Direction::Desc | Direction::DescNullsFirst => " DESC",
        Direction::DescNullsLast => " DESC NULLS LAST",
    }
}

/// The most bytes of the lists of a row together, given the most bytes of the response.
fn list_bytes(response_bytes: usize) -> usize {
    (response_bytes / RESPONSE_SHARE).max(MIN_LIST_BYTES)
}
