//! Why an import stops.

use gateway::config::ConfigError;
use pg::DatabaseError;

/// Why an import stops.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The settings have no accounts.
    #[error("the settings have no `[accounts]`, into which an import takes credentials")]
    NoAccounts,
    /// The settings are wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The schema `postern` is missing or old.
    #[error("the schema `postern` is not there, or an older one; run `postern migrate`")]
    OldSchema,
    /// The source has no table of users.
    #[error(
        "the source has no table `auth.users` that its role may read; `--source-database-url` names another database"
    )]
    NoUsers,
    /// The table of users is another server's.
    #[error(
        "the table `auth.users` of the source has no column `{column}`: it is not one of {server}"
    )]
    OtherServer {
        /// The column that is missing.
        column: &'static str,
        /// The server whose tables were expected.
        server: &'static str,
    },
    /// The query of users fails.
    #[error("`users`: {0}")]
    Users(String),
    /// No connection.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// Postgres refuses a statement.
    #[error("{}", message(.0))]
    Postgres(#[from] tokio_postgres::Error),
    /// A secret cannot be sealed.
    #[error("a secret cannot be sealed")]
    Seal,
}

/// Postgres' message, without its details: these may repeat values.
pub(super) fn message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db_error) => db_error.message().to_owned(),
        None => error.to_string(),
    }
}
