//! Tests that mutations give equal results with custom and with generic plans.

use std::path::Path;

use tests::case::{self, Case};
use tests::fixture::{self, Fixture};
use tests::golden;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The result of every golden case of a mutation, by its name and the role.
async fn answers(client: &Client, fixture: &Fixture, mode: &str) -> Outcome<Vec<(String, String)>> {
    client
        .batch_execute(&format!("SET plan_cache_mode = {mode}"))
        .await?;
    let mut responses = Vec::new();
    for file in case::files()?
        .iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "graphql"))
    {
        let text = std::fs::read_to_string(case::folder().join(file))?;
        let case = Case::parse(&name(file), &text)?;
        let writes = text.lines().any(|line| line.starts_with("mutation"));
        let other = case
            .permissions
            .as_deref()
            .map(Fixture::variant)
            .transpose()?;
        let fixture = other.as_ref().unwrap_or(fixture);
        for role in case.roles.iter().filter(|_| writes) {
            let access = fixture.access(role).ok_or("no such role")?;
            client.batch_execute(fixture::RESTART).await?;
            let response = golden::answer(&case.request.answer(client, access).await);
            responses.push((format!("{} as {role}", case.name), response));
        }
    }
    Ok(responses)
}

fn name(file: &Path) -> String {
    file.with_extension("").to_string_lossy().into_owned()
}

#[tokio::test]
async fn mutations_give_equal_results_with_custom_and_generic_plans() -> Outcome {
    let database = fixture::database("plan_modes").await?;
    let client = fixture::connect(&database).await?;
    let fixture = Fixture::saved()?;
    let custom = answers(&client, &fixture, "force_custom_plan").await?;
    let generic = answers(&client, &fixture, "force_generic_plan").await?;
    assert!(custom.len() > 50, "only {} answers", custom.len());
    for (one, other) in custom.iter().zip(&generic) {
        assert_eq!(one, other);
    }
    Ok(())
}
