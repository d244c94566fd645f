//! Signing up and in, by password, link or code.
//!
//! Who has an account shows neither in an answer nor in its time: a request for a mail puts one row
//! into the queue whoever has the address, and a password is compared with a hash also if there is
//! none.

use gateway::error::Error;
use serde_json::{Value, json};

use super::account::Account;
use super::account_error::AccountError;
use super::account_request::{AccountRequest, Options};
use super::config::Method;
use super::mail_queue::{MailPurpose, QueuedMail};
use super::next_step::{Delivery, FirstFactor, NextStep};
use super::password;
use super::purpose::Purpose;
use super::shown_factor::ShownFactor;
use super::store::{Credential, SignUp, SignedUp, Tries};
use crate::token_exchange::{User, session_json};

impl AccountRequest<'_> {
    /// `{"email": …, "password": …, "options": …}` creates a user. While the address has to be
    /// verified there is no session, and the answer is the same if the address has a user.
    pub(super) async fn sign_up(&self) -> Result<Value, Error> {
        self.require(Method::Password)?;
        let email = self.email("email")?;
        let given = self.body.text("password")?;
        let options = self.options()?;
        self.require_sign_up().await?;
        let policy = &self.accounts.passwords;
        policy
            .check(&self.accounts.leaked_client, given, email)
            .await?;
        let hash = self.hasher.hash(given).await?;
        let first = FirstFactor::new(Method::Password);
        let credential = Credential::Password(&hash);
        self.sign_up_as(email, options, credential, first).await
    }

    /// Refuses sign-ups where the settings turn them off.
    pub(super) async fn require_sign_up(&self) -> Result<(), Error> {
        if self.accounts.signup {
            return Ok(());
        }
        Err(self
            .failed("sign-up", None, AccountError::SignupDisabled)
            .await)
    }

    /// Creates a user, and opens the first session unless the address has to be verified. `first`
    /// is what was shown.
    pub(super) async fn sign_up_as(
        &self,
        email: &str,
        options: Options,
        credential: Credential<'_>,
        first: FirstFactor,
    ) -> Result<Value, Error> {
        let store = self.store();
        let display_name = options.display_name.clone();
        let locale = self.accounts.locale(options.locale.as_deref());
        let metadata = options.metadata.clone();
        let verifying = QueuedMail {
            metadata: None,
            ..self.mail(MailPurpose::Verify, email, options)
        };
        let sign_up = SignUp {
            email: Some(email),
            display_name: display_name.as_deref().unwrap_or(email),
            locale,
            metadata: &metadata,
            method: &first.method,
            credential,
            mail: self.accounts.verify.then_some(&verifying),
        };
        let signed_up = match store.id_of(email).await? {
            Some(_) => match store.try_sign_up(&sign_up).await? {
                SignedUp::Refused => SignedUp::Refused,
                SignedUp::User(_) | SignedUp::Taken => SignedUp::Taken,
            },
            None => store.sign_up(&sign_up).await?,
        };
        match signed_up {
            SignedUp::User(id) => {
                self.succeeded("sign-up", Some(&id));
                if self.accounts.verify {
                    return Ok(json!({"session": null}));
                }
                let user = store.user(&id).await?.ok_or(AccountError::DisabledUser)?;
                let account = store.account(Some(&id)).await?;
                let response = self.open(&user, &account, first, None).await?;
                Ok(json!({"session": response["session"]}))
            }
            SignedUp::Refused => Err(self
                .failed("sign-up", None, AccountError::SignupDisabled)
                .await),
            SignedUp::Taken if self.accounts.verify => {
                let notice = QueuedMail {
                    display_name: None,
                    purpose: MailPurpose::AccountExists,
                    ..verifying
                };
                let Some(user) = store.id_of(email).await? else {
                    let message = "another user has one of these values";
                    return Err(AccountError::Invalid(message).into());
                };
                store.sign_up_again(&user, &notice).await?;
                self.succeeded("sign-up", None);
                Ok(json!({"session": null}))
            }
            SignedUp::Taken => Err(self.failed("sign-up", None, AccountError::EmailInUse).await),
        }
    }

    /// `{"email": …, "password": …}` returns a session.
    pub(super) async fn sign_in(&self) -> Result<Value, Error> {
        self.require(Method::Password)?;
        let email = self.email("email")?;
        let given = self.body.text("password")?;
        password::check_size(given)?;
        let store = self.store();
        let id = store.id_of(email).await?;
        let tries = Tries::Password(email);
        self.count(tries, "sign-in", id.as_deref()).await?;
        let account = store.account(id.as_deref()).await?;
        let compared = self.hasher.compare(given, account.hash.clone()).await?;
        let Some(id) = id.filter(|_| compared.is_same) else {
            return Err(self
                .failed("sign-in", None, AccountError::EmailPassword)
                .await);
        };
        let Some(user) = store.user(&id).await? else {
            return Err(self
                .failed("sign-in", Some(&id), AccountError::DisabledUser)
                .await);
        };
        if self.accounts.verify && !account.has_verified(user.text("email").unwrap_or(email)) {
            return Err(self
                .failed("sign-in", Some(&id), AccountError::UnverifiedUser)
                .await);
        }
        if let (Some(hash), Some(better)) = (&account.hash, compared.better) {
            store.replace_hash(&id, hash, better).await?;
        }
        let first = FirstFactor::new(Method::Password);
        let response = self.open(&user, &account, first, None).await?;
        store.forget_tries(tries).await?;
        Ok(response)
    }

    /// `{"email": …, "options": …}` sends a link or a code to sign in.
    pub(super) async fn send_link_or_code(&self, method: Method) -> Result<Value, Error> {
        self.require(method)?;
        let email = self.email("email")?;
        let purpose = if method == Method::Code {
            MailPurpose::Code
        } else {
            MailPurpose::Link
        };
        let mail = self.mail(purpose, email, self.options()?);
        self.store().enqueue(&mail).await?;
        Ok("OK".into())
    }

    /// `{"email": …, "otp": …}` returns a session for a code.
    pub(super) async fn sign_in_by_code(&self) -> Result<Value, Error> {
        self.require(Method::Code)?;
        let email = self.email("email")?;
        let code = self.body.text("otp")?;
        let store = self.store();
        let id = store.id_of(email).await?;
        let tries = Tries::Code(email);
        self.count(tries, "sign-in", id.as_deref()).await?;
        let ticket = store.try_code(Purpose::Code, email, code).await?;
        let Some(ticket) = ticket else {
            return Err(self.failed("sign-in", None, AccountError::Code).await);
        };
        let user = store.user(&ticket.user).await?;
        // The address may have been changed since the code was sent.
        let Some(user) = user.filter(|user| ticket.is_of(user)) else {
            return Err(self
                .failed("sign-in", Some(&ticket.user), AccountError::Code)
                .await);
        };
        let account = store.account(Some(&user.id)).await?;
        let first = FirstFactor::new(Method::Code);
        let next = self.after(&user, &account, first)?;
        store
            .redeem(&ticket, None, &next)
            .await
            .map_err(|error| match error {
                // Another request has used the code.
                Error::Plugin(_) => AccountError::Code.into(),
                error => error,
            })?;
        store.forget_tries(tries).await?;
        // The code has proved the address.
        let user = store.user(&user.id).await?.unwrap_or(user);
        Ok(self.ended(&user, &next))
    }

    /// Opens a session after a first factor that is no ticket, or asks for the second one. `key` is
    /// the first factor if it is a security key. A change of a credential meanwhile makes the first
    /// one wrong.
    pub(super) async fn open(
        &self,
        user: &User,
        account: &Account,
        first: FirstFactor,
        key: Option<&ShownFactor>,
    ) -> Result<Value, Error> {
        let next = self.after(user, account, first)?;
        let store = self.store();
        let generation = account.generation;
        let is_stored = store.go_on(&user.id, generation, key, &next).await?;
        if is_stored.is_none() {
            let error = match key {
                None => AccountError::EmailPassword,
                Some(_) => AccountError::Credential,
            };
            return Err(self.failed("sign-in", Some(&user.id), error).await);
        }
        Ok(self.ended(user, &next))
    }

    fn after(&self, user: &User, account: &Account, first: FirstFactor) -> Result<NextStep, Error> {
        let exchange = &self.accounts.exchange;
        let delivery = Delivery::Response(exchange.refresh);
        NextStep::after(first, user, account, exchange, delivery)
    }

    /// The response to a step that was stored.
    pub(super) fn ended(&self, user: &User, next: &NextStep) -> Value {
        match next {
            NextStep::Session(opened) => {
                self.succeeded("sign-in", Some(&user.id));
                let session = session_json(user, &opened.access, &opened.refresh);
                json!({"session": session, "mfa": null})
            }
            NextStep::Handover(handover) => json!({"code": handover.code}),
            NextStep::SecondFactor(asked) => asked.to_json(),
        }
    }
}
