//! Tests the plans of Postgres for statements of roles that inherit and of views: they use the
//! indexes that a hand-written statement would use.

mod fences;
mod planned_for_values;

use serde_json::Value as Json;
use sql::statement::Parameter;
use tests::fixture::{self, Fixture};
use tests::request::Request;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The condition that `member_of(team)` expands to.
const MEMBER: &str =
    "EXISTS (SELECT FROM memberships m WHERE m.team_id = _0.team_id AND m.user_id = 1)";

/// The statement of a document with its parameters inlined, for user 1.
fn statement(fixture: &Fixture, role: &str, document: &str) -> Outcome<String> {
    let access = fixture.access(role).ok_or("no such role")?;
    let translated = Request::new(document)
        .session("user_id", "1")
        .translate(access)
        .map_err(|e| e.to_string())?;
    let statement = translated
        .translation
        .kind
        .statement()
        .ok_or("no statement")?;
    let mut text = statement.text.clone();
    for (index, parameter) in statement.parameters.iter().enumerate().rev() {
        let parameter = match parameter {
            Parameter::Pattern(pattern) => pattern,
            other => other,
        };
        let value = match parameter {
            Parameter::Constant(literal) => literal.text.as_str(),
            Parameter::Session { .. } => "1",
            Parameter::WholeSession | Parameter::Claims => "{}",
            _ => return Err("a value that is not known".into()),
        };
        text = text.replace(&format!("${}::", index + 1), &format!("'{value}'::"));
    }
    Ok(text)
}

async fn plan(client: &Client, statement: &str) -> Outcome<String> {
    let rows = client
        .query(&format!("EXPLAIN (COSTS OFF) {statement}"), &[])
        .await?;
    Ok(rows
        .iter()
        .map(|row| row.get::<_, String>(0))
        .collect::<Vec<_>>()
        .join("\n"))
}

/// Connects with settings under which no table is too small for its indexes.
async fn client(database: &tests::TestDatabase) -> Outcome<Client> {
    let client = fixture::connect(database).await?;
    client
        .batch_execute(
            "SET enable_seqscan = off; SET enable_bitmapscan = off; CREATE INDEX ON users (name)",
        )
        .await?;
    Ok(client)
}

#[tokio::test]
async fn inherited_rule_is_planned_like_a_hand_written_or() -> Outcome {
    let database = fixture::database("plans").await?;
    let client = client(&database).await?;
    let fixture = Fixture::saved()?;
    let document = "{ users(where: {id: {_in: [2, 3]}}) { id name } }";
    let found = plan(&client, &statement(&fixture, "lead", document)?).await?;
    let by_hand = format!(
        "SELECT _0.id, _0.name FROM users AS _0 WHERE (_0.id = 1 OR {MEMBER}) \
                           AND _0.id = ANY ('{{2,3}}'::int4[])"
    );
    assert_eq!(found, plan(&client, &by_hand).await?);
    assert!(found.contains("Index Scan using users_pkey"), "{found}");
    // Cell conditions do not change how rows are found.
    let cells = plan(
        &client,
        &statement(
            &fixture,
            "lead",
            "{ users(where: {id: {_in: [2, 3]}}) { id name email } }",
        )?,
    )
    .await?;
    assert_eq!(cells, found);
    Ok(())
}

#[tokio::test]
async fn conditions_on_view_columns_use_the_tables_indexes() -> Outcome {
    let database = fixture::database("view_plans").await?;
    let client = client(&database).await?;
    let fixture = Fixture::saved()?;
    for (document, index) in [
        (
            "{ teamUsers(where: {id: {_eq: 2}}) { id shout } }",
            "users_pkey",
        ),
        ("{ teamUsersByPk(id: 2) { called } }", "users_pkey"),
        (
            "{ teamUsers(where: {called: {_eq: \"Bob\"}}) { id } }",
            "users_name_idx",
        ),
        (
            "{ teamUserNames(where: {called: {_eq: \"Bob\"}}) { id } }",
            "users_name_idx",
        ),
    ] {
        let found = plan(&client, &statement(&fixture, "staff", document)?).await?;
        assert!(
            found.contains(&format!("Index Scan using {index}")) && found.contains("Index Cond"),
            "{document}\n{found}"
        );
    }
    Ok(())
}

/// A computed column of a view behind an object relation is not evaluated for rows that the rule
/// hides.
#[tokio::test]
async fn view_expressions_are_not_evaluated_for_hidden_rows() -> Outcome {
    let database = fixture::database("view_traps").await?;
    let client = fixture::connect(&database).await?;
    let access = Fixture::new(fixture::catalog(&client).await?)?;
    for role in ["customer", "staff"] {
        let access = access.access(role).ok_or("no such role")?;
        let document = "{ traps(order_by: {id: asc}) { id view { id share number } } }";
        let request = Request::new(document).session("user_id", "1");
        let response: Json = serde_json::from_str(&request.answer(&client, access).await?)?;
        let rows = response["traps"].as_array().ok_or("no rows")?;
        assert!(
            rows.iter().any(|row| row["view"]["share"].is_i64()),
            "{role} sees {rows:?}"
        );
    }
    Ok(())
}

/// Where no row is hidden, every kind of condition uses the index made for it.
#[tokio::test]
async fn operators_use_their_indexes() -> Outcome {
    let database = fixture::database("operator_plans").await?;
    let client = client(&database).await?;
    let fixture = Fixture::saved()?;
    client
        .batch_execute(
            "SET enable_bitmapscan = on; CREATE INDEX body_words ON items USING gin \
                        (to_tsvector('english', body)); \
                        CREATE INDEX item_words ON items USING gin (words); CREATE INDEX props \
                        ON products USING gin (attributes); \
                        CREATE INDEX tagged ON products USING gin (tags); CREATE INDEX placed ON \
                        \"or\"\"ders\" (placed_on, id)",
        )
        .await?;
    for (document, index) in [
        (
            "{ items(where: {body: {_fts: {query: \"fox\", config: \"english\"}}}) { id } }",
            "body_words",
        ),
        (
            "{ items(where: {words: {_fts: {query: \"fox\"}}}) { id } }",
            "item_words",
        ),
        (
            "{ products(where: {props: {_contains: {a: 1}}}) { id } }",
            "props",
        ),
        (
            "{ products(where: {props: {_has_keys_any: [\"a\", \"b\"]}}) { id } }",
            "props",
        ),
        (
            "{ products(where: {tags: {_overlaps: [\"a\"]}}) { id } }",
            "tagged",
        ),
        (
            "{ users(where: {name: {_between: [\"a\", \"b\"]}}) { id } }",
            "users_name_idx",
        ),
    ] {
        let found = plan(&client, &statement(&fixture, "admin", document)?).await?;
        assert!(
            found.contains(&format!("on {index}")) || found.contains(&format!("using {index}")),
            "{document}\n{found}"
        );
    }
    Ok(())
}

/// A page after a cursor starts with an index scan at the cursor, and is not sorted.
#[tokio::test]
async fn page_after_a_cursor_starts_in_the_index() -> Outcome {
    let database = fixture::database("page_plans").await?;
    let client = client(&database).await?;
    let fixture = Fixture::saved()?;
    client
        .batch_execute("CREATE INDEX placed ON \"or\"\"ders\" (placed_on, id)")
        .await?;
    let access = fixture.access("admin").ok_or("no such role")?;
    let document =
        "query ($c: String!) { orders(order_by: {placedOn: asc}, after: $c, limit: 10) { id } }";
    let translated = Request::new(document)
        .variables(serde_json::json!({"c": "x"}))
        .translate(access);
    let translated = translated.map_err(|error| error.to_string())?.translation;
    let statement = &translated.kind.statement().ok_or("no statement")?.text;
    let text = statement
        .replace("$1::", "'2024-01-05'::")
        .replace("$2::", "'10'::");
    let found = plan(&client, &text).await?;
    assert!(
        found.contains("using placed on")
            && found.contains("Index Cond: (ROW(placed_on, id) > ROW("),
        "{found}"
    );
    assert!(!found.contains("Sort"), "{found}");
    Ok(())
}
