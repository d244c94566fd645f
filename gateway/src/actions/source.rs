//! The files that declare actions, and the table of the settings file that names them.

use std::path::{Path, PathBuf};

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
