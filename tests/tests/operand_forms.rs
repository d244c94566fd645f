//! Tests how the operands of a list are written: constants of the document as literals where no row can be hidden, as
//! parameters everywhere else, and with equal results.

mod veil;

use std::sync::Arc;

use permissions::{Permissions, SourceFile};
use serde_json::{Value, json};
use sql::postgres::catalog::{Catalog, QUERY};
use sql::statement::{Literal, Statement};
use sql::{Translation, TranslationKind};
use tests::TestDatabase;
use tests::fixture;
use tests::request::Request;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const SCHEMA: &str = r#"
CREATE TYPE mood AS ENUM ('sad', 'it''s \ "ok"');
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE guarded (id int PRIMARY KEY, name text NOT NULL);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE TABLE items (
  id int PRIMARY KEY, team_id int REFERENCES teams, guard_id int REFERENCES guarded,
  name text, code varchar(20), padded char(12), mood mood, is_open bool, small int2, big int8, ratio float8, part real,
  price numeric, key uuid, day date, moment timestamp, instant timestamptz, props jsonb);
CREATE VIEW shown AS SELECT id, name FROM items;
INSERT INTO teams VALUES (1, 'one');
INSERT INTO items (id, team_id, name, code, padded, mood, is_open, small, big, ratio, part, price, key, day, moment, instant, props)
SELECT i, 1, n, n, n, 'it''s \ "ok"', true, -7, -9007199254740993, 'NaN', '-Infinity', -1.50, '00000000-0000-0000-0000-00000000000a',
  '2024-02-29', '2024-02-29 12:00', '2024-02-29 12:00+01', '{"a": 1}'
FROM unnest(ARRAY['plain', 'it''s', 'back\slash', 'q"uo', '\', 'éé 日本', '$1', '--', E'new\nline', '%', '100%']) WITH ORDINALITY AS u (n, i);
"#;

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int4"

[table.items.role]
all.select = { columns = "*", rows = "true", aggregates = true }
all.update = { columns = "*", rows = "true" }
some.select = { columns = "*", rows = "id = session.user_id" }
masked.select = { columns = "*", rows = "true", mask = { name = "'***'" } }

[table.teams.role]
all.select = { columns = "*", rows = "true" }
some.select = { columns = "*", rows = "true" }
masked.select = { columns = "*", rows = "id = session.user_id" }

[table.guarded.role]
all.select = { columns = "*", rows = "true" }

[table.shown.role]
all.select = { columns = "*", rows = "true" }
"#;

/// Conditions with one constant each, whose literal the statement has.
const CONDITIONS: &[(&str, &str)] = &[
    (r#"name: {_eq: "plain"}"#, "= 'plain'::text"),
    (r#"name: {_eq: "it's"}"#, "= 'it''s'::text"),
    (r#"name: {_eq: "back\\slash"}"#, r"= E'back\\slash'::text"),
    (r#"name: {_eq: "\\"}"#, r"= E'\\'::text"),
    (r#"name: {_eq: "' OR true --"}"#, "= ''' OR true --'::text"),
    (r#"name: {_eq: "\\' OR true --"}"#, r"= E'\\'' OR true --'::text"),
    (r#"name: {_eq: "é\u00e9 日本"}"#, "= 'éé 日本'::text"),
    (r#"name: {_eq: "$1"}"#, "= '$1'::text"),
    (r#"name: {_eq: "--"}"#, "= '--'::text"),
    (r#"name: {_eq: "new\nline"}"#, "= 'new\nline'::text"),
    (r#"name: {_neq: "plain"}"#, "<> 'plain'::text"),
    (r#"name: {_in: ["plain", "it's"]}"#, r#"= ANY ('{"plain","it''s"}'::text[])"#),
    (r#"name: {_like: "100\\%"}"#, r"~~ E'100\\%'::text"),
    (r#"name: {_ilike: "%PLAIN%"}"#, "~~* '%PLAIN%'::text"),
    (r#"name: {_gt: "p"}"#, "> 'p'::text"),
    (r#"code: {_eq: "plain"}"#, "= 'plain'::varchar"),
    (r#"padded: {_eq: "plain"}"#, "= 'plain'::bpchar"),
    (r#"mood: {_eq: "it's \\ \"ok\""}"#, r#"= E'it''s \\ "ok"'::"public"."mood""#),
    (r#"mood: {_in: ["sad"]}"#, r#"= ANY ('{"sad"}'::"public"."mood"[])"#),
    ("is_open: {_eq: true}", "= 'true'::bool"),
    ("small: {_eq: -7}", "= '-7'::int2"),
    ("big: {_eq: \"-9007199254740993\"}", "= '-9007199254740993'::int8"),
    ("id: {_between: [2, 4]}", r#"('{"2","4"}'::int4[])[1]"#),
    (r#"ratio: {_eq: "NaN"}"#, "= 'NaN'::float8"),
    (r#"part: {_eq: "-Infinity"}"#, "= '-Infinity'::float4"),
    ("price: {_eq: -1.5}", "= '-1.5'::numeric"),
    (r#"key: {_eq: "00000000-0000-0000-0000-00000000000A"}"#, "= '00000000-0000-0000-0000-00000000000A'::uuid"),
    (r#"day: {_eq: "2024-02-29"}"#, "= '2024-02-29'::date"),
    (r#"moment: {_gte: "2024-02-29T12:00:00"}"#, ">= '2024-02-29T12:00:00'::timestamp"),
    (r#"instant: {_lte: "2024-02-29T11:00:00Z"}"#, "<= '2024-02-29T11:00:00Z'::timestamptz"),
    (r#"_not: {_or: [{name: {_eq: "plain"}}]}"#, "WHERE NOT (((((_0.\"name\" = 'plain'::text))))) "),
];

/// Conditions whose constants stay parameters: what they mean depends on more than the text, they may be long, or they
/// are about rows of another table.
const PARAMETERS: &[&str] = &[
    r#"team: {name: {_eq: "one"}}"#,
    r#"day: {_lte: "now"}"#,
    r#"instant: {_lte: "today"}"#,
    r#"instant: {_lte: "2024-02-29T12:00:00"}"#,
    r#"ratio: {_lt: 1e300}"#,
    r#"price: {_lt: "Infinity"}"#,
    r#"props: {_contains: {a: 1}}"#,
    r#"name: {_regex: "^p"}"#,
    r#"name: {_in: ["q\"uo"]}"#,
    r#"name: {_in: []}"#,
    r#"guard: {name: {_eq: "x"}}"#,
];

struct Place {
    client: Client,
    permissions: Permissions,
    _database: TestDatabase,
}

impl Place {
    async fn new(name: &str, schema: &str, permissions: &str) -> Outcome<Place> {
        let database = tests::create(name, &[schema]).await?;
        let client = fixture::connect(&database).await?;
        let catalog = Arc::new(Catalog::decode(&client.query_one(QUERY, &[]).await?.get::<_, String>(0))?);
        let file = SourceFile::new("permissions.toml", permissions);
        let permissions = permissions::compile(&file, catalog)
            .map_err(|problems| permissions::render(&problems, &file, false).to_string())?;
        Ok(Place { client, permissions, _database: database })
    }

    fn translate(&self, role: &str, document: &str) -> Outcome<Translation> {
        self.translate_with(role, document, json!({}))
    }

    fn translate_with(&self, role: &str, document: &str, variables: Value) -> Outcome<Translation> {
        let access = self.permissions.role(role).ok_or("no such role")?;
        let request = Request::new(document).session("user_id", "1").variables(variables);
        let translated = request.translate(access);
        Ok(translated.map_err(|error| format!("{document}: {error}"))?.translation)
    }

    /// The literals in the statement of a query or subscription.
    fn literals(&self, role: &str, document: &str) -> Outcome<Vec<Literal>> {
        Ok(statement(&self.translate(role, document)?)?.literals.clone())
    }

    async fn answer(&self, document: &str, constant_parameters: bool) -> Outcome<String> {
        let access = self.permissions.role("all").ok_or("no such role")?;
        let mut request = Request::new(document);
        request.options.constant_parameters = constant_parameters;
        Ok(request.answer(&self.client, access).await?)
    }
}

fn statement(translation: &Translation) -> Outcome<&Statement> {
    Ok(translation.answer.statement().ok_or("no statement")?)
}

fn items(condition: &str) -> String {
    format!("{{ items(where: {{{condition}}}, order_by: {{id: asc}}, limit: 20) {{ id }} }}")
}

#[tokio::test]
async fn constants_are_literals_of_their_type() -> Outcome {
    let place = Place::new("operand_forms", SCHEMA, PERMISSIONS).await?;
    for (condition, literal) in CONDITIONS {
        let translation = place.translate("all", &items(condition))?;
        let statement = statement(&translation)?;
        assert!(statement.text.contains(literal), "{condition}: {}", statement.text);
        assert!(statement.parameters.is_empty(), "{condition}: {}", statement.text);
        for literal in &statement.literals {
            let text = statement.text.get(literal.range.clone()).unwrap_or_default();
            assert!(text.trim_start_matches('E').starts_with('\'') && text.ends_with('\''), "{text}");
        }
    }
    for condition in PARAMETERS {
        let translation = place.translate("all", &items(condition))?;
        let statement = statement(&translation)?;
        assert!(statement.literals.is_empty() && statement.parameters.len() == 1, "{condition}: {}", statement.text);
    }
    Ok(())
}

/// Both forms find the same rows, however the server reads backslashes.
#[tokio::test]
async fn literals_find_the_rows_that_parameters_find() -> Outcome {
    let place = Place::new("operand_forms", SCHEMA, PERMISSIONS).await?;
    let mut found = 0;
    for setting in ["on", "off"] {
        place.client.batch_execute(&format!("SET standard_conforming_strings = {setting}")).await?;
        for (condition, _) in CONDITIONS {
            let document = items(condition);
            let with_literals = place.answer(&document, false).await?;
            assert_eq!(with_literals, place.answer(&document, true).await?, "{condition}");
            found += usize::from(with_literals.contains("\"id\""));
        }
    }
    // No row has the values of three conditions.
    assert_eq!(found, 2 * (CONDITIONS.len() - 3));
    Ok(())
}

#[tokio::test]
async fn only_lists_that_hide_no_row_have_literals() -> Outcome {
    let place = Place::new("operand_forms", SCHEMA, PERMISSIONS).await?;
    let by_name = items(r#"name: {_eq: "plain"}"#);
    assert_eq!(place.literals("all", &by_name)?.len(), 1);
    // A row rule, and a column in place of which the role reads something else.
    assert_eq!((place.literals("some", &by_name)?, place.literals("masked", &by_name)?), (vec![], vec![]));
    // A policy, which the user of this connection is exempt from, and a view.
    let others =
        ["guarded", "shown"].map(|table| format!(r#"{{ {table}(where: {{name: {{_eq: "plain"}}}}) {{ id }} }}"#));
    for document in &others {
        assert_eq!(place.literals("all", document)?, [], "{document}");
    }
    // A condition on related rows that a rule hides, and on visible ones below a table with a rule.
    let by_team = items(r#"team: {name: {_eq: "one"}}"#);
    assert_eq!((place.literals("some", &by_team)?, place.literals("masked", &by_team)?), (vec![], vec![]));
    // A list in a row.
    let inner = r#"{ teams { items(where: {name: {_eq: "plain"}}, limit: 1) { id } } }"#;
    assert_eq!(place.literals("all", inner)?, []);
    // A variable.
    let access = place.permissions.role("all").ok_or("no such role")?;
    let document = "query ($name: String) { items(where: {name: {_eq: $name}}) { id } }";
    let translated = Request::new(document).variables(json!({"name": "plain"})).translate(access);
    let translation = translated.map_err(|error| error.to_string())?.translation;
    assert_eq!(statement(&translation)?.literals, []);
    Ok(())
}

/// Subscribers share a statement over arrays of their parameters, and a write is planned once.
#[tokio::test]
async fn subscriptions_and_mutations_have_no_literals() -> Outcome {
    let place = Place::new("operand_forms", SCHEMA, PERMISSIONS).await?;
    let by_name = items(r#"name: {_eq: "plain"}"#);
    assert_eq!(place.literals("all", &format!("subscription {by_name}"))?, []);
    let document = r#"mutation { update_items(where: {name: {_eq: "plain"}}, _set: {small: 1})
        { returning { id team { items(where: {name: {_eq: "plain"}}) { id } } } } }"#;
    match place.translate("all", document)?.answer {
        TranslationKind::Mutation(mutation) => {
            assert!(!mutation.steps.is_empty() && mutation.steps.iter().all(|step| step.statement.literals.is_empty()));
        }
        other => return Err(format!("{other:?}").into()),
    }
    Ok(())
}

/// A pattern counts against the request's budget as a parameter does, and keeps a statement out of groups.
#[tokio::test]
async fn patterns_in_the_text_count_as_patterns() -> Outcome {
    let place = Place::new("operand_forms", SCHEMA, PERMISSIONS).await?;
    let translation = place.translate("all", &items(r#"name: {_ilike: "%plain%"}"#))?;
    let statement = statement(&translation)?;
    assert!(statement.literals.iter().all(|literal| literal.is_pattern && literal.bytes == 7));
    assert!(statement.has_patterns());
    let caller = Request::new("");
    let mut budget = sql::statement::ValueBudget::new(100).with_patterns(7 + 16);
    let variables = sql::graphql::variables::Variables::default();
    assert_eq!(statement.bind(&variables, &caller, &mut budget)?, Vec::<Option<String>>::new());
    assert_eq!((budget.used(), budget.patterns()), (7, 23));
    assert!(statement.bind(&variables, &caller, &mut budget).is_err());
    let plain = place.translate("all", &items(r#"name: {_eq: "plain"}"#))?;
    assert!(!self::statement(&plain)?.has_patterns());
    Ok(())
}

/// A list has at most so many bytes of literals; further constants are parameters.
#[tokio::test]
async fn long_lists_of_constants_are_literals_in_part() -> Outcome {
    let place = Place::new("operand_forms", SCHEMA, PERMISSIONS).await?;
    let name = "x".repeat(200);
    let conditions: Vec<String> = (0..100).map(|number| format!(r#"{{name: {{_eq: "{name}{number}"}}}}"#)).collect();
    let translation = place.translate("all", &items(&format!("_or: [{}]", conditions.join(", "))))?;
    let statement = statement(&translation)?;
    assert_eq!((statement.literals.len(), statement.parameters.len()), (20, 80));
    Ok(())
}
