//! A file of allow lists as it is written, by people, by the importer, and by the gateway when it learns.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::ConfigError;

/// The whole file.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// What may be asked.
    #[serde(default)]
    pub(super) collection: Vec<Collection>,
}

/// Operations that belong together.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Collection {
    /// What it is called in messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// Who may ask them; everybody if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) roles: Option<Vec<String>>,
    /// Documents, or folders of them, beside the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) documents: Vec<PathBuf>,
    /// Documents that are written here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) queries: Vec<String>,
    /// Whether the documents that are known beforehand belong to it too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) persisted: bool,
}

impl File {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<File, ConfigError> {
        let unreadable = |cause| ConfigError::Unreadable { path: path.to_owned(), cause };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        toml::from_str(&text).map_err(|error| ConfigError::toml(path, &text, &error))
    }
}
