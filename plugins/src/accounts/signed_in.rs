//! A person who has signed in, on whose proof credentials are changed.

use gateway::error::{Error, TokenError};
use gateway::limits::LimitExceeded;
use pg::deadline;

use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::mail_queue::{MailPurpose, QueuedMail};
use super::statements;
use crate::token_exchange::{User, session_id};

/// A person who has signed in.
pub(super) struct SignedIn {
    /// The user.
    pub(super) user: User,
    /// The id of the session.
    pub(super) session: String,
    /// How often a credential had been changed while the session held.
    pub(super) generation: i32,
}

impl SignedIn {
    /// The user's address; empty without one.
    pub(super) fn email(&self) -> &str {
        self.user.text("email").unwrap_or_default()
    }

    /// A mail about this person's account, in their language.
    pub(super) fn notice(&self, purpose: MailPurpose) -> QueuedMail {
        QueuedMail::notice(purpose, &self.user)
    }
}

impl AccountRequest<'_> {
    /// The user and the session of the bearer token, if the token is one of a session that the
    /// person has opened with a credential of their own, and that was not ended. A personal access
    /// token opens no such session: with one that was found, nobody takes over an account.
    pub(super) async fn signed_in(&self) -> Result<SignedIn, Error> {
        self.bearer(false).await
    }

    /// Like [`AccountRequest::signed_in`], of a person who has shown a factor again, where the
    /// settings want that.
    pub(super) async fn elevated(&self) -> Result<SignedIn, Error> {
        self.bearer(true).await
    }

    async fn bearer(&self, needs_elevation: bool) -> Result<SignedIn, Error> {
        let late = || LimitExceeded::Time(self.state.limits.time);
        let verified = self
            .state
            .authenticator
            .verified_token(&self.exchange.headers);
        let verified = deadline::timeout_at(self.deadline, verified)
            .await
            .ok_or_else(late)??;
        let missing = || TokenError::MissingClaim("user-id".into());
        let user_id = verified.claims.values.get("user_id").ok_or_else(missing)?;
        let store = self.store();
        let session = session_id(&self.exchange.headers).ok_or(AccountError::NoSession)?;
        let parameters = [&session, user_id].map(|text| Some(text.clone()));
        let found: Option<i32> = store
            .tokens
            .read(statements::FIND_SIGNED_IN, parameters.into())
            .await?;
        let generation = found.ok_or(AccountError::NoSession)?;
        let factors = &self.accounts.exchange.factors;
        let tokens = &store.tokens;
        if needs_elevation
            && factors
                .lacks_elevation(tokens, &verified.claims, user_id)
                .await?
        {
            return Err(AccountError::ElevationRequired.into());
        }
        let user = store.user(user_id).await?;
        let user = user.ok_or(AccountError::DisabledUser)?;
        Ok(SignedIn {
            user,
            session,
            generation,
        })
    }
}
