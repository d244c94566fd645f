//! Finds published tables without a replica identity. Postgres refuses each update and delete of
//! such a table, for every client, and also those of a table that it inherits from.

use pg::{Database, DatabaseError};
use serde::Deserialize;
use tokio::time::Instant;

use super::source::PUBLICATION;

/// A table that Postgres lets no client update.
#[derive(Clone, Debug, Deserialize)]
pub struct RefusedUpdates {
    /// The table's name, quoted as in SQL.
    pub table: String,
    /// The statement that ends it.
    pub remedy: String,
}

/// The tables of the publication and their partitions. A table that the publication names can be
/// taken out of it; what belongs to it by another table, a schema or `FOR ALL TABLES` needs an
/// identity.
const FIND: &str = "
SELECT coalesce(json_agg(json_build_object('table', f.name, 'remedy', CASE
    WHEN f.is_named THEN format('ALTER PUBLICATION %I DROP TABLE ONLY %s', $1::text, f.name)
    ELSE format('ALTER TABLE %s REPLICA IDENTITY FULL', f.name) END) ORDER BY f.name), '[]')::text
FROM (
  SELECT DISTINCT c.oid::regclass::text AS name, EXISTS (
    SELECT FROM pg_catalog.pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid = c.oid) AS is_named
  FROM pg_catalog.pg_publication p
  CROSS JOIN LATERAL pg_catalog.pg_get_publication_tables(p.pubname::text) t
  LEFT JOIN LATERAL pg_catalog.pg_partition_tree(t.relid) l ON true
  JOIN pg_catalog.pg_class c ON c.oid = coalesce(l.relid, t.relid) AND c.relkind = 'r'
  WHERE p.pubname = $1::text AND (p.pubupdate OR p.pubdelete) AND c.relreplident <> 'f' AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indimmediate
      AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END)
) f";

/// The tables whose updates Postgres refuses because of the publication.
pub async fn refused_updates(
    database: &Database,
    deadline: Instant,
) -> Result<Vec<RefusedUpdates>, DatabaseError> {
    let found = database
        .query_scalar(FIND, &[Some(PUBLICATION.to_owned())], deadline)
        .await?;
    serde_json::from_str(&found)
        .map_err(|error| DatabaseError::Protocol(format!("tables of the publication: {error}")))
}
