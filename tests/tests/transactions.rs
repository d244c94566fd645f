//! Tests transactions of the connection pool: all statements take effect or none, in one round
//! trip, and nothing of them remains on the connection for the next request. Which statements a
//! mutation becomes is tested elsewhere.

use std::time::Duration;

use pg::{
    Completion, Database, DatabaseError, FailurePoint, Parameters, RowColumns, Settings,
    TransactionError,
};
use tests::TestDatabase;
use tests::proxy::{Message, Proxy, statements};
use tokio::time::Instant;

const SCHEMA: &str = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL CHECK \
                      (balance >= 0)); \
                      CREATE TABLE notes (id int PRIMARY KEY, account int REFERENCES accounts \
                      DEFERRABLE INITIALLY DEFERRED); \
                      CREATE TABLE log (id serial PRIMARY KEY, line text NOT NULL); \
                      INSERT INTO accounts VALUES (1, 100), (2, 100)";

/// Adds to an account and returns its new balance.
const ADD: &str =
    "UPDATE accounts SET balance = balance + $2::int WHERE id = $1::int RETURNING balance::text";

struct Place {
    database: TestDatabase,
    pool: Database,
}

impl Place {
    async fn start(pool_size: usize) -> Place {
        let database = tests::create("transactions", &[SCHEMA]).await.unwrap();
        let pool = pool(database.url(), pool_size).await;
        Place { database, pool }
    }

    async fn write(
        &self,
        steps: &[(&str, &[&str])],
        ending: Completion,
    ) -> Result<Vec<String>, TransactionError> {
        write(&self.pool, steps, ending, soon()).await
    }

    async fn value(&self, query: &str) -> String {
        self.pool.query_text(query, soon()).await.unwrap()
    }

    async fn balances(&self) -> String {
        self.value("SELECT string_agg(balance::text, ' ' ORDER BY id) FROM accounts")
            .await
    }

    /// The number of the pool's connections that are inside a transaction, counted from outside.
    async fn inside(&self) -> i64 {
        let client = self.database.connect().await.unwrap();
        let query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'postern' \
                     AND datname = \
                     current_database() AND state <> 'idle'";
        client.query_one(query, &[]).await.unwrap().get(0)
    }
}

async fn pool(url: &str, pool_size: usize) -> Database {
    let settings = Settings {
        url: url.into(),
        pool_size,
        statements: 50,
        time_limit: Duration::from_secs(20),
        ..Settings::default()
    };
    Database::connect(&settings).await.unwrap()
}

/// The first column of the first row of every step.
async fn write(
    pool: &Database,
    steps: &[(&str, &[&str])],
    ending: Completion,
    deadline: Instant,
) -> Result<Vec<String>, TransactionError> {
    let texts: Vec<&str> = steps.iter().map(|(text, _)| *text).collect();
    let parameters = steps.iter().map(|(_, values)| {
        values
            .iter()
            .map(|value| Some((*value).to_owned()))
            .collect()
    });
    let parameters: Vec<Parameters> = parameters.collect();
    let rows = pool.write(&texts, &parameters, ending, deadline).await?;
    assert_eq!(rows.len(), steps.len());
    Ok(rows
        .iter()
        .map(|rows| {
            rows.first()
                .map_or_else(String::new, |row| RowColumns::new(row).text().unwrap())
        })
        .collect())
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

fn sqlstate(failed: &TransactionError) -> &str {
    match &failed.fault {
        DatabaseError::Refused(refusal) => &refusal.sqlstate,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_steps_take_effect_or_none() {
    let location = Place::start(1).await;
    let done = location
        .write(
            &[(ADD, &["1", "5"]), (ADD, &["2", "-5"]), (ADD, &["1", "1"])],
            Completion::Commit,
        )
        .await;
    assert_eq!(done.unwrap(), ["105", "95", "106"]);
    assert_eq!(location.balances().await, "106 95");
    let failed = location
        .write(
            &[
                (ADD, &["1", "5"]),
                (ADD, &["2", "-500"]),
                (ADD, &["1", "1"]),
            ],
            Completion::Commit,
        )
        .await;
    let failed = failed.unwrap_err();
    assert_eq!(
        (sqlstate(&failed), failed.when, failed.is_undone()),
        ("23514", FailurePoint::Step(1), true)
    );
    assert_eq!(location.balances().await, "106 95");
    assert_eq!(location.inside().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn deferred_constraints_fail_at_the_end() {
    let location = Place::start(1).await;
    let note = "INSERT INTO notes VALUES ($1::int, $2::int) RETURNING id::text";
    for ending in [Completion::Commit, Completion::Rollback] {
        let failed = location
            .write(&[(note, &["1", "9"]), (ADD, &["1", "5"])], ending)
            .await
            .unwrap_err();
        assert_eq!(
            (sqlstate(&failed), failed.when),
            ("23503", FailurePoint::End),
            "{ending:?}"
        );
    }
    let failed = location
        .write(&[(note, &["1", "9"])], Completion::Commit)
        .await
        .unwrap_err();
    assert_eq!(
        (sqlstate(&failed), failed.when),
        ("23503", FailurePoint::Step(0))
    );
    assert_eq!(location.balances().await, "100 100");
    assert_eq!(
        location.value("SELECT count(*)::text FROM notes").await,
        "0"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn undone_transaction_leaves_nothing_behind() {
    let location = Place::start(1).await;
    let done = location
        .write(
            &[(ADD, &["1", "5"]), (ADD, &["1", "5"])],
            Completion::Rollback,
        )
        .await
        .unwrap();
    assert_eq!(done, ["105", "110"]);
    assert_eq!(
        location
            .write(&[(ADD, &["1", "7"])], Completion::Rollback)
            .await
            .unwrap(),
        ["107"]
    );
    assert_eq!(location.balances().await, "100 100");
    assert_eq!(location.inside().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_parameters_undo_all_steps() {
    let location = Place::start(1).await;
    for value in ["no number", "99999999999", "1\0", ""] {
        let failed = location
            .write(
                &[(ADD, &["1", "5"]), (ADD, &["2", value])],
                Completion::Commit,
            )
            .await
            .unwrap_err();
        assert_eq!(failed.when, FailurePoint::Step(1), "{value:?}");
    }
    let failed = location
        .write(&[(ADD, &["1", "5"]), (ADD, &["2"])], Completion::Commit)
        .await
        .unwrap_err();
    assert_eq!(failed.when, FailurePoint::Step(1), "a parameter is missing");
    let failed = location
        .write(
            &[(ADD, &["1", "5"]), ("SELECT nothing()", &[])],
            Completion::Commit,
        )
        .await
        .unwrap_err();
    assert_eq!(
        (sqlstate(&failed), failed.when),
        ("42883", FailurePoint::Before)
    );
    assert_eq!(location.balances().await, "100 100");
}

#[tokio::test(flavor = "multi_thread")]
async fn outdated_prepared_statement_is_dropped() {
    let location = Place::start(1).await;
    let all = "INSERT INTO log (line) VALUES ($1::text) RETURNING *";
    let parameters = vec![vec![Some("x".to_owned())]; 2];
    let texts = [all, all];
    location
        .pool
        .write(&texts, &parameters, Completion::Commit, soon())
        .await
        .unwrap();
    location
        .database
        .connect()
        .await
        .unwrap()
        .batch_execute("ALTER TABLE log ADD more int")
        .await
        .unwrap();
    let failed = location
        .pool
        .write(&texts, &parameters, Completion::Commit, soon())
        .await
        .unwrap_err();
    assert_eq!(
        (sqlstate(&failed), failed.when, failed.is_undone()),
        ("0A000", FailurePoint::Step(0), true)
    );
    let rows = location
        .pool
        .write(&texts, &parameters, Completion::Commit, soon())
        .await
        .unwrap();
    assert_eq!(rows[1][0][..2], [0, 3], "three columns");
    assert_eq!(location.value("SELECT count(*)::text FROM log").await, "4");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_statements_are_sent_with_one_sync() {
    let location = Place::start(1).await;
    let proxy = Proxy::start(location.database.url()).await.unwrap();
    let pool = pool(proxy.url(), 1).await;
    let both = [
        (ADD, &["1", "5"][..]),
        (ADD, &["2", "-5"][..]),
        (ADD, &["1", "1"][..]),
    ];
    write(&pool, &both, Completion::Commit, soon())
        .await
        .unwrap();
    proxy.take();
    write(&pool, &both[..1], Completion::Commit, soon())
        .await
        .unwrap();
    assert_eq!(
        proxy.take(),
        [Message::Bind, Message::Execute, Message::Sync]
    );
    write(&pool, &both, Completion::Commit, soon())
        .await
        .unwrap();
    let messages = proxy.take();
    assert_eq!(statements(&messages), 3, "{messages:?}");
    assert_eq!(messages.last(), Some(&Message::Sync), "{messages:?}");
    // All statements before one `Sync` form one transaction.
    assert!(
        messages[..6]
            .chunks(2)
            .all(|one| one == [Message::Bind, Message::Execute]),
        "{messages:?}"
    );
    assert_eq!(messages.len(), 7, "{messages:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_takes_one_round_trip() {
    let way = Duration::from_millis(60);
    let location = Place::start(1).await;
    let proxy = Proxy::slow(location.database.url(), way).await.unwrap();
    let pool = pool(proxy.url(), 1).await;
    let three = [
        (ADD, &["1", "5"][..]),
        (ADD, &["2", "-5"][..]),
        (ADD, &["1", "1"][..]),
    ];
    write(&pool, &three, Completion::Commit, soon())
        .await
        .unwrap();
    let started = Instant::now();
    write(&pool, &three, Completion::Commit, soon())
        .await
        .unwrap();
    let took = started.elapsed();
    assert!(took >= 2 * way && took < 4 * way, "{took:?}");
    let started = Instant::now();
    write(&pool, &three[..1], Completion::Commit, soon())
        .await
        .unwrap();
    let took = started.elapsed();
    assert!(took >= 2 * way && took < 4 * way, "{took:?}");
}

/// A transfer between accounts whose first step waits a little, so a deadline or a dropped future
/// may interrupt any part of it.
fn transfer(pause: &str) -> [(String, Vec<String>); 3] {
    let add = |id: &str, by: &str| (ADD.to_owned(), vec![id.to_owned(), by.to_owned()]);
    let pause = (
        "SELECT pg_sleep($1::float8)::text".to_owned(),
        vec![pause.to_owned()],
    );
    [add("1", "-1"), pause, add("2", "1")]
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_transactions_do_not_affect_the_next_request() {
    let location = Place::start(3).await;
    let mut tasks = Vec::new();
    for number in 0..240_u64 {
        let pool = location.pool.clone();
        tasks.push(tokio::spawn(async move {
            let steps = transfer(if number % 2 == 0 { "0" } else { "0.003" });
            let steps: Vec<(&str, Vec<&str>)> = steps
                .iter()
                .map(|(text, values)| (text.as_str(), values.iter().map(String::as_str).collect()))
                .collect();
            let steps: Vec<(&str, &[&str])> = steps
                .iter()
                .map(|(text, values)| (*text, values.as_slice()))
                .collect();
            let ending = if number % 5 == 0 {
                Completion::Rollback
            } else {
                Completion::Commit
            };
            let short = Duration::from_micros(number * 40 % 9000);
            match number % 3 {
                0 => drop(tokio::time::timeout(short, write(&pool, &steps, ending, soon())).await),
                1 => drop(write(&pool, &steps, ending, Instant::now() + short).await),
                _ => {
                    let outside = "SELECT (now() = statement_timestamp())::text || \
                                   txid_current_if_assigned()::text";
                    let outside = pool
                        .query_text(&format!("SELECT coalesce(({outside}), 'none')"), soon())
                        .await
                        .unwrap();
                    assert_eq!(outside, "none", "inside of somebody's transaction");
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let quiet = soon();
    while location.inside().await > 0 {
        assert!(
            Instant::now() < quiet,
            "a connection is still inside a transaction"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(
        location
            .value("SELECT sum(balance)::text FROM accounts")
            .await,
        "200"
    );
    // All connections are usable again.
    for _ in 0..6 {
        assert_eq!(
            location
                .write(
                    &[(ADD, &["1", "0"]), (ADD, &["2", "0"])],
                    Completion::Commit
                )
                .await
                .unwrap()
                .len(),
            2
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_undo_never_commits() {
    let location = Place::start(2).await;
    for number in 0..60_u64 {
        let steps = [(ADD, &["1", "1"][..]), (ADD, &["2", "1"][..])];
        let short = Duration::from_micros(number * 60);
        drop(tokio::time::timeout(short, location.write(&steps, Completion::Rollback)).await);
    }
    assert_eq!(location.balances().await, "100 100");
}

#[tokio::test(flavor = "multi_thread")]
async fn long_step_is_cancelled_when_its_future_is_dropped() {
    let location = Place::start(1).await;
    let started = Instant::now();
    let sleep = "SELECT pg_sleep(15)::text";
    let steps = [(ADD, &["1", "5"][..]), (sleep, &[])];
    let late = started + Duration::from_millis(80);
    let failed = write(&location.pool, &steps, Completion::Commit, late)
        .await
        .unwrap_err();
    assert!(
        matches!(failed.fault, DatabaseError::Timeout(_)) && !failed.is_undone(),
        "{failed:?}"
    );
    assert_eq!(location.balances().await, "100 100");
    let gone = location.write(&steps, Completion::Commit);
    assert!(
        tokio::time::timeout(Duration::from_millis(80), gone)
            .await
            .is_err()
    );
    assert_eq!(location.balances().await, "100 100");
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn statement_whose_parsing_is_cancelled_is_parsed_again() {
    let location = Place::start(1).await;
    let one = || async {
        location
            .write(&[(ADD, &["1", "5"])], Completion::Commit)
            .await
    };
    let two = || async {
        location
            .write(
                &[(ADD, &["1", "5"]), (ADD, &["2", "5"])],
                Completion::Rollback,
            )
            .await
    };
    let mut client = location.database.connect().await.unwrap();
    // Parsing waits for the lock.
    let locked = client.transaction().await.unwrap();
    locked
        .execute("LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE", &[])
        .await
        .unwrap();
    let late = Instant::now() + Duration::from_millis(80);
    let failed = write(
        &location.pool,
        &[(ADD, &["1", "5"])],
        Completion::Commit,
        late,
    )
    .await
    .unwrap_err();
    assert!(
        matches!(failed.fault, DatabaseError::Timeout(_)),
        "{failed:?}"
    );
    assert!(
        tokio::time::timeout(Duration::from_millis(80), two())
            .await
            .is_err()
    );
    let query = "SELECT balance::text FROM accounts WHERE id = 1";
    let late = Instant::now() + Duration::from_millis(80);
    let failed = location.pool.query_text(query, late).await.unwrap_err();
    assert!(matches!(failed, DatabaseError::Timeout(_)), "{failed:?}");
    locked.rollback().await.unwrap();
    assert_eq!(one().await.unwrap(), ["105"]);
    assert_eq!(two().await.unwrap(), ["110", "105"]);
    assert_eq!(location.value(query).await, "105");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_connection_does_not_cause_a_retry_of_a_write() {
    let location = Place::start(2).await;
    let kill = "SELECT pg_terminate_backend(pg_backend_pid())::text";
    let failed = location
        .write(&[(ADD, &["1", "5"]), (kill, &[])], Completion::Commit)
        .await
        .unwrap_err();
    assert!(
        matches!(failed.fault, DatabaseError::Unavailable(_)),
        "{failed:?}"
    );
    assert!(!failed.is_undone(), "{failed:?}");
    let failed = location
        .write(&[(kill, &[])], Completion::Commit)
        .await
        .unwrap_err();
    assert!(
        matches!(failed.fault, DatabaseError::Unavailable(_)) && !failed.is_undone(),
        "{failed:?}"
    );
    // The closed connection is not reused.
    assert_eq!(
        location
            .write(&[(ADD, &["1", "0"])], Completion::Commit)
            .await
            .unwrap(),
        ["100"]
    );
    assert_eq!(
        location
            .write(
                &[(ADD, &["1", "0"]), (ADD, &["2", "0"])],
                Completion::Commit
            )
            .await
            .unwrap(),
        ["100", "100"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn deadlocked_transactions_are_retried() {
    let location = Place::start(6).await;
    let one = |order: [&'static str; 2]| {
        let pool = location.pool.clone();
        tokio::spawn(async move {
            let mut retry = pool.retry(soon());
            loop {
                let pause = ("SELECT pg_sleep(0.05)::text", &[][..]);
                let steps = [
                    (ADD, &[order[0], "1"][..]),
                    pause,
                    (ADD, &[order[1], "1"][..]),
                ];
                match write(&pool, &steps, Completion::Commit, soon()).await {
                    Ok(_) => return true,
                    Err(failed) if retry.should_retry_write(&failed).await => {}
                    Err(failed) => {
                        assert_eq!(sqlstate(&failed), "40P01");
                        return false;
                    }
                }
            }
        })
    };
    let tasks: Vec<_> = (0..4)
        .map(|number| {
            one(if number % 2 == 0 {
                ["1", "2"]
            } else {
                ["2", "1"]
            })
        })
        .collect();
    let mut done = 0;
    for task in tasks {
        done += i32::from(task.await.unwrap());
    }
    assert!(done >= 2, "{done}");
    assert_eq!(
        location.balances().await,
        format!("{} {}", 100 + done, 100 + done)
    );
}
