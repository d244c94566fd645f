//! Changes of credentials: the password and the address, on the proof of a link in a mail, or of a
//! session that the person has opened.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway::error::{Error, TokenError};
use gateway::limits::LimitExceeded;
use http::header::AUTHORIZATION;
use pg::deadline;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::config::Method;
use super::mail_queue::{MailPurpose, QueuedMail};
use super::purpose::Purpose;
use crate::token_exchange::User;

impl AccountRequest<'_> {
    /// `{"email": …, "options": {"redirectTo": …}}` sends a link to verify the address.
    pub(super) async fn send_verification(&self) -> Result<Value, Error> {
        self.send(MailPurpose::Verify).await
    }

    /// `{"email": …, "options": {"redirectTo": …}}` sends a link to set another password.
    pub(super) async fn send_reset(&self) -> Result<Value, Error> {
        self.require(Method::Password)?;
        self.send(MailPurpose::Reset).await
    }

    async fn send(&self, purpose: MailPurpose) -> Result<Value, Error> {
        let email = self.email("email")?;
        let options = self.options()?;
        let mail = QueuedMail {
            locale: options.locale,
            redirect_to: options.redirect_to,
            ..QueuedMail::new(purpose, email)
        };
        self.store().enqueue(&mail).await?;
        Ok("OK".into())
    }

    /// `{"newEmail": …, "options": {"redirectTo": …}}` sends a link to the new address, which
    /// becomes the user's when it is opened.
    pub(super) async fn change_email(&self) -> Result<Value, Error> {
        if self.accounts.owner.set_email.is_none() {
            return Err(AccountError::DisabledEndpoint.into());
        }
        let user = self.signed_in_user().await?;
        let email = self.email("newEmail")?;
        let options = self.options()?;
        let mail = QueuedMail {
            user_id: Some(user.id),
            locale: options.locale,
            redirect_to: options.redirect_to,
            ..QueuedMail::new(MailPurpose::Change, email)
        };
        self.store().enqueue(&mail).await?;
        Ok("OK".into())
    }

    /// `{"newPassword": …, "ticket": …}`, or without ticket and with the token of a session, sets
    /// the password.
    pub(super) async fn change_password(&self) -> Result<Value, Error> {
        self.require(Method::Password)?;
        let store = self.store();
        let new = self.body.text("newPassword")?;
        let (user, ticket) = match self.body.maybe("ticket")? {
            None => (self.signed_in_user().await?, None),
            Some(text) => {
                let ticket = store.ticket(text).await?;
                let Some(ticket) = ticket.filter(|ticket| ticket.purpose == Purpose::Reset) else {
                    return Err(self
                        .failed("password-changed", None, AccountError::Ticket)
                        .await);
                };
                let user = store
                    .user(&ticket.user)
                    .await?
                    .ok_or(AccountError::Ticket)?;
                (user, Some(ticket))
            }
        };
        let email = user.text("email").unwrap_or_default();
        // The link proves the address that it was sent to, and no other.
        if ticket
            .as_ref()
            .is_some_and(|ticket| !ticket.email.eq_ignore_ascii_case(email))
        {
            return Err(self
                .failed("password-changed", Some(&user.id), AccountError::Ticket)
                .await);
        }
        let policy = &self.accounts.passwords;
        policy
            .check(&self.accounts.leaked_client, new, email)
            .await?;
        let hash = self.hasher.hash(new).await?;
        let notice = QueuedMail {
            locale: user.text("locale").map(str::to_owned),
            ..QueuedMail::new(MailPurpose::PasswordChanged, email)
        };
        store
            .set_password(&user.id, &hash, ticket.as_ref(), &notice)
            .await?;
        self.succeeded("password-changed", Some(&user.id));
        Ok("OK".into())
    }

    /// The user of the bearer token, if the token is one of a session that the person has opened
    /// with a credential of their own, and that was not ended. A personal access token opens no
    /// such session: whoever has found one must not take over the account with it.
    async fn signed_in_user(&self) -> Result<User, Error> {
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
        let session = self.session_id().ok_or(AccountError::NoSession)?;
        if !store.holds(&session, user_id).await? {
            return Err(AccountError::NoSession.into());
        }
        let user = store.user(user_id).await?;
        user.ok_or_else(|| AccountError::DisabledUser.into())
    }

    /// The claim `sid` of the bearer token, which was verified before.
    fn session_id(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Payload {
            sid: Option<String>,
        }
        let header = self.exchange.headers.get(AUTHORIZATION)?.to_str().ok()?;
        let payload = header.split('.').nth(1)?;
        let payload = URL_SAFE_NO_PAD.decode(payload).ok()?;
        let session = serde_json::from_slice::<Payload>(&payload).ok()?.sid?;
        Uuid::parse_str(&session).is_ok().then_some(session)
    }
}
