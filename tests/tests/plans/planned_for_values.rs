//! Tests which lists Postgres plans for the values at hand at each execution.

use std::sync::Arc;

use permissions::{Permissions, SourceFile};
use serde_json::json;
use sql::postgres::catalog::{Catalog, QUERY};
use tests::fixture;
use tests::request::Request;

use super::Outcome;

/// 20,000 things: ten of each parent, half of all with one tenant, two that failed.
const SCHEMA: &str = "
CREATE TABLE things (
  id int PRIMARY KEY, parent_id int NOT NULL, tenant_id int NOT NULL, status text NOT NULL, is_open bool NOT NULL,
  price int NOT NULL, name text NOT NULL, note text NOT NULL, created_at timestamptz NOT NULL);
INSERT INTO things
SELECT i, 1 + i % 2000, CASE WHEN i % 2 = 0 THEN 1 ELSE 2 + i % 9 END,
  CASE WHEN i IN (7, 9) THEN 'failed' ELSE 'active' END, i % 3 = 0, i % 10, 'name ' || i, 'note', '2024-01-01'::timestamptz + i * interval '1 minute'
FROM generate_series(1, 20000) i;
CREATE INDEX ON things (parent_id, created_at);
CREATE INDEX ON things (tenant_id, created_at);
CREATE INDEX ON things (status);
CREATE INDEX ON things (price);
CREATE INDEX ON things (created_at);
CREATE INDEX ON things (name text_pattern_ops);
CREATE INDEX ON things (id) WHERE is_open;
CREATE TABLE secrets (id int PRIMARY KEY);
ANALYZE things;";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int4"

[table.things.role]
all.select = { columns = "*", rows = "true" }
some.select = { columns = "*", rows = "tenant_id = session.user_id" }

[table.secrets.role]
all.select = { columns = "*", rows = "id = session.user_id" }
"#;

/// Conditions, and whether a list with a small limit is planned for their values.
const CONDITIONS: &[(&str, bool)] = &[
    // A pattern, of whose rows the planner knows nothing without its value.
    ("name: {_like: $n}", true),
    (r#"_or: [{name: {_ilike: $n}}, {note: {_eq: "odd"}}]"#, true),
    ("name: {_like: $n}, tenant_id: {_eq: $t}", true),
    // A constant that may be rare.
    (r#"status: {_eq: "failed"}"#, true),
    (r#"status: {_in: ["failed", "odd"]}"#, true),
    ("price: {_gt: 8}", true),
    ("is_open: {_eq: true}", true),
    (r#"status: {_eq: "failed"}, tenant_id: {_eq: $t}"#, true),
    // Postgres has an estimate for a variable, and decides.
    ("status: {_eq: $n}", false),
    ("price: {_gt: $t}", false),
    // An index has the rows of a tenant in the order of the list.
    ("tenant_id: {_eq: 1}", false),
    // No index serves the condition.
    ("note: {_like: $n}", false),
    (r#"note: {_eq: "odd"}"#, false),
    ("_not: {name: {_like: $n}}", false),
    (r#"_not: {status: {_eq: "failed"}}"#, false),
    // Another condition finds few rows, whatever its value is.
    ("name: {_like: $n}, parent_id: {_eq: $t}", false),
    (r#"status: {_eq: "failed"}, parent_id: {_eq: $t}"#, false),
    ("name: {_like: $n}, id: {_eq: $t}", false),
];

struct Statements(Permissions);

impl Statements {
    fn needs_values(&self, role: &str, roots: &str) -> Outcome<bool> {
        let access = self.0.role(role).ok_or("no such role")?;
        let variables = [("$n", "String!"), ("$t", "Int!")];
        let declared = variables.iter().filter(|(name, _)| roots.contains(name));
        let declared: Vec<String> = declared
            .map(|(name, kind)| format!("{name}: {kind}"))
            .collect();
        let declared = if declared.is_empty() {
            String::new()
        } else {
            format!("({})", declared.join(", "))
        };
        let document = format!("query {declared} {{ {roots} }}");
        let request = Request::new(&document)
            .session("user_id", "1")
            .variables(json!({"n": "a%", "t": 1}));
        let translated = request
            .translate(access)
            .map_err(|error| format!("{document}: {error}"))?;
        Ok(translated
            .translation
            .kind
            .statement()
            .ok_or("no statement")?
            .needs_values)
    }
}

fn page(condition: &str) -> String {
    format!("things(where: {{{condition}}}, order_by: {{created_at: desc}}, limit: 2) {{ id }}")
}

#[tokio::test]
async fn lists_whose_values_may_be_rare_are_planned_for_them() -> Outcome {
    let database = tests::create("planned_for_values", &[SCHEMA]).await?;
    let client = fixture::connect(&database).await?;
    let catalog = Arc::new(Catalog::decode(
        &client.query_one(QUERY, &[]).await?.get::<_, String>(0),
    )?);
    let file = SourceFile::new("permissions.toml", PERMISSIONS);
    let permissions = permissions::compile(&file, catalog)
        .map_err(|problems| permissions::render(&problems, &file, false).to_string())?;
    let statements = Statements(permissions);
    for (condition, expected) in CONDITIONS {
        assert_eq!(
            statements.needs_values("all", &page(condition))?,
            *expected,
            "{condition}"
        );
        // Plans for values would compare them with the statistics of hidden rows.
        assert!(
            !statements.needs_values("some", &page(condition))?,
            "{condition}"
        );
        let beside_hidden = format!("{} secrets {{ id }}", page(condition));
        assert!(
            !statements.needs_values("all", &beside_hidden)?,
            "{condition}"
        );
        // Nothing makes the plan for all values of a list without a limit look cheaper than it is.
        let unlimited = format!("things(where: {{{condition}}}) {{ id }}");
        assert!(!statements.needs_values("all", &unlimited)?, "{condition}");
    }
    let two = format!(
        "{} more: {}",
        page("name: {_like: $n}"),
        page("name: {_like: $n}")
    );
    assert!(statements.needs_values("all", &two)?);
    Ok(())
}
