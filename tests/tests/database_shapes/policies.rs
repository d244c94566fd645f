//! Tests that a relation is nullable in the schema wherever a row that it leads to may be hidden or
//! not there yet.

use serde_json::{Value, json};

use super::place::Place;

const TABLES: &str = "
    CREATE TABLE par (id int PRIMARY KEY, v int);
    CREATE TABLE ok (id int PRIMARY KEY, par_id int NOT NULL REFERENCES par);
    CREATE TABLE open_par (id int PRIMARY KEY);
    CREATE TABLE of_open (id int PRIMARY KEY, open_par_id int NOT NULL REFERENCES open_par);
    CREATE TABLE late (id int PRIMARY KEY, par_id int NOT NULL REFERENCES par DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE early (id int PRIMARY KEY, par_id int NOT NULL REFERENCES par DEFERRABLE INITIALLY IMMEDIATE);
    INSERT INTO par VALUES (1, 1), (2, 2);
    INSERT INTO ok VALUES (1, 1), (2, 2);
    INSERT INTO open_par VALUES (1); INSERT INTO of_open VALUES (1, 1);
    ALTER TABLE par ENABLE ROW LEVEL SECURITY;
    CREATE POLICY shown ON par USING (v = 1);
    DO $$ BEGIN
        CREATE ROLE shapes_reader; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END $$;
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO shapes_reader;
";

const PERMISSIONS: &str = "
[settings]
reads = true
[role.r]
set_role = \"shapes_reader\"
[table.par.role]
r.select = { columns = \"*\", rows = \"true\" }
u.select = { columns = \"*\", rows = \"true\" }
[table.ok.role]
r.select = { columns = \"*\", rows = \"true\" }
u.select = { columns = \"*\", rows = \"true\" }
[table.open_par.role]
r.select = { columns = \"*\", rows = \"true\" }
[table.of_open.role]
r.select = { columns = \"*\", rows = \"true\" }
";

#[tokio::test]
async fn relation_behind_policies_is_nullable_for_the_roles_that_they_hold_for() {
    let location = Place::new(TABLES, PERMISSIONS).await;
    assert_eq!(location.type_of("r", "ok", "par").await, "par");
    let rows = location
        .data_for("r", "{ ok(order_by: {id: asc}) { id par { id } } }")
        .await;
    assert_eq!(
        rows["ok"],
        json!([{"id": 1, "par": {"id": 1}}, {"id": 2, "par": Value::Null}])
    );
    // The policies do not hold for the tables' owner, and a table without policies shows all rows.
    assert_eq!(location.type_of("u", "ok", "par").await, "par!");
    assert_eq!(location.type_of("admin", "ok", "par").await, "par!");
    assert_eq!(
        location.type_of("r", "of_open", "open_par").await,
        "open_par!"
    );
}

#[tokio::test]
async fn relation_over_a_deferred_key_is_nullable() {
    let location = Place::new(TABLES, PERMISSIONS).await;
    assert_eq!(location.type_of("admin", "late", "par").await, "par");
    assert_eq!(location.type_of("admin", "early", "par").await, "par!");
    let mutation = "mutation { insert_late(objects: [{id: 1, par_id: 9}]) { returning { par { id \
                    } } } \
                    insert_par_one(object: {id: 9, v: 1}) { id } }";
    let data = location.data(mutation).await;
    assert_eq!(
        data["insert_late"]["returning"],
        json!([{"par": Value::Null}])
    );
}
