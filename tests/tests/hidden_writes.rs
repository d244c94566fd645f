//! A row that fails its check gets the same answer whatever hidden row it collides with, or refers to: the check is judged
//! before any constraint. Every mutation is asked of a database with the hidden rows and of one without them.

use sql::Cause;
use sql::access::Access;
use tests::database::TestDatabase;
use tests::fixture::{self, Fixture};
use tests::request::{Failure, Request};
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The caller is account 1. What the others have is hidden, and collides.
const HIDDEN: &str = r#"
DELETE FROM project_members WHERE account_id = 1 AND project_id NOT IN (1, 2);
UPDATE tasks SET assignee_id = 2 WHERE project_id NOT IN (1, 2);
INSERT INTO entries VALUES (2000, 2024, 2, 'hidden');
INSERT INTO accounts VALUES (9, 'hidden', 2);
"#;

/// Nothing but the caller's.
const ALONE: &str = r#"
DELETE FROM tasks WHERE project_id NOT IN (1, 2);
DELETE FROM projects WHERE owner_id <> 1;
DELETE FROM shelves WHERE owner_id <> 1;
DELETE FROM assets WHERE owner_id <> 1;
DELETE FROM bookings WHERE owner_id <> 1;
DELETE FROM entries WHERE owner_id <> 1;
DELETE FROM gadgets WHERE owner_id <> 1;
"#;

/// Mutations whose rows fail the role's check, and collide with hidden rows: in a primary key, a unique column, a unique index
/// over an expression or over some rows, a deferred constraint, an exclusion. Or they refer to hidden rows.
///
/// What the check of `projects` reads is given: a trigger might fill it in, so without it nobody can tell before. And a nested
/// insert whose checks read what is written goes level by level: a row that passes may collide before the next level fails.
const FAILING: [&str; 46] = [
    // ---- inserts
    r#"insertProjects(objects: [{name: "cellar", spent: 901, budget: null}]) { affected_rows }"#,
    r#"insertProjects(objects: [{name: "fresh", spent: 0, budget: 1}, {name: "cellar", budget: 2, spent: 901}]) { affected_rows }"#,
    r#"insertProjects(objects: [{name: "cellar", spent: 0, budget: 1}, {name: "fresh", code: "f", budget: null, spent: 901}]) { affected_rows }"#,
    r#"insertProjects(objects: [{id: 3, name: "fresh", budget: 5, spent: 6}]) { affected_rows }"#,
    r#"insertProjects(objects: [{id: 3, name: "fresh", budget: 5, spent: 5}, {name: "a", budget: 5, spent: 6}]) { affected_rows }"#,
    r#"insertProjectsOne(object: {id: 3, name: "cellar", budget: 1, spent: 901}) { id }"#,
    r#"insertOpenProjects(objects: [{name: "cellar", budget: -1}]) { affected_rows }"#,
    r#"insertTasks(objects: [{projectId: 3, title: "dig"}]) { affected_rows }"#,
    r#"insertTasks(objects: [{projectId: 1, title: "dig"}, {projectId: 3, title: "drain"}]) { affected_rows }"#,
    r#"insertTasks(objects: [{id: 5, projectId: 1, title: "x", place: 100}]) { affected_rows }"#,
    r#"insertTasks(objects: [{projectId: 4, title: "none yet"}]) { affected_rows }"#,
    r#"insertTasks(objects: [{projectId: 77, title: "nowhere"}]) { affected_rows }"#,
    r#"insertProjectSettings(objects: [{projectId: 3}]) { affected_rows }"#,
    r#"insertProjectSettings(objects: [{projectId: 4}]) { affected_rows }"#,
    r#"insertProjectSettings(objects: [{projectId: 77}]) { affected_rows }"#,
    r#"insertProjectMembers(objects: [{projectId: 3, accountId: 2}]) { affected_rows }"#,
    r#"insertAccounts(objects: [{id: 9, name: "x"}]) { affected_rows }"#,
    r#"insertAccounts(objects: [{id: 8, name: "hidden"}]) { affected_rows }"#,
    r#"insertShelves(objects: [{id: 4, ownerId: 1, label: "x", amount: 100}]) { affected_rows }"#,
    r#"insertShelves(objects: [{id: 14, ownerId: 1, label: "hooks", amount: 100}]) { affected_rows }"#,
    r#"insertShelves(objects: [{id: 14, ownerId: 2, label: "hooks"}]) { affected_rows }"#,
    r#"insert_assets(objects: [{label: "bad", code: "AX-1"}]) { affected_rows }"#,
    r#"insertBookings(objects: [{id: 3, ownerId: 2, during: "[20,21)", seat: 3}]) { affected_rows }"#,
    r#"insertBookings(objects: [{id: 9, ownerId: 2, during: "[20,21)"}]) { affected_rows }"#,
    r#"insertEntries(objects: [{id: 2000, year: 2024}]) { affected_rows }"#,
    r#"insertGadgets(objects: [{ownerId: 2, gadgetName: "RADIO"}]) { affectedRows }"#,
    r#"insertGadgets(objects: [{ownerId: 2, gadgetName: "x", slot: 3}]) { affectedRows }"#,
    // ---- nested
    r#"insertProjects(objects: [{name: "cellar", budget: 1, spent: 901, tasks: {data: [{title: "x"}]}}]) { affected_rows }"#,
    r#"insertTasks(objects: [{id: 5, projectId: 1, title: "x", notes: {data: [{body: "bad"}]}}]) { affected_rows }"#,
    r#"insertTasks(objects: [{projectId: 1, title: "x"}, {id: 5, projectId: 1, title: "y", notes: {data: [{body: "fine"}, {body: "bad"}]}}]) { affected_rows }"#,
    r#"insertTasks(objects: [{title: "x", place: 100, project: {data: {name: "cellar", budget: 1, spent: 2}}}]) { affected_rows }"#,
    r#"insertTasksOne(object: {id: 5, title: "x", project: {data: {name: "fresh", budget: 2, spent: 901}}}) { id }"#,
    // ---- upserts
    r#"insertShelves(objects: [{id: 4, ownerId: 1, label: "x", amount: 100}], onConflict: {constraint: shelves_pkey}) { affected_rows }"#,
    r#"insertShelves(objects: [{id: 4, ownerId: 1, label: "x", amount: 100}], onConflict: {constraint: shelves_pkey, update_columns: [amount]}) { affected_rows }"#,
    r#"insertShelves(objects: [{id: 14, ownerId: 1, label: "hooks", amount: 100}], onConflict: {constraint: shelves_pkey, update_columns: [label]}) { affected_rows }"#,
    r#"insertShelves(objects: [{id: 1, ownerId: 1, label: "hooks", amount: 61}], onConflict: {constraint: shelves_pkey, update_columns: [label, amount]}) { affected_rows }"#,
    r#"insertShelves(objects: [{id: 1, ownerId: 1, label: "hooks", amount: 61}], onConflict: {constraint: shelves_pkey, update_columns: [label, amount], where: {amount: {_lt: 50}}}) { affected_rows }"#,
    r#"insertProjects(objects: [{id: 1, name: "cellar", budget: 1, spent: 901}], onConflict: {constraint: projects_pkey, update_columns: [name]}) { affected_rows }"#,
    // ---- updates
    r#"updateProjects(where: {id: {_eq: 1}}, _set: {name: "cellar", spent: 901}) { affected_rows }"#,
    r#"updateProjectsByPk(pk_columns: {id: 1}, _set: {name: "cellar", ownerId: 2}) { id }"#,
    r#"updateProjectsMany(updates: [{where: {id: {_eq: 1}}, _set: {name: "cellar", ownerId: 2}}]) { affected_rows }"#,
    r#"updateTasks(where: {id: {_eq: 1}}, _set: {projectId: 3, assigneeId: null, title: "drain"}) { affected_rows }"#,
    r#"updateShelves(where: {id: {_eq: 1}}, _set: {id: 4}, _inc: {amount: 60}) { affected_rows }"#,
    r#"updateBookings(where: {id: {_eq: 1}}, _set: {ownerId: 2, seat: 3}) { affected_rows }"#,
    r#"updateBookings(where: {id: {_eq: 1}}, _set: {ownerId: 2, during: "[20,21)"}) { affected_rows }"#,
    r#"updateGadgets(where: {id: {_eq: 1}}, _set: {ownerId: 2, gadgetName: "radio", slot: 3}) { affectedRows }"#,
];

async fn made(hint: &str, script: &str) -> Outcome<(TestDatabase, Client)> {
    let database = fixture::database(hint).await?;
    let client = fixture::connect(&database).await?;
    client.batch_execute(HIDDEN).await?;
    client.batch_execute(script).await?;
    client.batch_execute("SET fixture.calm = on; ANALYZE; RESET fixture.calm").await?;
    Ok((database, client))
}

#[tokio::test]
async fn a_failed_check_tells_nothing() -> Outcome {
    let (_one, hidden) = made("hidden", "").await?;
    let (_other, alone) = made("alone", ALONE).await?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("writer").ok_or("no role")?;
    let mut faults = Vec::new();
    for plans in ["force_custom_plan", "force_generic_plan"] {
        for client in [&hidden, &alone] {
            client.batch_execute(&format!("SET plan_cache_mode = {plans}")).await?;
        }
        for field in FAILING {
            let (one, other) = (asked(&hidden, access, field).await, asked(&alone, access, field).await);
            if one != other || one != "check" {
                faults.push(format!("{field}\n  with hidden rows    {one}\n  without them        {other}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} differ\n{}", faults.len(), faults.join("\n"));
    Ok(())
}

/// What a client could see of it, but for the place, which is in the request alone.
async fn asked(client: &Client, access: &Access, field: &str) -> String {
    let request = Request::new(format!("mutation {{ {field} }}")).session("user_id", "1");
    match request.answer(client, access).await {
        Ok(answer) => answer,
        Err(Failure::Request(error)) if error.cause == Cause::Check => "check".into(),
        Err(failure) => failure.to_string(),
    }
}

/// Hidden rows are neither changed nor deleted, and nobody can tell whether they are there.
const UNTOUCHED: [&str; 14] = [
    r#"updateProjects(where: {}, _set: {code: "x"}) { affected_rows returning { id } }"#,
    r#"updateProjects(where: {id: {_in: [3, 4, 5]}}, _set: {spent: 901}) { affected_rows returning { id } }"#,
    r#"updateProjectsByPk(pk_columns: {id: 3}, _set: {spent: 901}) { id }"#,
    r#"updateProjectsByPk(pk_columns: {id: 3}, _set: {name: "garden"}) { id }"#,
    r#"updateProjectsByPk(pk_columns: {id: 3}, _set: {code: "x"}, if_match: {version: 7}) { id }"#,
    r#"updateProjectsMany(updates: [{where: {id: {_eq: 3}}, _set: {code: "x"}}, {where: {}, _inc: {spent: 1}}]) { affected_rows }"#,
    r#"updateTasks(where: {project: {name: {_eq: "cellar"}}}, _set: {done: true}) { affected_rows }"#,
    r#"updateTasks(where: {_not: {project: {name: {_eq: "cellar"}}}}, _set: {done: true}) { affected_rows }"#,
    r#"updateTasks(where: {projectId: {_in: [1, 3, 5]}}, _inc: {place: 1}) { affected_rows returning { id } }"#,
    r#"deleteProjects(where: {id: {_gt: 2}}) { affected_rows }"#,
    r#"deleteProjectsByPk(id: 3) { id }"#,
    r#"deleteShelves(where: {}) { affected_rows returning { id label } }"#,
    r#"deleteTasks(where: {notes: {body: {_eq: "dark"}}}) { affected_rows returning { id } }"#,
    r#"deleteProjectMembersByPk(projectId: 3, accountId: 2) { role }"#,
];

#[tokio::test]
async fn hidden_rows_stay_and_are_not_told_of() -> Outcome {
    let (_one, hidden) = made("hidden", "").await?;
    let (_other, alone) = made("alone", ALONE).await?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("writer").ok_or("no role")?;
    let mut faults = Vec::new();
    for field in UNTOUCHED {
        let (one, other) = (asked(&hidden, access, field).await, asked(&alone, access, field).await);
        if one != other || !one.starts_with('{') {
            faults.push(format!("{field}\n  with hidden rows    {one}\n  without them        {other}"));
        }
    }
    assert!(faults.is_empty(), "{} differ\n{}", faults.len(), faults.join("\n"));
    Ok(())
}
