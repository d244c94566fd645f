//! The methods by which senders are verified, and how several of them are combined.

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::hmac_signature::HmacSignature;
use super::jwe_token::JweToken;
use super::legacy_key::LegacyKey;
use super::received::Received;
use super::standard_signature::StandardSignature;
use super::stripe_signature::StripeSignature;
use crate::database::Database;
use crate::error::Error;

/// The keys under which the methods are declared.
pub(super) const METHODS: [&str; 6] = ["hmac", "stripe", "github", "standard", "jwe", "legacy"];

/// A method of verification.
#[derive(Debug)]
pub(super) enum Method {
    /// A header with the HMAC of the body.
    Hmac(HmacSignature),
    /// GitHub's form of it.
    Github(HmacSignature),
    Stripe(StripeSignature),
    Standard(StandardSignature),
    Jwe(JweToken),
    Legacy(LegacyKey),
}

/// What a sender is known to be, and how it was verified.
#[derive(Debug, PartialEq)]
pub(super) struct VerifiedSender {
    /// The methods, joined by `+`.
    pub(super) methods: String,
    /// The claims of a token, the DID of a key.
    pub(super) facts: Map<String, Value>,
}

/// The methods that a service declares.
#[derive(Debug)]
pub(super) struct Verification {
    pub(super) methods: Vec<Method>,
    pub(super) needed: Needed,
}

/// How many of the methods a sender has to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    All,
    /// One of them, as long as senders change from one method to another.
    Any,
}

impl Needed {
    /// Both by their names in the settings.
    pub(super) const NAMES: [(&'static str, Needed); 2] = [("all", Needed::All), ("any", Needed::Any)];
}

impl Verification {
    /// Verifies the sender of a webhook.
    ///
    /// Errors: the first method that refuses it, if all are needed, or else the last; or the database is unavailable.
    pub(super) async fn verify(
        &self,
        received: &Received<'_>,
        database: &Database,
        deadline: Instant,
    ) -> Result<VerifiedSender, Error> {
        let (mut names, mut facts) = (vec![], Map::new());
        let mut refused = Error::NotFound;
        for method in &self.methods {
            match (method.verify(received, database, deadline).await, self.needed) {
                (Ok(found), needed) => {
                    names.push(method.name());
                    facts.extend(found);
                    if needed == Needed::Any {
                        break;
                    }
                }
                (Err(error @ Error::UnverifiedWebhook(..)), Needed::Any) => refused = error,
                (Err(error), _) => return Err(error),
            }
        }
        // The settings declare at least one method.
        match names.is_empty() {
            true => Err(refused),
            false => Ok(VerifiedSender { methods: names.join("+"), facts }),
        }
    }
}

impl Method {
    /// The name of the method in the settings.
    fn name(&self) -> &'static str {
        match self {
            Method::Hmac(_) => "hmac",
            Method::Github(_) => "github",
            Method::Stripe(_) => "stripe",
            Method::Standard(_) => "standard",
            Method::Jwe(_) => "jwe",
            Method::Legacy(_) => "legacy",
        }
    }

    async fn verify(
        &self,
        received: &Received<'_>,
        database: &Database,
        deadline: Instant,
    ) -> Result<Map<String, Value>, Error> {
        match self {
            Method::Hmac(method) | Method::Github(method) => method.verify(received)?,
            Method::Stripe(method) => method.verify(received)?,
            Method::Standard(method) => method.verify(received)?,
            Method::Jwe(method) => return Ok(method.verify(received)?),
            Method::Legacy(method) => return method.verify(received, database, deadline).await,
        }
        Ok(Map::new())
    }
}
