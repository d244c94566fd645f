//! The pool and the start of a gateway, on a real Postgres: what a connection is told, and that nothing of one request
//! reaches the next.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::OnceLock;
use std::time::Duration;

use gateway::Gateway;
use gateway::cluster::{Cluster, Options};
use gateway::database::{Database, Fault, Settings};
use tokio::time::Instant;

/// One cluster for all tests; it ends with the process.
fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| Cluster::start(Options::default()).unwrap())
}

fn url() -> String {
    cluster().url("postgres")
}

async fn database(pool_size: usize, time_limit: Duration) -> Database {
    Database::connect(&Settings { url: url(), pool_size, statements: 4, time_limit }).await.unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

async fn ask(database: &Database, statement: &str) -> String {
    database.text(statement, soon()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_connection_is_told_the_same() {
    let database = database(2, Duration::from_secs(7)).await;
    let expected = [
        ("TimeZone", "UTC"),
        ("DateStyle", "ISO, MDY"),
        ("IntervalStyle", "postgres"),
        ("bytea_output", "hex"),
        ("lc_monetary", "C"),
        ("jit", "off"),
        ("statement_timeout", "7s"),
        ("application_name", "postern"),
    ];
    for (name, value) in expected {
        assert_eq!(ask(&database, &format!("SELECT current_setting('{name}')")).await, value, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_in_rules_keep_their_meaning_when_the_servers_search_path_changes() {
    let database = database(2, Duration::from_secs(7)).await;
    database.pin_search_path(&["first".into(), "odd\"name".into()]);
    let mut leases = Vec::new();
    for _ in 0..2 {
        leases.push(database.lease(soon()).await.unwrap());
    }
    let mut seen = Vec::new();
    for lease in &mut leases {
        let row = lease.run(|client| client.query_one("SELECT current_setting('search_path')", &[])).await.unwrap();
        seen.push(row.get::<_, String>(0));
    }
    // The first connection was there before; the second was made after.
    assert_eq!(seen.iter().filter(|path| *path == "first, \"odd\"\"name\"").count(), 1, "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_statement_is_cancelled_and_its_connection_used_again() {
    let database = database(1, Duration::from_secs(30)).await;
    let backend = ask(&database, "SELECT pg_backend_pid()::text").await;
    for _ in 0..5 {
        let late = Instant::now() + Duration::from_millis(100);
        let asked = database.text("SELECT pg_sleep(20)::text", late).await;
        assert!(matches!(asked, Err(Fault::Late(_))), "{asked:?}");
        // The cancel request must not reach this one, which has the same connection.
        let after = Instant::now();
        assert_eq!(ask(&database, "SELECT pg_backend_pid()::text FROM pg_sleep(0.05)").await, backend);
        assert!(after.elapsed() < Duration::from_secs(3));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_nobody_reads_to_the_end_are_cancelled() {
    let database = database(1, Duration::from_secs(30)).await;
    let many = "SELECT g::text FROM generate_series(1, 50000000) g";
    let mut rows = database.query(many, &[], soon()).await.unwrap();
    assert!(rows.next().await.unwrap().is_some());
    drop(rows);
    let after = Instant::now();
    assert_eq!(ask(&database, "SELECT 'next'").await, "next");
    assert!(after.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn prepared_statements_are_bounded() {
    let database = database(1, Duration::from_secs(30)).await;
    for n in 0..20 {
        assert_eq!(ask(&database, &format!("SELECT {n}::text")).await, n.to_string());
    }
    let held: usize = ask(&database, "SELECT count(*)::text FROM pg_prepared_statements").await.parse().unwrap();
    assert!(held <= 5, "{held}");
}

#[tokio::test(flavor = "multi_thread")]
async fn prepared_statements_are_bounded_by_their_length_too() {
    let database = database(1, Duration::from_secs(30)).await;
    for n in [300, 400, 500, 2000] {
        ask(&database, &format!("SELECT '{}'::text", "x".repeat(n * 1024))).await;
    }
    let held = "SELECT coalesce(sum(length(statement)), 0)::text FROM pg_prepared_statements";
    let held: usize = ask(&database, held).await.parse().unwrap();
    assert!((500 << 10..1 << 20).contains(&held), "{held}");
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_travel_as_text() {
    let database = database(1, Duration::from_secs(30)).await;
    let statement = "SELECT ($1::int4[] || $2::int4)::text || coalesce($3::text, ' and nothing')";
    let parameters = [Some("{1,2}".to_owned()), Some("3".to_owned()), None];
    let mut rows = database.query(statement, &parameters, soon()).await.unwrap();
    let row = rows.next().await.unwrap().unwrap();
    assert_eq!(row.get::<_, String>(0), "{1,2,3} and nothing");
    assert!(rows.next().await.unwrap().is_none());
    drop(rows);
    let wrong = [Some("x".to_owned()), Some("3".to_owned()), None];
    let fault = database.query(statement, &wrong, soon()).await.unwrap_err();
    assert!(matches!(&fault, Fault::Refused(refusal) if refusal.sqlstate == "22P02"), "{fault}");
    assert_eq!(ask(&database, "SELECT 'the connection is still good'").await, "the connection is still good");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_survives_the_loss_of_every_connection() {
    let (client, connection) = tokio_postgres::connect(&url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("CREATE DATABASE lost").await.unwrap();
    let (url, time_limit) = (cluster().url("lost"), Duration::from_secs(30));
    let database = Database::connect(&Settings { url, pool_size: 4, statements: 4, time_limit }).await.unwrap();
    let mut leases = Vec::new();
    for _ in 0..4 {
        leases.push(database.lease(soon()).await.unwrap());
    }
    drop(leases);
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'lost'";
    client.execute(kill, &[]).await.unwrap();
    let mut retry = database.retry(soon());
    let answer = loop {
        match database.text("SELECT 'still here'", soon()).await {
            Err(fault) if retry.again(&fault).await => {}
            outcome => break outcome,
        }
    };
    assert_eq!(answer.unwrap(), "still here");
    assert!(database.is_reachable().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_starts_on_a_free_port_and_stops() {
    let builder = || Gateway::builder().database_url(&url()).admin_secret("s").listen("127.0.0.1:0");
    let running = builder().start().await.unwrap();
    let address = running.address();
    assert_ne!(address.port(), 0);
    let taken = builder().listen(&address.to_string()).start().await.unwrap_err();
    assert!(taken.to_string().starts_with(&format!("cannot listen on {address}: ")), "{taken}");
    running.shutdown().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_fails_says_why_without_passwords() {
    let away = "postgres://somebody:hidden@127.0.0.1:1/none";
    let fault = Gateway::builder().database_url(away).admin_secret("s").listen("127.0.0.1:0").start().await;
    let fault = fault.unwrap_err().to_string();
    assert!(fault.starts_with("cannot connect to the database at 127.0.0.1:1: "), "{fault}");
    assert!(!fault.contains("hidden"));
    let open = Gateway::builder().database_url(&url()).listen("127.0.0.1:0").start().await;
    assert!(open.unwrap_err().to_string().contains("--insecure"));
    let text = "[table.nowhere]\n";
    let builder = Gateway::builder().database_url(&url()).admin_secret("s").listen("127.0.0.1:0");
    let fault = builder.permissions_text("p.toml", text).start().await.unwrap_err().to_string();
    assert!(fault.contains("p.toml:1"), "{fault}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_postgres_refuses_stops_the_start() {
    let (client, connection) = tokio_postgres::connect(&url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("CREATE TABLE ruled (id int PRIMARY KEY, name text)").await.unwrap();
    let text = "[table.ruled.role.user]\nselect = { columns = [\"id\"], rows = \"name > 7\" }\n";
    let builder = Gateway::builder().database_url(&url()).admin_secret("s").listen("127.0.0.1:0");
    let fault = builder.permissions_text("p.toml", text).start().await.unwrap_err().to_string();
    assert!(fault.contains("operator does not exist") && fault.contains("p.toml:2"), "{fault}");
}
