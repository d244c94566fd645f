//! Asks Postgres which literals of statements are dates or times of the moment at which it parses
//! them, such as `'now'`.

use permissions::ClockLiteral;
use tokio_postgres::Client;
use tokio_postgres::types::{Kind, Type};

/// The name of a literal's type, if its value is the moment of parsing.
pub(crate) async fn moment_type(
    client: &Client,
    literal: &ClockLiteral,
    parameters: usize,
) -> Result<Option<String>, tokio_postgres::Error> {
    match client.prepare(&literal.statement).await {
        Ok(prepared) => Ok(prepared
            .params()
            .get(parameters)
            .and_then(moment_name)
            .map(str::to_owned)),
        // Where only a literal may stand, it is none of a date.
        Err(error) if error.as_db_error().is_some() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The name of the type of dates or times that a type is, or has within it.
fn moment_name(r#type: &Type) -> Option<&str> {
    match r#type.kind() {
        Kind::Simple => [
            Type::DATE,
            Type::TIME,
            Type::TIMETZ,
            Type::TIMESTAMP,
            Type::TIMESTAMPTZ,
        ]
        .contains(r#type)
        .then(|| r#type.name()),
        Kind::Array(inner) | Kind::Range(inner) | Kind::Multirange(inner) | Kind::Domain(inner) => {
            moment_name(inner)
        }
        Kind::Composite(fields) => fields.iter().find_map(|field| moment_name(field.type_())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_contain_moments_are_known() {
        for (r#type, name) in [
            (Type::TIMESTAMPTZ, Some("timestamptz")),
            (Type::TIMESTAMPTZ_ARRAY, Some("timestamptz")),
            (Type::DATE_RANGE, Some("date")),
            (Type::TSTZMULTI_RANGE, Some("timestamptz")),
            (Type::TEXT, None),
            (Type::TEXT_ARRAY, None),
            (Type::INTERVAL, None),
        ] {
            assert_eq!(moment_name(&r#type), name);
        }
    }
}
