//! Tests counts that the planner estimates: estimates where the role sees every row, exact counts
//! everywhere else.

use serde_json::Value as Json;
use sql::model::access::Access;
use tests::fixture::{self, Fixture};
use tests::request::Request;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Many rows of one user, then statistics, then more rows that the statistics do not include.
const ROWS: &str = r#"
INSERT INTO "or""ders" (id, user_id, status, placed_on) SELECT n, 1, 'open', '2024-01-01' FROM generate_series(1000, 30999) n;
ANALYZE "or""ders";
DELETE FROM "or""ders" WHERE id BETWEEN 1000 AND 1499;
"#;

#[tokio::test]
async fn planner_estimates_are_used_only_where_no_row_is_hidden() -> Outcome {
    let database = fixture::database("counts").await?;
    let client = fixture::connect(&database).await?;
    client.batch_execute(ROWS).await?;
    let fixture = Fixture::saved()?;
    let admin = fixture.access("admin").ok_or("no role")?;
    let exact = count(&client, admin, "exact", "{}").await?;
    let planned = count(&client, admin, "planned", "{}").await?;
    assert_eq!(exact, 29_506);
    assert!(planned > exact && planned < 31_000, "{planned}");
    assert_eq!(
        count(&client, admin, "estimated", "{}").await?,
        planned,
        "many rows are estimated"
    );

    // A condition is estimated with its value; few rows are counted.
    assert_eq!(
        count(&client, admin, "estimated", "{id: {_lt: 1600}}").await?,
        105
    );
    assert!(
        count(&client, admin, "planned", "{id: {_lt: 1600}}").await? > 300,
        "the planner knows nothing of the deleted"
    );

    // For a role that does not see all rows, they are counted.
    let customer = fixture.access("customer").ok_or("no role")?;
    for mode in ["exact", "planned", "estimated"] {
        assert_eq!(
            count(&client, customer, mode, "{}").await?,
            29_502,
            "{mode}"
        );
    }
    Ok(())
}

async fn count(client: &Client, access: &Access, mode: &str, condition: &str) -> Outcome<i64> {
    let document = format!(
        "{{ all: ordersAggregate(where: {condition}) {{ aggregate {{ count(mode: {mode}) }} }} }}"
    );
    let request = Request::new(document).session("user_id", "1");
    let response: Json = serde_json::from_str(&request.answer(client, access).await?)?;
    response["all"]["aggregate"]["count"]
        .as_i64()
        .ok_or_else(|| format!("no count: {response}").into())
}

/// Statistics include the rows that a policy hides, whoever the policy holds for.
#[tokio::test]
async fn tables_with_policies_are_counted_exactly() -> Outcome {
    let database = fixture::database("policy_counts").await?;
    let client = fixture::connect(&database).await?;
    client.batch_execute(ROWS).await?;
    client
        .batch_execute(r#"ALTER TABLE "or""ders" ENABLE ROW LEVEL SECURITY"#)
        .await?;
    let fixture = Fixture::new(fixture::catalog(&client).await?)?;
    let admin = fixture.access("admin").ok_or("no role")?;
    assert_eq!(count(&client, admin, "planned", "{}").await?, 29_506);
    assert_eq!(count(&client, admin, "estimated", "{}").await?, 29_506);
    Ok(())
}
