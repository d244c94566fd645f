//! Waits for conditions. No test waits for a fixed time: a slow machine would need a longer one.

#![expect(
    clippy::panic,
    reason = "a condition that cannot be read is a failed test"
)]

use std::time::{Duration, Instant};

use crate::database::TestDatabase;

/// How long a condition may take to hold. Only tests that fail wait that long.
const DEADLINE: Duration = Duration::from_secs(30);

/// The pause between two looks at a condition.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits until the condition holds.
///
/// # Panics
///
/// If it does not hold within 30 seconds; `what` says in the message what was waited for.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !holds().await {
        assert!(Instant::now() < end, "still not: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}

impl TestDatabase {
    /// Waits until `condition`, a SQL expression, is true.
    ///
    /// # Panics
    ///
    /// If it is not true within 30 seconds, or not valid.
    pub async fn until(&self, condition: &str) {
        let query = format!("SELECT {condition}");
        until(condition, async || {
            let client = self
                .connect()
                .await
                .unwrap_or_else(|error| panic!("{error}"));
            let row = client
                .query_one(&query, &[])
                .await
                .unwrap_or_else(|error| panic!("{query}: {error}"));
            row.get(0)
        })
        .await;
    }

    /// Waits until this number of backends of the database waits for `wait_event`, a name in
    /// `pg_stat_activity`: `PgSleep`, `advisory`, `transactionid`.
    ///
    /// # Panics
    ///
    /// If that does not happen within 30 seconds.
    pub async fn until_waiting(&self, backends: usize, wait_event: &str) {
        let activity = format!(
            "(SELECT count(*) = {backends} FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event = '{wait_event}')"
        );
        self.until(&activity).await;
    }

    /// Ends the connections of the gateway to this database, and waits until their backends have
    /// exited.
    ///
    /// # Panics
    ///
    /// If they still run after 30 seconds.
    pub async fn end_gateway_connections(&self) {
        // In the output, not in the condition, where Postgres may call the function before it
        // compares the database.
        let end = "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE application_name = 'postern' AND datname = current_database()";
        let client = self
            .connect()
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let rows = client
            .query(end, &[])
            .await
            .unwrap_or_else(|error| panic!("{end}: {error}"));
        let backends: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
        self.until(&format!(
            "NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ANY (ARRAY{backends:?}::int[]))"
        ))
        .await;
    }
}
