//! The schema `postern`: the tables of the gateway and of the plugins that come with it. Only
//! `postern migrate` creates and upgrades it, version by version; each version's SQL file describes
//! its tables. A plugin has the files of its tables.
//!
//! No role's schema has these tables, since they hold token digests, sessions and the audit log. Of
//! the functions, clients can call those that a permission file names.

use std::fmt::Write;

use tokio_postgres::Client;

/// One version of the tables of a plugin, or of the gateway itself. A released version is never
/// changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Migration {
    /// A version of the plugin's own tables; its number is its place among those of the plugin.
    OfPlugin {
        /// The statements.
        sql: &'static str,
    },
    /// A version of the schema `postern`, of a plugin that comes with the gateway. No two have the
    /// same number.
    OfSchema {
        /// Its number.
        version: usize,
        /// The statements.
        sql: &'static str,
    },
}

/// The versions of the gateway's own tables. The other numbers up to [`NEWEST_VERSION`] are those
/// of plugins.
const OWN: [Migration; 2] = [
    Migration::OfSchema {
        version: 5,
        sql: include_str!("migrations/action_log.sql"),
    },
    Migration::OfSchema {
        version: 11,
        sql: include_str!("migrations/action_turns.sql"),
    },
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
pub const NEWEST_VERSION: usize = 17;

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

/// Runs the versions of the schema that a database does not have yet, the gateway's own and these
/// of plugins, in one transaction.
pub async fn migrate(
    client: &Client,
    of_plugins: &[Migration],
) -> Result<(), tokio_postgres::Error> {
    let outcome = client.batch_execute(&script(of_plugins)).await;
    if outcome.is_err() {
        // Ends the failed transaction; the first error is the one that is returned.
        client.batch_execute("ROLLBACK").await.ok();
    }
    outcome
}

/// The SQL that [`migrate`] runs and `postern migrate --print` shows.
pub fn script(of_plugins: &[Migration]) -> String {
    let mut versions: Vec<(usize, &str)> = OWN
        .iter()
        .chain(of_plugins)
        .filter_map(|migration| match migration {
            Migration::OfSchema { version, sql } => Some((*version, *sql)),
            Migration::OfPlugin { .. } => None,
        })
        .collect();
    versions.sort_unstable_by_key(|(version, _)| *version);
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
    for (version, sql) in versions {
        let _ = write!(
            script,
            "\nDO $migrate$ BEGIN\nIF NOT EXISTS (SELECT FROM \
                                postern.migration WHERE version = {version}) THEN\n\n{sql}\n\
                                INSERT INTO postern.migration (version) VALUES ({version});\nEND \
                                IF;\nEND $migrate$;\n"
        );
    }
    script.push_str("\nCOMMIT;\n");
    script
}

/// Runs the versions of a plugin's own tables that the database does not have yet, in one
/// transaction.
pub async fn migrate_plugin(
    client: &Client,
    plugin: &str,
    migrations: &[Migration],
) -> Result<(), tokio_postgres::Error> {
    let versions: Vec<&str> = migrations
        .iter()
        .filter_map(|migration| match migration {
            Migration::OfPlugin { sql } => Some(*sql),
            Migration::OfSchema { .. } => None,
        })
        .collect();
    if versions.is_empty() {
        return Ok(());
    }
    let outcome = migrate_versions(client, plugin, &versions).await;
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
    fn versions_run_in_the_order_of_their_numbers() {
        let of_plugins = [
            Migration::OfSchema {
                version: 7,
                sql: "seventh",
            },
            Migration::OfPlugin {
                sql: "own of a plugin",
            },
            Migration::OfSchema {
                version: 1,
                sql: "first",
            },
        ];
        let script = script(&of_plugins);
        let numbers: Vec<&str> = script
            .split("(version) VALUES (")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .collect();
        assert_eq!(numbers, ["1", "5", "7", "11"]);
        assert!(script.contains("first") && !script.contains("own of a plugin"));
    }
}
