//! Tests enum tables over a live database: what introspection says about their values, and what
//! happens to a value that was added after the catalog was read. Tests the order of the labels of
//! Postgres' enums as well.

use serde_json::json;
use tests::fixture::{self, Fixture};
use tests::request::Request;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::test]
async fn enum_value_added_later_is_returned_but_not_accepted() -> Outcome {
    let database = fixture::database("enums").await?;
    let client = fixture::connect(&database).await?;
    let fixture = Fixture::new(fixture::catalog(&client).await?)?;
    let access = fixture.access("customer").ok_or("no role")?;
    client
        .batch_execute(
            "INSERT INTO colours VALUES ('pink', 4); UPDATE paints SET colour = \
                        'pink' WHERE id = 1",
        )
        .await?;
    let ask = async |document: &str| {
        Request::new(document)
            .session("user_id", "1")
            .answer(&client, access)
            .await
    };
    let response = ask("{ paints(where: {id: {_eq: 1}}) { colour undercoat } }").await?;
    let response_value: serde_json::Value = serde_json::from_str(&response)?;
    assert_eq!(
        response_value,
        json!({"paints": [{"colour": "pink", "undercoat": "blue"}]})
    );
    assert!(
        ask("{ paints(where: {colour: {_eq: pink}}) { id } }")
            .await
            .is_err()
    );
    Ok(())
}

#[tokio::test]
async fn enum_values_are_in_the_schema_of_roles_without_the_table() -> Outcome {
    let fixture = Fixture::saved()?;
    let sdl = |role: &str| {
        let access = fixture.access(role).ok_or("no role")?;
        Ok::<String, Box<dyn std::error::Error>>(sql::introspection::sdl(access))
    };
    let customer = sdl("customer")?;
    let shown = customer
        .split("enum colours_enum {")
        .nth(1)
        .and_then(|rest| rest.split('}').next());
    let shown = shown.ok_or("no enum")?;
    assert!(shown.contains("the colour of \"fire\""), "{shown}");
    let names: Vec<&str> = shown
        .lines()
        .map(str::trim)
        .filter(|line| ["blue", "dark_green", "red"].contains(line))
        .collect();
    assert_eq!(names, ["blue", "dark_green", "red"]);
    assert!(
        customer.contains("colour: colours_enum!")
            && customer.contains("undercoat: colours_enum\n")
    );
    assert!(customer.contains("_in: [colours_enum!]"));
    assert!(
        !customer.contains("type colours "),
        "the table is not the customer's"
    );
    assert!(
        !sdl("staff")?.contains("colours_enum"),
        "nothing of staff's is of that type"
    );
    Ok(())
}

#[tokio::test]
async fn enums_of_postgres_have_their_labels_in_the_order_of_postgres() -> Outcome {
    let fixture = Fixture::variant("typed_enums")?;
    let access = fixture.access("owner").ok_or("no role")?;
    let sdl = sql::introspection::sdl(access);
    let shown = sdl
        .split("enum mood {")
        .nth(1)
        .and_then(|rest| rest.split('}').next())
        .ok_or("no enum")?;
    let labels: Vec<&str> = shown.split_whitespace().collect();
    assert_eq!(labels, ["sad", "ok", "happy"]);
    for expected in [
        "mood: mood\n",
        "moods: [mood!]\n",
        "_in: [mood!]",
        "status: Order_Status!",
        "after: mood",
    ] {
        assert!(sdl.contains(expected), "{expected}: {sdl}");
    }
    assert!(
        !sdl.contains("enum Order_Status"),
        "one of its labels is no name"
    );
    // In Hasura's dialect they stay scalars.
    let hasura = Fixture::variant("hasura")?;
    let sdl = sql::introspection::sdl(hasura.access("admin").ok_or("no role")?);
    assert!(sdl.contains("scalar mood") && !sdl.contains("enum mood"));
    Ok(())
}
