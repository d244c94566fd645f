//! The format of an allow list's file, which people, the importer and the recorder write.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::ConfigError;
use crate::config::text_file::read_file;

/// The whole file.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// The collections of operations.
    #[serde(default)]
    pub(super) collection: Vec<Collection>,
}

/// A collection of operations for some roles.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Collection {
    /// The name in messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// The roles that may run them; all roles if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) roles: Option<Vec<String>>,
    /// Paths of documents, or of folders of documents, relative to the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) documents: Vec<PathBuf>,
    /// Documents in the file itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) queries: Vec<String>,
    /// Whether it also contains the persisted documents.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) persisted: bool,
}

impl File {
    /// Reads and parses a file.
    pub(super) fn read(path: &Path) -> Result<File, ConfigError> {
        let unreadable = |cause| ConfigError::Unreadable {
            path: path.to_owned(),
            cause,
        };
        let text = read_file(path).map_err(unreadable)?;
        toml::from_str(&text).map_err(|error| ConfigError::toml(path, &text, &error))
    }
}
