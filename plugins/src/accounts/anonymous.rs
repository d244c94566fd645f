//! Users without an address: they get a session at once, and may give an address later and keep
//! their id.

use gateway::error::Error;
use serde_json::{Value, json};

use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::mail_queue::{MailPurpose, QueuedMail};
use super::next_step::FirstFactor;
use super::signed_in::SignedIn;
use super::statements;
use super::store::{Credential, SignUp, SignedUp};

/// How an anonymous user signs up, for the owner's statement and the audit.
const METHOD: &str = "anonymous";

/// The name to show of somebody who has given none.
const DISPLAY_NAME: &str = "Anonymous";

impl AccountRequest<'_> {
    /// `{"displayName": …, "locale": …, "metadata": …}` creates a user without an address, and
    /// returns a session.
    pub(super) async fn sign_in_anonymously(&self) -> Result<Value, Error> {
        if !self.accounts.anonymous {
            return Err(AccountError::DisabledEndpoint.into());
        }
        let options = self.options_of(&self.body)?;
        let sign_up = SignUp {
            email: None,
            display_name: options.display_name.as_deref().unwrap_or(DISPLAY_NAME),
            locale: self.accounts.locale(options.locale.as_deref()),
            metadata: &options.metadata,
            method: METHOD,
            credential: Credential::None,
            mail: None,
        };
        let store = self.store();
        let SignedUp::User(id) = store.sign_up(&sign_up).await? else {
            return Err(self
                .failed("sign-up", None, AccountError::SignupDisabled)
                .await);
        };
        self.succeeded("sign-up", Some(&id));
        let user = store.user(&id).await?.ok_or(AccountError::DisabledUser)?;
        let account = store.account(Some(&id)).await?;
        let shown = FirstFactor::anonymous(METHOD);
        let response = self.open(&user, &account, shown, None).await?;
        Ok(json!({"session": response["session"]}))
    }

    /// `{"signInMethod": …, "email": …, "password": …, "options": …}` mails a link that gives an
    /// anonymous user the address. The password is theirs at once, and of use with the address.
    pub(super) async fn deanonymize(&self) -> Result<Value, Error> {
        if self.accounts.owner.set_email.is_none() {
            return Err(AccountError::DisabledEndpoint.into());
        }
        let SignedIn {
            user, generation, ..
        } = self.signed_in().await?;
        let email = self.email("email")?;
        let options = self.options()?;
        let hash = match self.body.text("signInMethod")? {
            "email-password" => {
                let password = self.body.text("password")?;
                let policy = &self.accounts.passwords;
                policy
                    .check(&self.accounts.leaked_client, password, email)
                    .await?;
                Some(self.hasher.hash(password).await?)
            }
            "passwordless" => None,
            _ => {
                let message = "`signInMethod` has to be \"email-password\" or \"passwordless\"";
                return Err(AccountError::Invalid(message).into());
            }
        };
        let store = self.store();
        let mail = QueuedMail {
            user_id: Some(user.id.clone()),
            generation: Some(generation),
            locale: options.locale,
            redirect_to: options.redirect_to,
            ..QueuedMail::new(MailPurpose::Change, email)
        };
        let parameters = vec![Some(user.id), hash, Some(mail.to_json()?)];
        let queued = store
            .tokens
            .write(statements::DEANONYMIZE, parameters)
            .await?;
        queued.ok_or(AccountError::NotAnonymous)?;
        Ok("OK".into())
    }
}
