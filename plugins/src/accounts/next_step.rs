//! What follows a first factor: a session, a code that is exchanged for one, or a second factor.
//! Every way to sign in comes here, so that none forgets to ask.

use gateway::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::account::Account;
use super::config::Method;
use super::purpose::{self, Purpose};
use crate::token_exchange::{
    AccessToken, IssuedRefreshToken, SignInProof, TokenExchangeConfig, User,
};

/// What a person has shown to sign in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FirstFactor {
    /// How the person signs in, as in the audit.
    pub(super) method: String,
    /// What was shown, as in the claim `amr`.
    pub(super) references: Vec<String>,
    /// Whether that is enough for somebody who has a second factor.
    #[serde(default)]
    pub(super) is_complete: bool,
}

/// How a session reaches the application.
#[derive(Clone, Copy, Debug)]
pub(super) enum Delivery<'a> {
    /// In the response, with a refresh token that lasts so many seconds.
    Response(u64),
    /// By a code, which the application exchanges with the verifier of this challenge.
    /// <https://www.rfc-editor.org/rfc/rfc7636>
    Code(&'a str),
}

/// What follows a first factor.
#[derive(Debug)]
pub(super) enum NextStep {
    /// A session.
    Session(OpenedSession),
    /// A code that is exchanged for a session.
    Handover(Handover),
    /// A ticket for a second factor.
    SecondFactor(AskedFactor),
}

/// A session that is about to be opened.
#[derive(Debug)]
pub(super) struct OpenedSession {
    /// Its id.
    pub(super) id: Uuid,
    /// What was shown.
    pub(super) shown: FirstFactor,
    /// Its access token, signed before anything is stored.
    pub(super) access: AccessToken,
    /// Its refresh token.
    pub(super) refresh: IssuedRefreshToken,
    /// How long the refresh token holds.
    pub(super) seconds: u64,
}

/// A code that is exchanged for a session.
#[derive(Debug)]
pub(super) struct Handover {
    /// The id of its ticket.
    pub(super) id: Uuid,
    /// The code.
    pub(super) code: String,
    /// What is kept until then.
    pub(super) state: HandoverState,
}

/// What is kept until a code is exchanged.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HandoverState {
    /// The user.
    pub(super) user: String,
    /// What was shown.
    pub(super) shown: FirstFactor,
    /// The challenge of the verifier.
    pub(super) challenge: String,
}

/// A second factor that is asked for.
#[derive(Debug)]
pub(super) struct AskedFactor {
    /// The id of the ticket.
    pub(super) id: Uuid,
    /// The ticket, which stands for the first factor.
    pub(super) ticket: String,
    /// The address of the user.
    pub(super) email: String,
    /// The first factor.
    pub(super) first: FirstFactor,
    /// What the person may show.
    pub(super) offered: Vec<&'static str>,
}

impl FirstFactor {
    /// A method that counts as one factor.
    pub(super) fn new(method: Method) -> FirstFactor {
        FirstFactor {
            method: method.name().to_owned(),
            references: vec![method.reference().to_owned()],
            is_complete: false,
        }
    }

    /// A passkey. With the person's verification by a finger or a PIN it counts as two factors.
    pub(super) fn passkey(is_user_verified: bool) -> FirstFactor {
        let mut first = FirstFactor::new(Method::Passkey);
        if is_user_verified {
            first.references.push("user".into());
            first.is_complete = true;
        }
        first
    }

    /// Another provider, with its name in the audit. RFC 8176 has no name for it.
    pub(super) fn provider(method: String) -> FirstFactor {
        FirstFactor {
            method,
            references: vec!["fed".into()],
            is_complete: false,
        }
    }

    /// A user without an address. RFC 8176 has no name for it.
    pub(super) fn anonymous(method: &str) -> FirstFactor {
        FirstFactor {
            method: method.to_owned(),
            references: vec!["anon".into()],
            is_complete: false,
        }
    }

    /// Both factors. `second` is the second one as in the claim `amr`.
    pub(super) fn and(mut self, second: &str) -> FirstFactor {
        if !self.references.iter().any(|reference| reference == second) {
            self.references.push(second.to_owned());
        }
        self.is_complete = true;
        self
    }

    /// Whether it was a passkey or a security key.
    pub(super) fn is_key(&self) -> bool {
        self.method == Method::Passkey.name()
    }

    /// What the person may show after it. A key after a key would be one factor.
    fn factors_after(&self, account: &Account) -> Vec<&'static str> {
        let mut factors = account.factors();
        factors.retain(|factor| *factor != "webauthn" || !self.is_key());
        factors
    }
}

impl NextStep {
    /// What follows what a user has shown.
    pub(super) fn after(
        shown: FirstFactor,
        user: &User,
        account: &Account,
        exchange: &TokenExchangeConfig,
        delivery: Delivery<'_>,
    ) -> Result<NextStep, Error> {
        if account.second_factor.is_some() && !shown.is_complete {
            return Ok(NextStep::SecondFactor(AskedFactor {
                id: Uuid::new_v4(),
                ticket: purpose::new_ticket(Purpose::Factor),
                email: user.text("email").unwrap_or_default().to_owned(),
                offered: shown.factors_after(account),
                first: shown,
            }));
        }
        let seconds = match delivery {
            Delivery::Response(seconds) => seconds,
            Delivery::Code(challenge) => {
                return Ok(NextStep::Handover(Handover {
                    id: Uuid::new_v4(),
                    code: Uuid::new_v4().to_string(),
                    state: HandoverState {
                        user: user.id.clone(),
                        shown,
                        challenge: challenge.to_owned(),
                    },
                }));
            }
        };
        let id = Uuid::new_v4();
        let proof = SignInProof {
            session: id.to_string(),
            methods: shown.references.clone(),
            at: jsonwebtoken::get_current_timestamp(),
            is_elevated: false,
        };
        Ok(NextStep::Session(OpenedSession {
            id,
            shown,
            access: AccessToken::sign(exchange, user, None, Some(&proof))?,
            refresh: IssuedRefreshToken::new(),
            seconds,
        }))
    }
}

impl AskedFactor {
    /// The answer in hasura-auth's form, with what the person may show.
    pub(super) fn to_json(&self) -> Value {
        json!({"session": null, "mfa": {"ticket": self.ticket, "methods": self.offered}})
    }
}
