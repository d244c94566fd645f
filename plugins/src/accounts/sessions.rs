//! The sessions of a person: which ones there are, and how they end.

use gateway::error::Error;
use serde_json::{Value, json};
use uuid::Uuid;

use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::signed_in::SignedIn;
use super::statements;

impl AccountRequest<'_> {
    /// Returns the sessions that can go on.
    pub(super) async fn list_sessions(&self) -> Result<Value, Error> {
        let SignedIn { user, session, .. } = self.signed_in().await?;
        let parameters = [user.id, session].map(Some);
        let store = self.store();
        store
            .tokens
            .read(statements::LIST_SESSIONS, parameters.into())
            .await
    }

    /// `{"id": …}` ends a session, `{"others": true}` all but this one.
    pub(super) async fn end_sessions(&self) -> Result<Value, Error> {
        let SignedIn { user, session, .. } = self.signed_in().await?;
        let id = self.body.maybe("id")?;
        let has_others = self.body.switch("others")?;
        if id.is_some() == has_others {
            let message = "either `id` or `others` says which sessions end";
            return Err(AccountError::Invalid(message).into());
        }
        if id.is_some_and(|id| Uuid::parse_str(id).is_err()) {
            return Err(AccountError::Invalid("`id` has to be one of a session").into());
        }
        let parameters = vec![Some(user.id.clone()), Some(session), id.map(str::to_owned)];
        let ended = self
            .store()
            .tokens
            .write(statements::END_SESSIONS, parameters)
            .await?;
        let ended: u64 = ended.and_then(|count| count.parse().ok()).unwrap_or(0);
        if ended > 0 {
            self.succeeded("sign-out", Some(&user.id));
        }
        Ok(json!({"ended": ended}))
    }
}
