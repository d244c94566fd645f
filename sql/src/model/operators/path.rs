//! The types that a value inside JSON can be compared as (`_path`), and the SQL that converts to
//! each.
//!
//! The SQL never raises an error: it yields null if the value has another type or is absent.

use crate::postgres::catalog::Oid;

/// A type that a value inside JSON can be compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PathType {
    /// The name in the enum `jsonb_path_type`.
    pub name: &'static str,
    /// The type of operands.
    pub operand: Oid,
    /// The type compared. JSON numbers have any size, so all numbers are compared as `numeric`.
    pub compared: Oid,
    /// The SQL; `{v}` is the value as `jsonb`.
    pub sql: &'static str,
    /// The values it accepts, for the schema and the reference page.
    pub about: &'static str,
}

const NUMERIC: Oid = 1700;
const WHOLE: &str = "CASE jsonb_typeof({v}) WHEN 'number' THEN CASE WHEN ({v})::numeric = \
                     trunc(({v})::numeric) THEN ({v})::numeric END END";
const NUMBER: &str = "CASE jsonb_typeof({v}) WHEN 'number' THEN ({v})::numeric END";

/// ISO 8601 dates that exist: months of the right length, leap years, no year 0.
const DATE: &str = "CASE WHEN jsonb_typeof({v}) = 'string' AND ({v} #>> '{}') ~ \
                    '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$' \
                    THEN ({v} #>> '{}')::date END";
const TIMESTAMPTZ: &str = "CASE WHEN jsonb_typeof({v}) = 'string' AND ({v} #>> '{}') ~ \
                           '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)(?:[T \
                           ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?)?$' \
                           THEN ({v} #>> '{}')::timestamptz END";
const UUID: &str = "CASE WHEN jsonb_typeof({v}) = 'string' AND ({v} #>> '{}') ~ \
                    '^[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$' THEN ({v} #>> \
                    '{}')::uuid END";

/// Every type, in schema order.
pub static PATH_TYPES: [PathType; 10] = [
    PathType {
        name: "Int",
        operand: 23,
        compared: NUMERIC,
        sql: WHOLE,
        about: "a whole number",
    },
    PathType {
        name: "bigint",
        operand: 20,
        compared: NUMERIC,
        sql: WHOLE,
        about: "a whole number",
    },
    PathType {
        name: "Float",
        operand: 701,
        compared: NUMERIC,
        sql: NUMBER,
        about: "a number",
    },
    PathType {
        name: "numeric",
        operand: NUMERIC,
        compared: NUMERIC,
        sql: NUMBER,
        about: "a number",
    },
    PathType {
        name: "String",
        operand: 25,
        compared: 25,
        sql: "CASE jsonb_typeof({v}) WHEN 'string' THEN {v} #>> '{}' END",
        about: "a text",
    },
    PathType {
        name: "Boolean",
        operand: 16,
        compared: 16,
        sql: "CASE jsonb_typeof({v}) WHEN 'boolean' THEN ({v})::bool END",
        about: "true or false",
    },
    PathType {
        name: "uuid",
        operand: 2950,
        compared: 2950,
        sql: UUID,
        about: "a text that is a UUID",
    },
    PathType {
        name: "date",
        operand: 1082,
        compared: 1082,
        sql: DATE,
        about: "a text like 2024-02-29",
    },
    PathType {
        name: "timestamptz",
        operand: 1184,
        compared: 1184,
        sql: TIMESTAMPTZ,
        about: "a text like 2024-02-29T12:00:00Z; without a time zone it is in UTC",
    },
    PathType {
        name: "jsonb",
        operand: 3802,
        compared: 3802,
        sql: "{v}",
        about: "any value",
    },
];

impl PathType {
    /// The type of that name.
    pub fn find(name: &str) -> Option<&'static PathType> {
        PATH_TYPES.iter().find(|r#type| r#type.name == name)
    }
}
