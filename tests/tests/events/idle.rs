//! An idle gateway is notified of events, and a busy one is not. Where a test expects a
//! notification, the gateway would look by itself only after an hour.

use std::time::Duration;

use tests::TestDatabase;
use tokio_postgres::{AsyncMessage, NoTls};

use super::receiver::Receiver;
use super::service::{Service, migrated, start};

/// The numbers of the lock.
const LOCK: &str = "1886352244, 25974";

/// The holders of the lock of idle gateways.
const HOLDERS: &str = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode \
                       = 'ExclusiveLock' \
                       AND (classid, objid) = (1886352244, 25974) \
                       AND database = (SELECT oid FROM pg_database WHERE datname = \
                       current_database())";

/// A trigger that sends the orders of one test.
fn file(receiver: &Receiver) -> String {
    format!(
        "[events]\npoll_seconds = 3600\nlease_seconds = 1\n[event.placed]\ntable = \
         \"orders\"\ninsert = true\nmanual = true\n\
         webhook = \"{}\"\nretry_conf = {{ num_retries = 5, interval_sec = 1, timeout_sec = 20 \
         }}\n",
        receiver.url
    )
}

/// Waits until a gateway is idle, other than the one with this connection.
async fn idle(database: &TestDatabase, former: i32) -> i32 {
    database
        .until(&format!("EXISTS ({HOLDERS} AND pid <> {former})"))
        .await;
    // It may be looking once more; what is added meanwhile notifies it too.
    database
        .connect()
        .await
        .unwrap()
        .query_one(HOLDERS, &[])
        .await
        .unwrap()
        .get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_every_origin_wake_an_idle_gateway() {
    let receiver = Receiver::start(vec![]).await;
    let service = Service::start(&file(&receiver)).await;
    idle(&service.database, 0).await;
    service.run("INSERT INTO orders (id) VALUES (101)").await;
    receiver.wait(1).await;
    idle(&service.database, 0).await;
    let id = service
        .value("postern.enqueue_event('placed', '{\"id\": 102}')")
        .await;
    receiver.wait(2).await;
    service
        .database
        .until(&format!(
            "state = 'delivered' FROM postern.event_queue WHERE id = '{id}'"
        ))
        .await;
    idle(&service.database, 0).await;
    service.events(&["replay", &id]).await;
    receiver.wait(3).await;
    idle(&service.database, 0).await;
    service
        .events(&[
            "schedule",
            "--trigger",
            "placed",
            "--payload",
            "{\"id\": 103}",
        ])
        .await;
    let received = receiver.wait(4).await;
    assert_eq!((received[1].id(), received[2].id()), (id.clone(), id));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_events_beside_an_idle_gateway_notify() {
    let receiver = Receiver::start(vec![]).await;
    let service = Service::start(&format!(
        "[events]\ndeliver = false\n{}",
        &file(&receiver)["[events]\n".len()..]
    ))
    .await;
    let (listening, mut connection) = tokio_postgres::connect(service.database.url(), NoTls)
        .await
        .unwrap();
    let (heard, mut notifications) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(Ok(message)) =
            std::future::poll_fn(|task| connection.poll_message(task)).await
        {
            if let AsyncMessage::Notification(notification) = message {
                drop(heard.send(notification.payload().to_owned()));
            }
        }
    });
    listening
        .batch_execute("LISTEN postern_event")
        .await
        .unwrap();
    let every_origin = "INSERT INTO orders (id) VALUES (201), (202); UPDATE orders SET id = 203 \
                        WHERE id = 201; \
                        SELECT postern.enqueue_event('placed', '{}'); SELECT \
                        postern.schedule_event('placed', now())";
    service.run(every_origin).await;
    // The lock of an idle gateway, in a session of its own as the gateway has it.
    let idle = service.database.connect().await.unwrap();
    idle.batch_execute(&format!("SELECT pg_advisory_lock({LOCK})"))
        .await
        .unwrap();
    // Notifications come in the order of the commits, so this one would come after those of the
    // statements before.
    service.run("NOTIFY postern_event, 'nobody was idle'").await;
    assert_eq!(notifications.recv().await.unwrap(), "nobody was idle");
    service.run("INSERT INTO orders (id) VALUES (204)").await;
    assert_eq!(notifications.recv().await.unwrap(), "");
    service
        .run("SELECT postern.enqueue_event('placed', '{}')")
        .await;
    assert_eq!(notifications.recv().await.unwrap(), "");
    idle.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK})"))
        .await
        .unwrap();
    service.run("INSERT INTO orders (id) VALUES (205)").await;
    service.run("NOTIFY postern_event, 'nobody is idle'").await;
    assert_eq!(notifications.recv().await.unwrap(), "nobody is idle");
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_gateway_gives_the_lock_back() {
    let receiver = Receiver::slow(vec![], Duration::from_millis(20)).await;
    let service = Service::start(&file(&receiver)).await;
    idle(&service.database, 0).await;
    // More than the gateway delivers at a time, so that it claims again and again.
    service
        .run("INSERT INTO orders (id) SELECT n FROM generate_series(1001, 1300) n")
        .await;
    service
        .database
        .until(&format!("NOT EXISTS ({HOLDERS})"))
        .await;
    service
        .database
        .until("count(*) = 300 FROM postern.event_queue WHERE state = 'delivered'")
        .await;
    idle(&service.database, 0).await;
    assert_eq!(receiver.received().len(), 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn trigger_at_its_concurrency_goes_on_beside_one_with_room() {
    let receiver = Receiver::start(vec![]).await;
    let limited = file(&receiver).replace("[event.placed]\n", "[event.placed]\nconcurrency = 1\n");
    let other = format!(
        "[event.other]\ntable = \"orders\"\nupdate = true\nwebhook = \"{}\"\n",
        receiver.url
    );
    let service = Service::start(&format!("{limited}{other}")).await;
    idle(&service.database, 0).await;
    service
        .run("INSERT INTO orders (id) SELECT n FROM generate_series(601, 660) n")
        .await;
    service
        .database
        .until("count(*) = 60 FROM postern.event_queue WHERE state = 'delivered'")
        .await;
    assert_eq!(receiver.received().len(), 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn writer_that_did_not_notify_is_found_when_it_commits() {
    let receiver = Receiver::start(vec![]).await;
    let database = migrated().await;
    // Nobody is idle while this test has the lock.
    let busy = database.connect().await.unwrap();
    busy.batch_execute(&format!("SELECT pg_advisory_lock_shared({LOCK})"))
        .await
        .unwrap();
    let running = start(&database, &file(&receiver)).await;
    let sql = database.connect().await.unwrap();
    sql.batch_execute("BEGIN; INSERT INTO orders (id) VALUES (301)")
        .await
        .unwrap();
    busy.batch_execute(&format!("SELECT pg_advisory_unlock_shared({LOCK})"))
        .await
        .unwrap();
    // The transaction itself keeps the gateway awake now. Another one's event is found.
    let other = database.connect().await.unwrap();
    other
        .batch_execute("INSERT INTO orders (id) VALUES (302)")
        .await
        .unwrap();
    assert_eq!(receiver.wait(1).await[0].new_row()["id"], 302);
    let holders = other.query(HOLDERS, &[]).await.unwrap();
    assert!(
        holders.is_empty(),
        "a transaction that did not notify is open"
    );
    sql.batch_execute("COMMIT").await.unwrap();
    assert_eq!(receiver.wait(2).await[1].new_row()["id"], 301);
    idle(&database, 0).await;
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_gateway_is_idle_when_one_has_ended() {
    let receiver = Receiver::start(vec![]).await;
    let database = migrated().await;
    let first = start(&database, &file(&receiver)).await;
    let of_first = idle(&database, 0).await;
    let second = start(&database, &file(&receiver)).await;
    let sql = database.connect().await.unwrap();
    sql.batch_execute("INSERT INTO orders (id) VALUES (401)")
        .await
        .unwrap();
    assert_eq!(receiver.wait(1).await.len(), 1);
    first.shutdown().await;
    let of_second = idle(&database, of_first).await;
    sql.batch_execute("INSERT INTO orders (id) VALUES (402)")
        .await
        .unwrap();
    let received = receiver.wait(2).await;
    let orders: Vec<_> = received
        .iter()
        .map(|received| received.new_row()["id"].clone())
        .collect();
    assert_eq!(orders, [401, 402], "each is delivered once");
    assert_ne!(of_first, of_second);
    second.shutdown().await;
    database.until(&format!("NOT EXISTS ({HOLDERS})")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gateway_is_idle_again_after_its_connection_is_lost() {
    let receiver = Receiver::start(vec![]).await;
    let service = Service::start(&file(&receiver)).await;
    let lost = idle(&service.database, 0).await;
    // Written when nobody holds the lock any more, and the gateway may not have noticed yet.
    service
        .run(&format!("SELECT pg_terminate_backend({lost})"))
        .await;
    service
        .database
        .until(&format!("NOT EXISTS ({HOLDERS} AND pid = {lost})"))
        .await;
    service.run("INSERT INTO orders (id) VALUES (501)").await;
    receiver.wait(1).await;
    idle(&service.database, lost).await;
    service.run("INSERT INTO orders (id) VALUES (502)").await;
    assert_eq!(receiver.wait(2).await[1].new_row()["id"], 502);
}
