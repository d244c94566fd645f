//! The files that declare actions, and the table of the settings file that names them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use permissions::SourceFile;
use serde::Deserialize;

use crate::config::{Config, ConfigError};

/// The texts of both files.
#[derive(Clone, Debug)]
pub struct Source {
    /// Who answers each action, and for which roles: `actions.toml`.
    pub definitions: SourceFile,
    /// The arguments and types: `actions.graphql`.
    pub types: SourceFile,
}

/// The table `[actions]` of the settings file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionsConfig {
    /// The path of the definitions, relative to the settings file.
    pub definitions: PathBuf,
    /// The path of the types, relative to the settings file.
    pub types: PathBuf,
    /// How many days finished calls of asynchronous actions are kept.
    #[serde(default = "default_retention")]
    pub retention_days: u64,
}

fn default_retention() -> u64 {
    30
}

const MAX_RETENTION_DAYS: u64 = 36_500;

/// How long finished calls of asynchronous actions are kept.
pub fn retention(config: &Config) -> Result<Duration, ConfigError> {
    let days =
        config.sections.read::<ActionsConfig>("actions")?.map_or(default_retention(), |read| read.retention_days);
    if !(1..=MAX_RETENTION_DAYS).contains(&days) {
        let message = format!("`retention_days` has to be from 1 to {MAX_RETENTION_DAYS}");
        return Err(config.sections.fault("actions", message));
    }
    Ok(Duration::from_secs(days * 86_400))
}

impl Source {
    /// Reads the files that the settings name; `None` if they name none.
    pub fn of_settings(config: &Config) -> Result<Option<Source>, ConfigError> {
        let Some(paths) = config.sections.read::<ActionsConfig>("actions")? else { return Ok(None) };
        let read = |path: &Path| {
            let path = config.sections.beside(path);
            let cause = |error| config.sections.fault("actions", format!("cannot read {}: {error}", path.display()));
            let text = std::fs::read_to_string(&path).map_err(cause)?;
            Ok::<_, ConfigError>(SourceFile::new(path.to_string_lossy().into_owned(), text))
        };
        Ok(Some(Source { definitions: read(&paths.definitions)?, types: read(&paths.types)? }))
    }
}
