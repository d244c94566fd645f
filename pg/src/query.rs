//! A statement as a caller sends it: its text, its parameters, the settings it runs under, and the
//! types that its reader expects of the columns.

/// The parameters of a statement in text format.
pub type Parameters = Vec<Option<String>>;

/// A row as received from the server, for [`RowColumns`](crate::RowColumns).
pub type Row = Box<[u8]>;

/// A statement with its parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'q> {
    /// The SQL text. A connection prepares it once.
    pub text: &'q str,
    /// The values of `$1`, `$2` and so on, in text format.
    pub parameters: &'q [Option<String>],
    /// The statement before it, which sets the settings of the transaction.
    pub settings: Option<TransactionSettings<'q>>,
    /// Whether Postgres plans it for the values of the parameters at each execution, because the
    /// plan for all values may read far more rows than it seems to.
    pub needs_values: bool,
}

/// A statement that sets settings for its transaction, with `set_config(…, true)` or `SET LOCAL`.
/// The statement after it is parsed under them.
#[derive(Clone, Copy, Debug)]
pub struct TransactionSettings<'s> {
    /// The SQL text.
    pub text: &'s str,
    /// The values of `$1`, `$2` and so on, in text format.
    pub parameters: &'s [Option<String>],
}

/// The types that the reader of binary rows expects of the columns. A prepared statement can remain
/// valid after a schema change while its columns have other types; their bytes would then be read
/// as another type. So a connection that parses a statement asks for its description in the same
/// packet, and compares it before it returns a row.
pub trait ExpectedColumns: Send + Sync {
    /// Compares the OIDs of the types of all columns, in order. `statement` is the index of the
    /// statement in its transaction; zero for a query.
    ///
    /// Errors: which column has another type, for the log.
    fn check(&self, statement: usize, types: &[u32]) -> Result<(), String>;
}
