//! The schema `postern`: the gateway's own tables, beside those of the database. It is made and upgraded by `postern migrate`
//! alone, version by version; what a version holds is told in its file.

use std::fmt::Write;

use tokio_postgres::Client;

/// The versions, in order. One that was released is never changed.
const VERSIONS: &[&str] = &[include_str!("migrations/tokens.sql"), include_str!("migrations/token_count.sql")];

/// The event trigger that notifies gateways of changes. It is no version: only a superuser can make it.
pub const WATCH: &str = include_str!("migrations/watch.sql");

/// The newest version that this gateway knows.
pub const NEWEST: usize = VERSIONS.len();

/// Any number of ours: whoever migrates waits for others who do.
const LOCK: i64 = 0x0070_6f73_7465_726e;

/// The version that a database has; zero without the schema.
pub async fn version(client: &Client) -> Result<usize, tokio_postgres::Error> {
    let there: bool = client.query_one("SELECT to_regclass('postern.migration') IS NOT NULL", &[]).await?.get(0);
    if !there {
        return Ok(0);
    }
    let version: i32 = client.query_one("SELECT coalesce(max(version), 0) FROM postern.migration", &[]).await?.get(0);
    Ok(usize::try_from(version).unwrap_or_default())
}

/// Brings a database to the newest version, all in one transaction. Run again it changes nothing.
pub async fn migrate(client: &Client) -> Result<(), tokio_postgres::Error> {
    let outcome = client.batch_execute(&script()).await;
    if outcome.is_err() {
        // What is told is the first error; the connection is free of its transaction either way.
        client.batch_execute("ROLLBACK").await.ok();
    }
    outcome
}

/// The statements of [`migrate`], as `postern migrate --print` shows them.
pub fn script() -> String {
    let mut script = format!(
        "BEGIN;\nSELECT pg_advisory_xact_lock({LOCK});\n\n\
         DO $migrate$ BEGIN\nIF to_regclass('postern.migration') IS NULL THEN\n\
         CREATE SCHEMA IF NOT EXISTS postern;\n\
         COMMENT ON SCHEMA postern IS 'The gateway''s own tables; made by `postern migrate`.';\n\
         CREATE TABLE postern.migration (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());\n\
         END IF;\nEND $migrate$;\n"
    );
    for (place, version) in VERSIONS.iter().enumerate() {
        let number = place + 1;
        let _ = write!(
            script,
            "\nDO $migrate$ BEGIN\nIF NOT EXISTS (SELECT FROM postern.migration WHERE version = {number}) THEN\n\n{version}\n\
             INSERT INTO postern.migration (version) VALUES ({number});\nEND IF;\nEND $migrate$;\n"
        );
    }
    script.push_str("\nCOMMIT;\n");
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_version_ends_the_block_that_it_stands_in() {
        assert!(VERSIONS.iter().all(|version| !version.contains("$migrate$")));
        assert_eq!(script().matches("DO $migrate$").count(), 1 + NEWEST);
    }
}
