//! Why a gateway does not start, or keeps its running version at a reload.

use std::path::PathBuf;

use permissions::SourceFile;
use pg::ConnectError;
use pg::tls::TlsError;

use crate::auth::PolicyError;
use crate::config::ConfigError;
use crate::execute::schema_version::LoadError;
use crate::plugin::PluginError;
use crate::subscriptions::source::SourceError;
use crate::{actions, migrations, rest};

/// Why a gateway did not start. No message contains a password.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The authentication settings are incomplete or contradictory.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// No database is configured.
    #[error("no database is set; set `--database-url`, or `DATABASE_URL`, or `PGHOST`")]
    NoDatabase,
    /// The permission file or the REST map cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The port's certificate or key is wrong.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// The address.
        address: String,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The database cannot be reached.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Catalog or permissions cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The REST map has errors.
    #[error("{}", permissions::render(problems, file, false))]
    RestMap {
        /// All errors.
        problems: Vec<rest::Problem>,
        /// The map.
        file: SourceFile,
    },
    /// The source of changes that is set for subscriptions is impossible.
    #[error(transparent)]
    SubscriptionSource(#[from] SourceError),
    /// The files that declare actions have errors.
    #[error("{}", permissions::render(problems, file, false))]
    Actions {
        /// All errors.
        problems: Vec<actions::Problem>,
        /// The definitions.
        file: SourceFile,
    },
    /// A plugin is not ready.
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// The schema `postern` could not be upgraded.
    #[error("the database is not changed: {}", migrations::message(.0))]
    Migration(#[from] tokio_postgres::Error),
    /// Signal handlers cannot be installed.
    #[error("cannot listen to signals: {0}")]
    Signal(std::io::Error),
    /// Several errors.
    #[error("{}", lines(.0))]
    Several(Vec<StartError>),
}

fn lines(errors: &[StartError]) -> String {
    errors
        .iter()
        .map(StartError::to_string)
        .collect::<Vec<_>>()
        .join("\nerror: ")
}

/// Collects the errors of parts that do not depend on each other, so that all are reported at once.
#[derive(Debug, Default)]
pub struct StartErrors(Vec<StartError>);

impl StartErrors {
    /// The value of a part; none if it has an error, which is kept.
    pub fn collect<T, E: Into<StartError>>(&mut self, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.0.push(error.into())).ok()
    }

    /// Adds an error.
    pub fn add(&mut self, error: impl Into<StartError>) {
        self.0.push(error.into());
    }

    /// Adds the errors of another part.
    pub fn append(&mut self, other: StartErrors) {
        self.0.extend(other.0);
    }

    /// All errors.
    pub fn into_vec(self) -> Vec<StartError> {
        self.0
    }

    /// The value, if there is no error.
    pub fn into_result<T>(mut self, value: Option<T>) -> Result<T, StartError> {
        match (value, self.0.len()) {
            (Some(value), 0) => Ok(value),
            (_, 1) => Err(self.0.remove(0)),
            _ => Err(StartError::Several(self.0)),
        }
    }
}
