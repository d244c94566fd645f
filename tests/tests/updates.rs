//! Tests updates and deletes on Postgres: they give equal results with both kinds of plans, use the
//! existing indexes, and are correct on rows that another session is changing.

use std::path::Path;
use std::time::Duration;

use sql::{ErrorKind, TranslationKind};
use tests::case::{self, Case};
use tests::fixture::{self, Fixture};
use tests::golden;
use tests::request::{Failure, Request};
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The folders of golden cases that write.
const FOLDERS: [&str; 4] = ["update_sql", "delete_sql", "returning", "related"];

/// With custom and generic plans hidden rows stay hidden, and errors are equal.
#[tokio::test]
async fn custom_and_generic_plans_give_equal_results() -> Outcome {
    let database = fixture::database("updates_plans").await?;
    let client = fixture::connect(&database).await?;
    let fixture = Fixture::saved()?;
    let files = case::files()?;
    let is_case = |file: &&std::path::PathBuf| {
        file.extension().is_some_and(|ending| ending == "graphql")
            && FOLDERS.iter().any(|folder| file.starts_with(folder))
    };
    let mut cases = 0;
    let mut faults = Vec::new();
    for mode in ["force_generic_plan", "force_custom_plan"] {
        client
            .batch_execute(&format!("SET plan_cache_mode = {mode}"))
            .await?;
        for file in files.iter().filter(is_case) {
            let text = std::fs::read_to_string(case::folder().join(file))?;
            let case = Case::parse(&file.with_extension("").to_string_lossy(), &text)?;
            for role in &case.roles {
                client.batch_execute(fixture::RESTART).await?;
                let response = case
                    .request
                    .answer(&client, fixture.access(role).ok_or("no such role")?)
                    .await;
                faults
                    .extend(unlike(file, role, &response).map(|fault| format!("{mode}: {fault}")));
                cases += 1;
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(cases > 100, "{cases}");
    Ok(())
}

/// How a response differs from the golden one.
fn unlike(file: &Path, role: &str, response: &Result<String, Failure>) -> Option<String> {
    let path = case::folder().join(file.with_extension(format!("{role}.json")));
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    let found = golden::answer(response);
    (expected != found).then(|| format!("{} as {role}: {found}", file.display()))
}

// ---- indexes

/// The plan of each statement of a mutation, with its parameters inlined, with settings under which
/// no table is too small for its indexes.
async fn plans(client: &Client, role: &str, document: &str) -> Outcome<Vec<String>> {
    let fixture = Fixture::saved()?;
    let request = Request::new(document).session("user_id", "1");
    let translated = request.translate(fixture.access(role).ok_or("no such role")?)?;
    let TranslationKind::Mutation(mutation) = &translated.translation.kind else {
        return Err("no mutation".into());
    };
    let mut plans = Vec::new();
    for step in &mutation.steps {
        let given = request.bind(&step.statement, &translated.variables)?;
        let mut text = step.statement.text.clone();
        for (index, value) in given.iter().enumerate().rev() {
            let value = value.as_ref().map_or("NULL".to_owned(), |value| {
                format!("'{}'", value.replace('\'', "''"))
            });
            text = text.replace(&format!("${}::", index + 1), &format!("{value}::"));
        }
        let rows = client
            .query(&format!("EXPLAIN (COSTS OFF) {text}"), &[])
            .await?;
        plans.push(
            rows.iter()
                .map(|row| row.get::<_, String>(0))
                .collect::<Vec<_>>()
                .join("\n"),
        );
    }
    Ok(plans)
}

#[tokio::test]
async fn updates_and_deletes_use_indexes() -> Outcome {
    let database = fixture::database("updates_indexes").await?;
    let client = fixture::connect(&database).await?;
    client
        .batch_execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        .await?;
    for (role, document, indexes) in [
        (
            "owner",
            "mutation { updateTasksByPk(pk_columns: {id: 2}, _set: {place: 7}) { id place } }",
            &["tasks_pkey"][..],
        ),
        (
            "writer",
            "mutation { updateTasksByPk(pk_columns: {id: 2}, _set: {place: 7}) { id place } }",
            &["tasks_pkey"],
        ),
        (
            "writer",
            "mutation { updateTasksByPk(pk_columns: {id: 2}, if_match: {place: 2}, _set: {place: \
             7}) { id } }",
            &["tasks_pkey"],
        ),
        (
            "writer",
            "mutation { updateShelvesByPk(pk_columns: {id: 1}, _set: {label: \"x\"}) { id } }",
            &["shelves_pkey"],
        ),
        (
            "writer",
            "mutation { deleteTasksByPk(id: 2) { id place } }",
            &["tasks_pkey"],
        ),
        (
            "owner",
            "mutation { updateProjectsByPk(pk_columns: {id: 1}, _set: {code: \"x\"}, \
             _related: {tasks: {update: [{where: {}, _set: {place: 1}}]}}) { id } }",
            &[
                "projects_pkey",
                "tasks_project_id_title_key",
                "projects_pkey",
            ],
        ),
    ] {
        let found = plans(&client, role, document).await?;
        assert_eq!(found.len(), indexes.len(), "{document}");
        for (plan, index) in found.iter().zip(indexes) {
            assert!(
                plan.contains(&format!("using {index}")) && plan.contains("Index Cond"),
                "{document}\n{plan}"
            );
        }
    }
    Ok(())
}

// ---- concurrent changes

/// Runs a mutation as writer after another session has changed a row, waits until the mutation
/// waits for the row lock, and then commits the other session's change.
async fn meanwhile(name: &str, change: &str, document: &str) -> Outcome<Result<String, Failure>> {
    let database = fixture::database(name).await?;
    let other = fixture::connect(&database).await?;
    let client = fixture::connect(&database).await?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("writer").ok_or("no such role")?;
    other.batch_execute(&format!("BEGIN; {change}")).await?;
    let request = Request::new(document).session("user_id", "1");
    let commit = async {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                       AND wait_event_type = 'Lock'";
        while other.query_one(waiting, &[]).await?.get::<_, i64>(0) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        other.batch_execute("COMMIT").await
    };
    let (response, committed) = tokio::join!(request.answer(&client, access), commit);
    committed?;
    Ok(response)
}

fn kind(response: &Result<String, Failure>) -> Option<ErrorKind> {
    match response {
        Err(Failure::Request(error)) => Some(error.kind()),
        _ => None,
    }
}

#[tokio::test]
async fn concurrently_changed_row_does_not_match_if_match() -> Outcome {
    let document = "mutation { updateShelvesByPk(pk_columns: {id: 1}, if_match: {amount: 10}, \
                    _set: {note: \"n\"}) { id } }";
    let response = meanwhile(
        "updates_match",
        "UPDATE shelves SET amount = 11 WHERE id = 1",
        document,
    )
    .await?;
    assert_eq!(kind(&response), Some(ErrorKind::Conflict), "{response:?}");
    let response_value = meanwhile(
        "updates_match_other",
        "UPDATE shelves SET note = 'x' WHERE id = 1",
        document,
    )
    .await?;
    assert_eq!(response_value?, r#"{"updateShelvesByPk":{"id":1}}"#);
    let document = document.replace("note: \"n\"", "label: \"n\"");
    let reply_body = meanwhile(
        "updates_match_key",
        "UPDATE shelves SET amount = 11 WHERE id = 1",
        &document,
    )
    .await?;
    assert_eq!(
        kind(&reply_body),
        Some(ErrorKind::Conflict),
        "{reply_body:?}"
    );
    Ok(())
}

#[tokio::test]
async fn check_sees_the_concurrently_changed_row() -> Outcome {
    let change = "UPDATE shelves SET amount = 59 WHERE id = 1";
    for (name, set) in [
        ("updates_check", ""),
        ("updates_check_key", ", _set: {label: \"n\"}"),
    ] {
        let document = format!(
            "mutation {{ updateShelvesByPk(pk_columns: {{id: 1}}, _inc: \
                                {{amount: 5}}{set}) {{ id }} }}"
        );
        let response = meanwhile(name, change, &document).await?;
        assert_eq!(
            kind(&response),
            Some(ErrorKind::PermissionError),
            "{response:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn row_that_left_the_rule_is_not_updated() -> Outcome {
    let change = "UPDATE shelves SET amount = 0, owner_id = 2 WHERE id = 1";
    for (name, field) in [
        (
            "updates_gone",
            "updateShelves(where: {id: {_eq: 1}}, _set: {note: \"n\"}) { affected_rows }",
        ),
        (
            "updates_gone_raising",
            "updateShelves(where: {id: {_eq: 1}, label: {_like: \"%\"}}, _set: {note: \"n\"}) { \
             affected_rows }",
        ),
        (
            "updates_gone_match",
            "updateShelves(where: {id: {_eq: 1}}, if_match: {amount: 10}, _set: {note: \"n\"}) { \
             affected_rows }",
        ),
        (
            "updates_gone_key",
            "updateShelves(where: {id: {_eq: 1}}, _set: {label: \"n\"}) { affected_rows \
             returning { id } }",
        ),
    ] {
        let response =
            meanwhile(name, change, &format!("mutation {{ answer: {field} }}")).await??;
        assert!(
            response.starts_with(r#"{"answer":{"affected_rows":0"#),
            "{name}: {response}"
        );
    }
    let change = "UPDATE shelves SET owner_id = 2 WHERE id = 2";
    let document = "mutation { deleteShelves(where: {id: {_eq: 2}}) { affected_rows } }";
    let response_value = meanwhile("deletes_gone", change, document).await??;
    assert_eq!(response_value, r#"{"deleteShelves":{"affected_rows":0}}"#);
    Ok(())
}

// ---- hidden rows

/// Another role of the fixture, which sees only its own rows. Conditions raise errors on the rows
/// of others.
const OWN: &str = r#"
[table.traps.role.own]
select = { columns = "*", rows = "owner_id = session.user_id", aggregates = true, computed = ["number"] }
update = { columns = ["divisor"], rows = "owner_id = session.user_id" }
delete = { rows = "owner_id = session.user_id" }
[table.trap_view.role.own]
select = { columns = "*", rows = "owner_id = session.user_id", aggregates = true }
update = { columns = ["team_id"], rows = "owner_id = session.user_id" }
delete = { rows = "owner_id = session.user_id" }
[table.measurements.role.own]
select = { columns = "*", rows = "user_id = session.user_id", aggregates = true, computed = ["ratio", "strictRatio"] }
update = { columns = ["dividend"], rows = "user_id = session.user_id", check = "dividend / divisor < 100" }
delete = { rows = "user_id = session.user_id" }
"#;

/// Most rows are hidden, so that they dominate the planner's statistics.
const HIDDEN: &str = "
INSERT INTO traps SELECT 100 + n, 4, NULL, 0, 'seven', 'boom' FROM generate_series(1, 200) n;
INSERT INTO measurements SELECT 100 + n, 4, n, 0 FROM generate_series(1, 200) n;
SET fixture.calm = on; ANALYZE; RESET fixture.calm";

type Conditions = &'static [(&'static str, u32)];

/// Conditions on a table that raise errors on hidden rows, and how many rows of user 1 match each.
const RAISING: [(&str, &str, Conditions); 3] = [
    (
        "Traps",
        "divisor: 2",
        &[
            ("number: {_gt: 1}", 1),
            ("number: {_lt: 9}, id: {_gt: 0}", 2),
            ("touchy: {_eq: \"calm\"}", 1),
            ("touchy: {_gt: \"a\"}, divisor: {_lt: 50}", 1),
            ("_or: [{touchy: {_neq: \"calm\"}}, {number: {_eq: 7}}]", 2),
            ("_not: {number: {_gt: 1}}", 1),
            ("view: {share: {_eq: 100}}", 1),
            ("likeminded: {share: {_gt: 0}}", 1),
            (
                "likemindedAggregate: {count: {predicate: {_gte: 1}, filter: {share: {_gt: 0}}}}",
                1,
            ),
        ],
    ),
    (
        "TrapView",
        "teamId: 1",
        &[
            ("share: {_gt: 1}", 1),
            ("number: {_lt: 9}", 2),
            ("root: {_eq: 0}", 1),
            ("touchy: {_eq: \"calm\"}", 1),
        ],
    ),
    (
        "Measurements",
        "dividend: 9",
        &[
            ("ratio: {_gt: 1}", 1),
            ("strictRatio: {_lt: 100}, id: {_lt: 300}", 2),
        ],
    ),
];

#[tokio::test]
async fn conditions_are_not_evaluated_on_hidden_rows() -> Outcome {
    let database = fixture::database("updates_hidden").await?;
    let client = fixture::connect(&database).await?;
    client.batch_execute(HIDDEN).await?;
    let catalog = std::sync::Arc::new(fixture::catalog(&client).await?);
    let file =
        permissions::SourceFile::new("permissions.toml", format!("{}{OWN}", fixture::PERMISSIONS));
    let compiled = permissions::compile(&file, catalog);
    let compiled = compiled.map_err(|problems| permissions::render(&problems, &file, false))?;
    let access = compiled.role("own").ok_or("no such role")?;
    for mode in ["force_generic_plan", "force_custom_plan"] {
        client
            .batch_execute(&format!("SET plan_cache_mode = {mode}"))
            .await?;
        for (table, set, conditions) in RAISING {
            for (condition, rows) in conditions {
                let expected = format!(r#"{{"n":{{"affected_rows":{rows}}}}}"#);
                for field in [
                    format!("update{table}(where: {{{condition}}}, _set: {{{set}}})"),
                    format!(
                        "update{table}(where: {{{condition}}}, if_match: {{id: 1}}, _set: \
                             {{{set}}})"
                    ),
                    format!("delete{table}(where: {{{condition}}})"),
                ] {
                    let request =
                        Request::new(format!("mutation {{ n: {field} {{ affected_rows }} }}"));
                    let response = request
                        .session("user_id", "1")
                        .answer(&client, access)
                        .await;
                    // If another row than the first matches, the first does not.
                    if field.contains("if_match") && kind(&response) == Some(ErrorKind::Conflict) {
                        continue;
                    }
                    assert_eq!(
                        response.map_err(|error| format!("{mode} {field}: {error}"))?,
                        expected,
                        "{mode} {field}"
                    );
                }
            }
        }
    }
    Ok(())
}
