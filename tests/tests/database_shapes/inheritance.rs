//! Tests that the key of a table is not taken for unique over the tables that inherit from it.

use serde_json::{Value, json};
use tests::reply::ReplyError;

use super::place::Place;

const TABLES: &str = "
    CREATE TABLE cities (id int PRIMARY KEY, name text);
    CREATE TABLE capitals (star bool) INHERITS (cities);
    INSERT INTO cities VALUES (1, 'c1'), (2, 'c2');
    INSERT INTO capitals VALUES (1, 'cap1', true);
    CREATE TABLE trips (id int PRIMARY KEY, city_id int REFERENCES cities);
    INSERT INTO trips VALUES (1, 1), (2, 2), (3, NULL);
    CREATE TABLE mayor (id int PRIMARY KEY, city_id int NOT NULL UNIQUE REFERENCES cities);
    CREATE TABLE deputy () INHERITS (mayor);
    INSERT INTO mayor VALUES (1, 1);
    INSERT INTO deputy VALUES (1, 1), (2, 99);
    CREATE TABLE guide (id int PRIMARY KEY, city_id int NOT NULL REFERENCES cities);
    INSERT INTO guide VALUES (1, 1);
    CREATE VIEW v_cities AS SELECT id, name FROM cities;
    CREATE TABLE parted (id int PRIMARY KEY, name text) PARTITION BY LIST (id);
    CREATE TABLE parted_1 PARTITION OF parted DEFAULT;
    CREATE TABLE of_parted (id int PRIMARY KEY, parted_id int NOT NULL REFERENCES parted);
    INSERT INTO parted VALUES (1, 'p'); INSERT INTO of_parted VALUES (1, 1);
";

const PERMISSIONS: &str = "
[table.trips.relation]
city = { column = \"city_id\" }
view = { table = \"v_cities\", on = { city_id = \"id\" }, one = true }
";

async fn place() -> Place {
    Place::new(TABLES, PERMISSIONS).await
}

#[tokio::test]
async fn object_relation_has_one_row_and_repeats_none() {
    let location = place().await;
    let trips = location
        .data("{ trips(order_by: {id: asc}) { id city { id } view { id } } }")
        .await;
    let expected = json!([
        {"id": 1, "city": {"id": 1}, "view": {"id": 1}},
        {"id": 2, "city": {"id": 2}, "view": {"id": 2}},
        {"id": 3, "city": null, "view": null},
    ]);
    assert_eq!(trips["trips"], expected);
    let page = location
        .data("{ trips(limit: 2, order_by: {city: {name: asc}, id: asc}) { id city { id } } }")
        .await;
    assert_eq!(page["trips"].as_array().unwrap().len(), 2);
    let counted = location
        .data("{ trips_aggregate { aggregate { count } nodes { id city { id } } } }")
        .await;
    assert_eq!(counted["trips_aggregate"]["aggregate"]["count"], 3);
    assert_eq!(
        counted["trips_aggregate"]["nodes"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let filtered = location
        .data("{ trips(where: {city: {id: {_eq: 1}}}) { id city { id } } }")
        .await;
    assert_eq!(filtered["trips"], json!([{"id": 1, "city": {"id": 1}}]));
    // The reverse of a unique foreign key stays an object.
    let mayors = location
        .data("{ cities(order_by: {id: asc, name: asc}) { id mayor { id } } }")
        .await;
    let expected = json!([{"id": 1, "mayor": {"id": 1}}, {"id": 1, "mayor": {"id": 1}}, {"id": 2, "mayor": null}]);
    assert_eq!(mayors["cities"], expected);
}

#[tokio::test]
async fn returning_has_as_many_rows_as_were_written() {
    let location = place().await;
    for (mutation, root) in [
        (
            "update_cities(where: {id: {_eq: 1}}, _set: {name: \"x\"})",
            "update_cities",
        ),
        (
            "update_v_cities(where: {id: {_eq: 1}}, _set: {name: \"y\"})",
            "update_v_cities",
        ),
        (
            "delete_cities(where: {id: {_eq: 1}, name: {_eq: \"none\"}})",
            "delete_cities",
        ),
        (
            "insert_capitals(objects: [{id: 2, name: \"n\"}])",
            "insert_capitals",
        ),
    ] {
        let data = location
            .data(&format!(
                "mutation {{ {mutation} {{ affected_rows returning {{ id name }} }} }}"
            ))
            .await;
        let rows = data[root]["returning"].as_array().unwrap();
        assert_eq!(
            json!(rows.len()),
            data[root]["affected_rows"],
            "{mutation}: {data}"
        );
    }
    let data = location
        .data(
            "mutation { update_trips(where: {}, _set: {}, _inc: {id: 10}) { affected_rows \
               returning { id city { name } } } }",
        )
        .await;
    assert_eq!(
        data["update_trips"]["returning"].as_array().unwrap().len(),
        3,
        "{data}"
    );
    let related = "mutation { insert_cities(objects: [{id: 7, name: \"seven\", trips: {data: \
                   [{id: 70}]}}]) \
                   { affected_rows returning { id trips { id city { id } } } } }";
    let data = location.data(related).await;
    let expected = json!([{"id": 7, "trips": [{"id": 70, "city": {"id": 7}}]}]);
    assert_eq!(data["insert_cities"]["returning"], expected);
}

#[tokio::test]
async fn row_by_a_key_is_one_row() {
    let location = place().await;
    for query in [
        "{ cities_by_pk(id: 1) { id trips { id } } }",
        "{ v_cities_by_pk(id: 1) { id } }",
    ] {
        let data = location.data(query).await;
        let row = data.as_object().unwrap().values().next().unwrap();
        assert_eq!(row["id"], 1, "{query}");
    }
    let both =
        "{ a: cities_by_pk(id: 1) { id } b: cities_by_pk(id: 2) { id trips { id } } trips { id } }";
    assert_eq!(location.data(both).await["a"]["id"], 1);
}

/// Which of several rows with one key is meant, nobody knows: neither all of them nor any one are
/// changed.
#[tokio::test]
async fn rows_that_share_their_key_are_not_changed_by_it() {
    let location = place().await;
    let all = "{ cities(order_by: {id: asc, name: asc}) { id name } }";
    let before = location.data(all).await;
    for mutation in [
        "update_cities_by_pk(pk_columns: {id: 1}, _set: {name: \"new\"}) { id name }",
        "update_v_cities_by_pk(pk_columns: {id: 1}, _set: {name: \"new\"}) { id name }",
        "delete_cities_by_pk(id: 1) { id }",
    ] {
        let reply = location
            .send("admin", &format!("mutation {{ {mutation} }}"), json!({}))
            .await;
        let ReplyError {
            status,
            code,
            message,
        } = reply.error();
        assert_eq!(
            (status, code.as_str()),
            (200, "constraint-violation"),
            "{mutation}: {message}"
        );
        assert!(message.contains("several rows have this key"), "{message}");
        assert_eq!(location.data(all).await, before, "{mutation}");
    }
    // A key that one row has is a key.
    let update =
        "mutation { update_cities_by_pk(pk_columns: {id: 2}, _set: {name: \"new\"}) { id name } }";
    assert_eq!(
        location.data(update).await["update_cities_by_pk"],
        json!({"id": 2, "name": "new"})
    );
    assert_eq!(
        location
            .data("mutation { delete_cities_by_pk(id: 9) { id } }")
            .await["delete_cities_by_pk"],
        Value::Null
    );
}

#[tokio::test]
async fn relation_is_not_null_only_where_every_row_read_has_the_foreign_key() {
    let location = place().await;
    assert_eq!(location.type_of("admin", "guide", "city").await, "cities!");
    assert_eq!(
        location.type_of("admin", "of_parted", "parted").await,
        "parted!"
    );
    // Rows of `deputy` have no foreign key.
    assert_eq!(location.type_of("admin", "mayor", "city").await, "cities");
    let data = location
        .data("{ mayor(order_by: {id: asc, city_id: asc}) { city_id city { id } } }")
        .await;
    assert_eq!(
        data["mayor"][2],
        json!({"city_id": 99, "city": Value::Null})
    );
    assert_eq!(
        location.data("{ of_parted { parted { name } } }").await["of_parted"],
        json!([{"parted": {"name": "p"}}])
    );
}
