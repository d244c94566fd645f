//! What was expected where another value was found.

/// The kind of value that a position of the request takes. Messages print its words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ExpectedKind {
    /// A value of a type, as written in GraphQL: `[Int!]!`.
    #[error("{0}")]
    Type(String),
    /// An integer for `limit` or `offset`.
    #[error("Int, not negative")]
    Count,
    /// An integer for the batch size of a stream.
    #[error("Int, greater than 0")]
    BatchSize,
    /// The operand of `_and` and `_or`.
    #[error("a list of conditions")]
    Conditions,
    /// An object.
    #[error("an object")]
    Object,
}

impl ExpectedKind {
    /// The name of the type, without list and non-null wrappers.
    pub fn named_type(&self) -> String {
        self.to_string().trim_matches(['[', ']', '!']).to_owned()
    }
}

impl From<String> for ExpectedKind {
    fn from(name: String) -> ExpectedKind {
        ExpectedKind::Type(name)
    }
}

impl From<&str> for ExpectedKind {
    fn from(name: &str) -> ExpectedKind {
        ExpectedKind::Type(name.to_owned())
    }
}
