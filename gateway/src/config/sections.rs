//! Tables of the settings file that hold more than one value: limits of roles, rates, and what plugins are told. Each is read
//! by the part of the gateway that it is about; a table that nobody reads is refused with the file.

use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, IntoDeserializer};
use toml::de::DeTable;

use super::ConfigError;

/// The tables there may be, by their keys in the file.
pub const SECTIONS: &[&str] = &["bounds", "cache", "operations", "rates", "token_exchange"];

/// The settings file, for those who read a table of it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ConfigTables {
    path: PathBuf,
    text: String,
}

impl ConfigTables {
    /// The tables of a file. It has been found to be TOML.
    pub(crate) fn of(path: &Path, text: &str) -> ConfigTables {
        ConfigTables { path: path.to_owned(), text: text.to_owned() }
    }

    /// What the table of that name says; nothing where the file has none.
    ///
    /// Errors: [`ConfigError::Toml`], with the line of what is unknown or of the wrong type.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ConfigError> {
        let refuse = |error: toml::de::Error| ConfigError::toml(&self.path, &self.text, &error);
        let table = DeTable::parse(&self.text).map_err(refuse)?.into_inner();
        let Some((_, value)) = table.into_iter().find(|(key, _)| key.get_ref() == name) else { return Ok(None) };
        T::deserialize(value.into_deserializer()).map(Some).map_err(refuse)
    }

    /// The line on which a key or a table of the file stands.
    pub fn line(&self, key: &str) -> Option<usize> {
        let table = DeTable::parse(&self.text).ok()?.into_inner();
        let start = table.keys().find(|known| known.get_ref() == key)?.span().start;
        Some(self.text.get(..start)?.matches('\n').count() + 1)
    }

    /// A fault of a table that is not one of its form.
    pub fn fault(&self, name: &str, message: impl Into<String>) -> ConfigError {
        ConfigError::Section { path: self.path.clone(), name: name.to_owned(), message: message.into() }
    }

    /// A path that the file names, which is relative to the file.
    pub fn beside(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}

/// The text may hold secrets.
impl std::fmt::Debug for ConfigTables {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sections").field("path", &self.path).finish_non_exhaustive()
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
        ConfigTables::of(Path::new("a/gateway.toml"), text).read("operations")
    }

    #[test]
    fn a_table_is_read_alone() {
        let text = "listen = \"a\"\n[rates]\nx = 1\n[operations]\nmode = \"log\"\n";
        assert_eq!(read(text).unwrap(), Some(Operations { mode: "log".into() }));
        assert_eq!(read("listen = \"a\"\n").unwrap(), None);
    }

    #[test]
    fn what_is_wrong_in_it_is_told_with_its_line() {
        let told = read("listen = \"a\"\n\n[operations]\nmode = 3\n").unwrap_err().to_string();
        assert!(told.starts_with("a/gateway.toml: line 4: "), "{told}");
        let told = read("[operations]\nmode = \"log\"\nmood = 1\n").unwrap_err().to_string();
        assert!(told.starts_with("a/gateway.toml: line 3: unknown field `mood`"), "{told}");
    }

    #[test]
    fn paths_lie_beside_the_file() {
        assert_eq!(ConfigTables::of(Path::new("a/gateway.toml"), "").beside("b"), Path::new("a/b"));
    }
}
