//! Many requests that are late and many whose clients hang up, among others on the same few connections: whoever cancels,
//! cancels its own statement and nobody else's.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::json;
use tests::reply::Reply;

use super::service::{Service, send};
use super::socket::Socket;

/// Statements of the hasty end about when their time does, so that a cancel request is often late.
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
    [table.authors.role.reader]\nselect = { columns = \"*\", rows = \"true\" }\n\
    [table.steady.role.reader]\nselect = { columns = \"*\", rows = \"true\" }\n\
    [table.hurried.role.reader]\nselect = { columns = \"*\", rows = \"true\" }\n\
    [table.hurried.role.hasty]\nselect = { columns = \"*\", rows = \"true\" }\n\
    [table.written.role.hasty]\ninsert = { columns = \"*\", check = \"true\" }\nselect = { columns = \"*\", rows = \"true\" }\n\
    [table.written.role.reader]\ninsert = { columns = \"*\", check = \"true\" }\nselect = { columns = \"*\", rows = \"true\" }\n";

/// How many of each kind, and how many of all at once.
const REQUESTS: usize = 250;
const AT_ONCE: usize = 16;

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Answered,
    Late,
    HungUp,
}

/// The request for a row of a view, as JSON.
fn body(view: &str, id: usize) -> String {
    let query = format!("query ($id: Int!) {{ {view}(where: {{id: {{_eq: $id}}}}) {{ id mark slept }} }}");
    json!({"query": query, "variables": {"id": id}}).to_string()
}

/// Fails unless the answer is about that row.
#[track_caller]
fn is_right(reply: &Reply, view: &str, id: usize) {
    let row = &reply.data()[view][0];
    assert_eq!((&row["id"], &row["mark"]), (&json!(id), &json!(format!("mark {}", id * 7919))), "{}", reply.text);
}

/// Fails unless the answer says that the time is over.
#[track_caller]
fn is_late(reply: &Reply) {
    let told = "the request took longer than the limit of 0.02 seconds";
    assert_eq!(reply.error(), (504, "limit-exceeded".to_owned(), told.to_owned()), "{}", reply.text);
}

async fn ask(service: &Service, role: &str, body: String) -> Reply {
    send(service.by(role).header("Content-Type", "application/json").body(body)).await
}

/// Somebody in no hurry.
async fn steady(service: &Service, id: usize) -> Fate {
    is_right(&ask(service, "reader", body("steady", id)).await, "steady", id);
    Fate::Answered
}

/// Somebody with little time.
async fn hasty(service: &Service, id: usize) -> Fate {
    let reply = ask(service, "hasty", body("hurried", id)).await;
    if reply.status == 504 {
        is_late(&reply);
        return Fate::Late;
    }
    is_right(&reply, "hurried", id);
    Fate::Answered
}

/// Somebody with little time who writes.
async fn writer(service: &Service, role: &str, id: usize) -> Fate {
    let query = format!("mutation {{ insert_written(objects: [{{id: {id}}}]) {{ affected_rows }} }}");
    let reply = ask(service, role, json!({"query": query}).to_string()).await;
    if role == "hasty" && reply.status == 504 {
        is_late(&reply);
        return Fate::Late;
    }
    assert_eq!(reply.data(), json!({"insert_written": {"affected_rows": 1}}), "{}", reply.text);
    Fate::Answered
}

/// Somebody who goes away, sometimes before the statement runs and sometimes when it is nearly done.
async fn fickle(service: &Service, id: usize) -> Fate {
    let mut socket = Socket::connect(service.address()).await;
    socket.post("", body("hurried", id).as_bytes()).await;
    tokio::time::sleep(Duration::from_millis((id * 37 % 50) as u64)).await;
    Fate::HungUp
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_is_late_or_gone_disturbs_nobody() {
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
    let fates: Vec<(usize, usize, Fate)> = fates.buffer_unordered(AT_ONCE).collect().await;
    let many = |kind: usize, fate: Fate| fates.iter().filter(|(k, _, f)| (*k, *f) == (kind, fate)).count();
    assert_eq!((many(0, Fate::Answered), many(4, Fate::Answered)), (REQUESTS, REQUESTS));
    assert!(many(1, Fate::Late) > 0 && many(3, Fate::Late) > 0, "nobody was late: the test shows nothing");
    // What was told to be written is, whatever was cancelled beside it.
    let written = ask(service, "reader", json!({"query": "{ written { id } }"}).to_string()).await.data();
    let ids: Vec<u64> = written["written"].as_array().unwrap().iter().map(|row| row["id"].as_u64().unwrap()).collect();
    for (kind, id, _) in fates.iter().filter(|(kind, _, fate)| *kind >= 3 && *fate == Fate::Answered) {
        let id = if *kind == 4 { id + REQUESTS } else { *id };
        assert!(ids.contains(&(id as u64)), "{id} was written and is not there");
    }
    settled(service).await;
    service.is_well().await;
}

/// Waits until nothing is left behind: no statement, no transaction, no connection beyond those of the pool.
async fn settled(service: &Service) {
    let client = service.database.connect().await.unwrap();
    let left = "SELECT count(*) FILTER (WHERE state <> 'idle'), count(*) FROM pg_stat_activity \
                WHERE datname = current_database() AND application_name = 'postern'";
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let row = client.query_one(left, &[]).await.unwrap();
        let (busy, all): (i64, i64) = (row.get(0), row.get(1));
        if busy == 0 && all <= 3 {
            return;
        }
        assert!(Instant::now() < end, "{busy} of {all} connections are busy");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
