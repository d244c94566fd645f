//! The methods by which senders are verified, and how several of them are combined.

use pg::Database;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::digest::digest;
use super::legacy_key::LegacyKey;
use super::received::Received;
use super::refusal::ReceiveError;
use super::secret_method::{Proof, SecretMethod};
use super::sender_query::SenderQuery;
use gateway::error::Error;

/// The keys under which the methods are declared.
pub(super) const METHODS: [&str; 6] = ["hmac", "stripe", "github", "standard", "jwe", "legacy"];

/// A method of verification.
#[derive(Debug)]
pub(super) enum Method {
    /// By secrets of the settings.
    Secret(SecretMethod),
    /// By secrets that a query finds for the sender.
    SenderSecret(SenderQuery, SecretMethod),
    /// By a key in the URL.
    Legacy(LegacyKey),
}

/// What a sender is known to be, and how it was verified.
#[derive(Debug, PartialEq)]
pub(super) struct VerifiedSender {
    /// The methods, joined by `+`.
    pub(super) methods: String,
    /// The claims of a token, the DID of a key.
    pub(super) facts: Map<String, Value>,
    /// The names of the secrets of its signatures, in the order of the names. With several
    /// signatures, the combinations.
    secrets: Vec<String>,
    /// The names of the secrets that this sender alone has.
    sender_secrets: Vec<String>,
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
    pub(super) const NAMES: [(&'static str, Needed); 2] =
        [("all", Needed::All), ("any", Needed::Any)];
}

impl Verification {
    /// Verifies the sender of a webhook.
    ///
    /// Errors: the first method that refuses it, if all are needed, or else the last; or the
    /// database is unavailable.
    pub(super) async fn verify(
        &self,
        received: &Received<'_>,
        database: &Database,
        deadline: Instant,
    ) -> Result<VerifiedSender, ReceiveError> {
        let mut names = vec![];
        let mut facts = Map::new();
        let mut secrets = vec![String::new()];
        let mut sender_secrets = vec![];
        let mut refused = ReceiveError::from(Error::NotFound);
        for method in &self.methods {
            match (
                method.verify(received, database, deadline).await,
                self.needed,
            ) {
                (Ok(found), needed) => {
                    names.push(method.name());
                    facts.extend(found.facts);
                    sender_secrets.extend(found.sender_secrets);
                    if !found.secrets.is_empty() {
                        let pairs = secrets.iter().flat_map(|before| {
                            found.secrets.iter().map(move |name| (before, name))
                        });
                        secrets = pairs
                            .map(|(before, name)| format!("{before}{name}"))
                            .collect();
                    }
                    if needed == Needed::Any {
                        break;
                    }
                }
                (Err(error @ ReceiveError::Unverified(_)), Needed::Any) => refused = error,
                (Err(error), _) => return Err(error),
            }
        }
        // The settings declare at least one method.
        if names.is_empty() {
            return Err(refused);
        }
        secrets.sort();
        Ok(VerifiedSender {
            methods: names.join("+"),
            facts,
            secrets,
            sender_secrets,
        })
    }

    /// Whether deliveries of the service have one sender: no method knows senders by name, and each
    /// has one secret.
    pub(super) fn has_one_sender(&self) -> bool {
        self.methods.iter().all(|method| match method {
            Method::Secret(method) => method.has_one_secret(),
            Method::SenderSecret(..) | Method::Legacy(_) => false,
        })
    }
}

impl VerifiedSender {
    /// The digests by which a delivery belongs to its sender: of the DID and the controller, else
    /// of each secret with which it is signed. A sender that changes its secret signs with both, so
    /// two deliveries have one sender if they share a digest. `webhook_senders.sql` computes those
    /// of DID and controller too. Secrets that a sender alone has count beside its DID: the URL is
    /// not signed, and a query may find them by another spelling of the DID.
    pub(super) fn digests(&self) -> Vec<String> {
        let fact = |name| self.facts.get(name).and_then(Value::as_str);
        match (fact("did"), fact("controller")) {
            (None, None) => self
                .secrets
                .iter()
                .map(|secret| digest(secret.as_bytes()))
                .collect(),
            (did, controller) => {
                let name = format!(
                    "{}\n{}",
                    did.unwrap_or_default(),
                    controller.unwrap_or_default()
                );
                let own = self.sender_secrets.iter();
                let names = std::iter::once(&name).chain(own);
                names.map(|name| digest(name.as_bytes())).collect()
            }
        }
    }
}

impl Method {
    /// The method that compares with a secret; `None` for a key in the URL.
    pub(super) fn secret_method(&self) -> Option<&SecretMethod> {
        match self {
            Method::Secret(method) | Method::SenderSecret(_, method) => Some(method),
            Method::Legacy(_) => None,
        }
    }

    /// The name of the method in the settings.
    fn name(&self) -> &'static str {
        self.secret_method().map_or("legacy", SecretMethod::name)
    }

    async fn verify(
        &self,
        received: &Received<'_>,
        database: &Database,
        deadline: Instant,
    ) -> Result<Proof, ReceiveError> {
        match self {
            Method::Secret(method) => Ok(method.verify(received)?),
            Method::SenderSecret(query, method) => {
                method
                    .verify_sender(query, received, database, deadline)
                    .await
            }
            Method::Legacy(method) => Ok(Proof {
                facts: method.verify(received, database, deadline).await?,
                secrets: vec![],
                sender_secrets: vec![],
            }),
        }
    }
}
