//! The tables of a source and their columns, which differ from version to version.

use std::collections::BTreeSet;

use tokio_postgres::Transaction;

use super::import_error::ImportError;

/// The columns of the tables in the schema `auth` that the role of the connection may read.
pub(super) struct SourceTables(BTreeSet<(String, String)>);

impl SourceTables {
    /// Reads the catalog.
    pub(super) async fn read(snapshot: &Transaction<'_>) -> Result<SourceTables, ImportError> {
        let statement = "SELECT table_name::text, column_name::text FROM information_schema.columns
            WHERE table_schema = 'auth' AND has_column_privilege(
              format('%I.%I', table_schema, table_name), column_name::text, 'SELECT')";
        let rows = snapshot.query(statement, &[]).await?;
        let names = rows.iter().map(|row| (row.get(0), row.get(1)));
        Ok(SourceTables(names.collect()))
    }

    /// Whether there is a table.
    pub(super) fn has_table(&self, table: &str) -> bool {
        self.0.iter().any(|(name, _)| name == table)
    }

    /// Whether a table has a column.
    pub(super) fn has(&self, table: &str, column: &str) -> bool {
        self.0.contains(&(table.to_owned(), column.to_owned()))
    }

    /// The expression of a column of a table with the alias `t`, or of a null in its place.
    pub(super) fn column(&self, table: &str, column: &str, type_name: &str) -> String {
        if self.has(table, column) {
            format!("t.{column}::{type_name}")
        } else {
            format!("NULL::{type_name}")
        }
    }

    /// Fails unless the table of users is the server's.
    pub(super) fn require_users(
        &self,
        column: &'static str,
        server: &'static str,
    ) -> Result<(), ImportError> {
        if !self.has_table("users") {
            return Err(ImportError::NoUsers);
        }
        if !self.has("users", column) {
            return Err(ImportError::OtherServer { column, server });
        }
        Ok(())
    }
}
