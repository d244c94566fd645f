//! Mails in the event queue. An event says what to write to whom; it contains no link and no code:
//! those are made when the mail is sent, and made anew by each further attempt.

use gateway::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::config::Method;
use crate::token_exchange::User;

/// A mail that waits in the queue: the payload of its event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct QueuedMail {
    /// What it is for.
    pub(super) purpose: MailPurpose,
    /// The address that the request has named; the user's former address for a notice of its
    /// change.
    pub(super) email: String,
    /// The user, if the request was of someone who had signed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) user_id: Option<String>,
    /// How often a credential of the user had been changed when the request was made: a change
    /// since then ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) generation: Option<i32>,
    /// The user's new address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) new_email: Option<String>,
    /// The language that the request asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) locale: Option<String>,
    /// The name of a user who may be created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) display_name: Option<String>,
    /// What the application stores of a user who may be created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) metadata: Option<Value>,
    /// The page that the link leads back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) redirect_to: Option<String>,
}

/// What a mail is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum MailPurpose {
    /// A link to verify the address of a sign-up.
    Verify,
    /// A link to verify a new address.
    Change,
    /// A link to set another password.
    Reset,
    /// A link to sign in.
    Link,
    /// A code to sign in.
    Code,
    /// Somebody has signed up with an address that has an account.
    AccountExists,
    /// The password was changed.
    PasswordChanged,
    /// The address was changed.
    EmailChanged,
    /// A code to elevate a session.
    Elevate,
    /// A second factor or a security key was added or removed.
    FactorChanged,
}

impl QueuedMail {
    /// A mail of this purpose to this address.
    pub(super) fn new(purpose: MailPurpose, email: &str) -> QueuedMail {
        QueuedMail {
            purpose,
            email: email.to_owned(),
            user_id: None,
            generation: None,
            new_email: None,
            locale: None,
            display_name: None,
            metadata: None,
            redirect_to: None,
        }
    }

    /// A mail about the account of a user, in their language.
    pub(super) fn notice(purpose: MailPurpose, user: &User) -> QueuedMail {
        QueuedMail {
            locale: user.text("locale").map(str::to_owned),
            ..QueuedMail::new(purpose, user.text("email").unwrap_or_default())
        }
    }

    /// The payload of the event.
    pub(super) fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|error| Error::Internal(error.to_string()))
    }

    /// The way to sign in or up that the mail offers to those who have no account.
    pub(super) fn method(&self) -> Option<Method> {
        match self.purpose {
            MailPurpose::Link => Some(Method::Link),
            MailPurpose::Code => Some(Method::Code),
            _ => None,
        }
    }
}
