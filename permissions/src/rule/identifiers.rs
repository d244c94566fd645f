//! Identifiers as Postgres reads them.

use sql::postgres::catalog::{Catalog, TableId};
use sql::postgres::types::quoted;
use sqlparser::ast::{Function, Ident, ObjectName, ObjectNamePart};

/// An identifier as Postgres reads it: in lower case, unless quoted.
pub(super) fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_ascii_lowercase(),
    }
}

/// The name of a function or type, quoted if it was quoted or has to be. Some names have their
/// meaning only without quotes.
pub(super) fn name_of(name: &str, was_quoted: bool) -> String {
    let plain = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
    if plain && !was_quoted {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// The name of a function or collation, with its parts quoted where necessary.
pub(super) fn plain_name(name: &ObjectName) -> Option<String> {
    let part = |part: &ObjectNamePart| match part {
        ObjectNamePart::Identifier(ident) => {
            Some(name_of(&folded(ident), ident.quote_style.is_some()))
        }
        ObjectNamePart::Function(_) => None,
    };
    let parts: Option<Vec<String>> = name.0.iter().map(part).collect();
    parts.map(|parts| parts.join("."))
}

/// The parts of a name, as Postgres reads them.
pub(super) fn name_parts(name: &ObjectName) -> Option<Vec<String>> {
    name.0
        .iter()
        .map(|part| part.as_ident().map(folded))
        .collect()
}

/// The table that a name means, unless a `WITH` query hides it.
pub(super) fn find_table(catalog: &Catalog, name: &ObjectName) -> Option<TableId> {
    match name_parts(name)?.as_slice() {
        [only] => catalog.find_unqualified(only),
        [schema, table] => catalog.find(schema, table),
        _ => None,
    }
}

/// The name of a function that is called without a schema, as named rules are.
pub(super) fn unqualified_name(function: &Function) -> Option<String> {
    match function.name.0.as_slice() {
        [ObjectNamePart::Identifier(ident)] => Some(folded(ident)),
        _ => None,
    }
}
