//! How the binary form of each type becomes JSON, as data. [`crate::encode`] writes the JSON.

use super::catalog::Oid;

/// How the binary form of one Postgres value becomes JSON: the text of the server's `to_json(x)::text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Encoder {
    /// `boolean`.
    Bool,
    /// `smallint`.
    Int2,
    /// `integer`.
    Int4,
    /// `bigint`.
    Int8,
    /// `real`.
    Float4,
    /// `double precision`.
    Float8,
    /// `numeric`, with all its digits.
    Numeric,
    /// UTF-8 bytes as a JSON string: text types, enums, and every value that the statement casts to text.
    Text,
    /// `uuid`.
    Uuid,
    /// `date`.
    Date,
    /// `time without time zone`.
    Time,
    /// `timestamp without time zone`.
    Timestamp,
    /// `timestamp with time zone`, shown in UTC.
    TimestampTz,
    /// `json`: the bytes are JSON text, written as they are.
    Json,
    /// Text that is JSON, such as `to_json(x)::text`, written as it is.
    JsonText,
    /// `jsonb`: a version byte, then JSON text.
    Jsonb,
    /// `bytea` as a string of hexadecimal digits, `"\\x…"`.
    Bytea,
    /// An array of any number of dimensions as nested lists.
    Array(Box<Encoder>),
    /// A number as a JSON string, for clients whose numbers lose digits.
    Quoted(Box<Encoder>),
    /// A domain, by its OID. Postgres sends its values in the binary form of the base type.
    Domain(Oid, Box<Encoder>),
}
