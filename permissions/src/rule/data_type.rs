//! Renders the types of casts.

use sqlparser::ast::{ArrayElemTypeDef, DataType, ObjectNamePart};

use super::identifiers::{folded, name_of};

/// The type as SQL; `None` if it is not a Postgres type.
pub(super) fn written(data_type: &DataType) -> Option<String> {
    match data_type {
        DataType::Array(ArrayElemTypeDef::SquareBracket(element, size)) => {
            let size = size.map_or_else(String::new, |size| size.to_string());
            Some(format!("{}[{size}]", written(element)?))
        }
        DataType::Custom(name, modifiers) => {
            let parts: Option<Vec<String>> = name.0.iter().map(part).collect();
            let plain = |m: &String| {
                !m.is_empty() && m.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            };
            if !modifiers.iter().all(plain) {
                return None;
            }
            let modifiers = if modifiers.is_empty() {
                String::new()
            } else {
                format!("({})", modifiers.join(", "))
            };
            Some(format!("{}{modifiers}", parts?.join(".")))
        }
        DataType::Character(_)
        | DataType::Char(_)
        | DataType::CharacterVarying(_)
        | DataType::CharVarying(_)
        | DataType::Varchar(_)
        | DataType::Uuid
        | DataType::Numeric(_)
        | DataType::Decimal(_)
        | DataType::Dec(_)
        | DataType::Float(_)
        | DataType::Int2(None)
        | DataType::SmallInt(None)
        | DataType::Int(None)
        | DataType::Int4(None)
        | DataType::Int8(None)
        | DataType::Integer(None)
        | DataType::BigInt(None)
        | DataType::Float4
        | DataType::Float8
        | DataType::Real
        | DataType::DoublePrecision
        | DataType::Bool
        | DataType::Boolean
        | DataType::Date
        | DataType::Time(..)
        | DataType::Timestamp(..)
        | DataType::Interval { .. }
        | DataType::JSON
        | DataType::JSONB
        | DataType::Regclass
        | DataType::Text
        | DataType::Bytea
        | DataType::Bit(_)
        | DataType::BitVarying(_)
        | DataType::VarBit(_)
        | DataType::GeometricType(_)
        | DataType::TsVector
        | DataType::TsQuery => Some(data_type.to_string().to_lowercase()),
        _ => None,
    }
}

/// The types whose values are names of database objects.
const NAMES: [&str; 11] = [
    "regclass",
    "regcollation",
    "regconfig",
    "regdictionary",
    "regnamespace",
    "regoper",
    "regoperator",
    "regproc",
    "regprocedure",
    "regrole",
    "regtype",
];

/// Whether values of the type are looked up in the system catalogs.
pub(super) fn looks_up(data_type: &DataType) -> bool {
    match data_type {
        DataType::Array(ArrayElemTypeDef::SquareBracket(element, _)) => looks_up(element),
        DataType::Regclass => true,
        // The array type has a name of its own, too: `_regclass`.
        DataType::Custom(name, _) => name
            .0
            .last()
            .and_then(ObjectNamePart::as_ident)
            .is_some_and(|last| {
                let name = folded(last);
                NAMES.contains(&name.strip_prefix('_').unwrap_or(&name))
            }),
        _ => false,
    }
}

fn part(part: &ObjectNamePart) -> Option<String> {
    let ObjectNamePart::Identifier(ident) = part else {
        return None;
    };
    Some(name_of(&folded(ident), ident.quote_style.is_some()))
}
