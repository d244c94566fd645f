//! Sends the mails of the queue: looks up the user, makes the ticket, and hands the mail over. The
//! request that has caused a mail did the same work whoever has the address; what depends on the
//! user happens here, where nobody can measure it.

use std::sync::Arc;

use gateway::config::{Config, ConfigError};
use gateway::error::Error;
use pg::{Database, DatabaseError};
use reqwest::Url;
use serde_json::json;
use tokio::time::Instant;

use super::config::AccountsConfig;
use super::mail::{Mail, MailError, TemplateName, Variables};
use super::mail_queue::{MailPurpose, QueuedMail};
use super::purpose::{self, Purpose};
use super::store::{AccountStore, Credential, SignUp, SignedUp};
use crate::token_exchange::{Store, User};

/// Sends mails of the queue.
#[derive(Clone, Debug)]
pub(crate) struct MailWorker {
    accounts: Arc<AccountsConfig>,
}

/// To whom a mail goes, and what it contains.
struct Recipient {
    template: TemplateName,
    email: String,
    user: Option<User>,
    /// The purpose of the ticket that it contains.
    ticket: Option<(Purpose, String)>,
}

impl MailWorker {
    /// The worker for these settings; `None` without accounts.
    pub(crate) fn read(config: &Config) -> Result<Option<MailWorker>, ConfigError> {
        let accounts = AccountsConfig::read(config)?;
        Ok(accounts.map(|accounts| MailWorker {
            accounts: Arc::new(accounts),
        }))
    }

    /// Sends the mail of an event. An error's text is for operators, and contains no address.
    pub(crate) async fn deliver(
        &self,
        database: &Database,
        event_id: &str,
        payload: &str,
        deadline: Instant,
    ) -> Result<(), MailError> {
        let queued: QueuedMail = serde_json::from_str(payload)
            .map_err(|_| MailError::Permanent("the payload is no mail".into()))?;
        let store = AccountStore {
            tokens: Store {
                database,
                address: None,
                request: None,
                deadline,
            },
            accounts: &self.accounts,
            user_agent: None,
        };
        let found = self.recipient(&store, &queued).await.map_err(retry)?;
        let Some(Recipient {
            template,
            email,
            user,
            ticket,
        }) = found
        else {
            return Ok(());
        };
        let secret = match &ticket {
            Some((purpose, user_id)) => {
                let ticket = store
                    .new_ticket(*purpose, user_id, &email, queued.generation)
                    .await
                    .map_err(retry)?;
                match ticket {
                    Some(ticket) => ticket,
                    None if self.is_outdated(&store, &queued).await.map_err(retry)? => {
                        return Ok(());
                    }
                    None => {
                        let message = "the user gets too many mails";
                        return Err(MailError::Permanent(message.into()));
                    }
                }
            }
            None => String::new(),
        };
        let accounts = &self.accounts;
        let of_user = |name| user.as_ref().and_then(|user| user.text(name));
        let locale = accounts.locale(of_user("locale").or(queued.locale.as_deref()));
        let redirect_to = queued
            .redirect_to
            .as_deref()
            .unwrap_or(&accounts.client_url);
        let is_code = matches!(queued.purpose, MailPurpose::Code | MailPurpose::Elevate);
        let link = match &ticket {
            Some((purpose, _)) if !is_code => self.link(*purpose, &secret, redirect_to),
            _ => accounts.client_url.clone(),
        };
        let mail = Mail {
            template,
            to: &email,
            locale,
            variables: Variables {
                link: &link,
                display_name: of_user("display_name").unwrap_or_default(),
                email: of_user("email").unwrap_or(&email),
                new_email: match queued.purpose {
                    MailPurpose::Change => &email,
                    _ => queued.new_email.as_deref().unwrap_or_default(),
                },
                ticket: &secret,
                redirect_to,
                locale,
                server_url: &accounts.server_url,
                client_url: &accounts.client_url,
                code: if is_code { &secret } else { "" },
            },
        };
        accounts
            .mailer
            .send(database, event_id, &mail, deadline)
            .await
    }

    /// To whom the mail goes. Of somebody who has an account it is the address that the owner's
    /// query returns, whatever the request has named. `None` if nobody gets it.
    async fn recipient(
        &self,
        store: &AccountStore<'_>,
        queued: &QueuedMail,
    ) -> Result<Option<Recipient>, Error> {
        let template = template(queued.purpose);
        let ticket = match queued.purpose {
            MailPurpose::Verify => Some(Purpose::Verify),
            MailPurpose::Reset => Some(Purpose::Reset),
            MailPurpose::Link => Some(Purpose::Link),
            MailPurpose::Code => Some(Purpose::Code),
            MailPurpose::AccountExists => None,
            MailPurpose::Change => return self.new_address(store, queued).await,
            MailPurpose::Elevate => return self.to_user(store, queued).await,
            MailPurpose::PasswordChanged
            | MailPurpose::EmailChanged
            | MailPurpose::FactorChanged => {
                // An anonymous user has had no address.
                if queued.email.is_empty() {
                    return Ok(None);
                }
                return Ok(Some(Recipient {
                    template,
                    email: queued.email.clone(),
                    user: None,
                    ticket: None,
                }));
            }
        };
        let mut found = self.by_email(store, queued).await?;
        if found.is_none() && self.signs_up(store, queued).await? {
            found = self.by_email(store, queued).await?;
        }
        let Some((email, user)) = found else {
            return Ok(None);
        };
        let (template, ticket) = match queued.purpose {
            MailPurpose::Verify | MailPurpose::AccountExists => {
                let is_verified = store.account(Some(&user.id)).await?.has_verified(&email);
                match (queued.purpose, is_verified) {
                    (MailPurpose::Verify, true) => return Ok(None),
                    (_, true) => (template, None),
                    // Who signs up again has lost the first mail.
                    (_, false) => (TemplateName::EmailVerify, Some(Purpose::Verify)),
                }
            }
            _ => (template, ticket),
        };
        Ok(Some(Recipient {
            template,
            email,
            ticket: ticket.map(|purpose| (purpose, user.id.clone())),
            user: Some(user),
        }))
    }

    /// The user with the address, and the address as the owner has it.
    async fn by_email(
        &self,
        store: &AccountStore<'_>,
        queued: &QueuedMail,
    ) -> Result<Option<(String, User)>, Error> {
        let Some(id) = store.id_of(&queued.email).await? else {
            return Ok(None);
        };
        let user = store.user(&id).await?;
        Ok(user.and_then(|user| Some((user.text("email")?.to_owned(), user))))
    }

    /// Creates a user for somebody who signs in by mail for the first time. Returns whether there
    /// is one now.
    async fn signs_up(&self, store: &AccountStore<'_>, queued: &QueuedMail) -> Result<bool, Error> {
        let Some(method) = queued.method().filter(|_| self.accounts.signup) else {
            return Ok(false);
        };
        // The mail of another request may have created the user since. One whom the owner's query
        // does not return may not sign in, and exists.
        if store.id_of(&queued.email).await?.is_some() {
            return Ok(true);
        }
        let metadata = queued.metadata.clone().unwrap_or_else(|| json!({}));
        let sign_up = SignUp {
            email: Some(&queued.email),
            display_name: queued.display_name.as_deref().unwrap_or(&queued.email),
            locale: self.accounts.locale(queued.locale.as_deref()),
            metadata: &metadata,
            method: method.name(),
            credential: Credential::None,
            mail: None,
        };
        Ok(store.sign_up(&sign_up).await? != SignedUp::Refused)
    }

    /// The recipient of a link for a new address. Nobody is, if it is the address of a user: who
    /// asks for the change must not learn that.
    async fn new_address(
        &self,
        store: &AccountStore<'_>,
        queued: &QueuedMail,
    ) -> Result<Option<Recipient>, Error> {
        if store.id_of(&queued.email).await?.is_some() {
            return Ok(None);
        }
        let user = self.unchanged_user(store, queued).await?;
        Ok(user.map(|user| Recipient {
            template: TemplateName::EmailConfirmChange,
            email: queued.email.clone(),
            ticket: Some((Purpose::Change, user.id.clone())),
            user: Some(user),
        }))
    }

    /// The recipient of a code that elevates: the user who has asked for it.
    async fn to_user(
        &self,
        store: &AccountStore<'_>,
        queued: &QueuedMail,
    ) -> Result<Option<Recipient>, Error> {
        let user = self.unchanged_user(store, queued).await?;
        Ok(user.and_then(|user| {
            Some(Recipient {
                template: TemplateName::Elevate,
                email: user.text("email")?.to_owned(),
                ticket: Some((Purpose::Elevate, user.id.clone())),
                user: Some(user),
            })
        }))
    }

    /// The user who has asked for a mail, unless a credential was changed since.
    async fn unchanged_user(
        &self,
        store: &AccountStore<'_>,
        queued: &QueuedMail,
    ) -> Result<Option<User>, Error> {
        let Some(user_id) = &queued.user_id else {
            return Ok(None);
        };
        if queued.generation.is_none() || self.is_outdated(store, queued).await? {
            return Ok(None);
        }
        store.user(user_id).await
    }

    /// Whether a credential was changed since a mail was asked for that must not survive it.
    async fn is_outdated(
        &self,
        store: &AccountStore<'_>,
        queued: &QueuedMail,
    ) -> Result<bool, Error> {
        let Some(generation) = queued.generation else {
            return Ok(false);
        };
        let account = store.account(queued.user_id.as_deref()).await?;
        Ok(account.generation != generation)
    }

    fn link(&self, purpose: Purpose, ticket: &str, redirect_to: &str) -> String {
        let address = format!("{}/v1/verify", self.accounts.server_url);
        let query = [
            ("ticket", ticket),
            ("type", purpose::kind(purpose)),
            ("redirectTo", redirect_to),
        ];
        Url::parse_with_params(&address, query).map_or(address, String::from)
    }
}

fn template(purpose: MailPurpose) -> TemplateName {
    match purpose {
        MailPurpose::Verify => TemplateName::EmailVerify,
        MailPurpose::Change => TemplateName::EmailConfirmChange,
        MailPurpose::Reset => TemplateName::PasswordReset,
        MailPurpose::Link => TemplateName::SigninPasswordless,
        MailPurpose::Code => TemplateName::SigninOtp,
        MailPurpose::AccountExists => TemplateName::AccountExists,
        MailPurpose::PasswordChanged => TemplateName::PasswordChanged,
        MailPurpose::EmailChanged => TemplateName::EmailChanged,
        MailPurpose::Elevate => TemplateName::Elevate,
        MailPurpose::FactorChanged => TemplateName::FactorChanged,
    }
}

/// A failure before the mail was handed over. The text of an error of Postgres may repeat values,
/// its SQLSTATE does not.
fn retry(error: Error) -> MailError {
    MailError::Retry(match error {
        Error::NotWritten { refusal, .. } | Error::Database(DatabaseError::Refused(refusal)) => {
            format!(
                "the database refuses a statement with the SQLSTATE {}",
                refusal.sqlstate
            )
        }
        Error::Database(fault) => fault.to_string(),
        other => other.message(),
    })
}
