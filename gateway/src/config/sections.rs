//! The tables of the settings file: limits of roles, rate limits, and the settings of plugins. Each
//! is parsed by the module that uses it. Tables that neither the gateway nor a plugin reads are
//! rejected.

use std::path::{Path, PathBuf};

use permissions::{SourceFile, Variables};
use serde::de::{DeserializeOwned, IntoDeserializer};
use toml::de::DeTable;

use super::ConfigError;

/// The keys of the gateway's own tables, beside those of plugins
/// ([`crate::plugin::Plugin::sections`]).
pub const SECTIONS: &[&str] = &[
    "actions",
    "bounds",
    "cache",
    "errors",
    "operations",
    "rates",
    "replicas",
];

/// The text of the settings file, from which tables are parsed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ConfigTables {
    path: PathBuf,
    text: String,
    /// The environment variables that the text names.
    variables: Variables,
}

impl ConfigTables {
    /// The tables of a file. `text` must be valid TOML.
    pub(crate) fn parse(path: &Path, text: &str) -> ConfigTables {
        ConfigTables::with_variables(path, text, Variables::default())
    }

    /// The tables of a file, with these variables for `${NAME}` in its strings.
    pub(super) fn with_variables(path: &Path, text: &str, variables: Variables) -> ConfigTables {
        ConfigTables {
            path: path.to_owned(),
            text: text.to_owned(),
            variables,
        }
    }

    /// Parses the table with this name; `None` if the file does not have it.
    ///
    /// Errors: [`ConfigError::Toml`] with the line of an unknown key or a value of the wrong type.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ConfigError> {
        let refuse = |error: toml::de::Error| {
            ConfigError::toml(&self.path, &self.text, &error).redact(&self.variables)
        };
        let mut table = DeTable::parse(&self.text).map_err(refuse)?.into_inner();
        // Variables that are not set have been reported when the settings were read.
        self.variables.substitute(&mut table, &mut |_, _| {});
        let Some((_, value)) = table.into_iter().find(|(key, _)| key.get_ref() == name) else {
            return Ok(None);
        };
        T::deserialize(value.into_deserializer())
            .map(Some)
            .map_err(refuse)
    }

    /// Whether the file has this key or table.
    pub fn contains(&self, name: &str) -> bool {
        self.line(name).is_some()
    }

    /// The file's path, if there is one.
    pub fn file(&self) -> Option<&Path> {
        (!self.path.as_os_str().is_empty()).then_some(self.path.as_path())
    }

    /// The file's path, as the user gave it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The line of a key or table in the file.
    pub fn line(&self, key: &str) -> Option<usize> {
        let table = DeTable::parse(&self.text).ok()?.into_inner();
        let start = table
            .keys()
            .find(|known| known.get_ref() == key)?
            .span()
            .start;
        Some(self.text.get(..start)?.matches('\n').count() + 1)
    }

    /// The file, for faults that are drawn on its lines.
    pub fn source(&self) -> SourceFile {
        SourceFile::new(self.path.to_string_lossy().into_owned(), self.text.as_str())
    }

    /// An error about the contents of a table.
    pub fn fault(&self, name: &str, message: impl Into<String>) -> ConfigError {
        ConfigError::Section {
            path: self.path.clone(),
            name: name.to_owned(),
            message: message.into(),
        }
    }

    /// Resolves a path relative to the file.
    pub fn beside(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}

/// Leaves out the text, which may contain secrets.
impl std::fmt::Debug for ConfigTables {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ConfigTables")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Operations {
        mode: String,
    }

    fn read(text: &str) -> Result<Option<Operations>, ConfigError> {
        ConfigTables::parse(Path::new("a/gateway.toml"), text).read("operations")
    }

    #[test]
    fn table_is_read_by_its_name() {
        let text = "listen = \"a\"\n[rates]\nx = 1\n[operations]\nmode = \"log\"\n";
        assert_eq!(read(text).unwrap(), Some(Operations { mode: "log".into() }));
        assert_eq!(read("listen = \"a\"\n").unwrap(), None);
    }

    #[test]
    fn errors_have_the_line() {
        let error = read("listen = \"a\"\n\n[operations]\nmode = 3\n")
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("a/gateway.toml: line 4: "), "{error}");
        let error = read("[operations]\nmode = \"log\"\nmood = 1\n")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("a/gateway.toml: line 3: unknown field `mood`"),
            "{error}"
        );
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        assert_eq!(
            ConfigTables::parse(Path::new("a/gateway.toml"), "").beside("b"),
            Path::new("a/b")
        );
    }
}
