//! Tests that a row that fails its check gets an identical response whatever hidden row it
//! conflicts with or refers to: the check is evaluated before any constraint. Every mutation runs
//! on a database with the hidden rows and on one without them.

use std::sync::Arc;

use permissions::SourceFile;
use sql::Cause;
use sql::model::access::Access;
use sql::schema::{InputObject, Object, Schema};
use tests::database::TestDatabase;
use tests::fixture::{self, Fixture};
use tests::request::{Failure, Request};
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The caller is account 1. The rows of the other accounts are hidden, and conflict.
const HIDDEN: &str = r#"
DELETE FROM project_members WHERE account_id = 1 AND project_id NOT IN (1, 2);
UPDATE tasks SET assignee_id = 2 WHERE project_id NOT IN (1, 2);
INSERT INTO entries VALUES (2000, 2024, 2, 'hidden');
INSERT INTO accounts VALUES (9, 'hidden', 2);
"#;

/// Leaves only the caller's rows.
const ALONE: &str = r#"
DELETE FROM tasks WHERE project_id NOT IN (1, 2);
DELETE FROM projects WHERE owner_id <> 1;
DELETE FROM shelves WHERE owner_id <> 1;
DELETE FROM assets WHERE owner_id <> 1;
DELETE FROM bookings WHERE owner_id <> 1;
DELETE FROM entries WHERE owner_id <> 1;
DELETE FROM gadgets WHERE owner_id <> 1;
"#;

/// Mutations whose rows fail the role's check, and conflict with hidden rows: in a primary key, a
/// unique column, a unique index over an expression or over some rows, a deferred constraint, an
/// exclusion. Or they refer to hidden rows.
///
/// The mutations supply the columns that the check of `projects` reads: a trigger might fill in a
/// missing one, so the check could not be evaluated beforehand. A nested insert whose checks read
/// written rows runs level by level: a row that passes may conflict before the next level fails.
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
    client
        .batch_execute("SET fixture.calm = on; ANALYZE; RESET fixture.calm")
        .await?;
    Ok((database, client))
}

#[tokio::test]
async fn failed_check_reveals_nothing_about_hidden_rows() -> Outcome {
    let (_one, hidden) = made("hidden", "").await?;
    let (_other, alone) = made("alone", ALONE).await?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("writer").ok_or("no role")?;
    let mut faults = Vec::new();
    for plans in ["force_custom_plan", "force_generic_plan"] {
        for client in [&hidden, &alone] {
            client
                .batch_execute(&format!("SET plan_cache_mode = {plans}"))
                .await?;
        }
        for field in FAILING {
            let one = outcome(&hidden, access, field).await;
            let other = outcome(&alone, access, field).await;
            if one != other || one != "check" {
                faults.push(format!(
                    "{field}\n  with hidden rows    {one}\n  without them        {other}"
                ));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} differ\n{}",
        faults.len(),
        faults.join("\n")
    );
    Ok(())
}

/// The response as a client sees it, without the path of the error, which depends only on the
/// request.
async fn outcome(client: &Client, access: &Access, field: &str) -> String {
    let request = Request::new(format!("mutation {{ {field} }}")).session("user_id", "1");
    match request.answer(client, access).await {
        Ok(response) => response,
        Err(Failure::Request(error)) if error.cause == Cause::Check => "check".into(),
        Err(failure) => failure.to_string(),
    }
}

/// Mutations that neither change nor delete hidden rows, and do not reveal whether they exist.
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
async fn hidden_rows_are_neither_written_nor_revealed() -> Outcome {
    let (_one, hidden) = made("hidden", "").await?;
    let (_other, alone) = made("alone", ALONE).await?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("writer").ok_or("no role")?;
    let mut faults = Vec::new();
    for field in UNTOUCHED {
        let one = outcome(&hidden, access, field).await;
        let other = outcome(&alone, access, field).await;
        if one != other || !one.starts_with('{') {
            faults.push(format!(
                "{field}\n  with hidden rows    {one}\n  without them        {other}"
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "{} differ\n{}",
        faults.len(),
        faults.join("\n")
    );
    Ok(())
}

// ---- stored values that a write could read

/// Salaries that the roles below may not read, except that person 1 reads her own.
const STAFF: &str = r#"
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE staff (
  id int PRIMARY KEY, name text NOT NULL UNIQUE, team_id int REFERENCES teams, salary int NOT NULL, note text,
  tags jsonb NOT NULL DEFAULT '{}', marks int[] NOT NULL DEFAULT '{}'
);
INSERT INTO teams VALUES (1, 'north'), (2, 'south');
INSERT INTO staff (id, name, team_id, salary) VALUES (1, 'Ann', 1, 10), (2, 'Bob', 1, 1000), (3, 'Cid', 2, 1000), (4, 'Dee', NULL, 1000);
"#;

const STAFF_PERMISSIONS: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int"

[table.teams.role.narrow]
select = { columns = "*", rows = "true" }
update = { columns = ["name"], rows = "true" }

[table.staff.role.narrow]
select = { columns = "*", rows = "id = session.user_id" }
insert = { columns = "*", check = "true" }
update = { columns = "*", rows = "true" }
delete = { rows = "true" }

[table.staff.role.masked]
select = { columns = "*", rows = "true", mask = { salary = "0", tags = "'{}'", marks = "'{}'" } }
insert = { columns = "*", check = "true" }
update = { columns = "*", rows = "true" }
delete = { rows = "true" }

[table.staff.role.partial]
select = { columns = ["id", "name", "note"], rows = "true" }
insert = { columns = "*", check = "true" }
update = { columns = "*", rows = "true" }
delete = { rows = "true" }

[table.staff.role.counter]
select = { columns = ["salary", "name"], rows = "true", roots = ["aggregate", "group"], aggregates = { min_group = 3 } }
insert = { columns = "*", check = "true" }
update = { columns = "*", rows = "true" }
delete = { rows = "true" }

[table.staff.role.own]
select = { columns = "*", rows = "id = session.user_id" }

[table.staff.role.others]
select = { columns = ["id", "name"], rows = "true" }
update = { columns = ["salary", "note"], rows = "true" }

[role.heir]
inherits = ["own", "others"]
"#;

/// Mutations that could distinguish salaries of 1,000 from those of 2,000: by what they change, by
/// how many rows they change, or by whether they fail.
const READING: [&str; 24] = [
    "update_staff(where: {salary: {_gt: 1500}}, _set: {note: \"x\"}) { affected_rows }",
    "update_staff(where: {_not: {salary: {_gt: 1500}}}, _set: {note: \"x\"}) { affected_rows }",
    "update_staff(where: {_or: [{salary: {_gt: 1500}}, {salary: {_lt: 0}}]}, _set: {note: \
     \"x\"}) { affected_rows }",
    "update_staff(where: {id: {_eq: 2}, salary: {_gt: 1500}}, _set: {note: \"x\"}) { \
     affected_rows }",
    "update_staff(where: {id: {_eq: 2}}, _inc: {salary: 2147482147}) { affected_rows }",
    "update_staff(where: {}, _inc: {salary: 2147482147}) { affected_rows }",
    "update_staff(where: {}, _mul: {salary: 1431655}) { affected_rows }",
    "update_staff(where: {}, _inc: {salary: -2147485147}) { affected_rows }",
    "update_staff(where: {}, _set: {note: \"x\"}, if_match: {salary: 1000}) { affected_rows }",
    "update_staff_by_pk(pk_columns: {id: 2}, _set: {note: \"x\"}, if_match: {salary: 1000}) { id }",
    "update_staff_by_pk(pk_columns: {id: 2}, _inc: {salary: 2147482147}) { id }",
    "update_staff_many(updates: [{where: {salary: {_gt: 1500}}, _set: {note: \"x\"}}]) { \
     affected_rows }",
    "update_staff_many(updates: [{where: {}, _set: {note: \"x\"}}, {where: {}, _inc: {salary: \
     2147482147}}]) { affected_rows }",
    "delete_staff(where: {salary: {_gt: 1500}}) { affected_rows }",
    "delete_staff(where: {_and: [{name: {_like: \"%\"}}, {_not: {salary: {_lte: 1500}}}]}) { \
     affected_rows }",
    "insert_staff(objects: [{id: 2, name: \"Bob\", salary: 5}], on_conflict: {constraint: \
     staff_pkey, update_columns: [note], where: {salary: {_gt: 1500}}}) { affected_rows }",
    "insert_staff(objects: [{id: 9, name: \"Bob\", salary: 5}], on_conflict: {constraint: \
     staff_name_key, update_columns: [note], where: {_not: {salary: {_gt: 1500}}}}) { \
     affected_rows }",
    "update_teams(where: {}, _set: {name: \"x\"}, _related: {staff: {update: [{where: {salary: \
     {_gt: 1500}}, _set: {note: \"x\"}}]}}) { affected_rows }",
    "update_teams(where: {}, _set: {name: \"x\"}, _related: {staff: {update: [{where: {}, _inc: \
     {salary: 2147482147}}]}}) { affected_rows }",
    "update_teams(where: {}, _related: {staff: {delete: {where: {salary: {_gt: 1500}}}}}) { \
     affected_rows }",
    "update_teams(where: {id: {_eq: 1}}, _related: {staff: {unlink: {where: {salary: {_gt: \
     1500}}}}}) { affected_rows }",
    "update_teams(where: {id: {_eq: 1}}, _related: {staff: {link: {where: {salary: {_gt: \
     1500}}}}}) { affected_rows }",
    "update_teams(where: {staff: {salary: {_gt: 1500}}}, _set: {name: \"x\"}) { affected_rows }",
    "update_staff(where: {team: {staff: {salary: {_gt: 1500}}}}, _set: {note: \"x\"}) { \
     affected_rows }",
];

async fn staff(name: &str) -> Outcome<(TestDatabase, Client, permissions::Permissions)> {
    let database = tests::create(name, &[STAFF]).await?;
    let client = fixture::connect(&database).await?;
    let row = client.query_one(sql::postgres::catalog::QUERY, &[]).await?;
    let catalog = Arc::new(sql::postgres::catalog::Catalog::decode(row.get(0))?);
    let file = SourceFile::new("staff.toml", STAFF_PERMISSIONS);
    let compiled = permissions::compile(&file, catalog);
    let compiled = compiled.map_err(|problems| permissions::render(&problems, &file, false))?;
    Ok((database, client, compiled))
}

#[tokio::test]
async fn writes_do_not_depend_on_unreadable_values() -> Outcome {
    let (_database, client, compiled) = staff("staff").await?;
    let mut faults = Vec::new();
    let mut answered = 0;
    for plans in ["force_custom_plan", "force_generic_plan"] {
        client
            .batch_execute(&format!("SET plan_cache_mode = {plans}"))
            .await?;
        for role in ["narrow", "masked", "partial", "counter", "heir"] {
            let access = compiled.role(role).ok_or("no role")?;
            for field in READING {
                let mut responses = Vec::new();
                for salary in [1000, 2000] {
                    client
                        .batch_execute(&format!("UPDATE staff SET salary = {salary} WHERE id <> 1"))
                        .await?;
                    responses.push(outcome(&client, access, field).await);
                }
                answered += usize::from(responses[0].starts_with('{'));
                if responses[0] != responses[1] {
                    faults.push(format!(
                        "{role}: {field}\n  at 1000  {}\n  at 2000  {}",
                        responses[0], responses[1]
                    ));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} differ\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(answered > 60, "only {answered} were answered");
    Ok(())
}

#[tokio::test]
async fn readable_rows_are_found_and_changed() -> Outcome {
    let (_database, client, compiled) = staff("staffread").await?;
    let cases = [
        (
            "narrow",
            "update_staff(where: {salary: {_eq: 10}}, _inc: {salary: 5}) { returning { id salary \
             } }",
            r#"{"m":{"returning":[{"id":1,"salary":15}]}}"#,
        ),
        (
            "narrow",
            "update_staff(where: {}, _set: {note: \"x\"}) { affected_rows returning { id } }",
            r#"{"m":{"affected_rows":4,"returning":[{"id":1}]}}"#,
        ),
        (
            "narrow",
            "update_staff(where: {}, _inc: {salary: 1}) { affected_rows }",
            r#"{"m":{"affected_rows":1}}"#,
        ),
        (
            "narrow",
            "update_staff_by_pk(pk_columns: {id: 2}, _set: {note: \"x\"}) { id }",
            r#"{"m":null}"#,
        ),
        (
            "narrow",
            "delete_staff(where: {}) { affected_rows }",
            r#"{"m":{"affected_rows":4}}"#,
        ),
        (
            "narrow",
            "delete_staff(where: {salary: {_gt: 0}}) { affected_rows }",
            r#"{"m":{"affected_rows":1}}"#,
        ),
        (
            "narrow",
            "insert_staff(objects: [{id: 2, name: \"Bob\", salary: 5}], on_conflict: \
             {constraint: staff_pkey, update_columns: [salary]}) { affected_rows }",
            r#"{"m":{"affected_rows":1}}"#,
        ),
        (
            "masked",
            "update_staff(where: {salary: {_eq: 0}}, _set: {salary: 7}) { affected_rows }",
            r#"{"m":{"affected_rows":4}}"#,
        ),
        (
            "heir",
            "update_staff(where: {salary: {_eq: 10}}, _set: {note: \"x\"}) { affected_rows }",
            r#"{"m":{"affected_rows":1}}"#,
        ),
        (
            "heir",
            "update_staff(where: {salary: {_is_null: true}}, _set: {note: \"x\"}) { \
             affected_rows }",
            r#"{"m":{"affected_rows":3}}"#,
        ),
        (
            "counter",
            "update_staff(where: {}, _set: {note: \"x\"}) { affected_rows }",
            r#"{"m":{"affected_rows":4}}"#,
        ),
        (
            "counter",
            "update_staff(where: {salary: {_gt: 0}}, _set: {note: \"x\"}) { affected_rows }",
            r#"{"m":{"affected_rows":0}}"#,
        ),
    ];
    for (role, field, expected) in cases {
        let access = compiled.role(role).ok_or("no role")?;
        assert_eq!(
            outcome(&client, access, &format!("m: {field}")).await,
            expected,
            "{role}: {field}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn reading_update_operators_need_a_column_readable_as_stored() -> Outcome {
    let (_database, _client, compiled) = staff("staffschema").await?;
    let offered = |role: &str| -> Outcome<Vec<String>> {
        let schema = Schema::new(compiled.role(role).ok_or("no role")?);
        let update = schema
            .field(Object::Mutation, "update_staff")
            .ok_or("no field")?;
        let changes = update
            .arguments
            .iter()
            .filter(|argument| argument.name.starts_with('_'));
        let fields = changes.flat_map(|argument| match argument.r#type.named {
            sql::schema::TypeKey::Input(input @ InputObject::Assign(..)) => schema
                .input_fields(input)
                .into_iter()
                .map(|field| format!("{}.{}", argument.name, field.name))
                .collect(),
            _ => vec![],
        });
        Ok(fields.filter(|name| !name.starts_with("_set.")).collect())
    };
    assert!(offered("narrow")?.contains(&"_inc.salary".to_owned()));
    assert!(offered("narrow")?.contains(&"_append.tags".to_owned()));
    assert_eq!(
        offered("masked")?,
        ["_inc.id", "_inc.team_id", "_mul.id", "_mul.team_id"]
    );
    assert_eq!(offered("partial")?, ["_inc.id", "_mul.id"]);
    assert_eq!(offered("heir")?, Vec::<String>::new());
    assert_eq!(offered("counter")?, Vec::<String>::new());
    Ok(())
}
