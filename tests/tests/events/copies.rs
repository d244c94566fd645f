//! A copy of a database, made by `pg_dump` and `pg_restore`, has the queue, the triggers and the
//! schedules of the original. Gateways of the copy deliver nothing while `deliver` is false.

use std::process::Command;

use tests::wait::until;

use super::receiver::{Received, Receiver};
use super::service::{builder, migrated, start};

/// Runs a program of Postgres; false if this installation does not have it.
fn run(program: &str, arguments: &[&str]) -> bool {
    let path = cluster::find_binaries().unwrap().join(program);
    if !path.is_file() {
        eprintln!("skipped: this installation of Postgres has no `{program}`");
        return false;
    }
    let output = Command::new(path).args(arguments).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {error}");
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copy_delivers_nothing_while_deliver_is_false() {
    let receiver = Receiver::start(vec![]).await;
    let tables = format!(
        "[event.order_placed]\ntable = \"orders\"\ninsert = true\nwebhook = \"{url}\"\n\
         [cron.each_second]\nschedule = \"* * * * * *\"\nwebhook = \"{url}\"\n",
        url = receiver.url
    );
    let quiet = format!("[events]\ndeliver = false\n{tables}");
    let original = migrated().await;
    let gateway = start(&original, &quiet).await;
    let sql = original.connect().await.unwrap();
    sql.batch_execute("INSERT INTO orders (id) VALUES (1)")
        .await
        .unwrap();
    gateway.shutdown().await;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.dump");
    let file = file.to_str().unwrap();
    let dump = [
        "--format=custom",
        "--file",
        file,
        "--dbname",
        original.url(),
    ];
    if !run("pg_dump", &dump) {
        return;
    }
    let copy = tests::create("copy", &[]).await.unwrap();
    let restore = [
        "--exit-on-error",
        "--no-owner",
        "--dbname",
        copy.url(),
        file,
    ];
    if !run("pg_restore", &restore) {
        return;
    }

    // Its trigger adds an event to the one that was pending.
    let gateway = start(&copy, &quiet).await;
    let sql = copy.connect().await.unwrap();
    sql.batch_execute("INSERT INTO orders (id) VALUES (2)")
        .await
        .unwrap();
    // A run of the schedule would have been due.
    let due = "SELECT (date_trunc('second', clock_timestamp()) + interval '2 s')::text";
    let due: String = sql.query_one(due, &[]).await.unwrap().get(0);
    copy.until(&format!("clock_timestamp() > '{due}'")).await;
    gateway.shutdown().await;
    let states = "SELECT trigger_name, state, count(*) FROM postern.event_queue GROUP BY 1, 2";
    let states: Vec<(String, String, i64)> = sql
        .query(states, &[])
        .await
        .unwrap()
        .iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect();
    assert_eq!(
        states,
        [("order_placed".to_owned(), "pending".to_owned(), 2)]
    );
    assert_eq!(receiver.received().len(), 0);

    // What the page removes from a copy is not delivered later either.
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/backup.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, truncate) = page.split_once("```sql\n").unwrap();
    let (truncate, _) = truncate.split_once("```").unwrap();
    sql.batch_execute(truncate).await.unwrap();
    let gateway = builder(&tables).gateway_builder(copy.url()).start();
    let gateway = gateway.await.unwrap();
    sql.batch_execute("INSERT INTO orders (id) VALUES (3)")
        .await
        .unwrap();
    let is_order = |request: &Received| request.body["trigger"]["name"] == "order_placed";
    until("the new order is delivered", async || {
        receiver.received().iter().any(is_order)
    })
    .await;
    gateway.shutdown().await;
    let orders: Vec<i64> = receiver
        .received()
        .iter()
        .filter(|request| is_order(request))
        .filter_map(|request| request.new_row()["id"].as_i64())
        .collect();
    assert_eq!(orders, [3]);
}
