//! Tests conditions whose literals need a form of their own in a rule, prepared and run by
//! Postgres.

use import::{Options, Outcome as Fate, Source};
use permissions::SourceFile;
use serde_json::{Value as Json, json};
use sql::model::names::Convention;
use tests::fixture;
use tests::request::Request;

use super::{Outcome, catalog};

const SCHEMA: &str = "
    CREATE TYPE cc AS (a int, b text);
    CREATE DOMAIN moment AS timestamptz;
    CREATE TABLE ev (id int PRIMARY KEY, at timestamptz, ts timestamp, d date, t time, tz timetz, m moment, note text,
        ats timestamptz[], c cc);
    INSERT INTO ev (id, at, ts, d, note, c) VALUES
        (1, now() + interval '1 day', localtimestamp + interval '1 day', current_date, 'now', NULL),
        (2, now() - interval '3 days', localtimestamp - interval '3 days', current_date - 1, 'today', ROW(NULL, NULL)),
        (3, current_date, current_date, current_date + 1, '', ROW(1, NULL));";

/// A condition, the SQL that it becomes, and the rows for which it is true.
fn cases() -> Vec<(Json, &'static str, &'static [i64])> {
    vec![
        (json!({"at": {"_gt": "now()"}}), "at > now()", &[1]),
        (json!({"at": {"_gt": " NOW "}}), "at > now()", &[1]),
        (
            json!({"at": {"_eq": "today"}}),
            "at = current_date::timestamptz",
            &[3],
        ),
        (
            json!({"at": {"_lt": "yesterday"}}),
            "at < (current_date - 1)::timestamptz",
            &[2],
        ),
        (
            json!({"at": {"_in": ["today", "2020-01-01"]}}),
            "at IN (current_date::timestamptz, '2020-01-01')",
            &[3],
        ),
        (json!({"ts": {"_gt": "now"}}), "ts > localtimestamp", &[1]),
        (
            json!({"ts": {"_gte": "tomorrow"}}),
            "ts >= (current_date + 1)::timestamp",
            &[1],
        ),
        (json!({"d": {"_eq": "today"}}), "d = current_date", &[1]),
        (json!({"d": {"_eq": "now()"}}), "d = current_date", &[1]),
        (
            json!({"d": {"_eq": "tomorrow"}}),
            "d = (current_date + 1)",
            &[3],
        ),
        (
            json!({"d": {"_nin": ["yesterday", "today"]}}),
            "d NOT IN ((current_date - 1), current_date)",
            &[3],
        ),
        (json!({"t": {"_gt": "now"}}), "t > localtime", &[]),
        (json!({"tz": {"_gt": "now"}}), "tz > current_time", &[]),
        (json!({"m": {"_gt": "now"}}), "m > now()", &[]),
        (
            json!({"ats": {"_contains": ["now", "2020-01-01"]}}),
            "ats @> ARRAY[now(), '2020-01-01']::timestamptz[]",
            &[],
        ),
        (json!({"note": {"_eq": "now"}}), "note = 'now'", &[1]),
        (
            json!({"at": {"_lt": "infinity"}}),
            "at < 'infinity'",
            &[1, 2, 3],
        ),
        (
            json!({"c": {"_is_null": true}}),
            "c IS NOT DISTINCT FROM NULL",
            &[1],
        ),
        (
            json!({"c": {"_is_null": false}}),
            "c IS DISTINCT FROM NULL",
            &[2, 3],
        ),
        (
            json!({"c": {"_eq": null}}),
            "c IS NOT DISTINCT FROM NULL",
            &[1],
        ),
        (json!({"at": {"_is_null": true}}), "at IS NULL", &[]),
    ]
}

fn metadata(permissions: &Json) -> String {
    let table = json!({"schema": "public", "name": "ev"});
    json!({"version": 3, "sources": [{"name": "default", "kind": "postgres",
        "tables": [{"table": table, "select_permissions": permissions,
            "insert_permissions": [{"role": "guarded", "permission": {"columns": ["id"],
                "check": {"_not": {"_exists": {"_table": table, "_where": {"note": {"_eq": "x"}}}}}}}]}],
        "configuration": {"connection_info": {"database_url": "x"}}}]})
    .to_string()
}

#[tokio::test]
async fn imported_literals_mean_the_moment_of_the_request() -> Outcome {
    let database = tests::create("import_literals", &[SCHEMA]).await?;
    let client = fixture::connect(&database).await?;
    let catalog = catalog(&client).await?;
    for (condition, sql, ids) in cases() {
        let permission =
            json!([{"role": "r", "permission": {"columns": ["id"], "filter": condition}}]);
        let imported = import::import(
            &Source::Document(metadata(&permission)),
            &catalog,
            &Options::default(),
        )?;
        let text = imported
            .files
            .iter()
            .find(|(name, _)| name == "permissions.toml")
            .ok_or("no file")?
            .1
            .clone();
        assert!(text.contains(&format!("\"{sql}\"")), "{condition}: {text}");
        let file = SourceFile::new("permissions.toml", text.as_str());
        let compiled = permissions::compile_with(&file, catalog.clone(), Convention::Snake);
        let compiled = compiled.map_err(|problems| permissions::render(&problems, &file, false))?;
        let request = Request::new("{ ev(order_by: {id: asc}) { id } }");
        let response = request
            .answer(&client, compiled.role("r").ok_or("no role")?)
            .await;
        let response_value: Json = serde_json::from_str(
            &response.map_err(|error| format!("{condition}: {error}\n{text}"))?,
        )?;
        let found: Vec<i64> = response_value["ev"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| row["id"].as_i64())
            .collect();
        assert_eq!(found, ids, "{condition}");
    }
    Ok(())
}

#[tokio::test]
async fn check_of_an_insert_that_reads_its_own_table_is_carried_over() -> Outcome {
    let database = tests::create("import_literals", &[SCHEMA]).await?;
    let catalog = catalog(&database.connect().await?).await?;
    let imported = import::import(
        &Source::Document(metadata(&json!([]))),
        &catalog,
        &Options::default(),
    )?;
    let entry = imported
        .report
        .entries()
        .iter()
        .find(|entry| entry.construct.contains("role guarded"));
    let outcome = &entry.ok_or("no entry")?.outcome;
    assert!(matches!(outcome, Fate::Carried), "{outcome:?}");
    Ok(())
}
