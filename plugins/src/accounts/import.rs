//! Takes credentials over from another server's tables: hasura-auth's or GoTrue's. Users are not
//! copied. They stay in the owner's table, and a user of the source is the one whom the query
//! `users` returns for the same id.
//!
//! ```text
//! hasura_auth, gotrue ─▶ Source ─▶ known_users ─▶ CredentialImport ─▶ credential_writer ─▶ postern.*
//!                                                        └─▶ ImportReport
//! ```

mod credential_import;
mod credential_writer;
mod gotrue;
mod hasura_auth;
mod import_error;
mod import_report;
mod known_users;
mod sealed_secret;
mod source;
mod source_kind;
mod source_tables;

use std::time::Duration;

use gateway::config::Config;
use gateway::migrations;
use pg::Database;
use tokio::time::Instant;

use super::config::CredentialSettings;
use crate::token_exchange::user_query;
use credential_import::CredentialImport;
pub use import_error::ImportError;
pub use import_report::ImportReport;
use source::Source;
pub use source_kind::SourceKind;
use source_tables::SourceTables;

/// The time limit for opening a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// An import.
#[derive(Debug)]
pub struct Import<'a> {
    /// Whose tables are read.
    pub kind: SourceKind,
    /// The database with these tables.
    pub source: &'a Database,
    /// The keys that open sealed secrets; each is tried.
    pub source_keys: &'a [String],
    /// The database of the gateway.
    pub target: &'a Database,
    /// Whether the import is rolled back at its end.
    pub is_dry_run: bool,
}

impl Import<'_> {
    /// Runs the import as one transaction.
    ///
    /// Errors: the settings have no `[accounts]`, the source lacks the tables, or a statement
    /// fails. Then nothing is changed.
    pub async fn run(&self, config: &Config) -> Result<ImportReport, ImportError> {
        let settings = CredentialSettings::read(config)?.ok_or(ImportError::NoAccounts)?;
        let find_user = user_query(config)?.ok_or(ImportError::NoAccounts)?;
        let source = self.read_source().await?;
        let mut client = self
            .target
            .admin_client(Instant::now() + CONNECT_TIMEOUT)
            .await?;
        if migrations::version(&client).await? < migrations::NEWEST_VERSION {
            return Err(ImportError::OldSchema);
        }
        let transaction = client.transaction().await?;
        let ids: Vec<&str> = source.users.iter().map(|user| user.id.as_str()).collect();
        let users = known_users::find(&transaction, &find_user, &ids).await?;
        let import = CredentialImport {
            kind: self.kind,
            settings: &settings,
            source_keys: self.source_keys,
            transaction: &transaction,
            users,
            report: ImportReport::new(self.kind, self.is_dry_run),
        };
        let report = import.run(&source).await?;
        if self.is_dry_run {
            transaction.rollback().await?;
        } else {
            transaction.commit().await?;
        }
        Ok(report)
    }

    /// Reads the source from one snapshot.
    async fn read_source(&self) -> Result<Source, ImportError> {
        let mut client = self
            .source
            .admin_client(Instant::now() + CONNECT_TIMEOUT)
            .await?;
        let snapshot = client
            .build_transaction()
            .isolation_level(tokio_postgres::IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await?;
        let tables = SourceTables::read(&snapshot).await?;
        match self.kind {
            SourceKind::HasuraAuth => hasura_auth::read(&snapshot, &tables).await,
            SourceKind::GoTrue => gotrue::read(&snapshot, &tables).await,
        }
    }
}
