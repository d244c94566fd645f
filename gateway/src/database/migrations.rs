//! The schema `postern`: the gateway's own tables in the database. Only `postern migrate` creates
//! and upgrades it, version by version; each version's SQL file describes its tables.
//!
//! No role's schema has these tables, since they hold token digests, sessions and the audit log. Of
//! the functions, clients can call those that a permission file names.

use std::fmt::Write;

use tokio_postgres::Client;

/// The versions in order. A released version is never changed.
const VERSIONS: &[&str] = &[
    include_str!("migrations/tokens.sql"),
    include_str!("migrations/token_count.sql"),
    include_str!("migrations/event_queue.sql"),
    include_str!("migrations/webhooks.sql"),
    include_str!("migrations/action_log.sql"),
    include_str!("migrations/retention.sql"),
    include_str!("migrations/event_lease.sql"),
    include_str!("migrations/event_idle.sql"),
    include_str!("migrations/webhook_senders.sql"),
    include_str!("migrations/event_triggers.sql"),
    include_str!("migrations/action_turns.sql"),
];

/// The event trigger that notifies gateways of schema changes. It is not a version, because only a
/// superuser can create it.
pub const WATCH: &str = include_str!("migrations/watch.sql");

/// The triggers that notify gateways of writes. They are not a version, because they belong to the
/// tables that exist when they are made.
pub const NOTIFY_WRITES: &str = include_str!("migrations/notify_writes.sql");

/// The publication from which gateways learn of changed rows by logical replication.
pub const REPLICATION: &str = include_str!("migrations/replication.sql");

/// The newest version that this gateway supports.
pub const NEWEST_VERSION: usize = VERSIONS.len();

/// The versions of plugins that are not the gateway's own. A plugin's name is its key.
const PLUGIN_VERSIONS: &str = "CREATE TABLE IF NOT EXISTS postern.plugin_migration \
                               (plugin text, version int, at timestamptz NOT NULL DEFAULT now(), \
                               PRIMARY KEY (plugin, version));";

/// The key of the advisory lock under which migrations run one at a time. The number is arbitrary.
const MIGRATION_LOCK_KEY: i64 = 0x0070_6f73_7465_726e;

/// The version of a database; zero if the schema does not exist.
pub async fn version(client: &Client) -> Result<usize, tokio_postgres::Error> {
    let exists: bool = client
        .query_one("SELECT to_regclass('postern.migration') IS NOT NULL", &[])
        .await?
        .get(0);
    if !exists {
        return Ok(0);
    }
    let version: i32 = client
        .query_one(
            "SELECT coalesce(max(version), 0) FROM postern.migration",
            &[],
        )
        .await?
        .get(0);
    Ok(usize::try_from(version).unwrap_or_default())
}

/// Upgrades a database to the newest version in one transaction. Does nothing if it is up to date.
pub async fn migrate(client: &Client) -> Result<(), tokio_postgres::Error> {
    let outcome = client.batch_execute(&script()).await;
    if outcome.is_err() {
        // Ends the failed transaction; the first error is the one that is returned.
        client.batch_execute("ROLLBACK").await.ok();
    }
    outcome
}

/// The SQL that [`migrate`] runs and `postern migrate --print` shows.
pub fn script() -> String {
    let mut script = format!(
        "BEGIN;\nSELECT pg_advisory_xact_lock({MIGRATION_LOCK_KEY});\n\n\
                              DO $migrate$ BEGIN\nIF to_regclass('postern.migration') IS NULL \
                              THEN\n\
                              CREATE SCHEMA IF NOT EXISTS postern;\n\
                              COMMENT ON SCHEMA postern IS 'The gateway''s own tables; made by \
                              `postern migrate`.';\n\
                              CREATE TABLE postern.migration (version int PRIMARY KEY, at \
                              timestamptz NOT NULL DEFAULT now());\n\
                              END IF;\nEND $migrate$;\n"
    );
    for (index, version) in VERSIONS.iter().enumerate() {
        let number = index + 1;
        let _ = write!(
            script,
            "\nDO $migrate$ BEGIN\nIF NOT EXISTS (SELECT FROM \
                                postern.migration WHERE version = {number}) THEN\n\n{version}\n\
                                INSERT INTO postern.migration (version) VALUES ({number});\nEND \
                                IF;\nEND $migrate$;\n"
        );
    }
    script.push_str("\nCOMMIT;\n");
    script
}

/// Runs the versions of a plugin's tables that the database does not have yet, in one transaction.
pub async fn migrate_plugin(
    client: &Client,
    plugin: &str,
    versions: &[&str],
) -> Result<(), tokio_postgres::Error> {
    if versions.is_empty() {
        return Ok(());
    }
    let outcome = migrate_versions(client, plugin, versions).await;
    client
        .batch_execute(if outcome.is_ok() {
            "COMMIT"
        } else {
            "ROLLBACK"
        })
        .await
        .and(outcome)
}

async fn migrate_versions(
    client: &Client,
    plugin: &str,
    versions: &[&str],
) -> Result<(), tokio_postgres::Error> {
    let begin =
        format!("BEGIN; SELECT pg_advisory_xact_lock({MIGRATION_LOCK_KEY}); {PLUGIN_VERSIONS}");
    client.batch_execute(&begin).await?;
    let last = "SELECT coalesce(max(version), 0) FROM postern.plugin_migration WHERE plugin = $1";
    let last: i32 = client.query_one(last, &[&plugin]).await?.get(0);
    let done = usize::try_from(last).unwrap_or_default();
    for (version, text) in (1_i32..).zip(versions).skip(done) {
        client.batch_execute(text).await?;
        let record = "INSERT INTO postern.plugin_migration (plugin, version) VALUES ($1, $2)";
        client.execute(record, &[&plugin, &version]).await?;
    }
    Ok(())
}

/// The message of a failed migration. These statements contain no secrets, so Postgres' message is
/// given in full.
pub fn message(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(
        || error.to_string(),
        |database_error| database_error.message().to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_version_contains_the_dollar_quote_around_it() {
        assert!(
            VERSIONS
                .iter()
                .all(|version| !version.contains("$migrate$"))
        );
        assert_eq!(script().matches("DO $migrate$").count(), 1 + NEWEST_VERSION);
    }
}
