//! What follows a first factor: a session, or a second factor. Every way to sign in comes here, so
//! that none forgets to ask.

use gateway::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::config::Method;
use super::purpose::{self, Purpose};
use super::store::{Account, FactorKind};
use crate::token_exchange::{
    AccessToken, IssuedRefreshToken, SignInProof, TokenExchangeConfig, User,
};

/// A first factor that was right.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FirstFactor {
    /// How the person signs in.
    pub(super) method: Method,
    /// What was shown, as in the claim `amr`.
    pub(super) references: Vec<String>,
}

/// What follows a first factor.
#[derive(Debug)]
pub(super) enum NextStep {
    /// A session.
    Session(OpenedSession),
    /// A ticket for a second factor.
    SecondFactor(AskedFactor),
}

/// A session that is about to be opened.
#[derive(Debug)]
pub(super) struct OpenedSession {
    /// Its id.
    pub(super) id: Uuid,
    /// How the person signs in.
    pub(super) method: Method,
    /// What was shown, for the claim `amr`.
    pub(super) methods: Vec<String>,
    /// Whether that is enough for somebody who has a second factor.
    pub(super) is_complete: bool,
    /// Its access token, signed before anything is stored.
    pub(super) access: AccessToken,
    /// Its refresh token.
    pub(super) refresh: IssuedRefreshToken,
    /// How long the refresh token holds.
    pub(super) seconds: u64,
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
            method,
            references: vec![method.reference().to_owned()],
        }
    }

    /// A passkey. With the person's verification by a finger or a PIN it counts as two factors.
    pub(super) fn passkey(is_user_verified: bool) -> FirstFactor {
        let mut first = FirstFactor::new(Method::Passkey);
        if is_user_verified {
            first.references.push("user".into());
        }
        first
    }

    fn counts_as_two(&self) -> bool {
        self.references.iter().any(|reference| reference == "user")
    }
}

impl NextStep {
    /// What follows a first factor of a user. The refresh token of a session lasts so many seconds.
    pub(super) fn after(
        first: FirstFactor,
        user: &User,
        account: &Account,
        exchange: &TokenExchangeConfig,
        seconds: u64,
    ) -> Result<NextStep, Error> {
        if account.second_factor.is_some() && !first.counts_as_two() {
            return Ok(NextStep::SecondFactor(AskedFactor {
                id: Uuid::new_v4(),
                ticket: purpose::new_ticket(Purpose::Factor),
                email: user.text("email").unwrap_or_default().to_owned(),
                offered: account.factors(&first),
                first,
            }));
        }
        let is_complete = first.counts_as_two();
        NextStep::session(first, is_complete, user, exchange, seconds)
    }

    /// The session that both factors open. `second` is the second one as in the claim `amr`.
    pub(super) fn after_both(
        mut first: FirstFactor,
        second: &str,
        user: &User,
        exchange: &TokenExchangeConfig,
        seconds: u64,
    ) -> Result<NextStep, Error> {
        if !first.references.iter().any(|reference| reference == second) {
            first.references.push(second.to_owned());
        }
        NextStep::session(first, true, user, exchange, seconds)
    }

    fn session(
        first: FirstFactor,
        is_complete: bool,
        user: &User,
        exchange: &TokenExchangeConfig,
        seconds: u64,
    ) -> Result<NextStep, Error> {
        let id = Uuid::new_v4();
        let proof = SignInProof {
            session: id.to_string(),
            methods: first.references.clone(),
            at: jsonwebtoken::get_current_timestamp(),
            is_elevated: false,
        };
        Ok(NextStep::Session(OpenedSession {
            id,
            method: first.method,
            methods: first.references,
            is_complete,
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

impl Account {
    /// What the person may show after a first factor. A key after a key would be one factor.
    fn factors(&self, first: &FirstFactor) -> Vec<&'static str> {
        let mut factors = self.all_factors();
        factors.retain(|factor| *factor != "webauthn" || first.method != Method::Passkey);
        factors
    }

    /// What the person may show to elevate a session.
    pub(super) fn all_factors(&self) -> Vec<&'static str> {
        let totp = (self.second_factor == Some(FactorKind::Totp)).then_some("totp");
        let recovery = self.has_recovery_codes.then_some("recovery-code");
        let keys = self.has_keys.then_some("webauthn");
        [totp, recovery, keys].into_iter().flatten().collect()
    }
}
