//! A statement that finds what a sender has: the digests of its keys, or its secrets. The query
//! parameter `did` names the sender.

use pg::{Database, DatabaseError};
use tokio::time::Instant;

use gateway::error::Error;

/// The parameter with the DID.
pub(super) const DID: &str = "did";

/// A statement with the DID as `$1` that returns a JSON list of texts.
#[derive(Debug)]
pub(super) struct SenderQuery(String);

impl SenderQuery {
    /// The statement of a query with one column.
    pub(super) fn new(query: &str) -> SenderQuery {
        SenderQuery(statement(query))
    }

    /// The texts of a sender; none of one that the query does not know.
    pub(super) async fn texts(
        &self,
        did: &str,
        database: &Database,
        deadline: Instant,
    ) -> Result<Vec<String>, Error> {
        let mut retry = database.retry(deadline);
        let text = loop {
            match database
                .query_scalar(&self.0, &[Some(did.to_owned())], deadline)
                .await
            {
                Ok(text) => break text,
                // The DID is not a value of the parameter's type, so it is none that the query
                // knows.
                Err(DatabaseError::Refused(refusal)) if refusal.sqlstate.starts_with("22") => {
                    return Ok(vec![]);
                }
                Err(fault) if retry.should_retry(&fault).await => {}
                Err(fault) => return Err(fault.into()),
            }
        };
        let texts: Vec<Option<String>> = serde_json::from_str(&text)
            .map_err(|_| Error::Internal("the query of a sender returns no text".into()))?;
        Ok(texts.into_iter().flatten().collect())
    }
}

/// The statement of a query with one column and the DID as `$1`.
pub(super) fn statement(query: &str) -> String {
    format!(
        "SELECT coalesce(json_agg(q.found), '[]')::text FROM (\n{}\n) q (found)",
        query.trim().trim_end_matches(';')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_holds_the_query_without_semicolon() {
        assert!(
            statement("SELECT d FROM k WHERE did = $1; ")
                .contains("\nSELECT d FROM k WHERE did = $1\n")
        );
    }
}
