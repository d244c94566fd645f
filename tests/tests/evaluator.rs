//! Compares the engine with a plain evaluator: random selections, run once as one statement and
//! once row by row in this file, over the rows that Postgres' row-level security policies show of
//! each table.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use sql::model::access::Access;
use sql::model::names::{RootKind, Spelling};
use sql::model::{ExposedTable, Relation, RelationKind};
use sql::postgres::catalog::{ColumnId, TableId};
use sql::postgres::types::{Family, Scalar, quoted};
use tests::choices::{self, Choices};
use tests::fixture::{self, Fixture, POLICIES};
use tests::request::Request;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The tables that selections use, with the column names of their keys.
const TABLES: [(&str, &[&str]); 8] = [
    ("teams", &["id"]),
    ("users", &["id"]),
    ("or\"ders", &["id"]),
    ("order_lines", &["order_id", "line_no"]),
    ("products", &["id"]),
    ("passports", &["number"]),
    ("book_authors", &["id"]),
    ("books", &["id"]),
];

/// How many selections are tried for each role.
const EXAMPLES: u32 = 250;

#[test]
fn statements_return_what_the_evaluator_computes() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let database = runtime.block_on(tests::create(
        "evaluator",
        &[fixture::SCHEMA, fixture::DATA, POLICIES],
    ))?;
    let (client, native) = runtime.block_on(async {
        Ok::<_, fixture::Error>((
            fixture::connect(&database).await?,
            fixture::connect(&database).await?,
        ))
    })?;
    let fixture = Fixture::saved()?;
    for role in ["admin", "customer", "staff"] {
        let access = fixture.access(role).ok_or("no role")?;
        let visible = runtime.block_on(Visible::read(&native, access))?;
        choices::check(EXAMPLES, |choices| {
            let rows = RowSelection::root(&visible, choices).ok_or("no table")?;
            let aggregate = choices.percent(30) && visible.has_aggregates(rows.table);
            let expected = if aggregate {
                rows.aggregated(&visible, None)
            } else {
                rows.listed(&visible, None)
            };
            let document = format!("{{ r: {} }}", rows.written(&visible, aggregate));
            let request = Request::new(&document)
                .session("user_id", "1")
                .session("labels", "[]");
            let found = runtime.block_on(request.answer(&client, access));
            let found = found.map_err(|failure| format!("{role} asks {document}: {failure}"))?;
            let found: Json = serde_json::from_str(&found).map_err(|error| error.to_string())?;
            // Compared as text, so that the order of keys and the digits of numbers count.
            let found = found.to_string();
            let expected = json!({ "r": expected }).to_string();
            let difference =
                || format!("{role} asks {document}\nfound    {found}\nexpected {expected}");
            if found == expected {
                Ok(())
            } else {
                Err(difference())
            }
        })?;
    }
    Ok(())
}

/// A row: a value for each column of its table.
type Row = Vec<Json>;

/// The rows of each table that a role sees.
struct Visible<'m> {
    access: &'m Access,
    rows: HashMap<TableId, Vec<Row>>,
}

impl<'m> Visible<'m> {
    async fn read(native: &Client, access: &'m Access) -> Outcome<Visible<'m>> {
        let role = if access.role() == "admin" {
            "NONE".into()
        } else {
            format!("fixture_{}", access.role())
        };
        native
            .batch_execute(&format!(
                "SET ROLE {role}; SET postern.user_id = '1'; SET postern.labels = '{{}}'"
            ))
            .await?;
        let mut visible = Visible {
            access,
            rows: HashMap::new(),
        };
        for exposed in access.model().tables() {
            let table = access.model().table(exposed.table);
            if access.select(exposed.table).is_some()
                && TABLES.iter().any(|(name, _)| *name == table.name)
            {
                let columns: Vec<_> = table
                    .columns
                    .iter()
                    .map(|column| quoted(&column.name))
                    .collect();
                let list = columns.join(", ");
                let from = format!("{}.{}", quoted(&table.schema), quoted(&table.name));
                let rows = native
                    .query(
                        &format!("SELECT json_build_array({list})::text FROM {from}"),
                        &[],
                    )
                    .await?;
                let rows = rows
                    .iter()
                    .map(|row| serde_json::from_str(row.get(0)))
                    .collect::<Result<_, _>>()?;
                visible.rows.insert(exposed.table, rows);
            }
        }
        native.batch_execute("RESET ROLE").await?;
        Ok(visible)
    }

    fn exposed(&self, table: TableId) -> Option<&'m ExposedTable> {
        self.access.model().exposed(table)
    }

    fn spelling(&self, table: TableId) -> Spelling {
        self.exposed(table)
            .map(ExposedTable::spelling)
            .unwrap_or_default()
    }

    fn rows(&self, table: TableId) -> &[Row] {
        self.rows.get(&table).map_or(&[], Vec::as_slice)
    }

    fn has_aggregates(&self, table: TableId) -> bool {
        self.access
            .select(table)
            .is_some_and(|select| select.aggregates.is_some())
    }

    fn limit(&self, table: TableId) -> usize {
        self.access
            .select(table)
            .and_then(|select| select.limit)
            .map_or(usize::MAX, |limit| limit as usize)
    }

    /// Granted columns of types that Postgres and this file order in the same way.
    fn columns(&self, table: TableId) -> Vec<(ColumnId, &'m str)> {
        let (Some(exposed), Some(select)) = (self.exposed(table), self.access.select(table)) else {
            return vec![];
        };
        let plain = |column: &ColumnId| {
            let entry = self.access.model().table(table).column(*column);
            let scalar = Scalar::from_oid(self.access.model().catalog(), entry.r#type);
            let names = ["int2", "int4", "int8", "numeric", "text", "uuid", "bool"];
            names.contains(&scalar.sql.as_str())
                && scalar.family != Family::Array
                && entry.deterministic
        };
        select
            .columns
            .iter()
            .filter(plain)
            .filter_map(|column| Some((column, exposed.column_name(column)?)))
            .collect()
    }

    fn key(&self, table: TableId) -> Vec<ColumnId> {
        let entry = self.access.model().table(table);
        let key = TABLES
            .iter()
            .find(|(name, _)| *name == entry.name)
            .map_or(&[][..], |(_, key)| *key);
        key.iter().filter_map(|name| entry.find(name)).collect()
    }

    /// Relations to visible tables; manual object relations are left out, because the row that they
    /// return is not determined.
    fn relations(&self, table: TableId) -> Vec<&'m Relation> {
        let relations = self
            .exposed(table)
            .map_or(&[][..], |exposed| &exposed.relations);
        let is_sure = |r: &&Relation| !matches!(r.kind, RelationKind::Object { unique: false, .. });
        relations
            .iter()
            .filter(is_sure)
            .filter(|relation| self.rows.contains_key(&relation.to))
            .collect()
    }

    fn related(&self, row: &Row, relation: &Relation) -> Vec<&Row> {
        let matches = |there: &&Row| {
            relation.on.iter().all(|(from, to)| {
                let a = value(row, *from);
                let b = value(there, *to);
                !a.is_null() && !b.is_null() && compare(a, b) == Ordering::Equal
            })
        };
        self.rows(relation.to).iter().filter(matches).collect()
    }
}

/// A selection of rows.
struct RowSelection<'m> {
    table: TableId,
    filter: Filter<'m>,
    order: Vec<(By<'m>, bool, bool)>,
    limit: Option<usize>,
    offset: Option<usize>,
    fields: Vec<(String, Field<'m>)>,
}

enum Field<'m> {
    Typename,
    Column(ColumnId),
    Object(&'m Relation, Vec<(String, Field<'m>)>),
    Array(&'m Relation, Box<RowSelection<'m>>),
    Aggregate(&'m Relation, Box<RowSelection<'m>>),
}

enum Filter<'m> {
    And(Vec<Filter<'m>>),
    Or(Vec<Filter<'m>>),
    Not(Box<Filter<'m>>),
    Compare(ColumnId, &'static str, Json),
    /// Both ends included.
    Between(ColumnId, Json, Json),
    List(ColumnId, bool, Vec<Json>),
    IsNull(ColumnId, bool),
    Related(&'m Relation, Box<Filter<'m>>),
    /// `_some`, `_every` or `_none`.
    Quantified(&'m Relation, &'static str, Box<Filter<'m>>),
    /// Compares the number of matching related rows with a number.
    Count(&'m Relation, Box<Filter<'m>>, &'static str, usize),
}

enum By<'m> {
    Column(ColumnId),
    Object(&'m Relation, ColumnId),
    Count(&'m Relation),
}

// ---- generating a selection

impl<'m> RowSelection<'m> {
    fn root(visible: &Visible<'m>, choices: &mut Choices<'_>) -> Option<RowSelection<'m>> {
        let model = visible.access.model();
        let mut tables: Vec<_> = visible.rows.keys().copied().collect();
        tables.sort_by_key(|table| &model.table(*table).name);
        let table = *choices.pick(&tables)?;
        Some(RowSelection::new(visible, table, 3, choices))
    }

    fn new(
        visible: &Visible<'m>,
        table: TableId,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> RowSelection<'m> {
        let filter = if choices.percent(50) {
            Filter::new(visible, table, 2, choices)
        } else {
            Filter::And(vec![])
        };
        RowSelection {
            table,
            filter,
            order: order(visible, table, choices),
            limit: choices.percent(30).then(|| choices.below(4)),
            offset: choices.percent(20).then(|| choices.below(3)),
            fields: fields(visible, table, depth, choices),
        }
    }
}

fn fields<'m>(
    visible: &Visible<'m>,
    table: TableId,
    depth: usize,
    choices: &mut Choices<'_>,
) -> Vec<(String, Field<'m>)> {
    let columns = visible.columns(table);
    let relations = visible.relations(table);
    let mut fields = Vec::new();
    for i in 0..=choices.below(4) {
        let kind = match (
            choices.below(if depth == 0 { 2 } else { 5 }),
            choices.pick(&relations),
        ) {
            (1, _) => Field::Typename,
            (2.., Some(relation)) => match &relation.aggregate {
                None => Field::Object(
                    relation,
                    self::fields(visible, relation.to, depth - 1, choices),
                ),
                Some(_) => {
                    let asked =
                        Box::new(RowSelection::new(visible, relation.to, depth - 1, choices));
                    if choices.percent(40) && visible.has_aggregates(relation.to) {
                        Field::Aggregate(relation, asked)
                    } else {
                        Field::Array(relation, asked)
                    }
                }
            },
            _ => match choices.pick(&columns) {
                Some((column, _)) => Field::Column(*column),
                None => Field::Typename,
            },
        };
        fields.push((format!("f{i}"), kind));
    }
    fields
}

/// Some order keys, followed by the primary key, so that the order is total.
fn order<'m>(
    visible: &Visible<'m>,
    table: TableId,
    choices: &mut Choices<'_>,
) -> Vec<(By<'m>, bool, bool)> {
    let columns = visible.columns(table);
    let relations = visible.relations(table);
    let mut keys = Vec::new();
    for _ in 0..choices.below(3) {
        let by = match (choices.below(3), choices.pick(&relations)) {
            (1.., Some(relation)) if relation.aggregate.is_some() => By::Count(relation),
            (1.., Some(relation)) => match choices.pick(&visible.columns(relation.to)) {
                Some((column, _)) => By::Object(relation, *column),
                None => continue,
            },
            _ => match choices.pick(&columns) {
                Some((column, _)) => By::Column(*column),
                None => continue,
            },
        };
        keys.push((by, choices.percent(50), choices.percent(50)));
    }
    keys.extend(
        visible
            .key(table)
            .into_iter()
            .map(|column| (By::Column(column), false, false)),
    );
    keys
}

impl<'m> Filter<'m> {
    fn new(
        visible: &Visible<'m>,
        table: TableId,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> Filter<'m> {
        let columns = visible.columns(table);
        let relations = visible.relations(table);
        let several = |choices: &mut Choices<'_>| {
            (0..choices.below(3))
                .map(|_| Filter::new(visible, table, depth - 1, choices))
                .collect()
        };
        match (
            choices.below(if depth == 0 { 3 } else { 10 }),
            choices.pick(&relations),
        ) {
            (3, _) => Filter::And(several(choices)),
            (4, _) => Filter::Or(several(choices)),
            (5, _) => Filter::Not(Box::new(Filter::new(visible, table, depth - 1, choices))),
            (8, Some(relation)) if relation.aggregate.is_some() => {
                let form = choices
                    .pick(&["_some", "_every", "_none"])
                    .copied()
                    .unwrap_or("_some");
                Filter::Quantified(
                    relation,
                    form,
                    Box::new(Filter::new(visible, relation.to, depth - 1, choices)),
                )
            }
            (9, Some(relation))
                if relation.aggregate.is_some() && visible.has_aggregates(relation.to) =>
            {
                let operator = choices
                    .pick(&["_eq", "_gt", "_lte"])
                    .copied()
                    .unwrap_or("_eq");
                let filter = Box::new(Filter::new(visible, relation.to, depth - 1, choices));
                Filter::Count(relation, filter, operator, choices.below(4))
            }
            (6.., Some(relation)) => Filter::Related(
                relation,
                Box::new(Filter::new(visible, relation.to, depth - 1, choices)),
            ),
            (kind, _) => match choices.pick(&columns) {
                Some((column, _)) => Filter::column(visible, table, *column, kind, choices),
                None => Filter::And(vec![]),
            },
        }
    }

    fn column(
        visible: &Visible<'m>,
        table: TableId,
        column: ColumnId,
        kind: usize,
        choices: &mut Choices<'_>,
    ) -> Filter<'m> {
        let catalog = visible.access.model().catalog();
        let is_text = Scalar::from_oid(catalog, catalog.table(table).column(column).r#type).family
            == Family::Text;
        // Values that occur, so that conditions match some rows.
        let rows = visible.rows(table).iter().map(|row| value(row, column));
        let known: Vec<_> = rows.filter(|value| !value.is_null()).cloned().collect();
        let operators = [
            "_eq",
            "_neq",
            "_gt",
            "_gte",
            "_lt",
            "_lte",
            "_is_distinct_from",
        ];
        match (kind, choices.pick(&known).cloned()) {
            (0, _) | (_, None) => Filter::IsNull(column, choices.percent(50)),
            (1, Some(Json::String(known))) if is_text && choices.percent(20) => {
                let length = choices.below(known.chars().count() + 1);
                let beginning: String = known.chars().take(length).collect();
                Filter::Compare(column, "_starts_with", beginning.into())
            }
            (1, Some(low)) if choices.percent(20) => {
                let high = choices.pick(&known).cloned().unwrap_or(low.clone());
                Filter::Between(column, low, high)
            }
            (1, Some(known)) => Filter::Compare(
                column,
                choices.pick(&operators).copied().unwrap_or("_eq"),
                known,
            ),
            (_, Some(first)) => {
                let list = (0..choices.below(3))
                    .map(|_| choices.pick(&known).cloned().unwrap_or(first.clone()));
                let list = list.collect();
                Filter::List(column, choices.percent(50), list)
            }
        }
    }
}

// ---- writing it as GraphQL

impl RowSelection<'_> {
    fn written(&self, visible: &Visible<'_>, aggregate: bool) -> String {
        let kind = if aggregate {
            RootKind::Aggregate
        } else {
            RootKind::List
        };
        let root = visible
            .access
            .model()
            .roots()
            .find(|root| root.table == self.table && root.kind == kind);
        self.named(visible, root.map_or("", |root| &root.name), aggregate)
    }

    fn named(&self, visible: &Visible<'_>, name: &str, aggregate: bool) -> String {
        let order: Vec<_> = self
            .order
            .iter()
            .map(|(by, descends, nulls)| by.written(visible, self.table, *descends, *nulls))
            .collect();
        let order_by = visible.spelling(self.table).field("order_by");
        let mut arguments = format!(
            "where: {} {order_by}: [{}]",
            self.filter.written(visible, self.table),
            order.join(", ")
        );
        arguments += &self
            .limit
            .map(|limit| format!(" limit: {limit}"))
            .unwrap_or_default();
        arguments += &self
            .offset
            .map(|offset| format!(" offset: {offset}"))
            .unwrap_or_default();
        let fields = written(visible, self.table, &self.fields);
        if aggregate {
            let functions: String = self
                .functions(visible)
                .iter()
                .map(|(_, name, written)| format!("{name}: {written} "))
                .collect();
            format!(
                "{name}({arguments}) {{ aggregate {{ count {functions} }} nodes {{ {fields} }} }}"
            )
        } else {
            format!("{name}({arguments}) {{ {fields} }}")
        }
    }

    /// `max` and `min` of every plain column that has them, `sum` of whole numbers.
    fn functions(&self, visible: &Visible<'_>) -> Vec<(ColumnId, String, String)> {
        let mut functions = Vec::new();
        for (column, name) in visible.columns(self.table) {
            let scalar = Scalar::from_oid(
                visible.access.model().catalog(),
                visible
                    .access
                    .model()
                    .table(self.table)
                    .column(column)
                    .r#type,
            );
            let whole = ["int2", "int4", "int8"].contains(&scalar.sql.as_str());
            for function in ["max", "min", "sum"] {
                let applies = if function == "sum" {
                    whole
                } else {
                    scalar.min_max.is_some()
                };
                if applies {
                    functions.push((
                        column,
                        format!("{function}_{name}"),
                        format!("{function} {{ {name} }}"),
                    ));
                }
            }
        }
        functions
    }
}

fn written(visible: &Visible<'_>, table: TableId, fields: &[(String, Field<'_>)]) -> String {
    let name = |column: &ColumnId| {
        visible
            .exposed(table)
            .and_then(|e| e.column_name(*column))
            .unwrap_or_default()
    };
    let one = |(key, field): &(String, Field<'_>)| {
        let field = match field {
            Field::Typename => "__typename".to_owned(),
            Field::Column(column) => name(column).to_owned(),
            Field::Object(relation, fields) => {
                format!(
                    "{} {{ {} }}",
                    relation.name,
                    written(visible, relation.to, fields)
                )
            }
            Field::Array(relation, asked) => asked.named(visible, &relation.name, false),
            Field::Aggregate(relation, asked) => asked.named(
                visible,
                relation.aggregate.as_deref().unwrap_or_default(),
                true,
            ),
        };
        format!("{key}: {field}")
    };
    fields.iter().map(one).collect::<Vec<_>>().join(" ")
}

impl Filter<'_> {
    fn written(&self, visible: &Visible<'_>, table: TableId) -> String {
        let name = |column: &ColumnId| {
            visible
                .exposed(table)
                .and_then(|e| e.column_name(*column))
                .unwrap_or_default()
        };
        let all = |filters: &[Filter<'_>]| {
            filters
                .iter()
                .map(|filter| filter.written(visible, table))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Filter::And(filters) => format!("{{_and: [{}]}}", all(filters)),
            Filter::Or(filters) => format!("{{_or: [{}]}}", all(filters)),
            Filter::Not(inner) => format!("{{_not: {}}}", inner.written(visible, table)),
            Filter::Compare(column, operator, value) => {
                format!(
                    "{{{}: {{{}: {value}}}}}",
                    name(column),
                    visible.spelling(table).field(operator)
                )
            }
            Filter::Between(column, low, high) => {
                format!("{{{}: {{_between: [{low}, {high}]}}}}", name(column))
            }
            Filter::List(column, within, list) => {
                let operator = if *within { "_in" } else { "_nin" };
                format!(
                    "{{{}: {{{operator}: {}}}}}",
                    name(column),
                    Json::from(list.clone())
                )
            }
            Filter::IsNull(column, wanted) => {
                format!(
                    "{{{}: {{{}: {wanted}}}}}",
                    name(column),
                    visible.spelling(table).field("_is_null")
                )
            }
            Filter::Quantified(relation, form, inner) => {
                format!(
                    "{{{}: {{{form}: {}}}}}",
                    relation.name,
                    inner.written(visible, relation.to)
                )
            }
            Filter::Count(relation, filter, operator, number) => {
                let name = relation.aggregate.as_deref().unwrap_or_default();
                let filter = filter.written(visible, relation.to);
                format!(
                    "{{{name}: {{count: {{filter: {filter}, predicate: {{{operator}: \
                         {number}}}}}}}}}"
                )
            }
            Filter::Related(relation, inner) => {
                format!(
                    "{{{}: {}}}",
                    relation.name,
                    inner.written(visible, relation.to)
                )
            }
        }
    }
}

impl By<'_> {
    fn written(
        &self,
        visible: &Visible<'_>,
        table: TableId,
        descends: bool,
        nulls_first: bool,
    ) -> String {
        let word = match (descends, nulls_first) {
            (false, false) => "asc",
            (false, true) => "asc_nulls_first",
            (true, true) => "desc",
            (true, false) => "desc_nulls_last",
        };
        let name = |table, column: &ColumnId| {
            visible
                .exposed(table)
                .and_then(|exposed| exposed.column_name(*column))
                .unwrap_or_default()
        };
        let sorted = match self {
            By::Column(_) => table,
            By::Object(relation, _) | By::Count(relation) => relation.to,
        };
        let direction = visible.spelling(sorted).value(word);
        match self {
            By::Column(column) => format!("{{{}: {direction}}}", name(table, column)),
            By::Object(relation, column) => {
                format!(
                    "{{{}: {{{}: {direction}}}}}",
                    relation.name,
                    name(relation.to, column)
                )
            }
            By::Count(relation) => {
                format!(
                    "{{{}: {{count: {direction}}}}}",
                    relation.aggregate.as_deref().unwrap_or_default()
                )
            }
        }
    }

    fn value(&self, visible: &Visible<'_>, row: &Row) -> Json {
        match self {
            By::Column(column) => value(row, *column).clone(),
            By::Object(relation, column) => visible
                .related(row, relation)
                .first()
                .map(|there| value(there, *column).clone())
                .unwrap_or_default(),
            By::Count(relation) => json!(visible.related(row, relation).len()),
        }
    }
}

// ---- evaluating it

impl RowSelection<'_> {
    /// The rows of the selection, before a grant's limit.
    fn rows<'v>(&self, visible: &'v Visible<'_>, from: Option<(&Row, &Relation)>) -> Vec<&'v Row> {
        let mut rows: Vec<&Row> = match from {
            Some((row, relation)) => visible.related(row, relation),
            None => visible.rows(self.table).iter().collect(),
        };
        rows.retain(|row| self.filter.holds(visible, row) == Some(true));
        rows.sort_by(|a, b| {
            let by = |(by, descends, nulls_first): &(By<'_>, bool, bool)| {
                let a = by.value(visible, a);
                let b = by.value(visible, b);
                match (a.is_null(), b.is_null()) {
                    (false, false) if *descends => compare(&b, &a),
                    (false, false) => compare(&a, &b),
                    (a, b) if *nulls_first => b.cmp(&a),
                    (a, b) => a.cmp(&b),
                }
            };
            self.order
                .iter()
                .map(by)
                .find(|ordering| *ordering != Ordering::Equal)
                .unwrap_or(Ordering::Equal)
        });
        rows.drain(..self.offset.unwrap_or(0).min(rows.len()));
        rows.truncate(self.limit.unwrap_or(usize::MAX));
        rows
    }

    fn listed(&self, visible: &Visible<'_>, from: Option<(&Row, &Relation)>) -> Json {
        let rows = self
            .rows(visible, from)
            .into_iter()
            .take(visible.limit(self.table));
        rows.map(|row| answered(visible, self.table, row, &self.fields))
            .collect()
    }

    fn aggregated(&self, visible: &Visible<'_>, from: Option<(&Row, &Relation)>) -> Json {
        let rows = self.rows(visible, from);
        let mut aggregate = Map::new();
        aggregate.insert("count".into(), json!(rows.len()));
        for (column, key, _) in self.functions(visible) {
            let (function, name) = key.split_once('_').unwrap_or_default();
            let values = rows
                .iter()
                .map(|row| value(row, column))
                .filter(|value| !value.is_null());
            let result = match function {
                "max" => values.max_by(|a, b| compare(a, b)).cloned(),
                "min" => values.min_by(|a, b| compare(a, b)).cloned(),
                _ => values
                    .filter_map(Json::as_i64)
                    .reduce(|a, b| a + b)
                    .map(Json::from),
            };
            aggregate.insert(key.clone(), json!({ name: result }));
        }
        json!({ "aggregate": aggregate, "nodes": self.listed(visible, from) })
    }
}

fn answered(
    visible: &Visible<'_>,
    table: TableId,
    row: &Row,
    fields: &[(String, Field<'_>)],
) -> Json {
    let one = |(key, field): &(String, Field<'_>)| {
        let value = match field {
            Field::Typename => json!(
                visible
                    .exposed(table)
                    .map(|exposed| exposed.type_name.clone())
            ),
            Field::Column(column) => value(row, *column).clone(),
            Field::Object(relation, fields) => {
                let there = visible.related(row, relation).into_iter().next();
                there
                    .map(|there| answered(visible, relation.to, there, fields))
                    .unwrap_or_default()
            }
            Field::Array(relation, asked) => asked.listed(visible, Some((row, relation))),
            Field::Aggregate(relation, asked) => asked.aggregated(visible, Some((row, relation))),
        };
        (key.clone(), value)
    };
    Json::Object(fields.iter().map(one).collect())
}

impl Filter<'_> {
    /// Evaluates the condition in three-valued logic, as SQL does.
    fn holds(&self, visible: &Visible<'_>, row: &Row) -> Option<bool> {
        let known = |column: &ColumnId| Some(value(row, *column)).filter(|value| !value.is_null());
        match self {
            Filter::And(filters) => fold(
                filters.iter().map(|filter| filter.holds(visible, row)),
                false,
            ),
            Filter::Or(filters) => fold(
                filters.iter().map(|filter| filter.holds(visible, row)),
                true,
            ),
            Filter::Not(inner) => inner.holds(visible, row).map(|holds| !holds),
            Filter::IsNull(column, wanted) => Some(value(row, *column).is_null() == *wanted),
            Filter::Quantified(relation, form, inner) => {
                let related = visible.related(row, relation);
                let mut fits = related
                    .iter()
                    .map(|there| inner.holds(visible, there) == Some(true));
                Some(match *form {
                    "_some" => fits.any(|fits| fits),
                    "_every" => fits.all(|fits| fits),
                    _ => !fits.any(|fits| fits),
                })
            }
            Filter::Count(relation, filter, operator, number) => {
                let related = visible.related(row, relation).into_iter();
                let count = related
                    .filter(|there| filter.holds(visible, there) == Some(true))
                    .count();
                Some(match *operator {
                    "_eq" => count == *number,
                    "_gt" => count > *number,
                    _ => count <= *number,
                })
            }
            Filter::Related(relation, inner) => Some(
                visible
                    .related(row, relation)
                    .iter()
                    .any(|there| inner.holds(visible, there) == Some(true)),
            ),
            Filter::List(_, within, list) if list.is_empty() => Some(!within),
            Filter::List(column, within, list) => {
                let known = known(column)?;
                Some(
                    list.iter()
                        .any(|item| compare(known, item) == Ordering::Equal)
                        == *within,
                )
            }
            Filter::Between(column, low, high) => {
                let known = known(column)?;
                Some(compare(known, low).is_ge() && compare(known, high).is_le())
            }
            Filter::Compare(column, "_is_distinct_from", with) => {
                Some(known(column).is_none_or(|known| compare(known, with).is_ne()))
            }
            Filter::Compare(column, "_starts_with", with) => {
                Some(known(column)?.as_str()?.starts_with(with.as_str()?))
            }
            Filter::Compare(column, operator, with) => {
                let ordering = compare(known(column)?, with);
                Some(match *operator {
                    "_eq" => ordering.is_eq(),
                    "_neq" => ordering.is_ne(),
                    "_gt" => ordering.is_gt(),
                    "_gte" => ordering.is_ge(),
                    "_lt" => ordering.is_lt(),
                    _ => ordering.is_le(),
                })
            }
        }
    }
}

/// Returns `decisive` if one of them is that, `None` if one of the others is unknown, else the
/// opposite.
fn fold(all: impl Iterator<Item = Option<bool>>, decisive: bool) -> Option<bool> {
    let mut result = Some(!decisive);
    for holds in all {
        match holds {
            Some(holds) if holds == decisive => return Some(decisive),
            None => result = None,
            _ => {}
        }
    }
    result
}

fn value(row: &Row, column: ColumnId) -> &Json {
    row.get(column.0 as usize).unwrap_or(&Json::Null)
}

/// Postgres' order of whole numbers, decimals, Booleans, and text in a collation of code points.
fn compare(a: &Json, b: &Json) -> Ordering {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a
                .as_f64()
                .partial_cmp(&b.as_f64())
                .unwrap_or(Ordering::Equal),
        },
        (Json::Bool(a), Json::Bool(b)) => a.cmp(b),
        (Json::String(a), Json::String(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}
