//! Tests subscriptions that learn of changes by logical replication: each subscriber has the result
//! of its own query after any write, changes that touch no subscriber cost no statement, and a loss
//! of the slot loses no change.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use cluster::{Cluster, Options};
use gateway::config::Settings;
use gateway::migrations;
use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;

use super::live_queries::run;
use super::service::{PERMISSIONS, SCHEMA, Service, send};
use super::token;
use super::websocket_client::{PATIENCE, TRANSPORT, WebSocket};

/// No result of a test with this interval comes from a comparison of snapshots.
const NEVER: (&str, &str) = ("subscription-interval", "3600");

const OFTEN: (&str, &str) = ("subscription-interval", "0.2");

/// A client of these tests answers pings only while it reads, and on a busy machine not for long.
pub(super) const PATIENT: &str = "socket_keep_alive = 600\n";

/// Within this time a subscriber has the result of a write, also after a loss of replication.
const SOON: Duration = Duration::from_secs(2);

/// Tables with the usual replica identity, with the whole row as identity, with partitions, and one
/// that only a rule reads.
const TABLES: &str = "\
                      CREATE TABLE members (user_id int, team int, PRIMARY KEY (user_id, team)); \
                      CREATE TABLE notes (id int PRIMARY KEY, user_id int, team int, kind \
                      varchar(8), code uuid, body text); \
                      CREATE TABLE tasks (id int PRIMARY KEY, owner bigint, note_id int \
                      REFERENCES notes ON DELETE SET NULL ON UPDATE CASCADE, \
                      done bool, body text); \
                      ALTER TABLE tasks REPLICA IDENTITY FULL; CREATE INDEX ON tasks (note_id); \
                      CREATE INDEX ON notes (user_id); \
                      CREATE TABLE parts (id int, owner int, body text, PRIMARY KEY (id, owner)) \
                      PARTITION BY LIST (owner); \
                      CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1, 2); CREATE TABLE \
                      parts_2 PARTITION OF parts DEFAULT; \
                      CREATE UNLOGGED TABLE drafts (id int PRIMARY KEY, owner int, body text);";

const TABLE_PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
user_id = "int"
[table.notes.role.reader]
select = { columns = "*", rows = "true" }
[table.notes.role.author]
select = { columns = "*", rows = "user_id = session.user_id" }
[table.tasks.role.reader]
select = { columns = "*", rows = "true", aggregates = true }
[table.tasks.role.author]
select = { columns = "*", rows = "EXISTS (SELECT FROM members m WHERE m.user_id = session.user_id AND m.team = owner)" }
[table.parts.role.reader]
select = { columns = "*", rows = "true" }
[table.drafts.role.reader]
select = { columns = "*", rows = "true" }
"#;

/// Documents with the role, and the values of their variable.
const DOCUMENTS: &[(&str, &str, &[&str])] = &[
    (
        "reader",
        "($v: Int!) { notes_by_pk(id: $v) { id body tasks(order_by: {id: asc}) { id body } } }",
        &["1", "2", "13"],
    ),
    (
        "reader",
        "($v: bigint!) { tasks(where: {owner: {_eq: $v}}, order_by: {id: asc}) { id done body } }",
        &["1", "2", "3"],
    ),
    (
        "reader",
        "($v: bigint!) { tasks_aggregate(where: {owner: {_eq: $v}}) { aggregate { count } } }",
        &["1", "4"],
    ),
    (
        "reader",
        "($v: Boolean!) { tasks(where: {done: {_eq: $v}}, order_by: {id: asc}) { id } }",
        &["true", "false"],
    ),
    (
        "reader",
        "($v: String!) { notes(where: {kind: {_eq: $v}}, order_by: {id: asc}) { id user_id } }",
        &["\"a\"", "\"b c\""],
    ),
    (
        "reader",
        "($v: uuid!) { notes(where: {code: {_eq: $v}}, order_by: {id: asc}) { id } }",
        &["\"00000000-0000-0000-0000-00000000000A\""],
    ),
    (
        "reader",
        "($v: Int!) { parts(where: {owner: {_eq: $v}}, order_by: {id: asc}) { id body } }",
        &["1", "2", "3"],
    ),
    (
        "reader",
        "($v: Int!) { drafts(where: {owner: {_eq: $v}}, order_by: {id: asc}) { id } }",
        &["1"],
    ),
    (
        "reader",
        "($v: [Int!]) { notes(where: {id: {_in: $v}}, order_by: {id: asc}) { id team } }",
        &["[1, 2, 3]"],
    ),
    (
        "author",
        "($v: String) { notes(where: {kind: {_neq: $v}}, order_by: {id: asc}) { id kind \
         tasks(order_by: {id: asc}) { id } } }",
        &["\"a\""],
    ),
    (
        "author",
        "($v: Int!) { tasks(where: {id: {_neq: $v}}, order_by: {id: asc}) { id owner } }",
        &["2"],
    ),
];

async fn publish(service: &Service) {
    run(service, migrations::REPLICATION).await;
}

/// Waits until the gateway follows a slot.
pub(super) async fn following(service: &Service) {
    let source = "postern_subscription_source{source=\"replication\"} 1";
    tests::wait::until(source, async || {
        service.metrics().await.lines().any(|line| line == source)
    })
    .await;
}

/// The values of a metric, added over its labels.
async fn count(service: &Service, name: &str) -> f64 {
    let metrics = service.metrics().await;
    let of = |line: &&str| line.starts_with(&format!("postern_{name}"));
    metrics
        .lines()
        .filter(of)
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok())
        .sum()
}

/// The slots of the database, by the process that streams each of them.
async fn slot_processes(service: &Service) -> Vec<i32> {
    let client = service.database.connect().await.unwrap();
    let slots = "SELECT active_pid FROM pg_replication_slots WHERE database = current_database() \
                 AND active";
    client
        .query(slots, &[])
        .await
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect()
}

#[tokio::test]
async fn replicated_change_arrives_before_the_interval_ends() {
    let service = Service::with(&[NEVER]).await;
    publish(&service).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket
        .start(
            "1",
            "subscription { articles(order_by: {id: asc}) { id title } }",
        )
        .await;
    socket.result("1").await;
    following(&service).await;
    let began = Instant::now();
    run(&service, "UPDATE articles SET title = 'new' WHERE id = 1").await;
    assert_eq!(socket.result("1").await["articles"][0]["title"], "new");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    // The first change may be found by the run that the start of replication causes, which does not
    // know its commit. And the gateway counts a result after it has sent it.
    let mut number = 0;
    tests::wait::until("the lag is measured", async || {
        number += 1;
        run(
            &service,
            &format!("UPDATE articles SET title = 'new {number}' WHERE id = 1"),
        )
        .await;
        assert_eq!(
            socket.result("1").await["articles"][0]["title"],
            format!("new {number}")
        );
        count(&service, "subscription_lag_seconds_count").await >= 1.0
    })
    .await;
    run(
        &service,
        "UPDATE authors SET name = 'other'; BEGIN; DELETE FROM articles; ROLLBACK",
    )
    .await;
    assert!(
        socket.is_silent().await,
        "another table, and a transaction that was rolled back"
    );
    run(
        &service,
        "BEGIN; SAVEPOINT s; DELETE FROM articles; ROLLBACK TO s; DELETE FROM articles \
                   WHERE id = 1; COMMIT",
    )
    .await;
    assert_eq!(
        socket.result("1").await["articles"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    run(&service, "TRUNCATE articles").await;
    assert_eq!(socket.result("1").await, json!({"articles": []}));
}

#[tokio::test]
async fn rows_that_touch_no_subscriber_cost_no_statement() {
    let settings = format!("subscription_interval = 0.2\n{PATIENT}");
    let service = Service::of_tables(TABLES, TABLE_PERMISSIONS, &settings).await;
    publish(&service).await;
    run(
        &service,
        "INSERT INTO notes SELECT g, g FROM generate_series(1, 300) g",
    )
    .await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let query = "subscription ($id: Int!) { notes_by_pk(id: $id) { id body tasks(order_by: {id: \
                 asc}) { id } } }";
    for id in 1..=100 {
        socket
            .subscribe(&id.to_string(), query, &json!({ "id": id }))
            .await;
        socket.result(&id.to_string()).await;
    }
    following(&service).await;
    // Snapshots are read no more once all transactions from before the slot have ended.
    let looks = async || {
        let metrics = service.metrics().await;
        let lines = metrics
            .lines()
            .filter(|line| line.starts_with("postern_subscription_changes_total"));
        let looks = lines.filter(|line| line.contains("written") || line.contains("unchanged"));
        looks
            .filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok())
            .sum::<f64>()
    };
    tests::wait::until("no more snapshots", async || {
        let before = looks().await;
        tokio::time::sleep(Duration::from_millis(700)).await;
        looks().await == before
    })
    .await;
    let before = (
        count(&service, "subscription_statements_total").await,
        looks().await,
    );
    for id in 101..=300 {
        run(
            &service,
            &format!(
                "UPDATE notes SET body = 'x' WHERE id = {id}; INSERT INTO tasks VALUES \
                      ({id}, 1, {id})"
            ),
        )
        .await;
    }
    run(
        &service,
        "UPDATE notes SET id = 1000 WHERE id = 300; DELETE FROM tasks",
    )
    .await;
    assert!(socket.is_silent().await);
    let statements = count(&service, "subscription_statements_total").await - before.0;
    // Deleting the tasks of other notes touches no subscriber either, since their identity is the
    // whole row.
    assert_eq!((statements, looks().await - before.1), (0.0, 0.0));
    run(&service, "INSERT INTO tasks VALUES (1, 1, 7)").await;
    assert_eq!(
        socket.result("7").await["notes_by_pk"]["tasks"],
        json!([{"id": 1}])
    );
    run(&service, "UPDATE tasks SET note_id = 8").await;
    let mut moved = HashMap::new();
    for _ in 0..2 {
        let message = socket.message().await;
        let tasks = message["payload"]["data"]["notes_by_pk"]["tasks"].clone();
        moved.insert(message["id"].as_str().unwrap().to_owned(), tasks);
    }
    assert_eq!(
        moved,
        HashMap::from([("7".into(), json!([])), ("8".into(), json!([{"id": 1}]))])
    );
    assert_eq!(
        count(&service, "subscription_statements_total").await - before.0,
        2.0
    );
}

/// A subscription of the comparison: its socket, its id there, and its own query.
struct Subscribed {
    socket: usize,
    id: String,
    role: &'static str,
    user: u32,
    request: Value,
}

/// Makes random writes, and compares after each of them the last results of many subscribers with
/// their own queries.
async fn compare(source: &str, interval: f64, seed: u64) {
    let settings = format!("subscription_interval = {interval}\n{PATIENT}");
    let database = tests::create("replicated", &[TABLES]).await.unwrap();
    let client = database.connect().await.unwrap();
    let migrations = [
        plugins::migration_script(),
        migrations::REPLICATION.into(),
        migrations::NOTIFY_WRITES.into(),
    ];
    client.batch_execute(&migrations.concat()).await.unwrap();
    let file = Settings::from_text("gateway.toml", &settings).unwrap();
    let builder = tests::gateway()
        .settings(file)
        .database_url(database.url())
        .permissions_text("p.toml", TABLE_PERMISSIONS);
    let usual = [
        ("admin-secret", ADMIN_SECRET),
        ("jwt-secret", token::SECRET),
        ("listen", "127.0.0.1:0"),
        ("subscription-source", source),
    ];
    let builder = usual.iter().fold(builder, |builder, (name, value)| {
        builder.setting(name, value)
    });
    let running = builder.start().await.unwrap();
    let service = Service::from_parts(running, database);
    let mut sockets = Vec::new();
    let mut subscribed = Vec::new();
    for (number, (role, user)) in [("reader", 1), ("author", 1), ("author", 2), ("author", 3)]
        .into_iter()
        .enumerate()
    {
        let mut socket = WebSocket::of(&service, role, user).await;
        for (at, (_, document, values)) in DOCUMENTS
            .iter()
            .enumerate()
            .filter(|(_, known)| known.0 == role)
        {
            if interval > PATIENCE.as_secs_f64() && document.contains("drafts") {
                continue;
            }
            for value in *values {
                let id = format!("{at} {value}");
                let variables = json!({"v": serde_json::from_str::<Value>(value).unwrap()});
                socket
                    .subscribe(&id, &format!("subscription {document}"), &variables)
                    .await;
                let request = json!({"query": format!("query {document}"), "variables": variables});
                subscribed.push(Subscribed {
                    socket: number,
                    id,
                    role,
                    user,
                    request,
                });
            }
        }
        sockets.push(socket);
    }
    if source == "replication" {
        following(&service).await;
    }
    let mut random = Random(seed);
    let mut last: HashMap<(usize, String), Value> = HashMap::new();
    for step in 0..60 {
        let write = if step == 0 {
            "SELECT 1".to_owned()
        } else {
            random_write(&mut random)
        };
        // A write may violate a key.
        let _ = client.batch_execute(&write).await;
        let _ = client.batch_execute("ROLLBACK").await;
        let began = Instant::now();
        for subscribed in &subscribed {
            let own = service
                .by(subscribed.role)
                .header("X-Gateway-User-Id", subscribed.user.to_string());
            let expected = send(own.json(&subscribed.request)).await.json()["data"].clone();
            assert!(expected.is_object(), "{}: {expected}", subscribed.request);
            let key = (subscribed.socket, subscribed.id.clone());
            while last.get(&key) != Some(&expected) {
                let message =
                    tokio::time::timeout(PATIENCE, sockets[subscribed.socket].message()).await;
                let Ok(message) = message else {
                    panic!(
                        "{source}, seed {seed}, step {step}: {write}\n{}: {:?}\nnot {expected}",
                        subscribed.id,
                        last.get(&key)
                    );
                };
                assert_eq!(message["type"], "next", "{message}");
                let id = message["id"].as_str().unwrap().to_owned();
                last.insert((subscribed.socket, id), message["payload"]["data"].clone());
            }
        }
        assert!(began.elapsed() < PATIENCE, "{source}, step {step}: {write}");
    }
}

/// Numbers that look random, the same ones in every run: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }
}

/// One to three random statements in a transaction, parts of which may be rolled back.
fn random_write(random: &mut Random) -> String {
    let mut statement = || {
        let id = 1 + random.below(4);
        let other = 1 + random.below(4);
        let user = 1 + random.below(3);
        let kind = ["'a'", "'b c'", "'B c'", "NULL"][random.below(4)];
        match random.below(22) {
            0 | 1 => format!(
                "INSERT INTO notes VALUES ({id}, {user}, {other}, {kind}, \
                              '00000000-0000-0000-0000-00000000000{id:x}', 'n') ON CONFLICT DO \
                              NOTHING"
            ),
            2 => "INSERT INTO notes SELECT g, 1, 1, 'a', '00000000-0000-0000-0000-00000000000a' \
                  FROM generate_series(1, 4) g ON CONFLICT DO NOTHING"
                .into(),
            3 => format!("UPDATE notes SET user_id = {user}, team = {other} WHERE id = {id}"),
            4 => format!("UPDATE notes SET kind = {kind} WHERE id = {id}"),
            5 => format!("UPDATE notes SET id = id + 12 WHERE id = {id}"),
            6 => format!("UPDATE notes SET id = id - 12 WHERE id = {}", id + 12),
            // A long value is stored apart, and not sent with later changes of other columns.
            7 => format!(
                "UPDATE notes SET body = (SELECT string_agg(md5(g::text), '') FROM \
                          generate_series(1, 400) g) WHERE id = {id}"
            ),
            8 => format!("DELETE FROM notes WHERE id = {id}"),
            9 | 10 => format!(
                "INSERT INTO tasks VALUES ({id}, {other}, (SELECT min(id) FROM \
                               notes), {}, 't') ON CONFLICT DO NOTHING",
                id > 2
            ),
            11 => format!("UPDATE tasks SET owner = {other}, done = NOT done WHERE id = {id}"),
            12 => format!(
                "UPDATE tasks SET note_id = (SELECT max(id) FROM notes), body = body \
                           || 'x' WHERE id = {id}"
            ),
            13 => format!("DELETE FROM tasks WHERE owner = {other}"),
            14 | 15 => format!(
                "INSERT INTO parts VALUES ({id}, {user}, 'p') ON CONFLICT DO \
                                NOTHING"
            ),
            16 => format!("UPDATE parts SET owner = {user} WHERE id = {id} AND owner = {other}"),
            17 => format!("UPDATE parts SET body = body || {id} WHERE owner = {user}"),
            18 => format!("INSERT INTO members VALUES ({user}, {other}) ON CONFLICT DO NOTHING"),
            19 => format!("DELETE FROM members WHERE user_id = {user}"),
            20 => [
                "TRUNCATE notes, tasks",
                "TRUNCATE parts_1",
                "TRUNCATE parts",
                "TRUNCATE tasks",
            ][id - 1]
                .into(),
            _ => format!("INSERT INTO drafts VALUES ({id}, {user}) ON CONFLICT DO NOTHING"),
        }
    };
    let first = statement();
    let second = statement();
    let third = statement();
    match random.below(6) {
        0 => format!("BEGIN; {first}; SAVEPOINT s; {second}; ROLLBACK TO s; {third}; COMMIT"),
        1 => format!("BEGIN; {first}; {second}; ROLLBACK"),
        2 => format!("BEGIN; {first}; {second}; {third}; COMMIT"),
        _ => first,
    }
}

#[tokio::test]
async fn results_equal_those_of_separate_queries_with_replication() {
    compare("replication", 0.3, 1).await;
    // Without comparisons of snapshots, and so without the unlogged table.
    compare("replication", 3600.0, 2).await;
}

#[tokio::test]
async fn results_equal_those_of_separate_queries_with_triggers() {
    compare("triggers", 0.5, 3).await;
}

#[tokio::test]
async fn results_equal_those_of_separate_queries_with_snapshots() {
    compare("snapshot", 0.1, 4).await;
}

#[tokio::test]
async fn loss_of_the_slot_or_the_publication_loses_no_change() {
    let service = Service::with(&[OFTEN]).await;
    publish(&service).await;
    let mut socket = WebSocket::of(&service, "author", 1).await;
    socket
        .start(
            "1",
            "subscription { articles(order_by: {id: asc}) { id title } }",
        )
        .await;
    socket.result("1").await;
    for round in 0..3 {
        following(&service).await;
        let processes = slot_processes(&service).await;
        assert_eq!(processes.len(), 1);
        run(
            &service,
            &format!(
                "SELECT pg_terminate_backend({}); UPDATE articles SET title = 'round {round}' \
                 WHERE id = 1",
                processes[0]
            ),
        )
        .await;
        let began = Instant::now();
        assert_eq!(
            socket.result("1").await["articles"][0]["title"],
            format!("round {round}")
        );
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
        tests::wait::until("another slot", async || {
            slot_processes(&service)
                .await
                .iter()
                .any(|new| *new != processes[0])
        })
        .await;
    }
    following(&service).await;
    run(
        &service,
        "DROP PUBLICATION postern; UPDATE articles SET title = 'unpublished' WHERE id = 1",
    )
    .await;
    let began = Instant::now();
    assert_eq!(
        socket.result("1").await["articles"][0]["title"],
        "unpublished"
    );
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    run(&service, "UPDATE articles SET title = 'again' WHERE id = 1").await;
    assert_eq!(socket.result("1").await["articles"][0]["title"], "again");
    publish(&service).await;
    following(&service).await;
    run(
        &service,
        "UPDATE articles SET title = 'republished' WHERE id = 1",
    )
    .await;
    assert_eq!(
        socket.result("1").await["articles"][0]["title"],
        "republished"
    );
    drop(socket);
    tests::wait::until("no slot without subscribers", async || {
        slot_processes(&service).await.is_empty()
    })
    .await;
}

#[tokio::test]
async fn write_through_one_gateway_is_seen_by_subscribers_of_the_other() {
    let service = Service::with(&[NEVER]).await;
    publish(&service).await;
    let builder = tests::gateway()
        .database_url(service.database.url())
        .admin_secret(ADMIN_SECRET)
        .listen("127.0.0.1:0");
    let builder = builder
        .setting(NEVER.0, NEVER.1)
        .permissions_text("service.toml", PERMISSIONS);
    let other = builder.start().await.unwrap();
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket
        .start("1", "subscription { articles_by_pk(id: 4) { title } }")
        .await;
    assert_eq!(socket.result("1").await, json!({"articles_by_pk": null}));
    let mut second = WebSocket::open(
        other.address(),
        Some(TRANSPORT),
        &[
            ("X-Gateway-Admin-Secret", ADMIN_SECRET),
            ("X-Gateway-Role", "reader"),
        ],
    )
    .await;
    second.init(&json!({})).await;
    second.message().await;
    second
        .start("1", "subscription { articles_by_pk(id: 4) { title } }")
        .await;
    second.result("1").await;
    following(&service).await;
    tests::wait::until("two slots", async || {
        slot_processes(&service).await.len() == 2
    })
    .await;
    let insert =
        "mutation { insert_articles_one(object: {id: 4, author_id: 1, title: \"fourth\"}) { id } }";
    let post = service
        .client
        .post(format!("{}/v1/graphql", other.url()))
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
    let reply = send(
        post.header("X-Gateway-Role", "reader")
            .json(&json!({"query": insert})),
    )
    .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    for socket in [&mut socket, &mut second] {
        assert_eq!(
            socket.result("1").await,
            json!({"articles_by_pk": {"title": "fourth"}})
        );
    }
}

#[tokio::test]
async fn forced_source_that_is_impossible_stops_the_start() {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    for (source, missing) in [
        ("replication", "no publication `postern`"),
        ("triggers", "no triggers"),
    ] {
        let builder = tests::gateway()
            .database_url(database.url())
            .admin_secret(ADMIN_SECRET)
            .listen("127.0.0.1:0");
        let error = builder
            .setting("subscription-source", source)
            .start()
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("`subscription_source` is `{source}`"))
                && error.contains(missing),
            "{error}"
        );
    }
}

#[tokio::test]
async fn tables_without_replica_identity_are_not_published_and_seen_by_snapshots() {
    let schema = format!(
        "{SCHEMA} CREATE TABLE plain (id int, text text); INSERT INTO plain VALUES (1, 'a');"
    );
    let permissions = format!(
        "{PERMISSIONS}\n[table.plain.role.reader]\nselect = {{ columns = \
                               \"*\", rows = \"true\" }}\n"
    );
    let service = Service::of_tables(&schema, &permissions, "subscription_interval = 0.2\n").await;
    for _ in 0..2 {
        publish(&service).await;
    }
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.start("1", "subscription { plain { text } }").await;
    socket.result("1").await;
    following(&service).await;
    run(&service, "UPDATE plain SET text = 'b'").await;
    assert_eq!(socket.result("1").await, json!({"plain": [{"text": "b"}]}));
}

#[tokio::test]
async fn rows_of_a_partition_that_was_made_later_are_seen() {
    let service =
        Service::of_tables(TABLES, TABLE_PERMISSIONS, "subscription_interval = 3600\n").await;
    publish(&service).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let query = "subscription { parts(where: {owner: {_eq: 7}}, order_by: {id: asc}) { id } }";
    socket.start("1", query).await;
    assert_eq!(socket.result("1").await, json!({"parts": []}));
    following(&service).await;
    run(
        &service,
        "CREATE TABLE parts_7 PARTITION OF parts FOR VALUES IN (7); INSERT INTO parts \
                   VALUES (1, 7)",
    )
    .await;
    assert_eq!(socket.result("1").await, json!({"parts": [{"id": 1}]}));
    run(
        &service,
        "UPDATE parts_7 SET id = 2; INSERT INTO parts VALUES (1, 1)",
    )
    .await;
    assert_eq!(socket.result("1").await, json!({"parts": [{"id": 2}]}));
    run(&service, "TRUNCATE parts_7").await;
    assert_eq!(socket.result("1").await, json!({"parts": []}));
    // A table that becomes a partition brings rows that no transaction has changed.
    run(
        &service,
        "CREATE TABLE parts_8 (LIKE parts INCLUDING ALL); INSERT INTO parts_8 VALUES \
                   (8, 7); DROP TABLE parts_7; \
                   ALTER TABLE parts ATTACH PARTITION parts_8 FOR VALUES IN (7, 8)",
    )
    .await;
    assert_eq!(socket.result("1").await, json!({"parts": [{"id": 8}]}));
}

#[tokio::test]
async fn explain_names_the_columns_by_which_rows_are_matched() {
    let database = tests::create("replicated", &[TABLES]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let permissions = folder.path().join("p.toml");
    let document = folder.path().join("d.graphql");
    std::fs::write(&permissions, TABLE_PERMISSIONS).unwrap();
    let explain = |role: &str, query: &str| {
        std::fs::write(&document, query).unwrap();
        let mut command = tests::binary::command(&[]);
        command.args([
            "explain",
            "--subscription",
            "--role",
            role,
            "--session",
            "user_id=1",
            "--variables",
            r#"{"v": 1}"#,
        ]);
        command
            .args(["--database-url", database.url()])
            .arg("--permissions")
            .arg(&permissions)
            .arg(&document);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("-- runs again after writes to "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let with_list =
        "subscription ($v: Int!) { notes_by_pk(id: $v) { id tasks(order_by: {id: asc}) { id } } }";
    assert_eq!(
        explain("reader", with_list),
        [
            "notes; rows touch the subscribers with id = $1",
            "tasks; rows touch the subscribers with note_id = $1"
        ]
    );
    let identity =
        "but updated and deleted ones all of them: no such column is in the replica identity";
    assert_eq!(
        explain("author", "subscription { notes { id } }"),
        [format!(
            "notes; rows touch the subscribers with user_id = $1, {identity}"
        )]
    );
    assert_eq!(
        explain(
            "reader",
            "subscription ($v: Int!) { notes(where: {id: {_gt: $v}}) { id } }"
        ),
        ["notes; any row touches all subscribers: no column has to equal a parameter"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn restart_of_postgres_loses_no_change() {
    let folder = tempfile::tempdir().unwrap();
    // Postgres runs as another user, who has to be able to enter its folder.
    std::fs::set_permissions(
        folder.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let data_dir = Some(folder.path().join("data"));
    let options = Options {
        data_dir,
        ..tests::database::cluster_options()
    };
    let mut cluster = Cluster::start(options.clone()).unwrap();
    let client = tests::database::connect(&cluster.url("postgres"))
        .await
        .unwrap();
    client
        .batch_execute(&format!("{SCHEMA}; {}", migrations::REPLICATION))
        .await
        .unwrap();
    let proxy = super::switch::Switch::start(cluster.port()).await;
    let through = proxy.url(&cluster.url("postgres"));
    let builder = tests::gateway()
        .database_url(&through)
        .admin_secret(ADMIN_SECRET)
        .listen("127.0.0.1:0");
    let builder = builder
        .setting(OFTEN.0, OFTEN.1)
        .permissions_text("service.toml", PERMISSIONS);
    let running = builder.start().await.unwrap();
    let headers = [
        ("X-Gateway-Admin-Secret", ADMIN_SECRET),
        ("X-Gateway-Role", "reader"),
    ];
    let mut socket = WebSocket::open(running.address(), Some(TRANSPORT), &headers).await;
    socket.init(&json!({})).await;
    socket.message().await;
    socket
        .start("1", "subscription { articles_by_pk(id: 1) { title } }")
        .await;
    socket.result("1").await;
    let slot = "SELECT count(*) = 1 FROM pg_replication_slots WHERE active";
    tests::wait::until("a slot", async || {
        client.query_one(slot, &[]).await.unwrap().get(0)
    })
    .await;
    drop(client);
    let began = Instant::now();
    cluster.stop();
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "the stream holds up the shutdown: {:?}",
        began.elapsed()
    );
    let again = Cluster::start(options).unwrap();
    let client = tests::database::connect(&again.url("postgres"))
        .await
        .unwrap();
    client
        .batch_execute("UPDATE articles SET title = 'after' WHERE id = 1")
        .await
        .unwrap();
    proxy.lead_to(again.port());
    let began = Instant::now();
    assert_eq!(
        socket.result("1").await,
        json!({"articles_by_pk": {"title": "after"}})
    );
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    tests::wait::until("a new slot", async || {
        client.query_one(slot, &[]).await.unwrap().get(0)
    })
    .await;
}

/// A cluster of its own with the tables and the publication, and a client of it: a transaction that
/// stays open holds up every new slot of its cluster.
pub(super) async fn own_cluster(slots: &str) -> (Cluster, tokio_postgres::Client) {
    let settings = [("wal_level", "logical"), ("max_replication_slots", slots)];
    let settings = settings
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let start = move || {
        Cluster::start(Options {
            settings,
            ..Options::default()
        })
        .unwrap()
    };
    let cluster = tokio::task::spawn_blocking(start).await.unwrap();
    let client = tests::database::connect(&cluster.url("postgres"))
        .await
        .unwrap();
    client
        .batch_execute(&format!("{SCHEMA}; {}", migrations::REPLICATION))
        .await
        .unwrap();
    (cluster, client)
}

/// A gateway over such a cluster, and a socket whose subscription has its first result.
async fn subscribed(
    cluster: &Cluster,
    source: &str,
) -> (gateway::server::GatewayHandle, WebSocket) {
    subscribed_with(cluster, source, &[]).await
}

/// The same with further settings.
async fn subscribed_with(
    cluster: &Cluster,
    source: &str,
    settings: &[(&str, &str)],
) -> (gateway::server::GatewayHandle, WebSocket) {
    let builder = tests::gateway()
        .database_url(&cluster.url("postgres"))
        .admin_secret(ADMIN_SECRET)
        .listen("127.0.0.1:0");
    let builder = builder
        .setting(OFTEN.0, OFTEN.1)
        .setting("subscription-source", source);
    let builder = settings.iter().fold(builder, |builder, (name, value)| {
        builder.setting(name, value)
    });
    let running = builder
        .permissions_text("service.toml", PERMISSIONS)
        .start()
        .await
        .unwrap();
    let mut socket = WebSocket::reader_at(running.address(), TRANSPORT).await;
    socket
        .start("1", "subscription { articles_by_pk(id: 1) { title } }")
        .await;
    socket.result("1").await;
    (running, socket)
}

const SLOTS: &str = "SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE 'postern%'";

#[tokio::test(flavor = "multi_thread")]
async fn forced_replication_begins_once_there_is_a_free_slot() {
    let (cluster, client) = own_cluster("1").await;
    client
        .batch_execute("SELECT pg_create_physical_replication_slot('taken')")
        .await
        .unwrap();
    let (_running, mut socket) = subscribed(&cluster, "replication").await;
    client
        .batch_execute("UPDATE articles SET title = 'by snapshot' WHERE id = 1")
        .await
        .unwrap();
    assert_eq!(
        socket.result("1").await,
        json!({"articles_by_pk": {"title": "by snapshot"}})
    );
    client
        .batch_execute("SELECT pg_drop_replication_slot('taken')")
        .await
        .unwrap();
    tests::wait::until("a slot", async || {
        client.query_one(SLOTS, &[]).await.unwrap().get::<_, i64>(0) == 1
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slot_that_waits_for_an_old_transaction_delays_no_result_and_ends_with_its_subscribers() {
    let (cluster, client) = own_cluster("4").await;
    let old = tests::database::connect(&cluster.url("postgres"))
        .await
        .unwrap();
    old.batch_execute("BEGIN; INSERT INTO authors VALUES (90, 'open')")
        .await
        .unwrap();
    let (_running, mut socket) = subscribed(&cluster, "auto").await;
    let slots = async || client.query_one(SLOTS, &[]).await.unwrap().get::<_, i64>(0);
    tests::wait::until("a slot is being created", async || slots().await == 1).await;
    let began = Instant::now();
    client
        .batch_execute("UPDATE articles SET title = 'by snapshot' WHERE id = 1")
        .await
        .unwrap();
    assert_eq!(
        socket.result("1").await,
        json!({"articles_by_pk": {"title": "by snapshot"}})
    );
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    drop(socket);
    tests::wait::until("no slot is left", async || slots().await == 0).await;
    old.batch_execute("COMMIT").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn slot_that_is_too_far_behind_is_dropped_and_snapshots_take_over() {
    let (cluster, client) = own_cluster("4").await;
    let limits = [
        ("subscription-slot-lag", "1000000"),
        ("subscription-slot-interval", "0.2"),
    ];
    let (running, mut socket) = subscribed_with(&cluster, "auto", &limits).await;
    let is_source = async |source: &str| {
        let metrics = send(reqwest::Client::new().get(format!("{}/metrics", running.url())))
            .await
            .text;
        metrics
            .lines()
            .any(|line| line == format!("postern_subscription_source{{source=\"{source}\"}} 1"))
    };
    tests::wait::until("replication", async || is_source("replication").await).await;
    let slots = async || client.query_one(SLOTS, &[]).await.unwrap().get::<_, i64>(0);

    // An open transaction keeps the slot from letting go of the WAL that others write.
    let old = tests::database::connect(&cluster.url("postgres"))
        .await
        .unwrap();
    old.batch_execute("BEGIN; INSERT INTO authors VALUES (90, 'open')")
        .await
        .unwrap();
    let write = async |title: &str| {
        client
            .batch_execute(&format!(
                "UPDATE articles SET title = '{title}' WHERE id = 1"
            ))
            .await
            .unwrap();
    };
    write("by replication").await;
    assert_eq!(
        socket.result("1").await,
        json!({"articles_by_pk": {"title": "by replication"}})
    );
    client
        .batch_execute("SELECT pg_logical_emit_message(false, 'filler', repeat('x', 2000000))")
        .await
        .unwrap();
    tests::wait::until("the slot is dropped", async || slots().await == 0).await;
    tests::wait::until("snapshots", async || is_source("snapshot").await).await;
    write("by snapshot").await;
    assert_eq!(
        socket.result("1").await,
        json!({"articles_by_pk": {"title": "by snapshot"}})
    );

    old.batch_execute("COMMIT").await.unwrap();
    tests::wait::until("replication again", async || is_source("replication").await).await;
    write("by replication again").await;
    assert_eq!(
        socket.result("1").await,
        json!({"articles_by_pk": {"title": "by replication again"}})
    );
}
