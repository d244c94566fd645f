//! What the server of the tests has: the tests run with several versions of Postgres, and their
//! programs from npm come without PostGIS. Scripts of the fixture are adapted, and tests that need
//! what is missing are skipped and say so.

use std::sync::OnceLock;

use tokio_postgres::{Client, Error};

/// What a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerFeatures {
    /// Its major version.
    pub version: u32,
    /// Whether PostGIS can be created.
    pub has_postgis: bool,
}

static FEATURES: OnceLock<ServerFeatures> = OnceLock::new();

/// The part of the fixture with PostGIS, and what replaces it: the tables and columns, without
/// their values.
const SPATIAL: &str = include_str!("../fixture/spatial.sql");
const PLAIN: &str = "CREATE TABLE places (id int PRIMARY KEY, owner_id int NOT NULL, name text \
                     NOT NULL, spot text, \
                     shape text, flat text, globe text, trail text[], cells text);";

impl ServerFeatures {
    /// Asks the server of the tests, once.
    pub async fn of(client: &Client) -> Result<ServerFeatures, Error> {
        if let Some(known) = FEATURES.get() {
            return Ok(*known);
        }
        let features = "SELECT current_setting('server_version_num')::int / 10000, \
                        (SELECT count(*) = 2 FROM pg_available_extensions WHERE name IN \
                        ('postgis', 'postgis_raster'))";
        let row = client.query_one(features, &[]).await?;
        let version = u32::try_from(row.get::<_, i32>(0)).unwrap_or_default();
        Ok(*FEATURES.get_or_init(|| ServerFeatures {
            version,
            has_postgis: row.get(1),
        }))
    }

    /// A script as this server can run it.
    pub fn adapt(self, script: &str) -> String {
        let mut text = script.to_owned();
        if !self.has_postgis {
            text = text.replace(SPATIAL, PLAIN);
        }
        if self.version < 14 {
            text = text.replace("spans int4multirange", "spans text");
        }
        text
    }

    /// What a test needs whose statements are these, if the server does not have it.
    pub fn missing_for(self, statements: &str) -> Option<&'static str> {
        let has = |words: &[&str]| words.iter().any(|word| statements.contains(word));
        if !self.has_postgis && has(&["\"places\"", "st_", "ST_", "geometry", "geography"]) {
            return Some("PostGIS");
        }
        if self.version < 14 && has(&["multirange", "\"spans\""]) {
            return Some("Postgres 14, for multiranges");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_features_are_named() {
        let old = ServerFeatures {
            version: 13,
            has_postgis: false,
        };
        assert_eq!(
            old.missing_for("SELECT \"spans\""),
            Some("Postgres 14, for multiranges")
        );
        assert_eq!(
            old.missing_for("FROM \"public\".\"places\""),
            Some("PostGIS")
        );
        assert_eq!(old.missing_for("SELECT 1"), None);
        assert!(
            old.adapt(crate::fixture::SCHEMA).contains("shape text")
                && old.adapt("spans int4multirange") == "spans text"
        );
        let full = ServerFeatures {
            version: 15,
            has_postgis: true,
        };
        assert_eq!(full.adapt(crate::fixture::SCHEMA), crate::fixture::SCHEMA);
        assert_eq!(full.missing_for("FROM \"public\".\"places\""), None);
    }
}
