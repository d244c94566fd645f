//! Tests that a value of a composite type is null only if it is null itself, not if its fields are.

use serde_json::{Value, json};

use super::place::Place;

const TABLES: &str = "
    CREATE TYPE cc AS (a int, b text);
    CREATE TYPE outer_cc AS (c cc, n int);
    CREATE DOMAIN dcc AS cc;
    CREATE TABLE pair (a int, b text);
    CREATE TABLE comp (id int PRIMARY KEY, c cc, d dcc, o outer_cc, p pair);
    INSERT INTO comp (id, c) VALUES (1, NULL), (2, '(,)'), (3, '(1,)'), (4, '(1,x)'), (5, NULL), (6, '(,z)'), (7, '(,)');
    UPDATE comp SET d = c, o = CASE WHEN c IS NOT DISTINCT FROM NULL THEN NULL ELSE ROW(c, NULL)::outer_cc END,
        p = CASE WHEN c IS NOT DISTINCT FROM NULL THEN NULL ELSE ROW((c).a, (c).b)::pair END;
    CREATE FUNCTION made(comp) RETURNS cc LANGUAGE sql STABLE AS 'SELECT $1.c';
    CREATE TABLE ck (k cc PRIMARY KEY, v int);
    CREATE TABLE ckr (id int PRIMARY KEY, k cc REFERENCES ck);
    INSERT INTO ck VALUES ('(1,)', 1), ('(2,x)', 2), ('(,)', 3);
    INSERT INTO ckr VALUES (1, '(1,)'), (2, '(2,x)'), (3, '(,)'), (4, NULL);
    CREATE FUNCTION no_fields(comp) RETURNS pair LANGUAGE sql STABLE AS 'SELECT ROW(NULL, NULL)::pair';
    CREATE FUNCTION no_row(comp) RETURNS pair LANGUAGE sql STABLE AS 'SELECT NULL::pair';
    CREATE FUNCTION root_no_fields() RETURNS pair LANGUAGE sql STABLE AS 'SELECT ROW(NULL, NULL)::pair';
    CREATE FUNCTION root_no_row() RETURNS pair LANGUAGE sql STABLE AS 'SELECT NULL::pair';
    CREATE FUNCTION labelled(pair) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'label ' || coalesce($1.b, '-') $$;
    CREATE FUNCTION root_row(b text) RETURNS pair LANGUAGE sql STABLE AS 'SELECT ROW(7, b)::pair';
    CREATE FUNCTION write_row(b text) RETURNS pair LANGUAGE sql VOLATILE AS
        'INSERT INTO pair VALUES (1, b) RETURNING *';
";

const PERMISSIONS: &str = "
[table.comp.computed.made]
function = \"made\"
[table.comp.computed.no_fields]
function = \"no_fields\"
[table.comp.computed.no_row]
function = \"no_row\"
[table.pair.computed.labelled]
function = \"labelled\"
[function.root_no_fields]
[function.root_no_row]
[function.root_row]
[function.write_row]
";

/// The columns of `comp` with equal nulls: composite, domain over it, composite in composite, row
/// of a table.
const COLUMNS: [&str; 4] = ["c", "d", "o", "p"];

fn ids(rows: &Value) -> Vec<i64> {
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_i64().unwrap())
        .collect()
}

async fn found(location: &Place, condition: &str) -> Vec<i64> {
    ids(&location
        .data(&format!(
            "{{ comp(where: {condition}, order_by: {{id: asc}}) {{ id }} }}"
        ))
        .await["comp"])
}

#[tokio::test]
async fn is_null_asks_for_the_value_and_not_for_its_fields() {
    let location = Place::new(TABLES, PERMISSIONS).await;
    for column in COLUMNS.into_iter().chain(["made"]) {
        assert_eq!(
            found(&location, &format!("{{{column}: {{_is_null: true}}}}")).await,
            [1, 5],
            "{column}"
        );
        assert_eq!(
            found(&location, &format!("{{{column}: {{_is_null: false}}}}")).await,
            [2, 3, 4, 6, 7],
            "{column}"
        );
        let negated = format!("{{_not: {{{column}: {{_is_null: true}}}}}}");
        assert_eq!(
            found(&location, &negated).await,
            [2, 3, 4, 6, 7],
            "{column}"
        );
    }
    let counted = location
        .data("{ comp_aggregate { aggregate { count(columns: c) } } }")
        .await;
    assert_eq!(counted["comp_aggregate"]["aggregate"]["count"], 5);
}

/// The ids in the order of a walk over pages.
async fn walk(location: &Place, order: &str, size: usize) -> Vec<i64> {
    let mut all = vec![];
    let mut after = String::new();
    for _ in 0..20 {
        let query =
            format!("{{ comp(order_by: [{order}], limit: {size}{after}) {{ id _cursor }} }}");
        let rows = location.data(&query).await["comp"].clone();
        all.extend(ids(&rows));
        match rows.as_array().unwrap().last() {
            Some(last) => after = format!(", after: {}", last["_cursor"]),
            None => return all,
        }
    }
    panic!("{order}: the walk does not end: {all:?}")
}

#[tokio::test]
async fn pages_by_a_composite_hold_each_row_once() {
    let location = Place::new(TABLES, PERMISSIONS).await;
    for column in COLUMNS {
        for direction in ["asc", "desc", "asc_nulls_first", "desc_nulls_last"] {
            let order = format!("{{{column}: {direction}}}, {{id: asc}}");
            let whole = ids(&location
                .data(&format!("{{ comp(order_by: [{order}]) {{ id }} }}"))
                .await["comp"]);
            assert_eq!(whole.len(), 7);
            for size in 1..=3 {
                assert_eq!(
                    walk(&location, &order, size).await,
                    whole,
                    "{order}, pages of {size}"
                );
            }
        }
    }
}

#[tokio::test]
async fn relation_over_a_composite_key_leads_to_its_row() {
    let location = Place::new(TABLES, PERMISSIONS).await;
    let rows = location
        .data("{ ckr(order_by: {id: asc}) { id ck { v } } }")
        .await;
    let expected = json!([
        {"id": 1, "ck": {"v": 1}}, {"id": 2, "ck": {"v": 2}}, {"id": 3, "ck": {"v": 3}}, {"id": 4, "ck": null},
    ]);
    assert_eq!(rows["ckr"], expected);
    let inserted = location
        .data(
            "mutation { update_ckr(where: {id: {_eq: 1}}, _set: {id: 9}) { returning { id ck { \
               v } } } }",
        )
        .await;
    assert_eq!(
        inserted["update_ckr"]["returning"],
        json!([{"id": 9, "ck": {"v": 1}}])
    );
}

#[tokio::test]
async fn if_match_null_holds_for_null_alone() {
    let location = Place::new(TABLES, PERMISSIONS).await;
    let update = |id: u32| {
        format!(
            "mutation {{ update_comp_by_pk(pk_columns: {{id: {id}}}, \
                                    if_match: {{c: null}}, _set: {{p: null}}) {{ id }} }}"
        )
    };
    let refused = location.send("admin", &update(2), json!({})).await;
    assert_eq!(refused.data(), Value::Null, "{}", refused.text);
    assert_eq!(
        location.data(&update(1)).await["update_comp_by_pk"],
        json!({"id": 1})
    );
}

#[tokio::test]
async fn function_that_returns_a_row_of_nulls_returns_a_row() {
    let location = Place::new(TABLES, PERMISSIONS).await;
    let row = json!({"a": null, "b": null, "labelled": "label -"});
    let fields = "{ a b labelled }";
    let query = format!(
        "{{ comp(limit: 1) {{ no_fields {fields} no_row {fields} }} \
                         root_no_fields {fields} root_no_row {fields} }}"
    );
    let data = location.data(&query).await;
    assert_eq!(data["comp"], json!([{"no_fields": row, "no_row": null}]));
    assert_eq!(
        (&data["root_no_fields"], &data["root_no_row"]),
        (&row, &Value::Null)
    );
    let data = location
        .data(&format!("{{ root_row(args: {{b: \"x\"}}) {fields} }}"))
        .await;
    assert_eq!(
        data["root_row"],
        json!({"a": 7, "b": "x", "labelled": "label x"})
    );
    // A mutation runs the function once.
    let data = location
        .data(&format!(
            "mutation {{ write_row(args: {{b: \"w\"}}) {fields} }}"
        ))
        .await;
    assert_eq!(
        data["write_row"],
        json!({"a": 1, "b": "w", "labelled": "label w"})
    );
    assert_eq!(
        location
            .data("{ pair_aggregate { aggregate { count } } }")
            .await["pair_aggregate"]["aggregate"]["count"],
        1
    );
}
