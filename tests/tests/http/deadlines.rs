//! Tests many requests that exceed their time limit and many whose clients disconnect, together
//! with others on a few connections: cancelling affects only the request's own statement.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::json;
use tests::reply::Reply;
use tests::reply::ReplyError;

use super::service::{Service, send};
use super::socket::Socket;

/// The statements of the role `hasty` end at about their time limit, so that a cancel request often
/// arrives late.
const SCHEMA: &str = "\
    CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL);
    INSERT INTO authors VALUES (1, 'Ada'), (2, 'Bob');
    CREATE TABLE marks (id int PRIMARY KEY, mark text NOT NULL);
    INSERT INTO marks SELECT n, 'mark ' || n * 7919 FROM generate_series(1, 1000) n;
    CREATE VIEW steady AS SELECT id, mark, pg_sleep(0.004)::text AS slept FROM marks;
    CREATE VIEW hurried AS SELECT id, mark, pg_sleep(0.05 * random())::text AS slept FROM marks;
    CREATE TABLE written (id int PRIMARY KEY);
    CREATE FUNCTION dally() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.04 * random()); RETURN NEW; END $$;
    CREATE TRIGGER dally BEFORE INSERT ON written FOR EACH ROW EXECUTE FUNCTION dally();";

const PERMISSIONS: &str = "\
                           [naming]\nconvention = \"snake\"\n\
                           [table.authors.role.reader]\nselect = { columns = \"*\", rows = \
                           \"true\" }\n\
                           [table.steady.role.reader]\nselect = { columns = \"*\", rows = \
                           \"true\" }\n\
                           [table.hurried.role.reader]\nselect = { columns = \"*\", rows = \
                           \"true\" }\n\
                           [table.hurried.role.hasty]\nselect = { columns = \"*\", rows = \
                           \"true\" }\n\
                           [table.written.role.hasty]\ninsert = { columns = \"*\", check = \
                           \"true\" }\nselect = { columns = \"*\", rows = \"true\" }\n\
                           [table.written.role.reader]\ninsert = { columns = \"*\", check = \
                           \"true\" }\nselect = { columns = \"*\", rows = \"true\" }\n";

/// How many requests of each kind, and how many in parallel.
const REQUESTS: usize = 250;
const AT_ONCE: usize = 16;

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestOutcome {
    Answered,
    Late,
    HungUp,
}

/// The JSON of a request for a row of a view.
fn body(view: &str, id: usize) -> String {
    let query =
        format!("query ($id: Int!) {{ {view}(where: {{id: {{_eq: $id}}}}) {{ id mark slept }} }}");
    json!({"query": query, "variables": {"id": id}}).to_string()
}

/// Fails unless the reply contains that row.
#[track_caller]
fn is_right(reply: &Reply, view: &str, id: usize) {
    let row = &reply.data()[view][0];
    assert_eq!(
        (&row["id"], &row["mark"]),
        (&json!(id), &json!(format!("mark {}", id * 7919))),
        "{}",
        reply.text
    );
}

/// Fails unless the reply says that the time limit was exceeded.
#[track_caller]
fn is_late(reply: &Reply) {
    let message = "the request took longer than the limit of 0.02 seconds";
    assert_eq!(
        reply.error(),
        ReplyError::new(504, "limit-exceeded", message),
        "{}",
        reply.text
    );
}

async fn ask(service: &Service, role: &str, body: String) -> Reply {
    send(
        service
            .by(role)
            .header("Content-Type", "application/json")
            .body(body),
    )
    .await
}

/// A request with enough time.
async fn steady(service: &Service, id: usize) -> RequestOutcome {
    is_right(
        &ask(service, "reader", body("steady", id)).await,
        "steady",
        id,
    );
    RequestOutcome::Answered
}

/// A request with a short time limit.
async fn hasty(service: &Service, id: usize) -> RequestOutcome {
    let reply = ask(service, "hasty", body("hurried", id)).await;
    if reply.status == 504 {
        is_late(&reply);
        return RequestOutcome::Late;
    }
    is_right(&reply, "hurried", id);
    RequestOutcome::Answered
}

/// A mutation with the time limit of its role.
async fn writer(service: &Service, role: &str, id: usize) -> RequestOutcome {
    let query =
        format!("mutation {{ insert_written(objects: [{{id: {id}}}]) {{ affected_rows }} }}");
    let reply = ask(service, role, json!({"query": query}).to_string()).await;
    if role == "hasty" && reply.status == 504 {
        is_late(&reply);
        return RequestOutcome::Late;
    }
    assert_eq!(
        reply.data(),
        json!({"insert_written": {"affected_rows": 1}}),
        "{}",
        reply.text
    );
    RequestOutcome::Answered
}

/// A client that disconnects, sometimes before the statement runs and sometimes when it is nearly
/// done.
async fn fickle(service: &Service, id: usize) -> RequestOutcome {
    let mut socket = Socket::connect(service.address()).await;
    socket.post("", body("hurried", id).as_bytes()).await;
    tokio::time::sleep(Duration::from_millis((id * 37 % 50) as u64)).await;
    RequestOutcome::HungUp
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancelled_requests_do_not_affect_others() {
    let file = "pool_size = 3\n[bounds.role.hasty]\ntime = 0.02\n";
    let service = Service::of_tables(SCHEMA, PERMISSIONS, file).await;
    let requests = (1..=REQUESTS).flat_map(|id| (0..5).map(move |kind| (kind, id)));
    let service = &service;
    let fates = stream::iter(requests).map(async |(kind, id)| match kind {
        0 => (kind, id, steady(service, id).await),
        1 => (kind, id, hasty(service, id).await),
        2 => (kind, id, fickle(service, id).await),
        3 => (kind, id, writer(service, "hasty", id).await),
        _ => (kind, id, writer(service, "reader", id + REQUESTS).await),
    });
    let fates: Vec<(usize, usize, RequestOutcome)> =
        fates.buffer_unordered(AT_ONCE).collect().await;
    let many = |kind: usize, fate: RequestOutcome| {
        fates
            .iter()
            .filter(|(k, _, f)| (*k, *f) == (kind, fate))
            .count()
    };
    assert_eq!(
        (
            many(0, RequestOutcome::Answered),
            many(4, RequestOutcome::Answered)
        ),
        (REQUESTS, REQUESTS)
    );
    assert!(
        many(1, RequestOutcome::Late) > 0 && many(3, RequestOutcome::Late) > 0,
        "no request was late: the test shows nothing"
    );
    // Every confirmed write is stored, whatever was cancelled beside it.
    let written = ask(
        service,
        "reader",
        json!({"query": "{ written { id } }"}).to_string(),
    )
    .await
    .data();
    let ids: Vec<u64> = written["written"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_u64().unwrap())
        .collect();
    for (kind, id, _) in fates
        .iter()
        .filter(|(kind, _, fate)| *kind >= 3 && *fate == RequestOutcome::Answered)
    {
        let id = if *kind == 4 { id + REQUESTS } else { *id };
        assert!(
            ids.contains(&(id as u64)),
            "{id} was written and is not there"
        );
    }
    settled(service).await;
    service.is_well().await;
}

/// Waits until nothing is left: no statement, no transaction, no connection beyond those of the
/// pool.
async fn settled(service: &Service) {
    let client = service.database.connect().await.unwrap();
    let left = "SELECT count(*) FILTER (WHERE state <> 'idle'), count(*) FROM pg_stat_activity \
                WHERE datname = current_database() AND application_name = 'postern'";
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let row = client.query_one(left, &[]).await.unwrap();
        let busy: i64 = row.get(0);
        let all: i64 = row.get(1);
        if busy == 0 && all <= 3 {
            return;
        }
        assert!(Instant::now() < end, "{busy} of {all} connections are busy");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
