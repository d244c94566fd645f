//! Infers the types of the statements' parameters and columns: Postgres prepares the draft of each
//! role, then the final text; each distinct text once.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use pg::{Database, DatabaseError};
use sql::native_query::{Types, UntypedStatement};
use tokio::time::Instant;
use tokio_postgres::Client;
use tokio_postgres::error::{ErrorPosition, SqlState};
use tokio_postgres::types::{Kind, Type};

use crate::execute::clock_literals::moment_type;

/// The result for each text.
#[derive(Debug, Default)]
pub(super) struct InferredTypes(HashMap<String, Result<Prepared, PrepareError>>);

/// The types of a text's parameters and columns.
#[derive(Debug)]
struct Prepared {
    parameters: Vec<u32>,
    columns: Vec<(String, u32)>,
}

/// Why a text cannot be prepared.
#[derive(Clone, Debug)]
pub(super) struct PrepareError {
    pub(super) message: String,
    /// The position of the error in characters, counted from 1.
    pub(super) position: Option<u32>,
    pub(super) hint: Option<String>,
}

/// The time limit for all statements together, and the number of statements in flight.
const TIME_LIMIT: Duration = Duration::from_secs(60);
const IN_FLIGHT: usize = 8;

impl InferredTypes {
    /// Prepares every text.
    pub(super) async fn infer(
        database: &Database,
        texts: BTreeSet<&str>,
    ) -> Result<InferredTypes, DatabaseError> {
        if texts.is_empty() {
            return Ok(InferredTypes::default());
        }
        let client = database.admin_client(Instant::now() + TIME_LIMIT).await?;
        let prepared = stream::iter(texts)
            .map(async |text| Ok((text.to_owned(), prepare(&client, text).await?)));
        let prepared = prepared.buffered(IN_FLIGHT).try_collect::<HashMap<_, _>>();
        let late = || DatabaseError::Timeout(TIME_LIMIT);
        let prepared = tokio::time::timeout(TIME_LIMIT, prepared)
            .await
            .map_err(|_| late())?;
        drop(client);
        database.close_idle_admin();
        prepared
            .map(InferredTypes)
            .map_err(|error: tokio_postgres::Error| DatabaseError::from_driver(&error, TIME_LIMIT))
    }

    /// The error of a text that cannot be prepared.
    pub(super) fn error_of(&self, text: &str) -> Option<&PrepareError> {
        self.0.get(text)?.as_ref().err()
    }

    /// The types of the statement that a draft was made from.
    pub(super) fn types(&self, draft: &UntypedStatement) -> Result<Types, PrepareError> {
        let refused = |message: &str| PrepareError {
            message: message.to_owned(),
            position: None,
            hint: None,
        };
        let prepared = self
            .0
            .get(&draft.text)
            .ok_or_else(|| refused("it was never prepared"))?;
        let prepared = prepared.as_ref().map_err(Clone::clone)?;
        let parameters = draft
            .places
            .iter()
            .map(|index| prepared.parameters.get(*index).copied());
        let parameters = parameters
            .collect::<Option<_>>()
            .ok_or_else(|| refused("not every parameter has a type"))?;
        Ok(Types {
            parameters,
            columns: prepared.columns.clone(),
        })
    }
}

async fn prepare(
    client: &Client,
    text: &str,
) -> Result<Result<Prepared, PrepareError>, tokio_postgres::Error> {
    let error = match client.prepare(text).await {
        Ok(prepared) => {
            let columns = prepared
                .columns()
                .iter()
                .map(|column| (column.name().to_owned(), column.type_().oid()));
            if let Some(pseudo) = prepared.params().iter().find(|r#type| is_pseudo(r#type)) {
                let message = format!(
                    "a parameter is a `{}`, which has no values that could be given",
                    pseudo.name()
                );
                let hint = Some("cast the parameter to the type that it has".to_owned());
                return Ok(Err(PrepareError {
                    message,
                    position: None,
                    hint,
                }));
            }
            if let Some(error) = clock_literal(client, text, prepared.params().len()).await? {
                return Ok(Err(error));
            }
            let parameters = prepared.params().iter().map(|r#type| r#type.oid());
            return Ok(Ok(Prepared {
                parameters: parameters.collect(),
                columns: columns.collect(),
            }));
        }
        Err(error) => error,
    };
    let Some(database_error) = error.as_db_error() else {
        return Err(error);
    };
    let position = match database_error.position() {
        Some(ErrorPosition::Original(position)) => Some(*position),
        _ => None,
    };
    // For a function the hint suggests casts, and for a column it suggests names from generated
    // SQL.
    let unhelpful = [SqlState::UNDEFINED_FUNCTION, SqlState::UNDEFINED_COLUMN];
    let hint = database_error
        .hint()
        .filter(|_| !unhelpful.contains(database_error.code()))
        .map(str::to_owned);
    Ok(Err(PrepareError {
        message: database_error.message().to_owned(),
        position,
        hint,
    }))
}

/// The error of a literal whose value is the moment at which Postgres parses the statement.
async fn clock_literal(
    client: &Client,
    text: &str,
    parameters: usize,
) -> Result<Option<PrepareError>, tokio_postgres::Error> {
    for literal in permissions::clock_literals(text, parameters) {
        if let Some(name) = moment_type(client, &literal, parameters).await? {
            let written = &literal.literal;
            let position = Some(literal.position);
            let hint = Some(literal.help(&name));
            let message =
                format!("{written} is a {name}, the moment at which the statement is prepared");
            return Ok(Some(PrepareError {
                message,
                position,
                hint,
            }));
        }
    }
    Ok(None)
}

/// Whether the type is a pseudo-type such as `record`, which has no text input.
fn is_pseudo(r#type: &Type) -> bool {
    match r#type.kind() {
        Kind::Pseudo => true,
        Kind::Array(member) => is_pseudo(member),
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parameter_types_follow_their_places_in_the_draft() {
        let prepared = Prepared {
            parameters: vec![23, 25],
            columns: vec![],
        };
        let typed = InferredTypes(HashMap::from([("SELECT $2, $1".to_owned(), Ok(prepared))]));
        let draft = |places: &[usize]| UntypedStatement {
            text: "SELECT $2, $1".into(),
            places: places.to_vec(),
            pieces: vec![],
        };
        assert_eq!(typed.types(&draft(&[1, 0])).unwrap().parameters, [25, 23]);
        assert_eq!(
            typed.types(&draft(&[2, 0])).unwrap_err().message,
            "not every parameter has a type"
        );
    }
}
