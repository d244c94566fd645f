//! The names in a type of a role's schema.

use sql::schema::{Enum, Schema, TypeKey};

/// The names in a type of the schema.
pub(super) fn members(schema: &Schema<'_>, name: &str) -> Vec<String> {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    match schema.named(name) {
        Some(TypeKey::Object(object)) => owned(
            schema
                .fields(object)
                .iter()
                .map(|field| field.name)
                .collect(),
        ),
        Some(TypeKey::Input(input)) => owned(
            schema
                .input_fields(input)
                .iter()
                .map(|field| field.name)
                .collect(),
        ),
        Some(TypeKey::Enum(named)) => values(schema, named),
        _ => vec![],
    }
}

fn values(schema: &Schema<'_>, named: Enum) -> Vec<String> {
    schema
        .values(named)
        .into_iter()
        .map(str::to_owned)
        .collect()
}
