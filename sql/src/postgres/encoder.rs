//! How the binary form of each type becomes JSON, as data: the types that each encoder reads, and
//! the JSON that it writes. [`crate::encode`] writes the JSON.

use super::catalog::Oid;

/// Declares [`Encoder`]: for each encoder of a built-in type the JSON that it writes, and the types
/// that it reads, with their OIDs and those of their arrays.
/// <https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat>
macro_rules! encoders {
    ($($(#[$about:meta])* $encoder:ident, $json:expr, $(($name:literal, $oid:literal, $array:literal)),+;)+) => {
        /// How the binary form of one Postgres value becomes JSON: the text of the server's
        /// `to_json(x)::text`.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Encoder {
            $($(#[$about])* $encoder,)+
            /// Text that is JSON, such as `to_json(x)::text`, written as it is.
            JsonText,
            /// An array of any number of dimensions as nested lists.
            Array(Box<Encoder>),
            /// A number as a JSON string, for clients whose numbers lose digits.
            Quoted(Box<Encoder>),
            /// A domain, by its OID. Postgres sends its values in the binary form of the base type.
            Domain(Oid, Box<Encoder>),
        }

        impl Encoder {
            /// The encoder of a built-in type, by the name of the type; none for a type that is
            /// selected as text.
            pub fn of_built_in(name: &str) -> Option<Encoder> {
                match name {
                    $($($name)|+ => Some(Encoder::$encoder),)+
                    _ => None,
                }
            }

            /// Whether this encoder decodes the binary form of the type with this OID.
            #[inline]
            pub fn takes(&self, oid: Oid) -> bool {
                match self {
                    $(Encoder::$encoder => matches!(oid, $($oid)|+),)+
                    Encoder::JsonText => oid == TEXT,
                    Encoder::Array(element) => element.takes_array(oid),
                    Encoder::Quoted(inner) => inner.takes(oid),
                    Encoder::Domain(own, inner) => *own == oid || inner.takes(oid),
                }
            }

            /// Whether this encoder decodes the elements of the array type with this OID.
            fn takes_array(&self, oid: Oid) -> bool {
                match self {
                    $(Encoder::$encoder => matches!(oid, $($array)|+),)+
                    Encoder::JsonText => oid == TEXT_ARRAY,
                    Encoder::Quoted(inner) | Encoder::Domain(_, inner) => inner.takes_array(oid),
                    // Postgres has no arrays of arrays.
                    Encoder::Array(_) => false,
                }
            }

            /// The JSON that it writes.
            pub fn json(&self) -> JsonKind<'_> {
                match self {
                    $(Encoder::$encoder => $json,)+
                    Encoder::JsonText => JsonKind::Any,
                    Encoder::Array(element) => JsonKind::Array(element),
                    Encoder::Quoted(_) => JsonKind::String(None),
                    Encoder::Domain(_, inner) => inner.json(),
                }
            }
        }
    };
}

encoders! {
    /// `boolean`.
    Bool, JsonKind::Boolean, ("bool", 16, 1000);
    /// `smallint`.
    Int2, JsonKind::Integer(NumberFormat::Int16), ("int2", 21, 1005);
    /// `integer`.
    Int4, JsonKind::Integer(NumberFormat::Int32), ("int4", 23, 1007);
    /// `bigint`.
    Int8, JsonKind::Integer(NumberFormat::Int64), ("int8", 20, 1016);
    /// `real`.
    Float4, JsonKind::Number(NumberFormat::Float), ("float4", 700, 1021);
    /// `double precision`.
    Float8, JsonKind::Number(NumberFormat::Double), ("float8", 701, 1022);
    /// `numeric`, with all its digits.
    Numeric, JsonKind::Number(NumberFormat::Decimal), ("numeric", 1700, 1231);
    /// UTF-8 bytes as a JSON string: text types, enums, and every value that the statement casts to
    /// text.
    Text, JsonKind::String(None),
        ("text", 25, 1009), ("varchar", 1043, 1015), ("bpchar", 1042, 1014), ("name", 19, 1003);
    /// `uuid`.
    Uuid, JsonKind::String(Some("uuid")), ("uuid", 2950, 2951);
    /// `date`. `infinity` and years BC have no standard format, here and in the next ones.
    Date, JsonKind::String(None), ("date", 1082, 1182);
    /// `time without time zone`.
    Time, JsonKind::String(None), ("time", 1083, 1183);
    /// `timestamp without time zone`.
    Timestamp, JsonKind::String(None), ("timestamp", 1114, 1115);
    /// `timestamp with time zone`, shown in UTC.
    TimestampTz, JsonKind::String(None), ("timestamptz", 1184, 1185);
    /// `json`: the bytes are JSON text, written as they are.
    Json, JsonKind::Any, ("json", 114, 199);
    /// `jsonb`: a version byte, then JSON text.
    Jsonb, JsonKind::Any, ("jsonb", 3802, 3807);
    /// `bytea` as a string of hexadecimal digits, `"\\x…"`.
    Bytea, JsonKind::String(None), ("bytea", 17, 1001);
}

/// `text`, as which [`Encoder::JsonText`] is selected.
const TEXT: Oid = 25;
/// `text[]`.
const TEXT_ARRAY: Oid = 1009;

/// The kind of JSON that an encoder writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind<'e> {
    /// `true` or `false`.
    Boolean,
    /// An integer of this format.
    Integer(NumberFormat),
    /// A number of this format; a string for NaN and the infinities.
    Number(NumberFormat),
    /// A string, of this format of the OpenAPI format registry if it has one.
    String(Option<&'static str>),
    /// An array of what this encoder writes.
    Array(&'e Encoder),
    /// Any JSON; the accepted input says more.
    Any,
}

/// The formats of numbers. <https://spec.openapis.org/registry/format/>
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFormat {
    /// An integer of 16 bits.
    Int16,
    /// An integer of 32 bits.
    Int32,
    /// An integer of 64 bits.
    Int64,
    /// A floating point number of 32 bits.
    Float,
    /// A floating point number of 64 bits.
    Double,
    /// A decimal number of any length.
    Decimal,
}

impl NumberFormat {
    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            NumberFormat::Int16 => "int16",
            NumberFormat::Int32 => "int32",
            NumberFormat::Int64 => "int64",
            NumberFormat::Float => "float",
            NumberFormat::Double => "double",
            NumberFormat::Decimal => "decimal",
        }
    }

    /// Whether `stringify-numbers` writes such numbers as strings, as Hasura does.
    fn is_stringified(self) -> bool {
        match self {
            NumberFormat::Int64 | NumberFormat::Double | NumberFormat::Decimal => true,
            NumberFormat::Int16 | NumberFormat::Int32 | NumberFormat::Float => false,
        }
    }
}

impl Encoder {
    /// The encoder of a domain's base type; for other types the encoder itself.
    pub fn below(&self) -> &Encoder {
        match self {
            Encoder::Domain(_, inner) => inner.below(),
            other => other,
        }
    }

    /// Whether it decodes a single value, not a list of them.
    pub(crate) fn is_flat(&self) -> bool {
        match self {
            Encoder::Array(_) => false,
            Encoder::Quoted(inner) | Encoder::Domain(_, inner) => inner.is_flat(),
            _ => true,
        }
    }

    /// The encoder with strings for numbers that lose digits in JavaScript.
    pub fn stringified(self) -> Encoder {
        match self {
            Encoder::Array(element) => Encoder::Array(Box::new(element.stringified())),
            Encoder::Domain(oid, inner) => Encoder::Domain(oid, Box::new(inner.stringified())),
            other => match other.json() {
                JsonKind::Integer(format) | JsonKind::Number(format) if format.is_stringified() => {
                    Encoder::Quoted(Box::new(other))
                }
                _ => other,
            },
        }
    }
}
