//! Tests inserts that run in groups: each request gets its own row or its own error, every row that was answered is
//! stored once, and an insert that fails, waits or belongs to a client that is gone ends none of the others.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::reply::Reply;

use super::service::{Service, gauge, send};
use super::socket::Socket;

const TABLES: &str = "\
    CREATE TABLE parents (id int PRIMARY KEY); INSERT INTO parents SELECT generate_series(0, 9); \
    CREATE TABLE notes (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key int NOT NULL UNIQUE, owner int NOT NULL, \
        parent int NOT NULL REFERENCES parents DEFERRABLE INITIALLY DEFERRED, created_at timestamptz DEFAULT now()); \
    CREATE TABLE marked (key int PRIMARY KEY, owner int NOT NULL); \
    CREATE FUNCTION mark() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'; \
    CREATE TRIGGER mark BEFORE INSERT ON marked FOR EACH ROW EXECUTE FUNCTION mark(); \
    CREATE FUNCTION next() RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END'; \
    CREATE TABLE counted (key int PRIMARY KEY, owner int NOT NULL, number int DEFAULT next()); \
    CREATE TABLE numbered (key int PRIMARY KEY, owner int NOT NULL, number bigint DEFAULT txid_current()); \
    CREATE FUNCTION is_right(key int) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN key >= 0; END'; \
    CREATE TABLE checked (key int PRIMARY KEY CHECK (is_right(key)), owner int NOT NULL); \
    CREATE TABLE guarded (key int PRIMARY KEY, owner int NOT NULL); \
    ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; \
    CREATE TABLE plain (key int PRIMARY KEY, owner int NOT NULL); \
    ANALYZE;";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
user_id = "int"
[table.notes.role.reader]
select = { columns = "*", rows = "owner = session.user_id" }
insert = { columns = ["key", "owner", "parent"], check = "owner = session.user_id" }
update = { columns = ["owner"], rows = "false" }
[table.marked.role.reader]
select = { columns = "*", rows = "true" }
insert = { columns = "*", check = "true" }
[table.counted.role.reader]
select = { columns = "*", rows = "true" }
insert = { columns = "*", check = "true" }
[table.numbered.role.reader]
select = { columns = "*", rows = "true" }
insert = { columns = "*", check = "true" }
[table.checked.role.reader]
select = { columns = "*", rows = "true" }
insert = { columns = "*", check = "true" }
[table.plain.role.reader]
select = { columns = "*", rows = "true" }
insert = { columns = "*", check = "true" }
[table.guarded.role.reader]
select = { columns = "*", rows = "true" }
insert = { columns = "*", check = "true" }
"#;

/// One place for groups, so that inserts wait for each other.
const SETTINGS: &str = "insert_group_connections = 1\n";

const NOTE: &str = "mutation ($key: Int!, $owner: Int!, $parent: Int!) { \
    insert_notes_one(object: {key: $key, owner: $owner, parent: $parent}) { key owner } }";

async fn service(settings: &str) -> Service {
    let service = Service::of_tables(TABLES, PERMISSIONS, settings).await;
    for key in 1..8 {
        assert_eq!(send(note(&service, 1, -key)).await.data(), stored(1, -key));
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    service
}

/// An insert of a note of the user.
fn note(service: &Service, user: i32, key: i32) -> RequestBuilder {
    service.by_user(user, NOTE, &json!({"key": key, "owner": user, "parent": 1}))
}

fn stored(user: i32, key: i32) -> Value {
    json!({"insert_notes_one": {"key": key, "owner": user}})
}

fn code(reply: &Reply) -> Value {
    reply.json()["errors"][0]["extensions"]["code"].clone()
}

/// Inserts notes with these keys as many users at the same time, and compares each response with the row of its
/// request.
async fn insert(service: &Service, keys: std::ops::Range<i32>) {
    let answers = stream::iter(keys.clone()).map(|key| async move {
        let user = key % 7;
        (user, key, send(note(service, user, key)).await.data())
    });
    let wrong = answers.buffer_unordered(64).filter(|(user, key, data)| {
        let is_wrong = *data != stored(*user, *key);
        async move { is_wrong }
    });
    assert_eq!(wrong.collect::<Vec<_>>().await, []);
    assert_eq!(owners(service, &keys).await, keys.map(|key| (key, key % 7)).collect());
}

/// The owners of the stored notes by key. The keys are unique.
async fn owners(service: &Service, keys: &std::ops::Range<i32>) -> HashMap<i32, i32> {
    let client = service.database.connect().await.unwrap();
    let rows = client
        .query("SELECT key, owner FROM notes WHERE key >= $1 AND key < $2", &[&keys.start, &keys.end])
        .await
        .unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// The number of inserts that ran in groups, and of groups.
async fn counts(service: &Service) -> (f64, f64) {
    (gauge(&service.running, "grouped_inserts_total").await, gauge(&service.running, "insert_groups_total").await)
}

#[tokio::test(flavor = "multi_thread")]
async fn grouped_inserts_store_and_return_their_own_rows() {
    let service = service(SETTINGS).await;
    insert(&service, 0..2000).await;
    let (inserts, groups) = counts(&service).await;
    assert!(inserts > 500.0 && groups < inserts / 2.0, "{inserts} inserts in {groups} groups");
}

#[tokio::test(flavor = "multi_thread")]
async fn inserts_within_narrow_shares_are_all_answered() {
    for shares in ["pool_role_limit = 1\n", "pool_client_limit = 1\n", "pool_role_limit = 2\npool_client_limit = 1\n"] {
        let service = service(&format!("pool_size = 6\ninsert_group_connections = 3\n{shares}")).await;
        insert(&service, 0..1000).await;
        let (inserts, groups) = counts(&service).await;
        assert!(inserts > 100.0 && groups < inserts, "{shares}: {inserts} inserts in {groups} groups");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_insert_is_grouped_without_connections_for_groups() {
    let service = service("insert_group_connections = 0\n").await;
    insert(&service, 0..300).await;
    assert_eq!(counts(&service).await, (0.0, 0.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn insert_that_fails_fails_no_other() {
    let service = service(SETTINGS).await;
    // An existing key, a row that the check refuses, and a parent that is missing at the end of the transaction.
    let failing = [
        (json!({"key": -1, "owner": 1, "parent": 1}), "constraint-violation"),
        (json!({"key": 0, "owner": 2, "parent": 1}), "permission-error"),
        (json!({"key": 0, "owner": 1, "parent": 77}), "constraint-violation"),
    ];
    let failing = &failing;
    for round in 0..40 {
        // Each text is a document of its own: one that has failed runs alone for a while.
        let text = NOTE.replacen("mutation", &format!("mutation M{round}"), 1);
        let base = 1000 * (round + 1);
        for number in 0..6 {
            let variables = json!({"key": base + 900 + number, "owner": 1, "parent": 1});
            send(service.by_user(1, &text, &variables)).await.data();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let replies = stream::iter(0..40).map(|number| {
            let (service, text) = (&service, &text);
            async move {
                if number % 20 != 7 {
                    assert_eq!(send(note(service, 1, base + number)).await.data(), stored(1, base + number));
                    return;
                }
                let (variables, expected) = &failing[number as usize % 3];
                let reply = send(service.by_user(1, text, variables)).await;
                assert_eq!(code(&reply), *expected, "{}", reply.text);
            }
        });
        assert_eq!(replies.buffer_unordered(40).count().await, 40);
        let expected: HashMap<_, _> =
            (0..40).filter(|number| number % 20 != 7).map(|number| (base + number, 1)).collect();
        assert_eq!(owners(&service, &(base..base + 40)).await, expected);
    }
    assert!(counts(&service).await.0 > 100.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn insert_that_waits_for_a_key_holds_up_no_other() {
    let service = service(SETTINGS).await;
    let mut client = service.database.connect().await.unwrap();
    let transaction = client.transaction().await.unwrap();
    transaction.execute("INSERT INTO notes (key, owner, parent) VALUES (5000, 1, 1)", &[]).await.unwrap();
    let waiting = stream::iter(0..3).map(|_| send(note(&service, 1, 5000))).buffer_unordered(3).collect::<Vec<_>>();
    let others = async {
        let began = Instant::now();
        insert(&service, 0..1000).await;
        let time = began.elapsed();
        transaction.rollback().await.unwrap();
        time
    };
    let (replies, time) = tokio::join!(waiting, others);
    assert!(time < Duration::from_secs(10), "{time:?}");
    // One of them has the key when it is free.
    assert_eq!(replies.iter().filter(|reply| reply.json()["data"].is_object()).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn client_that_disconnects_ends_no_insert_of_others() {
    let service = service(SETTINGS).await;
    let leaving = async {
        for key in 0..300 {
            let variables = json!({"key": 100_000 + key, "owner": 1, "parent": 1});
            let body = json!({"query": NOTE, "variables": variables}).to_string();
            let mut socket = Socket::connect(service.address()).await;
            socket.post("X-Gateway-User-Id: 1\r\n", body.as_bytes()).await;
        }
    };
    tokio::join!(leaving, insert(&service, 0..2000));
    service.until_idle().await;
    insert(&service, 2000..2100).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_connection_repeats_no_insert() {
    let service = service(SETTINGS).await;
    let service = &service;
    let inserts = stream::iter(0..3000).map(|key| async move { (key, send(note(service, key % 7, key)).await) });
    let (replies, ()) = tokio::join!(inserts.buffer_unordered(64).collect::<Vec<_>>(), service.lose_connections());
    let owners = owners(service, &(0..3000)).await;
    for (key, reply) in replies {
        // Without an answer it may be stored or not. A repeated insert would have violated the unique key.
        if reply.json()["errors"].is_null() {
            assert_eq!((reply.data(), owners.get(&key)), (stored(key % 7, key), Some(&(key % 7))));
        } else {
            assert_ne!(code(&reply), "constraint-violation", "{}", reply.text);
        }
    }
    insert(service, 3000..3100).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn inserts_with_other_effects_run_alone() {
    let service = Service::of_tables(TABLES, PERMISSIONS, SETTINGS).await;
    let plain = "insert_notes_one(object: {key: $key, owner: 1, parent: 1}) { key }";
    let conflict = "insert_notes_one(object: {key: $key, owner: 1, parent: 1}, \
                    on_conflict: {constraint: notes_key_key, update_columns: [owner]}) { key }";
    let two = "insert_notes_one(object: {key: $key, owner: 1, parent: 1}) { key } \
               other: insert_plain_one(object: {key: $key, owner: 1}) { key }";
    // The planner does not know the length of the list.
    let list = "insert_plain(objects: [{key: $key, owner: 1}]) { returning { key } }";
    let of_table = |table: &str| format!("insert_{table}_one(object: {{key: $key, owner: 1}}) {{ key }}");
    let tables = ["marked", "counted", "numbered", "checked", "guarded"].map(of_table);
    for (round, fields) in tables.iter().map(String::as_str).chain([conflict, two, list]).enumerate() {
        insert_together(&service, fields, round).await;
        assert_eq!(counts(&service).await, (0.0, 0.0), "{fields}");
    }
    // Without these effects they are grouped.
    for (round, fields) in [plain, &of_table("plain")].into_iter().enumerate() {
        let before = counts(&service).await.0;
        insert_together(&service, fields, 100 + round).await;
        assert!(counts(&service).await.0 > before, "{fields}");
    }
}

/// Inserts rows with these fields by one document: until it is known whether it runs in groups, and then many at the
/// same time.
async fn insert_together(service: &Service, fields: &str, round: usize) {
    let text = format!("mutation ($key: Int!) {{ {fields} }}");
    for part in 0..2 {
        let replies = stream::iter(0..60).map(|key| {
            let request = service.by_user(1, &text, &json!({"key": 1000 * round + 100 * part + key}));
            async move { send(request).await.data() }
        });
        assert_eq!(replies.buffer_unordered(30).count().await, 60);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
