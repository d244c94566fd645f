//! The faults that a file can have as TOML.

/// What is wrong with a file as TOML. Each kind of file has a fault for each, with words of its
/// own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TomlFault {
    /// The text is not TOML; with the parser's message.
    Syntax(String),
    /// A key that the table does not have.
    UnknownKey {
        /// The key.
        key: String,
        /// What the table is: `an endpoint`.
        within: &'static str,
    },
    /// A value of the wrong type.
    WrongType {
        /// The key.
        key: String,
        /// The type that the key has: `a string`.
        expected: &'static str,
        /// The type of the value.
        found: &'static str,
    },
    /// An environment variable that the file names and that is not set.
    UnsetVariable(String),
}
