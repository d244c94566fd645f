//! Runs the statements of accounts, one method per step.

use gateway::error::Error;
use hmac::{Hmac, Mac};
use pg::{Completion, Parameters};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::Sha256;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::account::Account;
use super::account_error::AccountError;
use super::config::AccountsConfig;
use super::mail_queue::QueuedMail;
use super::next_step::{FirstFactor, NextStep};
use super::purpose::{self, Purpose};
use super::shown_factor::ShownFactor;
use super::{factor_statements, identity_statements, statements};
use crate::token_exchange::{Store, User, array, hexadecimal};

/// The SQLSTATE of a ticket that holds no longer.
const NO_DATA_FOUND: &str = "P0002";

/// The SQLSTATE of a factor that was used meanwhile.
const FACTOR_USED: &str = "PN001";

/// The SQLSTATE of a row whose address another row has.
const UNIQUE_VIOLATION: &str = "23505";

/// A ticket that holds.
#[derive(Debug, Deserialize)]
pub(super) struct Ticket {
    /// Its id.
    pub(super) id: String,
    /// What it allows.
    pub(super) purpose: Purpose,
    /// The user's id.
    pub(super) user: String,
    /// The address that it was sent to.
    pub(super) email: String,
    /// The digest of a code.
    digest: Option<String>,
    /// How the person has signed in so far, if a second factor follows.
    pub(super) state: Option<FirstFactor>,
}

/// A person who signs up.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignUp<'a> {
    /// The address; `None` for an anonymous user.
    pub(super) email: Option<&'a str>,
    /// The name to show.
    pub(super) display_name: &'a str,
    /// The language.
    pub(super) locale: &'a str,
    /// What the application stores of the user.
    pub(super) metadata: &'a Value,
    /// The way, as in the audit and for the owner's statement.
    pub(super) method: &'a str,
    /// What the person signs in with from now on.
    pub(super) credential: Credential<'a>,
    /// The mail that follows, to which the user's id is added.
    pub(super) mail: Option<&'a QueuedMail>,
}

/// What a person signs up with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Credential<'a> {
    /// Nothing that is stored.
    None,
    /// The hash of a password.
    Password(&'a str),
    /// A passkey: the handle that it was made with, and the passkey as JSON.
    Passkey(Uuid, &'a str),
}

/// What came of a sign-up.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SignedUp {
    /// The id of the new user.
    User(String),
    /// The owner's statement has created none.
    Refused,
    /// Another user has the address.
    Taken,
}

/// What is counted: tries of one kind for one person, of which there are twenty an hour.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tries<'a> {
    /// Of passwords, for an address.
    Password(&'a str),
    /// Of codes in mails, for an address.
    Code(&'a str),
    /// Of second factors, for a user's id.
    Factor(&'a str),
}

/// A statement of a transaction with its parameters.
pub(super) type Step<'a> = (&'a str, Parameters);

/// What entitles to another password.
#[derive(Debug)]
pub(super) enum Proof {
    /// A link to set it.
    Ticket(Ticket),
    /// A session that the person has opened.
    Session(String),
}

/// Access to the tables on behalf of one request, or of the worker.
#[derive(Debug)]
pub(super) struct AccountStore<'a> {
    /// The statements of the token exchange.
    pub(super) tokens: Store<'a>,
    /// The settings.
    pub(super) accounts: &'a AccountsConfig,
    /// What the browser calls itself.
    pub(super) user_agent: Option<String>,
}

impl AccountStore<'_> {
    /// The id of the user with this address.
    pub(super) async fn id_of(&self, email: &str) -> Result<Option<String>, Error> {
        self.tokens
            .read(&self.accounts.owner.by_email, vec![Some(email.to_owned())])
            .await
    }

    /// The user with this id, as the owner's query returns it.
    pub(super) async fn user(&self, id: &str) -> Result<Option<User>, Error> {
        self.tokens
            .user(&self.accounts.exchange.find_user, id)
            .await
    }

    /// What is known of a user; of none, what is known of one who has nothing.
    pub(super) async fn account(&self, id: Option<&str>) -> Result<Account, Error> {
        let id = id.unwrap_or_default();
        self.tokens
            .read(statements::FIND_ACCOUNT, vec![Some(id.to_owned())])
            .await
    }

    /// Counts a try of a password, a code or a factor. Returns whether it may be compared.
    pub(super) async fn count_try(
        &self,
        tries: Tries<'_>,
        user: Option<&str>,
    ) -> Result<bool, Error> {
        let digest = self.tries_digest(tries);
        let is_factor = matches!(tries, Tries::Factor(_)).to_string();
        let parameters = [Some(digest), user.map(str::to_owned), Some(is_factor)];
        let counted = self
            .tokens
            .write(statements::COUNT_TRY, parameters.into())
            .await?;
        Ok(counted.as_deref() == Some("true"))
    }

    /// Forgets the tries, after one that was right.
    pub(super) async fn forget_tries(&self, tries: Tries<'_>) -> Result<(), Error> {
        let (statement, parameters) = self.forgetting(tries);
        self.tokens
            .transact(&[(statement, parameters)])
            .await
            .map(drop)
    }

    /// Creates a user.
    pub(super) async fn sign_up(&self, sign_up: &SignUp<'_>) -> Result<SignedUp, Error> {
        self.create(sign_up, Completion::Commit).await
    }

    /// What would come of a sign-up, of which nothing stays: the owner's statement refuses people
    /// whose address is taken as it refuses others.
    pub(super) async fn try_sign_up(&self, sign_up: &SignUp<'_>) -> Result<SignedUp, Error> {
        self.create(sign_up, Completion::Rollback).await
    }

    async fn create(
        &self,
        sign_up: &SignUp<'_>,
        completion: Completion,
    ) -> Result<SignedUp, Error> {
        let mail = sign_up.mail.map(QueuedMail::to_json).transpose()?;
        let [hash, handle, key] = match sign_up.credential {
            Credential::None => [None, None, None],
            Credential::Password(hash) => [Some(hash.to_owned()), None, None],
            Credential::Passkey(handle, key) => {
                [None, Some(handle.to_string()), Some(key.to_owned())]
            }
        };
        let own = [Some(sign_up.method.to_owned()), hash, mail, handle, key];
        let of_owner = [
            sign_up.email.map(str::to_owned),
            Some(sign_up.display_name.to_owned()),
            Some(sign_up.locale.to_owned()),
            Some(sign_up.metadata.to_string()),
            Some(sign_up.method.to_owned()),
        ];
        let parameters: Parameters = of_owner
            .into_iter()
            .chain(self.tokens.with_origin(&own))
            .collect();
        let steps = [(self.accounts.owner.sign_up.as_str(), parameters)];
        match self.tokens.transact_until(&steps, completion).await {
            Ok(Some(id)) => Ok(SignedUp::User(id)),
            Ok(None) => Ok(SignedUp::Refused),
            Err(Error::NotWritten { refusal, .. }) if refusal.sqlstate == UNIQUE_VIOLATION => {
                Ok(SignedUp::Taken)
            }
            Err(error) => Err(error),
        }
    }

    /// Goes on after a first factor that is no ticket, of which `key` is used up if it is one.
    /// `None` if a credential was changed meanwhile.
    pub(super) async fn go_on(
        &self,
        user: &str,
        generation: i32,
        key: Option<&ShownFactor>,
        next: &NextStep,
    ) -> Result<Option<()>, Error> {
        let mut steps = vec![];
        if let Some(key) = key {
            // All requests lock the account before a key.
            steps.extend([self.locking(user), self.using_factor(user, key)]);
        }
        steps.push(self.next_step(user, Some(generation), next)?);
        let row = self.transact_with(&steps, AccountError::Credential).await?;
        Ok(row.map(drop))
    }

    /// Uses a ticket that proves an address, with the second factor if the person has one, and goes
    /// on.
    pub(super) async fn redeem(
        &self,
        ticket: &Ticket,
        factor: Option<&ShownFactor>,
        next: &NextStep,
    ) -> Result<(), Error> {
        let drops_unproved = matches!(ticket.purpose, Purpose::Link | Purpose::Code);
        let mut steps = vec![
            self.locking(&ticket.user),
            self.using(ticket),
            self.verifying(ticket, drops_unproved),
        ];
        steps.extend(factor.map(|factor| self.using_factor(&ticket.user, factor)));
        steps.push(self.next_step(&ticket.user, None, next)?);
        self.transact_ticket(&steps).await
    }

    /// Uses a ticket to change the address of its user, which ends all other sessions, and opens
    /// one. `notice` is the mail to the former address.
    pub(super) async fn change_email(
        &self,
        ticket: &Ticket,
        notice: &QueuedMail,
        factor: Option<&ShownFactor>,
        next: &NextStep,
    ) -> Result<(), Error> {
        let set_email = self
            .accounts
            .owner
            .set_email
            .as_deref()
            .ok_or(AccountError::Ticket)?;
        let change = vec![Some(ticket.user.clone()), Some(ticket.email.clone())];
        let notice = [Some(ticket.user.clone()), Some(notice.to_json()?)];
        let mut steps = vec![
            self.locking(&ticket.user),
            self.using(ticket),
            (set_email, change),
            self.verifying(ticket, false),
            (statements::AFTER_CHANGE, self.tokens.with_origin(&notice)),
        ];
        steps.extend(factor.map(|factor| self.using_factor(&ticket.user, factor)));
        steps.push(self.next_step(&ticket.user, None, next)?);
        self.transact_ticket(&steps).await
    }

    /// Sets a password, on the proof of a ticket or of a session.
    pub(super) async fn set_password(
        &self,
        user: &str,
        hash: &str,
        proof: &Proof,
        notice: &QueuedMail,
    ) -> Result<(), Error> {
        let password = [
            Some(user.to_owned()),
            Some(hash.to_owned()),
            Some(notice.to_json()?),
        ];
        let mut steps = vec![self.locking(user)];
        match proof {
            Proof::Ticket(ticket) => steps.extend([
                self.using(ticket),
                self.verifying(ticket, true),
                self.removing_keys(user),
                self.forgetting(Tries::Password(&ticket.email)),
            ]),
            Proof::Session(session) => steps.push(self.requiring(session, user)),
        }
        steps.push((statements::SET_PASSWORD, self.tokens.with_origin(&password)));
        self.transact_ticket(&steps).await
    }

    /// Signs up a user again, who may not have been verified yet.
    pub(super) async fn sign_up_again(&self, user: &str, mail: &QueuedMail) -> Result<(), Error> {
        let parameters = [user.to_owned(), mail.to_json()?];
        self.tokens
            .write(statements::SIGN_UP_AGAIN, parameters.map(Some).into())
            .await
            .map(drop)
    }

    /// Replaces a hash by a better one of the same password.
    pub(super) async fn replace_hash(
        &self,
        user: &str,
        hash: &str,
        better: String,
    ) -> Result<(), Error> {
        let parameters = [Some(user.to_owned()), Some(hash.to_owned()), Some(better)];
        self.tokens
            .write(statements::REPLACE_HASH, parameters.into())
            .await
            .map(drop)
    }

    /// Puts a mail into the queue.
    pub(super) async fn enqueue(&self, mail: &QueuedMail) -> Result<(), Error> {
        self.tokens
            .write(statements::ENQUEUE_MAIL, vec![Some(mail.to_json()?)])
            .await
            .map(drop)
    }

    /// The ticket of a link, if it holds and is for the purpose that its text names.
    pub(super) async fn ticket(&self, text: &str) -> Result<Option<Ticket>, Error> {
        let Some((purpose, _)) = purpose::read(text) else {
            return Ok(None);
        };
        let digest = crate::token_exchange::digest(text);
        let found: Option<Ticket> = self
            .tokens
            .read(statements::FIND_TICKET, vec![Some(digest)])
            .await?;
        Ok(found.filter(|ticket| ticket.purpose == purpose))
    }

    /// Tries a code that was sent to an address: the ticket, if it is the right one.
    pub(super) async fn try_code(
        &self,
        purpose: Purpose,
        email: &str,
        code: &str,
    ) -> Result<Option<Ticket>, Error> {
        let parameters = [email, purpose.name()].map(|text| Some(text.to_owned()));
        let found: Option<Ticket> = self
            .write_json(statements::TRY_CODE, parameters.into())
            .await?;
        Ok(found.filter(|ticket| {
            let digest = self.code_digest(&ticket.id, code);
            let stored = ticket.digest.as_deref().unwrap_or_default();
            stored.as_bytes().ct_eq(digest.as_bytes()).into()
        }))
    }

    /// Makes a ticket for a user and an address, and returns the text of its link, or its code;
    /// `None` if the user has had too many, or if the account has another generation by now.
    pub(super) async fn new_ticket(
        &self,
        purpose: Purpose,
        user: &str,
        email: &str,
        generation: Option<i32>,
    ) -> Result<Option<String>, Error> {
        let id = Uuid::new_v4().to_string();
        let (text, digest) = if purpose.is_code() {
            let code = format!("{:06}", rand::random_range(0..1_000_000_u32));
            let digest = self.code_digest(&id, &code);
            (code, digest)
        } else {
            let text = purpose::new_ticket(purpose);
            let digest = crate::token_exchange::digest(&text);
            (text, digest)
        };
        let parameters = vec![
            Some(id),
            Some(purpose.name().to_owned()),
            Some(user.to_owned()),
            Some(email.to_owned()),
            Some(digest),
            Some(purpose.seconds().to_string()),
            generation.map(|generation| generation.to_string()),
        ];
        let created = self
            .tokens
            .write(statements::CREATE_TICKET, parameters)
            .await?;
        Ok(created.map(|_| text))
    }

    /// Runs a statement that writes and returns JSON; nothing without a row.
    pub(super) async fn write_json<T: DeserializeOwned + Default>(
        &self,
        statement: &str,
        parameters: Parameters,
    ) -> Result<T, Error> {
        let Some(text) = self.tokens.write(statement, parameters).await? else {
            return Ok(T::default());
        };
        let fault = |_| Error::Internal("a statement of accounts returns other JSON".into());
        serde_json::from_str(&text).map_err(fault)
    }

    pub(super) fn locking(&self, user: &str) -> Step<'static> {
        let parameters = self.tokens.with_origin(&[Some(user.to_owned())]);
        (statements::LOCK_ACCOUNT, parameters)
    }

    pub(super) fn using(&self, ticket: &Ticket) -> Step<'static> {
        let parameters = self.tokens.with_origin(&[Some(ticket.id.clone())]);
        (statements::USE_TICKET, parameters)
    }

    /// Removes the keys that somebody else may have added before a reset by mail.
    fn removing_keys(&self, user: &str) -> Step<'static> {
        let parameters = self.tokens.with_origin(&[Some(user.to_owned())]);
        (factor_statements::REMOVE_DOUBTFUL_KEYS, parameters)
    }

    /// Uses a factor of a user.
    pub(super) fn using_factor(&self, user: &str, factor: &ShownFactor) -> Step<'static> {
        let (statement, parameters) = factor.using(user);
        (statement, self.tokens.with_origin(&parameters))
    }

    pub(super) fn requiring(&self, session: &str, user: &str) -> Step<'static> {
        let held = [session, user].map(|text| Some(text.to_owned()));
        (statements::REQUIRE_SESSION, self.tokens.with_origin(&held))
    }

    fn verifying(&self, ticket: &Ticket, drops_unproved: bool) -> Step<'static> {
        let parameters = self.tokens.with_origin(&[
            Some(ticket.user.clone()),
            Some(ticket.email.clone()),
            Some(drops_unproved.to_string()),
        ]);
        (statements::VERIFY_EMAIL, parameters)
    }

    /// Opens a session, or makes the ticket for the second factor.
    pub(super) fn next_step(
        &self,
        user: &str,
        generation: Option<i32>,
        next: &NextStep,
    ) -> Result<Step<'static>, Error> {
        let generation = generation.map(|generation| generation.to_string());
        match next {
            NextStep::Session(opened) => {
                let parameters = self.tokens.with_origin(&[
                    Some(opened.id.to_string()),
                    Some(user.to_owned()),
                    generation,
                    Some(array(&opened.shown.references)),
                    Some(opened.refresh.id.clone()),
                    Some(opened.refresh.digest()),
                    Some(opened.seconds.to_string()),
                    Some(opened.shown.method.clone()),
                    Some(opened.shown.is_complete.to_string()),
                    self.user_agent.clone(),
                ]);
                Ok((statements::OPEN_SESSION, parameters))
            }
            NextStep::Handover(handover) => {
                let parameters = self.tokens.with_origin(&[
                    Some(handover.id.to_string()),
                    Some(user.to_owned()),
                    generation,
                    Some(crate::token_exchange::digest(&handover.code)),
                    Some(to_text(&handover.state)?),
                    Some(handover.state.shown.is_complete.to_string()),
                ]);
                Ok((identity_statements::CREATE_HANDOVER, parameters))
            }
            NextStep::SecondFactor(asked) => {
                let state = to_text(&asked.first)?;
                let parameters = self.tokens.with_origin(&[
                    Some(asked.id.to_string()),
                    Some(user.to_owned()),
                    generation,
                    Some(asked.email.clone()),
                    Some(crate::token_exchange::digest(&asked.ticket)),
                    Some(state),
                ]);
                Ok((factor_statements::CREATE_FACTOR_TICKET, parameters))
            }
        }
    }

    /// Runs a statement that a session of the user allows, if it still holds.
    pub(super) async fn transact_in_session(
        &self,
        user: &str,
        session: &str,
        statement: &'static str,
        parameters: &[Option<String>],
        gone: AccountError,
    ) -> Result<Option<String>, Error> {
        let steps = [
            self.locking(user),
            self.requiring(session, user),
            (statement, self.tokens.with_origin(parameters)),
        ];
        self.transact_with(&steps, gone).await
    }

    /// Runs the steps that a ticket allows.
    pub(super) async fn transact_ticket(&self, steps: &[Step<'_>]) -> Result<(), Error> {
        // Without a row a second factor was turned on meanwhile.
        let row = self.transact_with(steps, AccountError::Ticket).await?;
        Ok(row.map(drop).ok_or(AccountError::Ticket)?)
    }

    /// Runs steps as one transaction, and returns the text of the last one. `gone` is the error if
    /// what allows them holds no longer.
    pub(super) async fn transact_with(
        &self,
        steps: &[Step<'_>],
        gone: AccountError,
    ) -> Result<Option<String>, Error> {
        match self.tokens.transact(steps).await {
            Ok(text) => Ok(text),
            Err(Error::NotWritten { refusal, .. }) if refusal.sqlstate == FACTOR_USED => {
                Err(AccountError::Totp.into())
            }
            // The ticket was used meanwhile, or the address was taken.
            Err(Error::NotWritten { refusal, .. })
                if [NO_DATA_FOUND, UNIQUE_VIOLATION].contains(&refusal.sqlstate.as_ref()) =>
            {
                Err(gone.into())
            }
            Err(error) => Err(error),
        }
    }

    fn forgetting(&self, tries: Tries<'_>) -> Step<'static> {
        let digest = self.tries_digest(tries);
        (
            statements::FORGET_TRIES,
            self.tokens.with_origin(&[Some(digest)]),
        )
    }

    fn tries_digest(&self, tries: Tries<'_>) -> String {
        let (kind, subject) = match tries {
            Tries::Password(email) => ("password", email.to_ascii_lowercase()),
            Tries::Code(email) => ("code", email.to_ascii_lowercase()),
            Tries::Factor(user) => ("factor", user.to_owned()),
        };
        self.keyed_digest(&[kind, " ", &subject])
    }

    fn code_digest(&self, ticket: &str, code: &str) -> String {
        self.keyed_digest(&[ticket, code])
    }

    /// The HMAC-SHA-256 of a text in parts, as hexadecimal digits.
    pub(super) fn keyed_digest(&self, parts: &[&str]) -> String {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(self.accounts.key.reveal().as_bytes())
            .unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
        parts.iter().for_each(|part| mac.update(part.as_bytes()));
        hexadecimal(&mac.finalize().into_bytes())
    }
}

impl Ticket {
    /// Whether the user still has the address that the ticket was made for.
    pub(super) fn is_of(&self, user: &User) -> bool {
        let address = user.text("email").unwrap_or_default();
        address.eq_ignore_ascii_case(&self.email)
    }

    /// Whether the first factor was a passkey or a security key.
    pub(super) fn is_after_key(&self) -> bool {
        let first = self.state.as_ref();
        first.is_some_and(FirstFactor::is_key)
    }
}

/// A value as the text of a parameter.
pub(super) fn to_text(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Internal(error.to_string()))
}
