//! Changes of credentials: the password and the address, on the proof of a link in a mail, or of a
//! session that the person has opened.

use gateway::error::Error;
use serde_json::Value;

use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::config::Method;
use super::mail_queue::{MailPurpose, QueuedMail};
use super::purpose::Purpose;
use super::signed_in::SignedIn;
use super::store::Proof;

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
        let SignedIn {
            user, generation, ..
        } = self.elevated().await?;
        let email = self.email("newEmail")?;
        let options = self.options()?;
        let mail = QueuedMail {
            user_id: Some(user.id),
            generation: Some(generation),
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
        let (user, proof) = match self.body.maybe("ticket")? {
            None => {
                let SignedIn { user, session, .. } = self.elevated().await?;
                (user, Proof::Session(session))
            }
            Some(text) => {
                let ticket = store.ticket(text).await?;
                let Some(ticket) = ticket.filter(|ticket| ticket.purpose == Purpose::Reset) else {
                    return Err(self
                        .failed("password-changed", None, AccountError::Ticket)
                        .await);
                };
                let user = store.user(&ticket.user).await?;
                (user.ok_or(AccountError::Ticket)?, Proof::Ticket(ticket))
            }
        };
        let email = user.text("email").unwrap_or_default();
        // The link proves the address that it was sent to, and no other.
        if let Proof::Ticket(ticket) = &proof
            && !ticket.email.eq_ignore_ascii_case(email)
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
        let notice = QueuedMail::notice(MailPurpose::PasswordChanged, &user);
        store.set_password(&user.id, &hash, &proof, &notice).await?;
        self.succeeded("password-changed", Some(&user.id));
        Ok("OK".into())
    }
}
