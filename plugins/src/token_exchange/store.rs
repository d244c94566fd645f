//! Runs the statements of the token exchange and reads their results, one method per statement.

use pg::{Completion, Database, DatabaseError, Parameters, RowColumns};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use super::exchange_error::ExchangeError;
use super::sign_in_proof::SignInProof;
use super::user::User;
use super::{statements, token_hash};
use gateway::error::{Error, InvalidRequest};

/// The SQLSTATE of a table that does not exist.
const UNDEFINED_TABLE: &str = "42P01";

/// Access to the tables of the token exchange on behalf of one request.
#[derive(Debug)]
pub struct Store<'a> {
    /// The database.
    pub database: &'a Database,
    /// The client's address, for the audit table.
    pub address: Option<String>,
    /// The request id, for the audit table.
    pub request: Option<&'a str>,
    /// The deadline of the statements.
    pub deadline: Instant,
}

/// A personal access token to create.
#[derive(Clone, Debug)]
pub struct NewToken<'a> {
    /// The user's id.
    pub user: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The roles that it may use; `None` for all roles of the user.
    pub roles: Option<Vec<String>>,
    /// When it expires.
    pub expires: Expires,
}

/// When a personal access token expires.
#[derive(Clone, Debug)]
pub enum Expires {
    /// It does not.
    Never,
    /// After this many days.
    After(u64),
    /// At a time in a format that Postgres reads.
    At(String),
}

/// A personal access token in the database.
#[derive(Debug, Deserialize)]
pub(super) struct PersonalAccessToken {
    pub(super) id: String,
    pub(super) user: String,
    pub(super) roles: Option<Vec<String>>,
    pub(super) state: String,
    /// Its remaining seconds; `None` if it never expires.
    pub(super) left: Option<u64>,
}

/// The user and roles of a refresh token.
#[derive(Debug, Deserialize)]
pub(super) struct RefreshToken {
    pub(super) user: String,
    pub(super) roles: Option<Vec<String>>,
    /// The remaining seconds of its personal access token; `None` if that never expires.
    pub(super) left: Option<u64>,
    /// How the person signed in; `None` if it was with a personal access token.
    pub(super) sign_in: Option<SignInProof>,
}

/// A refresh token that was issued.
pub(crate) struct IssuedRefreshToken {
    /// Its id.
    pub(crate) id: String,
    /// The token.
    pub(crate) token: String,
}

/// The fields of a failure's audit row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AuditContext<'a> {
    /// Its name: `sign-in`.
    pub(crate) event: &'a str,
    /// Why it failed.
    pub(crate) reason: &'a str,
    /// The user, if known.
    pub(crate) user: Option<&'a str>,
    /// The id of the token, if known.
    pub(crate) token: Option<&'a str>,
}

impl Store<'_> {
    /// Finds a user by id with the configured query. `None` if the id is not valid for the type of
    /// the query's parameter.
    pub(crate) async fn user(&self, find: &str, id: &str) -> Result<Option<User>, Error> {
        match self.read::<Value>(find, vec![Some(id.to_owned())]).await {
            Ok(row) => Ok(User::read(row)),
            Err(Error::Database(DatabaseError::Refused(refusal)))
                if refusal.sqlstate.starts_with("22") =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) async fn personal(&self, token: &str) -> Result<Option<PersonalAccessToken>, Error> {
        self.read(
            statements::FIND_PERSONAL,
            vec![Some(token_hash::digest(token))],
        )
        .await
    }

    pub(super) async fn refreshable(&self, token: &str) -> Result<Option<RefreshToken>, Error> {
        self.read(
            statements::FIND_REFRESH,
            vec![Some(token_hash::digest(token))],
        )
        .await
    }

    /// Whether a user has opened this session with a credential of their own, and nobody has ended
    /// it.
    pub(crate) async fn holds(&self, session: &str, user: &str) -> Result<bool, Error> {
        let parameters = [session, user].map(|text| Some(text.to_owned()));
        let found: Value = self
            .read(statements::FIND_SESSION, parameters.into())
            .await?;
        Ok(found.get("holds").and_then(Value::as_bool) == Some(true))
    }

    /// Inserts the audit row of a failure.
    pub(crate) async fn audit_failure(&self, context: AuditContext<'_>) -> Result<(), Error> {
        let AuditContext {
            event,
            reason,
            user,
            token,
        } = context;
        let parameters = [Some(event), Some("failure"), Some(reason), user, token];
        self.write(
            statements::TELL,
            parameters.map(|text| text.map(str::to_owned)).into(),
        )
        .await
        .map(drop)
    }

    /// Stores the event of a sign-in by another plugin. A database without the tables of the token
    /// exchange has no place for it; the log has it.
    pub(super) async fn audit_sign_in(&self, user: &str, audience: &str) -> Result<(), Error> {
        let parameters = [user, audience].map(|text| Some(text.to_owned()));
        match self
            .write(statements::TELL_SIGN_IN, parameters.into())
            .await
        {
            Err(Error::NotWritten { refusal, .. }) if refusal.sqlstate == UNDEFINED_TABLE => Ok(()),
            written => written.map(drop),
        }
    }

    /// Creates a session and its refresh token; `None` if the personal access token has ended since
    /// it was found.
    pub(super) async fn sign_in(
        &self,
        personal: &PersonalAccessToken,
        user: &User,
        seconds: u64,
        user_agent: Option<String>,
    ) -> Result<Option<IssuedRefreshToken>, Error> {
        let issued = IssuedRefreshToken::new();
        let session = Uuid::new_v4().to_string();
        let parameters = vec![
            Some(session),
            Some(user.id.clone()),
            Some(personal.id.clone()),
            Some(issued.id.clone()),
            Some(issued.digest()),
            Some(seconds.to_string()),
            user_agent,
        ];
        let event = self.write(statements::SIGN_IN, parameters).await?;
        Ok(event.map(|_| issued))
    }

    /// Rotates a refresh token; `None` if it cannot be exchanged or another request has rotated it.
    pub(super) async fn rotate(
        &self,
        token: &str,
        seconds: u64,
    ) -> Result<Option<IssuedRefreshToken>, Error> {
        let issued = IssuedRefreshToken::new();
        let parameters = [
            token_hash::digest(token),
            issued.id.clone(),
            issued.digest(),
            seconds.to_string(),
        ];
        let count = self
            .write(statements::ROTATE, parameters.map(Some).into())
            .await?;
        Ok(count.filter(|count| count == "1").map(|_| issued))
    }

    /// Rejects a refresh token and returns the reason.
    pub(super) async fn refuse_refresh(&self, token: &str, grace: u64) -> Result<String, Error> {
        let parameters = [token_hash::digest(token), grace.to_string()];
        let reason = self
            .write(statements::REFUSE_REFRESH, parameters.map(Some).into())
            .await?;
        reason.ok_or_else(|| Error::Internal("a refresh token is rejected without a reason".into()))
    }

    /// Ends the session of a refresh token; returns whether the token exists.
    pub(super) async fn sign_out(&self, token: &str) -> Result<bool, Error> {
        let outcome = self
            .write(statements::SIGN_OUT, vec![Some(token_hash::digest(token))])
            .await?;
        Ok(outcome.is_some_and(|outcome| outcome == "success"))
    }

    pub(super) async fn sign_out_everywhere(&self, user: &str) -> Result<(), Error> {
        self.write(statements::SIGN_OUT_EVERYWHERE, vec![Some(user.to_owned())])
            .await
            .map(drop)
    }

    /// Creates a personal access token; returns its id and the token, which cannot be retrieved
    /// again.
    pub async fn create_token(&self, new: &NewToken<'_>) -> Result<(String, String), Error> {
        self.create(new, false).await
    }

    /// Like [`Store::create_token`], on request of the user: the number of tokens is limited, and
    /// each must expire.
    pub(super) async fn create_own_token(
        &self,
        new: &NewToken<'_>,
    ) -> Result<(String, String), Error> {
        self.create(new, true).await
    }

    async fn create(&self, new: &NewToken<'_>, own: bool) -> Result<(String, String), Error> {
        let id = Uuid::new_v4().to_string();
        let token = token_hash::personal();
        let parameters = vec![
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
        let outcome = self
            .write_all(&[
                (statements::LOCK_USER, lock),
                (statements::CREATE_PERSONAL, parameters),
            ])
            .await?;
        match outcome.as_deref() {
            Some("made") => Ok((id, token)),
            Some("past") => Err(InvalidRequest::Member {
                name: "expiresAt",
                expected: "a time in the future",
            }
            .into()),
            Some("late") => Err(InvalidRequest::Member {
                name: "expiresAt",
                expected: "a time within 3650 days",
            }
            .into()),
            Some("many") => Err(ExchangeError::TooManyTokens.into()),
            other => Err(Error::Internal(format!(
                "the creation of a token ends with {other:?}"
            ))),
        }
    }

    /// Revokes a personal access token; returns whether there was one to revoke.
    pub async fn revoke_token(&self, id: Uuid) -> Result<bool, Error> {
        let count = self
            .write(statements::REVOKE_PERSONAL, vec![Some(id.to_string())])
            .await?;
        Ok(count.is_some_and(|count| count == "1"))
    }

    /// The personal access tokens of a user, or of all users.
    pub async fn tokens(&self, user: Option<&str>) -> Result<Vec<Value>, Error> {
        self.read(statements::LIST_PERSONAL, vec![user.map(str::to_owned)])
            .await
    }

    /// The id of a user as the configured query returns it; `None` if there is no such user.
    pub async fn known(&self, find: &str, id: &str) -> Result<Option<String>, Error> {
        Ok(self.user(find, id).await?.map(|user| user.id))
    }

    /// Removes expired tokens; returns how many.
    pub(super) async fn sweep(
        database: &Database,
        deadline: Instant,
    ) -> Result<usize, DatabaseError> {
        let swept = database
            .write(
                &[statements::SWEEP],
                &[vec![]],
                Completion::Commit,
                deadline,
            )
            .await;
        let count =
            last_text(&swept.map_err(|failed| failed.fault)?).and_then(|count| count.parse().ok());
        count.ok_or_else(|| DatabaseError::Protocol("no number of deleted tokens".into()))
    }

    /// Runs a query that returns one JSON text.
    pub(crate) async fn read<T: DeserializeOwned>(
        &self,
        statement: &str,
        parameters: Parameters,
    ) -> Result<T, Error> {
        let mut retry = self.database.retry(self.deadline);
        let text = loop {
            match self
                .database
                .query_scalar(statement, &parameters, self.deadline)
                .await
            {
                Ok(text) => break text,
                Err(fault) if retry.should_retry(&fault).await => {}
                Err(fault) => return Err(fault.into()),
            }
        };
        serde_json::from_str(&text).map_err(|error| {
            // serde's message may repeat a value.
            let line = error.line();
            let column = error.column();
            Error::Internal(format!(
                "an answer of the token tables: line {line}, column {column}"
            ))
        })
    }

    /// Runs a statement that writes, with the request's origin as its first parameters; returns its
    /// text, `None` without a row.
    pub(crate) async fn write(
        &self,
        statement: &str,
        parameters: Parameters,
    ) -> Result<Option<String>, Error> {
        self.write_all(&[(statement, parameters)]).await
    }

    /// Runs several such statements as one transaction; returns the text of the last one, `None`
    /// without a row.
    async fn write_all(&self, steps: &[(&str, Parameters)]) -> Result<Option<String>, Error> {
        let steps: Vec<_> = steps
            .iter()
            .map(|(text, parameters)| (*text, self.with_origin(parameters)))
            .collect();
        self.transact(&steps).await
    }

    /// The client's address, the request id, and these parameters.
    pub(crate) fn with_origin(&self, parameters: &[Option<String>]) -> Parameters {
        let origin = [self.address.clone(), self.request.map(str::to_owned)];
        origin.iter().chain(parameters).cloned().collect()
    }

    /// Runs statements as one transaction; returns the text of the last one, `None` without a row.
    pub(crate) async fn transact(
        &self,
        steps: &[(&str, Parameters)],
    ) -> Result<Option<String>, Error> {
        self.transact_until(steps, Completion::Commit).await
    }

    /// Like [`Store::transact`], with another end.
    pub(crate) async fn transact_until(
        &self,
        steps: &[(&str, Parameters)],
        completion: Completion,
    ) -> Result<Option<String>, Error> {
        let texts: Vec<&str> = steps.iter().map(|(text, _)| *text).collect();
        let parameters: Vec<Parameters> = steps
            .iter()
            .map(|(_, parameters)| parameters.clone())
            .collect();
        let mut retry = self.database.retry(self.deadline);
        loop {
            match self
                .database
                .write(&texts, &parameters, completion, self.deadline)
                .await
            {
                Ok(rows) => return Ok(last_text(&rows)),
                Err(failed) if retry.should_retry_write(&failed).await => {}
                Err(failed) => match failed.fault {
                    DatabaseError::Refused(refusal) => {
                        return Err(Error::NotWritten {
                            refusal,
                            path: "$".into(),
                        });
                    }
                    fault => return Err(fault.into()),
                },
            }
        }
    }
}

impl PersonalAccessToken {
    /// Why the token is rejected.
    pub(super) fn fault(&self) -> &'static str {
        if self.state == "revoked" {
            "revoked"
        } else {
            "expired"
        }
    }
}

impl std::fmt::Debug for IssuedRefreshToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("IssuedRefreshToken")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl IssuedRefreshToken {
    /// A new token, which the database does not have yet.
    pub(crate) fn new() -> IssuedRefreshToken {
        IssuedRefreshToken {
            id: Uuid::new_v4().to_string(),
            token: token_hash::refresh(),
        }
    }

    /// The digest that the database stores.
    pub(crate) fn digest(&self) -> String {
        token_hash::digest(&self.token)
    }
}

/// The text in the first row of the last statement.
fn last_text(rows: &[Vec<pg::Row>]) -> Option<String> {
    RowColumns::new(rows.last()?.first()?).text()
}

/// A Postgres array: `{"a","b"}`.
pub(crate) fn array(items: &[String]) -> String {
    let items: Vec<String> = items
        .iter()
        .map(|item| format!("\"{}\"", item.replace('\\', "\\\\").replace('"', "\\\"")))
        .collect();
    format!("{{{}}}", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_shows_no_refresh_token() {
        let issued = IssuedRefreshToken::new();
        assert!(!format!("{issued:?}").contains(&issued.token));
    }

    #[test]
    fn array_items_are_quoted() {
        assert_eq!(array(&["a".into(), "b\"\\,".into()]), r#"{"a","b\"\\,"}"#);
    }
}
