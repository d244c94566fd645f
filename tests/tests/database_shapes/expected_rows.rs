//! Tests that the planner's estimate counts the rows that limits let through, and no others.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::reply::ReplyError;

use super::place::Place;

/// Tables with few rows and the statistics of large ones: 250,000 parents with five children each.
const TABLES: &str = "
    CREATE TABLE parent (id int PRIMARY KEY, k int) WITH (autovacuum_enabled = false);
    CREATE TABLE child (id int PRIMARY KEY, parent_id int REFERENCES parent, n int) WITH (autovacuum_enabled = false);
    INSERT INTO parent SELECT g, g % 7 FROM generate_series(1, 100) g;
    INSERT INTO child SELECT g, g % 100 + 1, g FROM generate_series(1, 500) g;
    CREATE INDEX ON child (parent_id);
    CREATE INDEX ON parent (k);
    CREATE FUNCTION kids(parent) RETURNS SETOF child LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN QUERY SELECT * FROM child c WHERE c.parent_id = $1.id; END $$;
    ALTER TABLE parent ALTER k SET (n_distinct = 97);
    ALTER TABLE child ALTER parent_id SET (n_distinct = -0.2);
    ANALYZE parent, child;
    UPDATE pg_class SET reltuples = 250000, relpages = 1 WHERE relname = 'parent';
    UPDATE pg_class SET reltuples = 1250000, relpages = greatest(relpages, 1) WHERE relname = 'child';
    CREATE TABLE p (id int PRIMARY KEY) WITH (autovacuum_enabled = false);
    CREATE TABLE q (id int PRIMARY KEY, p_id int REFERENCES p, k int) WITH (autovacuum_enabled = false);
    INSERT INTO p VALUES (1), (2), (3);
    INSERT INTO q VALUES (1, 1, 1), (2, 1, 2), (3, 3, 3);
    CREATE FUNCTION tags(p) RETURNS SETOF q LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN QUERY SELECT * FROM q WHERE q.p_id = $1.id; END $$;
";

const PERMISSIONS: &str = "
[table.parent.computed.kids]
function = \"kids\"
[table.p.computed.tags]
function = \"tags\"
[table.parent.role.paged]
select = { columns = \"*\", rows = \"true\", limit = 10, aggregates = true }
[table.child.role.paged]
select = { columns = \"*\", rows = \"true\", limit = 10 }
[table.parent.role.ruled]
select = { columns = \"*\", rows = \"k >= 0\" }
[table.child.role.ruled]
select = { columns = \"*\", rows = \"n > 0\" }
[table.parent.role.kid]
select = { columns = \"*\", rows = \"true\" }
[table.child.role.kid]
select = { columns = \"*\", rows = \"true\" }
";

async fn place() -> Place {
    Place::new(TABLES, PERMISSIONS).await
}

async fn is_answered(location: &Place, role: &str, query: &str, variables: Value) {
    let reply = location.send(role, query, variables).await;
    assert_ne!(reply.data(), Value::Null, "{role}: {query}: {}", reply.text);
}

async fn is_refused(location: &Place, role: &str, query: &str, variables: Value, list: &str) {
    let ReplyError {
        status,
        code,
        message,
    } = location.send(role, query, variables).await.error();
    assert_eq!(
        (status, code.as_str()),
        (400, "limit-exceeded"),
        "{role}: {query}: {message}"
    );
    let expected = format!(
        "the request asks for more rows than the limit of 1000000, as far as \
                            the database can tell beforehand: most of \
                            them in \"{list}\""
    );
    assert_eq!(message, expected, "{role}: {query}");
}

#[tokio::test]
async fn page_with_lists_in_it_is_answered_however_large_the_table_is() {
    let location = place().await;
    for (role, query) in [
        (
            "admin",
            "{ parent(limit: 20) { id child(limit: 10) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 1) { id child(limit: 5) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20) { id child(limit: 10, order_by: {n: desc}) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20) { id child(limit: 10, offset: 1) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20) { id child(offset: 1, order_by: {n: desc}) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20) { id child(distinct_on: n) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20, order_by: {id: asc}) { id child(limit: 10) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20, order_by: {k: desc_nulls_last, id: asc}) { id \
                   child(limit: 10) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20, offset: 249000) { id child(limit: 10) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20, offset: 249000, order_by: {k: desc}) { id child(limit: \
                   10) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20, distinct_on: k) { id child(limit: 10) { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20) { id child_aggregate { nodes { id } aggregate { count } } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20) { id child_aggregate(limit: 3) { nodes { id } } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20) { id kids_aggregate { nodes { id } } } }",
        ),
        (
            "admin",
            "{ parent_aggregate(limit: 20) { nodes { child { id } } } }",
        ),
        (
            "admin",
            "{ parent_aggregate(limit: 20) { aggregate { count } nodes { child(limit: 3) { \
                   id } } } }",
        ),
        (
            "admin",
            "{ child(limit: 5) { parent { child(limit: 10) { id } } } }",
        ),
        (
            "admin",
            "{ child(limit: 20, order_by: {parent: {k: asc}}) { parent { child(limit: 10) \
                   { id } } } }",
        ),
        ("admin", "{ parent(limit: 20) { kids { id } } }"),
        (
            "admin",
            "{ parent(limit: 20) { kids(limit: 3) { id parent { k } } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20) { child(limit: 10) { parent { child(limit: 10) { id } } } } }",
        ),
        (
            "admin",
            "{ a: parent(limit: 20) { child(limit: 10) { id } } b: parent(limit: 20) { \
                   kids { id } } }",
        ),
        (
            "admin",
            "{ parent(limit: 20, where: {k: {_eq: 3}}) { child(limit: 10) { id } } }",
        ),
        (
            "admin",
            "{ parent_by_pk(id: 1) { kids { id } child { id } } }",
        ),
        (
            "admin",
            "mutation { update_parent(where: {id: {_lte: 3}}, _set: {k: 1}) { returning { \
                   child { id } } } }",
        ),
        (
            "admin",
            "mutation { update_parent_by_pk(pk_columns: {id: 1}, _set: {k: 1}) { kids { id \
                   } child { id } } }",
        ),
        ("paged", "{ parent { id child { id } } }"),
        ("paged", "{ parent { id child(limit: 3) { id } } }"),
        ("paged", "{ parent_aggregate { nodes { child { id } } } }"),
        (
            "ruled",
            "{ parent(limit: 20) { id child(limit: 10) { id } } }",
        ),
        (
            "ruled",
            "{ parent(limit: 20, order_by: {k: asc}) { id child(limit: 10, order_by: {n: \
                   asc}) { id } } }",
        ),
        ("kid", "{ parent(limit: 20) { kids { id } } }"),
    ] {
        is_answered(&location, role, query, json!({})).await;
    }
}

#[tokio::test]
async fn limits_in_variables_count_by_their_values() {
    let location = place().await;
    let lists = "query ($a: Int, $b: Int, $o: Int) { parent(limit: $a, offset: $o) { id \
                 child(limit: $b) { id } } }";
    let kids = "query ($a: Int) { parent(limit: $a) { kids { id } } }";
    // Different numbers make the gateway write limits as parameters.
    for number in [20, 1, 7, 100, 250] {
        is_answered(
            &location,
            "admin",
            lists,
            json!({"a": number, "b": 10, "o": number}),
        )
        .await;
        is_answered(&location, "admin", kids, json!({"a": number})).await;
    }
    for (query, variables, list) in [
        (lists, json!({"b": 10}), "parent.child"),
        (lists, json!({"a": 240_000, "b": 10}), "parent.child"),
        (kids, json!({}), "parent.kids"),
        (kids, json!({"a": 2_000}), "parent.kids"),
    ] {
        is_refused(&location, "admin", query, variables, list).await;
    }
    is_answered(&location, "admin", lists, json!({"a": 20, "b": 10})).await;
}

#[tokio::test]
async fn refusal_names_the_list_with_the_most_rows() {
    let location = place().await;
    for (role, query, list) in [
        (
            "admin",
            "{ parent { id child(limit: 10) { id } } }",
            "parent.child",
        ),
        (
            "admin",
            "{ few: parent(limit: 3) { id } all: parent { id few: child(limit: 1) { id } many: \
             kids { id } } }",
            "all.many",
        ),
        ("admin", "{ child { n } }", "child"),
        (
            "admin",
            "{ parent(limit: 200000) { id child_aggregate { nodes { id } } } }",
            "parent.child_aggregate.nodes",
        ),
        ("kid", "{ parent { kids { id } } }", "parent.kids"),
        (
            "ruled",
            "{ parent(order_by: {k: asc}) { child(limit: 300) { id } } }",
            "parent.child",
        ),
    ] {
        is_refused(&location, role, query, json!({}), list).await;
    }
}

#[tokio::test]
async fn table_without_statistics_is_read_and_the_refusal_of_more_says_analyze() {
    let location = place().await;
    let data = location
        .data("{ p(limit: 20, order_by: {id: asc}) { id q(order_by: {k: asc}) { k } } }")
        .await;
    assert_eq!(data["p"][0], json!({"id": 1, "q": [{"k": 1}, {"k": 2}]}));
    for query in [
        "{ p { id q { k } } }",
        "{ p(limit: 20) { q(limit: 10) { k } } }",
        "{ p(limit: 20) { tags { k } } }",
        "{ p(limit: 20) { q_aggregate { nodes { k } } } }",
    ] {
        is_answered(&location, "admin", query, json!({})).await;
    }
    let all = "{ p { tags { k } } }";
    let ReplyError { code, message, .. } = location.send("admin", all, json!({})).await.error();
    assert_eq!(code, "limit-exceeded");
    assert!(
        message.ends_with(
            "most of them in \"p.tags\"; it has no statistics of a table yet, run ANALYZE"
        ),
        "{message}"
    );
    // The advice helps without a restart.
    location
        .database
        .connect()
        .await
        .unwrap()
        .batch_execute("ANALYZE p, q")
        .await
        .unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while location.send("admin", all, json!({})).await.data() == Value::Null {
        assert!(Instant::now() < end, "still refused");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
