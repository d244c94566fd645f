//! The files that declare actions, and the table of the settings file that names them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use permissions::SourceFile;
use serde::Deserialize;

use crate::config::text_file::read_file;
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
    /// How many calls of asynchronous actions of one caller wait at most.
    #[serde(default = "default_waiting_calls")]
    pub waiting_calls: usize,
}

/// How the log of asynchronous actions is kept.
#[derive(Clone, Copy, Debug)]
pub struct LogSettings {
    /// How long finished calls are kept.
    pub retention: Duration,
    /// How many calls of one caller wait at most.
    pub waiting_calls: usize,
}

fn default_waiting_calls() -> usize {
    1000
}

fn default_retention() -> u64 {
    30
}

const MAX_WAITING_CALLS: usize = 1_000_000;

const MAX_RETENTION_DAYS: u64 = 36_500;

/// Reads how the log of asynchronous actions is kept.
pub fn log_settings(config: &Config) -> Result<LogSettings, ConfigError> {
    let read = config.sections.read::<ActionsConfig>("actions")?;
    let days = read
        .as_ref()
        .map_or(default_retention(), |read| read.retention_days);
    let waiting_calls = read
        .as_ref()
        .map_or(default_waiting_calls(), |read| read.waiting_calls);
    if !(1..=MAX_RETENTION_DAYS).contains(&days) {
        let message = format!("`retention_days` has to be from 1 to {MAX_RETENTION_DAYS}");
        return Err(config.sections.fault("actions", message));
    }
    if !(1..=MAX_WAITING_CALLS).contains(&waiting_calls) {
        let message = format!("`waiting_calls` has to be from 1 to {MAX_WAITING_CALLS}");
        return Err(config.sections.fault("actions", message));
    }
    Ok(LogSettings {
        retention: Duration::from_secs(days * 86_400),
        waiting_calls,
    })
}

impl Source {
    /// Reads the files that the settings name; `None` if they name none.
    pub fn from_config(config: &Config) -> Result<Option<Source>, ConfigError> {
        let Some(paths) = config.sections.read::<ActionsConfig>("actions")? else {
            return Ok(None);
        };
        let read = |path: &Path| {
            let path = config.sections.beside(path);
            let cause = |error| {
                config.sections.fault(
                    "actions",
                    format!("cannot read {}: {error}", path.display()),
                )
            };
            let text = read_file(&path).map_err(cause)?;
            Ok::<_, ConfigError>(SourceFile::new(path.to_string_lossy().into_owned(), text))
        };
        Ok(Some(Source {
            definitions: read(&paths.definitions)?,
            types: read(&paths.types)?,
        }))
    }
}
