//! Tests that values of every type that a column can have are returned and stored unchanged: alone,
//! in arrays, under a domain, in composite values and in arrays of those. Stored values are
//! compared by the bytes that Postgres stores. Tests that each type has one form wherever it
//! stands, that every list can be paged by every column that orders it, and that types which pass
//! as text have the operators of text.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use sql::graphql::document;
use sql::graphql::document::Limits;
use sql::introspection::json_schema::Schemas;
use sql::model::access::Access;
use sql::model::aggregates::Function;
use sql::model::operators;
use sql::model::operators::{OperandShape, Type};
use sql::postgres::catalog;
use sql::postgres::catalog::{Catalog, Column, Table};
use sql::postgres::spatial::Spatial;
use sql::postgres::types::{Family, Scalar, quoted};
use sql::resolve::{Operation, Options};
use tests::plain::Text;
use tests::request::{Failure, Request};
use tests::{fixture, wire};
use tokio_postgres::Client;

mod odd;
pub(crate) mod samples;

use samples::{SETUP, TYPES};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The columns of the table of a type.
const COLUMNS: [&str; 7] = [
    "plain", "list", "grid", "domain", "domains", "record", "records",
];

#[tokio::test]
async fn values_of_every_type_round_trip() -> Outcome {
    let database = tests::create("types", &[SETUP]).await?;
    let client = fixture::connect(&database).await?;
    let tables = tables(&client).await?;
    let catalog = Catalog::decode(client.query_one(catalog::QUERY, &[]).await?.get(0))?;
    let permissions = permissions::allow_all(Arc::new(catalog));
    let access = permissions.role("admin").ok_or("no admin")?;
    let mut trial = Trial {
        client: &client,
        access,
        given: 0,
        compared: 0,
        asked: 0,
        paged: 0,
        faults: Vec::new(),
    };
    for (table, type_name) in &tables {
        trial.table(table, type_name).await?;
    }
    assert!(
        trial.faults.is_empty(),
        "{} faults\n{}",
        trial.faults.len(),
        trial.faults.join("\n")
    );
    assert!(tables.len() > 90, "only {} types", tables.len());
    let Trial {
        given,
        compared,
        asked,
        paged,
        ..
    } = trial;
    assert!(
        given > 3000 && compared > 1000 && asked > 2000,
        "{given} given, {compared} compared, {asked} asked"
    );
    assert!(paged > 5000, "{paged} pages");
    Ok(())
}

/// The schemas of answers describe what is sent, and those of parameters take it back: for values
/// of every type, for nulls, and for what aggregate functions make of them, with numbers as they
/// are and as strings.
#[tokio::test]
async fn descriptions_hold_for_values_of_every_type() -> Outcome {
    let database = tests::create("types", &[SETUP]).await?;
    let client = fixture::connect(&database).await?;
    let tables = tables(&client).await?;
    let catalog = Arc::new(Catalog::decode(
        client.query_one(catalog::QUERY, &[]).await?.get(0),
    )?);
    let permissions = permissions::allow_all(catalog.clone());
    let access = permissions.role("admin").ok_or("no admin")?;
    let mut faults = Vec::new();
    for (name, type_name) in &tables {
        let table = catalog
            .tables
            .iter()
            .find(|table| table.name == *name)
            .ok_or("no such table")?;
        let document = document_of(&catalog, table);
        for stringify_numbers in [false, true] {
            let options = Options {
                stringify_numbers,
                ..Options::default()
            };
            let request = Request {
                options,
                ..Request::new(document.clone())
            };
            let response = request
                .answer(&client, access)
                .await
                .map_err(|error| format!("{type_name}: {error}"))?;
            let response_value: Json = serde_json::from_str(&response)?;
            let parsed = Arc::new(document::parse(&document, &Limits::default())?);
            let operation = Operation::validate(access, parsed, None)?;
            let schemas = Schemas::new(access, stringify_numbers, "#/$defs/");
            let mut check = |what: &str, schema: &Json, value: &Json| {
                let validator =
                    jsonschema::draft202012::new(schema).map_err(|error| error.to_string())?;
                let errors = validator.iter_errors(value).take(3);
                faults.extend(errors.map(|error| {
                    format!("{type_name}, {what}: {error} at {}", error.instance_path())
                }));
                Ok::<(), String>(())
            };
            check("answer", &schemas.response(&operation)?, &response_value)?;
            for row in response_value[name].as_array().into_iter().flatten() {
                // Parameters are described in their simplest form, so arrays have one dimension.
                for column in COLUMNS
                    .into_iter()
                    .filter(|column| !is_nested(&row[*column]))
                {
                    let entry = table
                        .columns
                        .iter()
                        .find(|entry| entry.name == column)
                        .ok_or("no such column")?;
                    check(column, &schemas.parameter(entry.r#type, true), &row[column])?;
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(tables.len() > 90, "only {} types", tables.len());
    Ok(())
}

/// Whether a value is a list of lists.
fn is_nested(value: &Json) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().any(Json::is_array))
}

/// All rows of a type's table, and every aggregate function over the first row and over none: sums
/// of all samples may overflow.
fn document_of(catalog: &Catalog, table: &Table) -> String {
    let mut functions = String::new();
    for (function, word) in Function::selected() {
        let columns = table.columns.iter().filter(|column| {
            COLUMNS.contains(&column.name.as_str())
                && function.applies_to(&Scalar::from_oid(catalog, column.r#type))
        });
        let columns: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
        if !columns.is_empty() {
            functions += &format!("{word} {{ {} }} ", columns.join(" "));
        }
    }
    let name = &table.name;
    let aggregate = |key: &str, id: i32| {
        format!(
            "{key}: {name}Aggregate(where: {{id: {{_eq: {id}}}}}) {{ \
                                      aggregate {{ count {functions} }} }}"
        )
    };
    let first = aggregate("first", 1);
    let none = aggregate("none", -1);
    format!(
        "{{ {name}(orderBy: {{id: asc}}) {{ id {} }} {first} {none} }}",
        COLUMNS.join(" ")
    )
}

/// Creates a table for each type that has values, with a row for each sample. Returns the qualified
/// name of its type for each table, without quotes: which names Postgres quotes depends on its
/// version (`json` is quoted from 16 on).
async fn tables(client: &Client) -> Outcome<BTreeMap<String, String>> {
    let mut tables = BTreeMap::new();
    for (row, number) in client.query(TYPES, &[]).await?.iter().zip(0..) {
        let sql: String = row.get(0);
        let qualified: String = row.get(1);
        let name: String = row.get(2);
        if samples::EMPTY.contains(&name.as_str()) {
            continue;
        }
        let samples = samples::of(&name).ok_or_else(|| format!("no sample of {sql}"))?;
        let table = format!("t{number}");
        client
            .batch_execute(&table_script(&table, &sql, &name, samples))
            .await
            .map_err(|e| format!("{sql}: {e:?}"))?;
        tables.insert(table, qualified);
    }
    Ok(tables)
}

fn table_script(table: &str, sql: &str, name: &str, samples: &[&str]) -> String {
    // `ARRAY[…]` would add a dimension to these.
    let nested = matches!(name, "int2vector" | "oidvector" | "ids");
    let array = |items: &[&str], of: &str| {
        if nested {
            format!(
                "ARRAY[{}]::{of}[]",
                items
                    .iter()
                    .map(|v| format!("({v})::text"))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        } else {
            format!("ARRAY[{}]::{of}[]", items.join(", "))
        }
    };
    let mut script = format!(
        "CREATE DOMAIN {table}_domain AS {sql}; CREATE TYPE {table}_record \
                              AS (a {sql}, b {sql}[], c {table}_domain); \
                              CREATE TABLE {table} (id int PRIMARY KEY, plain {sql}, list \
                              {sql}[], grid {sql}[], domain {table}_domain, \
                              domains {table}_domain[], record {table}_record, records \
                              {table}_record[]);"
    );
    let value = |sample: &str| {
        if sample.starts_with("ROW(") {
            format!("{sample}::{sql}")
        } else {
            format!("'{}'::{sql}", sample.replace('\'', "''"))
        }
    };
    let other = value(samples.last().copied().unwrap_or_default());
    for (sample, id) in samples.iter().zip(1..) {
        let v = value(sample);
        let list = array(&[&v, "NULL", &other], sql);
        let grid = if nested {
            "NULL".into()
        } else {
            format!("ARRAY[[{v}, {other}], [{other}, {v}]]")
        };
        let domains = array(&[&v, "NULL", &other], &format!("{table}_domain"));
        let record = format!("ROW({v}, {list}, {v})::{table}_record");
        script += &format!(
            "INSERT INTO {table} VALUES ({id}, {v}, {list}, {grid}, {v}, \
                            {domains}, {record}, ARRAY[{record}, NULL, ROW(NULL, '{{}}', \
                            NULL)::{table}_record]);"
        );
    }
    // `to_json` writes composite values in arrays of more dimensions, and their fields as a cast to
    // json does.
    if !nested && name != "own_pair" {
        let first = value(samples.first().copied().unwrap_or_default());
        let cube = format!("[[{first}, {other}], [{other}, {first}]]");
        script += &format!(
            "INSERT INTO {table} (id, grid) VALUES (1001, ARRAY[{cube}, {cube}]), \
                            (1002, ARRAY[[{cube}, {cube}], [{cube}, {cube}]]);"
        );
    }
    script + &format!("INSERT INTO {table} VALUES (0);")
}

struct Trial<'a> {
    client: &'a Client,
    access: &'a Access,
    given: usize,
    compared: usize,
    asked: usize,
    paged: usize,
    faults: Vec<String>,
}

impl Trial<'_> {
    async fn table(&mut self, name: &str, type_name: &str) -> Outcome {
        let document = format!(
            "{{ {name}(orderBy: {{id: asc}}) {{ id {} }} }}",
            COLUMNS.join(" ")
        );
        let response = match Request::new(document)
            .answer(self.client, self.access)
            .await
        {
            Ok(response_value) => serde_json::from_str::<Json>(&response_value)?,
            Err(failure) => {
                self.faults
                    .push(format!("{type_name} does not go out: {failure}"));
                return Ok(());
            }
        };
        let catalog = self.access.model().catalog().clone();
        let table = catalog
            .tables
            .iter()
            .find(|table| table.name == name)
            .ok_or("no such table")?;
        let native = format!(
            "SELECT row_to_json(t)::text FROM (SELECT {} FROM {name} ORDER BY {name}.id) t",
            texts(table)
        );
        let native = self.client.query(&native, &[]).await?;
        for (row, native) in response[name].as_array().into_iter().flatten().zip(&native) {
            self.compare_forms(row, type_name);
            let native: Json = serde_json::from_str(native.get(0))?;
            for column in COLUMNS {
                let entry = table
                    .columns
                    .iter()
                    .find(|entry| entry.name == column)
                    .ok_or("no such column")?;
                self.cell(table, entry, row, &native[column], type_name)
                    .await?;
            }
        }
        for column in table.columns.iter().filter(|column| column.name != "id") {
            if let Err(fault) = self
                .try_operators(table, column, &response[name][1][column.name.as_str()])
                .await
            {
                self.faults
                    .push(format!("{type_name} as {}: {fault}", column.name));
            }
        }
        Ok(())
    }

    /// Compares the form of a value alone with its forms in a list, under a domain, and in a
    /// composite value.
    fn compare_forms(&mut self, row: &Json, type_name: &str) {
        let plain = &row["plain"];
        let inside = [&row["list"][0], &row["domain"], &row["domains"][0]];
        let composed = [
            &row["record"]["a"],
            &row["record"]["b"][0],
            &row["record"]["c"],
            &row["records"][0]["a"],
        ];
        // PostGIS has no cast of geography to JSON, and names the reference system of a geometry in
        // two ways.
        let composed = composed
            .into_iter()
            .filter(|_| !matches!(type_name, "ext.geography" | "ext.geometry"));
        // A list of arrays of one length is one array.
        let is_array =
            plain.is_array() || matches!(type_name, "pg_catalog.json" | "pg_catalog.jsonb");
        for other in inside.into_iter().chain(composed).filter(|_| !is_array) {
            if other != plain {
                self.faults.push(format!(
                    "{type_name}, row {}: {plain} alone, {other} inside",
                    row["id"]
                ));
            }
        }
    }

    /// Sorts by a column, counts it, aggregates its minimum and maximum, and compares it with every
    /// operator that accepts a value of its type: everything that the schema offers has to succeed.
    async fn try_operators(&mut self, table: &Table, column: &Column, value: &Json) -> Outcome {
        let t = &table.name;
        let c = &column.name;
        let scalar = Scalar::from_oid(self.access.model().catalog(), column.r#type);
        let extremes = match scalar.min_max {
            Some(_) => format!("min {{ {c} }} max {{ {c} }}"),
            None => String::new(),
        };
        let aggregate = format!(
            "{t}Aggregate {{ aggregate {{ count(columns: [{c}], distinct: true) {extremes} }} }}"
        );
        let list = format!("distinct: {t}(distinctOn: [{c}]) {{ id }}");
        let sorted = match scalar.family {
            Family::Opaque => String::new(),
            _ => format!("sorted: {t}(order_by: {{{c}: desc}}) {{ id }}"),
        };
        if scalar.family != Family::Opaque
            && (scalar.comparable || scalar.comparison_functions.is_some())
        {
            for direction in ["asc", "desc", "asc_nulls_first", "desc_nulls_last"] {
                self.page(t, c, direction).await?;
            }
        }
        // Two shapes of the samples may have different spatial reference systems.
        let comparable = |operator: &&operators::Operator| {
            operator.is_offered(&scalar, column.deterministic)
                && !(operator.raises() && scalar.spatial.is_some())
        };
        let asked =
            operators::all()
                .filter(comparable)
                .filter_map(|operator| match operator.takes {
                    OperandShape::One(Type::Same) => Some(format!("{}: $v", operator.name)),
                    OperandShape::List(Type::Same) => Some(format!("{}: [$v]", operator.name)),
                    OperandShape::Pair(Type::Same) => Some(format!("{}: [$v, $v]", operator.name)),
                    _ => None,
                });
        let operators: Vec<_> = asked.collect();
        if operators.is_empty() || value.is_null() {
            Request::new(format!("{{ {aggregate} {list} }}"))
                .answer(self.client, self.access)
                .await?;
            return Ok(());
        }
        let fields: Vec<_> = operators
            .iter()
            .zip(0..)
            .map(|(o, i)| format!("o{i}: {t}(where: {{{c}: {{{o}}}}}) {{ id }}"))
            .collect();
        let document = format!(
            "query ($v: {}!) {{ {aggregate} {list} {sorted} {} }}",
            scalar.name,
            fields.join(" ")
        );
        Request::new(document)
            .variables(json!({ "v": value }))
            .answer(self.client, self.access)
            .await?;
        self.asked += operators.len();
        Ok(())
    }

    /// Fails unless the row after each row, and the rows before it, by its cursor, are those of the
    /// whole list.
    async fn page(&mut self, table: &str, column: &str, direction: &str) -> Outcome {
        let order = format!("order_by: [{{{column}: {direction}}}, {{id: asc}}]");
        let list = Request::new(format!("{{ {table}({order}) {{ id _cursor }} }}"));
        let list: Json = serde_json::from_str(&list.answer(self.client, self.access).await?)?;
        let rows = list[table].as_array().ok_or("no rows")?;
        let pages = rows.iter().enumerate().map(|(index, row)| {
            let cursor = &row["_cursor"];
            format!(
                "a{index}: {table}({order}, limit: 1, after: {cursor}) {{ id }} \
                 b{index}: {table}({order}, before: {cursor}) {{ id }} "
            )
        });
        let pages = Request::new(format!("{{ {} }}", pages.collect::<String>()));
        let pages: Json = serde_json::from_str(&pages.answer(self.client, self.access).await?)?;
        for position in 0..rows.len() {
            let after = &pages[format!("a{position}")][0]["id"];
            let before = pages[format!("b{position}")].as_array().map_or(0, Vec::len);
            let next = rows.get(position + 1).map_or(&Json::Null, |row| &row["id"]);
            if (after, before) != (next, position) {
                return Err(format!(
                    "{direction} by {column}: {after} after row {}, not {next}, and {before} \
                     rows before it, not {position}",
                    rows[position]["id"]
                )
                .into());
            }
            self.paged += 1;
        }
        Ok(())
    }

    /// Writes a value back as it was returned, as text, and uses it as a condition.
    async fn cell(
        &mut self,
        table: &Table,
        column: &Column,
        row: &Json,
        native: &Json,
        type_name: &str,
    ) -> Outcome {
        let value = &row[column.name.as_str()];
        let id = &row["id"];
        if value.is_null() != native.is_null() {
            self.faults.push(format!(
                "{type_name} as {}, row {id}: {value} for {native}",
                column.name
            ));
        }
        if value.is_null() {
            return Ok(());
        }
        let scalar = Scalar::from_oid(self.access.model().catalog(), column.r#type);
        let mut given = vec![value];
        // These also accept text; where the text could be a value of the type itself, it is taken
        // as that.
        if matches!(
            column.name.as_str(),
            "list" | "grid" | "domains" | "record" | "records"
        ) {
            given.push(native);
        }
        for given in given {
            self.given += 1;
            if let Err(fault) = self.stored(table, column, given, id, type_name).await {
                self.faults.push(format!(
                    "{type_name} as {}, row {id}, given {given}: {fault}",
                    column.name
                ));
            }
        }
        // A list of lists is an array of JSON lists, if the type allows that.
        if scalar.family != Family::Opaque
            && scalar.comparable
            && !(column.name == "grid" && type_name == "pg_catalog.jsonb")
        {
            self.compared += 1;
            if let Err(fault) = self.found(table, column, &scalar, value, id).await {
                self.faults.push(format!(
                    "{type_name} as {}, row {id}, compared with {value}: {fault}",
                    column.name
                ));
            }
        }
        Ok(())
    }

    /// Fails unless writing a value stores the original bytes.
    async fn stored(
        &self,
        table: &Table,
        column: &Column,
        value: &Json,
        id: &Json,
        type_name: &str,
    ) -> Outcome {
        let scalar = Scalar::from_oid(self.access.model().catalog(), column.r#type);
        let text = scalar.column_input(column.modifier).text(value)?;
        let entry = match scalar.spatial {
            Some(Spatial::Geometry | Spatial::Geography) => {
                format!("ext.ST_GeomFromGeoJSON($1::text)::{}", scalar.sql)
            }
            _ if scalar.builtin => format!("$1::{}", scalar.sql),
            _ => format!("$1::text::{}", scalar.sql),
        };
        let t = quoted(&table.name);
        let c = quoted(&column.name);
        let declared = self
            .access
            .model()
            .catalog()
            .type_of(column.r#type)
            .ok_or("no such type")?;
        let of = format!("{}.{}", quoted(&declared.schema), quoted(&declared.name));
        let (before, after) = image(type_name);
        let statement = format!(
            "SELECT (SELECT r FROM (SELECT {before}v{after}) r) *= (SELECT r \
                                 FROM (SELECT {before}{c}{after}) r), v::text, {c}::text \
                                 FROM {t}, (SELECT ({entry})::{of} AS v) given WHERE id = {id}"
        );
        let row = self
            .client
            .query_one(&statement, &[&Text(Some(text.as_str()))])
            .await
            .map_err(wire::Error::from)?;
        if row.get(0) {
            Ok(())
        } else {
            Err(format!(
                "{:?} came back for {:?}",
                row.get::<_, &str>(1),
                row.get::<_, &str>(2)
            )
            .into())
        }
    }

    /// Fails unless a row is found by its value.
    async fn found(
        &self,
        table: &Table,
        column: &Column,
        scalar: &Scalar,
        value: &Json,
        id: &Json,
    ) -> Outcome {
        let document = format!(
            "query ($v: {}) {{ {}(where: {{{}: {{_eq: $v}}}}) {{ id }} }}",
            scalar.name, table.name, column.name
        );
        let request = Request::new(document).variables(json!({ "v": value }));
        let response: Json =
            serde_json::from_str(&request.answer(self.client, self.access).await?)?;
        if response[&table.name]
            .as_array()
            .is_some_and(|rows| rows.iter().any(|row| row["id"] == *id))
        {
            Ok(())
        } else {
            Err(format!("{response}").into())
        }
    }
}

/// The expression that is compared byte by byte: usually the whole value. But two JSON texts of one
/// value may differ in blanks, a list of lists may be an array of one or two dimensions, and
/// PostGIS sets flags without a meaning.
fn image(type_name: &str) -> (&'static str, &'static str) {
    match type_name {
        "pg_catalog.json" | "pg_catalog.jsonb" => ("to_jsonb(", ")"),
        "ext.geometry" | "ext.geography" | "ext.geometry_dump" | "ext.geomval"
        | "ext.valid_detail" => ("", "::text"),
        _ => ("", ""),
    }
}

/// Each column as text.
fn texts(table: &Table) -> String {
    let columns = table.columns.iter().map(|column| quoted(&column.name));
    columns
        .map(|column| format!("{column}::text AS {column}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Conditions on a column, as GraphQL and as SQL about `{x}`, where the type passes as text.
const TEXT_CONDITIONS: [(&str, &str); 22] = [
    ("_eq: \"b\"", "{x} = 'b'"),
    ("_neq: \"b\"", "{x} <> 'b'"),
    ("_gt: \"b\"", "{x} > 'b'"),
    ("_gte: \"b\"", "{x} >= 'b'"),
    ("_lt: \"b\"", "{x} < 'b'"),
    ("_lte: \"b\"", "{x} <= 'b'"),
    ("_in: [\"a\", \"c\"]", "{x} IN ('a', 'c')"),
    ("_nin: [\"a\", \"c\"]", "{x} NOT IN ('a', 'c')"),
    ("_between: [\"b\", \"c\"]", "{x} BETWEEN 'b' AND 'c'"),
    ("_is_distinct_from: \"b\"", "{x} IS DISTINCT FROM 'b'"),
    ("_is_null: true", "{x} IS NULL"),
    ("_like: \"b%\"", "{x} LIKE 'b%'"),
    ("_nlike: \"b%\"", "{x} NOT LIKE 'b%'"),
    ("_ilike: \"B%\"", "{x} ILIKE 'B%'"),
    ("_nilike: \"B%\"", "{x} NOT ILIKE 'B%'"),
    ("_similar: \"b|c\"", "{x} SIMILAR TO 'b|c'"),
    ("_nsimilar: \"b|c\"", "{x} NOT SIMILAR TO 'b|c'"),
    ("_regex: \"^[bc]\"", "{x} ~ '^[bc]'"),
    ("_nregex: \"^[bc]\"", "{x} !~ '^[bc]'"),
    ("_iregex: \"^[BC]\"", "{x} ~* '^[BC]'"),
    ("_niregex: \"^[BC]\"", "{x} !~* '^[BC]'"),
    ("_starts_with: \"b\"", "{x} ^@ 'b'"),
];

#[tokio::test]
async fn types_that_pass_as_text_have_its_operators() -> Outcome {
    const TABLE: &str = "
        -- Without a collation of its own Postgres can neither sort nor compare it.
        CREATE TYPE own_plain;
        CREATE FUNCTION own_plain_in(cstring) RETURNS own_plain LANGUAGE internal IMMUTABLE STRICT AS 'textin';
        CREATE FUNCTION own_plain_out(own_plain) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
        CREATE TYPE own_plain (INPUT = own_plain_in, OUTPUT = own_plain_out, LIKE = text);
        CREATE CAST (own_plain AS text) WITHOUT FUNCTION AS IMPLICIT;
        CREATE TABLE vocab (id int PRIMARY KEY, v own_text UNIQUE, w own_word,
        g own_text GENERATED ALWAYS AS (v) STORED, p own_plain, n own_number, o own_order, parent own_text REFERENCES vocab (v));
        INSERT INTO vocab VALUES (1, 'a', 'a', DEFAULT, 'a', '1', '1', NULL), (2, 'b', 'b', DEFAULT, 'b', '2', '2', 'a'),
        (3, 'bc', 'bc', DEFAULT, 'bc', '3', '3', 'b'), (4, 'c', 'c', DEFAULT, 'c', '4', '4', 'b'),
        (5, NULL, NULL, DEFAULT, NULL, NULL, NULL, NULL);";
    let database = tests::create("own_types", &[SETUP, TABLE]).await?;
    let client = fixture::connect(&database).await?;
    let catalog = Catalog::decode(client.query_one(catalog::QUERY, &[]).await?.get(0))?;
    let permissions = permissions::allow_all(Arc::new(catalog));
    let access = permissions.role("admin").ok_or("no admin")?;
    let ids = async |condition: &str| -> Outcome<Vec<i64>> {
        let document =
            format!("{{ vocab(where: {{{condition}}}, order_by: {{id: asc}}) {{ id }} }}");
        let response = Request::new(document)
            .answer(&client, access)
            .await
            .map_err(|e| format!("{condition}: {e}"))?;
        let response_value: Json = serde_json::from_str(&response)?;
        Ok(response_value["vocab"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| row["id"].as_i64())
            .collect())
    };
    for (column, (condition, sql)) in ["v", "w", "g", "p"]
        .into_iter()
        .flat_map(|column| TEXT_CONDITIONS.map(|pair| (column, pair)))
    {
        let sql = sql.replace("{x}", &format!("{column}::text"));
        let native = format!("SELECT array_agg(id::int8 ORDER BY id) FROM vocab WHERE {sql}");
        let native: Option<Vec<i64>> = client.query_one(&native, &[]).await?.get(0);
        assert_eq!(
            ids(&format!("{column}: {{{condition}}}")).await?,
            native.unwrap_or_default(),
            "{column} {condition}"
        );
    }
    for column in ["v", "w", "g", "p", "n", "o"] {
        let first = Request::new(format!(
            "{{ vocab(order_by: {{{column}: desc_nulls_last}}, limit: 2) {{ id _cursor }} }}"
        ));
        let first: Json = serde_json::from_str(&first.answer(&client, access).await?)?;
        assert_eq!(
            [&first["vocab"][0]["id"], &first["vocab"][1]["id"]],
            [4, 3],
            "{column}"
        );
        let after = &first["vocab"][1]["_cursor"];
        let next = Request::new(format!(
            "{{ vocab(order_by: {{{column}: desc_nulls_last}}, \
                                         after: {after}) {{ id }} \
                                         distinct: vocab(distinct_on: [{column}]) {{ id }} \
                                         vocabGroup(by: [{column}]) {{ key {{ {column} }} }} \
                                         vocabAggregate {{ aggregate {{ min {{ {column} }} \
                                         count(columns: [{column}], distinct: true) }} }} }}"
        ));
        let next: Json = serde_json::from_str(&next.answer(&client, access).await?)?;
        assert_eq!(
            next["vocab"],
            json!([{"id": 2}, {"id": 1}, {"id": 5}]),
            "{column}"
        );
        assert_eq!(next["vocabAggregate"]["aggregate"]["count"], 4, "{column}");
    }
    for column in ["n", "o"] {
        assert_eq!(ids(&format!("{column}: {{_gt: 2}}")).await?, [3, 4]);
        assert_eq!(ids(&format!("{column}: {{_neq: 2}}")).await?, [1, 3, 4]);
        assert_eq!(ids(&format!("{column}: {{_nin: [2, 3]}}")).await?, [1, 4]);
        assert_eq!(
            ids(&format!("{column}: {{_between: [2, 3]}}")).await?,
            [2, 3]
        );
    }
    Ok(())
}

#[tokio::test]
async fn type_without_operators_that_an_expression_can_name_has_no_comparisons() -> Outcome {
    let tables = "CREATE TABLE oddity (id int PRIMARY KEY, bare own_bare, loud loud, site site, clear ambiguous_row);
        INSERT INTO oddity VALUES (1, 'x', 'low', '(1,a)', '(1)');";
    let database = tests::create("own_types", &[SETUP, tables]).await?;
    let client = fixture::connect(&database).await?;
    let catalog = Catalog::decode(client.query_one(catalog::QUERY, &[]).await?.get(0))?;
    let table = catalog
        .tables
        .iter()
        .find(|table| table.name == "oddity")
        .ok_or("no table")?;
    let compares = |column: &str| {
        let column = table
            .columns
            .iter()
            .find(|entry| entry.name == column)
            .expect("a column");
        let scalar = Scalar::from_oid(&catalog, column.r#type);
        let offered = operators::all().filter(|operator| operator.is_offered(&scalar, true));
        offered.map(|operator| operator.name).collect::<Vec<_>>()
    };
    for column in ["bare", "loud", "clear"] {
        assert_eq!(compares(column), ["_is_null"], "{column}");
    }
    // `=` is qualified, so the operators of the type that the cast leads to are not considered.
    assert!(compares("site").contains(&"_between"));
    Ok(())
}

/// What a schema offers over a key and a relation of some type. `key` and `reference` are the names
/// of the tables, in the schema and with a capital; `value` is a value of the key.
fn uses_of_a_key(
    name: &str,
    [key, big_key]: [&str; 2],
    [other, big_other]: [&str; 2],
    value: &str,
) -> Vec<String> {
    vec![
        format!("{{ {key}ByPk(id: {value}) {{ n }} }}"),
        format!("{{ {key}(where: {{id: {{_eq: {value}}}}}) {{ n }} }}"),
        format!("{{ {other}(orderBy: {{id: asc}}) {{ id parent {{ n }} }} }}"),
        format!("{{ {other}(orderBy: {{parent: {{n: desc}}}}) {{ id }} }}"),
        format!("{{ {other}(where: {{parent: {{n: {{_eq: 1}}}}}}) {{ id }} }}"),
        format!("{{ {other}(orderBy: {{parent: {{id: asc}}, id: asc}}) {{ id }} }}"),
        format!(
            "{{ {key}(orderBy: {{n: asc}}) {{ n {other} {{ id }} {other}Aggregate {{ \
                 aggregate {{ count }} }} }} }}"
        ),
        format!("{{ {key}(distinctOn: [id]) {{ n }} }}"),
        format!("{{ {key}Connection(first: 1) {{ pageInfo {{ endCursor }} nodes {{ n }} }} }}"),
        format!(
            "mutation {{ update{big_key}ByPk(pk_columns: {{id: {value}}}, _set: {{n: 5}}) {{ \
                 n }} }}"
        ),
        format!("mutation {{ delete{big_other}ByPk(id: 1) {{ parent {{ n }} }} }}"),
        format!(
            "mutation {{ insert{big_key}(objects: [{{id: {value}, n: 9}}], onConflict: \
                 {{constraint: key_{name}_pkey, \
                 update_columns: [n]}}) {{ affected_rows returning {{ n {other} {{ id }} }} }} }}"
        ),
        format!(
            "mutation {{ insert{big_other}(objects: [{{id: 9, parentId: {value}}}]) {{ \
                 returning {{ parent {{ n }} }} }} }}"
        ),
        format!(
            "mutation {{ update{big_key}ByPk(pk_columns: {{id: {value}}}, _related: \
                 {{{other}: {{update: {{where: {{}}, \
                 _set: {{label: \"q\"}}}}}}}}) {{ n }} }}"
        ),
    ]
}

/// Keys, relations, cursors, upserts and related rows over types whose `=` is in another schema or
/// belongs to a composite value: what the schema offers is answered, and Postgres refuses none of
/// it.
#[tokio::test]
async fn keys_and_relations_work_over_types_with_operators_of_their_own() -> Outcome {
    /// A type, its name in camel case, two of its texts, and the first as a literal of GraphQL.
    const KEYS: [(&str, &str, [&str; 2], &str); 5] = [
        ("own_order", "OwnOrder", ["1", "2"], "1"),
        ("site", "Site", ["(1,a)", "(2,b)"], "{a: 1, b: \"a\"}"),
        ("own_text", "OwnText", ["a", "b"], "\"a\""),
        ("loud", "Loud", ["low", "high"], "\"low\""),
        ("ambiguous_row", "AmbiguousRow", ["(1)", "(2)"], "{a: 1}"),
    ];
    // Postgres itself cannot check foreign keys over an ambiguous `=`, so none is checked here.
    let tables = KEYS.map(|(name, _, [first, second], _)| {
        format!(
            "CREATE TABLE key_{name} (id {name} PRIMARY KEY, n int);
            CREATE TABLE ref_{name} (id int PRIMARY KEY, parent_id {name} REFERENCES key_{name}, label text);
            ALTER TABLE key_{name} DISABLE TRIGGER ALL;
            ALTER TABLE ref_{name} DISABLE TRIGGER ALL;
            INSERT INTO key_{name} VALUES ('{first}', 1), ('{second}', 2);
            INSERT INTO ref_{name} VALUES (1, '{first}', 'x'), (2, '{second}', 'y'), (3, NULL, 'z');"
        )
    });
    let database = tests::create("own_keys", &[SETUP, &tables.concat()]).await?;
    let client = fixture::connect(&database).await?;
    let catalog = Catalog::decode(client.query_one(catalog::QUERY, &[]).await?.get(0))?;
    let permissions = permissions::allow_all(Arc::new(catalog));
    let access = permissions.role("admin").ok_or("no admin")?;
    let mut faults = Vec::new();
    let mut answered = BTreeMap::<&str, usize>::new();
    let mut refused = Vec::new();
    for (name, camel, _, value) in KEYS {
        let key = [format!("key{camel}"), format!("Key{camel}")];
        let other = [format!("ref{camel}"), format!("Ref{camel}")];
        let mut documents = uses_of_a_key(
            name,
            key.each_ref().map(String::as_str),
            other.each_ref().map(String::as_str),
            value,
        );
        for (list, order) in [
            (&key[0], "{n: asc}"),
            (&key[0], "{id: asc}"),
            (&other[0], "{parent: {id: asc}, id: asc}"),
        ] {
            let first = format!("{{ p: {list}(orderBy: {order}, limit: 1) {{ _cursor }} }}");
            if let Ok(page) = Request::new(&first).answer(&client, access).await {
                let page: Json = serde_json::from_str(&page)?;
                let after = &page["p"][0]["_cursor"];
                documents.push(format!(
                    "{{ {list}(orderBy: {order}, after: {after}) {{ __typename }} }}"
                ));
            }
            documents.push(first);
        }
        for document in documents {
            match Request::new(&document).answer(&client, access).await {
                Ok(_) => *answered.entry(name).or_default() += 1,
                Err(Failure::Request(error)) => refused.push(format!("{document}: {error}")),
                Err(failure) => faults.push(format!("{document}: {failure}")),
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
    let at_least = |most: usize| KEYS.iter().all(|(name, ..)| answered[name] >= most);
    assert!(at_least(18), "{answered:?}\n{}", refused.join("\n"));
    Ok(())
}
