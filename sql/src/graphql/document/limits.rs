//! Limits on a document, which parsing and the check of its size read.

/// Limits on a document. Documents written by hand stay far below the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the text.
    pub bytes: usize,
    /// The tokens of the text; also the values in arguments with fragments expanded.
    pub tokens: usize,
    /// The nesting of braces, brackets and parentheses; also the nesting of fragment spreads.
    pub nesting: usize,
    /// The nesting of fields, fragments expanded.
    pub depth: usize,
    /// The fields of all operations, fragments expanded; a spread counts as one more.
    pub fields: usize,
    /// The aliases of an operation, fragments expanded.
    pub aliases: usize,
    /// The root fields of an operation, fragments expanded.
    pub roots: usize,
    /// The fields of an operation that have a selection set, fragments expanded.
    pub nodes: usize,
    /// The distinct fields of an operation: fields of one name at one place count once, whatever
    /// their number and aliases.
    pub height: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            bytes: 256 << 10,
            tokens: 20_000,
            nesting: 64,
            depth: 20,
            fields: 5_000,
            aliases: 200,
            roots: 50,
            nodes: 5_000,
            height: 5_000,
        }
    }
}
