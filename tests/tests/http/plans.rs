//! Tests which plans Postgres makes of the statements that the gateway has prepared.

use serde_json::{Value, json};
use tests::fixture;

use super::service::{Service, send};

/// Every row has the same chance to be found by a pattern, so a plan for all patterns walks along
/// `created_at`.
const TABLES: &str = "\
                      CREATE TABLE things (id int PRIMARY KEY, name text NOT NULL, created_at \
                      int NOT NULL); \
                      INSERT INTO things SELECT g, md5(g::text), g FROM generate_series(1, \
                      50000) g; \
                      CREATE INDEX ON things (name text_pattern_ops); CREATE INDEX ON things \
                      (created_at); \
                      CREATE VIEW plans AS SELECT statement, custom_plans::int, \
                      generic_plans::int FROM pg_prepared_statements; \
                      ANALYZE;";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[table.things.role.reader]
select = { columns = "*", rows = "true" }
[table.plans.role.reader]
select = { columns = "*", rows = "true" }
"#;

/// All requests share one connection.
const SETTINGS: &str = "pool_size = 1\nread_group_connections = 0\n";

const LIST: &str = "query ($p: String!) {
    things(where: {name: {_like: $p}}, order_by: {created_at: desc}, limit: 20) { id name }
}";

async fn find(service: &Service, pattern: &str) -> Value {
    send(
        service
            .reader()
            .json(&json!({"query": LIST, "variables": {"p": pattern}})),
    )
    .await
    .data()
}

#[tokio::test]
async fn list_by_a_pattern_never_gets_a_plan_for_all_values() {
    if fixture::features().await.unwrap().version < 14 {
        eprintln!("skipped: Postgres 13 does not count the plans of prepared statements");
        return;
    }
    let service = Service::of_tables(TABLES, PERMISSIONS, SETTINGS).await;
    for number in 0..23 {
        let prefix = format!("{number:02x}");
        let found = find(&service, &format!("{prefix}%")).await;
        let rows = found["things"].as_array().unwrap();
        assert!(
            rows.len() == 20
                && rows
                    .iter()
                    .all(|row| row["name"].as_str().unwrap().starts_with(&prefix)),
            "{found}"
        );
    }
    let plans = service
        .ask("{ plans { statement custom_plans generic_plans } }")
        .await
        .data();
    let of_list = |plan: &&Value| plan["statement"].as_str().unwrap().contains("~~");
    let counts: Vec<_> = plans["plans"]
        .as_array()
        .unwrap()
        .iter()
        .filter(of_list)
        .collect();
    // Five executions for each of four statements; the fifth is the only one that is open.
    assert_eq!(counts.len(), 1, "{plans}");
    assert_eq!(
        (&counts[0]["custom_plans"], &counts[0]["generic_plans"]),
        (&json!(3), &json!(0)),
        "{plans}"
    );
}
