//! The connection pool and the start of a gateway, on a real Postgres: the settings of each
//! connection, cancellation, retries, and that nothing of one request reaches the next.

use std::sync::OnceLock;
use std::time::Duration;

use cluster::{Cluster, Options};
use pg::{Completion, Database, DatabaseError, RowColumns, Settings};
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
    Database::connect(&Settings {
        url: url(),
        pool_size,
        statements: 4,
        time_limit,
        ..Settings::default()
    })
    .await
    .unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

async fn ask(database: &Database, statement: &str) -> String {
    database.query_text(statement, soon()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_connection_has_the_session_settings() {
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
        assert_eq!(
            ask(&database, &format!("SELECT current_setting('{name}')")).await,
            value,
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_in_rules_keep_their_meaning_when_the_servers_search_path_changes() {
    let database = database(2, Duration::from_secs(7)).await;
    database.pin_search_path(&["first".into(), "odd\"name".into()]);
    let slowly = "SELECT current_setting('search_path') FROM pg_sleep(0.2)";
    let (one, other) = tokio::join!(ask(&database, slowly), ask(&database, slowly));
    let seen = [one, other];
    // The first connection was open before the search path was pinned.
    assert_eq!(seen, ["first, \"odd\"\"name\""; 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn late_statement_is_cancelled_and_its_connection_reused() {
    let database = database(1, Duration::from_secs(30)).await;
    let backend = ask(&database, "SELECT pg_backend_pid()::text").await;
    for _ in 0..5 {
        let late = Instant::now() + Duration::from_millis(100);
        let asked = database.query_text("SELECT pg_sleep(20)::text", late).await;
        assert!(matches!(asked, Err(DatabaseError::Timeout(_))), "{asked:?}");
        // The cancel request must not reach this statement, which uses the same connection.
        let after = Instant::now();
        assert_eq!(
            ask(
                &database,
                "SELECT pg_backend_pid()::text FROM pg_sleep(0.05)"
            )
            .await,
            backend
        );
        assert!(after.elapsed() < Duration::from_secs(3));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_rows_cancel_their_statement() {
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
async fn number_of_prepared_statements_is_limited() {
    let database = database(1, Duration::from_secs(30)).await;
    for n in 0..20 {
        assert_eq!(
            ask(&database, &format!("SELECT {n}::text")).await,
            n.to_string()
        );
    }
    let held: usize = ask(
        &database,
        "SELECT count(*)::text FROM pg_prepared_statements",
    )
    .await
    .parse()
    .unwrap();
    assert!(held <= 5, "{held}");
}

/// How many prepared statements the only connection has, including this one.
async fn held(database: &Database) -> usize {
    ask(
        database,
        "SELECT count(*)::text FROM pg_prepared_statements",
    )
    .await
    .parse()
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_statements_do_not_leak_prepared_statements() {
    let database = database(1, Duration::from_secs(30)).await;
    for n in 0..20 {
        let failing = format!("SELECT (1 / (random() * 0)::int)::text || '{n}'");
        assert!(database.query_text(&failing, soon()).await.is_err());
    }
    assert!(held(&database).await <= 5, "after errors");
    for n in 0..20 {
        let texts = [
            format!("SELECT {n} + 1"),
            format!("SELECT {n} / (random() * 0)::int"),
        ];
        let texts = [texts[0].as_str(), texts[1].as_str()];
        let failed = database
            .write(&texts, &[vec![], vec![]], Completion::Commit, soon())
            .await;
        assert!(matches!(
            failed.unwrap_err().fault,
            DatabaseError::Refused(_)
        ));
    }
    assert!(held(&database).await <= 5, "after failed steps");
    for n in 0..10 {
        let late = Instant::now() + Duration::from_millis(50);
        let asked = database
            .query_text(&format!("SELECT pg_sleep(20)::text || '{n}'"), late)
            .await;
        assert!(matches!(asked, Err(DatabaseError::Timeout(_))), "{asked:?}");
    }
    assert!(held(&database).await <= 5, "after cancelled ones");
}

#[tokio::test(flavor = "multi_thread")]
async fn length_of_prepared_statements_is_limited() {
    let database = database(1, Duration::from_secs(30)).await;
    for n in [300, 400, 500, 2000] {
        ask(
            &database,
            &format!("SELECT '{}'::text", "x".repeat(n * 1024)),
        )
        .await;
    }
    let held = "SELECT coalesce(sum(length(statement)), 0)::text FROM pg_prepared_statements";
    let held: usize = ask(&database, held).await.parse().unwrap();
    assert!((500 << 10..1 << 20).contains(&held), "{held}");
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_are_sent_as_text() {
    let database = database(1, Duration::from_secs(30)).await;
    let statement = "SELECT ($1::int4[] || $2::int4)::text || coalesce($3::text, ' and nothing')";
    let parameters = [Some("{1,2}".to_owned()), Some("3".to_owned()), None];
    let mut rows = database
        .query(statement, &parameters, soon())
        .await
        .unwrap();
    assert_eq!(
        rows.next().await.unwrap().unwrap().text().unwrap(),
        "{1,2,3} and nothing"
    );
    assert!(rows.next().await.unwrap().is_none());
    drop(rows);
    let wrong = [Some("x".to_owned()), Some("3".to_owned()), None];
    let fault = database
        .query_scalar(statement, &wrong, soon())
        .await
        .unwrap_err();
    assert!(
        matches!(&fault, DatabaseError::Refused(refusal) if refusal.sqlstate == "22P02"),
        "{fault}"
    );
    assert_eq!(
        ask(&database, "SELECT 'the connection is still good'").await,
        "the connection is still good"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_survives_the_loss_of_every_connection() {
    let (client, connection) = tokio_postgres::connect(&url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client.batch_execute("CREATE DATABASE lost").await.unwrap();
    let url = cluster().url("lost");
    let time_limit = Duration::from_secs(30);
    let database = Database::connect(&Settings {
        url,
        pool_size: 4,
        statements: 4,
        time_limit,
        ..Settings::default()
    })
    .await
    .unwrap();
    let slowly = || ask(&database, "SELECT 'there' FROM pg_sleep(0.2)");
    drop(tokio::join!(slowly(), slowly(), slowly(), slowly()));
    assert_eq!(database.size(), (4, 4));
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'lost'";
    client.execute(kill, &[]).await.unwrap();
    let mut retry = database.retry(soon());
    let response = loop {
        match database.query_text("SELECT 'still here'", soon()).await {
            Err(fault) if retry.should_retry(&fault).await => {}
            outcome => break outcome,
        }
    };
    assert_eq!(response.unwrap(), "still here");
    assert!(database.is_reachable().await);
}

async fn outside() -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(&url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn write_does_not_get_a_dead_idle_connection() {
    let database = database(1, Duration::from_secs(30)).await;
    for _ in 0..5 {
        let backend = ask(&database, "SELECT pg_backend_pid()::text").await;
        // Prepared before, so that no round trip precedes the write.
        let count = "SELECT count($1::text)::text";
        let parameters = [vec![Some("x".to_owned())]];
        database
            .write(&[count], &parameters, Completion::Commit, soon())
            .await
            .unwrap();
        let client = outside().await;
        let end = soon();
        client
            .execute(&format!("SELECT pg_terminate_backend({backend})"), &[])
            .await
            .unwrap();
        let is_there = format!("SELECT FROM pg_stat_activity WHERE pid = {backend}");
        while !client.query(&is_there, &[]).await.unwrap().is_empty() {
            assert!(Instant::now() < end, "the backend goes on");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let rows = database
            .write(&[count], &parameters, Completion::Commit, soon())
            .await
            .unwrap();
        assert_eq!(RowColumns::new(&rows[0][0]).text().unwrap(), "1");
        assert_ne!(
            ask(&database, "SELECT pg_backend_pid()::text").await,
            backend
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_and_notifications_are_not_part_of_results() {
    let database = database(1, Duration::from_secs(30)).await;
    let backend = ask(&database, "SELECT pg_backend_pid()::text").await;
    // It returns no row, which is an error here, but it was executed.
    assert!(database.query_text("LISTEN unasked", soon()).await.is_err());
    let client = outside().await;
    let loud = "CREATE FUNCTION pg_temp.loud(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN \
                RAISE NOTICE 'n %', n; RETURN n; END $$";
    assert!(database.query_text(loud, soon()).await.is_err());
    for n in 0..20 {
        client
            .batch_execute("NOTIFY unasked, 'something'; NOTIFY unasked, 'else'")
            .await
            .unwrap();
        if n % 2 == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let sum = ask(
            &database,
            "SELECT sum(pg_temp.loud(g))::text FROM generate_series(1, 300) g",
        )
        .await;
        assert_eq!(sum, "45150");
    }
    assert_eq!(
        ask(&database, "SELECT pg_backend_pid()::text").await,
        backend
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn large_rows_and_large_parameters_pass() {
    let database = database(1, Duration::from_secs(30)).await;
    let large = "x".repeat(5 << 20);
    for length in [1_usize, 8 << 10, 100_000, 5 << 20] {
        let parameters = [Some(large[..length].to_owned()), Some("3".to_owned())];
        let statement = "SELECT $1::text || g FROM generate_series(1, $2::int) g";
        let mut rows = database
            .query(statement, &parameters, soon())
            .await
            .unwrap();
        for number in 1..=3 {
            let text = rows.next().await.unwrap().unwrap().text().unwrap();
            assert!(
                text.len() == length + 1 && text.ends_with(&number.to_string()),
                "{length}"
            );
        }
        assert!(rows.next().await.unwrap().is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn row_over_the_response_limit_is_not_read() {
    let database = database(1, Duration::from_secs(30)).await;
    let statement = "SELECT repeat('x', $1::int)";
    let ask = async |length: usize, limit: usize| {
        let mut rows = database
            .query(statement, &[Some(length.to_string())], soon())
            .await
            .unwrap();
        rows.limit_response_bytes(limit, 4);
        rows.next()
            .await
            .map(|row| row.unwrap().text().unwrap().len())
    };
    assert_eq!(ask(6 << 20, 2 << 20).await.unwrap(), 6 << 20);
    let backend = self::ask(&database, "SELECT pg_backend_pid()::text").await;
    let fault = ask(100 << 20, 2 << 20).await.unwrap_err();
    assert!(
        matches!(fault, DatabaseError::RowTooLong(limit) if limit == 2 << 20),
        "{fault:?}"
    );
    // The rest of the row is not read, so the next statement gets another connection, which has no
    // limit.
    assert_ne!(
        self::ask(&database, "SELECT pg_backend_pid()::text").await,
        backend
    );
    assert_eq!(
        self::ask(&database, "SELECT length(repeat('x', 30000000))::text").await,
        "30000000"
    );
    assert_eq!(
        self::ask(&database, "SELECT repeat('x', 30000000)")
            .await
            .len(),
        30_000_000
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unsent_statement_is_never_executed() {
    let database = database(1, Duration::from_secs(30)).await;
    let sleep = "SELECT pg_sleep(20)::text";
    drop(database.query(sleep, &[], soon()).await.unwrap());
    let started = Instant::now();
    for _ in 0..3 {
        let mut rows = database.query(sleep, &[], soon()).await.unwrap();
        assert!(
            tokio::time::timeout(Duration::from_millis(30), rows.next())
                .await
                .is_err()
        );
        drop(rows);
        assert_eq!(ask(&database, "SELECT 'next'").await, "next");
    }
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_statement_is_parsed_again_only_if_parsing_failed() {
    let database = database(1, Duration::from_secs(30)).await;
    let refused = async |statement: &str, code: &str| {
        for _ in 0..3 {
            let fault = database.query_text(statement, soon()).await.unwrap_err();
            assert!(
                matches!(&fault, DatabaseError::Refused(refusal) if refusal.sqlstate == code),
                "{fault:?}"
            );
        }
    };
    refused("SELECT nothing FROM nowhere", "42P01").await;
    refused("SELECT (1 / (random() * 0)::int)::text", "22012").await;
    let held =
        "SELECT count(*)::text FROM pg_prepared_statements WHERE statement LIKE '%rand' || 'om%'";
    assert_eq!(ask(&database, held).await, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_server_times_out() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let taken = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = silent.accept().await {
            held.push(stream);
        }
    });
    let connect = async |url: String| {
        let time_limit = Duration::from_secs(30);
        let settings = Settings {
            url,
            pool_size: 1,
            statements: 4,
            time_limit,
            ..Settings::default()
        };
        let connected = tokio::time::timeout(Duration::from_secs(20), Database::connect(&settings));
        connected.await.expect("it is waited for without an end")
    };
    let fault = connect(format!(
        "postgres://u@127.0.0.1:{port}/none?connect_timeout=1"
    ))
    .await
    .unwrap_err();
    assert!(fault.to_string().contains("timed out"), "{fault}");
    // The next host of the list answers.
    let good = url().replacen("@127.0.0.1:", &format!("@127.0.0.1:{port},127.0.0.1:"), 1);
    let database = connect(format!("{good}?connect_timeout=1")).await.unwrap();
    assert_eq!(ask(&database, "SELECT 'there'").await, "there");
    taken.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_before_an_unencodable_step_are_never_executed() {
    let database = database(1, Duration::from_secs(30)).await;
    outside()
        .await
        .batch_execute("CREATE TABLE said (n int)")
        .await
        .unwrap();
    let texts = [
        "INSERT INTO said VALUES ($1::int) RETURNING n::text",
        "SELECT 'other'",
    ];
    for _ in 0..3 {
        let parameters = [vec![Some("1".to_owned())], vec![None; 70_000]];
        let failed = database
            .write(&texts, &parameters, Completion::Commit, soon())
            .await
            .unwrap_err();
        assert!(
            failed.is_undone() && matches!(failed.fault, DatabaseError::Protocol(_)),
            "{failed:?}"
        );
        assert_eq!(ask(&database, "SELECT 'next'").await, "next");
    }
    assert_eq!(ask(&database, "SELECT count(*)::text FROM said").await, "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn timeout_cancels_sent_steps_of_a_partly_sent_transaction() {
    let database = database(1, Duration::from_secs(30)).await;
    let texts = [
        "SELECT pg_sleep(20)::text AS half_said",
        "SELECT length($1::text)::text",
    ];
    let parameters = [vec![], vec![Some("x".repeat(8 << 20))]];
    for _ in 0..5 {
        let late = Instant::now() + Duration::from_millis(200);
        let failed = database
            .write(&texts, &parameters, Completion::Commit, late)
            .await
            .unwrap_err();
        assert!(
            matches!(failed.fault, DatabaseError::Timeout(_)),
            "{failed:?}"
        );
    }
    let running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE \
                   '%AS half' || '_said'";
    let client = outside().await;
    let end = soon() - Duration::from_secs(10);
    while client
        .query_one(running, &[])
        .await
        .unwrap()
        .get::<_, i64>(0)
        > 0
    {
        assert!(
            Instant::now() < end,
            "a statement whose request is gone goes on"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn error_raised_by_a_function_is_not_retried() {
    let client = outside().await;
    let raising = "CREATE SEQUENCE ran; CREATE FUNCTION raising(code text) RETURNS text LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('ran'); RAISE 'cached plan must not change result type' USING ERRCODE = code; END $$;
        CREATE TABLE changing (a text); INSERT INTO changing VALUES ('one')";
    client.batch_execute(raising).await.unwrap();
    let database = database(4, Duration::from_secs(30)).await;
    let read = async |statement: &str| {
        let mut retry = database.retry(soon());
        loop {
            match database.query_text(statement, soon()).await {
                Err(fault) if retry.should_retry(&fault).await => {}
                outcome => break outcome,
            }
        }
    };
    for code in ["0A000", "26000"] {
        let statement = format!("SELECT raising('{code}')");
        for _ in 0..2 {
            let fault = read(&statement).await.unwrap_err();
            assert!(
                matches!(&fault, DatabaseError::Refused(refusal) if refusal.sqlstate == code),
                "{fault:?}"
            );
        }
        let mut retry = database.retry(soon());
        let failed = database
            .write(&[&statement], &[vec![]], Completion::Commit, soon())
            .await
            .unwrap_err();
        assert!(!retry.should_retry_write(&failed).await, "{failed:?}");
    }
    assert_eq!(
        ask(&database, "SELECT last_value::text FROM ran").await,
        "6"
    );
    // A stale prepared statement is still parsed again.
    assert_eq!(read("SELECT * FROM changing").await.unwrap(), "one");
    client
        .batch_execute("ALTER TABLE changing ALTER a TYPE varchar")
        .await
        .unwrap();
    assert_eq!(read("SELECT * FROM changing").await.unwrap(), "one");
    assert!(database.query_text("DEALLOCATE ALL", soon()).await.is_err());
    assert_eq!(read("SELECT * FROM changing").await.unwrap(), "one");
    assert!(
        database
            .query_text("DEALLOCATE  ALL", soon())
            .await
            .is_err()
    );
    let mut retry = database.retry(soon());
    let written = loop {
        match database
            .write(
                &["SELECT * FROM changing"],
                &[vec![]],
                Completion::Commit,
                soon(),
            )
            .await
        {
            Err(failed) if retry.should_retry_write(&failed).await => {}
            outcome => break outcome,
        }
    };
    assert_eq!(written.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_starts_on_a_free_port_and_stops() {
    let builder = || {
        tests::gateway()
            .database_url(&url())
            .admin_secret("s")
            .listen("127.0.0.1:0")
    };
    let running = builder().start().await.unwrap();
    let address = running.address();
    assert_ne!(address.port(), 0);
    let taken = builder()
        .listen(&address.to_string())
        .start()
        .await
        .unwrap_err();
    assert!(
        taken
            .to_string()
            .starts_with(&format!("cannot listen on {address}: ")),
        "{taken}"
    );
    running.shutdown().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_start_names_its_cause_without_passwords() {
    let away = "postgres://somebody:hidden@127.0.0.1:1/none";
    let fault = tests::gateway()
        .database_url(away)
        .admin_secret("s")
        .listen("127.0.0.1:0")
        .start()
        .await;
    let fault = fault.unwrap_err().to_string();
    assert!(
        fault.starts_with("cannot connect to the database at 127.0.0.1:1: "),
        "{fault}"
    );
    assert!(!fault.contains("hidden"));
    let open = tests::gateway()
        .database_url(&url())
        .listen("127.0.0.1:0")
        .start()
        .await;
    assert!(open.unwrap_err().to_string().contains("--insecure"));
    let text = "[table.nowhere]\n";
    let builder = tests::gateway()
        .database_url(&url())
        .admin_secret("s")
        .listen("127.0.0.1:0");
    let fault = builder
        .permissions_text("p.toml", text)
        .start()
        .await
        .unwrap_err()
        .to_string();
    assert!(fault.contains("p.toml:1"), "{fault}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rule_that_postgres_rejects_stops_the_start() {
    let (client, connection) = tokio_postgres::connect(&url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
        .batch_execute("CREATE TABLE ruled (id int PRIMARY KEY, name text)")
        .await
        .unwrap();
    let text = "[table.ruled.role.user]\nselect = { columns = [\"id\"], rows = \"name > 7\" }\n";
    let builder = tests::gateway()
        .database_url(&url())
        .admin_secret("s")
        .listen("127.0.0.1:0");
    let fault = builder
        .permissions_text("p.toml", text)
        .start()
        .await
        .unwrap_err()
        .to_string();
    assert!(
        fault.contains("operator does not exist") && fault.contains("p.toml:2"),
        "{fault}"
    );
}
