//! What the tables of the token exchange are asked and told, one statement a step.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use super::statements;
use super::token_hash;
use super::user::User;
use crate::database::{Completion, Database, DatabaseError, Parameters, RowColumns};
use crate::error::{Error, InvalidRequest};

/// The tables, for one request.
#[derive(Debug)]
pub struct Store<'a> {
    /// Where they are.
    pub database: &'a Database,
    /// The client's address, for the audit table.
    pub address: Option<String>,
    /// The request's id, likewise.
    pub request: Option<&'a str>,
    /// Until when it may take.
    pub deadline: Instant,
}

/// A personal access token to be made.
#[derive(Clone, Debug)]
pub struct NewToken<'a> {
    /// Whose it is.
    pub user: &'a str,
    /// What it is called.
    pub name: &'a str,
    /// The roles that it opens; none for all of the user's.
    pub roles: Option<Vec<String>>,
    /// When it ends.
    pub expires: Expires,
}

/// When a personal access token ends.
#[derive(Clone, Debug)]
pub enum Expires {
    /// It does not.
    Never,
    /// After so many days.
    After(u64),
    /// At a time, as Postgres reads times.
    At(String),
}

/// A personal access token that was found.
#[derive(Debug, Deserialize)]
pub(super) struct PersonalAccessToken {
    pub(super) id: String,
    pub(super) user: String,
    pub(super) roles: Option<Vec<String>>,
    pub(super) state: String,
    /// How many seconds it holds yet, if not for ever.
    pub(super) left: Option<u64>,
}

/// Whose refresh token was found.
#[derive(Debug, Deserialize)]
pub(super) struct RefreshToken {
    pub(super) user: String,
    pub(super) roles: Option<Vec<String>>,
    /// How many seconds the personal access token holds yet that it came of, if not for ever.
    pub(super) left: Option<u64>,
}

/// A refresh token that was issued.
pub(super) struct IssuedRefreshToken {
    pub(super) id: String,
    pub(super) token: String,
}

/// What only the audit table is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct AuditContext<'a> {
    pub(super) event: &'a str,
    pub(super) reason: &'a str,
    pub(super) user: Option<&'a str>,
    pub(super) token: Option<&'a str>,
}

impl Store<'_> {
    /// The user of an id, by the configured query. An id that the query cannot read is nobody's.
    pub(super) async fn user(&self, find: &str, id: &str) -> Result<Option<User>, Error> {
        match self.read::<Value>(find, vec![Some(id.to_owned())]).await {
            Ok(row) => Ok(User::read(row)),
            Err(Error::Database(DatabaseError::Refused(refusal))) if refusal.sqlstate.starts_with("22") => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn personal(&self, token: &str) -> Result<Option<PersonalAccessToken>, Error> {
        self.read(statements::FIND_PERSONAL, vec![Some(token_hash::digest(token))]).await
    }

    pub(super) async fn refreshable(&self, token: &str) -> Result<Option<RefreshToken>, Error> {
        self.read(statements::FIND_REFRESH, vec![Some(token_hash::digest(token))]).await
    }

    pub(super) async fn audit_failure(&self, told: AuditContext<'_>) -> Result<(), Error> {
        let AuditContext { event, reason, user, token } = told;
        let given = [Some(event), Some("failure"), Some(reason), user, token];
        self.write(statements::TELL, given.map(|text| text.map(str::to_owned)).into()).await.map(drop)
    }

    /// The refresh token of a new session; nothing where the personal access token has ended since it was found.
    pub(super) async fn sign_in(
        &self,
        personal: &PersonalAccessToken,
        user: &User,
        seconds: u64,
    ) -> Result<Option<IssuedRefreshToken>, Error> {
        let issued = IssuedRefreshToken::new();
        let session = Uuid::new_v4().to_string();
        let given =
            [session, user.id.clone(), personal.id.clone(), issued.id.clone(), issued.digest(), seconds.to_string()];
        let told = self.write(statements::SIGN_IN, given.map(Some).into()).await?;
        Ok((!told.is_empty()).then_some(issued))
    }

    /// The successor of a refresh token; nothing where it cannot have one, or somebody was faster.
    pub(super) async fn rotate(&self, token: &str, seconds: u64) -> Result<Option<IssuedRefreshToken>, Error> {
        let issued = IssuedRefreshToken::new();
        let given = [token_hash::digest(token), issued.id.clone(), issued.digest(), seconds.to_string()];
        let count = self.write(statements::ROTATE, given.map(Some).into()).await?;
        Ok((count == "1").then_some(issued))
    }

    /// Refuses a refresh token, and says why.
    pub(super) async fn refuse_refresh(&self, token: &str, grace: u64) -> Result<String, Error> {
        let given = [token_hash::digest(token), grace.to_string()];
        self.write(statements::REFUSE_REFRESH, given.map(Some).into()).await
    }

    /// Whether there was such a token.
    pub(super) async fn sign_out(&self, token: &str) -> Result<bool, Error> {
        let outcome = self.write(statements::SIGN_OUT, vec![Some(token_hash::digest(token))]).await?;
        Ok(outcome == "success")
    }

    pub(super) async fn sign_out_everywhere(&self, user: &str) -> Result<(), Error> {
        self.write(statements::SIGN_OUT_EVERYWHERE, vec![Some(user.to_owned())]).await.map(drop)
    }

    /// Makes a personal access token; gives its id and itself. Nobody can find the latter again.
    pub async fn create_token(&self, new: &NewToken<'_>) -> Result<(String, String), Error> {
        self.create(new, false).await
    }

    /// The same for a user who asks for it, and may not have as many as they like, nor any for ever.
    pub(super) async fn create_own_token(&self, new: &NewToken<'_>) -> Result<(String, String), Error> {
        self.create(new, true).await
    }

    async fn create(&self, new: &NewToken<'_>, own: bool) -> Result<(String, String), Error> {
        let (id, token) = (Uuid::new_v4().to_string(), token_hash::personal());
        let given = vec![
            Some(id.clone()),
            Some(new.user.to_owned()),
            Some(new.name.to_owned()),
            new.roles.as_deref().map(array),
            Some(token_hash::digest(&token)),
            match &new.expires {
                Expires::At(time) => Some(time.clone()),
                _ => None,
            },
            match &new.expires {
                Expires::After(days) => Some(days.to_string()),
                _ => None,
            },
            Some(own.to_string()),
        ];
        let lock = vec![Some(new.user.to_owned())];
        let outcome = self.write_all(&[(statements::LOCK_USER, lock), (statements::CREATE_PERSONAL, given)]).await?;
        match outcome.as_str() {
            "late" => Err(InvalidRequest::Member { name: "expiresAt", expected: "a time within 3650 days" }.into()),
            "many" => Err(InvalidRequest::TooManyTokens.into()),
            _ => Ok((id, token)),
        }
    }

    /// Revokes a personal access token; whether there was one to revoke.
    pub async fn revoke_token(&self, id: Uuid) -> Result<bool, Error> {
        Ok(self.write(statements::REVOKE_PERSONAL, vec![Some(id.to_string())]).await? == "1")
    }

    /// The personal access tokens of a user, or of all.
    pub async fn tokens(&self, user: Option<&str>) -> Result<Vec<Value>, Error> {
        self.read(statements::LIST_PERSONAL, vec![user.map(str::to_owned)]).await
    }

    /// The id of a user as the configured query writes it; nothing where there is no such user.
    pub async fn known(&self, find: &str, id: &str) -> Result<Option<String>, Error> {
        Ok(self.user(find, id).await?.map(|user| user.id))
    }

    /// Removes what ended a while ago; gives how much of it.
    pub(super) async fn sweep(database: &Database, deadline: Instant) -> Result<usize, DatabaseError> {
        let swept = database.write(&[statements::SWEEP], &[vec![]], Completion::Commit, deadline).await;
        Ok(last_text(&swept.map_err(|failed| failed.fault)?).parse().unwrap_or_default())
    }

    /// Asks a question of one JSON text.
    async fn read<T: DeserializeOwned>(&self, statement: &str, given: Parameters) -> Result<T, Error> {
        let mut retry = self.database.retry(self.deadline);
        let text = loop {
            match self.database.query_scalar(statement, &given, self.deadline).await {
                Ok(text) => break text,
                Err(fault) if retry.should_retry(&fault).await => {}
                Err(fault) => return Err(fault.into()),
            }
        };
        serde_json::from_str(&text).map_err(|error| {
            // The message of serde may repeat a value.
            let (line, column) = (error.line(), error.column());
            Error::Internal(format!("an answer of the token tables: line {line}, column {column}"))
        })
    }

    /// Runs a statement that writes, told where the request came from; gives the text that it returns.
    async fn write(&self, statement: &str, given: Parameters) -> Result<String, Error> {
        self.write_all(&[(statement, given)]).await
    }

    /// Runs several such statements as one transaction; gives the text that the last of them returns.
    async fn write_all(&self, steps: &[(&str, Parameters)]) -> Result<String, Error> {
        let from = [self.address.clone(), self.request.map(str::to_owned)];
        let texts: Vec<&str> = steps.iter().map(|(text, _)| *text).collect();
        let own = |given: &Parameters| from.iter().chain(given).cloned().collect();
        let parameters: Vec<Parameters> = steps.iter().map(|(_, given)| own(given)).collect();
        let mut retry = self.database.retry(self.deadline);
        loop {
            match self.database.write(&texts, &parameters, Completion::Commit, self.deadline).await {
                Ok(rows) => return Ok(last_text(&rows)),
                Err(failed) if retry.should_retry_write(&failed).await => {}
                Err(failed) => match failed.fault {
                    DatabaseError::Refused(refusal) => return Err(Error::NotWritten { refusal, path: "$".into() }),
                    fault => return Err(fault.into()),
                },
            }
        }
    }
}

impl PersonalAccessToken {
    /// Why it opens nothing, if it does not.
    pub(super) fn fault(&self) -> &'static str {
        if self.state == "revoked" { "revoked" } else { "expired" }
    }
}

impl std::fmt::Debug for IssuedRefreshToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Issued").field("id", &self.id).finish_non_exhaustive()
    }
}

impl IssuedRefreshToken {
    fn new() -> IssuedRefreshToken {
        IssuedRefreshToken { id: Uuid::new_v4().to_string(), token: token_hash::refresh() }
    }

    fn digest(&self) -> String {
        token_hash::digest(&self.token)
    }
}

fn last_text(rows: &[Vec<crate::database::Row>]) -> String {
    let row = rows.last().and_then(|rows| rows.first());
    row.and_then(|row| RowColumns::new(row).text()).unwrap_or_default()
}

/// `{"a","b"}`.
fn array(items: &[String]) -> String {
    let items: Vec<String> =
        items.iter().map(|item| format!("\"{}\"", item.replace('\\', "\\\\").replace('"', "\\\""))).collect();
    format!("{{{}}}", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_token_is_not_shown() {
        let issued = IssuedRefreshToken::new();
        assert!(!format!("{issued:?}").contains(&issued.token));
    }

    #[test]
    fn arrays_are_quoted() {
        assert_eq!(array(&["a".into(), "b\"\\,".into()]), r#"{"a","b\"\\,"}"#);
    }
}
