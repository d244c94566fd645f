//! Tests that no condition, order or aggregate, nor an error that it raises, reveals anything about
//! a hidden row: every request gets identical responses from a database with hidden rows that are
//! made to be noticed, from one without them, and from one with others in their place.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};
use sql::model::ExposedTable;
use sql::model::access::Access;
use sql::model::names::RootKind;
use sql::model::operators;
use sql::model::operators::{OperandShape, Operator, Pattern, Type};
use sql::postgres::catalog::ColumnId;
use sql::postgres::types::{Family, Input, Scalar};
use sql::schema::Function;
use tests::database::TestDatabase;
use tests::fixture::{self, Fixture};
use tests::request::{Failure, Request};
use tests::wire;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Many hidden rows, so that they dominate the planner's statistics. The caller is the fixture's
/// user 1; staff sees the teams 1 and 2.
const MANY: &str = r#"
INSERT INTO traps SELECT 100 + n, 4, NULL, 0, 'seven', 'boom' FROM generate_series(1, 200) n;
INSERT INTO specimens (id, owner_id, a_text, a_varchar, a_char, a_name, a_jsonb, a_citext, a_loose, a_numeric, a_double, a_real, a_bigint, a_span, ints)
SELECT 100 + n, 5, 'back\', 'x\', '%\', '_\', '"\\"', '[\', '%', 'NaN', '1e308', '1e38', 9223372036854775807 - n, '(,)', ARRAY[n]
FROM generate_series(1, 200) n;
INSERT INTO measurements SELECT 100 + n, 4, n, 0 FROM generate_series(1, 200) n;
INSERT INTO places (id, owner_id, name, shape, flat, globe, cells)
SELECT 100 + n, 5, 'hidden', ext.ST_Point(1, 1, 3857), ext.ST_Point(n, 1, 3857), 'POINT (10 53.5)', places.cells
FROM generate_series(1, 200) n, places WHERE id = 5;
INSERT INTO items (id, owner_id, body, words, doc, label, pairs, address, block, span, spans, custom, ints, skus, moods, names, code, letters, short, nick)
SELECT 100 + n, 2, 'back\', 'calm', '{"n": "x", "s": 1e999, "d": "2024-13-45", "b": "maybe"}', 'Top.Hidden', '"calm"=>"x"', '10.0.0.1', '10.0.0.1/32',
  'empty', '{}', '(,)', '{1,NULL}', '{AB-1,NULL}', '{sad,NULL}', '{calm,NULL}', 'AB-1', '%\', '_\', '[\' FROM generate_series(1, 200) n;
-- Too long to be searched, or indexed for it.
DROP INDEX items_body;
INSERT INTO items (id, owner_id, body) SELECT 99, 2, string_agg(md5(n::text), ' ') FROM generate_series(1, 60000) n;
"#;

const NONE: &str = r#"
DELETE FROM traps WHERE owner_id NOT IN (1, 2);
DELETE FROM specimens WHERE owner_id <> 1;
DELETE FROM measurements WHERE user_id <> 1;
DELETE FROM places WHERE owner_id <> 1;
DELETE FROM items WHERE owner_id <> 1;
"#;

/// Changes the rows that the customer may not see, one by one. No response may differ because of
/// it.
const OTHERS: &str = r#"
DELETE FROM traps WHERE owner_id NOT IN (1, 2);
DELETE FROM specimens WHERE owner_id <> 1;
DELETE FROM measurements WHERE user_id <> 1;
DELETE FROM places WHERE owner_id <> 1;
DELETE FROM items WHERE owner_id <> 1;
UPDATE users SET name = 'zz' || id, mood = 'sad', score = -id, team_id = 3 - coalesce(team_id, 1), nick = NULL, email = NULL WHERE id <> 1;
UPDATE products SET title = 'aaa', price = -99999, stock = NULL, sku = NULL WHERE hidden;
UPDATE "or""ders" SET "Total Amount" = -1e30, status = 'sh"ipped', placed_on = '1900-01-01' WHERE user_id <> 1;
UPDATE labels SET label = 'aaa' WHERE label NOT IN ('new', 'so"ld');
DELETE FROM shipments WHERE id > 2;
DELETE FROM order_lines WHERE order_id NOT IN (10, 11);
"#;

/// A raster of one cell.
const RASTER: &str = "0100000000000000000000F03F000000000000F0BF0000000000000000000000000000000000000000000000000000000000000000E610000001000100";

/// Values that occur in hidden rows, or that make operators fail.
const TEXTS: [&str; 6] = ["", "\\\\", "calm", "%\\\\\\\\", "x%", "[z-a]"];

/// Two connections to databases that differ in hidden rows only.
struct Pair<'a> {
    one: &'a Client,
    other: &'a Client,
    access: &'a Access,
    asked: usize,
    refused: usize,
}

async fn changed(hint: &str, script: &str) -> Outcome<(TestDatabase, Client)> {
    let database = fixture::database(hint).await?;
    let client = fixture::connect(&database).await?;
    client.batch_execute(script).await?;
    client
        .batch_execute("SET jit = off; SET fixture.calm = on; ANALYZE; RESET fixture.calm")
        .await?;
    Ok((database, client))
}

/// Whether the server lacks PostGIS, of which the changed rows have values.
async fn is_without_postgis() -> Outcome<bool> {
    let has_postgis = fixture::features().await?.has_postgis;
    if !has_postgis {
        eprintln!("skipped: the rows need PostGIS");
    }
    Ok(!has_postgis)
}

#[tokio::test]
async fn conditions_reveal_nothing_about_hidden_rows() -> Outcome {
    if is_without_postgis().await? {
        return Ok(());
    }
    let (_many, many) = changed("many", MANY).await?;
    let (_none, none) = changed("none", NONE).await?;
    let fixture = Fixture::saved()?;
    let trials = [
        (
            "auto",
            "customer",
            &[
                "specimens",
                "traps",
                "trap_view",
                "ratios",
                "measurements",
                "places",
                "items",
            ][..],
        ),
        ("auto", "staff", &["traps", "trap_view"]),
        (
            "force_generic_plan",
            "customer",
            &["traps", "trap_view", "ratios"],
        ),
        ("force_generic_plan", "staff", &["traps", "trap_view"]),
    ];
    for (plans, role, tables) in trials {
        for client in [&many, &none] {
            client
                .batch_execute(&format!("SET plan_cache_mode = {plans}"))
                .await?;
        }
        let access = fixture.access(role).ok_or("no role")?;
        let mut pair = Pair {
            one: &many,
            other: &none,
            access,
            asked: 0,
            refused: 0,
        };
        let is_tried = |table: &&ExposedTable| {
            tables.contains(&access.model().table(table.table).name.as_str())
        };
        for table in access.model().tables().filter(is_tried) {
            pair.conditions(table).await?;
            pair.orders(table).await?;
        }
        // Most requests have to succeed, otherwise nothing would be compared.
        assert!(
            pair.asked > 50 && pair.refused * 3 < pair.asked,
            "{} of {} are refused",
            pair.refused,
            pair.asked
        );
    }
    Ok(())
}

/// Functions of rows that raise errors on hidden rows, and a function that returns rows of a table.
const COMPUTED: [&str; 11] = [
    "{ measurements(where: {ratio: {_gt: 0}}) { id ratio } }",
    "{ measurements(where: {_not: {strictRatio: {_gt: 0}}}) { id strictRatio } }",
    "{ measurements(where: {_or: [{id: {_lt: 0}}, {strictRatio: {_is_null: false}}]}) { id } }",
    "{ measurements(where: {users: {}}) { id } }",
    "{ measurements(order_by: [{ratio: desc}, {strictRatio: asc}]) { id users { id } } }",
    "{ measurements(order_by: {strictRatio: asc}, limit: 1, offset: 1) { strictRatio } }",
    "{ users { id measurements(where: {strictRatio: {_lt: 100}}) { id ratio } } }",
    "{ users(where: {measurements: {ratio: {_gt: 0}}}) { id } }",
    "{ measurementsAggregate(where: {strictRatio: {_gt: -100}}) { aggregate { count max { id } } \
     nodes { ratio } } }",
    "{ traps(where: {number: {_gt: 0}}, order_by: {number: desc}) { id number } }",
    "{ allMeasurements(where: {divisor: {_gt: 1}}, order_by: {divisor: asc}) { id divisor \
     strictRatio } }",
];

#[tokio::test]
async fn computed_fields_reveal_nothing_about_hidden_rows() -> Outcome {
    if is_without_postgis().await? {
        return Ok(());
    }
    let (_many, many) = changed("many", MANY).await?;
    let (_none, none) = changed("none", NONE).await?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("customer").ok_or("no role")?;
    for plans in ["auto", "force_generic_plan"] {
        for client in [&many, &none] {
            client
                .batch_execute(&format!("SET plan_cache_mode = {plans}"))
                .await?;
        }
        let mut pair = Pair {
            one: &many,
            other: &none,
            access,
            asked: 0,
            refused: 0,
        };
        for document in COMPUTED {
            pair.ask(document, &json!({})).await?;
        }
        assert_eq!((pair.asked, pair.refused), (COMPUTED.len(), 0), "{plans}");
    }
    Ok(())
}

#[tokio::test]
async fn orders_and_aggregates_across_relations_reveal_nothing() -> Outcome {
    let (_with, with) = changed("with", "").await?;
    let (_others, others) = changed("others", OTHERS).await?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("customer").ok_or("no role")?;
    let mut pair = Pair {
        one: &with,
        other: &others,
        access,
        asked: 0,
        refused: 0,
    };
    for table in access
        .model()
        .tables()
        .filter(|table| access.select(table.table).is_some())
    {
        // The role sees all rows of these, including those that differ between the two databases.
        if !["labels", "product_labels", "teams"].contains(&table.name.as_str()) {
            pair.orders(table).await?;
            pair.relations(table).await?;
        }
    }
    assert!(
        pair.asked > 200 && pair.refused * 3 < pair.asked,
        "{} of {} are refused",
        pair.refused,
        pair.asked
    );
    Ok(())
}

/// The tables to write, each with a column to set.
const WRITTEN: [(&str, &str); 5] = [
    ("traps", "digits"),
    ("measurements", "dividend"),
    ("specimens", "a_text"),
    ("places", "name"),
    ("items", "body"),
];

#[tokio::test]
async fn conditions_of_updates_and_deletes_reveal_nothing() -> Outcome {
    if is_without_postgis().await? {
        return Ok(());
    }
    let (_many, many) = changed("many", MANY).await?;
    let (_none, none) = changed("none", NONE).await?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("mender").ok_or("no role")?;
    for (plans, tables) in [
        ("auto", &WRITTEN[..]),
        ("force_generic_plan", &WRITTEN[..2]),
    ] {
        for client in [&many, &none] {
            client
                .batch_execute(&format!("SET plan_cache_mode = {plans}"))
                .await?;
        }
        let mut pair = Pair {
            one: &many,
            other: &none,
            access,
            asked: 0,
            refused: 0,
        };
        for &(name, set) in tables {
            let table = access
                .model()
                .tables()
                .find(|table| table.name == name)
                .ok_or("no table")?;
            pair.writes(table, set).await?;
        }
        assert!(
            pair.asked > 10 && pair.refused * 3 < pair.asked,
            "{} of {} are refused",
            pair.refused,
            pair.asked
        );
    }
    Ok(())
}

impl Pair<'_> {
    /// Sends updates and deletes with every operator of every column and every value of its type.
    async fn writes(&mut self, table: &ExposedTable, set: &str) -> Outcome {
        for (column, name) in self.columns(table) {
            let entry = self.access.model().table(table.table).column(column);
            let scalar = Scalar::from_oid(self.access.model().catalog(), entry.r#type);
            let mut conditions = Vec::new();
            for operator in operators::all().filter(|o| o.is_offered(&scalar, entry.deterministic))
            {
                let values = values(&scalar, operator).into_iter();
                conditions.extend(values.map(|value| json!({ &name: { operator.name: value } })));
            }
            // Several conditions in one request, as long as they succeed.
            for some in conditions.chunks(6) {
                if !self.written(table, set, some).await? {
                    for condition in some {
                        self.written(table, set, std::slice::from_ref(condition))
                            .await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes with each of the conditions: alone, negated, combined. Returns whether all succeeded.
    async fn written(
        &mut self,
        table: &ExposedTable,
        set: &str,
        conditions: &[Json],
    ) -> Outcome<bool> {
        let update = self.field(table, RootKind::Update);
        let delete = self.field(table, RootKind::Delete);
        let mut declared = String::new();
        let mut updates = String::new();
        let mut deletes = String::new();
        let mut variables = Map::new();
        for (i, condition) in conditions.iter().enumerate() {
            let _ = write!(declared, "$w{i}: {}_bool_exp! ", table.name);
            let beside = format!("{{id: {{_gte: 1}}, _or: [$w{i}, {{id: {{_eq: 1}}}}]}}");
            for (n, condition) in [format!("$w{i}"), format!("{{_not: $w{i}}}"), beside]
                .iter()
                .enumerate()
            {
                let _ = write!(
                    updates,
                    "u{n}_{i}: {update}(where: {condition}, _set: {{{set}: \
                                         1}}) {{ affected_rows }} "
                );
            }
            let _ = write!(
                deletes,
                "d{i}: {delete}(where: {{_not: $w{i}}}) {{ affected_rows }} "
            );
            variables.insert(format!("w{i}"), condition.clone());
        }
        let updates = if set == "dividend" {
            updates
        } else {
            updates.replace(&format!("{set}: 1"), &format!("{set}: \"1\""))
        };
        self.ask(
            &format!("mutation ({declared}) {{ {updates} {deletes} }}"),
            &Json::Object(variables),
        )
        .await
    }

    /// Sends the request to both databases. Errors are compared by what a client sees of them.
    async fn ask(&mut self, document: &str, variables: &Json) -> Outcome<bool> {
        let request = Request::new(document)
            .session("user_id", "1")
            .session("labels", r#"["new","so\"ld"]"#);
        let request = request.variables(variables.clone());
        let one = seen(request.answer(self.one, self.access).await);
        let other = seen(request.answer(self.other, self.access).await);
        self.asked += 1;
        self.refused += usize::from(one.is_err());
        assert_eq!(
            one,
            other,
            "{} sees a difference in hidden rows: {document} {variables}",
            self.access.role()
        );
        Ok(one.is_ok())
    }

    /// Tries every operator of every column with every value of its type. After a refusal each
    /// value is tried alone, since one error hides the outcome of the others.
    async fn conditions(&mut self, table: &ExposedTable) -> Outcome {
        for (column, name) in self.columns(table) {
            let entry = self.access.model().table(table.table).column(column);
            let scalar = Scalar::from_oid(self.access.model().catalog(), entry.r#type);
            for operator in operators::all().filter(|o| o.is_offered(&scalar, entry.deterministic))
            {
                let values = values(&scalar, operator).into_iter();
                let conditions: Vec<_> = values
                    .map(|value| json!({ &name: { operator.name: value } }))
                    .collect();
                if !self.together(table, &conditions).await? {
                    for condition in conditions {
                        self.together(table, &[condition]).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Sends a request with each of the conditions: alone, negated, combined, counted, and on rows
    /// that refer to these rows. Returns whether it succeeded.
    async fn together(&mut self, table: &ExposedTable, conditions: &[Json]) -> Outcome<bool> {
        let list = self.root(table);
        let count = self.aggregate(table);
        let order = self.order(table);
        let bool_exp = format!("{}_bool_exp", table.name);
        let mut declared = String::new();
        let mut fields = String::new();
        let mut variables = Map::new();
        for (i, condition) in conditions.iter().enumerate() {
            let _ = write!(declared, "$w{i}: {bool_exp}! ");
            let _ = write!(
                fields,
                "a{i}: {list}(where: $w{i}, {order}) {{ id }} b{i}: \
                                    {list}(where: {{_not: $w{i}}}, {order}) {{ id }} \
                                    c{i}: {list}(where: {{id: {{_gte: 1}}, _or: [$w{i}, {{id: \
                                    {{_eq: 1}}}}]}}, limit: 1, {order}) {{ id }} \
                                    d{i}: {count}(where: $w{i}) {{ aggregate {{ count }} }} "
            );
            for (n, (from, relation)) in self.leading_to(table).into_iter().enumerate() {
                let root = self.root(from);
                let order = self.order(from);
                let _ = write!(
                    fields,
                    "r{i}_{n}: {root}(where: {{{relation}: $w{i}}}, {order}) {{ __typename }} "
                );
            }
            variables.insert(format!("w{i}"), condition.clone());
        }
        self.ask(
            &format!("query ({declared}) {{ {fields} }}"),
            &Json::Object(variables),
        )
        .await
    }

    /// The tables with a relation to this one.
    fn leading_to(&self, table: &ExposedTable) -> Vec<(&ExposedTable, &str)> {
        let seen = self
            .access
            .model()
            .tables()
            .filter(|from| self.access.select(from.table).is_some());
        let relations =
            seen.flat_map(|from| from.relations.iter().map(move |relation| (from, relation)));
        let found = relations.filter(|(_, relation)| relation.to == table.table);
        found
            .map(|(from, relation)| (from, relation.name.as_str()))
            .collect()
    }

    /// Every column as order and in aggregates, with and without a limit.
    async fn orders(&mut self, table: &ExposedTable) -> Outcome {
        let list = self.root(table);
        let model = self.access.model().clone();
        let select = self.access.select(table.table).ok_or("no grant")?;
        for (column, name) in self.columns(table) {
            let scalar = Scalar::from_oid(
                model.catalog(),
                model.table(table.table).column(column).r#type,
            );
            if scalar.family == Family::Opaque {
                continue;
            }
            self.ask(
                &format!("{{ {list}(order_by: {{{name}: desc}}, limit: 2) {{ {name} }} }}"),
                &json!({}),
            )
            .await?;
            self.ask(
                &format!(
                    "{{ {list}(distinct_on: {name}, order_by: {{{name}: asc}}) {{ {name} }} }}"
                ),
                &json!({}),
            )
            .await?;
            if select.aggregates.is_some() {
                let root = self.aggregate(table);
                let functions = Function::selected().filter(|(function, _)| {
                    if function.is_extreme() {
                        scalar.min_max.is_some()
                    } else {
                        scalar.numeric
                    }
                });
                let functions: Vec<_> = functions
                    .map(|(_, function)| format!("{function} {{ {name} }}"))
                    .collect();
                let document = format!(
                    "{{ {root} {{ aggregate {{ count(columns: {name}, distinct: true) {} }} }} }}",
                    functions.join(" ")
                );
                self.ask(&document, &json!({})).await?;
            }
        }
        Ok(())
    }

    /// Orders across relations, counts of related rows, and whether there are any.
    async fn relations(&mut self, table: &ExposedTable) -> Outcome {
        let list = self.root(table);
        let order = self.order(table);
        let model = self.access.model().clone();
        let own = self
            .columns(table)
            .first()
            .map(|(_, name)| (*name).to_owned())
            .unwrap_or_default();
        for relation in &table.relations {
            let Some(there) = model
                .exposed(relation.to)
                .filter(|there| self.access.select(there.table).is_some())
            else {
                continue;
            };
            let name = &relation.name;
            self.ask(
                &format!("{{ {list}(where: {{{name}: {{}}}}, {order}) {{ {own} }} }}"),
                &json!({}),
            )
            .await?;
            for (column, key) in self.columns(there) {
                let scalar = Scalar::from_oid(
                    model.catalog(),
                    model.table(there.table).column(column).r#type,
                );
                if scalar.family == Family::Opaque {
                    continue;
                }
                let by = match &relation.aggregate {
                    None => format!("{{{name}: {{{key}: asc}}}}"),
                    Some(aggregate) if scalar.min_max.is_some() => {
                        format!(
                            "{{{aggregate}: {{count: desc, min: {{{key}: asc}}, max: \
                                 {{{key}: desc}}}}}}"
                        )
                    }
                    Some(_) => continue,
                };
                let tail = order
                    .trim_start_matches("order_by: ")
                    .trim_matches(['[', ']']);
                let document =
                    format!("{{ {list}(order_by: [{by}, {tail}], limit: 3) {{ {own} }} }}");
                self.ask(&document, &json!({})).await?;
            }
        }
        Ok(())
    }

    fn columns(&self, table: &ExposedTable) -> Vec<(ColumnId, String)> {
        let granted = self
            .access
            .select(table.table)
            .map(|select| select.columns.clone())
            .unwrap_or_default();
        granted
            .iter()
            .filter_map(|column| Some((column, table.column_name(column)?.to_owned())))
            .collect()
    }

    fn order(&self, table: &ExposedTable) -> String {
        let key = self
            .columns(table)
            .iter()
            .find(|(_, name)| name == "id")
            .map_or("", |_| "{id: asc}")
            .to_owned();
        let keys: Vec<_> = if key.is_empty() {
            self.columns(table)
                .iter()
                .take(3)
                .map(|(_, name)| format!("{{{name}: asc}}"))
                .collect()
        } else {
            vec![key]
        };
        format!("order_by: [{}]", keys.join(", "))
    }

    fn root(&self, table: &ExposedTable) -> String {
        self.field(table, RootKind::List)
    }

    fn aggregate(&self, table: &ExposedTable) -> String {
        self.field(table, RootKind::Aggregate)
    }

    fn field(&self, table: &ExposedTable, kind: RootKind) -> String {
        let root = self
            .access
            .model()
            .roots()
            .find(|root| root.table == table.table && root.kind == kind);
        root.map(|root| root.name.clone()).unwrap_or_default()
    }
}

/// What a client sees: the response, or the error's class and text.
fn seen(response: Result<String, Failure>) -> Result<String, String> {
    response.map_err(|failure| match &failure {
        Failure::Wire(wire::Error::Database(_)) => failure.to_string(),
        other => format!("{other:?}"),
    })
}

/// The last one has the spatial reference system of the hidden shapes.
fn shapes() -> [Json; 3] {
    let crs = json!({"type": "name", "properties": {"name": "EPSG:3857"}});
    let square = json!([[[9, 53], [11, 53], [11, 54], [9, 54], [9, 53]]]);
    [
        json!({"type": "Point", "coordinates": [10, 53.5]}),
        json!({"type": "Polygon", "coordinates": square}),
        json!({"type": "Point", "coordinates": [1, 1], "crs": crs}),
    ]
}

/// Every type that a value inside JSON can be cast to, where hidden rows contain values of other
/// types.
fn paths() -> Vec<Json> {
    let types = [
        ("n", "Int", json!(1)),
        ("s", "bigint", json!(1)),
        ("s", "Float", json!(1.5)),
        ("n", "numeric", json!("1")),
        ("n", "String", json!("x")),
        ("b", "Boolean", json!(true)),
        ("n", "uuid", json!("00000000-0000-0000-0000-000000000000")),
        ("d", "date", json!("2024-02-29")),
        ("d", "timestamptz", json!("2024-02-29T00:00:00Z")),
        ("n", "jsonb", json!({})),
    ];
    types
        .map(|(at, of, value)| json!({"at": [at], "as": of, "_gte": value}))
        .to_vec()
}

fn values(scalar: &Scalar, operator: &Operator) -> Vec<Json> {
    let singles: Vec<Json> = match (&scalar.input, operator.takes) {
        (Input::GeoJson { .. }, OperandShape::Cast(types)) => {
            let cast = |(name, _): &(&str, Type)| {
                shapes().map(|shape| json!({*name: {"_st_intersects": shape}}))
            };
            return types.iter().flat_map(cast).collect();
        }
        (Input::GeoJson { .. }, OperandShape::Object(_)) => {
            return shapes()
                .map(|shape| json!({"distance": 1, "from": shape}))
                .to_vec();
        }
        (Input::Raster, OperandShape::Object(_)) => {
            return shapes()
                .map(|shape| json!({"nband": 1, "geommin": shape}))
                .to_vec();
        }
        (_, OperandShape::Cast([("String", _)])) => {
            return vec![
                json!({"String": {"_like": "%\\\\"}}),
                json!({"String": {"_regex": "a"}}),
            ];
        }
        (_, OperandShape::Path) => return paths(),
        (_, OperandShape::Search) => {
            let modes = ["PLAIN", "PHRASE", "WEBSEARCH", "RAW"].into_iter();
            return modes
                .map(|mode| json!({"query": "calm", "mode": mode}))
                .collect();
        }
        (_, OperandShape::Pattern(Pattern::Regular | Pattern::Similar)) => {
            return ["", ".", "(?x)(", "\\\\$", "back%", "(a{200}){200}"]
                .map(|text| json!(text))
                .to_vec();
        }
        (_, OperandShape::One(Type::Element)) => vec![json!(2)],
        (
            _,
            OperandShape::One(Type::Beside("lquery")) | OperandShape::List(Type::Beside("lquery")),
        ) => {
            vec![json!("Top.*"), json!("é-.*")]
        }
        (_, OperandShape::One(Type::Beside("ltxtquery"))) => {
            vec![json!("Top & !Hidden"), json!("é- & a")]
        }
        (_, OperandShape::One(Type::Text) | OperandShape::List(Type::Text)) => {
            TEXTS.iter().map(|text| json!(text)).collect()
        }
        (_, OperandShape::IsNull) => return vec![json!(true), json!(false)],
        (Input::Integer { .. }, _) => vec![json!(0), json!(1), json!(16)],
        (Input::Float | Input::Numeric, _) => {
            vec![json!(0), json!("NaN"), json!(1e30), json!(-0.5)]
        }
        (Input::Boolean, _) => vec![json!(true)],
        (Input::Uuid, _) => vec![json!("00000000-0000-0000-0000-000000000000")],
        (Input::Date, _) => vec![json!("infinity"), json!("2024-02-29")],
        (Input::Time, _) => vec![json!("12:00")],
        (Input::Json, _) => vec![json!({}), json!("\\"), json!([1])],
        (Input::Enum(labels), _) => labels.iter().take(2).map(|label| json!(label)).collect(),
        (Input::Array(_), _) => vec![json!([]), json!("{1}")],
        (Input::Composite(_) | Input::Hstore, _) => vec![json!({}), json!("()")],
        (Input::GeoJson { .. }, _) => shapes().to_vec(),
        (Input::Labels, _) => vec![json!("Top"), json!("Top.Hidden")],
        (Input::Raster, _) => vec![json!(RASTER), json!("00")],
        (Input::Vector, _) => vec![json!([1, 2])],
        (Input::Delimited(_), _) => vec![json!("(1,1),(0,0)")],
        (Input::Loose(_) | Input::Limited(_) | Input::Ltree(_), _) => vec![],
        (Input::Text, _) => TEXTS.iter().map(|text| json!(text)).collect(),
        (Input::Other, _) => match scalar
            .sql
            .trim_matches('"')
            .rsplit('"')
            .next()
            .unwrap_or_default()
        {
            "inet" => vec![json!("10.0.0.1"), json!("::/0")],
            "macaddr" => vec![json!("08:00:2b:01:02:03")],
            "int4multirange" => vec![json!("{}"), json!("{[1,2)}")],
            "cidr" => vec![json!("10.0.0.1/32")],
            "tsvector" => vec![json!("calm"), json!("")],
            "int4range" | "span" => vec![json!("empty"), json!("(,)")],
            "interval" => vec![json!("1 day")],
            "bit" | "varbit" => vec![json!("101")],
            "touchy" => vec![json!("calm"), json!("boom")],
            _ => vec![json!("0")],
        },
    };
    let wrap = |value| match operator.takes {
        OperandShape::List(_) => json!([value]),
        OperandShape::Pair(_) => json!([value, value]),
        _ => value,
    };
    singles.into_iter().map(wrap).collect()
}
