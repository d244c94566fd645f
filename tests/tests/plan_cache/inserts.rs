//! Tests the cache key of inserted rows in variables: it depends on which columns the rows contain,
//! not on their number or values.

use std::cell::RefCell;

use serde_json::{Map, Value as Json, json};
use sql::ErrorKind;
use tests::choices::{self, Choices};
use tests::fixture::Fixture;
use tests::request::{Failure, Request};

use crate::plan_cache::Cache;

/// Rows as a whole list, nested, one by one, and by their values.
const DOCUMENT: &str = r"
mutation (
  $projects: [projects_insert_input!]!, $conflict: projects_on_conflict, $task: tasks_insert_input!, $tasks: [tasks_insert_input!]!,
  $notes: tasks_arr_rel_insert_input, $title: String, $place: Int, $owner: accounts_obj_rel_insert_input
) {
  insertProjects(objects: $projects, on_conflict: $conflict) { affected_rows returning { id } }
  insertTasks(objects: [$task, {title: $title, place: $place}, {title: $title, place: 1}]) { affected_rows }
  more: insertProjects(objects: [{name: $title, owner: $owner, tasks: {data: $tasks}}, {name: $title, owner: $owner, tasks: $notes}]) { affected_rows }
}";

#[test]
fn rows_with_equal_columns_share_a_statement() {
    let fixture = Fixture::saved().map_err(|error| error.to_string());
    let cache = RefCell::new(Cache::default());
    let outcome = fixture.and_then(|fixture| {
        choices::check(400, |choices| {
            let access = fixture.access("owner").ok_or("no role")?;
            let given = variables(choices);
            for (index, variables) in [given.clone(), grown(&given), revalued(&given)]
                .into_iter()
                .enumerate()
            {
                match Request::new(DOCUMENT)
                    .variables(variables)
                    .translate(access)
                {
                    Ok(fresh) => {
                        let mut cache = cache.borrow_mut();
                        let hits = cache.hits;
                        cache.ask(fresh)?;
                        if index > 0 && cache.hits == hits {
                            return Err(format!("{given}\nits like is not found"));
                        }
                    }
                    // Columns that a relation also sets, or `on_conflict` arguments that differ
                    // between rows.
                    Err(Failure::Request(error))
                        if matches!(
                            error.kind(),
                            ErrorKind::ValidationFailed | ErrorKind::NotSupported
                        ) => {}
                    Err(error) => return Err(error.to_string()),
                }
            }
            Ok(())
        })
    });
    assert_eq!(outcome, Ok(()));
    let cache = cache.into_inner();
    assert!(
        cache.hits > 300 && cache.found.len() > 20,
        "{} hits, {} statements",
        cache.hits,
        cache.found.len()
    );
}

fn variables(choices: &mut Choices<'_>) -> Json {
    let mut variables = json!({
        "projects": several(choices, |choices| project(choices, 2)),
        "task": task(choices, 1),
        "tasks": several(choices, |choices| task(choices, 1)),
    });
    for name in ["title", "place", "notes", "owner", "conflict"] {
        let value = match (choices.below(3), name) {
            (0, _) => continue,
            (1, _) => Json::Null,
            (_, "title") => json!("t"),
            (_, "place") => json!(choices.below(9)),
            (_, "notes") => json!({ "data": several(choices, |choices| task(choices, 1)) }),
            (_, "owner") => account(choices),
            _ => conflict(choices, "projects_pkey", "budget"),
        };
        variables[name] = value;
    }
    variables
}

/// A list, or a single item.
fn several(choices: &mut Choices<'_>, one: impl Fn(&mut Choices<'_>) -> Json) -> Json {
    match choices.below(5) {
        0 => one(choices),
        length => (1..length).map(|_| one(choices)).collect(),
    }
}

/// Some of these, in some order.
fn some(choices: &mut Choices<'_>, members: &[(&str, Json)]) -> Json {
    let mut row = Map::new();
    for _ in 0..choices.below(members.len() + 1) {
        if let Some((name, value)) = choices.pick(members) {
            let null = choices.percent(20);
            row.insert(
                (*name).to_owned(),
                if null { Json::Null } else { value.clone() },
            );
        }
    }
    Json::Object(row)
}

fn project(choices: &mut Choices<'_>, depth: usize) -> Json {
    let mut members = vec![
        ("name", json!("p")),
        ("ownerId", json!(1)),
        ("spent", json!(1)),
        ("budget", json!(5)),
    ];
    if depth > 0 {
        members.push((
            "tasks",
            json!({ "data": several(choices, |choices| task(choices, depth - 1)) }),
        ));
        members.push(("owner", account(choices)));
    }
    some(choices, &members)
}

fn task(choices: &mut Choices<'_>, depth: usize) -> Json {
    let mut members = vec![
        ("title", json!("t")),
        ("place", json!(3)),
        ("done", json!(choices.percent(50))),
    ];
    if depth > 0 {
        let note = |choices: &mut Choices<'_>| {
            some(choices, &[("body", json!("b")), ("authorId", json!(1))])
        };
        members.push(("notes", json!({ "data": several(choices, note) })));
        members.push(("project", json!({ "data": project(choices, 0) })));
        members.push(("assignee", account(choices)));
    }
    some(choices, &members)
}

fn account(choices: &mut Choices<'_>) -> Json {
    let mut account = json!({ "data": some(choices, &[("id", json!(7)), ("name", json!("a"))]) });
    if choices.percent(30) {
        account["on_conflict"] = conflict(choices, "accounts_pkey", "name");
    }
    account
}

fn conflict(choices: &mut Choices<'_>, constraint: &str, column: &str) -> Json {
    match choices.below(3) {
        0 => json!({ "constraint": constraint }),
        1 => json!({ "constraint": constraint, "update_columns": column }),
        _ => {
            json!({ "constraint": constraint, "update_columns": [column], "where": {"id": {"_gt": choices.below(9)}} })
        }
    }
}

/// The value with existing rows repeated, which does not change the statement.
fn grown(value: &Json) -> Json {
    match value {
        Json::Array(items) => items
            .iter()
            .flat_map(|item| {
                if item.is_object() {
                    vec![item, item]
                } else {
                    vec![item]
                }
            })
            .map(grown)
            .collect(),
        Json::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), grown(value)))
            .collect(),
        other => other.clone(),
    }
}

/// The value with other scalars; some of the nullable ones become null.
fn revalued(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(revalued).collect(),
        Json::Object(fields) => {
            let values = fields.iter().map(|(key, value)| {
                let value = match key.as_str() {
                    "name" | "body" => json!("other"),
                    "spent" | "budget" => Json::Null,
                    "assignee" | "tasks" | "notes" | "data" => revalued(value),
                    _ if value.is_boolean() => Json::Null,
                    _ => revalued(value),
                };
                (key.clone(), value)
            });
            Json::Object(values.collect())
        }
        other => other.clone(),
    }
}
