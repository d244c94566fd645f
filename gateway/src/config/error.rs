//! Errors in the settings. None repeats a value: it may be a secret.

use std::path::{Path, PathBuf};

use permissions::{SyntaxFault, Variables};

/// An error in the settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// The file is not valid TOML, or a value in a table has the wrong type.
    #[error("{}: line {line}: {message}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The parser's message.
        message: String,
    },
    /// A table of the file with invalid contents.
    #[error("{}: `{name}`: {message}", path.display())]
    Section {
        /// The file.
        path: PathBuf,
        /// The table's key.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// An unknown key.
    #[error("{}: {}`{key}` is not a setting{}", path.display(), line.map(|line| format!("line \
         {line}: ")).unwrap_or_default(), suggestion.as_ref().map(|s| format!("; did you mean \
              `{s}`?")).unwrap_or_default())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The line.
        line: Option<usize>,
        /// The key.
        key: String,
        /// A setting with a similar name.
        suggestion: Option<String>,
    },
    /// An environment variable that the file names and that is not set.
    #[error("{}: line {line}: the environment variable `{name}` is not set; write `$${{{name}}}` \
             for the text itself", path.display())]
    UnsetVariable {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The variable.
        name: String,
    },
    /// An environment variable whose name is similar to that of a setting.
    #[error("the environment variable `{name}` is not a setting; did you mean `{suggestion}`?")]
    UnknownVariable {
        /// Its name.
        name: String,
        /// The variable of the setting.
        suggestion: String,
    },
    /// A value that is invalid by itself or together with others. The value is not repeated.
    #[error("{origin} {message}")]
    Unsound {
        /// The flag, variable or key.
        origin: String,
        /// What is wrong.
        message: String,
    },
    /// Several faults, one per line.
    #[error("{}", lines(.0))]
    Several(Vec<ConfigError>),
    /// A value that a setting cannot have. The value is not repeated: it may be a secret.
    #[error("{origin} has to be {expected}")]
    Value {
        /// The flag, variable or key.
        origin: String,
        /// The valid values.
        expected: String,
    },
}

fn lines(faults: &[ConfigError]) -> String {
    faults
        .iter()
        .map(ConfigError::to_string)
        .collect::<Vec<_>>()
        .join("\nerror: ")
}

impl ConfigError {
    /// One error for all of these faults; `Ok` if there are none.
    pub fn from_faults(mut faults: Vec<ConfigError>) -> Result<(), ConfigError> {
        match faults.len() {
            0 => Ok(()),
            1 => Err(faults.remove(0)),
            _ => Err(ConfigError::Several(faults)),
        }
    }

    /// Puts the names of variables in place of their values, which the parser's messages repeat.
    pub(super) fn redact(self, variables: &Variables) -> ConfigError {
        match self {
            ConfigError::Toml {
                path,
                line,
                message,
            } => ConfigError::Toml {
                path,
                line,
                message: variables.redact(&message),
            },
            other => other,
        }
    }

    /// The errors of a text that is not TOML.
    pub(crate) fn syntax(path: &Path, text: &str) -> Vec<ConfigError> {
        let faults = permissions::syntax_faults(text).into_iter();
        let error = |fault: SyntaxFault| ConfigError::Toml {
            path: path.into(),
            line: text
                .get(..fault.span.start)
                .unwrap_or_default()
                .matches('\n')
                .count()
                + 1,
            message: match fault.help {
                Some(help) => format!("{}: {help}", fault.message),
                None => fault.message,
            },
        };
        faults.map(error).collect()
    }

    /// Converts an error of the TOML parser.
    pub(crate) fn toml(path: &Path, text: &str, error: &toml::de::Error) -> ConfigError {
        let before = error
            .span()
            .and_then(|span| text.get(..span.start))
            .unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        ConfigError::Toml {
            path: path.into(),
            line,
            message: error.message().to_owned(),
        }
    }
}
