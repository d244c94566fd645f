//! Tests short reads that run in groups: each request gets the rows of its own session and
//! variables, and a read that fails, waits or belongs to a client that is gone ends none of the
//! others.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::service::{Service, gauge, send};
use super::socket::Socket;

const TABLES: &str = "\
                      CREATE TABLE notes (id int PRIMARY KEY, owner int NOT NULL, body text NOT \
                      NULL); \
                      INSERT INTO notes SELECT g, g % 7, 'note ' || g FROM generate_series(1, \
                      500) g; \
                      CREATE TABLE ratios (id int PRIMARY KEY, value int NOT NULL); \
                      INSERT INTO ratios SELECT g, g % 10 FROM generate_series(1, 100) g; \
                      CREATE FUNCTION is_open(id int) RETURNS bool LANGUAGE plpgsql VOLATILE AS \
                      'BEGIN RETURN id > 0; END'; \
                      CREATE TABLE doors (id int PRIMARY KEY); INSERT INTO doors VALUES (1); \
                      ANALYZE;";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
user_id = "int"
[table.notes.role.reader]
select = { columns = "*", rows = "owner = session.user_id" }
[table.ratios.role.reader]
select = { columns = "*", rows = "100 / value > 0" }
[table.doors.role.reader]
select = { columns = "*", rows = "is_open(id)" }
"#;

/// One connection for groups, so that reads wait for each other.
const SETTINGS: &str = "read_group_connections = 1\n";

const NOTE: &str = "query ($id: Int!) { notes_by_pk(id: $id) { id owner body } }";

async fn service(settings: &str) -> Service {
    let service = Service::of_tables(TABLES, PERMISSIONS, settings).await;
    warm_up(&service, NOTE).await;
    service
}

/// Runs a read until it runs in groups, if it ever does.
async fn warm_up(service: &Service, query: &str) {
    for _ in 0..8 {
        send(by_user(service, 1, query, 1)).await.data();
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
}

fn by_user(service: &Service, user: usize, query: &str, id: usize) -> RequestBuilder {
    service.by_user(user, query, &json!({"id": id}))
}

/// The row that a user may see.
fn note(user: usize, id: usize) -> Value {
    let row = json!({"id": id, "owner": user, "body": format!("note {id}")});
    json!({ "notes_by_pk": if id % 7 == user && (1..=500).contains(&id) { row } else { Value::Null } })
}

/// Sends reads of many users at the same time, and compares each response with the rows of its own
/// user.
async fn compare(service: &Service, reads: usize) {
    let responses = stream::iter(0..reads).map(|number| async move {
        let user = number % 7;
        let id = (number * 31) % 600;
        (
            user,
            id,
            send(by_user(service, user, NOTE, id)).await.data(),
        )
    });
    let wrong = responses.buffer_unordered(64).filter(|(user, id, data)| {
        let is_wrong = *data != note(*user, *id);
        async move { is_wrong }
    });
    assert_eq!(wrong.collect::<Vec<_>>().await, []);
}

async fn counts(service: &Service) -> (f64, f64) {
    (
        gauge(&service.gateway, "grouped_reads_total").await,
        gauge(&service.gateway, "read_groups_total").await,
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn grouped_reads_return_the_rows_of_their_own_session() {
    let service = service(SETTINGS).await;
    compare(&service, 3000).await;
    let (reads, groups) = counts(&service).await;
    assert!(
        reads > 1000.0 && groups < reads,
        "{reads} reads in {groups} groups"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_within_narrow_shares_are_all_answered() {
    for shares in [
        "pool_role_limit = 1\n",
        "pool_client_limit = 1\n",
        "pool_role_limit = 2\npool_client_limit = 1\n",
    ] {
        let service = service(&format!(
            "pool_size = 6\nread_group_connections = 3\n{shares}"
        ))
        .await;
        compare(&service, 1000).await;
        let (reads, groups) = counts(&service).await;
        assert!(
            reads > 100.0 && groups < reads,
            "{shares}: {reads} reads in {groups} groups"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_read_is_grouped_without_connections_for_groups() {
    let service = service("read_group_connections = 0\n").await;
    compare(&service, 300).await;
    assert_eq!(counts(&service).await, (0.0, 0.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn read_that_calls_a_volatile_function_runs_alone() {
    let service = Service::of_tables(TABLES, PERMISSIONS, SETTINGS).await;
    let door = "query ($id: Int!) { doors_by_pk(id: $id) { id } }";
    warm_up(&service, door).await;
    warm_up(&service, door).await;
    assert_eq!(counts(&service).await, (0.0, 0.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn read_with_a_pattern_runs_alone() {
    let service = Service::of_tables(TABLES, PERMISSIONS, SETTINGS).await;
    let matching = |operator: &str| {
        let condition = format!("{{id: {{_eq: $id}}, body: {{{operator}: \"n.*e\"}}}}");
        format!("query ($id: Int!) {{ notes(where: {condition}, limit: 1) {{ id }} }}")
    };
    for operator in ["_regex", "_ilike", "_similar"] {
        warm_up(&service, &matching(operator)).await;
        warm_up(&service, &matching(operator)).await;
    }
    assert_eq!(counts(&service).await, (0.0, 0.0));
    warm_up(&service, &matching("_eq")).await;
    warm_up(&service, &matching("_eq")).await;
    assert!(counts(&service).await.0 > 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn read_that_fails_ends_no_other_read() {
    let service = service(SETTINGS).await;
    let mut failed = 0;
    for round in 0..20 {
        // Each text is a document of its own: one that has failed runs alone for a while.
        let ratio = format!("query R{round}($id: Int!) {{ ratios_by_pk(id: $id) {{ id value }} }}");
        warm_up_fast(&service, &ratio).await;
        let reads = stream::iter(0..40).map(|number| {
            let service = &service;
            let ratio = ratio.as_str();
            async move {
                if number % 20 == 7 {
                    return send(by_user(service, 1, ratio, 10)).await.json()["errors"].is_array();
                }
                assert_eq!(send(by_user(service, 1, NOTE, 8)).await.data(), note(1, 8));
                false
            }
        });
        failed += reads
            .buffer_unordered(40)
            .filter(|is_failed| std::future::ready(*is_failed))
            .count()
            .await;
    }
    assert_eq!(failed, 40, "each of the reads that divide by zero");
}

async fn warm_up_fast(service: &Service, query: &str) {
    for _ in 0..6 {
        send(by_user(service, 1, query, 1)).await.data();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn locked_table_holds_up_no_read_of_another() {
    let service = service(SETTINGS).await;
    let ratio = "query ($id: Int!) { ratios_by_pk(id: $id) { id value } }";
    warm_up(&service, ratio).await;
    let client = service.database.connect().await.unwrap();
    client
        .batch_execute("BEGIN; LOCK TABLE ratios")
        .await
        .unwrap();
    let waiting = tokio::spawn(by_user(&service, 1, ratio, 3).send());
    service.database.until_waiting(1, "relation").await;
    let began = Instant::now();
    compare(&service, 300).await;
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    assert!(!waiting.is_finished());
    client.batch_execute("COMMIT").await.unwrap();
    let reply = waiting
        .await
        .unwrap()
        .unwrap()
        .json::<Value>()
        .await
        .unwrap();
    assert_eq!(
        reply,
        json!({"data": {"ratios_by_pk": {"id": 3, "value": 3}}})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn client_that_disconnects_ends_no_read_of_others() {
    let service = service(SETTINGS).await;
    let body = json!({"query": NOTE, "variables": {"id": 1}}).to_string();
    let leaving = async {
        for _ in 0..300 {
            let mut socket = Socket::connect(service.address()).await;
            socket
                .post("X-Gateway-User-Id: 1\r\n", body.as_bytes())
                .await;
        }
    };
    tokio::join!(leaving, compare(&service, 3000));
    service.until_idle().await;
    compare(&service, 100).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_connection_fails_no_read() {
    let service = service(SETTINGS).await;
    tokio::join!(service.lose_connections(), compare(&service, 3000));
}

#[tokio::test(flavor = "multi_thread")]
async fn read_that_returns_much_runs_alone_afterwards() {
    let service = service(SETTINGS).await;
    let client = service.database.connect().await.unwrap();
    client
        .batch_execute("UPDATE notes SET body = repeat('x', 3000000) WHERE id = 8")
        .await
        .unwrap();
    for _ in 0..5 {
        let data = send(by_user(&service, 1, NOTE, 8)).await.data();
        assert_eq!(
            data["notes_by_pk"]["body"].as_str().unwrap().len(),
            3_000_000
        );
    }
    let before = counts(&service).await;
    compare(&service, 50).await;
    assert_eq!(counts(&service).await, before);
}
