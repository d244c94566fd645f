//! Postgres is restarted, and killed, in the middle of deliveries: nothing is lost, what is
//! repeated has the same id, and the events of a key come in order.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use cluster::{Cluster, Options};
use gateway::config::Settings;
use tests::database::connect;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::receiver::Receiver;
use super::service::SCHEMA;
use crate::http::switch::Switch;

const EVENTS: i64 = 300;
const KEYS: i64 = 10;

#[tokio::test(flavor = "multi_thread")]
async fn restarted_postgres_loses_no_event() {
    // Postgres runs as another user, who has to be able to enter its folder. Commits are durable
    // here: it is killed.
    let folder = tempfile::Builder::new()
        .permissions(PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    let durable = [
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("full_page_writes", "on"),
    ];
    let settings = durable
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let options = Options {
        data_dir: Some(folder.path().join("data")),
        settings,
    };
    let mut cluster = Cluster::start(options.clone()).unwrap();
    let sql = connect(&cluster.url("postgres")).await.unwrap();
    sql.batch_execute(SCHEMA).await.unwrap();
    sql.batch_execute(&plugins::migration_script())
        .await
        .unwrap();
    let switch = Switch::start(cluster.port()).await;
    let receiver = Receiver::slow(vec![], Duration::from_millis(20)).await;
    let file = format!(
        "[events]\nlease_seconds = 2\npoll_seconds = 1\n[event.placed]\ntable = \
         \"orders\"\ninsert = true\norder_by = [\"customer\"]\n\
         webhook = \"{}\"\nretry_conf = {{ num_retries = 100, interval_sec = 0, timeout_sec = 1 \
         }}\n",
        receiver.url
    );
    let builder = tests::gateway().settings(Settings::from_text("gateway.toml", &file).unwrap());
    let builder = builder
        .database_url(&switch.url(&cluster.url("postgres")))
        .admin_secret(ADMIN_SECRET)
        .listen("127.0.0.1:0");
    let running = builder.start().await.unwrap();
    let insert = format!(
        "INSERT INTO orders (id, customer) SELECT n, n % {KEYS} FROM generate_series(1, {EVENTS}) n"
    );
    sql.batch_execute(&insert).await.unwrap();
    drop(sql);
    for (round, kill) in [(1, false), (2, true)] {
        receiver.wait(60 * round).await;
        if kill {
            let file =
                std::fs::read_to_string(folder.path().join("data/data/postmaster.pid")).unwrap();
            // Nothing of it gets the time to write.
            let server = file.lines().next().unwrap();
            let kill =
                format!("kill -STOP {server}; pkill -KILL -P {server}; kill -KILL {server}; true");
            Command::new("sh")
                .args(["-c", &kill])
                .stderr(Stdio::null())
                .status()
                .unwrap();
        }
        cluster.stop();
        cluster = Cluster::start(options.clone()).unwrap();
        switch.lead_to(cluster.port());
    }
    let sql = connect(&cluster.url("postgres")).await.unwrap();
    until("all events", async || {
        let count = "SELECT count(*) FROM postern.event_queue WHERE state = 'delivered'";
        sql.query_one(count, &[]).await.unwrap().get::<_, i64>(0) == EVENTS
    })
    .await;
    let received = receiver.received();
    let mut ids: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    for request in &received {
        ids.entry(request.new_row()["id"].as_i64().unwrap())
            .or_default()
            .insert(request.id());
    }
    assert_eq!(i64::try_from(ids.len()).unwrap(), EVENTS, "nothing is lost");
    assert!(
        ids.values().all(|ids| ids.len() == 1),
        "a repeated delivery has the same id"
    );
    for customer in 0..KEYS {
        let of_customer = received
            .iter()
            .filter(|request| request.new_row()["customer"] == customer);
        let order: Vec<i64> = of_customer
            .map(|request| request.new_row()["id"].as_i64().unwrap())
            .collect();
        assert!(order.is_sorted(), "{order:?}");
    }
    running.shutdown().await;
}
