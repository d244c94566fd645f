//! Finds the users of a source by the owner's query `users`, all of them in a few statements.

use std::collections::HashMap;

use serde_json::Value;
use tokio_postgres::Transaction;

use super::import_error::{ImportError, message};
use crate::token_exchange::User;

/// How many users one statement finds.
const BATCH: usize = 5000;

/// A user whom the query `users` returns.
pub(super) struct KnownUser {
    /// The id, as Postern's tables have it.
    pub(super) id: String,
    /// The address.
    pub(super) email: Option<String>,
}

/// The users by their ids in the source; those whom the query does not return are missing.
///
/// The query has one parameter, which is an id. It becomes the body of a temporary function, in
/// which `$1` is the function's argument, so that its text stays what it is.
pub(super) async fn find(
    transaction: &Transaction<'_>,
    find_user: &str,
    ids: &[&str],
) -> Result<HashMap<String, KnownUser>, ImportError> {
    let fault = |error: tokio_postgres::Error| ImportError::Users(message(&error));
    let prepared = transaction.prepare(find_user).await.map_err(fault)?;
    let [parameter] = prepared.params() else {
        let fault = "has to have one parameter, `$1`: the user's id";
        return Err(ImportError::Users(fault.into()));
    };
    let quote = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let id_type = format!("{}.{}", quote(parameter.schema()), quote(parameter.name()));
    let body = find_user.replace('\'', "''");
    let create = format!(
        "CREATE FUNCTION pg_temp.postern_known_user({id_type}) RETURNS text LANGUAGE sql AS '{body}'"
    );
    transaction.batch_execute(&create).await.map_err(fault)?;
    let statement = format!(
        "SELECT k.id, pg_temp.postern_known_user(k.id::{id_type}) FROM unnest($1::text[]) AS k (id)"
    );
    let mut users = HashMap::with_capacity(ids.len());
    for batch in ids.chunks(BATCH) {
        for row in transaction
            .query(&statement, &[&batch])
            .await
            .map_err(fault)?
        {
            let user: Option<&str> = row.get(1);
            let user: Option<Value> = user.and_then(|text| serde_json::from_str(text).ok());
            if let Some(user) = user.and_then(User::read) {
                let email = user.text("email").map(str::to_owned);
                users.insert(row.get(0), KnownUser { id: user.id, email });
            }
        }
    }
    let drop = format!("DROP FUNCTION pg_temp.postern_known_user({id_type})");
    transaction.batch_execute(&drop).await?;
    Ok(users)
}
