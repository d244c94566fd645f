//! Tests which variables are hidden from the planner, and that Postgres then keeps one plan.

use serde_json::{Value as Json, json};

use super::{Outcome, Place, statement};

/// 20,000 things: ten of each parent and each owner, half of all with one tenant.
const SCHEMA: &str = "
CREATE TABLE things (
  id int PRIMARY KEY, parent_id int NOT NULL, owner_id int NOT NULL, tenant_id int NOT NULL, status text NOT NULL,
  is_open bool NOT NULL, price int NOT NULL, name text NOT NULL, note text NOT NULL, created_at timestamptz NOT NULL,
  day date NOT NULL);
INSERT INTO things
SELECT i, 1 + i % 2000, 1 + i % 1999, CASE WHEN i % 2 = 0 THEN 1 ELSE 2 + i % 9 END,
  CASE WHEN i / 2000 < 8 THEN 'active' WHEN i / 2000 = 8 THEN 'done' ELSE 'failed' END, i % 3 = 0, i % 1000, 'name ' || i, 'note', '2024-01-01'::timestamptz + i * interval '1 minute',
  '2024-01-01'::date + i % 500
FROM generate_series(1, 20000) i;
CREATE INDEX ON things (parent_id, created_at);
CREATE INDEX ON things (owner_id);
CREATE INDEX ON things (tenant_id, created_at);
CREATE INDEX ON things (price);
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

/// A condition with its variables, and its operands in the text.
const CONDITIONS: &[(&str, &str, &[&str])] = &[
    // The parent finds few rows, whoever it is; what is beside it only drops some.
    (
        "$p: Int!, $s: String!",
        "parent_id: {_eq: $p}, status: {_eq: $s}",
        &["(SELECT $1::int4)", "\"status\" = (SELECT $2::text)"],
    ),
    (
        "$p: Int!, $s: String!",
        "parent_id: {_eq: $p}, note: {_ilike: $s}",
        &["(SELECT $1::int4)", "~~* (SELECT $2::text)"],
    ),
    (
        "$p: Int!, $s: String!",
        "parent_id: {_eq: $p}, _not: {status: {_eq: $s}}",
        &["(SELECT $1::int4)", "\"status\" = (SELECT $2::text)"],
    ),
    ("$o: Int!, $s: String!", "owner_id: {_eq: $o}, status: {_gt: $s}", &["(SELECT $1::int4)", "> (SELECT $2::text)"]),
    (
        "$p: Int!, $d: [date!]!",
        "parent_id: {_eq: $p}, day: {_between: $d}",
        &["(SELECT $1::int4)", ">= ($2::date[])[1]"],
    ),
    // One index serves both.
    (
        "$p: Int!, $c: timestamptz!",
        "parent_id: {_eq: $p}, created_at: {_gt: $c}",
        &["(SELECT $1::int4)", "> (SELECT $2::timestamptz)"],
    ),
    // Another index may serve better.
    ("$p: Int!, $x: Int!", "parent_id: {_eq: $p}, price: {_lt: $x}", &["(SELECT $1::int4)", "\"price\" < $2::int4"]),
    ("$p: Int!, $n: String!", "parent_id: {_eq: $p}, name: {_like: $n}", &["\"name\" ~~ $2::text"]),
    ("$p: Int!, $b: Boolean!", "parent_id: {_eq: $p}, is_open: {_eq: $b}", &["\"is_open\" = $2::bool"]),
    (
        "$p: Int!, $s: String!, $x: Int!",
        "parent_id: {_eq: $p}, _or: [{status: {_eq: $s}}, {price: {_eq: $x}}]",
        &["\"status\" = (SELECT $2::text)", "\"price\" = $3::int4"],
    ),
    // The value decides: it is frequent or rare, or only a part of the order may have it.
    (
        "$t: Int!, $s: String!",
        "tenant_id: {_eq: $t}, status: {_eq: $s}",
        &["\"tenant_id\" = $1::int4", "\"status\" = $2::text"],
    ),
    ("$s: String!", "status: {_eq: $s}", &["\"status\" = $1::text"]),
    // All plans find the row by its key.
    ("$i: Int!, $s: String!", "id: {_eq: $i}, status: {_eq: $s}", &["\"id\" = $1::int4", "\"status\" = $2::text"]),
    // The planner hashes a list that it sees.
    ("$p: Int!, $l: [String!]!", "parent_id: {_eq: $p}, status: {_in: $l}", &["ANY ($2::text[])"]),
];

fn text_of(place: &Place, role: &str, document: &str) -> Outcome<String> {
    Ok(statement(&place.translate_with(role, document, values())?)?.text.clone())
}

/// Values for all variables.
fn values() -> Json {
    json!({"p": 7, "s": "active", "o": 7, "d": ["2024-01-01", "2024-02-01"], "c": "2024-01-01T00:00:00Z", "x": 5, "n": "a%",
        "b": true, "t": 1, "i": 7, "l": ["active"]})
}

fn page(variables: &str, condition: &str) -> String {
    format!(
        "query ({variables}) {{ things(where: {{{condition}}}, order_by: {{created_at: desc}}, limit: 2) {{ id }} }}"
    )
}

#[tokio::test]
async fn variables_that_decide_no_access_path_are_hidden() -> Outcome {
    let place = Place::new("veils", SCHEMA, PERMISSIONS).await?;
    for (variables, condition, operands) in CONDITIONS {
        let text = text_of(&place, "all", &page(variables, condition))?;
        for operand in *operands {
            assert!(text.contains(operand), "{condition}: {operand} is not in {text}");
        }
    }
    // Beside a row rule, too.
    let (variables, condition, operands) = CONDITIONS[0];
    let text = text_of(&place, "some", &page(variables, condition))?;
    assert!(text.contains("\"status\" = (SELECT $3::text)") && operands.len() == 2, "{text}");
    // A list without a small limit takes longer to run than to plan.
    let document = format!("query ({variables}) {{ things(where: {{{condition}}}) {{ id }} }}");
    assert!(!text_of(&place, "all", &document)?.contains("SELECT $"));
    Ok(())
}

/// The first calls are for a value that is more frequent than others, so the plan for it looks cheaper than one for
/// all.
#[tokio::test]
async fn postgres_keeps_one_plan_of_a_page() -> Outcome {
    let place = Place::new("veils", SCHEMA, PERMISSIONS).await?;
    let (variables, condition, _) = CONDITIONS[0];
    let text = text_of(&place, "all", &page(variables, condition))?;
    let visible = text.replace("(SELECT $1::int4)", "$1::int4").replace("(SELECT $2::text)", "$2::text");
    for (name, text, is_kept) in [("hidden", &text, true), ("visible", &visible, false)] {
        place.client.batch_execute(&format!("PREPARE {name} (int4, text) AS {text}")).await?;
        for _ in 0..6 {
            place.client.batch_execute(&format!("EXECUTE {name} (7, 'active')")).await?;
        }
        let rows = place.client.query(&format!("EXPLAIN (COSTS OFF) EXECUTE {name} (7, 'active')"), &[]).await?;
        let plan = rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n");
        assert!(plan.contains("parent_id_created_at"), "{plan}");
        assert_eq!(!plan.contains("'active'"), is_kept, "{plan}");
    }
    Ok(())
}

#[tokio::test]
async fn list_by_a_pattern_is_planned_for_its_value() -> Outcome {
    let place = Place::new("veils", SCHEMA, PERMISSIONS).await?;
    let needs_values = |role: &str, document: &str| -> Outcome<bool> {
        Ok(statement(&place.translate_with(role, document, values())?)?.needs_values)
    };
    for (variables, condition, expected) in [
        ("$n: String!", "name: {_like: $n}", true),
        ("$n: String!", "_or: [{name: {_ilike: $n}}, {status: {_eq: \"odd\"}}]", true),
        ("$n: String!, $t: Int!", "name: {_like: $n}, tenant_id: {_eq: $t}", true),
        // No index serves the pattern, or another condition finds few rows.
        ("$n: String!", "note: {_like: $n}", false),
        ("$n: String!, $p: Int!", "name: {_like: $n}, parent_id: {_eq: $p}", false),
        ("$n: String!, $i: Int!", "name: {_like: $n}, id: {_eq: $i}", false),
        // No index serves a negation.
        ("$n: String!", "_not: {name: {_like: $n}}", false),
        // The planner has estimates for these.
        ("$n: String!", "name: {_eq: $n}", false),
        ("$n: String!", "name: {_gt: $n}", false),
    ] {
        assert_eq!(needs_values("all", &page(variables, condition))?, expected, "{condition}");
    }
    let (variables, condition) = ("$n: String!", "name: {_like: $n}");
    // Plans for values would compare them with the statistics of hidden rows, of any table of the statement.
    assert!(!needs_values("some", &page(variables, condition))?);
    let list = format!("things(where: {{{condition}}}, limit: 2) {{ id }}");
    assert!(needs_values("all", &format!("query ({variables}) {{ {list} more: {list} }}"))?);
    assert!(!needs_values("all", &format!("query ({variables}) {{ {list} secrets {{ id }} }}"))?);
    let unlimited = format!("query ({variables}) {{ things(where: {{{condition}}}) {{ id }} }}");
    assert!(!needs_values("all", &unlimited)?);
    Ok(())
}
