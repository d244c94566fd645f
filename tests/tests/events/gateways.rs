//! Several gateways on one database, one of which is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tests::TestDatabase;
use tests::binary::{Running, command};
use tests::service::ADMIN_SECRET;

use super::receiver::Receiver;
use super::service::migrated;

/// A gateway in a process of its own.
fn serve(database: &TestDatabase, folder: &std::path::Path, events: &str) -> Running {
    let path = folder.join("gateway.toml");
    let settings = format!(
        "admin_secret = \"{ADMIN_SECRET}\"\nlisten = \"127.0.0.1:0\"\ndatabase_url = \"{}\"\n",
        database.url()
    );
    std::fs::write(&path, format!("{settings}{events}")).unwrap();
    let running = Running::start(command(&["serve", "--config", path.to_str().unwrap()])).unwrap();
    running
        .wait_for_line("ready", Duration::from_secs(30))
        .expect("the gateway starts");
    running
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_gateway_loses_nothing() {
    let database = migrated().await;
    let receiver = Receiver::slow(vec![], Duration::from_millis(30)).await;
    let folder = tempfile::tempdir().unwrap();
    let events = format!(
        "[events]\nlease_seconds = 1\npoll_seconds = 1\n[event.placed]\ntable = \
         \"orders\"\ninsert = true\norder_by = [\"customer\"]\n\
         webhook = \"{}\"\nretry_conf = {{ num_retries = 20, interval_sec = 0, timeout_sec = 1 \
         }}\n",
        receiver.url
    );
    let first = serve(&database, folder.path(), &events);
    let second = serve(&database, folder.path(), &events);
    let sql = database.connect().await.unwrap();
    sql.batch_execute(
        "INSERT INTO orders (id, customer) SELECT n, n % 20 FROM generate_series(1, 600) n",
    )
    .await
    .unwrap();
    receiver.wait(100).await;
    first.signal("KILL").unwrap();
    database
        .until("count(*) = 600 FROM postern.event_queue WHERE state = 'delivered'")
        .await;
    let received = receiver.received();
    let mut ids: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    for request in &received {
        ids.entry(request.new_row()["id"].as_i64().unwrap())
            .or_default()
            .insert(request.id());
    }
    assert_eq!(ids.len(), 600, "nothing is lost");
    assert!(
        ids.values().all(|ids| ids.len() == 1),
        "a repeated delivery has the same id"
    );
    for customer in 0..20 {
        let of_customer = received
            .iter()
            .filter(|request| request.new_row()["customer"] == customer);
        let order: Vec<i64> = of_customer
            .map(|request| request.new_row()["id"].as_i64().unwrap())
            .collect();
        assert!(order.is_sorted(), "{order:?}");
    }
    drop(second);
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_finishes_deliveries() {
    let database = migrated().await;
    let receiver = Receiver::slow(vec![], Duration::from_millis(500)).await;
    let folder = tempfile::tempdir().unwrap();
    let events = format!(
        "[event.placed]\ntable = \"orders\"\ninsert = true\nwebhook = \"{}\"\n",
        receiver.url
    );
    let mut running = serve(&database, folder.path(), &events);
    let sql = database.connect().await.unwrap();
    sql.batch_execute("INSERT INTO orders (id) SELECT n FROM generate_series(1, 5) n")
        .await
        .unwrap();
    receiver.wait(5).await;
    running.signal("TERM").unwrap();
    let status = tokio::task::spawn_blocking(move || running.wait(Duration::from_secs(20)))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(status.and_then(|status| status.code()), Some(0));
    let delivered =
        "SELECT count(*) FROM postern.event_queue WHERE state = 'delivered' AND attempts = 1";
    assert_eq!(
        sql.query_one(delivered, &[])
            .await
            .unwrap()
            .get::<_, i64>(0),
        5
    );
}
